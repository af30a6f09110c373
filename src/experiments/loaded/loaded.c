/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loaded latency: one thread chases pointers while the others stream, from not at all to as fast as
 * they can.
 */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/memory.h"
#include "experiments/windows/bench.h"
#include "experiments/windows/planner.h"
#include "experiments/windows/quality.h"
#include "preset/shared_options.h"
#include "record/point.h"

#define TP_LOADED_OPTIONS(X)                                                                       \
	X(THROTTLE, "throttle", COUNT, true, 0, 1e9, "", "",                                       \
	  "Pause of the other threads after each 16 KiB that they stream, in cycles; by "          \
	  "default a sweep from idle to saturation.",                                              \
	  TP_FORM(WHAT, 280))

TP_LOADED_OPTIONS(TP_OPTION_DEFINE)

const struct tp_option_group tp_options_loaded_latency = {
	.experiment = "loaded-latency",
	.uses = TP_USES_WINDOWS " level stores dram",
	.place = 10,
	.rows = { TP_LOADED_OPTIONS(TP_OPTION_ROW) NULL },
};

const struct tp_schema_row tp_schema_loaded_latency = {
	.points = { "loaded-latency", &tp_kernel_table, tp_kernel_time_headline, tp_window_judge },
};

/*
 * A slice is streamed in well under a microsecond, so even the longest automatic pause lets many of
 * them into a window; long enough that the prefetchers run as in a walk without pauses.
 */
enum { SLICE_BYTES = 16384, LONGEST_PAUSE = 32768, SHORTEST_PAUSE = 128, MAX_PAUSES = 64 };

/*
 * More threads saturate the memory with longer pauses: the sweep begins later by a factor for every
 * so many, up to a limit.
 */
enum { STREAMS_PER_FACTOR = 4, LARGEST_FACTOR = 8 };

static enum tp_status supported(const struct tp_machine *machine, struct tp_diag *diag)
{
	if (machine->n_allowed < 2)
		return tp_fail(diag, TP_UNSUPPORTED, "loaded-latency", NULL,
			       "one thread is timed while others load the memory, and this process "
			       "may use one CPU only");
	return tp_experiment_supported_anywhere(machine, diag);
}

static size_t choose_pauses(const struct tp_plan_context *context, unsigned threads,
			    unsigned pauses[MAX_PAUSES])
{
	const struct tp_value *given = tp_config_value(context->config, TP_OPT_THROTTLE);
	size_t n = 0;
	for (size_t i = 0; i < given->n && n < MAX_PAUSES; i++)
		pauses[n++] = (unsigned)given->items[i].count;
	if (given->n)
		return n;
	unsigned factor = 1;
	while (factor < LARGEST_FACTOR && factor * 2 * STREAMS_PER_FACTOR <= threads - 1)
		factor *= 2;
	for (unsigned pause = LONGEST_PAUSE * factor; pause >= SHORTEST_PAUSE; pause /= 2)
		pauses[n++] = pause;
	pauses[n++] = 0;
	return n;
}

/* Levels that threads share. Asking for all levels by default is not asking for private ones. */
static size_t shared_levels(struct tp_plan_context *context, const struct tp_choices *c,
			    enum tp_level_class levels[4])
{
	bool asked = tp_config_value(context->config, TP_OPT_LEVEL)->source > TP_FROM_DEFAULT;
	size_t n = 0;
	for (size_t i = 0; i < c->n_levels; i++) {
		enum tp_level_class level = c->levels[i];
		if (level == TP_CLASS_DRAM || context->machine->cache[level].sharing_cores > 1)
			levels[n++] = level;
		else if (asked)
			tp_planner_note(context, TP_OPT_LEVEL,
					"%s is left out: it belongs to one core, so no other core "
					"can load it",
					tp_planner_level_name(level));
	}
	return n;
}

static struct tp_planned *plan_chase(struct tp_plan_context *context, const struct tp_choices *c,
				     size_t t, enum tp_level_class level, bool stores,
				     struct tp_diags *diags)
{
	bool in_memory = level == TP_CLASS_DRAM;
	uint64_t flushed_bytes =
		in_memory ? tp_planner_flushed_bytes(context, stores, c->threads[t]) : 0;
	/*
	 * In memory a chase that walks must not fit into the cache by itself, however little of it
	 * each thread has.
	 */
	uint64_t bytes = flushed_bytes ? flushed_bytes
				       : tp_planner_level_bytes(context->machine, level,
								in_memory ? 1 : c->threads[t]);
	struct tp_kernel kernel = tp_planner_chase(context, bytes);
	/* The precision belongs to the streams: idle and loaded points belong together. */
	struct tp_combination combination = { kernel.isa, c->precisions[0], c->threads[t],
					      c->cpus[t] };
	struct tp_planned *p = tp_planner_add(context, &combination, &kernel, level, diags);
	if (!p)
		return NULL;
	tp_window_plan(p)->chasers = 1;
	if (flushed_bytes)
		tp_planner_flush(p);
	return p;
}

