/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/counters/count_bench.h"
#include "base/now.h"
#include "base/vec.h"
#include "counters/crew.h"
#include "experiments/counters/options.h"
#include "experiments/counters/count_row.h"
#include "experiments/counters/readings.h"
#include "measure/sampler.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Unpredictable branches repeat after 2^20 of them on hardware, more than any predictor remembers;
 * for the emulated predictor a period that is one bit longer than its history has the same effect.
 */
enum { HARDWARE_STREAM_LOG2 = 20 };
/*
 * Caches of a few lines' worth of stepping: the smallest that the emulation makes of a usual
 * machine.
 */
enum { USUAL_SCALE = 256 };
/* Short trips are stepped several times, so that what a call itself does is little beside them. */
enum { STEPPED_ITERATIONS = 512 };

struct tp_count_bench {
	const struct tp_config *config; /* what the source was opened for */
	struct tp_source source;
	struct tp_emulated_machine emulated;
	bool stepping;
	struct tp_crew *crew;
	unsigned n_cpus;
	unsigned *cpus; /* of the crew */
};

/* --- the source --- */

/*
 * An event that the CPU's own counters count; the kernel's software events say nothing about code.
 */
static bool counts_hardware(const struct tp_source *source)
{
	for (size_t i = 0; i < source->n_events; i++) {
		const struct tp_count_event *e = &source->events[i];
		if (e->available && strncmp(e->component, "perf_event", 10) == 0 &&
		    strncmp(e->name, "perf::", 6) != 0)
			return true;
	}
	return false;
}

static void tell_notes(const struct tp_bench *bench, const struct tp_source *source)
{
	for (size_t i = 0; i < source->notes.n && bench->watch->note; i++)
		bench->watch->note(bench->watch->context, &source->notes.items[i]);
}

static enum tp_status open_emulated(struct tp_count_bench *c, const struct tp_source_wish *wish,
				    struct tp_diag *diag)
{
	return tp_source_open(&c->source, tp_source_find("emulated"), wish, diag);
}

/* PAPI where it counts what the CPU does; else the emulation, and a word about why. */
static enum tp_status open_any(const struct tp_bench *bench, struct tp_count_bench *c,
			       const struct tp_source_wish *wish, struct tp_diag *diag)
{
	struct tp_diag why = { 0 }, note;
	enum tp_status status = tp_source_open(&c->source, tp_source_find("papi"), wish, &why);
	if (status == TP_OK && counts_hardware(&c->source))
		return TP_OK;
	if (status == TP_OK && c->source.notes.n)
		why = c->source.notes.items[0];
	tp_source_close(&c->source);
	tp_fail(&note, TP_UNSUPPORTED, "source", why.hint[0] ? why.hint : NULL,
		"no hardware event can be counted here%s%s; the kernels are executed instruction "
		"by "
		"instruction and counted by an emulated core",
		why.what[0] ? ": " : "", why.what);
	if (bench->watch->note)
		bench->watch->note(bench->watch->context, &note);
	return open_emulated(c, wish, diag);
}

static enum tp_status open_source(struct tp_bench *bench, const struct tp_planned *planned,
				  struct tp_count_bench *c, struct tp_diag *diag)
{
	const struct tp_config *config = planned->config;
	const struct tp_value *patterns = tp_config_value(config, TP_OPT_COUNTERS_EVENTS);
	const char *name = tp_config_text(config, TP_OPT_SOURCE);
	const char **filters = calloc(patterns->n + 1, sizeof(*filters));
	if (!filters)
		return tp_fail(diag, TP_NOMEM, "counters", NULL, "out of memory");
	for (size_t i = 0; i < patterns->n; i++)
		filters[i] = patterns->items[i].text;
	uint64_t scale = tp_config_count(config, TP_OPT_COUNTERS_SCALE);
	tp_emulated_machine_from(&c->emulated, bench->machine, planned->point.threads,
				 scale == UINT64_MAX ? USUAL_SCALE : (unsigned)scale);
	struct tp_source_wish wish = {
		.machine = &c->emulated,
		.habit = tp_config_text(config, TP_OPT_COUNTERS_HABIT),
		.cpu = &bench->machine->cpu,
		.misleading = (unsigned)tp_config_count(config, TP_OPT_COUNTERS_MISLEADING),
		.noise = tp_config_real(config, TP_OPT_COUNTERS_NOISE),
		.seed = tp_config_count(config, TP_OPT_SEED),
		.filters = patterns->n ? filters : NULL,
		.emulate = tp_config_count(config, TP_OPT_COUNTERS_SOFTWARE) != 0,
		.group = tp_config_count(config, TP_OPT_COUNTERS_GROUP) != 0,
	};
	enum tp_status status;
	if (strcmp(name, "auto") == 0 && !wish.emulate)
		status = open_any(bench, c, &wish, diag);
	else
		status = tp_source_open(&c->source, tp_source_find(wish.emulate ? "papi" : name),
					&wish, diag);
	free(filters);
	if (status != TP_OK)
		return status;
	c->config = config;
	c->stepping = c->source.needs_emulation;
	tell_notes(bench, &c->source);
	if (c->source.n_groups == 0) {
		tp_fail(diag, TP_UNSUPPORTED, "source",
			patterns->n ? "see tprof --list events, and counters.events"
				    : "use source: emulated, or see tprof doctor",
			"no event of %s can be counted here", c->source.kind->name);
		tp_source_close(&c->source);
		return TP_UNSUPPORTED;
	}
	return TP_OK;
}

