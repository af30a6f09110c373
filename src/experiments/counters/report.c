/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classes for readers: tables of a family, the reporter. */
#include "experiments/counters/report.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/classify.h"
#include "base/memory.h"
#include "experiments/counters/pictures.h"
#include "report/reporter.h"

/* --- tables --- */

/* Events of a reason: with their values; only names; only names on a short page. */
enum { SHOWN = 5, NAMED = 8, BRIEF = 3 };

/* From this alpha on coefficients are measured, not counted: a family of caches. */
#define NOISY_ALPHA 1e-2

/* "flops: metrics": pages are long, so a heading names the family. */
static void show_section(struct tp_text *doc, const struct tp_class *class, const char *name)
{
	TP_STR text = { 0 };
	tp_str_printf(&text, "%s: %s", class->family, name);
	tp_text_head(doc, tp_str_text(&text));
}

/* --- head --- */

static void show_head(const struct tp_class *class, const struct tp_reading_family *readings,
		      struct tp_text *doc)
{
	TP_STR text = { 0 };
	const char *dot = tp_text_dot(doc->look);
	char count[32];
	long left_out = 0;
	tp_str_printf(&text, "Counters%s%s%s%s", dot, class->family, dot, class->source);
	tp_str_printf(&text, "%s%s", dot,
		      tp_text_count(count, sizeof(count), class->n_events, "event"));
	tp_str_printf(&text, "%s%s", dot,
		      tp_text_count(count, sizeof(count), class->n_used, "row"));
	if (class->n_used < class->n_rows)
		tp_str_printf(&text, " of %zu", class->n_rows);
	if (readings)
		tp_str_printf(
			&text, "%s%s", dot,
			tp_text_count(count, sizeof(count), readings->n_repetitions, "repetition"));
	for (size_t i = 0; i < class->n_events; i++)
		left_out += TP_MAX(class->events[i].left_out, 0L);
	if (left_out)
		tp_str_printf(&text, "%s%ld disturbed left out", dot, left_out);
	tp_text_title(doc, tp_str_text(&text));
	bool has_title = class->title && *class->title;
	tp_text_say(doc, TP_PAINT_DIM, 0, 0,
		    "%s%scounts per %s; noise up to %.3g, residual up to %.3g, alpha %.3g, a "
		    "metric is defined up to an error of %.3g, if its formula holds on its rows",
		    has_title ? class->title : "", has_title ? "; " : "",
		    class->per && *class->per ? class->per : "iteration", class->tau,
		    class->residual_limit, class->alpha, class->defined_limit);
	if (readings && readings->n_repetitions == 1)
		tp_text_wrap(doc, TP_PAINT_WARN,
			     "one repetition only: noise is not known, nothing was dropped for it",
			     0, 0);
}

/* --- events --- */

/* `any`: the table has events that were not chosen, too. */
struct event {
	size_t place; /* 0 = not chosen */
	const struct tp_class_event *event;
	double noise;
	const char *counts;
	bool any;
};

static bool has_any_fate(const void *row)
{
	return ((const struct event *)row)->any;
}

static enum tp_paint paint_of_fate(const void *row)
{
	return tp_report_fate_paint(((const struct event *)row)->event);
}

/* Dropped events that represent nothing are dim. */
static enum tp_paint paint_of_event(const void *row)
{
	const struct event *e = row;
	return e->place ? TP_PAINT_STRONG : *e->counts ? TP_PAINT_PLAIN : TP_PAINT_DIM;
}

#define ROW(name)   TP_SHOWS(struct event, name)
#define EVENT(name) TP_SHOWS(struct tp_class_event, name), TP_VIA(struct event, event)
static const struct tp_grid_column event_columns[] = {
	{ "", TP_RIGHT, 0, ROW(place), .positive = true, .none = "", .paint = TP_PAINT_DIM },
	{ "event", TP_LEFT, 0, EVENT(name), .paint_of = paint_of_event, .least = 28 },
	{ "fate", TP_LEFT, 1, EVENT(fate), .when = has_any_fate, .none = "",
	  .paint_of = paint_of_fate },
	{ "noise", TP_RIGHT, 2, ROW(noise), .words = tp_report_small },
	{ "residual", TP_RIGHT, 3, EVENT(residual), .words = tp_report_small },
	{ "score", TP_RIGHT, 4, EVENT(score), .as = TP_AS_DIGITS, .digits = 4 },
	{ "counts", TP_LEFT, 0, ROW(counts) },
};

