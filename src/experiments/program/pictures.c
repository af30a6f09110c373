/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/program/pictures.h"
#include "base/tally.h"
#include "base/memory.h"
#include "experiments/program/variants.h"
#include "report/pictures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Values that span more than this are told apart on a log scale only. */
#define WIDE 20.0

/* --- bars --- */

bool tp_program_bars(struct tp_picture *picture, const struct tp_run *run, unsigned index,
		     size_t rows)
{
	size_t room = rows > TP_CHART_FRAME_ROWS ? rows - TP_CHART_FRAME_ROWS : 1;
	size_t most = TP_MIN(room, (size_t)TP_CHART_BARS), n = 0, left_out = 0;
	const struct tp_point *best = tp_program_best(run, index);
	struct tp_chart_bar bars[TP_CHART_BARS];
	const struct tp_point *worst = tp_program_worst(run, index);
	bool threads = tp_program_threads_vary(run, index);
	double factor = 1;
	char text[48];
	if (!best)
		return false;
	const char *unit = tp_program_axis_unit(best, fmax(best->median, worst->median), &factor);
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (!tp_program_is_of(p, index) || p->state != TP_POINT_DONE)
			continue;
		if (n == most) {
			left_out++;
			continue;
		}
		const char *count = tp_text_count(text, sizeof(text), p->threads, "thread");
		bars[n] = (struct tp_chart_bar){
			.name = tp_picture_text(picture, "%s%s%s", p->kernel, threads ? " " : "",
						threads ? count : ""),
			.value = factor * p->median,
			.low = factor * p->ci_low,
			.high = factor * p->ci_high,
			.best = p == best,
			.point = p,
		};
		bars[n++].text = tp_picture_text(picture, "%s",
						 tp_program_text(p, p->median, text, sizeof(text)));
	}
	/* One bar compares nothing. */
	if (n < 2 || !tp_picture_bars(picture, bars, n, unit))
		return false;
	picture->scene.title = tp_picture_text(picture, "%s of programs, %s is better",
					       tp_program_row(best)->metric,
					       best->less_is_better ? "less" : "more");
	if (left_out)
		picture->left_out =
			tp_picture_text(picture, "Left out: %zu further bars.", left_out);
	return true;
}

/* --- curves --- */

/* A point with its place in the curve. */
struct place {
	double x;
	const struct tp_point *point;
};

static int by_x(const void *a, const void *b)
{
	const struct place *p = a, *q = b;
	return (p->x > q->x) - (p->x < q->x);
}

static bool belongs(const struct tp_point *p, const struct tp_group *group)
{
	return tp_program_is_of(p, group->run) && p->threads == group->threads &&
	       p->state == TP_POINT_DONE;
}

/* The curves of a group: what the other parameters are, by number. */
static bool find_curves(const struct tp_run *run, const struct tp_group *group, const char *axis,
			struct tp_tally *curves)
{
	struct tp_str rest = { 0 };
	bool good = true;
	for (size_t i = 0; i < run->n_points && good; i++) {
		if (!belongs(&run->points[i], group))
			continue;
		tp_str_clear(&rest);
		tp_program_rest(&run->points[i], axis, &rest);
		good = tp_tally_add(curves, tp_str_text(&rest)) == TP_OK;
	}
	tp_str_release(&rest);
	return good;
}

/* The finished points of one curve, rising; `places` has room for all points. */
static size_t find_places(const struct tp_run *run, const struct tp_group *group, const char *axis,
			  const char *which, struct place *places)
{
	struct tp_str rest = { 0 };
	size_t n = 0;
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (!belongs(p, group))
			continue;
		tp_str_clear(&rest);
		tp_program_rest(p, axis, &rest);
		if (strcmp(tp_str_text(&rest), which) == 0)
			places[n++] = (struct place){ tp_program_number(p, axis), p };
	}
	tp_str_release(&rest);
	qsort(places, n, sizeof(*places), by_x);
	return n;
}

