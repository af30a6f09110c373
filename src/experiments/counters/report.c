/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/counters/report_text.h"
#include "analysis/classify.h"
#include "base/vec.h"
#include "experiments/counters/classes.h"
#include "experiments/counters/readings.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Events of a reason: with their values; by name alone; by name where the page is short. */
enum { SHOWN = 5, NAMED = 8, BRIEF = 3 };

/* From this alpha on coefficients are measured, not counted: a family of caches. */
#define NOISY_ALPHA 1e-2

/* --- cells of foreign text --- */

static void clean_cell(struct tp_grid *grid, const struct tp_look *look, enum tp_paint paint,
		       const char *text)
{
	struct tp_str clean = { 0 };

	tp_text_clean(&clean, text, look);
	tp_grid_text(grid, paint, tp_str_text(&clean));
	tp_str_release(&clean);
}

static void small_cell(struct tp_grid *grid, enum tp_paint paint, double value)
{
	char small[32];
	tp_grid_text(grid, paint, tp_report_small(small, sizeof(small), value));
}

/* "flops: metrics": pages are long, and a heading tells whose it is. */
static void section(struct tp_str *out, const struct tp_look *look, const struct tp_class *class,
		    const char *name)
{
	struct tp_str text = { 0 }, clean = { 0 };

	tp_str_printf(&text, "%s: %s", class->family, name);
	tp_text_clean(&clean, tp_str_text(&text), look);
	tp_text_head(out, look, tp_str_text(&clean));
	tp_str_release(&text);
	tp_str_release(&clean);
}

/* --- head --- */

static void head(const struct tp_class *class, const struct tp_reading_family *readings,
		 const struct tp_look *look, struct tp_str *out)
{
	struct tp_str text = { 0 }, clean = { 0 };
	const char *dot = tp_text_dot(look);
	char count[32];

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
	tp_text_clean(&clean, tp_str_text(&text), look);
	tp_text_wrap(out, look, TP_PAINT_TITLE, tp_str_text(&clean), 0, 2);
	tp_str_release(&text);
	tp_str_clear(&clean);
	if (class->title && *class->title) {
		tp_text_clean(&clean, class->title, look);
		tp_str_add(&clean, "; ");
	}
	tp_str_printf(&clean,
		      "counts per %s; noise up to %.3g, residual up to %.3g, alpha %.3g, a metric "
		      "is defined up to an error of %.3g",
		      class->per && *class->per ? class->per : "iteration", class->tau,
		      class->residual_limit, class->alpha, class->defined_limit);
	tp_text_wrap(out, look, TP_PAINT_DIM, tp_str_text(&clean), 0, 0);
	if (readings && readings->n_repetitions == 1) {
		tp_str_clear(&clean);
		tp_str_add(&clean, "one repetition only: noise is not known, nothing was dropped "
				   "for it");
		tp_text_wrap(out, look, TP_PAINT_WARN, tp_str_text(&clean), 0, 0);
	}
	tp_str_release(&clean);
}

/* --- chosen --- */

static void chosen(const struct tp_class *class, const struct tp_reading_family *readings,
		   const struct tp_look *look, struct tp_str *out)
{
	static const struct tp_grid_column columns[] = {
		{ "", TP_RIGHT, 0 },	     { "event", TP_LEFT, 0 },  { "noise", TP_RIGHT, 1 },
		{ "residual", TP_RIGHT, 2 }, { "score", TP_RIGHT, 3 }, { "counts", TP_LEFT, 0 },
	};
	struct tp_grid grid;
	struct tp_str text = { 0 };

	section(out, look, class, "chosen events, and what each counts");
	if (!class->n_chosen) {
		tp_text_wrap(out, look, TP_PAINT_BAD,
			     "none: no event of this family is quiet and representable", 0, 0);
		return;
	}
	tp_grid_init(&grid, columns, TP_COUNT_OF(columns));
	tp_grid_heads(&grid);
	for (size_t i = 0; i < class->n_chosen; i++) {
		const struct tp_class_event *e = &class->events[class->chosen[i]];

		tp_str_clear(&text);
		tp_report_represents(class, class->chosen[i], &text);
		tp_grid_printf(&grid, TP_PAINT_DIM, "%zu", i + 1);
		clean_cell(&grid, look, TP_PAINT_STRONG, e->name);
		/* One repetition tells no noise. */
		small_cell(&grid, TP_PAINT_PLAIN,
			   readings && readings->n_repetitions == 1 ? NAN : e->noise);
		small_cell(&grid, TP_PAINT_PLAIN, e->residual);
		tp_grid_printf(&grid, TP_PAINT_PLAIN, "%.4g", e->score);
		clean_cell(&grid, look, TP_PAINT_PLAIN, tp_str_text(&text));
	}
	tp_grid_write(&grid, look, out);
	tp_grid_release(&grid);
	tp_str_release(&text);
}

