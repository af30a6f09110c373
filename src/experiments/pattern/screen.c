/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Patterns: curves, heat maps and bars of the run, and behind a key the configurations with their
 * code (screen_code.c).
 */
#include "experiments/pattern/screen.h"
#include "base/units.h"
#include "base/vec.h"
#include "experiments/pattern/views.h"
#include "ui/tui/experiments/windows.h"
#include "report/groups.h"
#include "ui/tui/quality.h"
#include "ui/tui/shown.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/*
 * Pages of curves count their first curve; those of other pictures hold the picture's first point,
 * shape and unit above this number.
 */
enum { VIEWS_FROM = 1 << 24, SIDE_COLUMNS = 50, SIDE_FROM = 132 };

static size_t page_of_view(const struct tp_pattern_view *view)
{
	return VIEWS_FROM + (view->first * 4 + view->shape) * 4 + view->metric;
}

static struct tp_pattern_view view_of_page(size_t from)
{
	from -= VIEWS_FROM;
	return (struct tp_pattern_view){ .shape = (enum tp_pattern_shape)(from / 4 % 4),
					 .metric = (enum tp_pattern_metric)(from % 4),
					 .first = from / 16 };
}

static void add_view(struct tp_plotview *view, const struct tp_pattern_view *shown)
{
	struct tp_plot_page page = { .run = TP_ANY,
				     .threads = TP_ANY,
				     .experiment = "pattern",
				     .from = page_of_view(shown) };
	tp_plotview_add_page(view, &page);
}

static void add_curves(void *context, const struct tp_run *run, const struct tp_group *group)
{
	struct tp_plotview *view = context;
	if (strcmp(group->experiment, "pattern") != 0)
		return;
	for (size_t from = 0; tp_picture_has_curves(run, group, from); from += TP_PICTURE_CURVES) {
		struct tp_plot_page page = { .run = group->run,
					     .threads = group->threads,
					     .from = from };
		tp_copy(page.precision, sizeof(page.precision), group->precision);
		tp_copy(page.experiment, sizeof(page.experiment), group->experiment);
		tp_plotview_add_page(view, &page);
	}
}

/* A report has no picture of a single configuration; the screen shows its bar. */
static void add_alone(struct tp_plotview *view, const struct tp_run *run)
{
	for (size_t i = 0; i < run->n_points; i++)
		if (strcmp(run->points[i].experiment, "pattern") == 0) {
			add_view(view, &(struct tp_pattern_view){ TP_PATTERN_COMPARED,
								  TP_PATTERN_GBPS, i });
			return;
		}
}

static void pages(struct tp_plotview *view, const struct tp_run *run)
{
	struct tp_pattern_view views[TP_PATTERN_VIEWS_MAX];
	size_t n = tp_pattern_views(run, views);
	for (size_t i = 0; i < n; i++)
		add_view(view, &views[i]);
	tp_picture_each_group(run, view, add_curves);
	if (view->n_pages == 0)
		add_alone(view, run);
}

static bool build(struct tp_plotview *view, const struct tp_app *app,
		  const struct tp_plot_page *page, struct tp_area area)
{
	const struct tp_group group = { page->run, page->threads, page->precision,
					page->experiment };
	(void)app;
	if (page->from < VIEWS_FROM)
		return tp_picture_curves(view->plot.picture, view->runs[0], &group, page->from);
	const struct tp_pattern_view shown = view_of_page(page->from);
	return tp_picture_pattern(view->plot.picture, view->runs[0], &shown,
				  (size_t)TP_MAX(area.columns, 1), (size_t)TP_MAX(area.rows, 1));
}

