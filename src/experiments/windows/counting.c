/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/windows/counting.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/memory.h"
#include "base/pairs.h"
#include "counters/sources.h"
#include "preset/shared_options.h"

/* A reading lasts about this long, so that starting and stopping a counter is negligible. */
#define READING_SECONDS 5e-3
#define STEPPED_SECONDS 5.0 /* at most */
#define STEPPED_USUALLY 0.5
enum { READINGS = 5, PASSES_MAX = 1000000 };

/* Kept from point to point. */
struct counters {
	const struct tp_config *config; /* whose events these are; NULL = none yet */
	struct tp_wanted wanted; /* without the stepped one */
	bool *told; /* per event of the option: why it is not counted was reported */
};

static void close_counters(void *own)
{
	struct counters *c = own;
	tp_wanted_close(&c->wanted);
	free(c->told);
	*c = (struct counters){ 0 };
}

static const struct tp_bench_kind counters_kind = { .bytes = sizeof(struct counters),
						    .release = close_counters };

static bool is_stepped(const char *name)
{
	return strcmp(name, TP_STEPPED_EVENT) == 0;
}

static void open_counters(struct counters *c, const struct tp_config *config,
			  const struct tp_window_counting *wish)
{
	const struct tp_value *events = tp_config_value(config, TP_OPT_EVENTS);
	TP_FREE const char **names = tp_alloc(events->n + 1, sizeof(*names));
	size_t n = 0;
	close_counters(c);
	c->told = tp_alloc(events->n + 1, sizeof(*c->told));
	for (size_t i = 0; i < events->n; i++)
		if (!is_stepped(events->items[i].text))
			names[n++] = events->items[i].text;
	tp_wanted_open(&c->wanted, wish->kinds ? wish->kinds : tp_wanted_kinds,
		       wish->kinds ? wish->n_kinds : tp_wanted_n_kinds, names, n);
	c->config = config;
}

/* --- on the threads of the team --- */

/* What a thread counts in. */
struct reader {
	const struct tp_compiled *compiled;
	unsigned thread;
	uint64_t passes;
	struct tp_wanted *wanted;
	const struct tp_wanted_event *event;
	bool ran;
	double count;
	enum tp_status status;
	struct tp_diag diag;
};

/* On its own data; a mark is reset each time. */
static void run_compiled(const struct tp_compiled *compiled, unsigned thread, uint64_t passes)
{
	if (compiled->marks)
		compiled->marks[thread] = (struct tp_window_mark){ 0 };
	compiled->function(compiled->data[thread], passes);
}

static void run_code(void *data, uint64_t passes)
{
	struct reader *r = data;
	r->ran = true;
	run_compiled(r->compiled, r->thread, passes);
}

static void warm_up(void *data, uint64_t passes __attribute__((unused)))
{
	run_code(data, 1);
}

static void read_event(void *data, uint64_t passes __attribute__((unused)))
{
	struct reader *r = data;
	const struct tp_work work = { .function = run_code, .data = r, .passes = r->passes };
	r->ran = false;
	r->count = NAN;
	r->status = tp_wanted_measure(r->event, &work, &r->count, &r->diag);
	/* The others wait in loops that they share: none may stay away. */
	if (!r->ran)
		run_code(r, r->passes);
}

static void end_thread(void *data, uint64_t passes __attribute__((unused)))
{
	struct reader *r = data;
	tp_wanted_thread_end(r->wanted);
}

/* --- the caller's side --- */

struct counting {
	struct tp_bench *bench;
	struct tp_team *team;
	const struct tp_compiled *compiled;
	const struct tp_window_counting *wish;
	struct reader *readers; /* one a thread */
	void **data; /* pointers to them */
	uint64_t passes; /* of a reading */
};

/* How many passes fill a reading; they also warm the caches. */
static uint64_t passes_of(struct counting *c)
{
	if (c->compiled->passes)
		return c->compiled->passes;
	double seconds = INFINITY;
	for (int i = 0; i < 3; i++) {
		double since = tp_bench_now(c->bench);
		tp_team_run(c->team, warm_up, c->data);
		seconds = fmin(seconds, tp_bench_now(c->bench) - since);
	}
	double passes = seconds > 0 ? READING_SECONDS / seconds : PASSES_MAX;
	return (uint64_t)fmin(fmax(passes, 1), PASSES_MAX);
}

/* This many passes of the whole team. */
static enum tp_status read_team(struct counting *c, const struct tp_wanted_event *event,
				uint64_t passes, double *count, struct tp_diag *why)
{
	unsigned n = tp_team_size(c->team);
	for (unsigned t = 0; t < n; t++) {
		c->readers[t].event = event;
		c->readers[t].passes = passes;
	}
	tp_team_run(c->team, read_event, c->data);
	*count = 0;
	for (unsigned t = 0; t < n; t++) {
		if (c->readers[t].status != TP_OK) {
			*why = c->readers[t].diag;
			return c->readers[t].status;
		}
		*count += c->readers[t].count;
	}
	return isnan(*count) ? tp_fail(why, TP_FAILED, "events", NULL, "%.60s gives no valid count",
				       event->name)
			     : TP_OK;
}

/*
 * What happens in the passes of a reading. Code that marks a part of itself repeats only that part:
 * twice as many passes still run everything else once, and the difference is the part.
 */
static enum tp_status read_passes(struct counting *c, const struct tp_wanted_event *event,
				  double *count, struct tp_diag *why)
{
	double once = 0;
	enum tp_status status = read_team(c, event, c->passes, count, why);
	if (status != TP_OK || !c->compiled->marks)
		return status;
	once = *count;
	status = read_team(c, event, 2 * c->passes, count, why);
	*count -= once;
	return status;
}

