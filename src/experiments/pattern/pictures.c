/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The points of patterns as heat maps and bars. */
#include "experiments/pattern/pictures.h"
#include "base/memory.h"
#include "record/roof.h"
#include "report/facts.h"
#include "report/reporter.h"
#include "doc/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/pairs.h"
#include "base/tally.h"

enum { CURVE_SIZES = 3, CURVES_MOST = 2 * TP_PICTURE_CURVES, FAMILIES_MAX = 64 };

enum { TP_PATTERN_DIMENSIONS = 16, TP_PATTERN_AXIS_MAX = 64 };

struct dimension {
	char name[32];
	int64_t values[TP_PATTERN_AXIS_MAX]; /* each once, rising */
	size_t n;
};

/*
 * Points of one pattern with the same schedule of threads and the same team, in one run of the
 * preset.
 */
struct family {
	size_t first;
	struct dimension dimensions[TP_PATTERN_DIMENSIONS];
	size_t n_dimensions;
	size_t n_points;
	bool same_bytes; /* an element of any point moves as many bytes */
};

/* The dimensions on the axes of a family's heat map or bars; -1: none. */
struct axes {
	int x, y; /* y -1: bars over x */
	int slice; /* the size, if each value has a separate picture */
	bool is_curve; /* only the size varies, and often enough for a curve */
};

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

static const char *unit_name(enum tp_pattern_metric metric)
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

static bool is_of_family(const struct tp_run *run, size_t point, const struct family *of)
{
	const struct tp_point *a = &run->points[point], *b = &run->points[of->first];
	const struct tp_pattern_row *x = tp_pattern_row(a), *y = tp_pattern_row(b);
	return is_pattern(a) && a->run == b->run && a->threads == b->threads &&
	       x->nowait == y->nowait && strcmp(x->pattern, y->pattern) == 0 &&
	       strcmp(x->template, y->template) == 0;
}

/* The first point of each family in order; returns how many (at most max). */
static size_t find_families(const struct tp_run *run, size_t *firsts, size_t max)
{
	TP_CLEANUP(tp_tally_release) struct tp_tally known = { 0 };
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
		tp_tally_add(&known, tp_str_text(&key));
		if (known.n > before)
			firsts[n++] = i;
	}
	return n;
}

bool tp_pattern_parameter_of(const struct tp_point *point, const char *name, int64_t *value)
{
	char text[32];
	bool found = tp_pairs_find(tp_pattern_row(point)->parameters, name, text, sizeof(text));
	*value = found ? strtoll(text, NULL, 10) : 0;
	return found;
}

