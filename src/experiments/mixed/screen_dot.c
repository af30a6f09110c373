/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A mixed kernel in words: what the cursor reads of its dot, on every screen that draws dots. */
#include "experiments/mixed/screen.h"
#include "record/dot.h"
#include "record/kernel_row.h"

#include <math.h>

/* In percent of the roof: how far below it a dot is bad, and how near it is good. */
#define FAR  (-10.0)
#define NEAR (-2.0)
#define SAME 0.05

enum tp_role tp_mixed_role(const struct tp_dot *dot)
{
	return dot->distance_percent < FAR    ? TP_UI_BAD
	       : dot->distance_percent < NEAR ? TP_UI_WARN
					      : TP_UI_GOOD;
}

void tp_mixed_read(const struct tp_plotview *view, const struct tp_origin *origin,
		   struct tp_text_row first, struct tp_text_row second)
{
	const struct tp_dot *d = origin->rows[view->plot.point];
	const struct tp_run *run = view->runs[origin->run];
	const struct tp_point *p = tp_run_point(run, d->point);
	char interval[32] = "";
	tp_plotview_name_run(view, &first);
	if (p)
		tp_plotview_interval(first.area, p, d->gflops, p->ci_low, p->ci_high, interval,
				     sizeof(interval));
	tp_words(&first, 0, TP_UI_STRONG, "AI %.3g, %s on %s %s: %.4g GFLOP/s %s",
		 d->ai_flop_per_byte, d->fp_op, d->level, d->isa, d->gflops, interval);
	if (fabs(d->distance_percent) < SAME)
		tp_words(&first, 1, tp_mixed_role(d), "on its roof");
	else
		tp_words(&first, 1, tp_mixed_role(d), "%.1f %% %s its roof",
			 fabs(d->distance_percent), d->distance_percent < 0 ? "below" : "above");
	char reason[384];
	tp_words(&second, 0, TP_UI_PLAIN, "roof %.4g GFLOP/s there", d->roof_gflops);
	if (*tp_dot_reason(run, d, reason, sizeof(reason)))
		tp_words(&second, 2, tp_mixed_role(d), "%s", reason);
	else if (p)
		tp_plotview_quality(&second, 2, p->quality, p->flags);
	if (p && tp_kernel_row(p)->ipc > 0)
		tp_words(&second, 2, TP_UI_DIM, "IPC %.2f  %.3g B/cycle  %.3g FLOP/cycle",
			 tp_kernel_row(p)->ipc, tp_kernel_row(p)->bytes_per_cycle,
			 tp_kernel_row(p)->flop_per_cycle);
}
