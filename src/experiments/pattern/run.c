/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A point of a pattern: its arrays are made and initialised by the threads that work on them, a
 * first pass is checked, then windows are measured as for any kernel.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/str.h"
#include "base/text.h"
#include "base/memory.h"
#include "experiments/bench.h"
#include "experiments/pattern/pattern.h"
#include "experiments/pattern/predict.h"
#include "experiments/pattern/row.h"
#include "experiments/windows/bench.h"
#include "experiments/windows/counting.h"
#include "measure/buffer.h"
#include "measure/team.h"
#include "pattern/pattern.h"

/*
 * Shared arrays lie one after another in one buffer, a thread's arrays in its own buffer. They are
 * untouched: the code that initialises them decides their NUMA nodes. Arrays without an alignment
 * above a line begin at different places of a page, so that stores to one do not look like loads of
 * another.
 */
struct tp_pattern_memory {
	const struct tp_pattern_config *configuration;
	struct tp_pattern_layout layouts[TP_PATTERN_ARRAYS_MAX];
	struct tp_buffer shared, *own; /* own: one a thread, or NULL */
	uint64_t places[TP_PATTERN_ARRAYS_MAX]; /* of the first element in its buffer */
};

/* The functions of a compiled pattern; NULL: it has no such part. */
struct tp_pattern_functions {
	tp_kernel_function init, run, validate, reference;
};

/* A configuration on a team: its functions, its arrays, and what each thread gets. */
struct tp_pattern_running {
	const struct tp_pattern_config *configuration;
	struct tp_pattern_functions functions;
	enum tp_pages pages;
	struct tp_team *team;
	struct tp_pattern_memory memory;
	void **arguments; /* of each thread: struct tp_pattern_arguments */
};

enum { TP_PATTERN_STEPPED = 2 }; /* less and more */

struct tp_pattern_stepping {
	const struct tp_pattern_functions *functions;
	struct tp_pattern_config configurations[TP_PATTERN_STEPPED];
	uint64_t passes[TP_PATTERN_STEPPED];
	/* of the child */
	struct tp_pattern_memory memory[TP_PATTERN_STEPPED];
	struct tp_pattern_arguments arguments[TP_PATTERN_STEPPED];
};

enum tp_status tp_pattern_prepare(struct tp_bench *bench, const struct tp_planned *const *planned,
				  size_t n, struct tp_diag *diag)
{
	if (bench->simulation)
		return TP_OK;
	TP_FREE struct tp_compiled_code **codes = tp_alloc(n + 1, sizeof(*codes));
	for (size_t i = 0; i < n; i++)
		codes[i] = tp_pattern_plan(planned[i])->code;
	return tp_compiled_begin(bench, codes, n, diag);
}

/* --- the arrays of a configuration --- */

enum { PAGE_BYTES = 4096, LINE_BYTES = 64 };

/* Places of the shared arrays, or of a thread's; returns the bytes of all. */
static uint64_t place_arrays(struct tp_pattern_memory *m, bool shared)
{
	const struct tp_pattern *p = m->configuration->pattern;
	uint64_t at = 0, n = 0, spread = PAGE_BYTES / (p->n_arrays + 1) / LINE_BYTES * LINE_BYTES;
	for (size_t i = 0; i < p->n_arrays; i++) {
		const struct tp_pattern_array *a = &p->arrays[i];
		if (tp_pattern_config_shares(m->configuration, a) != shared)
			continue;
		uint64_t grain = TP_MAX(a->alignment, (unsigned)LINE_BYTES);
		at = (at + grain - 1) / grain * grain;
		if (grain == LINE_BYTES && m->layouts[i].bytes >= PAGE_BYTES)
			at += (n * spread + PAGE_BYTES - at % PAGE_BYTES) % PAGE_BYTES;
		m->places[i] = at + (uint64_t)m->layouts[i].offset * tp_pattern_type_bytes(a->type);
		at += m->layouts[i].bytes;
		n++;
	}
	return at;
}

static enum tp_status open_buffer(struct tp_buffer *buffer, uint64_t bytes, enum tp_pages pages,
				  struct tp_diag *diag)
{
	enum tp_status status = tp_buffer_init(buffer, bytes, pages, diag);
	return status == TP_OK ? tp_buffer_open(buffer, bytes, diag) : status;
}

