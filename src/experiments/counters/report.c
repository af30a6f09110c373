/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Classes for people: combinations of events and the path of one event through the analysis in
 * words, tables of a family, the reporter.
 */
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

/* A coefficient this much smaller than the largest is rounding. */
#define NEGLIGIBLE 1e-6
/* And one this small is, whatever the largest is: counts and signatures are of the order of 1. */
#define NOTHING 1e-12

static void add_term(struct tp_str *out, size_t before, double coefficient, const char *name)
{
	double a = fabs(coefficient);
	bool first = out->len == before;
	tp_str_add(out, first ? coefficient < 0 ? "-" : "" : coefficient < 0 ? " - " : " + ");
	/* Coefficients of exact families differ from 1 by rounding alone. */
	if (fabs(a - 1) > NEGLIGIBLE)
		tp_str_printf(out, "%.6g x ", a);
	tp_str_add(out, name);
}

void tp_report_formula(const struct tp_class *class, const struct tp_class_metric *metric,
		       bool rounded, struct tp_str *out)
{
	size_t before = out->len;
	for (size_t i = 0; i < metric->n_terms; i++) {
		const struct tp_class_term *t = &metric->terms[i];
		double c = rounded ? t->rounded : t->coefficient;
		/* What rounds to 0 is noise of the arithmetic or of the readings. */
		if (fabs(c) > NOTHING && t->rounded != 0 && t->chosen < class->n_chosen)
			add_term(out, before, c, class->events[class->chosen[t->chosen]].name);
	}
	if (out->len == before)
		tp_str_add(out, "0");
}

/* "2 x A + B": so many of the ideal events, or of the chosen ones; nothing without weights. */
static void add_combination(const struct tp_class *class, const double *weights, bool of_chosen,
			    struct tp_str *out)
{
	size_t before = out->len, n = of_chosen ? class->n_chosen : class->n_ideals;
	double most = 0;
	for (size_t i = 0; weights && i < n; i++)
		most = fmax(most, fabs(weights[i]));
	/* Of a noisy family what is below alpha means nothing. */
	double least = fmax(NEGLIGIBLE * most, class->alpha / 2);
	for (size_t i = 0; weights && i < n; i++)
		if (fabs(weights[i]) > least)
			add_term(out, before, tp_round_coefficient(weights[i], class->alpha),
				 of_chosen ? class->events[class->chosen[i]].name
					   : class->ideals[i]);
}

void tp_report_represents(const struct tp_class *class, size_t event, struct tp_str *out)
{
	add_combination(class, class->events[event].x, false, out);
}

/* --- the path of an event --- */

static const char *ordinal(char *out, size_t size, unsigned n)
{
	unsigned last = n % 10, teen = n % 100 / 10 == 1;
	snprintf(out, size, "%u%s", n,
		 teen	     ? "th"
		 : last == 1 ? "st"
		 : last == 2 ? "nd"
		 : last == 3 ? "rd"
			     : "th");
	return out;
}

const char *tp_report_small(char *out, size_t size, double value)
{
	if (isnan(value))
		snprintf(out, size, "-");
	else if (fabs(value) <= TP_EXACT)
		snprintf(out, size, "exact");
	else
		snprintf(out, size, "%.2g", value);
	return out;
}

static enum tp_fate fate_of(const struct tp_class_event *e)
{
	enum tp_fate fate = TP_FATE_INVALID;
	tp_fate_find(e->fate, &fate);
	return fate;
}

/* --- the answer --- */

static void answer_chosen(const struct tp_class *class, size_t event, struct tp_str *out)
{
	char number[32];
	tp_str_printf(out, "Chosen, %s of %zu: it counts ",
		      ordinal(number, sizeof(number), (unsigned)class->events[event].order + 1),
		      class->n_chosen);
	tp_report_represents(class, event, out);
	tp_str_add(out, ", which no event chosen before it tells.\n");
	size_t n = 0;
	for (size_t i = 0; i < class->n_metrics; i++) {
		const struct tp_class_metric *m = &class->metrics[i];
		for (size_t k = 0; k < m->n_terms; k++) {
			if (!m->defined || m->terms[k].chosen >= class->n_chosen ||
			    class->chosen[m->terms[k].chosen] != event || m->terms[k].rounded == 0)
				continue;
			tp_str_printf(out, "%s%s (%.4g x)", n++ ? ", " : "It is part of ", m->name,
				      m->terms[k].rounded);
		}
	}
	tp_str_add(out, n ? ".\n" : "No defined metric needs it.\n");
}

