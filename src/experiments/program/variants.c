/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/program/variants.h"
#include "base/pairs.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* More values than these are counted as so many. */
enum { VALUES_MAX = 64 };

bool tp_program_is_of(const struct tp_point *point, unsigned run)
{
	return point->run == run && tp_point_is_program(point);
}

static bool is_better(const struct tp_point *a, const struct tp_point *b)
{
	return a->less_is_better ? a->median < b->median : a->median > b->median;
}

const struct tp_point *tp_program_best(const struct tp_run *run, unsigned index)
{
	const struct tp_point *best = NULL;
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (!tp_program_is_of(p, index) || p->state != TP_POINT_DONE)
			continue;
		bool poor = p->quality == TP_QUALITY_POOR;
		bool best_poor = best && best->quality == TP_QUALITY_POOR;
		if (!best || (poor == best_poor ? is_better(p, best) : best_poor))
			best = p;
	}
	return best;
}

const struct tp_point *tp_program_worst(const struct tp_run *run, unsigned index)
{
	const struct tp_point *worst = NULL;
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (tp_program_is_of(p, index) && p->state == TP_POINT_DONE &&
		    (!worst || is_better(worst, p)))
			worst = p;
	}
	return worst;
}

bool tp_program_threads_vary(const struct tp_run *run, unsigned index)
{
	const struct tp_point *first = NULL;
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (!tp_program_is_of(p, index))
			continue;
		first = first ? first : p;
		if (p->threads != first->threads)
			return true;
	}
	return false;
}

bool tp_program_value(const struct tp_point *point, const char *name, char *out, size_t size)
{
	const char *at = tp_program_row(point)->parameters;
	char other[TP_PROGRAM_AXIS_BYTES];
	while (tp_pairs_next(&at, other, sizeof(other), out, size))
		if (strcmp(other, name) == 0)
			return true;
	return false;
}

double tp_program_number(const struct tp_point *point, const char *name)
{
	char text[TP_PROGRAM_TEXT_BYTES];
	double value;
	return tp_program_value(point, name, text, sizeof(text)) && tp_parse_double(text, &value)
		       ? value
		       : NAN;
}

/* How many numbers a parameter has over the finished variants; 0 if some value is none. */
static size_t count_numbers(const struct tp_run *run, unsigned index, unsigned threads,
			    const char *name)
{
	double seen[VALUES_MAX];
	size_t n = 0;
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		size_t k = 0;
		if (!tp_program_is_of(p, index) || p->threads != threads ||
		    p->state != TP_POINT_DONE)
			continue;
		double value = tp_program_number(p, name);
		if (isnan(value))
			return 0;
		while (k < n && seen[k] != value)
			k++;
		if (k == n && n < VALUES_MAX)
			seen[n++] = value;
	}
	return n;
}

bool tp_program_axis(const struct tp_run *run, unsigned index, unsigned threads,
		     char name[TP_PROGRAM_AXIS_BYTES])
{
	const struct tp_point *any = NULL;
	for (size_t i = 0; i < run->n_points && !any; i++)
		if (tp_program_is_of(&run->points[i], index) &&
		    run->points[i].state == TP_POINT_DONE)
			any = &run->points[i];
	const char *at = any ? tp_program_row(any)->parameters : "";
	char other[TP_PROGRAM_AXIS_BYTES], value[TP_PROGRAM_TEXT_BYTES];
	size_t most = TP_PROGRAM_AXIS_LEAST - 1;
	while (tp_pairs_next(&at, other, sizeof(other), value, sizeof(value))) {
		size_t n = count_numbers(run, index, threads, other);
		if (n > most) {
			tp_copy(name, TP_PROGRAM_AXIS_BYTES, other);
			most = n;
		}
	}
	return most >= TP_PROGRAM_AXIS_LEAST;
}

void tp_program_rest(const struct tp_point *point, const char *name, struct tp_str *out)
{
	const char *at = tp_program_row(point)->parameters;
	char other[TP_PROGRAM_AXIS_BYTES], value[TP_PROGRAM_TEXT_BYTES];
	while (tp_pairs_next(&at, other, sizeof(other), value, sizeof(value)))
		if (strcmp(other, name) != 0)
			tp_pairs_add(out, other, value);
}

const char *tp_program_text(const struct tp_point *point, double value, char *out, size_t size)
{
	if (strcmp(point->unit, "s") == 0)
		return tp_format_seconds(out, size, value);
	snprintf(out, size, "%.4g", value);
	return out;
}

const char *tp_program_axis_unit(const struct tp_point *point, double most, double *factor)
{
	static const char *const units[] = { "s", "ms", "us" };
	size_t i = 0;
	*factor = 1;
	if (strcmp(point->unit, units[0]) != 0)
		return point->unit;
	for (; i + 1 < sizeof(units) / sizeof(*units) && most * *factor < 1; i++)
		*factor *= 1e3;
	return units[i];
}

size_t tp_program_name_length(const struct tp_point *point)
{
	return strcspn(point->kernel, " ");
}
