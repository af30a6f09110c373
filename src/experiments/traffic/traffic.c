/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory traffic: operations whose traffic is known by their loops, on data that are in no cache,
 * and what a counter of memory traffic counts of them.
 */
#include "base/str.h"
#include "base/memory.h"
#include "experiments/registry.h"
#include "experiments/traffic/options.h"
#include "experiments/traffic/run.h"
#include "experiments/traffic/source.h"
#include "experiments/traffic/traffic_row.h"
#include "experiments/windows/planner.h"

#include <math.h>
#include <stdio.h>

/* Sizes that `auto` takes: from below the band of the cache to beyond it. */
enum { AUTO_SIZES = 12 };
#define BELOW_BAND  0.2
#define BEYOND_BAND 1.2
/*
 * The data of all copies are so many times the last cache: a model evicts by age alone, a real
 * cache does not.
 */
#define MODEL_FACTOR 2
#define REAL_FACTOR  4
/* Elements that stepping goes through in a second, and hardware. */
#define STEPPED_PER_SECOND 2e6
#define NATIVE_PER_SECOND  2e8

static enum tp_status supported(const struct tp_machine *machine, struct tp_diag *diag)
{
	if (*machine->simulated)
		return tp_fail(diag, TP_UNSUPPORTED, "traffic", TP_SIMULATED_HINT,
			       "a simulation has no memory whose traffic could be counted");
	return tp_experiment_supported_anywhere(machine, diag);
}

/* Multiplications of a repetition, about. */
static double work_of(enum tp_traffic_kernel kernel, double n)
{
	switch (kernel) {
	case TP_TRAFFIC_GEMM:
		return n * n * n;
	case TP_TRAFFIC_GEMV:
		return n * n;
	case TP_TRAFFIC_CAPPED_GEMV:
		return 2 * n * n;
	case TP_TRAFFIC_RESORT:
		return 72 * n;
	default:
		return n;
	}
}

static enum tp_status add(struct tp_plan_context *context, const struct tp_choices *choices,
			  size_t t, enum tp_traffic_kernel kernel, uint64_t size,
			  struct tp_diags *diags)
{
	const struct tp_config *config = context->config;
	const unsigned threads = choices->threads[t];
	const unsigned line = context->machine->cache[1].line_bytes;
	const bool stepped = tp_traffic_way(config) == TP_TRAFFIC_EMULATED;
	/* The crew has buffers of its own. */
	struct tp_planned *p = tp_plan_add(context, threads, choices->cpus[t], 0, diags);
	if (!p)
		return TP_RESOURCE;
	struct tp_traffic_row *row = p->point.row;
	const double cache = (double)tp_traffic_cache(config, context->machine, threads);
	double low, high,
		copies = ceil((stepped ? MODEL_FACTOR : REAL_FACTOR) * cache /
			      (double)tp_traffic_bytes(kernel, size, line));
	tp_traffic_band(kernel, (uint64_t)cache, line, &low, &high);
	/* What one repetition leaves in the cache must be of no use to the next. */
	copies = fmax(copies, (double)size < high ? 2 : 1);
	*tp_traffic_plan(p) = (struct tp_traffic_plan){ .kernel = kernel,
							.size = size,
							.copies = (uint64_t)copies };
	tp_copy(row->operation, sizeof(row->operation), tp_traffic_name(kernel));
	row->size = size;
	snprintf(p->point.kernel, sizeof(p->point.kernel), "%s:%llu", tp_traffic_name(kernel),
		 (unsigned long long)size);
	if (tp_traffic_way(config) != TP_TRAFFIC_NONE)
		p->point.estimate_seconds =
			0.01 + (stepped ? 2 / STEPPED_PER_SECOND : 514 / NATIVE_PER_SECOND) *
				       copies * work_of(kernel, (double)size);
	return TP_OK;
}