static void read_cursor(const struct tp_plotview *view, const struct tp_origin *o,
			struct tp_text_row first, struct tp_text_row second)
{
	const struct tp_point *p = o->points[view->plot.point];
	const struct tp_pattern_row *row = tp_pattern_row(p);
	const char *level = tp_pattern_level(view->runs[o->run], p);
	char size[32], interval[32];
	tp_words(&first, 0, TP_UI_TITLE, "%s %s", row->pattern, row->parameters);
	if (row->nowait)
		tp_words(&first, 1, TP_UI_TITLE, "nowait");
	if (p->state != TP_POINT_DONE) {
		tp_words(&first, 2, p->state == TP_POINT_FAILED ? TP_UI_BAD : TP_UI_DIM, "%s",
			 p->state == TP_POINT_FAILED ? "failed" : "not measured yet");
		tp_words(&second, 0, TP_UI_PLAIN, "%s", p->diag.what);
		return;
	}
	tp_plotview_interval(first.area, p, tp_point_median(p), p->ci_low, p->ci_high, interval,
			     sizeof(interval));
	tp_words(&first, 2, TP_UI_STRONG, "%.4g GB/s %s", row->kernel.median_gbps, interval);
	tp_words(&first, 2, TP_UI_PLAIN, "%.3g GFLOP/s  %.3g ns an element",
		 row->kernel.median_gflops, row->element_ns);
	tp_plotview_quality(&second, 0, p->quality, p->flags);
	tp_words(&second, second.at ? 2 : 0, TP_UI_DIM, "%s%s%s a thread, %u thread%s", level,
		 *level ? ", " : "",
		 tp_format_bytes(size, sizeof(size), row->kernel.working_set_bytes), p->threads,
		 p->threads == 1 ? "" : "s");
	if (p->threads > 1 && row->thread_max_gbps > 0)
		tp_words(&second, 2, TP_UI_DIM, "threads %.3g to %.3g GB/s", row->thread_min_gbps,
			 row->thread_max_gbps);
	tp_words(&second, 2, TP_UI_DIM, "%.3g FLOP/byte", row->kernel.ai_flop_per_byte);
	tp_words(&second, 2, TP_UI_DIM, "%s", row->counts);
}

/* The points of the picture, the fastest first as far as there is room. */
static void side(const struct tp_plotview *view, struct tp_area area)
{
	enum { NAME_END = 40, RATE_END = 48, ROWS_MOST = 256 };
	const struct tp_plot *plot = &view->plot;
	const struct tp_point *sorted[ROWS_MOST];
	const struct tp_origin *at = tp_plot_origin(plot);
	size_t n = 0;
	for (size_t i = 0; i < plot->picture->n_series; i++) {
		const struct tp_origin *o = &plot->picture->origins[i];
		for (size_t k = 0; o->points && k < plot->picture->series[i].n; k++) {
			const struct tp_point *p = o->points[k];
			double value = tp_pattern_value(p, TP_PATTERN_GBPS);
			size_t place = n;
			if (isnan(value) || n == ROWS_MOST)
				continue;
			for (;
			     place && tp_pattern_value(sorted[place - 1], TP_PATTERN_GBPS) < value;
			     place--)
				sorted[place] = sorted[place - 1];
			sorted[place] = p;
			n++;
		}
	}
	tp_paint_text(area, 0, 0, TP_UI_TITLE, "Configuration");
	tp_paint_right(area, 0, RATE_END, TP_UI_TITLE, "GB/s");
	for (size_t i = 0; i < n && (int)i + 1 < area.rows; i++) {
		const struct tp_point *p = sorted[i];
		struct tp_text_row words = { tp_area_columns(area, 0, NAME_END), (int)i + 1, 0 };
		char value[32];
		tp_words(&words, 0, tp_quality_role(p->quality), "%s", p->kernel);
		tp_words(&words, 1, TP_UI_DIM, "%s", tp_pattern_level(view->runs[0], p));
		snprintf(value, sizeof(value), "%.4g", tp_pattern_row(p)->kernel.median_gbps);
		tp_paint_right(area, (int)i + 1, RATE_END, TP_UI_STRONG, value);
		if (at && at->points[plot->point] == p)
			tp_paint_role(area, (int)i + 1, 0, RATE_END, TP_UI_SELECTED);
	}
}

static const struct tp_plot_kind kind = {
	.empty = "No patterns in this run: press 2 to set some up (experiment: pattern) or to load "
		 "a preset, such as pattern-triad; 9 to open a run that has some.",
	.pages = pages,
	.build = build,
	.read = read_cursor,
	.side = side,
	.side_from = SIDE_FROM,
	.side_columns = SIDE_COLUMNS,
};

/* --- the screen: the plots, or the code --- */

