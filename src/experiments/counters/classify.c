/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/counters/classify.h"

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/classify.h"
#include "base/str.h"

/* A coefficient this far below the largest of its metric is what rounding left. */
static const double negligible = 1e-6;

struct bridge {
	struct tp_class *class;
	const struct tp_reading_family *readings;
	const struct tp_basis *basis;
	size_t *ideals; /* of the basis: those that a used row exercises */
	double *signatures; /* n_metrics x class->n_ideals */
};

static void *room_for(struct bridge *b, size_t n, size_t size_bytes)
{
	return tp_arena_alloc(&b->class->arena, (n ? n : 1) * size_bytes);
}

static const char *keep_text(struct bridge *b, const char *text)
{
	return tp_arena_strdup(&b->class->arena, text ? text : "");
}

static bool row_is_measured(const struct tp_reading_family *f, size_t row)
{
	for (size_t e = 0; e < f->n_events; e++)
		for (size_t k = 0; k < f->n_repetitions && row < f->n_rows; k++)
			if (!isnan(f->events[e].counts[k * f->cap_rows + row]))
				return true;
	return false;
}

static enum tp_status use_rows(struct bridge *b, struct tp_diag *diag)
{
	struct tp_class *class = b->class;
	const struct tp_basis *basis = b->basis;
	size_t n = basis->n_rows;

	if (b->readings->n_rows > n)
		return tp_fail(diag, TP_USAGE, b->readings->name,
			       "give the basis that the rows were made for: --basis FILE.yaml",
			       "row %zu was measured, the basis \"%s\" has %zu rows",
			       b->readings->n_rows - 1, basis->name, n);
	class->n_rows = n;
	class->rows = room_for(b, n, sizeof(*class->rows));
	class->row_names = room_for(b, n, sizeof(*class->row_names));
	class->row_groups = room_for(b, n, sizeof(*class->row_groups));
	class->row_x = room_for(b, n, sizeof(*class->row_x));
	for (size_t row = 0; row < n; row++) {
		size_t i = class->n_used;

		if (!row_is_measured(b->readings, row))
			continue;
		class->rows[i] = (unsigned)row;
		class->row_names[i] = keep_text(b, basis->rows[row].name);
		class->row_groups[i] = keep_text(b, basis->rows[row].group);
		class->row_x[i] = basis->rows[row].x;
		class->n_used++;
	}
	if (class->n_used == 0)
		return tp_fail(diag, TP_USAGE, b->readings->name, NULL,
			       "no row of the basis was measured");
	return TP_OK;
}

static bool is_exercised(const struct bridge *b, size_t ideal)
{
	for (size_t i = 0; i < b->class->n_used; i++)
		if (b->basis->rows[b->class->rows[i]].expect[ideal] != 0)
			return true;
	return false;
}

/* The columns that count somewhere, as a separate matrix; signatures lose the others. */
static enum tp_status use_ideals(struct bridge *b, struct tp_diag *diag)
{
	struct tp_class *class = b->class;
	const struct tp_basis *basis = b->basis;
	size_t n;

	class->ideals = room_for(b, basis->n_ideals, sizeof(*class->ideals));
	class->absent = room_for(b, basis->n_ideals, sizeof(*class->absent));
	b->ideals = room_for(b, basis->n_ideals, sizeof(*b->ideals));
	for (size_t i = 0; i < basis->n_ideals; i++) {
		const char *name = keep_text(b, basis->ideals[i].name);

		if (is_exercised(b, i)) {
			b->ideals[class->n_ideals] = i;
			class->ideals[class->n_ideals++] = name;
		} else {
			class->absent[class->n_absent++] = name;
		}
	}
	n = class->n_ideals;
	if (n == 0)
		return tp_fail(diag, TP_USAGE, b->readings->name, "measure more rows",
			       "no measured row exercises any ideal event");
	class->expectations = room_for(b, class->n_used * n, sizeof(double));
	b->signatures = room_for(b, basis->n_metrics * n, sizeof(double));
	for (size_t r = 0; r < class->n_used; r++)
		for (size_t i = 0; i < n; i++)
			class->expectations[r * n + i] =
				basis->rows[class->rows[r]].expect[b->ideals[i]];
	for (size_t m = 0; m < basis->n_metrics; m++)
		for (size_t i = 0; i < n; i++)
			b->signatures[m * n + i] = basis->metrics[m].signature[b->ideals[i]];
	return TP_OK;
}

/* The analysis has columns by number; readers by name. */
static enum tp_status check_columns(const struct bridge *b, struct tp_diag *diag)
{
	const struct tp_class *class = b->class;
	TP_FREE size_t *columns = tp_alloc(class->n_ideals, sizeof(*columns));
	TP_STR others = { 0 };
	size_t n = 0;

	tp_dependent_columns(class->expectations, class->n_used, class->n_ideals, columns, &n);
	for (size_t i = 1; i < n; i++)
		tp_str_printf(&others, "%s%s", i > 1 ? ", " : "", class->ideals[columns[i]]);
	if (n > 0)
		return tp_fail(diag, TP_USAGE, b->basis->name,
			       "measure rows in which they differ, or take one out of the basis",
			       "in the %zu measured rows the ideal event %.60s is a combination of "
			       "%.200s",
			       class->n_used, class->ideals[columns[0]], tp_str_text(&others));
	return TP_OK;
}

