/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The points of patterns as bars: over one parameter, and the best of several patterns. */
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

/* --- bars --- */

struct bar_list {
	const struct tp_point *points[TP_CHART_BARS];
	const char *names[TP_CHART_BARS], *groups[TP_CHART_BARS];
	size_t n, left_out;
};

static void fill_bars(struct tp_picture *picture, struct bar_list *list,
		      enum tp_pattern_metric metric, size_t rows)
{
	size_t most = rows > TP_CHART_FRAME_ROWS ? rows - TP_CHART_FRAME_ROWS : 1;
	struct tp_chart_bar bars[TP_CHART_BARS];
	double best = NAN;
	if (list->n > most) {
		list->left_out += list->n - most;
		list->n = most;
	}
	for (size_t i = 0; i < list->n; i++)
		if (tp_pattern_is_better(tp_pattern_value(list->points[i], metric), best, metric))
			best = tp_pattern_value(list->points[i], metric);
	for (size_t i = 0; i < list->n; i++) {
		const struct tp_point *p = list->points[i];
		double value = tp_pattern_value(p, metric), median = tp_point_median(p);
		/* The interval is that of the point's own unit. */
		bool interval = p->ci_low > 0 && p->ci_high >= p->ci_low && median > 0;
		double low = value * p->ci_low / median, high = value * p->ci_high / median;
		bool turned = metric == TP_PATTERN_NS && interval;
		bars[i] = (struct tp_chart_bar){
			.name = list->names[i],
			.group = list->groups[i],
			.value = value,
			.low = !interval ? 0
			       : turned	 ? value * value / high
					 : low,
			.high = !interval ? 0
				: turned  ? value * value / low
					  : high,
			.best = value == best && list->n > 1,
			.text = tp_pattern_number(picture, value),
			.point = p,
		};
	}
	tp_picture_bars(picture, bars, list->n, tp_pattern_unit(metric));
	if (list->left_out)
		picture->left_out =
			tp_picture_text(picture, "Left out: %zu further bars.", list->left_out);
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
bool tp_pattern_draw_bars(struct tp_picture *picture, const struct tp_run *run,
			  const struct tp_pattern_view *view,
			  const struct tp_pattern_family *family,
			  const struct tp_pattern_axes *axes, size_t rows)
{
	const struct tp_pattern_dimension *x = &family->dimensions[axes->x];
	const struct tp_point *points[TP_PATTERN_AXIS_MAX] = { NULL }, *any = NULL;
	struct bar_list list = { .n = 0 };
	int64_t value;
	for (size_t i = family->first; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (!tp_pattern_in_slice(run, i, family, axes, view->first) ||
		    isnan(tp_pattern_value(p, view->metric)) ||
		    !tp_pattern_parameter_of(p, x->name, &value))
			continue;
		size_t at = tp_pattern_place(x, value);
		if (at < x->n && tp_pattern_replaces(p, points[at], view->metric))
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
	picture->scene.title = tp_picture_text(picture, "%s over %s%s, %s",
					       tp_pattern_family_name(picture, run, any), x->name,
					       tp_pattern_slice_name(picture, family, axes, any),
					       tp_pattern_team(picture, run, any));
	return true;
}

/* --- comparisons --- */

/* The best of a family in a place: a level, or a size where levels do not tell sizes apart. */
struct contender {
	const struct tp_point *point;
	const char *place;
};

/* True if every level holds one size of the family at most. */
static bool levels_tell(const struct tp_run *run, const struct tp_pattern_family *family)
{
	struct {
		const char *level;
		uint64_t n;
	} seen[TP_FACT_LEVELS + 2];
	size_t n_seen = 0;
	for (size_t i = family->first; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (!tp_pattern_is_of(run, i, family))
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
			      const struct tp_pattern_family *family, enum tp_pattern_metric metric,
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
		if (!tp_pattern_is_of(run, i, family) || isnan(tp_pattern_value(p, metric)))
			continue;
		const char *place =
			by_level ? tp_pattern_level(run, p)
				 : tp_picture_text(picture, "n=%" PRIu64, tp_pattern_row(p)->n);
		while (at < n && strcmp(found[at].place, place) != 0)
			at++;
		if (at == n && n < TP_CHART_BARS)
			found[n++] = (struct contender){ NULL, place };
		/* Who is fastest does not depend on the unit. */
		if (at < n && tp_pattern_replaces(p, found[at].point, TP_PATTERN_NS))
			found[at].point = p;
	}
	return n;
}

struct compared {
	struct contender items[TP_CHART_BARS * 4];
	size_t n;
};

static bool differ(const struct compared *all,
		   bool (*same)(const struct contender *a, const struct contender *b))
{
	for (size_t i = 1; i < all->n; i++)
		if (!same(&all->items[0], &all->items[i]))
			return true;
	return false;
}

static bool same_place(const struct contender *a, const struct contender *b)
{
	return strcmp(a->place, b->place) == 0;
}

static bool same_threads(const struct contender *a, const struct contender *b)
{
	return a->point->threads == b->point->threads;
}

static bool same_kernel(const struct contender *a, const struct contender *b)
{
	return strcmp(a->point->kernel, b->point->kernel) == 0 &&
	       strcmp(tp_pattern_row(a->point)->pattern, tp_pattern_row(b->point)->pattern) == 0;
}

static bool same_pattern(const struct contender *a, const struct contender *b)
{
	const struct tp_pattern_row *x = tp_pattern_row(a->point), *y = tp_pattern_row(b->point);
	return x->nowait == y->nowait && strcmp(x->pattern, y->pattern) == 0 &&
	       strcmp(x->template, y->template) == 0;
}

static bool same_run(const struct contender *a, const struct contender *b)
{
	return a->point->run == b->point->run;
}

static const char *contender_name(struct tp_picture *picture, const struct contender *c,
				  bool places, bool kernels, bool threads, bool runs)
{
	struct tp_str name = { 0 };
	char count[32];
	if (places && *c->place)
		tp_str_printf(&name, "%s ", c->place);
	if (threads)
		tp_str_printf(&name, "%s ",
			      tp_text_count(count, sizeof(count), c->point->threads, "thread"));
	if (runs)
		tp_str_printf(&name, "run %u ", c->point->run + 1);
	if (kernels)
		tp_str_printf(&name, "%s ", c->point->kernel);
	size_t length = name.len ? name.len - 1 : 0;
	const char *kept =
		tp_picture_text(picture, "%.*s", (int)length, length ? tp_str_text(&name) : "");
	tp_str_release(&name);
	return kept;
}

/* Places one after the other, in each of them the patterns. */
static void list_bars(struct tp_picture *picture, const struct tp_run *run,
		      const struct compared *all, struct bar_list *list)
{
	bool places = differ(all, same_place), kernels = differ(all, same_kernel);
	bool threads = differ(all, same_threads);
	bool runs = !kernels && differ(all, same_run);
	for (size_t i = 0; i < all->n; i++) {
		bool first = true;
		for (size_t k = 0; k < i && first; k++)
			first = !same_place(&all->items[k], &all->items[i]);
		for (size_t k = i; first && k < all->n; k++) {
			const struct contender *c = &all->items[k];
			if (same_place(c, &all->items[i]))
				add_bar(list, c->point,
					contender_name(picture, c, places, kernels, threads, runs),
					kernels && places
						? tp_pattern_family_name(picture, run, c->point)
						: NULL);
		}
	}
}

bool tp_pattern_draw_compared(struct tp_picture *picture, const struct tp_run *run,
			      const struct tp_pattern_view *view, struct tp_pattern_family *family,
			      size_t rows)
{
	size_t firsts[FAMILIES_MAX], n = tp_pattern_families(run, firsts, FAMILIES_MAX);
	struct compared *all = tp_arena_alloc(&picture->arena, sizeof(*all));
	struct bar_list list = { .n = 0 };
	for (size_t i = 0; all && i < n; i++) {
		struct contender found[TP_CHART_BARS];
		tp_pattern_family_of(run, firsts[i], family);
		size_t k = find_contenders(picture, run, family, view->metric, found);
		k = TP_MIN(k, TP_COUNT_OF(all->items) - all->n);
		memcpy(&all->items[all->n], found, k * sizeof(*found));
		all->n += k;
	}
	if (!all || !all->n)
		return false;
	list_bars(picture, run, all, &list);
	fill_bars(picture, &list, view->metric, rows);
	const struct contender *one = &all->items[0];
	struct tp_str title = { 0 };
	char count[32];
	if (differ(all, same_pattern))
		tp_str_add(&title, "Patterns compared, the best of each");
	else if (differ(all, same_kernel))
		tp_str_printf(&title, "%s, the best of each", tp_pattern_row(one->point)->pattern);
	else
		tp_str_add(&title, one->point->kernel);
	if (!differ(all, same_place) && *one->place)
		tp_str_printf(&title, ", %s", one->place);
	if (!differ(all, same_threads))
		tp_str_printf(&title, ", %s",
			      tp_text_count(count, sizeof(count), one->point->threads, "thread"));
	picture->scene.title = tp_picture_text(picture, "%s", tp_str_text(&title));
	tp_str_release(&title);
	return true;
}