static enum tp_status plan_loaded(struct tp_plan_context *context, const struct tp_choices *c,
				  size_t t, enum tp_level_class level,
				  const struct tp_kernel *slice, unsigned pause,
				  struct tp_diags *diags)
{
	char name[32];
	struct tp_stream *stream = tp_arena_alloc(&context->plan->arena, sizeof(*stream));
	struct tp_planned *p = plan_chase(context, c, t, level, slice->stores > 0, diags);
	if (!p)
		return TP_RESOURCE;
	*stream = (struct tp_stream){ .kernel = *slice, .pause_cycles = pause };
	tp_window_plan(p)->stream = stream;
	struct tp_point *point = &p->point;
	tp_kernel_row_of(point)->pause_cycles = pause;
	tp_kernel_row_of(point)->loads = slice->loads;
	tp_kernel_row_of(point)->stores = slice->stores;
	tp_kernel_row_of(point)->nontemporal = slice->nontemporal;
	tp_copy(tp_kernel_row_of(point)->isa, sizeof(tp_kernel_row(point)->isa), slice->isa->name);
	snprintf(point->kernel, sizeof(point->kernel), "chase+%s",
		 tp_kernel_name(slice, name, sizeof(name)));
	return TP_OK;
}

/* One mix of loads and stores, from the longest pause to none. */
static enum tp_status plan_mix(struct tp_plan_context *context, const struct tp_choices *c,
			       size_t t, enum tp_level_class level, struct tp_ratio ratio,
			       bool nontemporal, struct tp_diags *diags)
{
	struct tp_kernel slice = { .kind = TP_KERNEL_MEMORY,
				   .isa = c->isas[c->n_isas - 1],
				   .element_bytes = c->precisions[0]->element_bytes,
				   .loads = ratio.loads,
				   .stores = ratio.stores,
				   .nontemporal = nontemporal && ratio.stores > 0,
				   .working_set_bytes = SLICE_BYTES };
	unsigned pauses[MAX_PAUSES];
	size_t n = choose_pauses(context, c->threads[t], pauses);
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < n && status == TP_OK; i++)
		status = plan_loaded(context, c, t, level, &slice, pauses[i], diags);
	return status;
}

static enum tp_status check(struct tp_plan_context *context, const struct tp_choices *c,
			    size_t n_levels, struct tp_diags *diags)
{
	enum tp_status status = TP_OK;
	for (size_t t = 0; t < c->n_threads; t++)
		if (c->threads[t] < 2)
			status = tp_planner_refuse(
				context, diags, TP_USAGE, TP_OPT_THREADS, "give 2 or more, or all",
				"one thread is timed, the others load the memory");
	for (size_t r = 0; r < c->n_ratios; r++)
		if (c->ratios[r].loads + c->ratios[r].stores == 0)
			status = tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_RATIO,
						   "give loads:stores, such as 1:0 or 2:1",
						   "best is for the roofline");
	if (n_levels == 0)
		status = tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_LEVEL,
					   "DRAM, or a cache that several cores share",
					   "no level is left that threads share");
	const struct tp_value *isas = tp_config_value(context->config, TP_OPT_ISA);
	if (c->n_isas > 1 && isas->source >= TP_FROM_PRESET)
		tp_planner_note(context, TP_OPT_ISA, "the other threads stream with %s",
				c->isas[c->n_isas - 1]->name);
	return status;
}

static enum tp_status plan(struct tp_plan_context *context, struct tp_diags *diags)
{
	struct tp_choices c;
	enum tp_level_class levels[4];
	enum tp_status status = tp_planner_choices(context, &c, diags);
	if (status != TP_OK)
		return status;
	size_t n_levels = shared_levels(context, &c, levels);
	status = check(context, &c, n_levels, diags);
	for (size_t t = 0; t < c.n_threads && status == TP_OK; t++)
		for (size_t l = 0; l < n_levels && status == TP_OK; l++) {
			/* Idle: the same chase, without load. */
			if (!plan_chase(context, &c, t, levels[l], false, diags))
				return TP_RESOURCE;
			for (size_t r = 0; r < c.n_ratios; r++)
				for (size_t s = 0; s < c.n_stores && status == TP_OK; s++)
					if (s == 0 || c.ratios[r].stores > 0)
						status = plan_mix(context, &c, t, levels[l],
								  c.ratios[r], c.nontemporal[s],
								  diags);
		}
	return status;
}

/* The points are the curve. */
const struct tp_experiment tp_experiment_loaded_latency = {
	.name = "loaded-latency",
	.question = "How fast does busy memory answer?",
	.summary = "loaded latency: time of a dependent load while the other threads stream, from "
		   "idle to "
		   "saturation",
	.all_threads = true,
	.supported = supported,
	.plan = plan,
	TP_WINDOW_EXPERIMENT,
};
