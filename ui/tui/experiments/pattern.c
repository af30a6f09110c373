/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Patterns screen: the plots of patterns, and the code of each configuration. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "base/text.h"
#include "base/memory.h"
#include "experiments/pattern/pictures.h"
#include "experiments/pattern/report.h"
#include "pattern/pattern.h"
#include "ui/tui/paint.h"
#include "ui/tui/app.h"
#include "ui/tui/shown.h"
#include "ui/tui/widgets/gridview.h"
#include "ui/tui/widgets/plotview.h"

/* Text is made in `work`, never while drawing: isl takes up to 0.1 s. */
struct tp_pattern_screen {
	struct tp_plotview view;
	bool code; /* configurations and code lie over the plots */
	struct tp_gridview points; /* of `numbers` */
	size_t *numbers; /* points of the run; heap */
	size_t n_numbers;
	uint64_t seen; /* what of the runs `numbers` was made from */
	struct tp_doc doc;
	int columns; /* that the text needs */
	/* What the text is of: the point's identity; "" = nothing yet. */
	char told[320];
	bool with_loops;
	double moved_at; /* when the cursor came here */
};

enum { BESIDE_COLUMNS = 110, LIST_COLUMNS = 60, LIST_ROWS_MOST = 8 };

/* The cursor must rest this long before isl is asked. */
#define REST_SECONDS 0.12

static const struct tp_run *shown_run(const struct tp_app *app,
				      const struct tp_pattern_screen *screen)
{
	const struct tp_run *run = tp_app_run(app);
	/* Numbers of another run mean nothing. */
	return run && screen->seen == tp_seen_runs(app) ? run : NULL;
}

static const struct tp_point *point_of(const struct tp_app *app,
				       const struct tp_pattern_screen *screen)
{
	const struct tp_run *run = shown_run(app, screen);
	size_t at = screen->points.list.at;
	return run && at < screen->n_numbers && screen->numbers[at] < run->n_points
		       ? &run->points[screen->numbers[at]]
		       : NULL;
}

/* The points of patterns, in the order of the run; the cursor stays on its point. */
static void collect_points(const struct tp_app *app, struct tp_pattern_screen *screen, long wanted)
{
	const struct tp_run *run = tp_app_run(app);
	uint64_t seen = tp_seen_runs(app);
	if (wanted < 0 && screen->points.list.at < screen->n_numbers)
		wanted = (long)screen->numbers[screen->points.list.at];
	free(screen->numbers);
	screen->n_numbers = 0;
	screen->numbers = tp_alloc(run ? run->n_points + 1 : 1, sizeof(*screen->numbers));
	screen->seen = seen;
	size_t at = 0;
	for (size_t i = 0; run && i < run->n_points; i++)
		if (strcmp(run->points[i].experiment, "pattern") == 0) {
			if ((long)i == wanted)
				at = screen->n_numbers;
			screen->numbers[screen->n_numbers++] = i;
		}
	const struct tp_look look = tp_app_look(app, app->term.columns, app->term.rows);
	struct tp_grid grid = { 0 };
	if (run)
		tp_report_patterns(run, screen->numbers, screen->n_numbers, &look, &grid);
	tp_gridview_take(&screen->points, &grid, look.utf8);
	screen->points.list.at = at;
}

/* --- the text --- */

static void tell_array(struct tp_doc *doc, const struct tp_pattern_array *a)
{
	TP_STR text = { 0 };
	tp_str_printf(&text, "%s %s", tp_pattern_type_name(a->type), a->name);
	for (size_t i = 0; i < a->n_extents; i++)
		tp_str_printf(&text, "[%s]", a->extents[i].text);
	if (a->n_map) {
		tp_str_printf(&text, ": %s(", a->name);
		for (size_t i = 0; i < a->n_formals; i++)
			tp_str_printf(&text, "%s%s", i ? ", " : "", a->formals[i]);
		tp_str_add(&text, ") lies at [");
		for (size_t i = 0; i < a->n_map; i++)
			tp_str_printf(&text, "%s%s", i ? ", " : "", a->map[i].text);
		tp_str_add(&text, "]");
	}
	if (a->padding.text)
		tp_str_printf(&text, ", rows padded by %s", a->padding.text);
	tp_doc_paragraph(doc, 2, TP_UI_PLAIN, tp_str_text(&text));
}

/* Lines of code, with blanks for tabs. */
static void tell_code(struct tp_doc *doc, const char *code)
{
	while (*code) {
		size_t n = strcspn(code, "\n");
		TP_STR line = { 0 };
		for (size_t i = 0; i < n; i++)
			tp_str_add_n(&line, code[i] == '\t' ? "    " : &code[i],
				     code[i] == '\t' ? 4 : 1);
		tp_doc_row(doc, 2, TP_UI_PLAIN, "%s", tp_str_text(&line));
		code += n + (code[n] == '\n');
	}
}

