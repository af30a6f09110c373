/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counter classification: kernels whose behaviour is known exactly run while every event is read;
 * what each event counts follows.
 */
#include <math.h>
#include "experiments/counters/classify.h"
#include "counters/source.h"
#include "experiments/counters/classes.h"
#include "experiments/counters/papi_file.h"
#include "experiments/windows/planner.h"
#include "base/str.h"
#include "base/memory.h"
#include "record/point.h"
#include "experiments/counters/row.h"
#include "experiments/counters/readings.h"
#include <stdio.h>
#include <string.h>

#include "base/now.h"
#include "counters/crew.h"
#include "counters/emulated.h"
#include "counters/sources.h"
#include "experiments/bench.h"
#include "kernels/counting.h"
#include "machine/health.h"

/* The row of a planned point: a kernel of a family. */
struct tp_count_plan {
	const struct tp_family *family;
	unsigned family_kernel,
		left_out; /* rows that cannot run, as far as the plan can determine */
	char readings[32]; /* the name that its counts are filed under */
};
static inline struct tp_count_plan *tp_count_plan(const struct tp_planned *planned)
{
	return planned->row;
}

/*
 * Unpredictable branches repeat after 2^20 of them on hardware, more than any predictor remembers;
 * for the emulated predictor a period that is one bit longer than its history has the same effect.
 */
enum { HARDWARE_STREAM_LOG2 = 20 };
/* The smallest caches that the emulation makes of any machine: stepping takes seconds. */
enum { LEAST_SCALE = 1 << 20 };
/* Short trips are stepped several times, so that the call itself matters little. */
enum { STEPPED_ITERATIONS = 512 };

struct tp_count_bench {
	const struct tp_config *config; /* what the source was opened for */
	struct tp_source source;
	struct tp_emulated_machine emulated;
	bool stepping;
	struct tp_crew *crew;
};

/* --- the source --- */

/* An event that the CPU's own counters count; the kernel's software events do not count code. */
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

/* PAPI where it counts what the CPU does; else the emulation, and a word about why. */
static enum tp_status open_any(const struct tp_bench *bench, struct tp_count_bench *c,
			       const struct tp_source_wish *wish, struct tp_diag *diag)
{
	struct tp_diag why = { 0 };
	enum tp_status status = tp_source_open(&c->source, tp_source_find("papi"), wish, &why);
	if (status == TP_OK && counts_hardware(&c->source))
		return TP_OK;
	if (status == TP_OK && c->source.notes.n)
		why = c->source.notes.items[0];
	tp_source_close(&c->source);
	tp_watch_say(bench->watch, "source", why.hint[0] ? why.hint : NULL,
		     "no hardware event can be counted here%s%s; the kernels are executed "
		     "instruction by instruction and counted by an emulated core",
		     why.what[0] ? ": " : "", why.what);
	return tp_source_open(&c->source, tp_source_find("emulated"), wish, diag);
}

static void emulate_machine(struct tp_emulated_machine *emulated, const struct tp_machine *machine,
			    unsigned threads, const struct tp_config *config)
{
	uint64_t scale = tp_config_count(config, TP_OPT_COUNTERS_SCALE);
	tp_emulated_machine_from(emulated, machine, threads,
				 scale == UINT64_MAX ? LEAST_SCALE : (unsigned)scale);
}

