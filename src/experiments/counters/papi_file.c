/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/counters/papi_file.h"
#include "counters/papi.h"
#include "base/memory.h"
#include "experiments/counters/classes.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* See the header for where these limits of PAPI 7 come from. */
enum { MAX_EVENTS = 50, MAX_TERMS = 8, MAX_LINE = 2047, MAX_SYMBOL = 60, MAX_NATIVES = 4096 };

struct writing {
	struct tp_str *out;
	const struct tp_class *classes;
	size_t n_classes;
	char (*symbols)[MAX_SYMBOL + 8]; /* used so far */
	size_t n_symbols, cap_symbols;
	size_t n_events;
};

/* A term of a metric as PAPI can write it: coefficient / denominator times an event. */
struct term {
	const char *event;
	double coefficient;
	long long numerator;
	size_t position; /* in pivot order */
};

struct formula {
	struct term terms[MAX_TERMS];
	size_t n;
	long long denominator;
};

/* --- fractions --- */

/*
 * The simplest fraction within 1e-9 of a value, by continued fractions; false beyond a denominator
 * of `limit`.
 */
static bool simple_fraction(double value, long long limit, long long *numerator,
			    long long *denominator)
{
	long long p0 = 0, q0 = 1, p1 = 1, q1 = 0;
	double rest = fabs(value);
	for (int i = 0; i < 40; i++) {
		double whole = floor(rest);
		if (whole > INT_MAX)
			return false;
		long long p = (long long)whole * p1 + p0, q = (long long)whole * q1 + q0;
		if (q > limit || p > INT_MAX)
			return false;
		p0 = p1, q0 = q1, p1 = p, q1 = q;
		if (fabs((double)p / (double)q - fabs(value)) <= 1e-9 * fabs(value)) {
			*numerator = value < 0 ? -p : p;
			*denominator = q;
			return true;
		}
		rest = 1 / (rest - whole);
	}
	return false;
}