static void memory_release(struct tp_pattern_memory *m)
{
	tp_buffer_release(&m->shared);
	for (unsigned t = 0; m->own && t < m->configuration->threads; t++)
		tp_buffer_release(&m->own[t]);
	free(m->own);
	m->own = NULL;
}

/* TP_RESOURCE, TP_NOMEM. Releasing it is harmless in any case. */
static enum tp_status memory_init(struct tp_pattern_memory *m, const struct tp_pattern_config *c,
				  enum tp_pages pages, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	*m = (struct tp_pattern_memory){ .configuration = c };
	for (size_t i = 0; i < c->pattern->n_arrays && status == TP_OK; i++)
		status = tp_pattern_config_layout(c, &c->pattern->arrays[i], &m->layouts[i], diag);
	if (status != TP_OK)
		return status;
	uint64_t shared = place_arrays(m, true), own = place_arrays(m, false);
	if (shared)
		status = open_buffer(&m->shared, shared, pages, diag);
	if (status == TP_OK && own)
		m->own = tp_alloc(c->threads, sizeof(*m->own));
	for (unsigned t = 0; t < c->threads && own && status == TP_OK; t++)
		status = open_buffer(&m->own[t], own, pages, diag);
	if (status != TP_OK)
		memory_release(m);
	return status;
}

int64_t tp_pattern_n_for(const struct tp_pattern_config *c, int n_parameter, uint64_t bytes)
{
	struct tp_pattern_config tried = *c;
	int64_t low = 0, high = INT64_C(1) << 40;
	while (high - low > 1) {
		int64_t middle = low + (high - low) / 2;
		uint64_t found;
		tried.values[n_parameter] = middle;
		enum tp_status status = tp_pattern_config_bytes(&tried, &found, NULL);
		/* Too small a grid has no elements; too large a one does not fit. */
		bool fits = (status == TP_OK && found / c->threads <= bytes) || status == TP_USAGE;
		low = fits ? middle : low;
		high = fits ? high : middle;
	}
	return low > 64 ? low / 8 * 8 : low;
}

/* The arguments of a thread, with its arrays. */
static void memory_arguments(const struct tp_pattern_memory *m, unsigned thread,
			     struct tp_pattern_arguments *arguments)
{
	const struct tp_pattern *p = m->configuration->pattern;
	tp_pattern_arguments_fill(m->configuration, thread, m->layouts, arguments);
	for (size_t i = 0; i < p->n_arrays; i++) {
		bool shared = tp_pattern_config_shares(m->configuration, &p->arrays[i]);
		char *data = shared ? m->shared.data : m->own[thread].data;
		arguments->arrays[i] = data + m->places[i];
	}
}

/* --- whether the result is right --- */

/* Results may differ by rounding: compilers fuse multiplications with additions as they like. */
#define TOLERANCE_DOUBLE 1e-9
#define TOLERANCE_SINGLE 1e-4

enum { ELEMENT_BYTES = 96 };

static enum tp_status wrong_result(const struct tp_pattern_config *c, const char *element,
				   double found, double expected, struct tp_diag *diag)
{
	char name[128];
	return tp_fail(diag, TP_FAILED, c->pattern->name,
		       "the schedule, the map or the code computes something else",
		       "wrong result with %s: %s is %.17g, expected %.17g",
		       tp_pattern_config_name(c, name, sizeof(name)), element, found, expected);
}

/* After tp_validate has run on every thread: the first complaint. */
static enum tp_status first_wrong(const struct tp_pattern_running *r, bool *exact,
				  struct tp_diag *diag)
{
	for (unsigned t = 0; t < tp_team_size(r->team); t++) {
		const struct tp_pattern_arguments *args = r->arguments[t];
		TP_STR text = { 0 };
		char element[ELEMENT_BYTES];
		*exact &= !args->inexact;
		if (!args->wrong.array)
			continue;
		tp_str_printf(&text, "%s(", args->wrong.array);
		for (int64_t i = 0; i < args->wrong.n && i < TP_PATTERN_FORMALS_MAX; i++)
			tp_str_printf(&text, "%s%" PRId64, i ? ", " : "", args->wrong.index[i]);
		tp_str_add(&text, ")");
		tp_copy(element, sizeof(element), tp_str_text(&text));
		return wrong_result(r->configuration, element, args->wrong.found,
				    args->wrong.expected, diag);
	}
	return TP_OK;
}