/* A repetition of an event over the used rows; none where it has no reading of any. */
static const double *event_vector(void *context, size_t event, size_t repetition, double *scratch)
{
	const struct bridge *b = context;
	const struct tp_class *class = b->class;
	size_t measured = 0;

	for (size_t i = 0; i < class->n_used; i++) {
		scratch[i] = class->rows[i] < b->readings->n_rows
				     ? tp_reading_value(b->readings, &b->readings->events[event],
							repetition, class->rows[i])
				     : NAN;
		measured += isnan(scratch[i]) ? 0 : 1;
	}
	return measured ? scratch : NULL;
}

/*
 * Whether the name shows what the event counts. Numbers, as in UNC_3F2A:00, r01c2 or
 * cpu/event=0x3c,umask=0/, do not.
 */
static bool is_named(void *context, size_t event)
{
	const struct bridge *b = context;
	size_t n;

	for (const char *at = b->readings->events[event].name; *at; at += n ? n : 1) {
		bool raw = tolower((unsigned char)*at) == 'r'; /* r01c2 */
		char word[10];

		for (n = 0; isalnum((unsigned char)at[n]);)
			n++;
		snprintf(word, sizeof(word), " %.*s ", (int)n, at);
		if (raw + strspn(at + raw, "0123456789abcdefxABCDEFX") < n &&
		    !strcasestr(" unc cpu event umask config raw ", word))
			return true;
	}
	return false;
}

/* Whether, by its name, it should count what the rows exercise; it does not. */
static bool should_count(const struct bridge *b, const char *event)
{
	for (size_t i = 0; i < b->class->n_ideals; i++) {
		TP_FREE char *called = tp_strdup(b->basis->ideals[b->ideals[i]].called);
		char *rest = called, *pattern;

		while ((pattern = strsep(&rest, " ")))
			if (fnmatch(pattern, event, FNM_CASEFOLD) == 0)
				return true;
	}
	return false;
}

static double *keep_numbers(struct bridge *b, const double *values, size_t n)
{
	size_t i = 0;
	while (i < n && !isnan(values[i]))
		i++;
	double *kept = i == n && n > 0 ? room_for(b, n, sizeof(*kept)) : NULL;
	if (kept)
		memcpy(kept, values, n * sizeof(*kept));
	return kept;
}

static void take_events(struct bridge *b, const struct tp_classification_result *result)
{
	struct tp_class *class = b->class;

	class->events = room_for(b, result->n_events, sizeof(*class->events));
	class->chosen = room_for(b, result->n_chosen, sizeof(*class->chosen));
	class->n_events = result->n_events;
	class->n_chosen = result->n_chosen;
	for (size_t i = 0; i < result->n_chosen; i++)
		class->chosen[i] = (unsigned)result->chosen[i];
	for (size_t e = 0; e < result->n_events; e++) {
		const struct tp_classified *from = &result->events[e];
		struct tp_class_event *to = &class->events[e];

		to->name = keep_text(b, b->readings->events[e].name);
		enum tp_fate fate = from->fate == TP_FATE_IRRELEVANT && should_count(b, to->name)
					    ? TP_FATE_MISSING
					    : from->fate;
		tp_copy(to->fate, sizeof(to->fate), tp_fate_name(fate));
		to->left_out = (long)(from->left_out + b->readings->events[e].left_out);
		to->noise = from->noise;
		to->residual = from->residual;
		to->score = from->score;
		to->norm = from->norm;
		to->order = from->fate == TP_FATE_CHOSEN ? (int)from->order : -1;
		to->x = keep_numbers(b, &result->x[e * result->n_ideals], result->n_ideals);
		if (from->fate == TP_FATE_DEPENDENT)
			to->dependence = keep_numbers(b, &result->dependence[e * result->n_chosen],
						      result->n_chosen);
	}
}

static void take_terms(struct bridge *b, const struct tp_classification_result *result, size_t m,
		       struct tp_class_metric *metric)
{
	const double *coefficients = &result->coefficients[m * result->n_chosen];
	double largest = 0;

	for (size_t i = 0; i < result->n_chosen; i++)
		largest = fmax(largest, fabs(coefficients[i]));
	metric->terms = room_for(b, result->n_chosen, sizeof(*metric->terms));
	for (size_t i = 0; i < result->n_chosen; i++)
		if (coefficients[i] != 0 && fabs(coefficients[i]) >= negligible * largest)
			metric->terms[metric->n_terms++] =
				(struct tp_class_term){ (unsigned)i, coefficients[i],
							result->rounded[m * result->n_chosen + i] };
}