static enum tp_status open_source(struct tp_bench *bench, const struct tp_planned *planned,
				  struct tp_count_bench *c, struct tp_diag *diag)
{
	const struct tp_config *config = planned->config;
	const struct tp_value *patterns = tp_config_value(config, TP_OPT_COUNTERS_EVENTS);
	const char *name = tp_config_text(config, TP_OPT_SOURCE);
	TP_FREE const char **filters = tp_alloc(patterns->n + 1, sizeof(*filters));
	for (size_t i = 0; i < patterns->n; i++)
		filters[i] = patterns->items[i].text;
	emulate_machine(&c->emulated, bench->machine, planned->point.threads, config);
	struct tp_source_wish wish = {
		.machine = &c->emulated,
		.habit = tp_config_text(config, TP_OPT_COUNTERS_HABIT),
		.cpu = &bench->machine->cpu,
		.misleading = (unsigned)tp_config_count(config, TP_OPT_COUNTERS_MISLEADING),
		.noise = tp_config_real(config, TP_OPT_COUNTERS_NOISE),
		.interrupts = tp_config_real(config, TP_OPT_COUNTERS_INTERRUPTS),
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
	if (status != TP_OK)
		return status;
	c->config = config;
	c->stepping = c->source.needs_emulation;
	for (size_t i = 0; i < c->source.notes.n; i++)
		tp_watch_note(bench->watch, &c->source.notes.items[i]);
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

static void close_source(void *own)
{
	struct tp_count_bench *c = own;
	tp_crew_free(c->crew);
	c->crew = NULL;
	tp_source_close(&c->source);
	c->config = NULL;
}

static const struct tp_bench_kind count_kind = { .bytes = sizeof(struct tp_count_bench),
						 .release = close_source };

static struct tp_count_bench *counters_of(struct tp_bench *bench)
{
	return tp_bench_own(bench, &count_kind);
}

static enum tp_status make_ready(struct tp_bench *bench, const struct tp_planned *planned,
				 unsigned threads, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	struct tp_count_bench *c = counters_of(bench);
	if (c->config != planned->config) {
		close_source(c);
		status = open_source(bench, planned, c, diag);
	}
	if (status != TP_OK || tp_crew_runs_on(c->crew, planned->cpus, threads))
		return status;
	tp_crew_free(c->crew);
	return tp_crew_new(&c->crew, &c->source, c->stepping ? &c->emulated : NULL, planned->cpus,
			   threads, diag);
}

/* --- what rows adapt to --- */

/*
 * Instructions of two passes that a row may have when it is executed one by one. Families whose
 * rows grow without end stop where stepping would take seconds.
 */
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

/* This machine, for one of `threads` threads, or the emulated one. */
static struct tp_counting_machine adapt_machine(const struct tp_machine *machine,
						const struct tp_emulated_machine *emulated,
						const struct tp_family *family, unsigned threads)
{
	struct tp_counting_machine m = {
		.line_bytes = machine->cache[1].line_bytes ? machine->cache[1].line_bytes : 64,
		.page_bytes = machine->page_bytes ? machine->page_bytes : 4096,
		.stream_log2 = emulated ? emulated->history_bits + 1 : HARDWARE_STREAM_LOG2,
		.max_instructions = emulated ? family_step_limit(family->id) : 0,
		.max_bytes = machine->available_bytes / 4 / TP_MAX(threads, 1u),
	};
	for (int level = 1; level <= 3; level++)
		m.cache_bytes[level] = emulated ? emulated->data[level].size_bytes
						: tp_machine_share(machine, level, threads);
	m.icache_bytes = emulated ? emulated->code.size_bytes : m.cache_bytes[1];
	return m;
}

/* --- rows --- */

static bool tell_counts(struct tp_bench *bench, const struct tp_planned *planned, unsigned row,
			const double *counts, const unsigned *left_out, size_t repetitions,
			double iterations)
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
			told.left_out = r ? 0 : left_out[e];
			told.n = (unsigned)TP_MIN(repetitions - r, (size_t)TP_EVENT_COUNTS_MAX);
			for (unsigned i = 0; i < told.n; i++)
				told.counts[i] = counts[e * repetitions + r + i];
			go_on = tp_watch_row(bench->watch, &tp_counts_event, &told);
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
	TP_CLEANUP(tp_counting_release) struct tp_counting counting = { 0 };
	enum tp_status status = tp_counting_make(tp_count_plan(planned)->family, row, bench->cpu,
						 machine, &counting, diag);
	if (status != TP_OK)
		return status;
	size_t repetitions = tp_config_count(planned->config, TP_OPT_COUNTERS_REPETITIONS);
	double iterations = 0;
	TP_FREE double *counts = tp_alloc(c->source.n_events * repetitions + 1, sizeof(*counts));
	TP_FREE unsigned *left_out = tp_alloc(c->source.n_events + 1, sizeof(*left_out));
	struct tp_crew_task task = {
		.counting = &counting,
		.repetitions = repetitions,
		.passes = passes_of(c, &counting),
		.seed = tp_config_count(planned->config, TP_OPT_SEED) + row,
		.go_on = bench->watch->go_on,
		.context = bench->watch->context,
	};
	status = tp_crew_count(c->crew, &task, counts, left_out, &iterations, diag);
	if (status == TP_OK &&
	    !tell_counts(bench, planned, row, counts, left_out, repetitions, iterations))
		status = TP_CANCELLED;
	return status;
}

/*
 * Runs every row of one kernel; counts go to the watch. A kernel that no row of runs here is
 * SKIPPED with the reason.
 */
static enum tp_status count_bench_run(struct tp_bench *bench, const struct tp_planned *planned,
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
	const struct tp_count_bench *c = counters_of(bench);
	enum tp_status status = make_ready(bench, planned, threads, diag);
	if (status == TP_OK) {
		struct tp_counting_machine machine = adapt_machine(
			bench->machine, c->stepping ? &c->emulated : NULL, family, threads);
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
	if (c->source.kind)
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
	} else if (left_out > own->left_out) {
		tp_watch_say(bench->watch, planned->point.kernel, why.hint[0] ? why.hint : NULL,
			     "%u of %u rows left out: %s", left_out, end - first, why.what);
	}
	return status;
}

/* --- the plan --- */

/*
 * A stepped kernel of the family, per repetition; from runs on several machines, to a factor of
 * two.
 */
static const double step_seconds[TP_FAMILY_COUNT] = {
	[TP_FAMILY_FLOPS] = 0.005,	[TP_FAMILY_BRANCH] = 0.015,
	[TP_FAMILY_DCACHE_READ] = 0.05, [TP_FAMILY_DCACHE_WRITE] = 0.12,
	[TP_FAMILY_ICACHE] = 0.08,	[TP_FAMILY_INSTRUCTIONS] = 0.004,
	[TP_FAMILY_BLAS] = 0.2,		[TP_FAMILY_TRAFFIC] = 0.3,
};

static enum tp_status refuse_family(struct tp_plan_context *context, const char *name,
				    struct tp_diags *diags)
{
	const char *names[TP_FAMILY_COUNT];
	TP_STR hint = { 0 };
	for (size_t k = 0; k < TP_FAMILY_COUNT; k++)
		names[k] = tp_family_table[k]->name;
	tp_str_suggest(&hint, name, "one of ", names, TP_FAMILY_COUNT, " or ");
	return tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_FAMILIES, tp_str_text(&hint),
				 "there is no family \"%s\"", name);
}

