/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Results of other tools as dots or roofs: LIKWID (likwid-perfctr -O), Intel Advisor (the survey as
 * CSV) and the CARM Tool (its files of applications and of roofs). The tool is known by the file.
 */
#ifndef TPROF_SESSION_IMPORT_H
#define TPROF_SESSION_IMPORT_H

#include "base/own_dot.h"
#include "base/status.h"
#include "base/str.h"

struct tp_import_roof {
	char isa[16], precision[8], level[8], kernel[24];
	unsigned threads, loads, stores;
	double gbps, gflops; /* one of them, the other is NaN */
};

/* Zero-initialise, release after use. */
struct tp_import {
	const char *tool; /* "LIKWID" */
	struct tp_own_dot *dots;
	size_t n_dots, dots_cap;
	struct tp_import_roof *roofs;
	size_t n_roofs, roofs_cap;
	size_t n_left_out; /* loops, programs or regions without a rate and an intensity */
};
void tp_import_release(struct tp_import *import);

/*
 * TP_USAGE with FILE:LINE: not a file of these tools, an unreadable number, or nothing to import.
 */
enum tp_status tp_import_read(struct tp_import *import, const char *path, struct tp_diag *diag);
/* The same of a text; `name` stands for the file in messages. */
enum tp_status tp_import_parse(struct tp_import *import, const char *name, const char *text,
			       size_t len, struct tp_diag *diag);
/* False: no entry was left out. Else *diag says how many. */
bool tp_import_left_out(const struct tp_import *import, const char *path, struct tp_diag *diag);

/* Dots as lines NAME:AI,GFLOPS; roofs as points.csv. */
void tp_import_write(const struct tp_import *import, struct tp_str *out);

#endif