/* The i-th element as a number; complex ones have two. */
static double number_at(const void *data, enum tp_pattern_type type, uint64_t i)
{
	switch (type) {
	case TP_PATTERN_FLOAT:
		return ((const float *)data)[i];
	case TP_PATTERN_INT32:
		return ((const int32_t *)data)[i];
	case TP_PATTERN_INT64:
		return (double)((const int64_t *)data)[i];
	default:
		return ((const double *)data)[i];
	}
}

/* "a[3][17]": where element `i` lies in an array. */
static void place_name(const struct tp_pattern_array *a, const struct tp_pattern_layout *layout,
		       uint64_t i, char *out, size_t size)
{
	TP_STR text = { 0 };
	uint64_t below = layout->elements;
	tp_str_add(&text, a->name);
	for (size_t d = 0; d < a->n_extents; d++) {
		below /= (uint64_t)layout->extents[d];
		tp_str_printf(&text, "[%" PRIu64 "]", i / below % (uint64_t)layout->extents[d]);
	}
	tp_copy(out, size, tp_str_text(&text));
}

static enum tp_status compare_array(const struct tp_pattern_running *r, size_t index,
				    const void *found, const void *expected, bool *exact,
				    struct tp_diag *diag)
{
	const struct tp_pattern_array *a = &r->configuration->pattern->arrays[index];
	const struct tp_pattern_layout *layout = &r->memory.layouts[index];
	unsigned numbers = a->type == TP_PATTERN_COMPLEX ? 2 : 1;
	double tolerance = a->type == TP_PATTERN_FLOAT ? TOLERANCE_SINGLE : TOLERANCE_DOUBLE;
	if (memcmp(found, expected, layout->elements * tp_pattern_type_bytes(a->type)) == 0)
		return TP_OK;
	*exact = false;
	for (uint64_t i = 0; i < layout->elements * numbers; i++) {
		double x = number_at(found, a->type, i), y = number_at(expected, a->type, i);
		double scale = fabs(y) > 1 ? fabs(y) : 1;
		char element[ELEMENT_BYTES];
		if (x == y || fabs(x - y) <= tolerance * scale)
			continue;
		place_name(a, layout, i / numbers, element, sizeof(element));
		return wrong_result(r->configuration, element, x, y, diag);
	}
	return TP_OK;
}

static enum tp_status compare_thread(const struct tp_pattern_running *r,
				     const struct tp_pattern_arguments *found,
				     const struct tp_pattern_arguments *expected, bool *exact,
				     struct tp_diag *diag)
{
	const struct tp_pattern *p = r->configuration->pattern;
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < p->n_arrays && status == TP_OK; i++)
		if (!p->arrays[i].private && !p->arrays[i].scratch)
			status = compare_array(r, i, found->arrays[i], expected->arrays[i], exact,
					       diag);
	return status;
}

/* The same pass in the order of the first relation, by one thread on its own arrays. */
static enum tp_status compare_reference(const struct tp_pattern_running *r, bool *exact,
					struct tp_diag *diag)
{
	unsigned threads = tp_team_size(r->team);
	unsigned sets = r->configuration->template == TP_PATTERN_INDEPENDENT ? threads : 1;
	struct tp_pattern_memory copy = { 0 };
	TP_FREE struct tp_pattern_arguments *own = tp_alloc(threads, sizeof(*own));
	TP_FREE void **arguments = tp_alloc(threads, sizeof(*arguments));
	enum tp_status status = memory_init(&copy, r->configuration, r->pages, diag);
	for (unsigned t = 0; t < threads && status == TP_OK; t++) {
		memory_arguments(&copy, t, &own[t]);
		arguments[t] = &own[t];
	}
	if (status == TP_OK) {
		tp_team_run(r->team, r->functions.init, arguments);
		for (unsigned t = 0; t < sets; t++)
			r->functions.reference(arguments[t], 1);
		for (unsigned t = 0; t < sets && status == TP_OK; t++)
			status = compare_thread(r, r->arguments[t], &own[t], exact, diag);
		memory_release(&copy);
	}
	return status;
}