/* Sizes of one operation, each once, in ascending order. */
static enum tp_status add_sizes(struct tp_plan_context *context, const struct tp_choices *choices,
				size_t t, enum tp_traffic_kernel kernel, struct tp_diags *diags)
{
	const struct tp_value *sizes = tp_config_value(context->config, TP_OPT_TRAFFIC_SIZES);
	const unsigned line = context->machine->cache[1].line_bytes;
	const uint64_t cache =
		tp_traffic_cache(context->config, context->machine, choices->threads[t]);
	const bool automatic = sizes->n && sizes->items[0].count == UINT64_MAX;
	const size_t n = automatic ? AUTO_SIZES : sizes->n;
	enum tp_status status = TP_OK;
	uint64_t before = 0;
	double low, high;

	if (automatic && !cache)
		return tp_planner_refuse(context, diags, TP_UNSUPPORTED, TP_OPT_TRAFFIC_SIZES,
					 "give sizes, or cache_size.L3",
					 "the caches of this machine are not known");
	tp_traffic_band(kernel, cache, line, &low, &high);
	/* Only a matrix of gigabytes would not leave its x room. */
	if (kernel == TP_TRAFFIC_GEMV)
		high = (low = sqrt(low)) * 2;
	for (size_t i = 0; i < n && status == TP_OK; i++) {
		double from = BELOW_BAND * low, to = BEYOND_BAND * high;
		uint64_t size =
			automatic ? (uint64_t)(from * pow(to / from, (double)i / (AUTO_SIZES - 1)))
				  : sizes->items[i].count;
		size = tp_traffic_size(size, line);
		if (size != before)
			status = add(context, choices, t, kernel, size, diags);
		before = size;
	}
	return status;
}

static enum tp_status plan(struct tp_plan_context *context, struct tp_diags *diags)
{
	const struct tp_value *kernels = tp_config_value(context->config, TP_OPT_TRAFFIC_KERNELS);
	const enum tp_traffic_way way = tp_traffic_way(context->config);
	struct tp_choices choices;
	enum tp_status status = tp_planner_choices(context, &choices, diags);

	for (size_t i = 0; i < kernels->n; i++)
		if (tp_traffic_find(kernels->items[i].text) == TP_TRAFFIC_KERNELS)
			status = tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_TRAFFIC_KERNELS,
						   "dot, gemv, capped-gemv, gemm and resort",
						   "there is no operation \"%s\"",
						   kernels->items[i].text);
	if (way != TP_TRAFFIC_COUNTERS) {
		static const char *const why = "it belongs to traffic.source=counters";
		tp_planner_idle(context, TP_OPT_TRAFFIC_READS, TP_OPT_TRAFFIC_SOURCE, why);
		tp_planner_idle(context, TP_OPT_TRAFFIC_WRITES, TP_OPT_TRAFFIC_SOURCE, why);
		tp_planner_idle(context, TP_OPT_TRAFFIC_UNIT, TP_OPT_TRAFFIC_SOURCE, why);
	}
	if (way != TP_TRAFFIC_EMULATED)
		tp_planner_idle(context, TP_OPT_TRAFFIC_CACHE, TP_OPT_TRAFFIC_SOURCE,
				"it belongs to traffic.source=emulated");
	for (size_t i = 0; i < kernels->n && status == TP_OK; i++)
		for (size_t t = 0; t < choices.n_threads && status == TP_OK; t++)
			status = add_sizes(context, &choices, t,
					   tp_traffic_find(kernels->items[i].text), diags);
	return status;
}

/* The points are all there is: tables and pictures are made from them. */
static const char *kernel_word(size_t i, const char **note)
{
	if (i >= TP_TRAFFIC_KERNELS)
		return NULL;
	*note = tp_traffic_title((enum tp_traffic_kernel)i);
	return tp_traffic_name((enum tp_traffic_kernel)i);
}

static const struct tp_option_names names[] = {
	{ .option = TP_OPT_TRAFFIC_KERNELS, .open = false, .name = kernel_word },
	{ 0 },
};

/* The data of all cores. */
static uint64_t memory_bytes(const struct tp_planned *planned)
{
	const struct tp_traffic_plan *own = tp_traffic_plan(planned);

	return planned->point.threads * own->copies * tp_traffic_bytes(own->kernel, own->size, 0);
}

const struct tp_experiment tp_experiment_traffic = {
	.name = "traffic",
	.summary = "memory traffic of operations that is known by their loops, and what a counter "
		   "counts of it",
	.names = names,
	.all_threads = true,
	.supported = supported,
	.plan = plan,
	.plan_bytes = sizeof(struct tp_traffic_plan),
	.run = tp_traffic_run,
	.memory_bytes = memory_bytes,
};