/* Of an element, or of a pass. */
static enum tp_status count_event(struct counting *c, const struct tp_wanted_event *event,
				  double *count, struct tp_diag *why)
{
	double counts[READINGS];
	if (!event->source) {
		*why = event->diag;
		return event->status;
	}
	if (c->compiled->marks && c->compiled->passes == 1)
		return tp_fail(why, TP_UNSUPPORTED, "events",
			       "let a window have several steps, with hot caches",
			       "a step cannot be separated from what its source does around it");
	if (!c->passes)
		c->passes = passes_of(c);
	for (int i = 0; i < READINGS; i++) {
		if (!tp_watch_goes_on(c->bench->watch))
			return tp_fail(why, TP_CANCELLED, "events", NULL, "cancelled");
		enum tp_status status = read_passes(c, event, &counts[i], why);
		if (status != TP_OK)
			return status;
	}
	tp_sort_doubles(counts, READINGS);
	double elements = c->wish->elements > 0 ? c->wish->elements : 1;
	*count = counts[READINGS / 2] / (double)c->passes / elements;
	return TP_OK;
}

static void one_pass(void *context)
{
	run_compiled(((struct counting *)context)->compiled, 0, 1);
}

static void two_passes(void *context)
{
	run_compiled(((struct counting *)context)->compiled, 0, 2);
}

static enum tp_status count_stepped(struct counting *c, double *count, struct tp_diag *why)
{
	const struct tp_window_counting *wish = c->wish;
	struct tp_window_stepping stepping = {
		.code = { .less = one_pass, .more = two_passes, .context = c },
		.elements = wish->elements > 0 ? wish->elements / tp_team_size(c->team) : 1,
	};
	enum tp_status status = wish->step ? wish->step(wish->context, &stepping, why) : TP_OK;
	double instructions;
	if (status == TP_OK)
		status = tp_stepped_count(&stepping.code, STEPPED_SECONDS, &instructions, why);
	if (status == TP_OK)
		*count = instructions / stepping.elements;
	return status;
}

/* False if there is no room. */
static bool add(const struct tp_window_counting *wish, struct tp_str *text, const char *column,
		double count)
{
	char value[32];
	TP_STR pair = { 0 };
	snprintf(value, sizeof(value), "%.6g", count);
	tp_pairs_add(&pair, column, value);
	bool fits = text->len + 1 + pair.len < wish->counts_bytes;
	if (fits)
		tp_str_printf(text, "%s%s", text->len ? " " : "", tp_str_text(&pair));
	return fits;
}

static enum tp_status count_all(struct counting *c, struct counters *counters, struct tp_str *text,
				struct tp_diag *diag)
{
	const struct tp_value *events = tp_config_value(counters->config, TP_OPT_EVENTS);
	const struct tp_wanted_event *next = counters->wanted.events;
	for (size_t i = 0; i < events->n; i++) {
		const char *name = events->items[i].text;
		const struct tp_wanted_event *event = is_stepped(name) ? NULL : next++;
		struct tp_diag why = { 0 };
		double count = 0;
		if (!tp_watch_goes_on(c->bench->watch))
			return tp_fail(diag, TP_CANCELLED, "events", NULL, "cancelled");
		enum tp_status status = event ? count_event(c, event, &count, &why)
					      : count_stepped(c, &count, &why);
		if (status == TP_CANCELLED || status == TP_NOMEM) {
			*diag = why;
			return status;
		}
		if (status == TP_OK && !add(c->wish, text, event ? event->column : name, count))
			status = tp_fail(&why, TP_RESOURCE, "events", "ask for fewer events a run",
					 "%.60s does not fit in together with the events before it",
					 name);
		/* The same words once a run, not once a point. */
		if (status != TP_OK && !counters->told[i])
			tp_watch_note(c->bench->watch, &why);
		counters->told[i] |= status != TP_OK;
	}
	return TP_OK;
}

enum tp_status tp_window_count(struct tp_bench *bench, const struct tp_planned *planned,
			       struct tp_team *team, const struct tp_compiled *compiled,
			       const struct tp_window_counting *wish, struct tp_diag *diag)
{
	if (!wish->counts || !tp_config_value(planned->config, TP_OPT_EVENTS)->n)
		return TP_OK;
	struct counting c = { .bench = bench, .team = team, .compiled = compiled, .wish = wish };
	struct counters *counters = tp_bench_own(bench, &counters_kind);
	TP_STR text = { 0 };
	if (bench->simulation) {
		if (counters->config != planned->config)
			tp_watch_say(bench->watch, "events", NULL, "a simulation counts no events");
		counters->config = planned->config;
		return TP_OK;
	}
	if (counters->config != planned->config)
		open_counters(counters, planned->config, wish);
	unsigned n = tp_team_size(c.team);
	c.readers = tp_alloc(n, sizeof(*c.readers));
	c.data = tp_alloc(n, sizeof(*c.data));
	for (unsigned t = 0; t < n; t++) {
		c.readers[t] = (struct reader){ .compiled = c.compiled,
						.thread = t,
						.wanted = &counters->wanted };
		c.data[t] = &c.readers[t];
	}
	enum tp_status status = count_all(&c, counters, &text, diag);
	tp_team_run(team, end_thread, c.data);
	if (status == TP_OK)
		tp_copy(wish->counts, wish->counts_bytes, tp_str_text(&text));
	free(c.readers);
	free(c.data);
	return status;
}

double tp_window_count_seconds(const struct tp_config *config)
{
	const struct tp_value *events = tp_config_value(config, TP_OPT_EVENTS);
	double seconds = 0;
	for (size_t i = 0; i < events->n; i++)
		seconds += is_stepped(events->items[i].text) ? STEPPED_USUALLY
							     : (READINGS + 1) * READING_SECONDS;
	return seconds;
}