void tp_report_events(const struct tp_class *class, const struct tp_reading_family *readings,
		      bool chosen, struct tp_grid *grid)
{
	/* One repetition shows no noise. */
	const bool single = readings && readings->n_repetitions == 1;
	tp_grid_init(grid, event_columns, TP_COUNT_OF(event_columns));
	tp_grid_heads(grid);
	for (size_t i = 0; i < (chosen ? class->n_chosen : class->n_events); i++) {
		const size_t event = chosen ? class->chosen[i] : i;
		const struct tp_class_event *e = &class->events[event];
		TP_STR counts = { 0 };
		tp_report_represents(class, event, &counts);
		tp_grid_row(grid,
			    &(struct event){ (size_t)(e->order + 1), e, single ? NAN : e->noise,
					     tp_str_text(&counts), !chosen },
			    NULL);
	}
}

static void show_chosen(const struct tp_class *class, const struct tp_reading_family *readings,
			struct tp_text *doc)
{
	TP_CLEANUP(tp_grid_release) struct tp_grid grid;
	show_section(doc, class, "chosen events, and what each counts");
	tp_report_events(class, readings, true, &grid);
	if (class->n_chosen)
		tp_grid_write(&grid, doc);
	else
		tp_text_wrap(doc, TP_PAINT_BAD,
			     "none: no event of this family is quiet and representable", 0, 0);
}

/* --- metrics --- */

/* A formula of a metric, and how far it is off on the worst of its rows. */
struct formula {
	const char *name, *verdict, *words;
	double error, row_error;
	bool defined, rounded;
};

static const char *off_words(char *out, size_t size, double error)
{
	snprintf(out, size, "%.3g %%", 100 * error < 0.01 ? 0 : 100 * error);
	return out;
}

static enum tp_paint paint_of_name(const void *row)
{
	return ((const struct formula *)row)->rounded ? TP_PAINT_DIM : TP_PAINT_STRONG;
}

static enum tp_paint paint_of_off(const void *row)
{
	const struct formula *f = row;
	return isnan(f->row_error) ? TP_PAINT_DIM : f->defined ? TP_PAINT_PLAIN : TP_PAINT_BAD;
}

static enum tp_paint paint_of_verdict(const void *row)
{
	return ((const struct formula *)row)->defined ? TP_PAINT_GOOD : TP_PAINT_BAD;
}

static enum tp_paint paint_of_words(const void *row)
{
	return ((const struct formula *)row)->defined ? TP_PAINT_PLAIN : TP_PAINT_DIM;
}

#define FORMULA(name) TP_SHOWS(struct formula, name)
static const struct tp_grid_column formula_columns[] = {
	{ "metric", TP_LEFT, 0, FORMULA(name), .paint_of = paint_of_name },
	{ "error", TP_RIGHT, 0, FORMULA(error), .words = tp_report_small },
	{ "off", TP_RIGHT, 0, FORMULA(row_error), .words = off_words, .paint_of = paint_of_off },
	{ "verdict", TP_LEFT, 0, FORMULA(verdict), .paint_of = paint_of_verdict },
	{ "formula", TP_LEFT, 0, FORMULA(words), .paint_of = paint_of_words },
};

static void add_metric(struct tp_grid *grid, const struct tp_class *class,
		       const struct tp_class_metric *m, bool full, bool round)
{
	TP_STR exact = { 0 }, rounded = { 0 }, nearest = { 0 };
	/*
	 * The formula nearest to a metric that cannot be counted is shown rounded: the rest is
	 * numerical noise.
	 */
	tp_report_formula(class, m, !m->defined, &exact);
	tp_report_formula(class, m, true, &rounded);
	tp_str_printf(&nearest, "nearest: %s", tp_str_text(&exact));
	struct formula f = { .name = m->name,
			     .verdict = tp_report_verdict(m),
			     .words = m->defined			      ? tp_str_text(&exact)
				      : strcmp(tp_str_text(&exact), "0") == 0 ? TP_NOTHING_NEAR
				      : full ? tp_str_text(&nearest)
					     : "",
			     .error = m->error,
			     .row_error = m->row_error,
			     .defined = m->defined };
	tp_grid_row(grid, &f, NULL);
	if (round && m->defined && class->alpha >= NOISY_ALPHA &&
	    strcmp(tp_str_text(&exact), tp_str_text(&rounded)) != 0) {
		f = (struct formula){ "  rounded",
				      "",
				      tp_str_text(&rounded),
				      m->rounded_error,
				      m->rounded_row_error,
				      true,
				      true };
		tp_grid_row(grid, &f, NULL);
	}
}

