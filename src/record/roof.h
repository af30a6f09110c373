/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Roofs of a roofline: a table of results. */
#ifndef TPROF_RECORD_ROOF_H
#define TPROF_RECORD_ROOF_H

#include "record/run.h"

/* A roof of the roofline: a bandwidth (level L1..DRAM) or a peak (level FP). */
struct tp_roof {
	unsigned run, point; /* the point it comes from */
	char isa[16], precision[8], level[8], fp_op[12];
	unsigned threads, loads, stores;
	bool nontemporal;
	double median, best, ci_low, ci_high; /* GB/s, or GFLOP/s for level FP */
	double per_cycle; /* bytes or FLOP per cycle and core */
	double model; /* theoretical value of the machine model, whole team; 0 = unknown */
	/*
	 * bandwidth roofs: AI where the highest measured FP peak of the same isa, precision,
	 * threads is met; 0 = none
	 */
	double ridge_flop_per_byte;
	uint32_t flags;
	unsigned quality; /* enum tp_quality, of the point */
};

extern const struct tp_part tp_roof_part;

/* The roof that a finished memory or FP point is; its ridge is left 0. */
struct tp_roof tp_roof_of(const struct tp_point *point);
/* Of one run, ISA, precision and team: roofs of one picture. */
bool tp_roof_is_group(const struct tp_roof *a, const struct tp_roof *b);
/* A peak (level FP) counts FLOP, every other roof bytes. */
bool tp_roof_is_peak(const struct tp_roof *roof);
/*
 * The roof of the next level measured, where `roof` is the highest of its level and nevertheless
 * lower by more than noise: it cannot be. Else NULL. Only roofs of the same run, ISA, precision and
 * team count.
 */
const struct tp_roof *tp_roof_slower_than(const struct tp_run *run, const struct tp_roof *roof);
#define tp_run_roofs(run)   TP_ROWS(run, tp_roof_part, tp_roof)
#define tp_run_n_roofs(run) TP_N(run, tp_roof_part)

#endif
