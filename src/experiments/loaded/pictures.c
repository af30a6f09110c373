/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loaded latency as a scene: latency against the bandwidth of the other threads. */
#include "experiments/loaded/report.h"
#include "report/pictures.h"
#include "report/reporter.h"
#include "base/memory.h"
#include "record/point.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool in_group(const struct tp_point *p, const struct tp_group *group)
{
	return tp_point_is_loaded(p) && p->run == group->run && p->threads == group->threads &&
	       strcmp(tp_kernel_row(p)->precision, group->precision) == 0 &&
	       tp_kernel_row(p)->median_ns > 0;
}

/* The first point of the n-th level of the group; NULL behind the last. */
static const struct tp_point *level_at(const struct tp_run *run, const struct tp_group *group,
				       size_t n)
{
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		bool known = !in_group(p, group);
		for (size_t k = 0; k < i && !known; k++)
			known = in_group(&run->points[k], group) &&
				tp_loaded_same_group(&run->points[k], p);
		if (!known && n-- == 0)
			return p;
	}
	return NULL;
}

static bool has_level(const struct tp_run *run, const struct tp_group *group, size_t n)
{
	return level_at(run, group, n) != NULL;
}

static bool is_idle(const struct tp_point *p)
{
	return tp_kernel_row(p)->loads + tp_kernel_row(p)->stores == 0;
}

/* The idle point belongs to every mix. */
static bool in_series(const struct tp_point *p, const struct tp_point *like)
{
	return tp_point_is_loaded(p) && tp_loaded_same_group(p, like) &&
	       tp_kernel_row(p)->median_ns > 0 &&
	       (is_idle(p) || (strcmp(p->kernel, like->kernel) == 0 &&
			       strcmp(tp_kernel_row(p)->isa, tp_kernel_row(like)->isa) == 0));
}

static int by_pause(const void *a, const void *b)
{
	const struct tp_point *x = *(const struct tp_point *const *)a;
	const struct tp_point *y = *(const struct tp_point *const *)b;
	if (is_idle(x) != is_idle(y))
		return is_idle(x) ? -1 : 1;
	return (tp_kernel_row(x)->pause_cycles < tp_kernel_row(y)->pause_cycles) -
	       (tp_kernel_row(x)->pause_cycles > tp_kernel_row(y)->pause_cycles);
}

/* A line through the points by rising load: beyond saturation it may turn back. */
static void draw_mix(struct tp_picture *picture, const struct tp_run *run,
		     const struct tp_point *like)
{
	static const char glyphs[TP_PICTURE_CURVES] = { 'o', 'x', '+', '*', '#', '@' };
	const struct tp_point **points = tp_arena_alloc(
		&picture->arena, (run->n_points + 1) * sizeof(const struct tp_point *));
	size_t n = 0, number = picture->n_series;
	double *x, *y;
	for (size_t i = 0; points && i < run->n_points; i++)
		if (in_series(&run->points[i], like))
			points[n++] = &run->points[i];
	struct tp_series *s =
		n && number < TP_PICTURE_CURVES ? tp_picture_series(picture, n, &x, &y) : NULL;
	if (!s)
		return;
	qsort(points, n, sizeof(*points), by_pause);
	double *low = tp_arena_alloc(&picture->arena, n * sizeof(*low));
	double *high = tp_arena_alloc(&picture->arena, n * sizeof(*high));
	for (size_t i = 0; i < n; i++) {
		x[i] = tp_kernel_row(points[i])->median_gbps;
		y[i] = tp_kernel_row(points[i])->median_ns;
		if (low && high) {
			low[i] = points[i]->ci_low;
			high[i] = points[i]->ci_high;
		}
	}
	if (low && high) {
		s->low = low;
		s->high = high;
	}
	const char *plus = strchr(like->kernel, '+');
	s->label = tp_picture_text(picture, "%s", plus ? plus + 1 : "idle");
	*tp_picture_origin(picture, s) =
		(struct tp_origin){ .reads = TP_READS_POINTS, .points = points };
	s->style = TP_STYLE_LINE_AND_DOTS;
	s->role = (enum tp_plot_role)number;
	s->glyph = glyphs[number];
}

static bool draw_level(struct tp_picture *picture, const struct tp_run *run,
		       const struct tp_group *group, size_t n)
{
	const struct tp_point *first = level_at(run, group, n);
	char count[32];
	if (!first)
		return false;
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		bool known =
			!tp_point_is_loaded(p) || !tp_loaded_same_group(p, first) || is_idle(p);
		for (size_t k = 0; k < i && !known; k++)
			known = !is_idle(&run->points[k]) && in_series(&run->points[k], p);
		if (!known)
			draw_mix(picture, run, p);
	}
	if (!picture->n_series) /* ended before the first load */
		draw_mix(picture, run, first);
	if (!picture->n_series)
		return false;
	picture->scene.title =
		tp_picture_text(picture, "Loaded latency, %s, %s", tp_kernel_row(first)->level,
				tp_text_count(count, sizeof(count), first->threads, "thread"));
	picture->scene.x = (struct tp_scale){ TP_SCALE_LINEAR, TP_UNIT_PLAIN, 0, 0,
					      "GB/s of the other threads" };
	picture->scene.y = (struct tp_scale){ TP_SCALE_LINEAR, TP_UNIT_PLAIN, 0, 0, "ns" };
	picture->scene.series = picture->series;
	picture->scene.n_series = picture->n_series;
	return true;
}

/* One picture a level, however many curves are in it. */
static bool curves(struct tp_picture *picture, const struct tp_run *run,
		   const struct tp_group *group, size_t from)
{
	return draw_level(picture, run, group, from / TP_PICTURE_CURVES);
}

static bool has_curves(const struct tp_run *run, const struct tp_group *group, size_t from)
{
	return has_level(run, group, from / TP_PICTURE_CURVES);
}

const struct tp_reporter tp_reporter_loaded_latency = {
	.experiment = "loaded-latency",
	.place = 5,
	.page = tp_page_loaded,
	.conclude = tp_loaded_conclude,
	.curves = curves,
	.has_curves = has_curves,
};
