/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Phases of a program: change points of several series that were sampled together.
 *
 * A step shows in at least one series: the difference between the means before and after it, over
 * its standard error (CUSUM). The statistic is computed in intervals of all lengths, laid out in
 * advance ("Seeded binary segmentation", Kovacs, Li, Buehlmann and Munk 2023), and the shortest
 * interval that shows a step decides where it is ("Narrowest-over-threshold", Baranowski, Chen and
 * Fryzlewicz 2019), so that a series that returns to its old value hides nothing. Noise is taken
 * from differences of neighbours, without the largest ones: steps do not count as noise. Runs of
 * up to two outliers are smoothed away first. A slow rise or fall is not a step.
 */
#ifndef TPROF_ANALYSIS_CHANGES_H
#define TPROF_ANALYSIS_CHANGES_H

#include <stdbool.h>
#include <stddef.h>

/* The result for one series. */
struct tp_changes_series {
	double range; /* from the first to the 99th percentile, without outliers; 0 = constant */
	double noise; /* standard deviation */
};

/*
 * edges[0..*n_edges-1]: the first sample of each new phase, rising; at most max of them. x[j][i] is
 * sample i of series j; samples that are not finite are taken to be as the one before. `told` (may
 * be NULL) has room for n_series.
 */
void tp_changes(const double *const *x, size_t n_series, size_t n, size_t *edges, size_t max,
		size_t *n_edges, struct tp_changes_series *told);

/*
 * Which phases are alike: group[i] = number of the group of phase i, groups in the order of their
 * first phase. means[i * n_series + j] is the mean of series j in phase i (not finite: ignored);
 * phases are alike when no series differs by more than a quarter of its range. Returns the number
 * of groups.
 */
size_t tp_changes_alike(const double *means, size_t n_phases, size_t n_series, const double *ranges,
			unsigned *group);

#endif
