/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plateaus of a memory curve: a piecewise-constant fit of log(rate) over log2(size). It minimises
 * the squared error plus a penalty for each level, by dynamic programming over all segmentations;
 * the penalty comes from the noise of the points, so noise alone never makes a level. Points on a
 * slope between two levels belong to neither.
 */
#ifndef TPROF_ANALYSIS_PLATEAU_H
#define TPROF_ANALYSIS_PLATEAU_H

#include <stdbool.h>
#include <stddef.h>

struct tp_curve_point {
	double size_bytes, rate; /* sizes ascending */
	double relative_error; /* half width of its interval / rate; 0 = unknown */
};

struct tp_level {
	size_t first, last; /* indexes of the points on the plateau, inclusive */
	double rate; /* median over them */
	double low, high; /* interval: distribution-free, at least the points' own */
	/*
	 * The size where the curve leaves it: at the geometric middle (in rate) of the fall to the
	 * next; 0 for the last.
	 */
	double capacity_bytes;
	/*
	 * The way down (or up) after it: where it begins, where it ends, and the rate there. For
	 * the last level: the way on which the curve ends. All 0 if there is none.
	 */
	double fall_from_bytes, fall_to_bytes, fall_rate;
};

struct tp_plateau_options {
	double min_drop; /* neighbours closer than this are one level; default 0.12 (12 %) when 0 */
	double min_octaves; /* shortest plateau on the size axis; default 0.8 when 0 */
	size_t min_points; /* default 2 when 0 */
	size_t max_levels; /* default 6 when 0 */
};

/* levels[max] filled, count returned through n. Rates may rise as well as fall. */
void tp_plateaus(const struct tp_curve_point *points, size_t n_points,
		 const struct tp_plateau_options *options, struct tp_level *levels, size_t max,
		 size_t *n);

/*
 * Where the last cache ends and where memory begins, from bandwidths at a few sizes: what a machine
 * reports may be the cache of a host, of which a guest gets a part.
 */

struct tp_last_level {
	double cache_rate, memory_rate;
	double end_bytes; /* where the rate passes the (geometric) middle of both */
	/* so large that memory alone decides the rate: at least four times the end */
	double memory_bytes;
};

/*
 * `sizes` ascend, about an octave apart, from the first one inside the last cache. False until
 * memory shows: a fall, then two octaves that agree. Then a larger size is needed.
 */
bool tp_last_level_find(const double *sizes, const double *rates, size_t n,
			struct tp_last_level *found);

/*
 * Finds the reach of the TLB with small pages: where the latency with small pages exceeds that with
 * huge pages.
 */

struct tp_tlb_point {
	double small_ns, huge_ns; /* of a load, with either kind of pages, at one working set */
	double small_low_ns, huge_high_ns; /* the ends of their intervals that face each other */
};

/*
 * The index of the first of points[n], by ascending working set, whose loads take more than 10 %
 * longer with small pages. Their intervals must be apart, and most of this point and the two after
 * it must agree. False if there is none. Index 0: the reach is below everything that was measured.
 */
bool tp_tlb_reach(const struct tp_tlb_point *points, size_t n, size_t *first);

#endif
