/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/windows/roofs.h"

#include <string.h>

#include "analysis/stats.h"
#include "base/memory.h"
#include "record/point.h"
#include "record/roof.h"

bool tp_reduce_same_series(const struct tp_point *a, const struct tp_point *b)
{
	return a->run == b->run && a->threads == b->threads &&
	       strcmp(tp_kernel_row(a)->isa, tp_kernel_row(b)->isa) == 0 &&
	       strcmp(tp_kernel_row(a)->precision, tp_kernel_row(b)->precision) == 0;
}

double tp_reduce_peak(const struct tp_run *run, const struct tp_point *like, const char *fp_op)
{
	double peak = 0;
	TP_EACH_POINT (p, run) {
		if (p->state == TP_POINT_DONE && strcmp(tp_kernel_row(p)->level, "FP") == 0 &&
		    tp_reduce_same_series(p, like) &&
		    (!fp_op || strcmp(tp_kernel_row(p)->fp_op, fp_op) == 0))
			peak = TP_MAX(peak, tp_point_median(p));
	}
	return peak;
}

void tp_reduce_roofs(const struct tp_machine *machine __attribute__((unused)), struct tp_run *run,
		     unsigned index)
{
	TP_EACH_POINT (p, run) {
		bool fp = strcmp(tp_kernel_row(p)->level, "FP") == 0;
		if (p->run != index || p->state != TP_POINT_DONE ||
		    (!fp && tp_kernel_row(p)->fp_op[0]))
			continue;
		struct tp_roof *roof = tp_run_add_row(run, &tp_roof_part);
		*roof = tp_roof_of(p);
		if (!fp)
			roof->ridge_flop_per_byte =
				tp_roof_ridge(tp_reduce_peak(run, p, NULL), roof->median);
	}
}

void tp_doubt_roofs(const struct tp_run *run, unsigned index, unsigned char *again)
{
	TP_EACH_ROW (tp_roof, roof, run, roofs) {
		if (roof->run == index && tp_roof_slower_than(run, roof))
			again[roof->point] |= TP_AGAIN_ODD;
	}
}
