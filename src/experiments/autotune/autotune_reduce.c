/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the winners mean together: the classic roofline F(I) = min(B I, F_p), its peak from the
 * matrix products, its bandwidths from TRIAD; and the table of techniques.
 */
#include "experiments/autotune/autotune.h"
#include "analysis/stats.h"
#include "base/str.h"
#include "base/memory.h"
#include "record/point.h"
#include "experiments/autotune/search_row.h"
#include "record/roof.h"

#include <string.h>

/* The same roof, found by another technique, or with another library. */
static bool same_roof(const struct tp_point *a, const struct tp_point *b)
{
	return a->run == b->run && strcmp(tp_kernel_row(a)->isa, tp_kernel_row(b)->isa) == 0 &&
	       strcmp(tp_search_row(a)->scope, tp_search_row(b)->scope) == 0 &&
	       strcmp(tp_kernel_row(a)->level, tp_kernel_row(b)->level) == 0 &&
	       a->threads == b->threads;
}

static bool is_winner(const struct tp_point *p, unsigned index)
{
	return p->run == index && p->state == TP_POINT_DONE &&
	       strcmp(p->experiment, "autotune") == 0;
}

/* The searches of one roof compete; of equal ones the first wins. */
static bool is_best(const struct tp_run *run, const struct tp_point *p, unsigned index)
{
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *q = &run->points[i];
		if (q == p || !is_winner(q, index) || !same_roof(p, q))
			continue;
		double mine = tp_point_median(p), others = tp_point_median(q);
		if (others > mine || (others == mine && q < p))
			return false;
	}
	return true;
}

/* Peak of the products in double precision that the same cores reached; 0 = none. */
static double peak_of(const struct tp_run *run, const struct tp_point *triad, unsigned index)
{
	double peak = 0;
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (is_winner(p, index) && tp_point_is_fp(p) && p->threads == triad->threads &&
		    strcmp(tp_search_row(p)->scope, tp_search_row(triad)->scope) == 0 &&
		    strcmp(tp_kernel_row(p)->precision, tp_kernel_row(triad)->precision) == 0)
			peak = TP_MAX(peak, tp_point_median(p));
	}
	return peak;
}

static enum tp_status add_roof(struct tp_run *run, const struct tp_point *p, unsigned index)
{
	struct tp_roof *roof = tp_run_add_row(run, &tp_roof_part);
	if (!roof)
		return TP_NOMEM;
	/*
	 * The routine stands where emitted kernels have their instruction set: reports know the
	 * classic roofline by it.
	 */
	*roof = tp_roof_of(p);
	if (!tp_point_is_fp(p))
		roof->ridge_flop_per_byte = tp_roof_ridge(peak_of(run, p, index), roof->median);
	return TP_OK;
}

enum tp_status tp_autotune_reduce(const struct tp_machine *machine, struct tp_run *run,
				  unsigned index)
{
	enum tp_status status = TP_OK;
	(void)machine;
	for (size_t i = 0; i < run->n_points && status == TP_OK; i++)
		if (is_winner(&run->points[i], index) && is_best(run, &run->points[i], index))
			status = add_roof(run, &run->points[i], index);
	return status == TP_OK ? tp_study_make(run) : status;
}