static void add_value(struct family *family, const char *name, int64_t value)
{
	struct dimension *d = family->dimensions;
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

/* Fills the family of a point. */
static void find_family(const struct tp_run *run, size_t first, struct family *family)
{
	*family = (struct family){ .first = first, .same_bytes = true };
	double bytes = tp_pattern_row(&run->points[first])->bytes_per_element;
	for (size_t i = first; i < run->n_points; i++) {
		if (!is_of_family(run, i, family))
			continue;
		const struct tp_pattern_row *row = tp_pattern_row(&run->points[i]);
		const char *text = row->parameters;
		char name[32], value[32];
		while (tp_pairs_next(&text, name, sizeof(name), value, sizeof(value)))
			add_value(family, name, strtoll(value, NULL, 10));
		family->same_bytes &= fabs(row->bytes_per_element - bytes) < 1e-3 * bytes;
		family->n_points++;
	}
}

bool tp_pattern_makes_curves(const struct tp_run *run, const struct tp_group *group)
{
	TP_CLEANUP(tp_tally_release) struct tp_tally curves = { 0 };
	bool any = false;
	TP_EACH_POINT (p, run) {
		if (is_pattern(p) && p->run == group->run && p->threads == group->threads &&
		    strcmp(tp_kernel_row(p)->precision, group->precision) == 0)
			tp_tally_add(&curves, p->kernel);
	}
	for (size_t i = 0; i < curves.n; i++)
		any |= curves.groups[i].n >= CURVE_SIZES;
	return any && curves.n <= CURVES_MOST;
}

static struct axes axes_of(const struct family *family)
{
	struct axes axes = { .x = -1, .y = -1, .slice = -1 };
	const struct dimension *d = family->dimensions;
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
static size_t first_with(const struct tp_run *run, const struct family *family, int dimension,
			 int64_t value)
{
	const char *name = family->dimensions[dimension].name;
	int64_t own;
	for (size_t i = family->first; i < run->n_points; i++)
		if (is_of_family(run, i, family) &&
		    tp_pattern_parameter_of(&run->points[i], name, &own) && own == value)
			return i;
	return family->first;
}

struct list {
	struct tp_pattern_view *views;
	size_t n;
};

static void add_view(struct list *list, enum tp_pattern_shape shape, enum tp_pattern_metric metric,
		     size_t first)
{
	if (list->n < TP_PATTERN_VIEWS_MAX)
		list->views[list->n++] = (struct tp_pattern_view){ shape, metric, first };
}

/* The picture of a family by itself; returns whether it has one, possibly a curve. */
static bool add_family(struct list *list, const struct tp_run *run, const struct family *family)
{
	const struct axes axes = axes_of(family);
	enum tp_pattern_shape shape = axes.y >= 0 ? TP_PATTERN_HEAT : TP_PATTERN_BARS;
	enum tp_pattern_metric metric = family->same_bytes ? TP_PATTERN_GBPS : TP_PATTERN_NS;
	if (axes.x < 0)
		return axes.is_curve;
	for (size_t i = 0; axes.slice >= 0 && i < family->dimensions[axes.slice].n; i++)
		add_view(list, shape, metric,
			 first_with(run, family, axes.slice,
				    family->dimensions[axes.slice].values[i]));
	if (axes.slice < 0)
		add_view(list, shape, metric, family->first);
	return true;
}

/* The first comparison is by GB/s; if elements differ, GB/s does not show which is faster. */
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
	add_view(list, TP_PATTERN_COMPARED, TP_PATTERN_GBPS, firsts[0]);
	if (bytes && flop && a->flop_per_element > 0)
		add_view(list, TP_PATTERN_COMPARED, TP_PATTERN_GFLOPS, firsts[0]);
	if (bytes)
		add_view(list, TP_PATTERN_COMPARED, TP_PATTERN_NS, firsts[0]);
}

size_t tp_pattern_views(const struct tp_run *run,
			struct tp_pattern_view views[TP_PATTERN_VIEWS_MAX])
{
	struct list list = { .views = views };
	TP_FREE struct family *family = tp_alloc(1, sizeof(*family));
	size_t firsts[FAMILIES_MAX], n = find_families(run, firsts, FAMILIES_MAX);
	size_t alone = 0, points = 0;
	for (size_t i = 0; i < n; i++) {
		find_family(run, firsts[i], family);
		alone += add_family(&list, run, family);
		points += family->n_points;
	}
	if (n > 1 || (n && !alone && points > 1))
		add_compared(&list, run, firsts, n);
	return list.n;
}

/* A value before none, then the faster one. */
static bool is_better(double a, double b, enum tp_pattern_metric metric)
{
	return !isnan(a) && (isnan(b) || (metric == TP_PATTERN_NS ? a < b : a > b));
}

static const char **names_of(struct tp_picture *picture, const struct dimension *d)
{
	const char **names = tp_arena_alloc(&picture->arena, (d->n + 1) * sizeof(*names));
	for (size_t i = 0; i < d->n; i++)
		names[i] = tp_picture_text(picture, "%" PRId64, d->values[i]);
	return names;
}

/* Where a value stands in a dimension; its n if it does not. */
static size_t place_in(const struct dimension *d, int64_t value)
{
	size_t i = 0;
	while (i < d->n && d->values[i] != value)
		i++;
	return i;
}

/* ", 2 threads, run 2" */
static const char *team_text(struct tp_picture *picture, const struct tp_run *run,
			     const struct tp_point *point)
{
	bool several = false;
	for (size_t i = 0; i < run->n_points && !several; i++)
		several = run->points[i].run != point->run &&
			  strcmp(run->points[i].experiment, "pattern") == 0;
	const char *threads = tp_picture_threads(picture, point->threads);
	return several ? tp_picture_text(picture, "%s, run %u", threads, point->run + 1)
		       : tp_picture_text(picture, "%s", threads);
}

/* "jacobi-2d", with what distinguishes its families. */
static const char *family_name(struct tp_picture *picture, const struct tp_run *run,
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
static const char *slice_name(struct tp_picture *picture, const struct family *family,
			      const struct axes *axes, const struct tp_point *point)
{
	int64_t value;
	const struct dimension *d = axes->slice >= 0 ? &family->dimensions[axes->slice] : NULL;
	return d && tp_pattern_parameter_of(point, d->name, &value)
		       ? tp_picture_text(picture, ", %s = %" PRId64, d->name, value)
		       : "";
}

/* True for points of a picture: of its family, and of the slice of the point `like`. */
static bool in_slice(const struct tp_run *run, size_t i, const struct family *family,
		     const struct axes *axes, size_t like)
{
	int64_t a, b;
	if (!is_of_family(run, i, family))
		return false;
	if (axes->slice < 0)
		return true;
	const char *name = family->dimensions[axes->slice].name;
	return tp_pattern_parameter_of(&run->points[i], name, &a) &&
	       tp_pattern_parameter_of(&run->points[like], name, &b) && a == b;
}

/* Of two points in one place, of which `old` may be NULL: one with a value before one without, then
 * the faster one. */
static bool replaces(const struct tp_point *p, const struct tp_point *old,
		     enum tp_pattern_metric metric)
{
	return !old ||
	       is_better(tp_pattern_value(p, metric), tp_pattern_value(old, metric), metric);
}

/* --- heat maps --- */

static bool draw_heat(struct tp_picture *picture, const struct tp_run *run,
		      const struct tp_pattern_view *view, const struct family *family,
		      const struct axes *axes)
{
	const struct dimension *x = &family->dimensions[axes->x], *y = &family->dimensions[axes->y];
	const struct tp_point **cells = tp_arena_alloc(
		&picture->arena, (x->n * y->n + 1) * sizeof(const struct tp_point *));
	struct tp_chart_tile *tiles =
		tp_arena_alloc(&picture->arena, (x->n * y->n + 1) * sizeof(*tiles));
	const struct tp_point *best = NULL;
	size_t n = 0;
	int64_t a, b;
	for (size_t i = family->first; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (!in_slice(run, i, family, axes, view->first) ||
		    !tp_pattern_parameter_of(p, x->name, &a) ||
		    !tp_pattern_parameter_of(p, y->name, &b))
			continue;
		size_t column = place_in(x, a), row = place_in(y, b);
		if (column == x->n || row == y->n)
			continue;
		const struct tp_point **cell = &cells[row * x->n + column];
		if (replaces(p, *cell, view->metric))
			*cell = p;
		if (!isnan(tp_pattern_value(p, view->metric)) && replaces(p, best, view->metric))
			best = p;
	}
	for (size_t i = 0; best && i < x->n * y->n; i++) {
		if (!cells[i])
			continue;
		double value = tp_pattern_value(cells[i], view->metric);
		double most = tp_pattern_value(best, view->metric);
		tiles[n++] = (struct tp_chart_tile){
			.column = i % x->n,
			.row = i / x->n,
			.tile = { view->metric == TP_PATTERN_NS ? most / value : value / most,
				  tp_chart_mark(cells[i], cells[i] == best),
				  isnan(value) ? NULL : tp_chart_number(picture, value) },
			.point = cells[i],
		};
	}
	const struct tp_names columns = { names_of(picture, x), x->n },
			      rows = { names_of(picture, y), y->n };
	if (!n || !tp_picture_heat(picture, &columns, &rows, tiles, n))
		return false;
	picture->scene.title = tp_picture_text(
		picture, "%s: %s%s, %s", family_name(picture, run, best), unit_name(view->metric),
		slice_name(picture, family, axes, best), team_text(picture, run, best));
	picture->scene.x.label = tp_picture_text(picture, "%s", x->name);
	picture->scene.y.label = tp_picture_text(picture, "%s", y->name);
	return true;
}

/* --- bars --- */

struct bar_list {
	const struct tp_point *points[TP_CHART_BARS];
	const char *names[TP_CHART_BARS], *groups[TP_CHART_BARS];
	size_t n, left_out;
};

static void fill_bars(struct tp_picture *picture, struct bar_list *list,
		      enum tp_pattern_metric metric, size_t rows)
{
	size_t most = tp_chart_bars_room(rows);
	struct tp_chart_bar bars[TP_CHART_BARS];
	double best = NAN;
	if (list->n > most) {
		list->left_out += list->n - most;
		list->n = most;
	}
	for (size_t i = 0; i < list->n; i++)
		if (is_better(tp_pattern_value(list->points[i], metric), best, metric))
			best = tp_pattern_value(list->points[i], metric);
	for (size_t i = 0; i < list->n; i++) {
		double value = tp_pattern_value(list->points[i], metric);
		bars[i] = (struct tp_chart_bar){
			.name = list->names[i],
			.group = list->groups[i],
			.value = value,
			.best = value == best && list->n > 1,
			.text = tp_chart_number(picture, value),
			.point = list->points[i],
		};
		/* The interval is in the point's own unit. */
		tp_chart_interval(&bars[i], metric == TP_PATTERN_NS);
	}
	tp_picture_bars(picture, bars, list->n, unit_name(metric));
	tp_chart_leave_out(picture, list->left_out);
}

static void add_bar(struct bar_list *list, const struct tp_point *p, const char *name,
		    const char *group)
{
	if (list->n == TP_CHART_BARS) {
		list->left_out++;
		return;
	}
	list->points[list->n] = p;
	list->names[list->n] = name;
	list->groups[list->n++] = group;
}

/* A bar a value of the parameter, the best of what else varies. */
static bool draw_bars(struct tp_picture *picture, const struct tp_run *run,
		      const struct tp_pattern_view *view, const struct family *family,
		      const struct axes *axes, size_t rows)
{
	const struct dimension *x = &family->dimensions[axes->x];
	const struct tp_point *points[TP_PATTERN_AXIS_MAX] = { NULL }, *any = NULL;
	struct bar_list list = { .n = 0 };
	int64_t value;
	for (size_t i = family->first; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (!in_slice(run, i, family, axes, view->first) ||
		    isnan(tp_pattern_value(p, view->metric)) ||
		    !tp_pattern_parameter_of(p, x->name, &value))
			continue;
		size_t at = place_in(x, value);
		if (at < x->n && replaces(p, points[at], view->metric))
			any = points[at] = p;
	}
	for (size_t i = 0; i < x->n; i++)
		if (points[i])
			add_bar(&list, points[i],
				tp_picture_text(picture, "%s=%" PRId64, x->name, x->values[i]),
				NULL);
	if (!any)
		return false;
	fill_bars(picture, &list, view->metric, rows);
	picture->scene.title = tp_picture_text(
		picture, "%s over %s%s, %s", family_name(picture, run, any), x->name,
		slice_name(picture, family, axes, any), team_text(picture, run, any));
	return true;
}

/* --- comparisons --- */

/* The best of a family in a place: a level, or a size if levels do not distinguish sizes. */
struct contender {
	const struct tp_point *point;
	const char *place;
};

/* True if every level holds one size of the family at most. */
static bool levels_tell(const struct tp_run *run, const struct family *family)
{
	struct {
		const char *level;
		uint64_t n;
	} seen[TP_FACT_LEVELS + 2];
	size_t n_seen = 0;
	for (size_t i = family->first; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (!is_of_family(run, i, family))
			continue;
		const char *level = tp_pattern_level(run, p);
		size_t at = 0;
		while (at < n_seen && strcmp(seen[at].level, level) != 0)
			at++;
		if (at == TP_COUNT_OF(seen) || (at < n_seen && seen[at].n != tp_pattern_row(p)->n))
			return false;
		seen[at].level = level;
		seen[at].n = tp_pattern_row(p)->n;
		n_seen += at == n_seen;
	}
	return true;
}

static size_t find_contenders(struct tp_picture *picture, const struct tp_run *run,
			      const struct family *family, enum tp_pattern_metric metric,
			      struct contender found[TP_CHART_BARS])
{
	size_t sizes = 0, n = 0;
	for (size_t i = 0; i < family->n_dimensions; i++)
		if (strcmp(family->dimensions[i].name, "n") == 0)
			sizes = family->dimensions[i].n;
	/* Many sizes are a curve: its best of a level stands for it. */
	bool by_level = sizes > 8 || levels_tell(run, family);
	for (size_t i = family->first; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		size_t at = 0;
		if (!is_of_family(run, i, family) || isnan(tp_pattern_value(p, metric)))
			continue;
		const char *place =
			by_level ? tp_pattern_level(run, p)
				 : tp_picture_text(picture, "n=%" PRIu64, tp_pattern_row(p)->n);
		while (at < n && strcmp(found[at].place, place) != 0)
			at++;
		if (at == n && n < TP_CHART_BARS)
			found[n++] = (struct contender){ NULL, place };
		/* The fastest one does not depend on the unit. */
		if (at < n && replaces(p, found[at].point, TP_PATTERN_NS))
			found[at].point = p;
	}
	return n;
}

/* All that are compared, and what is not the same in all of them. */
struct compared {
	struct contender items[TP_CHART_BARS * 4];
	size_t n;
	bool places, threads, kernels, patterns, runs;
};

static void find_differences(struct compared *all)
{
	const struct tp_point *a = all->items[0].point;
	const struct tp_pattern_row *x = tp_pattern_row(a);
	for (size_t i = 1; i < all->n; i++) {
		const struct tp_point *b = all->items[i].point;
		const struct tp_pattern_row *y = tp_pattern_row(b);
		bool other = strcmp(x->pattern, y->pattern) != 0;
		all->places |= strcmp(all->items[0].place, all->items[i].place) != 0;
		all->threads |= a->threads != b->threads;
		all->kernels |= other || strcmp(a->kernel, b->kernel) != 0;
		all->patterns |=
			other || x->nowait != y->nowait || strcmp(x->template, y->template) != 0;
		all->runs |= a->run != b->run;
	}
}

static const char *contender_name(struct tp_picture *picture, const struct compared *all,
				  const struct contender *c)
{
	TP_STR name = { 0 };
	if (all->places && *c->place)
		tp_str_printf(&name, "%s ", c->place);
	if (all->threads)
		tp_str_printf(&name, "%s ", tp_picture_threads(picture, c->point->threads));
	if (all->runs && !all->kernels)
		tp_str_printf(&name, "run %u ", c->point->run + 1);
	if (all->kernels)
		tp_str_printf(&name, "%s ", c->point->kernel);
	size_t length = name.len ? name.len - 1 : 0;
	return tp_picture_text(picture, "%.*s", (int)length, length ? tp_str_text(&name) : "");
}

/* Places one after the other, in each of them the patterns. */
static void list_bars(struct tp_picture *picture, const struct tp_run *run,
		      const struct compared *all, struct bar_list *list)
{
	for (size_t i = 0; i < all->n; i++) {
		const char *place = all->items[i].place;
		bool first = true;
		for (size_t k = 0; k < i && first; k++)
			first = strcmp(all->items[k].place, place) != 0;
		for (size_t k = i; first && k < all->n; k++) {
			const struct contender *c = &all->items[k];
			if (strcmp(c->place, place) == 0)
				add_bar(list, c->point, contender_name(picture, all, c),
					all->kernels && all->places
						? family_name(picture, run, c->point)
						: NULL);
		}
	}
}

static bool draw_compared(struct tp_picture *picture, const struct tp_run *run,
			  enum tp_pattern_metric metric, struct family *room, size_t rows)
{
	size_t firsts[FAMILIES_MAX], n = find_families(run, firsts, FAMILIES_MAX);
	struct compared *all = tp_arena_alloc(&picture->arena, sizeof(*all));
	struct bar_list list = { .n = 0 };
	for (size_t i = 0; i < n; i++) {
		struct contender found[TP_CHART_BARS];
		find_family(run, firsts[i], room);
		size_t k = find_contenders(picture, run, room, metric, found);
		k = TP_MIN(k, TP_COUNT_OF(all->items) - all->n);
		memcpy(&all->items[all->n], found, k * sizeof(*found));
		all->n += k;
	}
	if (!all->n)
		return false;
	find_differences(all);
	list_bars(picture, run, all, &list);
	fill_bars(picture, &list, metric, rows);
	const struct contender *one = &all->items[0];
	const char *threads = tp_picture_threads(picture, one->point->threads);
	const char *place = all->places ? "" : one->place;
	picture->scene.title = tp_picture_text(
		picture, "%s%s%s%s%s%s",
		all->patterns  ? "Patterns compared"
		: all->kernels ? tp_pattern_row(one->point)->pattern
			       : one->point->kernel,
		all->patterns || all->kernels ? ", the best of each" : "", *place ? ", " : "",
		place, all->threads ? "" : ", ", all->threads ? "" : threads);
	return true;
}

bool tp_picture_pattern(struct tp_picture *picture, const struct tp_run *run,
			const struct tp_pattern_view *view, size_t columns, size_t rows)
{
	struct family *family = tp_arena_alloc(&picture->arena, sizeof(*family));
	if (view->first >= run->n_points)
		return false;
	if (view->shape == TP_PATTERN_COMPARED)
		return draw_compared(picture, run, view->metric, family, rows);
	find_family(run, view->first, family);
	/* Families look back to their first point, pictures of a slice begin later. */
	size_t firsts[FAMILIES_MAX], n = find_families(run, firsts, FAMILIES_MAX);
	for (size_t i = 0; i < n; i++)
		if (firsts[i] < view->first && is_of_family(run, firsts[i], family))
			find_family(run, firsts[i], family);
	const struct axes axes = axes_of(family);
	if (axes.x < 0)
		return false;
	if (axes.y < 0)
		return draw_bars(picture, run, view, family, &axes, rows);
	tp_chart_fit_map(picture, family->dimensions[axes.x].n, family->dimensions[axes.y].n,
			 columns, rows);
	return draw_heat(picture, run, view, family, &axes);
}

void tp_pattern_pictures(const struct tp_run *run, const struct tp_gallery *gallery)
{
	struct tp_pattern_view views[TP_PATTERN_VIEWS_MAX];
	size_t n = tp_pattern_views(run, views);
	for (size_t i = 0; i < n; i++) {
		struct tp_picture *picture = tp_picture_new();
		tp_gallery_hang(gallery, picture,
				tp_picture_pattern(picture, run, &views[i], gallery->columns,
						   gallery->rows));
	}
}

/* --- points below the roofs of the same run --- */

/* Nearer to a roof than this it limits; farther above it than this is not noise. */
#define LIMITS 0.6
#define ABOVE  1.05

/* Roofs measured by a kernel of tprof, not found by a search. */
static bool is_usable(const struct tp_run *run, const struct tp_roof *r,
		      const struct tp_point *point)
{
	return r->threads == point->threads && r->median > 0 && r->point < run->n_points &&
	       strcmp(run->points[r->point].experiment, "roofline") == 0 &&
	       strcmp(r->precision, tp_kernel_row(point)->precision) == 0;
}

bool tp_pattern_roof_of(const struct tp_run *run, const struct tp_point *point,
			struct tp_pattern_roof *roof)
{
	const struct tp_kernel_row *k = tp_kernel_row(point);
	double gbps = 0, peak = 0, ai = k->ai_flop_per_byte;
	*roof = (struct tp_pattern_roof){ .level = tp_pattern_level(run, point) };
	TP_EACH_ROW (tp_roof, r, run, roofs) {
		if (!is_usable(run, r, point) || (gbps > 0 && r->run != roof->run))
			continue;
		if (strcmp(r->level, roof->level) == 0) {
			gbps = fmax(gbps, r->median);
			roof->run = r->run;
		}
	}
	TP_EACH_ROW (tp_roof, r, run, roofs) {
		if (is_usable(run, r, point) && r->run == roof->run && tp_roof_is_peak(r))
			peak = fmax(peak, r->median);
	}
	if (!(gbps > 0) || !(k->median_gbps > 0))
		return false;
	if (ai > 0) {
		roof->computes = peak > 0 && gbps * ai >= peak;
		roof->gflops = peak > 0 ? tp_roof_attainable(peak, gbps, ai) : gbps * ai;
		roof->share = k->median_gflops / roof->gflops;
	} else {
		roof->share = k->median_gbps / gbps;
	}
	return true;
}

const char *tp_pattern_roof_words(const struct tp_pattern_roof *roof, char *out, size_t size)
{
	double percent = 100 * roof->share;
	if (roof->share > ABOVE)
		snprintf(out, size,
			 "above the roof of %s (%.0f %% of it): a nearer cache answers "
			 "part of its accesses",
			 roof->level, percent);
	else if (roof->share < LIMITS)
		snprintf(out, size, "%.0f %% of its roof at %s, which does not limit it", percent,
			 roof->level);
	else if (roof->computes)
		snprintf(out, size, "compute-bound: %.0f %% of the peak", percent);
	else
		snprintf(out, size, "memory-bound at %s: %.0f %% of its roof", roof->level,
			 percent);
	return out;
}
