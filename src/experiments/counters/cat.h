/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Output folders of PAPI's Counter Analysis Toolkit: one file an event and benchmark (EVENT.branch,
 * EVENT.data.reads, ...). They become readings of the families of presets/bases, and where the
 * folder has rows of its own (buffer sizes of the data caches) the rows of the basis.
 *
 *   EVENT.branch                    11 numbers, an iteration each: the rows of "branch"
 *   EVENT.vec                       "expected count" a loop, three loops a section: the rows of
 *                                   "flops". Sections have titles since PAPI 7.2 (a loop runs
 *                                   once); before, half, single, double precision by width, first
 *                                   without FMA, then with it, each loop a million times
 *   EVENT.data.reads, .data.writes  "# L1:.. L2:.." (since 7.1), "# PTRN=, STRIDE=, PPB=,
 *                                   ThreadCount=", then "bytes count..." with counts per access of
 *                                   every thread: "dcache-read", "dcache-write"
 *   EVENT.flops, .icache, .instr    kernels that no shipped basis describes: families "cat-flops",
 *                                   "cat-icache", "cat-instr", for a user's basis
 *
 * The toolkit repeats nothing. Several of its folders below one folder are repetitions, in the
 * order of their names.
 */
#ifndef TPROF_EXPERIMENTS_COUNTERS_CAT_H
#define TPROF_EXPERIMENTS_COUNTERS_CAT_H

#include <stdbool.h>

#include "base/status.h"
#include "experiments/counters/readings.h"
#include "preset/basis.h"

enum { TP_CAT_LEVELS = 4 };

/* A row of a data cache family: a buffer of this many bytes. */
struct tp_cat_row {
	unsigned stride_bytes, pages_per_block;
	double bytes; /* of one thread's buffer */
	unsigned level; /* 1, 2, ... the cache it fits into; 0 = not known */
	bool memory; /* larger than the last cache */
};

struct tp_cat_rows {
	struct tp_cat_row *items;
	size_t n, cap;
};

struct tp_cat {
	struct tp_readings readings;
	struct tp_cat_rows rows[2]; /* reads, writes */
	size_t n_files; /* that were read, at least in part */
	struct tp_diags notes; /* what was left out, and why: file:line */
	size_t n_errors; /* notes of errors in files; the others list what is not analysed */
	/* private */
	size_t repetition;
	unsigned told; /* reported once a folder */
};

/*
 * Reads every file of the folder; in any error's case the rest is read and the error stands in
 * `notes`. TP_NOTFOUND, TP_PERM, TP_USAGE when nothing in it could be read. The caller releases in
 * any case.
 */
enum tp_status tp_cat_read(struct tp_cat *cat, const char *folder, struct tp_diag *diag);
/* True if the folder, or one in it, holds files that look like the toolkit's. */
bool tp_cat_is(const char *folder);
void tp_cat_release(struct tp_cat *cat);

/*
 * Sets the rows of `basis`, a family's, from the folder. Nothing changes if they are equal.
 * TP_USAGE if it is unknown which cache a buffer fits into, or the basis has no region of that
 * name.
 */
enum tp_status tp_cat_basis(const struct tp_cat *cat, struct tp_basis *basis, struct tp_diag *diag);

/*
 * One file's text, for tests and the fuzzer: `name` is the file's name without folder.
 * TP_UNSUPPORTED: not a file of the toolkit; TP_USAGE: nothing in it is usable. Errors of single
 * lines go to notes.
 */
enum tp_status tp_cat_parse(struct tp_cat *cat, const char *name, const char *text, size_t len,
			    struct tp_diag *diag);

#endif