void tp_report_metrics(const struct tp_class *class, bool full, bool round, struct tp_grid *grid)
{
	tp_grid_init(grid, formula_columns, TP_COUNT_OF(formula_columns));
	tp_grid_heads(grid);
	for (size_t i = 0; i < class->n_metrics; i++)
		add_metric(grid, class, &class->metrics[i], full, round);
}

static void show_metrics(const struct tp_class *class, struct tp_text *doc)
{
	if (!class->n_metrics)
		return;
	show_section(doc, class, "metrics");
	if (!class->n_chosen) {
		TP_STR all = { 0 };
		for (size_t i = 0; i < class->n_metrics; i++)
			tp_str_printf(&all, "%s%s", i ? ", " : "none can be counted here: ",
				      class->metrics[i].name);
		tp_text_say(doc, TP_PAINT_BAD, 0, 2, "%s", tp_str_text(&all));
		return;
	}
	TP_CLEANUP(tp_grid_release) struct tp_grid grid;
	tp_report_metrics(class, doc->look->full, true, &grid);
	tp_grid_write(&grid, doc);
}

/* --- dropped --- */

struct ranked {
	double value;
	size_t event;
};

static int by_value(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return (x->event > y->event) - (x->event < y->event);
}

/* Events of one reason, the worst first; `found` has room for all events. */
static size_t collect_dropped(const struct tp_class *class, enum tp_fate fate, struct ranked *found)
{
	size_t n = 0;

	for (size_t i = 0; i < class->n_events; i++) {
		const struct tp_class_event *e = &class->events[i];
		if (strcmp(e->fate, tp_fate_name(fate)) == 0)
			found[n++] = (struct ranked){ fate == TP_FATE_NOISY	? e->noise
						      : fate == TP_FATE_FOREIGN ? e->residual
										: 0,
						      i };
	}
	qsort(found, n, sizeof(*found), by_value);
	return n;
}

/* Events of one reason; `n` stands in the first of their rows. */
struct dropped {
	const char *reason;
	size_t n;
	const char *event, *words;
};

#define DROPPED(name) TP_SHOWS(struct dropped, name)
static const struct tp_grid_column dropped_columns[] = {
	{ "reason", TP_LEFT, 0, DROPPED(reason), .paint = TP_PAINT_WARN, .again = true },
	{ "", TP_RIGHT, 0, DROPPED(n), .positive = true, .none = "" },
	{ "event", TP_LEFT, 0, DROPPED(event) },
	{ "", TP_LEFT, 0, DROPPED(words) },
};

/* Only names: there is nothing to add. */
static void show_names(struct tp_grid *grid, const struct tp_class *class, enum tp_fate fate,
		       const struct ranked *found, size_t n, const struct tp_look *look)
{
	TP_STR text = { 0 };
	size_t most = look->full ? NAMED : BRIEF;
	for (size_t i = 0; i < n && i < most; i++)
		tp_str_printf(&text, "%s%s", i ? ", " : "", class->events[found[i].event].name);
	if (n > most)
		tp_str_printf(&text, " and %zu more", n - most);
	tp_grid_row(grid, &(struct dropped){ tp_fate_name(fate), n, "", tp_str_text(&text) }, NULL);
}

static void show_reasons(struct tp_grid *grid, const struct tp_class *class, enum tp_fate fate,
			 const struct ranked *found, size_t n)
{
	for (size_t i = 0; i < n && i < SHOWN; i++) {
		/* The text of a dropped event. */
		const struct tp_class_event *e = &class->events[found[i].event];
		TP_STR text = { 0 };
		if (fate == TP_FATE_NOISY)
			tp_str_printf(&text, "noise %.3g", e->noise);
		else if (fate == TP_FATE_FOREIGN)
			tp_str_printf(&text, "residual %.3g", e->residual);
		else
			tp_report_dependence(class, found[i].event, &text);
		tp_grid_row(grid,
			    &(struct dropped){ tp_fate_name(fate), i ? 0 : n, e->name,
					       tp_str_text(&text) },
			    NULL);
	}
	if (n <= SHOWN)
		return;
	tp_grid_text(grid, TP_PAINT_PLAIN, "");
	tp_grid_text(grid, TP_PAINT_PLAIN, "");
	tp_grid_printf(grid, TP_PAINT_DIM, "and %zu more", n - SHOWN);
	tp_grid_text(grid, TP_PAINT_PLAIN, "");
}

