/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/pattern/views.h"
#include "base/tally.h"
#include "base/vec.h"
#include "report/facts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CURVE_SIZES = 3, CURVES_MOST = 2 * TP_PICTURE_CURVES, FAMILIES_MAX = 64 };

static bool is_pattern(const struct tp_point *p)
{
	return strcmp(p->experiment, "pattern") == 0 && p->state != TP_POINT_SKIPPED;
}

const char *tp_pattern_level(const struct tp_run *run, const struct tp_point *point)
{
	static const char *const names[] = { "", "L1", "L2", "L3", "L4" };
	const struct tp_kernel_row *k = tp_kernel_row(point);
	bool any = false;
	if (k->level[0])
		return k->level;
	for (int level = 1; level <= TP_FACT_LEVELS && level < (int)TP_COUNT_OF(names); level++) {
		uint64_t bytes = tp_fact_share_bytes(run, level, point->threads);
		any |= bytes > 0;
		if (bytes && k->working_set_bytes <= bytes)
			return names[level];
	}
	return any ? "DRAM" : "";
}

const char *tp_pattern_unit(enum tp_pattern_metric metric)
{
	static const char *const units[] = { "GB/s", "GFLOP/s", "ns an element" };
	return units[metric];
}

double tp_pattern_value(const struct tp_point *point, enum tp_pattern_metric metric)
{
	const struct tp_pattern_row *row = tp_pattern_row(point);
	double value = metric == TP_PATTERN_GBPS     ? row->kernel.median_gbps
		       : metric == TP_PATTERN_GFLOPS ? row->kernel.median_gflops
						     : row->element_ns;
	return point->state == TP_POINT_DONE && value > 0 ? value : NAN;
}

/* --- families --- */

static bool same_family(const struct tp_point *a, const struct tp_point *b)
{
	const struct tp_pattern_row *x = tp_pattern_row(a), *y = tp_pattern_row(b);
	return a->run == b->run && a->threads == b->threads && x->nowait == y->nowait &&
	       strcmp(x->pattern, y->pattern) == 0 && strcmp(x->template, y->template) == 0;
}

bool tp_pattern_is_of(const struct tp_run *run, size_t point, const struct tp_pattern_family *of)
{
	return is_pattern(&run->points[point]) &&
	       same_family(&run->points[point], &run->points[of->first]);
}

size_t tp_pattern_families(const struct tp_run *run, size_t *firsts, size_t max)
{
	struct tp_tally known = { 0 };
	TP_STR key = { 0 };
	size_t n = 0;
	for (size_t i = 0; i < run->n_points && n < max; i++) {
		const struct tp_point *p = &run->points[i];
		const struct tp_pattern_row *row = tp_pattern_row(p);
		size_t before = known.n;
		if (!is_pattern(p))
			continue;
		tp_str_clear(&key);
		tp_str_printf(&key, "%u\x1f%u\x1f%d\x1f%s\x1f%s", p->run, p->threads, row->nowait,
			      row->pattern, row->template);
		if (tp_tally_add(&known, tp_str_text(&key)) != TP_OK)
			break;
		if (known.n > before)
			firsts[n++] = i;
	}
	tp_tally_release(&known);
	return n;
}

/* The next "name=value" of a text; false behind the last. */
static bool next_parameter(const char **text, char name[32], int64_t *value)
{
	while (**text) {
		const char *at = *text + strspn(*text, " ");
		size_t length = strcspn(at, " "), n = strcspn(at, "=");
		*text = at + length;
		if (n && n < length && n < 32) {
			snprintf(name, 32, "%.*s", (int)n, at);
			*value = strtoll(at + n + 1, NULL, 10);
			return true;
		}
	}
	return false;
}

bool tp_pattern_parameter_of(const struct tp_point *point, const char *name, int64_t *value)
{
	const char *text = tp_pattern_row(point)->parameters;
	char own[32];
	while (next_parameter(&text, own, value))
		if (strcmp(own, name) == 0)
			return true;
	return false;
}

static void add_value(struct tp_pattern_family *family, const char *name, int64_t value)
{
	struct tp_pattern_dimension *d = family->dimensions;
	size_t i = 0, at = 0;
	while (i < family->n_dimensions && strcmp(d[i].name, name) != 0)
		i++;
	if (i == TP_PATTERN_DIMENSIONS)
		return;
	d += i;
	if (i == family->n_dimensions) {
		tp_copy(d->name, sizeof(d->name), name);
		family->n_dimensions++;
	}
	while (at < d->n && d->values[at] < value)
		at++;
	if ((at < d->n && d->values[at] == value) || d->n == TP_PATTERN_AXIS_MAX)
		return;
	memmove(&d->values[at + 1], &d->values[at], (d->n - at) * sizeof(*d->values));
	d->values[at] = value;
	d->n++;
}

void tp_pattern_family_of(const struct tp_run *run, size_t first, struct tp_pattern_family *family)
{
	*family = (struct tp_pattern_family){ .first = first, .same_bytes = true };
	double bytes = tp_pattern_row(&run->points[first])->bytes_per_element;
	for (size_t i = first; i < run->n_points; i++) {
		if (!tp_pattern_is_of(run, i, family))
			continue;
		const struct tp_pattern_row *row = tp_pattern_row(&run->points[i]);
		const char *text = row->parameters;
		char name[32];
		int64_t value;
		while (next_parameter(&text, name, &value))
			add_value(family, name, value);
		family->same_bytes &= fabs(row->bytes_per_element - bytes) < 1e-3 * bytes;
		family->n_points++;
	}
}

/* --- the choice --- */

