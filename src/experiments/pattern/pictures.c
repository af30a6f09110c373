/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The points of patterns as heat maps and bars. */
#include "experiments/pattern/picture_parts.h"
#include "base/vec.h"
#include "report/pictures.h"
#include "report/facts.h"
#include "report/reporter.h"
#include "report/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAMILIES_MAX = 64 };

bool tp_pattern_is_better(double a, double b, enum tp_pattern_metric metric)
{
	return !isnan(a) && (isnan(b) || (metric == TP_PATTERN_NS ? a < b : a > b));
}

static double share_of(double value, double best, enum tp_pattern_metric metric)
{
	return metric == TP_PATTERN_NS ? best / value : value / best;
}

/* "3.21", "312": three digits, no exponent. */
const char *tp_pattern_number(struct tp_picture *picture, double value)
{
	int decimals = value < 0.0995 ? 4 : value < 0.995 ? 3 : value < 9.95 ? 2 : value < 99.5;
	return tp_picture_text(picture, "%.*f", decimals, value);
}

static const char **names_of(struct tp_picture *picture, const struct tp_pattern_dimension *d)
{
	const char **names = tp_arena_alloc(&picture->arena, (d->n + 1) * sizeof(*names));
	for (size_t i = 0; names && i < d->n; i++)
		names[i] = tp_picture_text(picture, "%" PRId64, d->values[i]);
	return names;
}

size_t tp_pattern_place(const struct tp_pattern_dimension *d, int64_t value)
{
	size_t i = 0;
	while (i < d->n && d->values[i] != value)
		i++;
	return i;
}

/* --- titles --- */

/* ", 2 threads, run 2" */
const char *tp_pattern_team(struct tp_picture *picture, const struct tp_run *run,
			    const struct tp_point *point)
{
	char count[32];
	bool several = false;
	for (size_t i = 0; i < run->n_points && !several; i++)
		several = run->points[i].run != point->run &&
			  strcmp(run->points[i].experiment, "pattern") == 0;
	const char *threads = tp_text_count(count, sizeof(count), point->threads, "thread");
	return several ? tp_picture_text(picture, "%s, run %u", threads, point->run + 1)
		       : tp_picture_text(picture, "%s", threads);
}

/* "jacobi-2d", with what else tells its families apart. */
const char *tp_pattern_family_name(struct tp_picture *picture, const struct tp_run *run,
				   const struct tp_point *point)
{
	const struct tp_pattern_row *row = tp_pattern_row(point);
	bool template = false;
	for (size_t i = 0; i < run->n_points && !template; i++)
		template = strcmp(run->points[i].experiment, "pattern") == 0 &&
			   strcmp(tp_pattern_row(&run->points[i])->pattern, row->pattern) == 0 &&
			   strcmp(tp_pattern_row(&run->points[i])->template, row->template) != 0;
	return tp_picture_text(picture, "%s%s%s%s", row->pattern, template ? " " : "",
			       template ? row->template : "", row->nowait ? " nowait" : "");
}

/* ", n = 500": the size of a picture that has one of several. */
const char *tp_pattern_slice_name(struct tp_picture *picture,
				  const struct tp_pattern_family *family,
				  const struct tp_pattern_axes *axes, const struct tp_point *point)
{
	int64_t value;
	const struct tp_pattern_dimension *d =
		axes->slice >= 0 ? &family->dimensions[axes->slice] : NULL;
	return d && tp_pattern_parameter_of(point, d->name, &value)
		       ? tp_picture_text(picture, ", %s = %" PRId64, d->name, value)
		       : "";
}

/* True for points of a picture: of its family, and of its slice. */
bool tp_pattern_in_slice(const struct tp_run *run, size_t i, const struct tp_pattern_family *family,
			 const struct tp_pattern_axes *axes, size_t like)
{
	int64_t a, b;
	if (!tp_pattern_is_of(run, i, family))
		return false;
	if (axes->slice < 0)
		return true;
	const char *name = family->dimensions[axes->slice].name;
	return tp_pattern_parameter_of(&run->points[i], name, &a) &&
	       tp_pattern_parameter_of(&run->points[like], name, &b) && a == b;
}

/* Of two points of one place: what has a value before what has none, then the faster one. */
bool tp_pattern_replaces(const struct tp_point *p, const struct tp_point *old,
			 enum tp_pattern_metric metric)
{
	return !old || tp_pattern_is_better(tp_pattern_value(p, metric),
					    tp_pattern_value(old, metric), metric);
}

/* --- heat maps --- */

static char mark_of(const struct tp_point *p, bool best)
{
	if (best)
		return '*';
	if (p->state == TP_POINT_FAILED)
		return 'x';
	return p->state == TP_POINT_DONE ? ' ' : '.';
}