/* Two lines: was it chosen, and what follows from that. */
static void add_answer(const struct tp_class *class, size_t event, struct tp_str *out)
{
	const struct tp_class_event *e = &class->events[event];
	switch (fate_of(e)) {
	case TP_FATE_CHOSEN:
		answer_chosen(class, event, out);
		break;
	case TP_FATE_DEPENDENT:
		tp_str_add(out, "Dropped, it tells nothing new: ");
		if (e->dependence) {
			tp_str_add(out, "it is ");
			add_combination(class, e->dependence, true, out);
		} else {
			tp_str_add(out, "the chosen events tell it already");
		}
		tp_str_add(out, ".\nIt counts ");
		tp_report_represents(class, event, out);
		tp_str_add(out, ".\n");
		break;
	case TP_FATE_NOISY:
		tp_str_printf(out,
			      "Dropped, its readings do not repeat: noise %.2g, allowed %.2g.\n"
			      "Nothing can be said of what it counts here.\n",
			      e->noise, class->tau);
		break;
	case TP_FATE_FOREIGN:
		tp_str_printf(out,
			      "Dropped, it counts something that these kernels do not exercise.\n"
			      "No combination of what they do comes nearer than %.2g; allowed "
			      "%.2g.\n",
			      e->residual, class->residual_limit);
		break;
	case TP_FATE_IRRELEVANT:
		tp_str_add(out, "Dropped, it stays at 0 in every row.\n"
				"Nothing that these kernels do makes it count.\n");
		break;
	case TP_FATE_MISSING:
		tp_str_add(out, "Dropped, it can be opened, but stays at 0 in every row.\n"
				"These kernels do what its name says, so it is not implemented "
				"here.\n");
		break;
	default:
		tp_str_add(out, "Dropped, its readings cannot be used.\n"
				"A count is missing, negative or no number.\n");
	}
}

/* --- the path --- */

static void path_of_quiet(const struct tp_class *class, const struct tp_class_event *e,
			  size_t event, struct tp_str *out)
{
	char small[32];
	enum tp_fate fate = fate_of(e);
	if (fabs(e->noise) <= TP_EXACT)
		tp_str_add(out, "quiet: every repetition counts the same\n");
	else
		tp_str_printf(out, "quiet: noise %.3g, at most %.3g\n", e->noise, class->tau);
	if (fate == TP_FATE_FOREIGN) {
		tp_str_printf(out, "not representable: residual %.3g, above %.3g; dropped\n",
			      e->residual, class->residual_limit);
		return;
	}
	tp_str_add(out, "represents ");
	tp_report_represents(class, event, out);
	tp_str_printf(out, " (residual: %s; at most %.3g)\n",
		      tp_report_small(small, sizeof(small), e->residual), class->residual_limit);
	if (fate == TP_FATE_DEPENDENT)
		tp_str_printf(out, "dependent: norm of what is left %s, below %.3g; dropped\n",
			      fabs(e->norm) <= TP_EXACT
				      ? "0"
				      : tp_report_small(small, sizeof(small), e->norm),
			      class->beta);
	else
		tp_str_printf(out, "chosen: score %.4g, norm %.4g\n", e->score, e->norm);
}

void tp_report_decision(const struct tp_class *class, size_t event, struct tp_str *out)
{
	const struct tp_class_event *e = &class->events[event];
	add_answer(class, event, out);
	tp_str_printf(out, "measured in %zu rows by %s\n", class->n_used, class->source);
	if (e->left_out > 0)
		tp_str_printf(out, "disturbed: %ld reading%s left out\n", e->left_out,
			      e->left_out == 1 ? "" : "s");
	switch (fate_of(e)) {
	case TP_FATE_INVALID:
		tp_str_add(out, "invalid: dropped\n");
		break;
	case TP_FATE_IRRELEVANT:
	case TP_FATE_MISSING:
		tp_str_printf(out, "%s: dropped\n", e->fate);
		break;
	case TP_FATE_NOISY:
		tp_str_printf(out, "noisy: noise %.3g, above %.3g; dropped\n", e->noise,
			      class->tau);
		break;
	default:
		path_of_quiet(class, e, event, out);
	}
}

/* --- what is missing --- */

/*
 * An orthonormal basis of what the chosen events represent; returns its vectors, `n_ideals` numbers
 * each.
 */
