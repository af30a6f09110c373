/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code of patterns: compiled for all points before the first. */
#include <stdlib.h>

#include "experiments/bench.h"
#include "experiments/pattern/plan_row.h"

enum tp_status tp_pattern_prepare(struct tp_bench *bench, const struct tp_planned *const *planned,
				  size_t n, struct tp_diag *diag)
{
	struct tp_compiled_code **codes = calloc(n + 1, sizeof(*codes));
	if (!codes)
		return tp_fail(diag, TP_NOMEM, "pattern", NULL, "out of memory");
	for (size_t i = 0; i < n; i++)
		codes[i] = tp_pattern_plan(planned[i])->code;
	enum tp_status status = tp_compiled_prepare(bench, codes, n, diag);
	free(codes);
	return status;
}