/* --- metrics --- */

static void nearest_cell(struct tp_grid *grid, const struct tp_look *look, const char *formula)
{
	struct tp_str text = { 0 };

	tp_str_printf(&text, "nearest: %s", formula);
	clean_cell(grid, look, TP_PAINT_DIM, tp_str_text(&text));
	tp_str_release(&text);
}

static void metric_row(struct tp_grid *grid, const struct tp_class *class,
		       const struct tp_class_metric *m, const struct tp_look *look)
{
	struct tp_str exact = { 0 }, rounded = { 0 };

	/*
	 * What is nearest to a metric that cannot be counted is told in round figures: the rest is
	 * noise of the arithmetic.
	 */
	tp_report_formula(class, m, !m->defined, &exact);
	tp_report_formula(class, m, true, &rounded);
	clean_cell(grid, look, TP_PAINT_STRONG, m->name);
	small_cell(grid, TP_PAINT_PLAIN, m->error);
	tp_grid_text(grid, m->defined ? TP_PAINT_GOOD : TP_PAINT_BAD,
		     m->defined ? "defined" : "cannot be counted here");
	if (!m->defined && strcmp(tp_str_text(&exact), "0") == 0)
		tp_grid_text(grid, TP_PAINT_DIM, "nothing comes near");
	else if (!m->defined && !look->full)
		tp_grid_text(grid, TP_PAINT_DIM, "");
	else if (!m->defined)
		nearest_cell(grid, look, tp_str_text(&exact));
	else
		clean_cell(grid, look, TP_PAINT_PLAIN, tp_str_text(&exact));
	if (m->defined && class->alpha >= NOISY_ALPHA &&
	    strcmp(tp_str_text(&exact), tp_str_text(&rounded)) != 0) {
		tp_grid_text(grid, TP_PAINT_DIM, "  rounded");
		small_cell(grid, TP_PAINT_PLAIN, m->rounded_error);
		tp_grid_text(grid, TP_PAINT_PLAIN, "");
		clean_cell(grid, look, TP_PAINT_PLAIN, tp_str_text(&rounded));
	}
	tp_str_release(&exact);
	tp_str_release(&rounded);
}

static void metrics(const struct tp_class *class, const struct tp_look *look, struct tp_str *out)
{
	static const struct tp_grid_column columns[] = {
		{ "metric", TP_LEFT, 0 },
		{ "error", TP_RIGHT, 0 },
		{ "verdict", TP_LEFT, 0 },
		{ "formula", TP_LEFT, 0 },
	};
	struct tp_grid grid;

	if (!class->n_metrics)
		return;
	section(out, look, class, "metrics");
	if (!class->n_chosen) {
		struct tp_str all = { 0 }, clean = { 0 };

		for (size_t i = 0; i < class->n_metrics; i++)
			tp_str_printf(&all, "%s%s", i ? ", " : "none can be counted here: ",
				      class->metrics[i].name);
		tp_text_clean(&clean, tp_str_text(&all), look);
		tp_text_wrap(out, look, TP_PAINT_BAD, tp_str_text(&clean), 0, 2);
		tp_str_release(&all);
		tp_str_release(&clean);
		return;
	}
	tp_grid_init(&grid, columns, TP_COUNT_OF(columns));
	tp_grid_heads(&grid);
	for (size_t i = 0; i < class->n_metrics; i++)
		metric_row(&grid, class, &class->metrics[i], look);
	tp_grid_write(&grid, look, out);
	tp_grid_release(&grid);
}

/* --- dropped --- */

static double value_of(const struct tp_class_event *e, enum tp_fate fate)
{
	return fate == TP_FATE_NOISY ? e->noise : fate == TP_FATE_FOREIGN ? e->residual : 0;
}

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