static size_t orthonormal(const struct tp_class *class, double *q)
{
	size_t n = class->n_ideals, rank = 0;
	for (size_t i = 0; i < class->n_chosen; i++) {
		const double *x = class->events[class->chosen[i]].x;
		double *v = q + rank * n, norm = 0, whole = 0;
		if (!x)
			continue;
		memcpy(v, x, n * sizeof(*v));
		/* Twice is enough to lose what rounding left. */
		for (int pass = 0; pass < 2; pass++)
			for (size_t k = 0; k < rank; k++) {
				double dot = 0;
				for (size_t j = 0; j < n; j++)
					dot += v[j] * q[k * n + j];
				for (size_t j = 0; j < n; j++)
					v[j] -= dot * q[k * n + j];
			}
		for (size_t j = 0; j < n; j++) {
			norm += v[j] * v[j];
			whole += x[j] * x[j];
		}
		if (!(norm > NEGLIGIBLE * NEGLIGIBLE * whole))
			continue;
		for (size_t j = 0; j < n; j++)
			v[j] /= sqrt(norm);
		rank++;
	}
	return rank;
}

void tp_report_missing(const struct tp_class *class, struct tp_str *out)
{
	enum { TOGETHER, BY_NONE, NOT_MEASURED, REASONS };
	static const char *const words[REASONS] = {
		[TOGETHER] = "counted only together with others, by no event alone",
		[BY_NONE] = "counted by no event",
		[NOT_MEASURED] = "no row that was measured exercises it",
	};
	size_t n = class->n_ideals;
	TP_FREE double *q = tp_alloc(class->n_chosen * n + 1, sizeof(*q));
	TP_FREE int *reason = tp_alloc(n + 1, sizeof(*reason));
	size_t rank = orthonormal(class, q);
	for (size_t i = 0; i < n; i++) {
		double covered = 0, seen = 0;
		for (size_t k = 0; k < rank; k++)
			covered += q[k * n + i] * q[k * n + i];
		for (size_t k = 0; k < class->n_chosen; k++) {
			const double *x = class->events[class->chosen[k]].x;
			seen = fmax(seen, x ? fabs(x[i]) : 0);
		}
		/* What is not in the span to within alpha is not told apart. */
		reason[i] = 1 - covered <= fmax(class->alpha, NEGLIGIBLE) ? REASONS
			    : seen > class->alpha			  ? TOGETHER
									  : BY_NONE;
	}
	for (int r = 0; r < REASONS; r++) {
		size_t before = out->len;
		for (size_t i = 0; i < n; i++)
			if (reason[i] == r)
				tp_str_printf(out, "%s%s", out->len > before ? ", " : "",
					      class->ideals[i]);
		for (size_t i = 0; r == NOT_MEASURED && i < class->n_absent; i++)
			tp_str_printf(out, "%s%s", i ? ", " : "", class->absent[i]);
		if (out->len > before)
			tp_str_printf(out, ": %s\n", words[r]);
	}
}

/* --- tables --- */

/* Events of a reason: with their values; by name alone; by name where the page is short. */
enum { SHOWN = 5, NAMED = 8, BRIEF = 3 };

/* From this alpha on coefficients are measured, not counted: a family of caches. */
#define NOISY_ALPHA 1e-2

/* "flops: metrics": pages are long, and a heading tells whose it is. */
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

/* --- chosen --- */

struct chosen {
	size_t place;
	const struct tp_class_event *event;
	double noise;
	const char *counts;
};

#define CHOSEN(name) TP_SHOWS(struct chosen, name)
#define EVENT(name)  TP_SHOWS(struct tp_class_event, name), TP_VIA(struct chosen, event)
static const struct tp_grid_column chosen_columns[] = {
	{ "", TP_RIGHT, 0, CHOSEN(place), .paint = TP_PAINT_DIM },
	{ "event", TP_LEFT, 0, EVENT(name), .paint = TP_PAINT_STRONG },
	{ "noise", TP_RIGHT, 1, CHOSEN(noise), .words = tp_report_small },
	{ "residual", TP_RIGHT, 2, EVENT(residual), .words = tp_report_small },
	{ "score", TP_RIGHT, 3, EVENT(score), .as = TP_AS_DIGITS, .digits = 4 },
	{ "counts", TP_LEFT, 0, CHOSEN(counts) },
};