static bool open_screen(struct tp_app *app, void *state)
{
	struct tp_pattern_screen *screen = state;
	(void)app;
	return tp_plotview_open(&screen->view, &kind);
}

static void close_screen(void *state)
{
	struct tp_pattern_screen *screen = state;
	tp_plotview_close(&screen->view);
	tp_pattern_code_close(screen);
}

static void enter(struct tp_app *app, void *state)
{
	struct tp_pattern_screen *screen = state;
	tp_plotview_enter(app, &screen->view);
}

static void draw(struct tp_app *app, void *state, struct tp_area area)
{
	struct tp_pattern_screen *screen = state;
	if (screen->code)
		tp_pattern_code_draw(app, screen, area);
	else
		tp_plotview_draw(app, &screen->view, area);
}

/* The point that the cursor of the plot reads; NULL if none. */
static const struct tp_point *chosen(const struct tp_pattern_screen *screen)
{
	const struct tp_origin *o = tp_plot_origin(&screen->view.plot);
	return o && o->points ? o->points[screen->view.plot.point] : NULL;
}

static bool act(struct tp_app *app, void *state, enum tp_action action)
{
	struct tp_pattern_screen *screen = state;
	if (action == TP_ACTION_CODE || (screen->code && action == TP_ACTION_BACK)) {
		if (!screen->code)
			tp_pattern_code_open(app, screen, chosen(screen));
		screen->code = !screen->code;
		return true;
	}
	return screen->code ? tp_pattern_code_act(app, screen, action)
			    : tp_plotview_act(app, &screen->view, action);
}

static bool type(struct tp_app *app, void *state, uint32_t code)
{
	struct tp_pattern_screen *screen = state;
	return !screen->code && tp_plotview_type(app, &screen->view, code);
}

static void mouse(struct tp_app *app, void *state, const struct tp_input *input,
		  struct tp_area area)
{
	struct tp_pattern_screen *screen = state;
	if (screen->code)
		tp_pattern_code_mouse(screen, input);
	else
		tp_plotview_mouse(app, &screen->view, input, area);
}

static void news(struct tp_app *app, void *state)
{
	struct tp_pattern_screen *screen = state;
	tp_plotview_news(app, &screen->view);
}

static enum tp_over over(const struct tp_app *app, const void *state)
{
	const struct tp_pattern_screen *screen = state;
	return screen->code ? TP_OVER_TEXT : tp_plotview_over(app, &screen->view);
}

static double work(struct tp_app *app, void *state)
{
	struct tp_pattern_screen *screen = state;
	return screen->code ? tp_pattern_code_work(app, screen) : INFINITY;
}

const struct tp_screen tp_screen_pattern = {
	.state_bytes = sizeof(struct tp_pattern_screen),
	.open = open_screen,
	.close = close_screen,
	.enter = enter,
	.draw = draw,
	.act = act,
	.type = type,
	.mouse = mouse,
	.news = news,
	.over = over,
	.work = work,
};

/* --- in other screens --- */

static const char *finds(const struct tp_run *run)
{
	return tp_run_has_done(run, "pattern") ? "the patterns" : NULL;
}

/* The last picture that the point belongs to by its family; curves grow by themselves. */
static bool grow(struct tp_app *app, const struct tp_point *point, struct tp_area area,
		 struct tp_picture *picture)
{
	const struct tp_run *run = tp_app_run(app);
	struct tp_pattern_view views[TP_PATTERN_VIEWS_MAX];
	const struct tp_group group = { point->run, point->threads, tp_kernel_row(point)->precision,
					point->experiment };
	if (tp_pattern_makes_curves(run, &group))
		return false;
	size_t n = tp_pattern_views(run, views), best = n;
	for (size_t i = 0; i < n; i++)
		if (run->points[views[i].first].threads == point->threads &&
		    run->points[views[i].first].run == point->run &&
		    views[i].first <= (size_t)point->point)
			best = i;
	return best < n &&
	       tp_picture_pattern(picture, run, &views[best], (size_t)TP_MAX(area.columns, 1),
				  (size_t)TP_MAX(area.rows, 1));
}

const struct tp_shown tp_shown_pattern = {
	.screen = TP_SCREEN_PATTERN,
	.finds = finds,
	.grow = grow,
};