/*
 * Runs a pass on freshly initialised arrays and checks its result, by the pattern's own part or
 * against the order of its first relation. TP_FAILED with the first wrong element, what was found
 * and what is expected; TP_UNSUPPORTED if the code shares no loops with the team. *exact: every bit
 * was as expected.
 */
static enum tp_status first_pass(struct tp_pattern_running *r, bool *exact, struct tp_diag *diag)
{
	const struct tp_pattern_arguments *first = r->arguments[0];
	*exact = true;
	tp_team_run(r->team, r->functions.init, r->arguments);
	if (first->team != tp_team_size(r->team))
		return tp_fail(diag, TP_UNSUPPORTED, r->configuration->pattern->name,
			       "choose gcc with pattern.compiler, and keep -fopenmp among the "
			       "flags",
			       "the compiled code does not share loops with the threads of tprof: "
			       "it has no OpenMP, or another one");
	tp_team_run(r->team, r->functions.run, r->arguments);
	if (r->functions.reference)
		return compare_reference(r, exact, diag);
	if (r->functions.validate)
		tp_team_run(r->team, r->functions.validate, r->arguments);
	return first_wrong(r, exact, diag);
}

/* Arrays of a thread: some thousand elements, and some ten thousand instructions. */
static const uint64_t stepped_bytes[TP_PATTERN_STEPPED] = { 32 << 10, 64 << 10 };

/* --- in the child --- */

static enum tp_status prepare_stepped(void *context, struct tp_diag *diag)
{
	struct tp_pattern_stepping *s = context;
	enum tp_status status = TP_OK;
	for (int i = 0; i < TP_PATTERN_STEPPED && status == TP_OK; i++) {
		status = memory_init(&s->memory[i], &s->configurations[i], TP_PAGES_DEFAULT, diag);
		if (status != TP_OK)
			break;
		memory_arguments(&s->memory[i], 0, &s->arguments[i]);
		tp_openmp_alone(s->functions->init, &s->arguments[i], 1);
	}
	return status;
}

static void run_less(void *context)
{
	struct tp_pattern_stepping *s = context;
	tp_openmp_alone(s->functions->run, &s->arguments[0], s->passes[0]);
}

static void run_more(void *context)
{
	struct tp_pattern_stepping *s = context;
	tp_openmp_alone(s->functions->run, &s->arguments[1], s->passes[1]);
}

/* --- what is stepped --- */

/* Values of n for both, where the code takes n as an argument. */
static bool shrink(struct tp_pattern_stepping *s)
{
	const struct tp_pattern *p = s->configurations[0].pattern;
	int n = tp_pattern_find_parameter(p, "n", 1);
	if (n < 0 || !p->parameters[n].runtime)
		return false;
	for (int i = 0; i < TP_PATTERN_STEPPED; i++)
		s->configurations[i].values[n] =
			tp_pattern_n_for(&s->configurations[i], n, stepped_bytes[i]);
	return s->configurations[0].values[n] > 0 &&
	       s->configurations[0].values[n] < s->configurations[1].values[n];
}

static enum tp_status elements_between(const struct tp_pattern_stepping *s, double *elements,
				       struct tp_diag *diag)
{
	*elements = 0;
	for (int i = 0; i < TP_PATTERN_STEPPED; i++) {
		struct tp_pattern_work work;
		enum tp_status status = tp_pattern_config_work(&s->configurations[i], &work, diag);
		if (status != TP_OK)
			return status;
		*elements += (i ? 1 : -1) * work.elements * (double)s->passes[i];
	}
	return *elements > 0 ? TP_OK
			     : tp_fail(diag, TP_UNSUPPORTED, "events", NULL,
				       "this pattern has no elements to count instructions for");
}

/*
 * One thread does the work of the team. Where the arrays are small, one pass and two of them; else
 * one pass each for two smaller values of n, which are arguments of the same code: the overhead of
 * a pass is then in both. TP_UNSUPPORTED for large arrays without such an n.
 */