static void drop_crew(struct tp_count_bench *c)
{
	tp_crew_free(c->crew);
	free(c->cpus);
	c->crew = NULL;
	c->cpus = NULL;
}

static void close_source(struct tp_count_bench *c)
{
	drop_crew(c);
	tp_source_close(&c->source);
	c->config = NULL;
}

static void release(void *own)
{
	close_source(own);
}

static const struct tp_bench_kind count_kind = { .bytes = sizeof(struct tp_count_bench),
						 .release = release };

static struct tp_count_bench *counters_of(struct tp_bench *bench)
{
	return tp_bench_own(bench, &count_kind);
}

static enum tp_status ready(struct tp_bench *bench, const struct tp_planned *planned,
			    unsigned threads, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	struct tp_count_bench *c = tp_bench_own(bench, &count_kind);
	if (!c)
		return tp_fail(diag, TP_NOMEM, "counters", NULL, "out of memory");
	if (c->config != planned->config) {
		close_source(c);
		status = open_source(bench, planned, c, diag);
	}
	size_t bytes = threads * sizeof(*planned->cpus);
	if (status != TP_OK ||
	    (c->crew && c->n_cpus == threads && memcmp(c->cpus, planned->cpus, bytes) == 0))
		return status;
	drop_crew(c);
	c->cpus = malloc(bytes);
	if (!c->cpus)
		return tp_fail(diag, TP_NOMEM, "counters", NULL, "out of memory");
	memcpy(c->cpus, planned->cpus, bytes);
	c->n_cpus = threads;
	return tp_crew_new(&c->crew, &c->source, c->stepping ? &c->emulated : NULL, c->cpus,
			   threads, diag);
}

/* --- what rows adapt to --- */

void tp_counting_machine_from(struct tp_counting_machine *counting,
			      const struct tp_machine *machine, unsigned threads)
{
	*counting = (struct tp_counting_machine){
		.line_bytes = machine->cache[1].line_bytes ? machine->cache[1].line_bytes : 64,
		.page_bytes = machine->page_bytes ? machine->page_bytes : 4096,
		.stream_log2 = HARDWARE_STREAM_LOG2,
		.max_bytes = machine->available_bytes / 4 / TP_MAX(threads, 1u),
	};
	for (int level = 1; level <= 3; level++)
		counting->cache_bytes[level] = tp_machine_share(machine, level, threads);
	counting->icache_bytes = counting->cache_bytes[1];
}

/* Families whose rows grow without end stop where stepping would take seconds. */
static uint64_t family_step_limit(enum tp_family_id family)
{
	switch (family) {
	case TP_FAMILY_BLAS:
		return 30000;
	case TP_FAMILY_TRAFFIC:
		return 4000000;
	default:
		return 16000000;
	}
}

static struct tp_counting_machine adapt(struct tp_bench *bench, const struct tp_planned *planned,
					unsigned threads)
{
	const struct tp_count_bench *c = counters_of(bench);
	struct tp_counting_machine m;
	tp_counting_machine_from(&m, bench->machine, threads);
	if (!c->stepping)
		return m;
	for (int level = 1; level <= 3; level++)
		m.cache_bytes[level] = c->emulated.data[level].size_bytes;
	m.icache_bytes = c->emulated.code.size_bytes;
	m.stream_log2 = c->emulated.history_bits + 1;
	m.max_instructions = family_step_limit(tp_count_plan(planned)->family->id);
	return m;
}

/* --- rows --- */