static void tell_loops(struct tp_doc *doc, const struct tp_pattern *pattern,
		       const struct tp_point *point)
{
	const struct tp_pattern_row *row = tp_pattern_row(point);
	struct tp_pattern_config c = { .pattern = pattern,
				       .nowait = row->nowait,
				       .threads = point->threads };
	struct tp_diag diag = { 0 };
	TP_STR text = { 0 };
	for (int t = TP_PATTERN_UNIFIED; t <= TP_PATTERN_NONAFFINE; t++)
		if (strcmp(tp_pattern_template_name((enum tp_pattern_template)t), row->template) ==
		    0)
			c.template = (enum tp_pattern_template)t;
	for (size_t i = 0; i < pattern->n_parameters; i++)
		if (!tp_pattern_parameter_of(point, pattern->parameters[i].name, &c.values[i]))
			c.values[i] = pattern->parameters[i].values[0];
	tp_doc_row(doc, 0, TP_UI_TITLE, "%s",
		   pattern->run.c.text ? "Loops (C of the document)" : "Generated loops");
	if (tp_pattern_loops(&c, &text, &diag) == TP_OK)
		tell_code(doc, tp_str_text(&text));
	else
		tp_doc_paragraph(doc, 2, TP_UI_BAD, diag.what);
	tp_doc_line(doc, -1);
}

static void tell_point(struct tp_pattern_screen *screen, const struct tp_point *point, bool loops)
{
	const struct tp_pattern_row *row = tp_pattern_row(point);
	struct tp_doc *doc = &screen->doc;
	char threads[32];
	TP_CLEANUP(tp_arena_release) struct tp_arena arena = { 0 };
	struct tp_pattern *pattern = tp_arena_alloc(&arena, sizeof(*pattern));
	TP_CLEANUP(tp_diags_release) struct tp_diags diags = { 0 };
	tp_doc_clear(doc, TP_MAX(screen->columns, 20));
	tp_doc_row(doc, 0, TP_UI_STRONG, "%s  %s", row->pattern, row->parameters);
	tp_doc_format(doc, TP_DOC_NEXT, TP_UI_DIM, "  %s%s, %s", row->template,
		      row->nowait ? ", nowait" : "",
		      tp_text_count(threads, sizeof(threads), point->threads, "thread"));
	if (point->state == TP_POINT_FAILED)
		tp_doc_paragraph(doc, 0, TP_UI_BAD, point->diag.what);
	if (tp_pattern_load(pattern, &arena, row->pattern, &diags) != TP_OK) {
		tp_doc_paragraph(
			doc, 0, TP_UI_PLAIN,
			"Its document is not in the folders of patterns, so its code cannot "
			"be shown.");
	} else {
		tp_doc_paragraph(doc, 0, TP_UI_PLAIN, pattern->summary);
		tp_doc_heading(doc, "Map of the arrays");
		for (size_t i = 0; i < pattern->n_arrays; i++)
			tell_array(doc, &pattern->arrays[i]);
		tp_doc_line(doc, -1);
		if (loops)
			tell_loops(doc, pattern, point);
		tp_doc_row(doc, 0, TP_UI_TITLE, "Document");
		tp_doc_format(doc, TP_DOC_NEXT, TP_UI_DIM, "  %s", pattern->path);
		tell_code(doc, pattern->document);
	}
	doc->list.top = 0;
}

/*
 * Text without loops at once; with loops when the cursor rests and nothing is measured: isl is a
 * process that takes up to 0.1 s.
 */
static double work_code(struct tp_app *app, struct tp_pattern_screen *screen)
{
	if (screen->seen != tp_seen_runs(app))
		collect_points(app, screen, -1);
	const struct tp_point *p = point_of(app, screen);
	if (!p || !screen->columns)
		return INFINITY;
	const struct tp_pattern_row *row = tp_pattern_row(p);
	char now[sizeof(screen->told)];
	snprintf(now, sizeof(now), "%s %s %s %d %u %d", row->pattern, row->parameters,
		 row->template, row->nowait, p->threads, screen->columns);
	if (strcmp(now, screen->told) != 0) {
		tell_point(screen, p, false);
		tp_copy(screen->told, sizeof(screen->told), now);
		screen->with_loops = false;
		screen->moved_at = tp_now_seconds();
		app->dirty = true;
	}
	bool measures = tp_live_is_under_way(&app->live) && !app->live.replay &&
			app->live.state != TP_LIVE_PAUSED;
	double left = screen->moved_at + REST_SECONDS - tp_now_seconds();
	if (screen->with_loops || measures)
		return INFINITY;
	if (left > 0)
		return left;
	size_t top = screen->doc.list.top;
	tell_point(screen, p, true);
	screen->doc.list.top = top;
	screen->with_loops = true;
	app->dirty = true;
	return INFINITY;
}

/* --- painting and input --- */

/*
 * Pages of curves count their first curve; those of other pictures hold the picture's first point,
 * shape and unit above this number.
 */
enum { VIEWS_FROM = 1 << 24, SIDE_FROM = 132 };

static void add_view(struct tp_plotview *view, const struct tp_pattern_view *shown)
{
	struct tp_plot_page page = { .run = TP_ANY,
				     .threads = TP_ANY,
				     .experiment = "pattern",
				     .from = VIEWS_FROM + (shown->first * 4 + shown->shape) * 4 +
					     shown->metric };
	tp_plotview_add_page(view, &page);
}