static void show_chosen(const struct tp_class *class, const struct tp_reading_family *readings,
			struct tp_text *doc)
{
	show_section(doc, class, "chosen events, and what each counts");
	if (!class->n_chosen) {
		tp_text_wrap(doc, TP_PAINT_BAD,
			     "none: no event of this family is quiet and representable", 0, 0);
		return;
	}
	TP_GRID(grid, chosen_columns);
	tp_grid_heads(&grid);
	for (size_t i = 0; i < class->n_chosen; i++) {
		const struct tp_class_event *e = &class->events[class->chosen[i]];
		/* One repetition tells no noise. */
		bool single = readings && readings->n_repetitions == 1;
		TP_STR counts = { 0 };
		tp_report_represents(class, class->chosen[i], &counts);
		tp_grid_row(
			&grid,
			&(struct chosen){ i + 1, e, single ? NAN : e->noise, tp_str_text(&counts) },
			NULL);
	}
	tp_grid_write(&grid, doc);
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

static void show_metric(struct tp_grid *grid, const struct tp_class *class,
			const struct tp_class_metric *m, const struct tp_look *look)
{
	TP_STR exact = { 0 }, rounded = { 0 }, nearest = { 0 };
	/*
	 * What is nearest to a metric that cannot be counted is told in round figures: the rest is
	 * noise of the arithmetic.
	 */
	tp_report_formula(class, m, !m->defined, &exact);
	tp_report_formula(class, m, true, &rounded);
	tp_str_printf(&nearest, "nearest: %s", tp_str_text(&exact));
	struct formula f = { .name = m->name,
			     .verdict = m->defined ? "defined" : "not here",
			     .words = m->defined			      ? tp_str_text(&exact)
				      : strcmp(tp_str_text(&exact), "0") == 0 ? "nothing comes near"
				      : look->full ? tp_str_text(&nearest)
						   : "",
			     .error = m->error,
			     .row_error = m->row_error,
			     .defined = m->defined };
	tp_grid_row(grid, &f, NULL);
	if (m->defined && class->alpha >= NOISY_ALPHA &&
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
	TP_GRID(grid, formula_columns);
	tp_grid_heads(&grid);
	for (size_t i = 0; i < class->n_metrics; i++)
		show_metric(&grid, class, &class->metrics[i], doc->look);
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

/* Names alone: there is nothing more to say about them. */
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
		/* What a dropped event says about itself. */
		const struct tp_class_event *e = &class->events[found[i].event];
		TP_STR text = { 0 };
		if (fate == TP_FATE_NOISY)
			tp_str_printf(&text, "noise %.3g", e->noise);
		else if (fate == TP_FATE_FOREIGN)
			tp_str_printf(&text, "residual %.3g", e->residual);
		else
			add_combination(class, e->dependence, true, &text);
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
		for (char *rest = text.s, *line; (line = strsep(&rest, "\n")) && *line;)
			tp_text_say(doc, TP_PAINT_PLAIN, 0, 2, "%s", line);
	}
	if (!tp_run_n_classes(run) || doc->look->full)
		return;
	tp_text_gap(doc);
	tp_text_wrap(doc, TP_PAINT_DIM,
		     "--report=full adds the pictures and the values of dropped events. "
		     "--classify RUN --explain EVENT tells why an event was chosen or dropped.",
		     0, 0);
}

static void page_of_classes(struct tp_page *page)
{
	tp_report_classes(page->run, page->doc);
}

/* --- decision paths --- */

size_t tp_report_decisions(const struct tp_class *class, const char *pattern, struct tp_text *doc)
{
	TP_STR text = { 0 };
	size_t told = 0;
	for (size_t i = 0; i < class->n_events; i++) {
		if (pattern ? fnmatch(pattern, class->events[i].name, FNM_CASEFOLD) != 0
			    : class->events[i].order < 0)
			continue;
		told++;
		tp_str_clear(&text);
		tp_report_decision(class, i, &text);
		show_section(doc, class, class->events[i].name);
		size_t lines = 0;
		for (char *rest = text.s, *line; (line = strsep(&rest, "\n")) && *line; lines++) {
			bool how = lines >= TP_ANSWER_LINES;
			tp_text_run(doc, TP_PAINT_PLAIN, how ? "  -> " : "  ");
			tp_text_say(doc, how ? TP_PAINT_DIM : TP_PAINT_PLAIN, how ? 5 : 2,
				    how ? 5 : 2, "%s", line);
		}
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