static enum tp_status step_through(struct tp_pattern_stepping *s,
				   const struct tp_pattern_running *running,
				   struct tp_window_stepping *wanted, struct tp_diag *diag)
{
	uint64_t bytes;
	char size[32];
	*s = (struct tp_pattern_stepping){ .functions = &running->functions, .passes = { 1, 1 } };
	for (int i = 0; i < TP_PATTERN_STEPPED; i++) {
		s->configurations[i] = *running->configuration;
		s->configurations[i].threads = 1;
	}
	enum tp_status status = tp_pattern_config_bytes(&s->configurations[0], &bytes, diag);
	if (status != TP_OK)
		return status;
	if (bytes <= stepped_bytes[1])
		s->passes[1] = 2;
	else if (!shrink(s))
		return tp_fail(
			diag, TP_UNSUPPORTED, "events",
			"choose smaller parameters, or give n runtime: true",
			"%s of arrays are too many to step through, and the code of %s takes "
			"no smaller n",
			tp_format_bytes(size, sizeof(size), bytes),
			running->configuration->pattern->name);
	wanted->code = (struct tp_stepped){
		.prepare = prepare_stepped, .less = run_less, .more = run_more, .context = s
	};
	return elements_between(s, &wanted->elements, diag);
}

struct measuring {
	const struct tp_bench *bench;
	const struct tp_pattern_plan *plan;
	struct tp_point *point;
	struct tp_pattern_running running;
	const struct tp_watch *watch; /* the watcher of the bench; NULL = none */
	/* of each thread, and the work: sums over windows nearly as fast as the fastest */
	double *thread_seconds, work, fastest;
	struct tp_pattern_stepping stepping;
};

/* What disturbs a window as a rule hits one thread: the others were not faster for that. */
static bool note_window(void *context, const struct tp_sample *sample)
{
	static const double near = 0.95;
	struct measuring *m = context;
	bool first = sample->rate * near > m->fastest, counts = sample->rate >= m->fastest * near;
	for (unsigned t = 0; t < m->point->threads && counts; t++)
		m->thread_seconds[t] = (first ? 0 : m->thread_seconds[t]) +
				       tp_team_thread_seconds(m->bench->team, t);
	if (counts)
		m->work = (first ? 0 : m->work) + sample->rate * sample->seconds;
	m->fastest = fmax(m->fastest, sample->rate);
	return !m->watch || !m->watch->sample || m->watch->sample(m->watch->context, sample);
}

static bool go_on(void *context)
{
	return tp_watch_goes_on(((const struct measuring *)context)->watch);
}

static void pass_note(void *context, const struct tp_diag *words)
{
	struct measuring *m = context;
	tp_watch_note(m->watch, words);
}

static enum tp_status step_point(void *context, struct tp_window_stepping *stepping,
				 struct tp_diag *diag)
{
	struct measuring *m = context;
	return step_through(&m->stepping, &m->running, stepping, diag);
}

static enum tp_status prepare_windows(void *context, struct tp_team *team,
				      struct tp_compiled *compiled, struct tp_diag *diag)
{
	struct measuring *m = context;
	struct tp_pattern_running *r = &m->running;
	struct tp_pattern_row *row = m->point->row;
	r->team = team;
	enum tp_status status = memory_init(&r->memory, r->configuration, r->pages, diag);
	if (status != TP_OK)
		return status;
	for (unsigned t = 0; t < m->point->threads; t++)
		memory_arguments(&r->memory, t, r->arguments[t]);
	status = first_pass(r, &row->exact, diag);
	const struct tp_pattern_memory *mem = &r->memory;
	tp_buffer_obtained(mem->own && mem->own[0].bytes > mem->shared.bytes ? &mem->own[0]
									     : &mem->shared,
			   row->kernel.pages, sizeof(row->kernel.pages));
	*compiled = (struct tp_compiled){ .function = r->functions.run,
					  .data = r->arguments,
					  .work_per_pass = m->plan->work.bytes };
	return status;
}

static enum tp_status describe_windows(void *context, const double caches[TP_CACHE_LEVELS],
				       struct tp_window_pass *pass, struct tp_compiled *compiled,
				       struct tp_diag *diag)
{
	struct measuring *m = context;
	compiled->work_per_pass = m->plan->work.bytes;
	return tp_pattern_pass(m->plan->configuration, m->bench->machine,
			       m->plan->window.kernel.isa, caches, &m->plan->work, pass, diag);
}

static void finish_windows(void *context, const struct tp_team *team)
{
	struct measuring *m = context;
	(void)team;
	memory_release(&m->running.memory);
}

