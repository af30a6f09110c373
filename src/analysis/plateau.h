/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plateaus of a memory curve: piecewise-constant fit of log(rate) over log2(size), minimising
 * squared error plus a penalty for each extra level (dynamic programming over all segmentations,
 * penalty from the noise of the points; two sizes that differ by noise never become a new level).
 * Points on a slope between two levels belong to neither.
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
	 * Where the curve leaves it: size at the geometric middle (in rate) of the fall to the
	 * next; 0 for the last.
	 */
	double capacity_bytes;
};

struct tp_plateau_options {
	double min_drop; /* neighbours closer than this are one level; default 0.12 (12 %) when 0 */
	double min_octaves; /* shortest plateau on the size axis; default 0.8 when 0 */
	size_t min_points; /* default 2 when 0 */
	size_t max_levels; /* default 6 when 0 */
};

/*
 * levels[max] filled, count returned through n. Rates may rise as well as fall. Returns false only
 * when memory runs out.
 */
bool tp_plateaus(const struct tp_curve_point *points, size_t n_points,
		 const struct tp_plateau_options *options, struct tp_level *levels, size_t max,
		 size_t *n);

#endif
