/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The picture of the whole run while it grows: the roofline, or the curve of the current point. Its
 * axes come from the plan if possible; they grow in nice steps and never shrink.
 */
#include "ui/tui/screens/run_view.h"
#include "report/reporter.h"
#include "ui/tui/shown.h"
#include "base/memory.h"
#include "report/pictures.h"
#include "record/point.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A curve whose sizes span this factor reaches from cache to memory: its rates need a logarithmic
 * axis.
 */
#define SIZES_FOR_LOG 64.0

/* A step of 1, 2 or 5 times a power of ten for an axis of this length. */
static double step_of(double span)
{
	double decade = pow(10, floor(log10(span)));
	double lead = span / decade;
	return decade * (lead > 5 ? 1 : lead > 2 ? 0.5 : 0.2);
}

void tp_axis_hold(struct tp_axis_hold *hold, double least, double most)
{
	bool fresh = !(hold->max > hold->min);
	if (!isfinite(least) || !isfinite(most) || most < least)
		return;
	if (!fresh && least >= hold->min && most <= hold->max)
		return;
	double low = fresh ? least : fmin(least, hold->min);
	double high = fresh ? most : fmax(most, hold->max);
	if (hold->log) {
		/* At least a decade, so that it does not grow with every point. */
		high = fmax(high, sqrt(10 * high * low));
		low = fmin(low, high / 10);
		static const double nice[] = { 1, 2, 5, 10 };
		double below = pow(10, floor(log10(low))), above = pow(10, floor(log10(high)));
		hold->min = below;
		for (size_t i = 0; i < TP_COUNT_OF(nice); i++)
			if (nice[i] * below <= low)
				hold->min = nice[i] * below;
		for (size_t i = TP_COUNT_OF(nice); i-- > 0;)
			if (nice[i] * above >= high)
				hold->max = nice[i] * above;
		return;
	}
	double step = step_of(fmax(high - low, fmax(fabs(high), 1e-9) * 1e-3));
	hold->min = step * floor(low / step);
	hold->max = step * ceil(high / step);
	if (!(hold->max > hold->min))
		hold->max = hold->min + step;
}

static bool same_picture(const struct tp_point *a, const struct tp_point *b)
{
	return a->run == b->run && a->threads == b->threads &&
	       strcmp(tp_kernel_row(a)->precision, tp_kernel_row(b)->precision) == 0 &&
	       strcmp(a->experiment, b->experiment) == 0;
}

/* The last picture of the group that is not empty: it has the newest curves. */
static bool draw_curves(struct tp_picture *picture, const struct tp_run *run,
			const struct tp_point *like)
{
	const struct tp_group group = { like->run, like->threads, tp_kernel_row(like)->precision,
					like->experiment };
	bool any = false;
	for (size_t from = 0;; from += TP_PICTURE_CURVES) {
		struct tp_picture *next = calloc(1, sizeof(*next));
		if (!next || !tp_picture_curves(next, run, &group, from)) {
			if (next)
				tp_arena_release(&next->arena);
			free(next);
			return any;
		}
		tp_arena_release(&picture->arena);
		*picture = *next;
		picture->scene.series = picture->series;
		picture->scene.marks = picture->marks;
		free(next);
		any = true;
	}
}

/* Holds all sizes that the plan has for this picture. */
static void hold_sizes(struct tp_run_view *view, const struct tp_run *run,
		       const struct tp_point *like)
{
	double least = INFINITY, most = 0;
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (!tp_kernel_row(p)->working_set_bytes || !same_picture(p, like))
			continue;
		least = fmin(least, (double)tp_kernel_row(p)->working_set_bytes);
		most = fmax(most, (double)tp_kernel_row(p)->working_set_bytes);
	}
	if (!(most > 0))
		return;
	view->whole_x.min = exp2(floor(log2(least)));
	view->whole_x.max = fmax(exp2(ceil(log2(most))), 2 * view->whole_x.min);
	view->whole_y.log = most / least >= SIZES_FOR_LOG;
}

