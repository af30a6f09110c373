/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Series of points that repeat one instruction, and where they saturate the core. */
#include "analysis/stats.h"
#include "base/memory.h"
#include "experiments/asm/report.h"
#include "experiments/asm/row.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Of the most instructions in a cycle: where a curve ends, and what is all of it. Schedulers do not
 * find a place for each instruction in time where there are only just enough.
 */
#define SATURATED 0.9
#define NEAR	  0.05
#define WHOLE	  0.98

/* Larger runs are no studies of one instruction, and all pairs of their points are too many. */
enum { LEAST_POINTS = 3, MOST_POINTS = 4096 };

bool tp_asm_series_begins(const struct tp_run *run, size_t i)
{
	const struct tp_point *p = &run->points[i];
	if (run->n_points > MOST_POINTS || !tp_point_is_asm(p) ||
	    strcmp(tp_asm_row(p)->mode, "written") != 0)
		return false;
	for (size_t k = 0; k < i; k++)
		if (tp_asm_same_series(&run->points[k], p))
			return false;
	return true;
}

bool tp_asm_same_series(const struct tp_point *a, const struct tp_point *b)
{
	return tp_point_is_asm(a) && tp_point_is_asm(b) && a->run == b->run &&
	       a->threads == b->threads && strcmp(tp_asm_row(a)->mode, tp_asm_row(b)->mode) == 0 &&
	       strcmp(a->kernel, b->kernel) == 0;
}

bool tp_asm_series_counts(const struct tp_run *run, const struct tp_point *of)
{
	size_t n = 0;
	if (run->n_points > MOST_POINTS)
		return false;
	for (size_t i = 0; i < run->n_points && n < LEAST_POINTS; i++)
		n += tp_asm_same_series(&run->points[i], of);
	return n == LEAST_POINTS && strcmp(tp_asm_row(of)->mode, "written") == 0;
}

/*
 * What the series does in a cycle at most: the median of all that come near the best, such that no
 * single disturbed point decides. Poor points count only where there are no others.
 */
static double plateau(const struct tp_run *run, const struct tp_point *of)
{
	double *near = malloc((run->n_points + 1) * sizeof(*near)), best = 0, median = 0;
	size_t n = 0;
	for (int poor = 0; poor < 2 && !(best > 0); poor++)
		for (size_t i = 0; i < run->n_points; i++) {
			const struct tp_point *p = &run->points[i];
			if (tp_asm_same_series(p, of) && (poor || p->quality != TP_QUALITY_POOR))
				best = fmax(best, tp_asm_row(p)->ipc);
		}
	for (size_t i = 0; i < run->n_points && near; i++) {
		const struct tp_point *p = &run->points[i];
		if (tp_asm_same_series(p, of) && fabs(tp_asm_row(p)->ipc / best - 1) < NEAR)
			near[n++] = tp_asm_row(p)->ipc;
	}
	if (n) {
		tp_sort_doubles(near, n);
		median = tp_median_sorted(near, n);
	}
	free(near);
	return median;
}

bool tp_asm_saturation(const struct tp_run *run, size_t first, struct tp_asm_saturation *out)
{
	const struct tp_point *begin = &run->points[first];
	unsigned least = 0, most = 0;
	*out = (struct tp_asm_saturation){ .first = begin, .ipc = plateau(run, begin) };
	for (size_t i = first; i < run->n_points; i++) {
		const struct tp_asm_row *row = tp_asm_row(&run->points[i]);
		if (!tp_asm_same_series(&run->points[i], begin))
			continue;
		out->model_ipc = row->model_ipc;
		most = TP_MAX(most, row->count);
		if (row->count == 1)
			out->latency = row->latency;
	}
	for (size_t i = first; i < run->n_points; i++) {
		const struct tp_asm_row *row = tp_asm_row(&run->points[i]);
		if (!tp_asm_same_series(&run->points[i], begin))
			continue;
		if (row->ipc >= SATURATED * out->ipc && (!least || row->count < least))
			least = row->count;
		if (row->ipc >= WHOLE * out->ipc && (!out->whole || row->count < out->whole))
			out->whole = row->count;
	}
	out->count = least;
	out->most = most;
	/* One more instruction would have told: the last one says nothing of an end. */
	return out->latency > 0 && least > 1 && least < most;
}
