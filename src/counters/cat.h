/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Output folders of PAPI's Counter Analysis Toolkit: one file an event and benchmark (EVENT.branch, EVENT.data.reads, ...). They become readings
 * and the bases that belong to them (the rows of the data caches depend on the buffer sizes that were measured).
 */
#ifndef TPROF_COUNTERS_CAT_H
#define TPROF_COUNTERS_CAT_H

#include "base/status.h"
#include "preset/basis.h"
#include "record/readings.h"

struct tp_cat {
	struct tp_readings readings;
	struct tp_basis *bases; /* one for each family of readings, same order */
	size_t n_bases;
	struct tp_diags notes; /* files left out, with why: file:line, reason */
};

/* Reads every file of the folder. TP_NOTFOUND, TP_USAGE when nothing in it could be read; the caller releases in any case. */
enum tp_status tp_cat_read(struct tp_cat *cat, const char *folder, struct tp_diag *diag);
void tp_cat_release(struct tp_cat *cat);

/* One file's text, for tests and the fuzzer: `name` is the file's name. */
enum tp_status tp_cat_parse(struct tp_cat *cat, const char *name, const char *text, size_t len,
			    struct tp_diag *diag);

#endif
