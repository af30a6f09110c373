/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/planner.h"
#include "experiment/rows.h"
#include "base/random.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

/* Start of the engine with its calibrations, and the first touch of buffers: for the estimate. */
#define START_SECONDS	       0.08
#define TOUCH_BYTES_PER_SECOND 1.5e9

const struct tp_experiment *const tp_experiment_table[] = {
	&tp_experiment_memcurve, &tp_experiment_latency, &tp_experiment_loaded_latency,
	&tp_experiment_roofline, &tp_experiment_mixed,	 &tp_experiment_counters,
	&tp_experiment_autotune,
};
const size_t tp_experiment_count = TP_COUNT_OF(tp_experiment_table);

const struct tp_experiment *tp_experiment_find(const char *name)
{
	for (size_t i = 0; i < tp_experiment_count; i++)
		if (strcmp(tp_experiment_table[i]->name, name) == 0)
			return tp_experiment_table[i];
	return NULL;
}

static bool same_team(const struct tp_planned *a, const struct tp_planned *b)
{
	return a->point.threads == b->point.threads && a->pages == b->pages &&
	       memcmp(a->cpus, b->cpus, a->point.threads * sizeof(*a->cpus)) == 0;
}

/* Neighbouring points of one team share buffers as large as the largest needs: one allocation, one first touch. */
static void share_buffers(struct tp_plan *plan)
{
	for (size_t from = 0; from < plan->n;) {
		size_t to = from;
		uint64_t most = 0;
		for (; to < plan->n && same_team(&plan->items[from], &plan->items[to]); to++)
			most = TP_MAX(most, plan->items[to].buffer_bytes);
		plan->estimate_seconds +=
			(double)most * plan->items[from].point.threads / TOUCH_BYTES_PER_SECOND;
		for (; from < to; from++)
			plan->items[from].buffer_bytes = most;
	}
}

enum tp_status tp_plan_make(struct tp_plan *plan, const struct tp_machine *machine,
			    const struct tp_cpu *cpu, const struct tp_config *configs, size_t n,
			    struct tp_diags *diags)
{
	*plan = (struct tp_plan){ 0 };
	enum tp_status first = TP_OK;
	for (size_t i = 0; i < n; i++) {
		struct tp_plan_context context = { .machine = machine,
						   .cpu = cpu,
						   .plan = plan,
						   .config = &configs[i],
						   .run = (unsigned)i };
		const struct tp_experiment *e =
			tp_experiment_find(tp_config_text(&configs[i], TP_OPT_EXPERIMENT));
		context.experiment = e;
		size_t start = plan->n;
		struct tp_diag why;
		enum tp_status status;
		if (!e)
			status = tp_planner_refuse(&context, diags, TP_USAGE, TP_OPT_EXPERIMENT,
						   "see --list experiments",
						   "there is no experiment \"%s\"",
						   tp_config_text(&configs[i], TP_OPT_EXPERIMENT));
		else if ((status = e->supported(machine, &why)) != TP_OK)
			tp_planner_refuse(&context, diags, status, TP_OPT_EXPERIMENT, why.hint,
					  "%s", why.what);
		else
			status = e->plan(&context, diags);
		if (first == TP_OK)
			first = status;
		if (tp_config_count(&configs[i], TP_OPT_SHUFFLE))
			tp_shuffle(plan->items + start, plan->n - start, sizeof(*plan->items),
				   tp_config_count(&configs[i], TP_OPT_SEED));
	}
	for (size_t i = 0; i < plan->n; i++) {
		plan->items[i].point.point = (unsigned)i;
		plan->estimate_seconds += plan->items[i].point.estimate_seconds;
	}
	plan->estimate_seconds += START_SECONDS;
	share_buffers(plan);
	return first;
}

void tp_plan_release(struct tp_plan *plan)
{
	free(plan->items);
	tp_diags_release(&plan->notes);
	tp_arena_release(&plan->arena);
	*plan = (struct tp_plan){ 0 };
}
