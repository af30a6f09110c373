/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events and metrics in words: combinations of events, the path of one event through the analysis,
 * what a metric is made of.
 */
#include "experiments/counters/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/classify.h"
#include "base/memory.h"

/* A coefficient this much smaller than the largest is rounding. */
#define NEGLIGIBLE 1e-6
/* So is one below this, whatever the largest: counts and signatures are of the order of 1. */
#define NOTHING 1e-12

static void add_term(struct tp_str *out, size_t before, double coefficient, const char *name)
{
	double a = fabs(coefficient);
	bool first = out->len == before;
	tp_str_add(out, first ? coefficient < 0 ? "-" : "" : coefficient < 0 ? " - " : " + ");
	/* Coefficients of exact families differ from 1 only by rounding. */
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

/* "2 x A + B": a sum of ideal or chosen events; empty without weights. */
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

void tp_report_dependence(const struct tp_class *class, size_t event, struct tp_str *out)
{
	add_combination(class, class->events[event].dependence, true, out);
}

/* --- the path of an event --- */

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

enum tp_paint tp_report_fate_paint(const struct tp_class_event *event)
{
	static const enum tp_paint paints[TP_FATE_COUNT] = {
		[TP_FATE_CHOSEN] = TP_PAINT_GOOD,    [TP_FATE_DEPENDENT] = TP_PAINT_PLAIN,
		[TP_FATE_IRRELEVANT] = TP_PAINT_DIM, [TP_FATE_NOISY] = TP_PAINT_WARN,
		[TP_FATE_MISSING] = TP_PAINT_WARN,   [TP_FATE_INVALID] = TP_PAINT_BAD,
		[TP_FATE_FOREIGN] = TP_PAINT_DIM,
	};
	return paints[fate_of(event)];
}

/* --- the answer --- */

static void answer_chosen(const struct tp_class *class, size_t event, struct tp_str *out)
{
	char number[32];
	tp_str_printf(
		out, "Chosen, %s of %zu: it counts ",
		tp_text_ordinal(number, sizeof(number), (unsigned)class->events[event].order + 1),
		class->n_chosen);
	tp_report_represents(class, event, out);
	tp_str_add(out, ", which no event chosen before it counts.\n");
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
		tp_str_add(out, "Dropped, it counts nothing new: ");
		if (e->dependence) {
			tp_str_add(out, "it is ");
			tp_report_dependence(class, event, out);
		} else {
			tp_str_add(out, "the chosen events count it already");
		}
		tp_str_add(out, ".\nIt counts ");
		tp_report_represents(class, event, out);
		tp_str_add(out, ".\n");
		break;
	case TP_FATE_NOISY:
		tp_str_printf(out,
			      "Dropped, its readings do not repeat: noise %.2g, allowed %.2g.\n"
			      "What it counts here is unknown.\n",
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
		tp_str_add(out,
			   "Dropped, it can be opened, but stays at 0 in every row.\nThese kernels "
			   "do what its name describes, so it is not implemented here.\n");
		break;
	default:
		tp_str_add(out, "Dropped, its readings cannot be used.\n"
				"A count is missing, negative or not a number.\n");
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

void tp_report_path(const struct tp_class *class, size_t event, struct tp_text *doc)
{
	TP_STR text = { 0 };
	tp_report_decision(class, event, &text);
	char *rest = text.s;
	size_t lines = 0;
	for (char *line; (line = strsep(&rest, "\n")) && *line; lines++) {
		const bool how = lines >= TP_ANSWER_LINES;
		const unsigned indent = how ? 5 : 2;
		tp_text_run(doc, TP_PAINT_PLAIN, how ? "  -> " : "  ");
		tp_text_say(doc, how ? TP_PAINT_DIM : TP_PAINT_PLAIN, indent, indent, "%s", line);
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
		[TOGETHER] = "counted only together with others, not by a single event",
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
		/* Parts outside the span up to alpha are not distinguished. */
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

void tp_report_lines(struct tp_text *doc, char *lines, unsigned indent)
{
	for (char *line; (line = strsep(&lines, "\n")) && *line;) {
		tp_text_indent(doc, indent);
		tp_text_say(doc, TP_PAINT_PLAIN, indent, indent + 2, "%s", line);
	}
}

/* --- one metric --- */

const char *tp_report_verdict(const struct tp_class_metric *metric)
{
	return metric->defined ? "defined" : "not here";
}

struct term {
	const struct tp_class_term *term;
	const struct tp_class_event *event;
	const char *counts;
};

static const char *coefficient_words(char *out, size_t size, double value)
{
	snprintf(out, size, "%+.7g", value);
	return out;
}

/* Used if rounding changes the text. */
static double rounded_of(const void *of)
{
	const struct tp_class_term *t = of;
	return fabs(t->rounded - t->coefficient) > 1e-6 * fabs(t->coefficient) ? t->rounded : NAN;
}

#define TERM TP_VIA(struct term, term)
static const struct tp_grid_column term_columns[] = {
	{ "coefficient", TP_RIGHT, 0, TP_SHOWS(struct tp_class_term, coefficient), TERM,
	  .words = coefficient_words, .paint = TP_PAINT_STRONG },
	{ "rounded", TP_RIGHT, 2, .value = rounded_of, TERM, .as = TP_AS_DIGITS, .digits = 6,
	  .none = "", .paint = TP_PAINT_DIM },
	{ "event", TP_LEFT, 0, TP_SHOWS(struct tp_class_event, name), TP_VIA(struct term, event) },
	{ "counts", TP_LEFT, 1, TP_SHOWS(struct term, counts) },
};

static void show_terms(const struct tp_class *class, const struct tp_class_metric *m,
		       struct tp_text *doc)
{
	TP_GRID(grid, term_columns);
	tp_grid_heads(&grid);
	for (size_t i = 0; i < m->n_terms; i++) {
		const struct tp_class_term *t = &m->terms[i];
		TP_STR counts = { 0 };
		if (t->chosen >= class->n_chosen || fabs(t->coefficient) < NOTHING)
			continue;
		const size_t event = class->chosen[t->chosen];
		tp_report_represents(class, event, &counts);
		tp_grid_row(&grid, &(struct term){ t, &class->events[event], tp_str_text(&counts) },
			    NULL);
	}
	if (tp_grid_n_rows(&grid) > 1)
		tp_grid_write(&grid, doc);
}

void tp_report_metric(const struct tp_class *class, const struct tp_class_metric *m,
		      struct tp_text *doc)
{
	const bool only_rows = !m->defined && m->error <= class->defined_limit;
	char error[32], rounded[32];
	TP_STR formula = { 0 }, missing = { 0 };
	tp_report_formula(class, m, m->defined && tp_class_is_round(class, m), &formula);
	tp_text_say(doc, TP_PAINT_STRONG, 0, 0, "%s",
		    strcmp(tp_str_text(&formula), "0") == 0 ? TP_NOTHING_NEAR
							    : tp_str_text(&formula));
	tp_text_say(doc, TP_PAINT_DIM, 0, 0,
		    "backward error %s, rounded %s; defined up to %.3g%s%s%s%s",
		    tp_report_small(error, sizeof(error), m->error),
		    tp_report_small(rounded, sizeof(rounded), m->rounded_error),
		    class->defined_limit, *m->symbol ? "; PAPI: " : "", m->symbol,
		    *m->symbol && *m->unit ? ", in " : "", *m->symbol ? m->unit : "");
	if (!isnan(m->row_error))
		tp_text_say(doc, only_rows ? TP_PAINT_WARN : TP_PAINT_DIM, 0, 0,
			    "off by %.3g %% on the worst of the rows that it was made from",
			    100 * m->row_error);
	show_terms(class, m, doc);
	if (m->defined)
		return;
	tp_text_gap(doc);
	tp_text_wrap(doc, TP_PAINT_WARN,
		     "The events of this machine cannot count it: no combination of them comes "
		     "near. A formula above is only the nearest one and does not measure it.",
		     0, 0);
	tp_report_missing(class, &missing);
	if (missing.len)
		tp_text_wrap(doc, TP_PAINT_PLAIN, "Events are needed that count more of these:", 0,
			     0);
	tp_report_lines(doc, missing.s, 2);
}