static long long common_divisor(long long a, long long b)
{
	while (b) {
		long long rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* Small fractions over one denominator, if all coefficients are such. */
static bool use_simple_fractions(struct formula *formula)
{
	long long common = 1, p[MAX_TERMS], q[MAX_TERMS];
	for (size_t i = 0; i < formula->n; i++) {
		if (!simple_fraction(formula->terms[i].coefficient, 1000, &p[i], &q[i]))
			return false;
		common = common / common_divisor(common, q[i]) * q[i];
		if (common > 1000000)
			return false;
	}
	for (size_t i = 0; i < formula->n; i++) {
		long long factor = common / q[i];
		if (llabs(p[i]) > INT_MAX / factor)
			return false;
		formula->terms[i].numerator = p[i] * factor;
	}
	formula->denominator = common;
	return true;
}

/* As many decimals as fit. */
static bool use_decimals(struct formula *formula)
{
	double largest = 0;
	for (size_t i = 0; i < formula->n; i++)
		largest = fmax(largest, fabs(formula->terms[i].coefficient));
	long long power = 1000000000;
	while (power > 1 && largest * (double)power > INT_MAX)
		power /= 10;
	if (!(largest * (double)power <= INT_MAX))
		return false;
	for (size_t i = 0; i < formula->n; i++)
		formula->terms[i].numerator =
			llround(formula->terms[i].coefficient * (double)power);
	formula->denominator = power;
	return true;
}

/* --- names --- */

static bool is_taken(const struct writing *writing, const char *symbol)
{
	for (size_t i = 0; i < writing->n_symbols; i++)
		if (strcasecmp(writing->symbols[i], symbol) == 0)
			return true;
	for (size_t c = 0; c < writing->n_classes; c++)
		for (size_t i = 0; i < writing->classes[c].n_chosen; i++) {
			const struct tp_class *class = &writing->classes[c];
			if (strcasecmp(class->events[class->chosen[i]].name, symbol) == 0)
				return true;
		}
	return false;
}

/* The metric's symbol, or its name as one; made unique by a number. */
static const char *new_symbol(struct writing *writing, const struct tp_class_metric *metric)
{
	const char *from = metric->symbol && *metric->symbol ? metric->symbol : metric->name;
	char base[MAX_SYMBOL];
	size_t n = 0;
	for (; *from && n + 1 < sizeof(base); from++)
		base[n++] =
			isalnum((unsigned char)*from) ? (char)toupper((unsigned char)*from) : '_';
	base[n] = '\0';
	TP_RESERVE(writing->symbols, writing->cap_symbols, writing->n_symbols + 1);
	char *symbol = writing->symbols[writing->n_symbols];
	size_t size = sizeof(*writing->symbols);
	/* PAPI looks for what begins like its presets among them only. */
	bool plain = isalpha((unsigned char)*base) && strncmp(base, "PAPI_", 5) != 0;
	snprintf(symbol, size, "%s%s", plain ? "" : "M_", base);
	for (unsigned k = 2; is_taken(writing, symbol); k++)
		snprintf(symbol, size, "%s%.*s_%u", plain ? "" : "M_", MAX_SYMBOL - 8, base, k);
	writing->n_symbols++;
	return symbol;
}

/* --- text --- */

/* Text in a field: PAPI cuts lines at commas, also within quotes. */
static void add_plain(struct tp_str *out, const char *text)
{
	for (; *text; text++) {
		char c = *text == ','		    ? ';'
			 : *text == '"'		    ? '\''
			 : *text < ' ' && *text > 0 ? ' '
						    : *text;
		tp_str_add_n(out, &c, 1);
	}
}

static int by_sign(const void *a, const void *b)
{
	const struct term *x = a, *y = b;
	bool minus_x = x->numerator < 0, minus_y = y->numerator < 0;
	if (minus_x != minus_y)
		return minus_x ? 1 : -1;
	return (x->position > y->position) - (x->position < y->position);
}

/* --- one metric --- */

static const char *unusable(const char *event)
{
	if (strpbrk(event, ",\"\n\r\t"))
		return "its name holds characters that the file's syntax takes";
	const char *colons = strstr(event, ":::");
	if (colons && strncmp(event, "perf_event", (size_t)(colons - event)) != 0)
		return "it belongs to another component than the CPU's, and PAPI combines only "
		       "events of that one";
	return NULL;
}

/* Why PAPI cannot express it, or NULL. */
static const char *make_formula(const struct tp_class *class, const struct tp_class_metric *metric,
				struct formula *formula, char *why, size_t size)
{
	bool rounded = tp_class_is_round(class, metric);
	*formula = (struct formula){ .denominator = 1 };
	for (size_t i = 0; i < metric->n_terms; i++) {
		const struct tp_class_term *term = &metric->terms[i];
		double coefficient = rounded ? term->rounded : term->coefficient;
		const char *event = class->events[class->chosen[term->chosen]].name;
		const char *reason = unusable(event);
		if (coefficient == 0)
			continue;
		if (reason) {
			snprintf(why, size, "%.300s: %s", event, reason);
			return why;
		}
		if (formula->n == MAX_TERMS) {
			snprintf(why, size, "it has %zu terms, and PAPI takes %d", metric->n_terms,
				 MAX_TERMS);
			return why;
		}
		formula->terms[formula->n++] =
			(struct term){ .event = event, .coefficient = coefficient, .position = i };
	}
	if (formula->n == 0)
		return "it has no term: it is always 0";
	if (!use_simple_fractions(formula) && !use_decimals(formula))
		return "a coefficient is beyond what PAPI reads as a constant";
	/* Decimals may cut a term to nothing; PAPI would count its event in vain. */
	size_t n = 0;
	for (size_t i = 0; i < formula->n; i++)
		if (formula->terms[i].numerator != 0)
			formula->terms[n++] = formula->terms[i];
	formula->n = n;
	qsort(formula->terms, n, sizeof(formula->terms[0]), by_sign);
	return NULL;
}

static void add_comment(struct tp_str *out, const struct tp_class *class,
			const struct tp_class_metric *metric, const char *why)
{
	tp_str_add(out, "# ");
	add_plain(out, class->family);
	tp_str_add(out, ": ");
	add_plain(out, metric->name);
	tp_str_printf(out, " (error %.3g): ", metric->error);
	add_plain(out, why);
	tp_str_add(out, "\n");
}

static void event_line(struct tp_str *line, const struct tp_class *class,
		       const struct tp_class_metric *metric, const struct formula *formula,
		       const char *symbol)
{
	bool alias =
		formula->n == 1 && formula->terms[0].numerator == 1 && formula->denominator == 1;
	tp_str_printf(line, "EVENT,%s,%s", symbol, alias ? "NOT_DERIVED" : "DERIVED_POSTFIX,");
	if (!alias) {
		/* "N0|3|*|N1|2|*|-|": terms with a plus come first, since a first term has no sign.
		 */
		if (formula->terms[0].numerator < 0)
			tp_str_add(line, "0|");
		for (size_t i = 0; i < formula->n; i++) {
			long long p = formula->terms[i].numerator;
			tp_str_printf(line, "N%zu|", i);
			if (llabs(p) != 1)
				tp_str_printf(line, "%lld|*|", llabs(p));
			if (p < 0)
				tp_str_add(line, "-|");
			else if (i)
				tp_str_add(line, "+|");
		}
		if (formula->denominator != 1)
			tp_str_printf(line, "%lld|/|", formula->denominator);
	}
	for (size_t i = 0; i < formula->n; i++)
		tp_str_printf(line, ",%s", formula->terms[i].event);
	tp_str_add(line, ",LDESC,\"");
	add_plain(line, metric->name);
	tp_str_add(line, ": ");
	for (size_t i = 0; i < formula->n; i++) {
		double c = formula->terms[i].coefficient;
		tp_str_add(line, i ? (c < 0 ? " - " : " + ") : (c < 0 ? "-" : ""));
		tp_str_printf(line, "%.10g x ", fabs(c));
		add_plain(line, formula->terms[i].event);
	}
	tp_str_add(line, "\",SDESC,\"");
	add_plain(line, metric->name);
	tp_str_add(line, "\",NOTE,\"tprof family ");
	add_plain(line, class->family);
	tp_str_printf(line, "; backward error %.3g", metric->error);
	if (!isnan(metric->row_error))
		tp_str_printf(line, ", off by %.3g %% on its rows", 100 * metric->row_error);
	if (class->per && *class->per) {
		tp_str_add(line, "; counts were taken per ");
		add_plain(line, class->per);
	}
	tp_str_add(line, "\"\n");
}

static void write_metric(struct writing *writing, const struct tp_class *class,
			 const struct tp_class_metric *metric)
{
	struct formula formula;
	TP_STR line = { 0 };
	char why[512];
	if (!metric->defined) {
		add_comment(writing->out, class, metric, "these events cannot count it");
		return;
	}
	const char *reason = make_formula(class, metric, &formula, why, sizeof(why));
	if (!reason && writing->n_events == MAX_EVENTS)
		reason = "PAPI takes no more than 50 events";
	const char *symbol = reason ? "" : new_symbol(writing, metric);
	if (!reason) {
		event_line(&line, class, metric, &formula, symbol);
		if (line.len > MAX_LINE)
			reason = "its line is longer than PAPI reads";
	}
	if (reason) {
		add_comment(writing->out, class, metric, reason);
	} else {
		tp_str_add(writing->out, tp_str_text(&line));
		writing->n_events++;
	}
}

/* --- the file --- */

static void add_cpu_lines(struct tp_str *out, const char *pmus)
{
	while (*pmus) {
		size_t len = strcspn(pmus, " ");
		if (len) {
			tp_str_add(out, "CPU,");
			tp_str_add_n(out, pmus, len);
			tp_str_add(out, "\n");
		}
		pmus += len + (pmus[len] == ' ');
	}
}

static const char head[] =
	"# Derived events for PAPI, written by tprof; see PAPI_derived_event_files(1).\n"
	"# Use: PAPI_USER_EVENTS_FILE=<this file> program, which adds them by name\n"
	"# (PAPI_add_named_event). Values are cut to whole numbers.\n";

static bool is_emulated(const struct tp_class *class)
{
	return class->source && strcmp(class->source, "emulated") == 0;
}

static void write_class(struct writing *writing, const struct tp_class *class)
{
	tp_str_add(writing->out, "# ");
	add_plain(writing->out, class->title && *class->title ? class->title : class->family);
	tp_str_printf(writing->out, " (%s)\n", class->source ? class->source : "");
	for (size_t i = 0; i < class->n_metrics; i++)
		write_metric(writing, class, &class->metrics[i]);
}

void tp_papi_file_for(const struct tp_class *classes, size_t n, const char *pmus,
		      struct tp_str *out)
{
	struct writing writing = { .out = out, .classes = classes, .n_classes = n };
	size_t n_emulated = 0;
	tp_str_add(out, head);
	/* First, since PAPI forgets a matching CPU line only when events followed it. */
	for (size_t c = 0; c < n; c++) {
		if (!is_emulated(&classes[c]))
			continue;
		if (n_emulated++ == 0)
			tp_str_add(out, "# Emulated events, which no machine has: PAPI passes over "
					"these.\nCPU,emulated\n");
		write_class(&writing, &classes[c]);
	}
	if (n_emulated < n && *pmus)
		add_cpu_lines(out, pmus);
	else if (n_emulated < n)
		tp_str_add(out, "# PAPI reads events after a line that names the PMU of the CPU; "
				"papi_component_avail lists it:\n# CPU,<name>\n");
	for (size_t c = 0; c < n; c++)
		if (!is_emulated(&classes[c]))
			write_class(&writing, &classes[c]);
	free(writing.symbols);
}

void tp_papi_file(const struct tp_class *classes, size_t n, struct tp_str *out)
{
	TP_STR pmus = { 0 };
	char here[256] = "";
	/*
	 * PMUs that stand before events' names ("skx::INST_RETIRED"), each once; those of every
	 * kernel do not identify the CPU.
	 */
	for (size_t c = 0; c < n; c++)
		for (size_t i = 0; i < classes[c].n_chosen; i++) {
			const char *name = classes[c].events[classes[c].chosen[i]].name;
			const char *colons = strstr(name, "::");
			char pmu[64];
			size_t len = colons ? (size_t)(colons - name) : 0;
			if (!len || len >= sizeof(pmu) || colons[2] == ':')
				continue;
			memcpy(pmu, name, len);
			pmu[len] = '\0';
			if (strcmp(pmu, "perf") == 0 || strcmp(pmu, "perf_raw") == 0 ||
			    strcmp(pmu, "ix86arch") == 0 || strpbrk(pmu, ", \"") ||
			    tp_has_word(tp_str_text(&pmus), pmu))
				continue;
			tp_str_printf(&pmus, "%s%s", pmus.len ? " " : "", pmu);
		}
	if (!pmus.len)
		tp_papi_pmus(here, sizeof(here));
	tp_papi_file_for(classes, n, pmus.len ? tp_str_text(&pmus) : here, out);
}