static void hold_values(struct tp_axis_hold *hold, const struct tp_picture *picture, bool x)
{
	double least = INFINITY, most = -INFINITY;
	for (size_t i = 0; i < picture->n_series; i++) {
		const struct tp_series *s = &picture->series[i];
		const double *values = x ? s->x : s->y;
		for (size_t k = 0; k < s->n; k++) {
			double v = values[k];
			if (!isfinite(v) || (hold->log && v <= 0))
				continue;
			least = fmin(least, !x && s->low && s->low[k] > 0 ? s->low[k] : v);
			most = fmax(most, !x && s->high ? fmax(s->high[k], v) : v);
		}
	}
	if (!hold->log && !x)
		least = fmin(least, 0);
	tp_axis_hold(hold, least, most);
}

/* The estimate of the current point, at its place on the curve. */
static void mark_current(struct tp_app *app, struct tp_picture *picture,
			 const struct tp_point *point)
{
	double median, low, high, *x, *y;
	if (app->live.current != (long)point->point || !tp_kernel_row(point)->working_set_bytes ||
	    !tp_run_estimate(point, &median, &low, &high))
		return;
	struct tp_series *s = tp_picture_series(picture, 1, &x, &y);
	if (!s)
		return;
	x[0] = (double)tp_kernel_row(point)->working_set_bytes;
	y[0] = median;
	s->label = "now";
	s->style = TP_STYLE_DOTS;
	s->role = TP_ROLE_MARK;
	s->glyph = '@';
	picture->scene.n_series = picture->n_series;
}

/* Axes with names have their ends from the plan. */
static bool has_names(const struct tp_scene *scene)
{
	return scene->x.unit == TP_UNIT_NAMES || scene->y.unit == TP_UNIT_NAMES;
}

void tp_run_whole_draw(struct tp_app *app, struct tp_run_view *view, const struct tp_point *point,
		       struct tp_area area)
{
	const struct tp_run *run = tp_app_run(app);
	const struct tp_shown *shown = run && point ? tp_shown_of(point) : NULL;
	if (shown && shown->draw_run && shown->draw_run(app, area))
		return;
	struct tp_picture *picture = calloc(1, sizeof(*picture));
	if (!picture || !run || !point || area.rows < TP_PLOT_ROWS_MIN ||
	    area.columns < TP_PLOT_COLUMNS_MIN) {
		free(picture);
		return;
	}
	const struct tp_reporter *reporter = tp_reporter_find(point->experiment);
	bool curve = reporter && reporter->curve_title;
	bool any = reporter && reporter->curves && draw_curves(picture, run, point);
	if (!any && shown && shown->grow)
		any = shown->grow(app, point, area, picture);
	char key[sizeof(view->whole_key)];
	snprintf(key, sizeof(key), "%p %d %u %u %s %s", (const void *)run, any, point->run,
		 curve ? point->threads : 0, tp_kernel_row(point)->precision, point->experiment);
	if (strcmp(key, view->whole_key) != 0) {
		tp_copy(view->whole_key, sizeof(view->whole_key), key);
		view->whole_x = view->whole_y = (struct tp_axis_hold){ 0 };
	}
	if (!any) {
		tp_paint_wrapped(area, area.rows / 2, 2, TP_UI_DIM,
				 "The picture grows with the points; the first one is on its way.");
	} else if (!tp_live_is_under_way(&app->live) || has_names(&picture->scene)) {
		tp_paint_scene(area, &picture->scene, app->glyphs);
	} else {
		struct tp_scene *scene = &picture->scene;
		if (curve) {
			mark_current(app, picture, point);
			hold_sizes(view, run, point);
		} else {
			view->whole_x.log = scene->x.kind != TP_SCALE_LINEAR;
			view->whole_y.log = scene->y.kind != TP_SCALE_LINEAR;
			hold_values(&view->whole_x, picture, true);
		}
		hold_values(&view->whole_y, picture, false);
		if (curve)
			scene->y.kind = view->whole_y.log ? TP_SCALE_LOG10 : TP_SCALE_LINEAR;
		scene->x.min = view->whole_x.min;
		scene->x.max = view->whole_x.max;
		scene->y.min = view->whole_y.min;
		scene->y.max = view->whole_y.max;
		tp_paint_scene(area, scene, app->glyphs);
	}
	tp_arena_release(&picture->arena);
	free(picture);
}
