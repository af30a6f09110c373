/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/recall.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

bool tp_recall_is_needed(const struct tp_planned *planned, const struct tp_point *point)
{
	return point->state == TP_POINT_DONE && planned->experiment->repeated &&
	       tp_config_count(planned->config, TP_OPT_INVOCATIONS) > 1;
}

bool tp_recall_is_possible(const struct tp_planned *planned, const struct tp_point *point)
{
	/* Results may stand without their windows, where these made run.json too long. */
	return tp_recall_is_needed(planned, point) &&
	       (point->n_samples ||
		point->invocations >= tp_config_count(planned->config, TP_OPT_INVOCATIONS));
}

enum tp_status tp_recall_invocations(const struct tp_machine *machine,
				     const struct tp_planned *planned, const struct tp_point *point,
				     struct tp_stop_state *medians)
{
	const struct tp_repeated *repeated = planned->experiment->repeated;
	size_t n = TP_MIN(point->invocations, (unsigned)TP_RUN_INVOCATIONS_MAX);
	struct tp_sample *samples = calloc(point->n_samples + 1, sizeof(*samples));
	size_t *from = calloc(n + 2, sizeof(*from)); /* where those of an invocation begin */
	enum tp_status status = samples && from ? TP_OK : TP_NOMEM;
	union tp_row_room room;
	struct tp_point one = *point;

	/* Counted, then put behind those of the invocations before. */
	for (size_t i = 0; i < point->n_samples && !status; i++)
		if (point->samples[i].invocation < n)
			from[point->samples[i].invocation + 2]++;
	for (size_t k = 2; k < n + 2 && !status; k++)
		from[k] += from[k - 1];
	for (size_t i = 0; i < point->n_samples && !status; i++)
		if (point->samples[i].invocation < n)
			samples[from[point->samples[i].invocation + 1]++] = point->samples[i];
	one.row = memcpy(&room, point->row, point->kind->table->row_bytes);
	for (size_t k = 0; k < n && !status; k++) {
		one.samples = samples + from[k];
		one.n_samples = from[k + 1] - from[k];
		if (one.n_samples && repeated->summarise(machine, planned, &one, NULL) == TP_OK)
			status = tp_stop_add(medians, tp_point_median(&one));
	}
	free(samples);
	free(from);
	return status;
}

enum tp_status tp_recall_forget(struct tp_run *run, const struct tp_planned *planned)
{
	struct tp_point *point = &run->points[planned->point.point];

	tp_point_release(point);
	*point = (struct tp_point){ 0 };
	tp_run_forget(run, planned->point.point);
	return tp_point_take(point, &planned->point, &run->arena);
}