static void draw(struct tp_picture *picture, const struct place *places, size_t n, double factor,
		 const char *label)
{
	static const char glyphs[TP_PICTURE_CURVES] = { 'o', 'x', '+', '*', '#', '@' };
	size_t number = picture->n_series;
	double *x, *y;
	struct tp_series *s = n ? tp_picture_series(picture, n, &x, &y) : NULL;
	const struct tp_point **points =
		tp_arena_alloc(&picture->arena, (n + 1) * sizeof(const struct tp_point *));
	double *low = tp_arena_alloc(&picture->arena, (n + 1) * sizeof(*low));
	double *high = tp_arena_alloc(&picture->arena, (n + 1) * sizeof(*high));
	if (!s || !points || !low || !high)
		return;
	for (size_t i = 0; i < n; i++) {
		const struct tp_point *p = points[i] = places[i].point;
		x[i] = places[i].x;
		y[i] = factor * p->median;
		low[i] = factor * p->ci_low;
		high[i] = factor * p->ci_high;
	}
	s->low = low;
	s->high = high;
	s->label = *label ? tp_picture_text(picture, "%s", label)
			  : tp_picture_text(picture, "%.*s",
					    (int)tp_program_name_length(places[0].point),
					    places[0].point->kernel);
	*tp_picture_origin(picture, s) =
		(struct tp_origin){ .reads = TP_READS_POINTS, .points = points };
	s->style = TP_STYLE_LINE_AND_DOTS;
	s->role = (enum tp_plot_role)number;
	s->glyph = glyphs[number];
}

/* Values that all lie above 0 and far from each other. */
static enum tp_scale_kind scale_of(const struct tp_picture *picture, bool of_x)
{
	double least = INFINITY, most = 0;
	for (size_t i = 0; i < picture->n_series; i++)
		for (size_t k = 0; k < picture->series[i].n; k++) {
			double v = of_x ? picture->series[i].x[k] : picture->series[i].y[k];
			least = fmin(least, v);
			most = fmax(most, v);
		}
	bool wide = least > 0 && most > WIDE * least;
	return !wide ? TP_SCALE_LINEAR : of_x ? TP_SCALE_LOG2 : TP_SCALE_LOG10;
}

bool tp_program_curves(struct tp_picture *picture, const struct tp_run *run,
		       const struct tp_group *group, size_t from)
{
	char axis[TP_PROGRAM_AXIS_BYTES], count[32];
	struct tp_tally curves = { 0 };
	struct place *places = calloc(run->n_points + 1, sizeof(*places));
	const struct tp_point *any = NULL, *worst = tp_program_worst(run, group->run);
	const struct tp_point *best = tp_program_best(run, group->run);
	const char *unit = "";
	double factor = 1;
	if (best)
		unit = tp_program_axis_unit(best, fmax(best->median, worst->median), &factor);
	if (places && tp_program_axis(run, group->run, group->threads, axis) &&
	    find_curves(run, group, axis, &curves))
		for (size_t i = from; i < curves.n && i < from + TP_PICTURE_CURVES; i++) {
			const char *which = curves.texts.s + curves.groups[i].text;
			size_t n = find_places(run, group, axis, which, places);
			any = n ? places[0].point : any;
			draw(picture, places, n, factor, curves.n > 1 ? which : "");
		}
	tp_tally_release(&curves);
	free(places);
	if (!any || !picture->n_series)
		return false;
	const char *metric = tp_program_row(any)->metric;
	picture->scene.title =
		tp_picture_text(picture, "%s over %s, %s", metric, axis,
				tp_text_count(count, sizeof(count), group->threads, "thread"));
	picture->scene.x = (struct tp_scale){ scale_of(picture, true), TP_UNIT_PLAIN, 0, 0,
					      tp_picture_text(picture, "%s", axis) };
	picture->scene.y = (struct tp_scale){ scale_of(picture, false), TP_UNIT_PLAIN, 0, 0,
					      tp_picture_text(picture, "%s", unit) };
	picture->scene.series = picture->series;
	picture->scene.n_series = picture->n_series;
	return true;
}

bool tp_program_has_curves(const struct tp_run *run, const struct tp_group *group, size_t from)
{
	char axis[TP_PROGRAM_AXIS_BYTES];
	struct tp_tally curves = { 0 };
	bool has = tp_program_axis(run, group->run, group->threads, axis) &&
		   find_curves(run, group, axis, &curves) && from < curves.n;
	tp_tally_release(&curves);
	return has;
}

/* Bars of the runs that make no curves. */
bool tp_program_pictures(const struct tp_run *run, const struct tp_gallery *gallery)
{
	unsigned last = UINT32_MAX;
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		char axis[TP_PROGRAM_AXIS_BYTES];
		if (!tp_point_is_program(p) || p->run == last)
			continue;
		last = p->run;
		if (tp_program_axis(run, p->run, p->threads, axis))
			continue;
		struct tp_picture *picture = tp_picture_new();
		if (!picture)
			return false;
		if (tp_program_bars(picture, run, p->run, gallery->rows))
			gallery->hang(gallery->context, picture);
		tp_picture_free(picture);
	}
	return true;
}
