/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which roofs are drawn, and rooflines of a run and of several runs on each other as scenes. */
#ifndef TPROF_EXPERIMENTS_ROOFLINE_PICTURES_H
#define TPROF_EXPERIMENTS_ROOFLINE_PICTURES_H

#include "experiments/autotune/pictures.h"
#include "record/roof.h"
#include "report/pictures.h"

enum { ROOFS_LEVELS = 4, ROOFS_PEAKS = 8, ROOFS_OTHERS = 6 };

/* The roofs of one ISA that are drawn: of several measurements of a level the fastest. */
struct tp_roofs {
	const char *isa;
	const struct tp_roof *level[ROOFS_LEVELS];
	const struct tp_roof *peak[ROOFS_PEAKS]; /* rising */
	size_t n_peaks;
};

struct tp_roofs_shown {
	const struct tp_run *run;
	unsigned index, threads;
	const char *precision;
	struct tp_roofs main, others[ROOFS_OTHERS];
	size_t n_others;
	double ai_low, ai_high;
	double peak_gflops; /* where roofs end if no peak was measured; 0 = nowhere */
	struct tp_classic classic; /* of the same threads; empty if nothing was searched */
};

/*
 * Chooses from `run`, `index` and `precision`, which the caller sets: the most threads (of those
 * that have dots, if there are any), unless `threads` is set; of those the widest ISA; the others
 * from wide to narrow. False if there are no roofs.
 */
bool tp_roofs_choose(struct tp_roofs_shown *v);

/* "under the DRAM roof (3.84 GFLOP/s there), at 83 % of it": where an own dot stands.
 */
void tp_roofs_place(const struct tp_roofs_shown *v, const struct tp_own_dot *dot,
		    struct tp_str *out);

/*
 * The roofline of a run of the preset and a precision: the most threads, the widest ISA with all
 * its roofs, of the other ISAs their outline as far as there is room (`columns` x `rows`), theory
 * dashed, ridges marked, dots. False if there is nothing to draw.
 */
bool tp_picture_roofline(struct tp_picture *picture, const struct tp_run *run, unsigned index,
			 const char *precision, size_t columns, size_t rows);

/* The ISA whose roofs that picture draws in full with so many threads; NULL if none. */
const char *tp_roofline_isa(const struct tp_run *run, unsigned index, unsigned threads,
			    const char *precision);

/*
 * The roofs of all runs in a precision, each run's own view (its first run of the preset that has
 * them, most threads, widest ISA). False if there are none.
 */
bool tp_overlay_roofline(struct tp_picture *picture, const struct tp_overlay *overlay,
			 const char *precision);

#endif
