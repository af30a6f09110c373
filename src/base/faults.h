/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The errors of one file, each with its line and column, in the order of the lines. */
#ifndef TPROF_BASE_FAULTS_H
#define TPROF_BASE_FAULTS_H

#include <stddef.h>

#include "base/status.h"

/* A place in a file; from 1, as editors count. 0 = the file as a whole. */
struct tp_place {
	unsigned line, column;
};

enum { TP_FAULTS_MAX = TP_DIAGS_MAX }; /* told for one file; more are only counted */

/* Zero-initialise, with the name of the file. */
struct tp_faults {
	const char *name;
	struct tp_fault {
		struct tp_place place;
		struct tp_diag diag;
	} * items;
	size_t n, cap, untold;
};

void tp_faults_add(struct tp_faults *faults, struct tp_place place, const char *hint,
		   const char *fmt, ...) __attribute__((format(printf, 4, 5)));
size_t tp_faults_count(const struct tp_faults *faults);
/* Hands the errors on, and is empty and without memory afterwards. Returns how many there were. */
size_t tp_faults_flush(struct tp_faults *faults, struct tp_diags *diags);

/* "name:3:7", shortened at its front when `size` is too small, fit to be shown. */
const char *tp_place_text(char *out, size_t size, const char *name, struct tp_place place);

#endif
