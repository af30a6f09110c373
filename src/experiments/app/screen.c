/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The screen Application: words and shares, and beside them or behind Tab the dots below the roofs.
 * What is being measured stands above.
 */
#include "experiments/app/screen.h"
#include "experiments/roofline/pictures.h"
#include "experiments/roofline/screen.h"
#include "base/memory.h"
#include "ui/tui/screen.h"
#include "ui/tui/app.h"
#include "ui/tui/shown.h"

#include <math.h>
#include <string.h>

enum { BESIDE_FROM = 112, WORDS_LEAST = 62, PLOT_ROWS_LEAST = 12 };
/* While a program runs, clocks and run numbers move. */
#define LIVE_SECONDS 0.25

/* --- the parts --- */

static bool beside(struct tp_area area)
{
	return area.columns >= BESIDE_FROM;
}

static int parts(const struct tp_app *app, const void *state, struct tp_area area)
{
	(void)app;
	(void)state;
	return beside(area) ? 1 : 2;
}

static bool open_screen(struct tp_app *app, void *state)
{
	(void)app;
	(void)state;
	return true;
}

static void close_screen(void *state)
{
	struct tp_app_view *view = state;

	tp_doc_release(&view->doc);
	tp_plot_drop(&view->plot);
}

/* Words and picture anew if the runs or the width are not those that they were made for. */
static void refresh(const struct tp_app *app, struct tp_app_view *view, int columns)
{
	const struct tp_run *run = tp_app_run(app);
	uint64_t seen = tp_seen_runs(app);

	tp_seen_mix(&seen, run == &app->live.run ? app->live.version : 0);
	tp_seen_mix(&seen, app->term.utf8);
	if (seen == view->seen && columns == view->doc.columns)
		return;
	if (seen != view->seen)
		tp_plot_drop(&view->plot);
	view->seen = seen;
	tp_doc_clear(&view->doc, columns);
	tp_app_view_words(&view->doc, app);
	tp_list_resize(&view->list, view->doc.n);
}

/* The precision whose roofs are drawn: that of the first region that computes. */
static const char *precision_of(const struct tp_run *run)
{
	for (size_t i = 0; i < tp_run_n_app_regions(run); i++)
		if (tp_run_app_regions(run)[i].precision[0])
			return tp_run_app_regions(run)[i].precision;
	return "double";
}

static bool make_picture(const struct tp_app *app, struct tp_app_view *view, struct tp_area area)
{
	const size_t n = tp_app_n_shown(app);
	const struct tp_run *run = tp_app_run(app);
	const struct tp_run *runs[TP_APP_RUNS];
	const char *names[TP_APP_RUNS];

	if (view->plot.picture || !run)
		return run;
	struct tp_picture *picture = tp_plot_renew(&view->plot);
	if (!picture)
		return false;
	for (size_t i = 0; i < n && i < TP_APP_RUNS; i++) {
		runs[i] = tp_app_shown(app, i);
		names[i] = tp_app_shown_label(app, i);
	}
	const struct tp_overlay overlay = { runs, names, TP_MIN(n, (size_t)TP_APP_RUNS) };
	bool made = n > 1 ? tp_overlay_roofline(picture, &overlay, precision_of(run))
			  : tp_picture_roofline(picture, run, 0, precision_of(run),
						(size_t)TP_MAX(area.columns, 1),
						(size_t)TP_MAX(area.rows, 1));
	if (!made)
		tp_plot_drop(&view->plot);
	return made;
}

static void draw_picture(const struct tp_app *app, struct tp_app_view *view, struct tp_area area)
{
	if (area.rows < PLOT_ROWS_LEAST || !make_picture(app, view, area) ||
	    !tp_plot_fit(&view->plot, app, area, tp_live_is_under_way(&app->live))) {
		tp_paint_wrapped(area, 0, 0, TP_UI_DIM,
				 "No roofs yet: they are measured behind the program "
				 "(app.roofs: measure).");
		return;
	}
	tp_plot_paint(&view->plot);
}

static void draw_words(struct tp_app_view *view, struct tp_area area)
{
	tp_list_fit(&view->list, area.rows);
	tp_doc_show(&view->doc, &view->list, area, false);
}