/* Stepped on request, or if the kernel opens no hardware counter. */
static bool will_step(const struct tp_plan_context *context)
{
	const char *source = tp_config_text(context->config, TP_OPT_SOURCE);
	return tp_config_count(context->config, TP_OPT_COUNTERS_SOFTWARE) ||
	       strcmp(source, "emulated") == 0 ||
	       (strcmp(source, "auto") == 0 && tp_perf_error() != 0);
}

/* Rows of the kernel that cannot be run here, with the reason of the last one. */
static unsigned count_left_out(const struct tp_plan_context *context,
			       const struct tp_family *family, unsigned kernel,
			       const struct tp_choices *choices, struct tp_diag *why)
{
	unsigned end = tp_family_first_row(family, kernel + 1), left_out = 0;
	unsigned threads = family->threads ? choices->threads[0] : 1;
	struct tp_emulated_machine emulated;
	if (context->machine->foreign)
		return 0;
	emulate_machine(&emulated, context->machine, choices->threads[0], context->config);
	struct tp_counting_machine machine = adapt_machine(
		context->machine, will_step(context) ? &emulated : NULL, family, threads);
	machine.stream_log2 = 10; /* only the code is of interest */
	for (unsigned row = tp_family_first_row(family, kernel); row < end; row++) {
		struct tp_counting counting = { 0 };
		if (tp_counting_make(family, row, context->cpu, &machine, &counting, why) == TP_OK)
			tp_counting_release(&counting);
		else
			left_out++;
	}
	return left_out;
}