/* What a dropped event says about itself. */
static void value_cell(struct tp_grid *grid, const struct tp_class *class, size_t event,
		       enum tp_fate fate, const struct tp_look *look)
{
	const struct tp_class_event *e = &class->events[event];
	struct tp_str text = { 0 };

	if (fate == TP_FATE_NOISY)
		tp_str_printf(&text, "noise %.3g", e->noise);
	else if (fate == TP_FATE_FOREIGN)
		tp_str_printf(&text, "residual %.3g", e->residual);
	else
		tp_report_dependence(class, event, &text);
	clean_cell(grid, look, TP_PAINT_PLAIN, tp_str_text(&text));
	tp_str_release(&text);
}

/* Events of one reason, the worst first; `found` has room for all events. */
static size_t collect(const struct tp_class *class, enum tp_fate fate, struct ranked *found)
{
	size_t n = 0;

	for (size_t i = 0; i < class->n_events; i++)
		if (strcmp(class->events[i].fate, tp_fate_name(fate)) == 0)
			found[n++] = (struct ranked){ value_of(&class->events[i], fate), i };
	qsort(found, n, sizeof(*found), by_value);
	return n;
}

/* Names alone: there is nothing more to say about them. */
static void names_row(struct tp_grid *grid, const struct tp_class *class, enum tp_fate fate,
		      const struct ranked *found, size_t n, const struct tp_look *look)
{
	struct tp_str text = { 0 };

	size_t most = look->full ? NAMED : BRIEF;

	for (size_t i = 0; i < n && i < most; i++)
		tp_str_printf(&text, "%s%s", i ? ", " : "", class->events[found[i].event].name);
	if (n > most)
		tp_str_printf(&text, " and %zu more", n - most);
	tp_grid_text(grid, TP_PAINT_WARN, tp_fate_name(fate));
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%zu", n);
	tp_grid_text(grid, TP_PAINT_PLAIN, "");
	clean_cell(grid, look, TP_PAINT_PLAIN, tp_str_text(&text));
	tp_str_release(&text);
}

static void reason_rows(struct tp_grid *grid, const struct tp_class *class, enum tp_fate fate,
			const struct ranked *found, size_t n, const struct tp_look *look)
{
	for (size_t i = 0; i < n && i < SHOWN; i++) {
		tp_grid_again(grid, TP_PAINT_WARN, tp_fate_name(fate), i > 0);
		tp_grid_printf(grid, TP_PAINT_PLAIN, i ? "" : "%zu", n);
		clean_cell(grid, look, TP_PAINT_PLAIN, class->events[found[i].event].name);
		value_cell(grid, class, found[i].event, fate, look);
	}
	if (n <= SHOWN)
		return;
	tp_grid_text(grid, TP_PAINT_PLAIN, "");
	tp_grid_text(grid, TP_PAINT_PLAIN, "");
	tp_grid_printf(grid, TP_PAINT_DIM, "and %zu more", n - SHOWN);
	tp_grid_text(grid, TP_PAINT_PLAIN, "");
}

static void dropped(const struct tp_class *class, const struct tp_look *look, struct tp_str *out)
{
	static const struct tp_grid_column columns[] = {
		{ "reason", TP_LEFT, 0 },
		{ "", TP_RIGHT, 0 },
		{ "event", TP_LEFT, 0 },
		{ "", TP_LEFT, 0 },
	};
	struct ranked *found = calloc(class->n_events + 1, sizeof(*found));
	struct tp_grid grid;

	if (!found) {
		out->oom = true;
		return;
	}
	if (class->n_chosen < class->n_events) {
		section(out, look, class, "dropped events");
		tp_grid_init(&grid, columns, TP_COUNT_OF(columns));
		tp_grid_heads(&grid);
		for (enum tp_fate fate = 0; fate < TP_FATE_COUNT; fate++) {
			size_t n = fate == TP_FATE_CHOSEN ? 0 : collect(class, fate, found);

			if (n && ((!look->full && n > BRIEF) || fate == TP_FATE_IRRELEVANT ||
				  fate == TP_FATE_INVALID))
				names_row(&grid, class, fate, found, n, look);
			else
				reason_rows(&grid, class, fate, found, n, look);
		}
		tp_grid_write(&grid, look, out);
		tp_grid_release(&grid);
	}
	free(found);
}