static void take_metrics(struct bridge *b, const struct tp_classification_result *result)
{
	struct tp_class *class = b->class;

	class->metrics = room_for(b, result->n_metrics, sizeof(*class->metrics));
	class->n_metrics = result->n_metrics;
	for (size_t m = 0; m < result->n_metrics; m++) {
		const struct tp_basis_metric *from = &b->basis->metrics[m];
		struct tp_class_metric *to = &class->metrics[m];

		to->name = keep_text(b, from->name);
		to->symbol = keep_text(b, from->symbol);
		to->unit = keep_text(b, from->unit);
		to->error = result->metrics[m].error;
		to->rounded_error = result->metrics[m].rounded_error;
		to->row_error = result->metrics[m].row_error;
		to->rounded_row_error = result->metrics[m].rounded_row_error;
		to->row_noise = result->metrics[m].row_noise;
		to->defined = result->metrics[m].defined;
		/* None of it was exercised, so it is unknown: a formula without terms would fit. */
		size_t i = 0;
		while (i < result->n_ideals && b->signatures[m * result->n_ideals + i] == 0)
			i++;
		if (i == result->n_ideals) {
			to->error = to->rounded_error = to->row_error = NAN;
			to->rounded_row_error = to->row_noise = NAN;
			to->defined = false;
		} else {
			take_terms(b, result, m, to);
		}
	}
}

/*
 * On its own rows a metric may be off by as much as its events may be off what the kernels
 * exercise; by this where they are exact.
 */
#define ROWS_EXACT 1e-3

static enum tp_status analyse_family(struct bridge *b, struct tp_diag *diag)
{
	struct tp_class *class = b->class;
	TP_CLEANUP(tp_classification_result_release) struct tp_classification_result result = { 0 };
	struct tp_classify_input input = {
		.expectations = class->expectations,
		.n_rows = class->n_used,
		.n_ideals = class->n_ideals,
		.signatures = b->signatures,
		.n_metrics = b->basis->n_metrics,
		.n_events = b->readings->n_events,
		.n_repetitions = b->readings->n_repetitions,
		.vector = event_vector,
		.named = is_named,
		.context = b,
		.limits = { .noise = class->tau,
			    .residual = class->residual_limit,
			    .alpha = class->alpha,
			    .defined = class->defined_limit,
			    .rows = fmax(class->residual_limit, ROWS_EXACT),
			    .score = TP_SCORE_ORIGINAL },
	};
	enum tp_status status = tp_classify(&input, &result, diag);

	if (status == TP_OK) {
		take_events(b, &result);
		take_metrics(b, &result);
	}
	class->spectral_norm = result.spectral_norm;
	return status;
}

enum tp_status tp_classify_family(struct tp_class *class, const struct tp_reading_family *readings,
				  const struct tp_basis *basis, const char *source,
				  struct tp_diag *diag)
{
	struct bridge b = { .class = class, .readings = readings, .basis = basis };
	enum tp_status status;

	*class = (struct tp_class){ .tau = basis->noise,
				    .residual_limit = basis->residual,
				    .alpha = basis->alpha,
				    .defined_limit = basis->defined };
	if (diag)
		diag->what[0] = '\0';
	tp_copy(class->family, sizeof(class->family), readings->name);
	class->title = keep_text(&b, basis->title);
	class->per = keep_text(&b, basis->per);
	class->source = keep_text(&b, source);
	status = use_rows(&b, diag);
	if (status == TP_OK)
		status = use_ideals(&b, diag);
	class->beta = class->alpha * sqrt((double)class->n_ideals);
	if (status == TP_OK && class->n_used >= class->n_ideals)
		status = check_columns(&b, diag);
	if (status == TP_OK)
		status = analyse_family(&b, diag);
	return status;
}

/* Where the class goes: the place of one of the same name, if the family was analysed before. */
static struct tp_class *place_of(struct tp_run *run, const char *family)
{
	for (size_t i = 0; i < tp_run_n_classes(run); i++)
		if (strcmp(tp_run_classes(run)[i].family, family) == 0) {
			tp_class_release(&tp_run_classes(run)[i]);
			return &tp_run_classes(run)[i];
		}
	return tp_run_add_row(run, &tp_class_part);
}

enum tp_status tp_classify_into(struct tp_run *run, const struct tp_reading_family *readings,
				const struct tp_basis *basis, const char *source, unsigned index,
				struct tp_diags *diags)
{
	TP_CLEANUP(tp_basis_release) struct tp_basis found = { 0 };
	TP_CLEANUP(tp_class_release) struct tp_class class = { 0 };
	struct tp_diag diag;
	enum tp_status status = TP_OK;

	if (!basis) {
		char name[sizeof(((struct tp_class *)0)->family)];
		/* The basis carries the name of the family: "flops" for "flops#2". */
		tp_copy(name, sizeof(name), readings->name);
		name[strcspn(name, "#")] = '\0';
		const struct tp_fact *arch = tp_run_fact(run, "machine.arch");
		status = tp_basis_find_for(&found, name, arch ? arch->text : "", diags);
		if (status)
			return status;
		basis = &found;
	}
	status = tp_classify_family(&class, readings, basis, source, &diag);
	if (status == TP_OK) {
		class.run = index;
		*place_of(run, class.family) = class;
		class = (struct tp_class){ 0 };
	}
	if (status)
		tp_diags_add(diags, &diag);
	return status;
}