static enum tp_status plan_kernel(struct tp_plan_context *context, const struct tp_family *family,
				  unsigned number, const struct tp_choices *c,
				  struct tp_diags *diags)
{
	unsigned threads = family->threads ? c->threads[0] : 1;
	unsigned left_out = 0;
	struct tp_diag why;
	char name[32];
	family->kernel_name(number, name, sizeof(name));
	left_out = count_left_out(context, family, number, c, &why);
	if (left_out == family->kernel_rows) {
		tp_planner_note(context, TP_OPT_FAMILIES, "%s/%s is left out: %s", family->name,
				name, why.what);
		return TP_OK;
	}
	if (left_out)
		tp_planner_note(context, TP_OPT_FAMILIES, "%s/%s: %u of %u rows are left out: %s",
				family->name, name, left_out, family->kernel_rows, why.what);
	/* The crew has its own buffers. */
	struct tp_planned *p = tp_plan_add(context, threads, c->cpus[0], 0, diags);
	if (!p)
		return TP_RESOURCE;
	tp_count_plan(p)->family = family;
	tp_count_plan(p)->family_kernel = number;
	tp_count_plan(p)->left_out = left_out;
	/*
	 * Readings are filed under the family's name; where an earlier run of the preset has it
	 * already, with the run's number: "flops#2".
	 */
	const struct tp_plan *plan = context->plan;
	struct tp_count_plan *own = tp_count_plan(p);
	tp_copy(own->readings, sizeof(own->readings), own->family->name);
	for (size_t i = 0; i < plan->n; i++) {
		const struct tp_planned *other = &plan->items[i];
		if (other->experiment == context->experiment &&
		    tp_count_plan(other)->family == own->family && other->point.run != context->run)
			snprintf(own->readings, sizeof(own->readings), "%s#%u", own->family->name,
				 context->run + 1);
	}
	struct tp_point *point = &p->point;
	snprintf(point->kernel, sizeof(point->kernel), "%s/%s", family->name, name);
	point->estimate_seconds = step_seconds[family->id] *
				  tp_config_real(context->config, TP_OPT_COUNTERS_REPETITIONS);
	return TP_OK;
}

static enum tp_status plan_families(struct tp_plan_context *context, struct tp_diags *diags)
{
	struct tp_choices c;
	enum tp_status status = tp_planner_choices(context, &c, diags);
	if (status == TP_OK && c.n_threads > 1)
		status = tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_THREADS,
					   "give one number; several belong into several runs",
					   "a reading has one number of threads");
	const char *habit = tp_config_text(context->config, TP_OPT_COUNTERS_HABIT);
	struct tp_diag diag;
	if (tp_emulated_habit_check(habit, &diag) != TP_OK)
		status = tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_COUNTERS_HABIT,
					   diag.hint, "%s", diag.what);
	/* Options of the source that does not count. */
	const char *source = tp_config_text(context->config, TP_OPT_SOURCE);
	const struct tp_option *const emulated[] = {
		TP_OPT_COUNTERS_HABIT, TP_OPT_COUNTERS_MISLEADING, TP_OPT_COUNTERS_NOISE,
		TP_OPT_COUNTERS_INTERRUPTS, TP_OPT_COUNTERS_SCALE
	};
	const struct tp_option *const papi[] = { TP_OPT_COUNTERS_GROUP, TP_OPT_COUNTERS_SOFTWARE };
	for (size_t i = 0; i < TP_COUNT_OF(emulated) && strcmp(source, "papi") == 0; i++)
		tp_planner_idle(context, emulated[i], TP_OPT_SOURCE,
				"it belongs to source=emulated");
	for (size_t i = 0; i < TP_COUNT_OF(papi) && strcmp(source, "emulated") == 0; i++)
		tp_planner_idle(context, papi[i], TP_OPT_SOURCE, "it belongs to source=papi");
	const struct tp_value *families = tp_config_value(context->config, TP_OPT_FAMILIES);
	for (size_t i = 0; i < families->n && status == TP_OK; i++) {
		const char *name = families->items[i].text;
		const struct tp_family *family = tp_family_find(name);
		if (!family)
			status = refuse_family(context, name, diags);
		for (unsigned k = 0; status == TP_OK && k < family->n_kernels; k++)
			status = plan_kernel(context, family, k, &c, diags);
	}
	return status;
}

/* --- what the counts mean --- */