static void pages(struct tp_plotview *view, const struct tp_run *run)
{
	struct tp_pattern_view views[TP_PATTERN_VIEWS_MAX];
	size_t n = tp_pattern_views(run, views);
	for (size_t i = 0; i < n; i++)
		add_view(view, &views[i]);
	tp_plotview_add_curves(view, run, "pattern");
	/* A report has no picture of a single configuration; the screen shows its bar. */
	for (size_t i = 0; view->n_pages == 0 && i < run->n_points; i++)
		if (strcmp(run->points[i].experiment, "pattern") == 0)
			add_view(view, &(struct tp_pattern_view){ TP_PATTERN_COMPARED,
								  TP_PATTERN_GBPS, i });
}

static bool build(struct tp_plotview *view, const struct tp_app *app,
		  const struct tp_plot_page *page, struct tp_area area)
{
	const struct tp_group group = { page->run, page->threads, page->precision,
					page->experiment };
	(void)app;
	if (page->from < VIEWS_FROM)
		return tp_picture_curves(view->plot.picture, view->runs[0], &group, page->from);
	size_t from = page->from - VIEWS_FROM; /* see add_view */
	const struct tp_pattern_view shown = { .shape = (enum tp_pattern_shape)(from / 4 % 4),
					       .metric = (enum tp_pattern_metric)(from % 4),
					       .first = from / 16 };
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

static const struct tp_plot_kind kind = {
	.pages = pages,
	.build = build,
	.read = read_cursor,
	.side_from = SIDE_FROM,
};

/* --- the screen: the plots, or the code --- */

static void open_screen(struct tp_app *app, void *state)
{
	struct tp_pattern_screen *screen = state;
	(void)app;
	tp_plotview_open(&screen->view, &kind);
}

static void close_screen(void *state)
{
	struct tp_pattern_screen *screen = state;
	tp_plotview_close(&screen->view);
	free(screen->numbers);
	tp_gridview_release(&screen->points);
	tp_doc_release(&screen->doc);
}

static void enter(struct tp_app *app, void *state)
{
	struct tp_pattern_screen *screen = state;
	tp_plotview_enter(app, &screen->view);
}

static void draw(struct tp_app *app, void *state, struct tp_area area)
{
	struct tp_pattern_screen *screen = state;
	if (screen->code) {
		bool beside = area.columns >= BESIDE_COLUMNS;
		int rows = TP_MIN((int)screen->n_numbers + 1,
				  TP_MIN((int)LIST_ROWS_MOST, area.rows / 3) + 1);
		int columns = TP_MAX(area.columns / 2, (int)LIST_COLUMNS);
		struct tp_area list =
			beside ? tp_area_columns(area, 1, columns - 1)
			       : tp_area_columns(tp_area_rows(area, 0, TP_MAX(rows, 2)), 1,
						 area.columns);
		struct tp_area text =
			beside ? tp_area_columns(tp_area_rows(area, 1, area.rows - 1), columns + 2,
						 area.columns - columns - 2)
			       : tp_area_rows(area, list.rows + 1, area.rows - list.rows - 1);

		screen->columns = text.columns - 2;
		tp_gridview_paint(&screen->points, list, true);
		tp_doc_show(&screen->doc, text, false);
	} else
		tp_plotview_draw(app, &screen->view, area);
}

static bool act(struct tp_app *app, void *state, enum tp_action action)
{
	struct tp_pattern_screen *screen = state;
	if (action == TP_ACTION_CODE || (screen->code && action == TP_ACTION_BACK)) {
		const struct tp_origin *o = tp_plot_origin(&screen->view.plot);
		if (!screen->code) {
			/* The list begins at the point that the cursor of the plot reads. */
			collect_points(app, screen,
				       o && o->points
					       ? (long)o->points[screen->view.plot.point]->point
					       : -1);
			screen->moved_at = 0;
		}
		screen->code = !screen->code;
		return true;
	}
	if (!screen->code)
		return tp_plotview_act(app, &screen->view, action);
	return action == TP_ACTION_UP || action == TP_ACTION_DOWN
		       ? tp_list_act(&screen->points.list, action)
		       : tp_list_scroll(&screen->doc.list, action);
}

static bool type(struct tp_app *app, void *state, uint32_t code)
{
	struct tp_pattern_screen *screen = state;
	return !screen->code && tp_plotview_type(app, &screen->view, code);
}

static void mouse(struct tp_app *app, void *state, const struct tp_input *input)
{
	struct tp_pattern_screen *screen = state;
	if (screen->code) {
		int wheel = tp_list_wheel_rows(input);

		if (tp_area_holds(screen->points.list.area, input->row, input->column))
			tp_list_mouse(&screen->points.list, input);
		else if (wheel)
			tp_list_wheel(&screen->doc.list, wheel);
	} else
		tp_plotview_mouse(app, &screen->view, input);
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
	return screen->code ? work_code(app, screen) : INFINITY;
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

const struct tp_shown tp_shown_pattern = {
	.screen = TP_SCREEN_PATTERN,
	.words = "the patterns",
};
