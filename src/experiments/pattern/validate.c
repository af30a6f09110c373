/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/pattern/validate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

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

/* The same pass in the order of the first relation, by one thread on arrays of its own. */
static enum tp_status compare_reference(const struct tp_pattern_running *r, bool *exact,
					struct tp_diag *diag)
{
	unsigned threads = tp_team_size(r->team);
	unsigned sets = r->configuration->template == TP_PATTERN_INDEPENDENT ? threads : 1;
	struct tp_pattern_memory copy = { 0 };
	struct tp_pattern_arguments *own = calloc(threads, sizeof(*own));
	void **arguments = calloc(threads, sizeof(*arguments));
	enum tp_status status =
		own && arguments ? tp_pattern_memory_init(&copy, r->configuration, r->pages, diag)
				 : tp_fail(diag, TP_NOMEM, "pattern", NULL, "out of memory");
	for (unsigned t = 0; t < threads && status == TP_OK; t++) {
		tp_pattern_memory_arguments(&copy, t, &own[t]);
		arguments[t] = &own[t];
	}
	if (status == TP_OK) {
		tp_team_run(r->team, r->functions.init, arguments);
		for (unsigned t = 0; t < sets; t++)
			r->functions.reference(arguments[t], 1);
		for (unsigned t = 0; t < sets && status == TP_OK; t++)
			status = compare_thread(r, r->arguments[t], &own[t], exact, diag);
		tp_pattern_memory_release(&copy);
	}
	free(own);
	free(arguments);
	return status;
}

enum tp_status tp_pattern_first_pass(struct tp_pattern_running *r, bool *exact,
				     struct tp_diag *diag)
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