static bool belongs(const struct tp_run *run, const char *readings, unsigned index)
{
	const char *mark = strchr(readings, '#');
	unsigned number = 0;
	if (mark)
		return sscanf(mark + 1, "%u", &number) == 1 && number == index + 1;
	/* Without a mark: the first run that has a point of the family. */
	size_t n = strlen(readings);
	TP_EACH_POINT (p, run) {
		if (strcmp(p->experiment, "counters") == 0 &&
		    strncmp(p->kernel, readings, n) == 0 && p->kernel[n] == '/')
			return p->run == index;
	}
	return false;
}

/* Who counted: the points have it. */
static const char *source_of(const struct tp_run *run, unsigned index)
{
	TP_EACH_POINT (p, run) {
		if (p->run == index && p->state == TP_POINT_DONE && tp_count_row(p)->source[0])
			return tp_count_row(p)->source;
	}
	return "";
}

static void reduce_run(const struct tp_machine *machine __attribute__((unused)), struct tp_run *run,
		       unsigned index)
{
	for (size_t i = 0; i < tp_run_readings(run)->n; i++) {
		const struct tp_reading_family *readings = &tp_run_readings(run)->families[i];
		if (!belongs(run, readings->name, index))
			continue;
		TP_CLEANUP(tp_diags_release) struct tp_diags found = { 0 };
		tp_classify_into(run, readings, NULL, source_of(run, index), index, &found);
		for (size_t k = 0; k < found.n; k++)
			tp_diags_add(&run->diags, &found.items[k]);
	}
}

/* What the events of a family count, as soon as its last point is over. */
static void reduce_point(struct tp_run *run, const struct tp_point *last)
{
	TP_CLEANUP(tp_diags_release) struct tp_diags ignored = { 0 };
	char name[sizeof(last->kernel)];
	TP_EACH_POINT (p, run) {
		if (p->kind == last->kind && tp_count_same_family(p, last) &&
		    p->state == TP_POINT_PLANNED)
			return;
	}
	tp_count_family(last, name, sizeof(name));
	const struct tp_reading_family *readings =
		tp_readings_of_run(tp_run_readings(run), name, last->run);
	if (!readings)
		return;
	for (size_t i = 0; i < tp_run_n_classes(run); i++)
		if (tp_run_classes(run)[i].run == last->run &&
		    strcmp(tp_run_classes(run)[i].family, readings->name) == 0)
			return;
	tp_classify_into(run, readings, NULL, tp_count_row(last)->source, last->run, &ignored);
}

/* --- documents --- */

static bool has_classes(const struct tp_run *run)
{
	return tp_run_n_classes(run) > 0;
}

static enum tp_status make_papi(const struct tp_run *run, struct tp_str *out)
{
	tp_papi_file(tp_run_classes(run), tp_run_n_classes(run), out);
	return TP_OK;
}

static enum tp_status make_readings(const struct tp_run *run, struct tp_str *out)
{
	return tp_readings_csv(tp_run_readings(run), SIZE_MAX, out);
}

static const char *family_name(size_t i, const char **note)
{
	if (i >= TP_FAMILY_COUNT)
		return NULL;
	*note = tp_family_table[i]->title;
	return tp_family_table[i]->name;
}

static const struct tp_option_names names[] = {
	{ .option = TP_OPT_FAMILIES, .open = false, .name = family_name },
	{ .option = TP_OPT_COUNTERS_HABIT, .open = false, .name = tp_emulated_habit },
	{ 0 },
};

static const struct tp_experiment_document documents[] = {
	{ "papi", "metrics.papi", has_classes, make_papi },
	{ "readings.csv", NULL, has_classes, make_readings },
};

const struct tp_experiment tp_experiment_counters = {
	.name = "counters",
	.question = "Which event counts what?",
	.summary =
		"counter classification: what each event counts, and how metrics are made of them",
	.names = names,
	.not_simulated = "a simulation counts no hardware events",
	.supported = tp_experiment_supported_anywhere,
	.plan = plan_families,
	.plan_bytes = sizeof(struct tp_count_plan),
	.run = count_bench_run,
	.reduce = reduce_run,
	.reduce_point = reduce_point,
	.documents = documents,
	.n_documents = TP_COUNT_OF(documents),
};
