/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to src/experiments/roofline: which roofs of a run a picture shows, and over which range.
 */
#ifndef TPROF_EXPERIMENTS_ROOFLINE_CHOICE_H
#define TPROF_EXPERIMENTS_ROOFLINE_CHOICE_H

#include "experiments/autotune/pictures.h"
#include "record/roof.h"
#include "report/pictures.h"

enum { ROOFS_LEVELS = 4, ROOFS_PEAKS = 8, ROOFS_OTHERS = 6 };

extern const char *const tp_roofs_level[ROOFS_LEVELS]; /* L1, L2, L3, DRAM */

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
/* The range of intensities: from below the lowest ridge to above the highest one, and all dots. */
void tp_roofs_choose_range(struct tp_roofs_shown *v, const struct tp_picture *picture);
/* True if a result of these is of the run, threads and precision that are shown. */
bool tp_roofs_belongs(const struct tp_roofs_shown *v, unsigned run, unsigned threads,
		      const char *precision);

/* "under the DRAM roof (3.84 GFLOP/s there), at 83 % of it": where an own dot stands (own_dots.c).
 */
void tp_roofs_place(const struct tp_roofs_shown *v, const struct tp_own_dot *dot,
		    struct tp_str *out);
/* The own dots of the run as series, each with its name. */
void tp_roofs_draw_own(struct tp_picture *picture, const struct tp_roofs_shown *v);

/* The highest peak in GFLOP/s and the highest bandwidth in GB/s; 0 if none was measured. */
double tp_roofs_top_peak(const struct tp_roofs *roofs);
double tp_roofs_top_bandwidth(const struct tp_roofs *roofs);
/* The fastest level; ROOFS_LEVELS if none was measured. */
size_t tp_roofs_top_level(const struct tp_roofs *roofs);

#endif