static void note_times(const struct measuring *m, const unsigned *cpus)
{
	struct tp_pattern_row *row = m->point->row;
	if (!(row->kernel.median_gbps > 0))
		return;
	row->pass_ns = m->plan->work.bytes / row->kernel.median_gbps;
	row->element_ns = row->elements > 0 ? row->pass_ns / row->elements : 0;
	/* Each thread over its own time; the work is taken to be shared out evenly. */
	unsigned n = m->point->threads;
	double *rates = m->thread_seconds;
	for (unsigned t = 0; t < n; t++) {
		rates[t] = rates[t] > 0 ? m->work / n / rates[t] : 0;
		const struct tp_thread_rate rate = { .run = m->point->run,
						     .point = m->point->point,
						     .invocation = m->bench->invocation,
						     .thread = t,
						     .cpu = cpus[t],
						     .gbps = rates[t] };
		if (n > 1)
			(void)tp_watch_row(m->bench->watch, &tp_thread_rate_event, &rate);
	}
	tp_sort_doubles(rates, n);
	row->thread_min_gbps = rates[0];
	row->thread_median_gbps = tp_median_sorted(rates, n);
	row->thread_max_gbps = rates[n - 1];
}

static enum tp_status load_code(struct tp_bench *bench, const struct tp_planned *planned,
				struct measuring *m, struct tp_diag *diag)
{
	struct tp_compiled_code *code = m->plan->code;
	enum tp_status status = tp_compiled_load(bench, planned, code, diag);
	if (status != TP_OK)
		return status;
	m->running.functions = (struct tp_pattern_functions){
		.init = tp_compiled_function(code, "tp_init"),
		.run = tp_compiled_function(code, "tp_run"),
		.validate = tp_compiled_function(code, "tp_validate"),
		.reference = tp_compiled_function(code, "tp_reference"),
	};
	if (!m->running.functions.init || !m->running.functions.run)
		return tp_fail(diag, TP_INTERNAL, "pattern", NULL,
			       "compiled code lacks its functions");
	return TP_OK;
}

/* Every window also reports each thread's time. */
static enum tp_status measure_windows(struct tp_bench *bench, const struct tp_planned *planned,
				      struct measuring *m, struct tp_diag *diag)
{
	struct tp_pattern_row *row = m->point->row;
	const struct tp_window_code code = { .openmp = true,
					     .prepare = prepare_windows,
					     .describe = describe_windows,
					     .finish = finish_windows,
					     .context = m,
					     .counting = { .counts = row->counts,
							   .counts_bytes = sizeof(row->counts),
							   .elements = row->elements,
							   .step = step_point,
							   .context = m } };
	const struct tp_watch own = {
		.context = m, .sample = note_window, .go_on = go_on, .note = pass_note
	};
	const struct tp_watch *watch = bench->watch;
	m->watch = watch;
	bench->watch = &own;
	enum tp_status status = tp_window_run_code(bench, planned, &code, m->point, diag);
	bench->watch = watch;
	return status;
}

enum tp_status tp_pattern_run(struct tp_bench *bench, const struct tp_planned *planned,
			      struct tp_point *point, struct tp_diag *diag)
{
	unsigned threads = point->threads;
	struct measuring m = { .bench = bench,
			       .plan = tp_pattern_plan(planned),
			       .point = point,
			       .running.configuration = tp_pattern_plan(planned)->configuration,
			       .running.pages = planned->pages };
	struct tp_pattern_row *row = point->row;
	TP_FREE struct tp_pattern_arguments *arguments = tp_alloc(threads, sizeof(*arguments));
	TP_FREE void **of_threads = tp_alloc(threads, sizeof(*of_threads));
	TP_FREE double *seconds = tp_alloc(threads, sizeof(*seconds));
	for (unsigned t = 0; t < threads; t++)
		of_threads[t] = &arguments[t];
	m.running.arguments = of_threads;
	m.thread_seconds = seconds;
	enum tp_status status = bench->simulation ? TP_OK : load_code(bench, planned, &m, diag);
	if (status == TP_OK) {
		status = measure_windows(bench, planned, &m, diag);
		if (status == TP_OK)
			note_times(&m, planned->cpus);
	}
	row->prebuilt = m.plan->code->prebuilt;
	return status;
}