static bool draw_heat(struct tp_picture *picture, const struct tp_run *run,
		      const struct tp_pattern_view *view, const struct tp_pattern_family *family,
		      const struct tp_pattern_axes *axes)
{
	const struct tp_pattern_dimension *x = &family->dimensions[axes->x],
					  *y = &family->dimensions[axes->y];
	const struct tp_point **cells = tp_arena_alloc(
		&picture->arena, (x->n * y->n + 1) * sizeof(const struct tp_point *));
	struct tp_chart_tile *tiles =
		tp_arena_alloc(&picture->arena, (x->n * y->n + 1) * sizeof(*tiles));
	const struct tp_point *best = NULL;
	size_t n = 0;
	int64_t a, b;
	if (!cells || !tiles)
		return false;
	for (size_t i = family->first; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (!tp_pattern_in_slice(run, i, family, axes, view->first) ||
		    !tp_pattern_parameter_of(p, x->name, &a) ||
		    !tp_pattern_parameter_of(p, y->name, &b))
			continue;
		size_t column = tp_pattern_place(x, a), row = tp_pattern_place(y, b);
		if (column == x->n || row == y->n)
			continue;
		const struct tp_point **cell = &cells[row * x->n + column];
		if (tp_pattern_replaces(p, *cell, view->metric))
			*cell = p;
		if (!isnan(tp_pattern_value(p, view->metric)) &&
		    tp_pattern_replaces(p, best, view->metric))
			best = p;
	}
	for (size_t i = 0; best && i < x->n * y->n; i++) {
		if (!cells[i])
			continue;
		double value = tp_pattern_value(cells[i], view->metric);
		tiles[n++] = (struct tp_chart_tile){
			.column = i % x->n,
			.row = i / x->n,
			.tile = { share_of(value, tp_pattern_value(best, view->metric),
					   view->metric),
				  mark_of(cells[i], cells[i] == best),
				  isnan(value) ? NULL : tp_pattern_number(picture, value) },
			.point = cells[i],
		};
	}
	const struct tp_names columns = { names_of(picture, x), x->n },
			      rows = { names_of(picture, y), y->n };
	if (!n || !columns.items || !rows.items ||
	    !tp_picture_heat(picture, &columns, &rows, tiles, n))
		return false;
	picture->scene.title = tp_picture_text(
		picture, "%s: %s%s, %s", tp_pattern_family_name(picture, run, best),
		tp_pattern_unit(view->metric), tp_pattern_slice_name(picture, family, axes, best),
		tp_pattern_team(picture, run, best));
	picture->scene.x.label = tp_picture_text(picture, "%s", x->name);
	picture->scene.y.label = tp_picture_text(picture, "%s", y->name);
	return true;
}

bool tp_picture_pattern(struct tp_picture *picture, const struct tp_run *run,
			const struct tp_pattern_view *view, size_t columns, size_t rows)
{
	struct tp_pattern_family *family = tp_arena_alloc(&picture->arena, sizeof(*family));
	if (!family || view->first >= run->n_points)
		return false;
	tp_pattern_family_of(run, view->first, family);
	if (view->shape == TP_PATTERN_COMPARED)
		return tp_pattern_draw_compared(picture, run, view, family, rows);
	/* Families look back to their first point, pictures of a slice begin later. */
	size_t firsts[FAMILIES_MAX], n = tp_pattern_families(run, firsts, FAMILIES_MAX);
	for (size_t i = 0; i < n; i++)
		if (firsts[i] < view->first && tp_pattern_is_of(run, firsts[i], family))
			tp_pattern_family_of(run, firsts[i], family);
	const struct tp_pattern_axes axes = tp_pattern_axes_of(family);
	if (axes.x < 0)
		return false;
	if (axes.y < 0)
		return tp_pattern_draw_bars(picture, run, view, family, &axes, rows);
	const struct tp_pattern_dimension *x = &family->dimensions[axes.x],
					  *y = &family->dimensions[axes.y];
	if (x->n + TP_CHART_FRAME_COLUMNS > columns || y->n + TP_CHART_FRAME_ROWS > rows)
		picture->left_out = tp_picture_text(
			picture,
			"A map of %zu x %zu has no room here: a larger window shows all of it.",
			x->n, y->n);
	return draw_heat(picture, run, view, family, &axes);
}

bool tp_pattern_pictures(const struct tp_run *run, const struct tp_gallery *gallery)
{
	struct tp_pattern_view views[TP_PATTERN_VIEWS_MAX];
	size_t n = tp_pattern_views(run, views);
	for (size_t i = 0; i < n; i++) {
		struct tp_picture *picture = tp_picture_new();
		if (!picture)
			return false;
		if (tp_picture_pattern(picture, run, &views[i], gallery->columns, gallery->rows))
			gallery->hang(gallery->context, picture);
		tp_picture_free(picture);
	}
	return true;
}
