/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mixed dots against their roofs: how far each one falls short, the worst marked. */
#include "ui/tui/plot_dot.h"
#include "base/vec.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_COLUMNS = 44, SIDE_FROM = 108 };

enum tp_role tp_dot_role(const struct tp_dot *dot)
{
	return dot->distance_percent < TP_DOT_FAR_PERCENT    ? TP_UI_BAD
	       : dot->distance_percent < TP_DOT_NEAR_PERCENT ? TP_UI_WARN
							     : TP_UI_GOOD;
}

static const struct tp_point *point_of(const struct tp_plotview *view,
				       const struct tp_origin *origin, const struct tp_dot *dot)
{
	const struct tp_run *run = view->runs[origin->run];
	return dot->point < run->n_points ? &run->points[dot->point] : NULL;
}

void tp_dot_read(const struct tp_plotview *view, const struct tp_origin *origin,
		 struct tp_area area)
{
	const struct tp_dot *d = origin->dots[view->point];
	const struct tp_point *p = point_of(view, origin, d);
	char interval[32] = "", flags[200];
	int at = tp_plotview_paint_run(view, area);
	if (p)
		tp_plotview_interval(area, d->gflops, p->ci_low, p->ci_high, interval,
				     sizeof(interval));
	at += tp_paint_format(area, 0, at, TP_UI_STRONG, "AI %.3g, %s on %s %s: %.4g GFLOP/s %s",
			      d->ai_flop_per_byte, d->fp_op, d->level, d->isa, d->gflops, interval);
	if (fabs(d->distance_percent) < TP_DOT_SAME_PERCENT)
		tp_paint_text(area, 0, at + 1, tp_dot_role(d), "on its roof");
	else
		tp_paint_format(area, 0, at + 1, tp_dot_role(d), "%.1f %% %s its roof",
				fabs(d->distance_percent),
				d->distance_percent < 0 ? "below" : "above");
	at = tp_paint_format(area, 1, 0, TP_UI_PLAIN, "roof %.4g GFLOP/s there", d->roof_gflops);
	if (p)
		at += tp_paint_text(area, 1, at + 2, TP_UI_WARN,
				    tp_plotview_flags(p->flags, flags, sizeof(flags))) +
		      2;
	if (p && p->ipc > 0)
		tp_paint_format(area, 1, at + 2, TP_UI_DIM,
				"IPC %.2f  %.3g B/cycle  %.3g FLOP/cycle", p->ipc,
				p->bytes_per_cycle, p->flop_per_cycle);
}

static void pages(struct tp_plotview *view, const struct tp_run *run)
{
	for (size_t i = 0; i < run->n_dots; i++) {
		const struct tp_dot *d = &run->dots[i];
		struct tp_plot_page page = { .run = d->run, .threads = d->threads };
		tp_copy(page.precision, sizeof(page.precision), d->precision);
		tp_copy(page.isa, sizeof(page.isa), d->isa);
		tp_plotview_add_page(view, &page);
	}
}

/* The roofs may come from another run of the preset: of the same ISA, precision and threads, as the dots' own numbers say. */
static bool build(struct tp_plotview *view, const struct tp_app *app,
		  const struct tp_plot_page *page, int columns, int rows)
{
	(void)app;
	if (!tp_picture_roofline(view->picture, view->runs[0], page->run, page->precision,
				 (size_t)TP_MAX(columns, 0), (size_t)TP_MAX(rows, 0)))
		return false;
	struct tp_scene *scene = &view->picture->scene;
	if (strncmp(scene->title, "Roofline", 8) == 0)
		scene->title = tp_picture_text(view->picture, "Mixed%s", scene->title + 8);
	/* The cursor is for the dots here. */
	for (size_t i = 0; i < view->picture->n_series; i++)
		view->picture->origins[i].roof = NULL;
	return true;
}

static void read_cursor(const struct tp_plotview *view, struct tp_area area)
{
	const struct tp_origin *o = tp_plotview_origin(view);
	if (o && o->dots)
		tp_dot_read(view, o, area);
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

static void side(const struct tp_plotview *view, struct tp_area area)
{
	const struct tp_run *run = view->runs[0];
	const struct tp_origin *o = tp_plotview_origin(view);
	const struct tp_dot *at = o && o->dots ? o->dots[view->point] : NULL;
	const struct tp_dot **dots = calloc(run->n_dots + 1, sizeof(const struct tp_dot *));
	const struct tp_dot *worst = NULL;
	char text[48];
	if (!dots)
		return;
	for (size_t i = 0; i < run->n_dots; i++) {
		dots[i] = &run->dots[i];
		if (!worst || dots[i]->distance_percent < worst->distance_percent)
			worst = dots[i];
	}
	qsort(dots, run->n_dots, sizeof(*dots), by_level_and_intensity);
	struct tp_list list = { 0 };
	tp_list_resize(&list, run->n_dots);
	for (size_t i = 0; i < run->n_dots; i++)
		if (dots[i] == at)
			list.at = i;
	tp_list_fit(&list, area.rows - 3);
	tp_paint_text(area, 1, 0, TP_UI_TITLE, "Level");
	tp_paint_text(area, 1, 6, TP_UI_TITLE, "FP op");
	tp_paint_right(area, 1, 23, TP_UI_TITLE, "FLOP/B");
	tp_paint_right(area, 1, 32, TP_UI_TITLE, "GFLOP/s");
	tp_paint_right(area, 1, 41, TP_UI_TITLE, "to roof");
	for (int r = 0; r < list.rows && list.top + (size_t)r < run->n_dots; r++) {
		const struct tp_dot *d = dots[list.top + (size_t)r];
		int row = r + 2;
		tp_paint_text(area, row, 0, TP_UI_PLAIN, d->level);
		tp_paint_text(area, row, 6, TP_UI_PLAIN, d->fp_op);
		snprintf(text, sizeof(text), "%.3f", d->ai_flop_per_byte);
		tp_paint_right(area, row, 23, TP_UI_PLAIN, text);
		snprintf(text, sizeof(text), "%.2f", d->gflops);
		tp_paint_right(area, row, 32, TP_UI_STRONG, text);
		snprintf(text, sizeof(text), "%+.1f %%", d->distance_percent);
		tp_paint_right(area, row, 41, tp_dot_role(d), text);
		if (d == worst && d->distance_percent < TP_DOT_NEAR_PERCENT)
			tp_paint_text(area, row, 42, TP_UI_BAD, "!");
		if (d == at)
			tp_paint_role(area, row, 0, 42, TP_UI_SELECTED);
	}
	tp_list_paint_bar(&list, tp_area_rows(area, 2, area.rows - 3));
	tp_paint_text(area, area.rows - 1, 0, TP_UI_DIM, "! farthest below its roof");
	free(dots);
}

static const struct tp_plot_kind kind = {
	.empty = "No mixed dots in this run: press 2 to set them up (experiment: mixed), 9 to "
		 "open a run that has some.",
	.pages = pages,
	.build = build,
	.read = read_cursor,
	.side = side,
	.side_from = SIDE_FROM,
	.side_columns = SIDE_COLUMNS,
};

static void *open_screen(struct tp_app *app)
{
	(void)app;
	return tp_plotview_new(&kind);
}

const struct tp_screen tp_screen_mixed = {
	.name = "Mixed",
	.open = open_screen,
	TP_PLOTVIEW_ROW,
};