/* --- what nothing counts --- */

/* Names with the same reason on one line: of "A: why" and "B: why" comes "A, B: why". */
static void missing(const struct tp_class *class, const struct tp_look *look, struct tp_str *out)
{
	struct tp_str text = { 0 }, names = { 0 }, clean = { 0 };

	tp_report_missing(class, &text);
	if (text.len)
		section(out, look, class, "not counted here");
	for (const char *p = tp_str_text(&text); *p;) {
		size_t n = strcspn(p, "\n"), name = strcspn(p, ":\n");
		const char *reason = p + name, *next = p + n + (p[n] == '\n');
		size_t next_name = strcspn(next, ":\n");

		tp_str_add(&names, names.len ? ", " : "");
		tp_str_add_n(&names, p, name);
		/* One line ends where the next name has another reason. */
		if (!*next || strcspn(next + next_name, "\n") != n - name ||
		    strncmp(next + next_name, reason, n - name) != 0) {
			tp_str_add_n(&names, reason, n - name);
			tp_str_clear(&clean);
			tp_text_clean(&clean, tp_str_text(&names), look);
			tp_text_wrap(out, look, TP_PAINT_PLAIN, tp_str_text(&clean), 0, 2);
			tp_str_clear(&names);
		}
		p = next;
	}
	tp_str_release(&text);
	tp_str_release(&names);
	tp_str_release(&clean);
}

/*
 * One family: head, chosen events, metrics, what was dropped (the noisiest first), ideal events
 * that nothing counts. `readings` is for the number of repetitions; may be NULL.
 */
static void report_class(const struct tp_class *class, const struct tp_reading_family *readings,
			 const struct tp_look *look, struct tp_str *out)
{
	head(class, readings, look, out);
	chosen(class, readings, look, out);
	metrics(class, look, out);
	dropped(class, look, out);
	missing(class, look, out);
}

void tp_report_classes(const struct tp_run *run, const struct tp_look *look, struct tp_str *out)
{
	for (size_t i = 0; i < tp_run_n_classes(run); i++) {
		const struct tp_class *class = &tp_run_classes(run)[i];

		tp_str_add(out, out->len ? "\n" : "");
		report_class(class, tp_report_readings(run, class), look, out);
	}
	if (!tp_run_n_classes(run) || look->full)
		return;
	tp_str_add(out, "\n");
	tp_text_wrap(out, look, TP_PAINT_DIM,
		     "--report=full adds the pictures and the values of dropped events. "
		     "--classify RUN --explain EVENT tells why an event was chosen or dropped.",
		     0, 0);
}

void tp_page_classes(struct tp_page *page)
{
	tp_report_classes(page->run, page->look, page->out);
}

/* --- decision paths --- */

static bool is_asked(const struct tp_class_event *e, const char *pattern)
{
	if (!pattern)
		return e->order >= 0;
	return fnmatch(pattern, e->name, FNM_CASEFOLD) == 0;
}

size_t tp_report_decisions(const struct tp_class *class, const char *pattern,
			   const struct tp_look *look, struct tp_str *out)
{
	struct tp_str text = { 0 }, clean = { 0 };
	size_t told = 0;

	for (size_t i = 0; i < class->n_events; i++) {
		if (!is_asked(&class->events[i], pattern))
			continue;
		told++;
		tp_str_clear(&text);
		tp_str_clear(&clean);
		tp_report_decision(class, i, &text);
		section(out, look, class, class->events[i].name);
		size_t lines = 0;
		for (const char *p = tp_str_text(&text); *p; lines++) {
			size_t n = strcspn(p, "\n");
			char *line = strndup(p, n);
			bool how = lines >= TP_ANSWER_LINES;

			tp_str_clear(&clean);
			tp_text_clean(&clean, line ? line : "", look);
			tp_str_add(out, how ? "  -> " : "  ");
			tp_text_wrap(out, look, how ? TP_PAINT_DIM : TP_PAINT_PLAIN,
				     tp_str_text(&clean), how ? 5 : 2, how ? 5 : 2);
			out->oom |= !line;
			free(line);
			p += n + (p[n] == '\n');
		}
	}
	tp_str_release(&text);
	tp_str_release(&clean);
	return told;
}