static void show_dropped(const struct tp_class *class, struct tp_text *doc)
{
	TP_FREE struct ranked *found = tp_alloc(class->n_events + 1, sizeof(*found));
	if (class->n_chosen == class->n_events)
		return;
	show_section(doc, class, "dropped events");
	TP_GRID(grid, dropped_columns);
	tp_grid_heads(&grid);
	for (enum tp_fate fate = 0; fate < TP_FATE_COUNT; fate++) {
		size_t n = fate == TP_FATE_CHOSEN ? 0 : collect_dropped(class, fate, found);
		if (n && ((!doc->look->full && n > BRIEF) || fate == TP_FATE_IRRELEVANT ||
			  fate == TP_FATE_MISSING || fate == TP_FATE_INVALID))
			show_names(&grid, class, fate, found, n, doc->look);
		else
			show_reasons(&grid, class, fate, found, n);
	}
	tp_grid_write(&grid, doc);
}

/* --- what nothing counts --- */

void tp_report_classes(const struct tp_run *run, struct tp_text *doc)
{
	TP_EACH_ROW (tp_class, class, run, classes) {
		/*
		 * One family: head, chosen events, metrics, what was dropped (the noisiest first),
		 * ideal events that nothing counts. `readings` is for the number of repetitions;
		 * may be NULL.
		 */
		const struct tp_reading_family *readings = tp_report_readings(run, class);
		show_head(class, readings, doc);
		show_chosen(class, readings, doc);
		show_metrics(class, doc);
		show_dropped(class, doc);
		TP_STR text = { 0 };
		tp_report_missing(class, &text);
		if (text.len)
			show_section(doc, class, "not counted here");
		tp_report_lines(doc, text.s, 0);
	}
	if (!tp_run_n_classes(run) || doc->look->full)
		return;
	tp_text_gap(doc);
	tp_text_wrap(doc, TP_PAINT_DIM,
		     "--report=full adds the pictures and the values of dropped events. --classify "
		     "RUN --explain EVENT explains why an event was chosen or dropped.",
		     0, 0);
}

static void page_of_classes(struct tp_page *page)
{
	tp_report_classes(page->run, page->doc);
}

/* --- decision paths --- */

size_t tp_report_decisions(const struct tp_class *class, const char *pattern, struct tp_text *doc)
{
	size_t told = 0;

	for (size_t i = 0; i < class->n_events; i++) {
		if (pattern ? fnmatch(pattern, class->events[i].name, FNM_CASEFOLD) != 0
			    : class->events[i].order < 0)
			continue;
		told++;
		show_section(doc, class, class->events[i].name);
		tp_report_path(class, i, doc);
	}
	return told;
}

/* --- the reporter --- */

/* All families together. */
static void conclude(const struct tp_run *run, struct tp_conclusion *conclusion)
{
	size_t metrics = 0, defined = 0, chosen = 0, events = 0, n = tp_run_n_classes(run);
	for (size_t i = 0; i < n; i++) {
		const struct tp_class *class = &tp_run_classes(run)[i];
		metrics += class->n_metrics;
		chosen += class->n_chosen;
		events += class->n_events;
		for (size_t m = 0; m < class->n_metrics; m++)
			defined += class->metrics[m].defined;
	}
	if (!n)
		return;
	tp_conclude_add(&conclusion->limits,
			"%zu of %zu metrics can be counted here, with %zu chosen of %zu events "
			"(%zu %s).",
			defined, metrics, chosen, events, n, n == 1 ? "family" : "families");
	if (*run->called && chosen && !conclusion->next.len) {
		tp_str_add(&conclusion->next, "tprof --classify");
		tp_conclude_word(&conclusion->next, run->called);
		tp_str_add(&conclusion->next, " --explain chosen");
	}
}

const struct tp_reporter tp_reporter_counters = {
	.experiment = "counters",
	.place = 7,
	.page = page_of_classes,
	.conclude = conclude,
	.pictures = tp_counters_pictures,
};
