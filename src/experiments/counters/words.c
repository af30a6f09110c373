/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Combinations of events and the path of one event through the analysis, in words. */
#include "experiments/counters/report.h"
#include "analysis/classify.h"
#include "experiments/counters/classes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static double largest_of(const double *values, size_t n)
{
	double most = 0;
	for (size_t i = 0; i < n; i++)
		most = fmax(most, fabs(values[i]));
	return most;
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

void tp_report_represents(const struct tp_class *class, size_t event, struct tp_str *out)
{
	const struct tp_class_event *e = &class->events[event];
	size_t before = out->len;
	if (!e->x)
		return;
	double most = largest_of(e->x, class->n_ideals);
	/* Of a noisy family what is below alpha means nothing. */
	double least = fmax(NEGLIGIBLE * most, class->alpha / 2);
	for (size_t i = 0; i < class->n_ideals; i++)
		if (fabs(e->x[i]) > least)
			add_term(out, before, tp_round_coefficient(e->x[i], class->alpha),
				 class->ideals[i]);
}

void tp_report_dependence(const struct tp_class *class, size_t event, struct tp_str *out)
{
	const struct tp_class_event *e = &class->events[event];
	size_t before = out->len;
	if (!e->dependence)
		return;
	double most = largest_of(e->dependence, class->n_chosen);
	double least = fmax(NEGLIGIBLE * most, class->alpha / 2);
	for (size_t i = 0; i < class->n_chosen; i++)
		if (fabs(e->dependence[i]) > least)
			add_term(out, before, tp_round_coefficient(e->dependence[i], class->alpha),
				 class->events[class->chosen[i]].name);
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

static void tell_users(const struct tp_class *class, size_t event, struct tp_str *out)
{
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

static void answer_chosen(const struct tp_class *class, size_t event, struct tp_str *out)
{
	char number[32];
	tp_str_printf(out, "Chosen, %s of %zu: it counts ",
		      ordinal(number, sizeof(number), (unsigned)class->events[event].order + 1),
		      class->n_chosen);
	tp_report_represents(class, event, out);
	tp_str_add(out, ", which no event chosen before it tells.\n");
	tell_users(class, event, out);
}

static void answer_dependent(const struct tp_class *class, size_t event, struct tp_str *out)
{
	tp_str_add(out, "Dropped, it tells nothing new: ");
	if (class->events[event].dependence) {
		tp_str_add(out, "it is ");
		tp_report_dependence(class, event, out);
	} else {
		tp_str_add(out, "the chosen events tell it already");
	}
	tp_str_add(out, ".\nIt counts ");
	tp_report_represents(class, event, out);
	tp_str_add(out, ".\n");
}

/* Two lines: was it chosen, and what follows from that. */
static void answer(const struct tp_class *class, size_t event, struct tp_str *out)
{
	const struct tp_class_event *e = &class->events[event];
	switch (fate_of(e)) {
	case TP_FATE_CHOSEN:
		answer_chosen(class, event, out);
		break;
	case TP_FATE_DEPENDENT:
		answer_dependent(class, event, out);
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
	answer(class, event, out);
	tp_str_printf(out, "measured in %zu rows by %s\n", class->n_used, class->source);
	switch (fate_of(e)) {
	case TP_FATE_INVALID:
		tp_str_add(out, "invalid: dropped\n");
		break;
	case TP_FATE_IRRELEVANT:
		tp_str_add(out, "irrelevant: dropped\n");
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
	size_t n = class->n_ideals;
	double *q = calloc(class->n_chosen * n + 1, sizeof(*q));
	if (!q) {
		out->oom = true;
		return;
	}
	size_t rank = orthonormal(class, q);
	for (size_t i = 0; i < n; i++) {
		double covered = 0, seen = 0;
		for (size_t k = 0; k < rank; k++)
			covered += q[k * n + i] * q[k * n + i];
		/* What is not in the span to within alpha is not told apart. */
		if (1 - covered <= fmax(class->alpha, NEGLIGIBLE))
			continue;
		for (size_t k = 0; k < class->n_chosen; k++) {
			const double *x = class->events[class->chosen[k]].x;
			seen = fmax(seen, x ? fabs(x[i]) : 0);
		}
		tp_str_printf(out, "%s: %s\n", class->ideals[i],
			      seen > class->alpha
				      ? "counted only together with others, by no event alone"
				      : "counted by no event");
	}
	for (size_t i = 0; i < class->n_absent; i++)
		tp_str_printf(out, "%s: no row that was measured exercises it\n", class->absent[i]);
	free(q);
}
