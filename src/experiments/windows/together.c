/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/windows/together.h"
#include "experiments/windows/bench.h"
#include "experiments/windows/planner.h"
#include "experiments/windows/quality.h"
#include "measure/together.h"

#include <stdlib.h>

/* What the windows of a rank say of it alone. */
#define RANK_FLAGS                                                                                 \
	(TP_FLAG(NOT_CONVERGED) | TP_FLAG(DISTURBED) | TP_FLAG(NOISY) | TP_FLAG(FEW_WINDOWS) |     \
	 TP_FLAG(WIDE_INTERVAL) | TP_FLAG(TWO_MODES) | TP_FLAG(UNEVEN) | TP_FLAG(SIBLING) |        \
	 TP_FLAG(CLOCK_STEPS) | TP_FLAG(FREQ_DRIFT))

static enum tp_status take_windows(const struct tp_sample *windows, size_t n,
				   const struct tp_sampling *sampling, struct tp_point *all,
				   struct tp_diag *diag)
{
	all->n_samples = 0;
	for (size_t i = 0; i < n; i++) {
		enum tp_status status = tp_point_add_sample(all, &windows[i]);
		if (status != TP_OK)
			return tp_fail(diag, status, all->kernel, NULL, "%s",
				       tp_status_name(status));
	}
	all->flags &= ~RANK_FLAGS;
	return tp_sampler_summarise(all, sampling, diag);
}

enum tp_status tp_window_together(const struct tp_planned *planned,
				  const struct tp_machine *machine,
				  const struct tp_point *const *points, size_t n,
				  struct tp_point *all, bool *made, struct tp_diag *diag)
{
	struct tp_sampling sampling;
	*made = false;
	tp_window_sampling(planned, machine, &sampling);
	if (!sampling.shared || sampling.cold ||
	    tp_window_plan(planned)->kernel.kind == TP_KERNEL_CHASE)
		return TP_OK;
	struct tp_window_series *series = calloc(n, sizeof(*series));
	struct tp_sample *windows = calloc(points[0]->n_samples + 1, sizeof(*windows));
	enum tp_status status =
		series && windows ? TP_OK
				  : tp_fail(diag, TP_NOMEM, all->kernel, NULL, "out of memory");
	for (size_t i = 0; i < n && status == TP_OK; i++)
		series[i] = (struct tp_window_series){ points[i]->samples, points[i]->n_samples };
	size_t n_windows = status == TP_OK ? tp_windows_together(series, n, windows) : 0;
	if (n_windows && n_windows >= sampling.rule.min_count) {
		status = take_windows(windows, n_windows, &sampling, all, diag);
		if (status == TP_OK)
			tp_window_quality(all, tp_window_reach_of(planned, machine));
		*made = status == TP_OK;
	}
	free(series);
	free(windows);
	return status;
}