static void draw_empty(const struct tp_app *app, struct tp_area area)
{
	tp_paint_wrapped(
		area, 1, 1, TP_UI_DIM,
		tp_app_run(app)
			? "No program in this run. Press 2, choose the experiment app and give "
			  "app.command: your program and its arguments; r measures it. Or leave "
			  "and type: tprof --app -- ./yourprogram"
			: "No run is open: press 2, choose the experiment app and give "
			  "app.command, "
			  "your program and its arguments; or 9 to open a run.");
}

static void draw(struct tp_app *app, void *state, struct tp_area area)
{
	struct tp_app_view *view = state;
	struct tp_area inner = tp_area_columns(area, 1, area.columns - 2);
	int used = tp_app_paint_phase(app, inner);

	inner = tp_area_rows(inner, used, inner.rows - used);
	int words = beside(area) ? TP_MAX(inner.columns * 2 / 5, (int)WORDS_LEAST) : inner.columns;
	/* One column for the scroll bar. */
	refresh(app, view, TP_MAX(words - 2, 1));
	if (view->doc.n == 0) {
		if (!used)
			draw_empty(app, area);
		return;
	}
	if (beside(area)) {
		draw_words(view, tp_area_columns(inner, 0, words));
		draw_picture(app, view,
			     tp_area_columns(inner, words + 1, inner.columns - words - 1));
	} else if (app->part == 0) {
		draw_words(view, inner);
	} else {
		draw_picture(app, view, inner);
	}
}

static bool act(struct tp_app *app, void *state, enum tp_action action)
{
	struct tp_app_view *view = state;

	(void)app;
	return tp_list_scroll(&view->list, action);
}

static void mouse(struct tp_app *app, void *state, const struct tp_input *input,
		  struct tp_area area)
{
	struct tp_app_view *view = state;

	(void)app;
	(void)area;
	tp_list_wheel(&view->list, tp_list_wheel_rows(input));
}

static double work(struct tp_app *app, void *state)
{
	(void)state;
	if (!tp_live_is_under_way(&app->live))
		return INFINITY;
	app->dirty = true;
	return LIVE_SECONDS;
}

const struct tp_screen tp_screen_application = {
	.state_bytes = sizeof(struct tp_app_view),
	.open = open_screen,
	.close = close_screen,
	.draw = draw,
	.act = act,
	.parts = parts,
	.mouse = mouse,
	.work = work,
};

/* --- in other screens --- */

static const char *finds(const struct tp_run *run)
{
	return tp_run_n_app_regions(run) ? "the program below its roofs" : NULL;
}

static void preview(struct tp_doc *doc, const struct tp_run *run)
{
	enum { MOST = 4 };
	size_t shown = 0;
	for (size_t i = 0; i < tp_run_n_app_regions(run) && shown < MOST; i++) {
		const struct tp_app_region_row *row = &tp_run_app_regions(run)[i];
		if (!tp_app_is_whole(row) || !(row->gflops > 0))
			continue;
		if (!shown++) {
			tp_doc_line(doc, -1);
			tp_doc_row(doc, 0, TP_UI_TITLE, "Program");
		}
		tp_doc_row(doc, 0, TP_UI_PLAIN, "%s: %.3g GFLOP/s, %.3g FLOP/byte", row->region,
			   row->gflops, row->ai_flop_per_byte);
		if (row->roof[0])
			tp_doc_row(doc, 2, TP_UI_DIM, "%.0f %% of the %s roof", row->roof_percent,
				   row->roof);
	}
}

/* What is being done to the program, which no window tells. */
static bool draw_point(struct tp_app *app, const struct tp_point *point, struct tp_area area)
{
	return tp_point_is_app(point) && app->live.current == (long)point->point &&
	       point->state == TP_POINT_PLANNED && tp_app_paint_phase(app, area) > 0;
}

const struct tp_shown tp_shown_app = {
	.screen = TP_SCREEN_APPLICATION,
	.finds = finds,
	.preview = preview,
	.draw_point = draw_point,
	.grow = tp_roofline_grow,
};
