/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time of a gather against its number of lines, one series for each width and mask. */
#include "experiments/gather/report.h"
#include "experiments/gather/summary.h"
#include "report/pictures.h"
#include "report/reporter.h"

#include <string.h>

static bool same_series(const struct tp_gather_cell *a, const struct tp_gather_cell *b)
{
	return a->vector_bits == b->vector_bits && a->masked == b->masked;
}

/* The series that begins with cells[0]; returns how many cells it has. */
static size_t draw(struct tp_picture *picture, const struct tp_gather_cell *cells, size_t n)
{
	static const char glyphs[TP_PICTURE_CURVES] = { 'o', 'x', '+', '*', '#', '@' };
	size_t used = 0, number = picture->n_series;
	double *x, *y;
	while (used < n && same_series(cells, &cells[used]))
		used++;
	struct tp_series *s =
		number < TP_PICTURE_CURVES ? tp_picture_series(picture, used, &x, &y) : NULL;
	const struct tp_point **points =
		tp_arena_alloc(&picture->arena, used * sizeof(const struct tp_point *));
	double *low = tp_arena_alloc(&picture->arena, used * sizeof(*low));
	double *high = tp_arena_alloc(&picture->arena, used * sizeof(*high));
	if (!s || !points || !low || !high)
		return used;
	for (size_t i = 0; i < used; i++) {
		x[i] = cells[i].lines;
		y[i] = cells[i].median_ns;
		low[i] = cells[i].low_ns;
		high[i] = cells[i].high_ns;
		points[i] = cells[i].middle;
	}
	s->low = low;
	s->high = high;
	s->label = tp_picture_text(picture, "%u bits%s", cells->vector_bits,
				   cells->masked ? ", masked" : "");
	*tp_picture_origin(picture, s) =
		(struct tp_origin){ .reads = TP_READS_POINTS, .points = points };
	s->style = TP_STYLE_LINE_AND_DOTS;
	s->role = (enum tp_plot_role)number;
	s->glyph = glyphs[number];
	return used;
}

static bool curves(struct tp_picture *picture, const struct tp_run *run,
		   const struct tp_group *group, size_t from)
{
	struct tp_gather_cells cells = { 0 };
	char count[32];
	if (from == 0 && tp_gather_cells_make(run, group, false, &cells) == TP_OK)
		for (size_t i = 0; i < cells.n;)
			i += draw(picture, &cells.items[i], cells.n - i);
	tp_gather_cells_release(&cells);
	if (!picture->n_series)
		return false;
	picture->scene.title = tp_picture_text(
		picture, "Gather, %s, %s, %s", group->precision, tp_gather_caches(run, group),
		tp_text_count(count, sizeof(count), group->threads, "thread"));
	picture->scene.x = (struct tp_scale){ TP_SCALE_LINEAR, TP_UNIT_PLAIN, 0, 0,
					      "cache lines of a gather" };
	picture->scene.y = (struct tp_scale){ TP_SCALE_LINEAR, TP_UNIT_PLAIN, 0, 0, "ns" };
	picture->scene.series = picture->series;
	picture->scene.n_series = picture->n_series;
	return true;
}

static bool has_curves(const struct tp_run *run, const struct tp_group *group, size_t from)
{
	struct tp_group groups[TP_GATHER_GROUPS_MAX];
	size_t n = from == 0 ? tp_gather_groups(run, groups) : 0;
	for (size_t i = 0; i < n; i++)
		if (groups[i].run == group->run && groups[i].threads == group->threads &&
		    strcmp(groups[i].precision, group->precision) == 0)
			return true;
	return false;
}

const struct tp_reporter tp_reporter_gather = {
	.experiment = "gather",
	.place = 8,
	.page = tp_page_gather,
	.conclude = tp_gather_conclude,
	.curves = curves,
	.has_curves = has_curves,
};