static bool tell_counts(struct tp_bench *bench, const struct tp_planned *planned, unsigned row,
			const double *counts, size_t repetitions, double iterations)
{
	const struct tp_source *source = &counters_of(bench)->source;
	struct tp_counts told = { .row = row, .iterations = iterations };
	bool go_on = true;
	tp_copy(told.family, sizeof(told.family), tp_count_plan(planned)->readings);
	for (size_t e = 0; e < source->n_events && go_on; e++) {
		if (source->events[e].group < 0)
			continue;
		tp_copy(told.event, sizeof(told.event), source->events[e].name);
		for (size_t r = 0; r < repetitions && go_on; r += TP_EVENT_COUNTS_MAX) {
			told.first = (unsigned)r;
			told.n = (unsigned)TP_MIN(repetitions - r, (size_t)TP_EVENT_COUNTS_MAX);
			for (unsigned i = 0; i < told.n; i++)
				told.counts[i] = counts[e * repetitions + r + i];
			go_on = bench->watch->row(bench->watch->context, &tp_counts_event, &told);
		}
	}
	return go_on;
}

static uint64_t passes_of(const struct tp_count_bench *c, const struct tp_counting *counting)
{
	if (!c->stepping)
		return TP_MAX(counting->passes, UINT64_C(1));
	if (counting->family->method == TP_COUNT_DIFFERENCE || counting->iterations <= 1)
		return 1;
	return (uint64_t)ceil(STEPPED_ITERATIONS / fmin(counting->iterations, STEPPED_ITERATIONS));
}

static enum tp_status run_row(struct tp_bench *bench, const struct tp_planned *planned,
			      unsigned row, const struct tp_counting_machine *machine,
			      struct tp_diag *diag)
{
	struct tp_count_bench *c = counters_of(bench);
	struct tp_counting counting = { 0 };
	enum tp_status status = tp_counting_make(tp_count_plan(planned)->family, row, bench->cpu,
						 machine, &counting, diag);
	if (status != TP_OK)
		return status;
	size_t repetitions = tp_config_count(planned->config, TP_OPT_COUNTERS_REPETITIONS);
	double iterations = 0;
	double *counts = calloc(c->source.n_events * repetitions + 1, sizeof(*counts));
	struct tp_crew_task task = {
		.counting = &counting,
		.repetitions = repetitions,
		.passes = passes_of(c, &counting),
		.seed = tp_config_count(planned->config, TP_OPT_SEED) + row,
		.go_on = bench->watch->go_on,
		.context = bench->watch->context,
	};
	if (!counts)
		status = tp_fail(diag, TP_NOMEM, "counters", NULL, "out of memory");
	else
		status = tp_crew_count(c->crew, &task, counts, &iterations, diag);
	if (status == TP_OK && !tell_counts(bench, planned, row, counts, repetitions, iterations))
		status = TP_CANCELLED;
	free(counts);
	tp_counting_release(&counting);
	return status;
}

/* What a kernel lacks: one word about all of its rows that could not run. */
static void tell_left_out(struct tp_bench *bench, const struct tp_planned *planned,
			  unsigned left_out, unsigned n, const struct tp_diag *why)
{
	struct tp_diag note;
	if (!bench->watch->note)
		return;
	tp_fail(&note, TP_UNSUPPORTED, planned->point.kernel, why->hint[0] ? why->hint : NULL,
		"%u of %u rows left out: %s", left_out, n, why->what);
	bench->watch->note(bench->watch->context, &note);
}

enum tp_status tp_count_bench_run(struct tp_bench *bench, const struct tp_planned *planned,
				  struct tp_point *point, struct tp_diag *diag)
{
	const struct tp_count_plan *own = tp_count_plan(planned);
	const struct tp_family *family = own->family;
	unsigned first = tp_family_first_row(family, own->family_kernel),
		 end = tp_family_first_row(family, own->family_kernel + 1), left_out = 0;
	unsigned threads = family->threads ? planned->point.threads : 1;
	struct tp_diag why = { 0 };
	double started = tp_now_seconds();
	struct tp_count_row *counted = point->row;
	enum tp_status status = ready(bench, planned, threads, diag);
	if (status == TP_OK) {
		struct tp_counting_machine machine = adapt(bench, planned, threads);
		for (unsigned row = first; row < end && status == TP_OK; row++) {
			status = run_row(bench, planned, row, &machine, diag);
			if (status != TP_UNSUPPORTED && status != TP_RESOURCE)
				continue;
			why = *diag;
			left_out++;
			status = TP_OK;
		}
	}
	point->seconds = tp_now_seconds() - started;
	point->invocations = 1;
	const struct tp_count_bench *c = counters_of(bench);
	if (c && c->source.kind)
		tp_copy(counted->source, sizeof(counted->source), c->source.kind->name);
	point->state = TP_POINT_DONE;
	if (status == TP_CANCELLED) {
		point->state = TP_POINT_SKIPPED;
	} else if (status != TP_OK) {
		point->state = TP_POINT_FAILED;
		point->diag = *diag;
	} else if (left_out == end - first) {
		point->state = TP_POINT_SKIPPED;
		point->diag = why;
	} else if (left_out) {
		tell_left_out(bench, planned, left_out, end - first, &why);
	}
	return status;
}
