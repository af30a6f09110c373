/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mixed kernels as dots below their roofs, and how far below each one is. */
#include "ui/tui/experiments/roofline.h"
#include "base/memory.h"
#include "record/point.h"
#include "record/dot.h"
#include "experiments/roofline/pictures.h"
#include "ui/tui/paint.h"
#include "ui/tui/shown.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_COLUMNS = 44, SIDE_FROM = 108 };

static void add_pages(struct tp_plotview *view, const struct tp_run *run)
{
	for (size_t i = 0; i < tp_run_n_dots(run); i++) {
		const struct tp_dot *d = &tp_run_dots(run)[i];
		struct tp_plot_page page = { .run = d->run, .threads = d->threads };
		tp_copy(page.precision, sizeof(page.precision), d->precision);
		tp_copy(page.isa, sizeof(page.isa), d->isa);
		tp_plotview_add_page(view, &page);
	}
}

/*
 * The roofs may come from another run of the preset: of the same ISA, precision and threads, as the
 * dots' own numbers say.
 */
static bool build_page(struct tp_plotview *view, const struct tp_app *app,
		       const struct tp_plot_page *page, struct tp_area area)
{
	struct tp_picture *picture = view->plot.picture;
	(void)app;
	if (!tp_picture_roofline(picture, view->runs[0], page->run, page->precision,
				 (size_t)area.columns, (size_t)area.rows))
		return false;
	struct tp_scene *scene = &picture->scene;
	if (strncmp(scene->title, "Roofline", 8) == 0)
		scene->title = tp_picture_text(picture, "Mixed%s", scene->title + 8);
	/* The cursor is for the dots here. */
	for (size_t i = 0; i < picture->n_series; i++)
		if (!picture->origins[i].rows)
			picture->origins[i].reads = TP_READS_NOTHING;
	return true;
}

/* --- the list --- */

static int by_level_and_intensity(const void *a, const void *b)
{
	static const char *const levels[] = { "L1", "L2", "L3", "DRAM" };
	const struct tp_dot *x = *(const struct tp_dot *const *)a;
	const struct tp_dot *y = *(const struct tp_dot *const *)b;
	size_t lx = 0, ly = 0;
	while (lx < TP_COUNT_OF(levels) && strcmp(levels[lx], x->level) != 0)
		lx++;
	while (ly < TP_COUNT_OF(levels) && strcmp(levels[ly], y->level) != 0)
		ly++;
	if (lx != ly)
		return lx < ly ? -1 : 1;
	int op = strcmp(x->fp_op, y->fp_op);
	return op ? op
		  : (x->ai_flop_per_byte > y->ai_flop_per_byte) -
			       (x->ai_flop_per_byte < y->ai_flop_per_byte);
}

static void draw_dots(const struct tp_plotview *view, struct tp_area area)
{
	enum { LEVEL, FP_OP, INTENSITY, GFLOPS, DISTANCE, MARK_AT = 33 };
	static const struct tp_table_column columns[] = {
		[LEVEL] = { "Level", 0, 0 },	   [FP_OP] = { "FP op", 6, 0 },
		[INTENSITY] = { "FLOP/B", 0, 23 }, [GFLOPS] = { "GFLOP/s", 0, 32 },
		[DISTANCE] = { "to roof", 0, 41 },
	};
	const struct tp_run *run = view->runs[0];
	const struct tp_origin *o = tp_plot_origin(&view->plot);
	const struct tp_dot *at = o ? o->rows[view->plot.point] : NULL, *worst = NULL;
	TP_FREE const struct tp_dot **dots =
		tp_alloc(tp_run_n_dots(run) + 1, sizeof(const struct tp_dot *));
	struct tp_list list = { 0 };
	for (size_t i = 0; i < tp_run_n_dots(run); i++) {
		dots[i] = &tp_run_dots(run)[i];
		if (!worst || dots[i]->distance_percent < worst->distance_percent)
			worst = dots[i];
	}
	qsort(dots, tp_run_n_dots(run), sizeof(*dots), by_level_and_intensity);
	tp_list_resize(&list, tp_run_n_dots(run));
	while (at && list.at + 1 < list.n && dots[list.at] != at)
		list.at++;
	tp_list_fit(&list, area.rows - 3);
	tp_table_titles(area, 1, columns, TP_COUNT_OF(columns), TP_UI_TITLE);
	for (int r = 0; r < list.rows && list.top + (size_t)r < list.n; r++) {
		const struct tp_dot *d = dots[list.top + (size_t)r];
		int row = r + 2;
		tp_table_cell(area, row, &columns[LEVEL], TP_UI_PLAIN, "%s", d->level);
		tp_table_cell(area, row, &columns[FP_OP], TP_UI_PLAIN, "%s", d->fp_op);
		tp_table_cell(area, row, &columns[INTENSITY], TP_UI_PLAIN, "%.3f",
			      d->ai_flop_per_byte);
		tp_table_cell(area, row, &columns[GFLOPS], TP_UI_STRONG, "%.2f", d->gflops);
		if (d->point < run->n_points) {
			const struct tp_point *p = &run->points[d->point];
			tp_paint_text(area, row, MARK_AT, tp_quality_role(p->quality),
				      tp_quality_mark(p->quality, p->flags));
		}
		tp_table_cell(area, row, &columns[DISTANCE], tp_dot_role(d), "%+.1f %%",
			      d->distance_percent);
		if (d == worst && tp_dot_role(d) != TP_UI_GOOD)
			tp_paint_text(area, row, 42, TP_UI_BAD, "!");
		if (d == at)
			tp_paint_role(area, row, 0, 42, TP_UI_SELECTED);
	}
	tp_list_paint_bar(&list, tp_area_rows(area, 2, area.rows - 3));
	tp_paint_text(area, area.rows - 1, 0, TP_UI_DIM,
		      tp_quality_has_marks(run) ? "! farthest below its roof  " TP_QUALITY_LEGEND
						: "! farthest below its roof");
}

static const struct tp_plot_kind kind = {
	.empty = "No mixed dots in this run: press 2 to set them up (experiment: mixed), 4 to "
		 "open a run that has some.",
	.pages = add_pages,
	.build = build_page,
	.read = tp_roofline_read_dot,
	.side = draw_dots,
	.side_from = SIDE_FROM,
	.side_columns = SIDE_COLUMNS,
};

TP_PLOTVIEW_SCREEN(mixed);

/* --- in other screens --- */

/* Dots of other experiments stand beside them. */
static size_t n_mixed(const struct tp_run *run)
{
	size_t n = 0;
	for (size_t i = 0; i < tp_run_n_dots(run); i++)
		n += tp_dot_is_mixed(run, &tp_run_dots(run)[i]);
	return n;
}

const struct tp_shown tp_shown_mixed = {
	.screen = TP_SCREEN_MIXED,
	.words = "the mixed kernels",
	.count = n_mixed,
	.grow = tp_roofline_grow,
};
