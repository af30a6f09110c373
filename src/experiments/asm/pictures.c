/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Instructions in a cycle against the number of independent ones: one picture for all runs of a
 * preset, a curve for each instruction.
 */
#include "experiments/asm/report.h"
#include "base/memory.h"
#include "experiments/asm/row.h"

#include <stdlib.h>

static int by_count(const void *a, const void *b)
{
	unsigned x = tp_asm_row(*(const struct tp_point *const *)a)->count;
	unsigned y = tp_asm_row(*(const struct tp_point *const *)b)->count;
	return (x > y) - (x < y);
}

static size_t series_points(const struct tp_run *run, size_t first, const struct tp_point **out)
{
	size_t n = 0;
	for (size_t i = first; i < run->n_points; i++)
		if (tp_asm_same_series(&run->points[i], &run->points[first]))
			out[n++] = &run->points[i];
	return n;
}

static bool is_curve(const struct tp_run *run, const struct tp_group *group, size_t i)
{
	return run->points[i].threads == group->threads && tp_asm_series_begins(run, i) &&
	       tp_asm_series_counts(run, &run->points[i]);
}

/* The group in whose place the picture hangs: that of the first curve. */
static bool has_picture(const struct tp_run *run, const struct tp_group *group)
{
	for (size_t i = 0; i < run->n_points; i++)
		if (is_curve(run, group, i))
			return run->points[i].run == group->run;
	return false;
}

static void draw(struct tp_picture *picture, const struct tp_run *run, size_t first)
{
	static const char glyphs[TP_PICTURE_CURVES] = { 'o', 'x', '+', '*', '#', '@' };
	size_t number = picture->n_series;
	double *x, *y;
	const struct tp_point **points = tp_arena_alloc(
		&picture->arena, (run->n_points + 1) * sizeof(const struct tp_point *));
	size_t n = points ? series_points(run, first, points) : 0;
	struct tp_series *s = n ? tp_picture_series(picture, n, &x, &y) : NULL;
	if (!s)
		return;
	qsort(points, n, sizeof(*points), by_count);
	for (size_t i = 0; i < n; i++) {
		x[i] = tp_asm_row(points[i])->count;
		y[i] = tp_asm_row(points[i])->ipc;
	}
	s->label = tp_picture_text(picture, "%s", run->points[first].kernel);
	*tp_picture_origin(picture, s) =
		(struct tp_origin){ .reads = TP_READS_POINTS, .points = points };
	s->style = TP_STYLE_LINE_AND_DOTS;
	s->role = (enum tp_plot_role)number;
	s->glyph = glyphs[number];
}

bool tp_asm_curves(struct tp_picture *picture, const struct tp_run *run,
		   const struct tp_group *group, size_t from)
{
	size_t seen = 0;
	char count[32];
	bool any = has_picture(run, group);
	for (size_t i = 0; i < run->n_points && any; i++)
		if (is_curve(run, group, i) && seen++ >= from &&
		    picture->n_series < TP_PICTURE_CURVES)
			draw(picture, run, i);
	if (!picture->n_series)
		return false;
	picture->scene.title =
		tp_picture_text(picture, "Instructions in a cycle, %s",
				tp_text_count(count, sizeof(count), group->threads, "thread"));
	picture->scene.x = (struct tp_scale){ TP_SCALE_LINEAR, TP_UNIT_PLAIN, 0, 0,
					      "independent instructions" };
	picture->scene.y = (struct tp_scale){ TP_SCALE_LINEAR, TP_UNIT_PLAIN, 0, 0, "IPC" };
	picture->scene.series = picture->series;
	picture->scene.n_series = picture->n_series;
	return true;
}

bool tp_asm_has_curves(const struct tp_run *run, const struct tp_group *group, size_t from)
{
	size_t seen = 0;
	for (size_t i = 0; i < run->n_points && has_picture(run, group); i++)
		if (is_curve(run, group, i) && seen++ >= from)
			return true;
	return false;
}