bool tp_pattern_makes_curves(const struct tp_run *run, const struct tp_group *group)
{
	struct tp_tally curves = { 0 };
	bool any = false;
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (is_pattern(p) && p->run == group->run && p->threads == group->threads &&
		    strcmp(tp_kernel_row(p)->precision, group->precision) == 0 &&
		    tp_tally_add(&curves, p->kernel) != TP_OK)
			break;
	}
	for (size_t i = 0; i < curves.n; i++)
		any |= curves.groups[i].n >= CURVE_SIZES;
	any &= curves.n <= CURVES_MOST;
	tp_tally_release(&curves);
	return any;
}

struct tp_pattern_axes tp_pattern_axes_of(const struct tp_pattern_family *family)
{
	struct tp_pattern_axes axes = { .x = -1, .y = -1, .slice = -1 };
	const struct tp_pattern_dimension *d = family->dimensions;
	int size = -1;
	for (size_t i = 0; i < family->n_dimensions; i++) {
		if (d[i].n < 2)
			continue;
		if (strcmp(d[i].name, "n") == 0)
			size = (int)i;
		else if (axes.x < 0)
			axes.x = (int)i;
		else if (axes.y < 0)
			axes.y = (int)i;
		else if (d[i].n > d[axes.x].n || d[i].n > d[axes.y].n)
			/* The two with the most values; the others show their best. */
			*(d[axes.x].n < d[axes.y].n ? &axes.x : &axes.y) = (int)i;
	}
	if (axes.x < 0) {
		axes.is_curve = size >= 0 && d[size].n >= CURVE_SIZES;
	} else if (axes.y >= 0) {
		/* The usual picture has rows upward and columns to the right. */
		int rows = axes.x;
		axes.x = axes.y;
		axes.y = rows;
		axes.slice = size;
	} else if (size >= 0 && d[size].n >= CURVE_SIZES && d[axes.x].n >= CURVE_SIZES) {
		axes.y = axes.x;
		axes.x = size;
	} else {
		axes.slice = size;
	}
	return axes;
}

/* The first point of the family with that value of a dimension. */
static size_t first_with(const struct tp_run *run, const struct tp_pattern_family *family,
			 int dimension, int64_t value)
{
	const char *name = family->dimensions[dimension].name;
	int64_t own;
	for (size_t i = family->first; i < run->n_points; i++)
		if (tp_pattern_is_of(run, i, family) &&
		    tp_pattern_parameter_of(&run->points[i], name, &own) && own == value)
			return i;
	return family->first;
}

struct list {
	struct tp_pattern_view *views;
	size_t n;
};

static void add(struct list *list, enum tp_pattern_shape shape, enum tp_pattern_metric metric,
		size_t first)
{
	if (list->n < TP_PATTERN_VIEWS_MAX)
		list->views[list->n++] = (struct tp_pattern_view){ shape, metric, first };
}

/* What a family shows alone; returns whether it has a picture, be it a curve. */
static bool add_family(struct list *list, const struct tp_run *run,
		       const struct tp_pattern_family *family)
{
	const struct tp_pattern_axes axes = tp_pattern_axes_of(family);
	enum tp_pattern_shape shape = axes.y >= 0 ? TP_PATTERN_HEAT : TP_PATTERN_BARS;
	enum tp_pattern_metric metric = family->same_bytes ? TP_PATTERN_GBPS : TP_PATTERN_NS;
	if (axes.x < 0)
		return axes.is_curve;
	for (size_t i = 0; axes.slice >= 0 && i < family->dimensions[axes.slice].n; i++)
		add(list, shape, metric,
		    first_with(run, family, axes.slice, family->dimensions[axes.slice].values[i]));
	if (axes.slice < 0)
		add(list, shape, metric, family->first);
	return true;
}

/* The first comparison is by GB/s; where elements differ, GB/s alone does not tell who is faster.
 */
static void add_compared(struct list *list, const struct tp_run *run, const size_t *firsts,
			 size_t n)
{
	bool bytes = false, flop = false;
	const struct tp_pattern_row *a = tp_pattern_row(&run->points[firsts[0]]);
	for (size_t i = 1; i < n; i++) {
		const struct tp_pattern_row *b = tp_pattern_row(&run->points[firsts[i]]);
		bytes |= fabs(a->bytes_per_element - b->bytes_per_element) >
			 1e-3 * a->bytes_per_element;
		flop |= fabs(a->flop_per_element - b->flop_per_element) >
			1e-3 * a->flop_per_element;
	}
	add(list, TP_PATTERN_COMPARED, TP_PATTERN_GBPS, firsts[0]);
	if (bytes && flop && a->flop_per_element > 0)
		add(list, TP_PATTERN_COMPARED, TP_PATTERN_GFLOPS, firsts[0]);
	if (bytes)
		add(list, TP_PATTERN_COMPARED, TP_PATTERN_NS, firsts[0]);
}

size_t tp_pattern_views(const struct tp_run *run,
			struct tp_pattern_view views[TP_PATTERN_VIEWS_MAX])
{
	struct list list = { .views = views };
	struct tp_pattern_family *family = malloc(sizeof(*family));
	size_t firsts[FAMILIES_MAX], n = tp_pattern_families(run, firsts, FAMILIES_MAX);
	size_t alone = 0, points = 0;
	for (size_t i = 0; family && i < n; i++) {
		tp_pattern_family_of(run, firsts[i], family);
		alone += add_family(&list, run, family);
		points += family->n_points;
	}
	if (n > 1 || (n && !alone && points > 1))
		add_compared(&list, run, firsts, n);
	free(family);
	return list.n;
}
