/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The screen Application: a program as dots under its roofs, its regions as a table, and words on
 * both. What is being measured stands above.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"
#include "experiments/app/row.h"
#include "experiments/app/report.h"
#include "experiments/roofline/pictures.h"
#include "report/reporter.h"
#include "record/rundir.h"
#include "doc/text.h"
#include "session/live.h"
#include "ui/tui/experiments/roofline.h"
#include "ui/tui/paint.h"
#include "ui/tui/screen.h"
#include "ui/tui/app.h"
#include "ui/tui/shown.h"

/* The runs that are timed at least; 0 = not known, as in a replay. */
static size_t least_runs(const struct tp_app *app, const struct tp_point *p)
{
	const struct tp_plan *plan = &app->live.session.plan;

	return p->point < plan->n
		       ? (size_t)tp_config_count(plan->items[p->point].config, TP_OPT_APP_RUNS)
		       : 0;
}

/* "counting", "timing 3/5": with the runs that it takes at least. */
static const char *say_phase(const struct tp_app *app, const struct tp_point *p, char *out,
			     size_t size)
{
	const size_t least = least_runs(app, p);
	if (!tp_point_is_app(p) || !p->n_samples)
		return tp_point_is_app(p) ? "counting" : NULL;
	snprintf(out, size, p->n_samples < least ? "timing %zu/%zu" : "timing %zu",
		 p->n_samples + 1, least);
	return out;
}

/* --- words --- */

/* Against every run that is marked on Runs, the marked one first. */
static void say_versions(const struct tp_app *app, struct tp_text *text)
{
	const struct tp_app_version now = { tp_app_shown(app, 0), "now" };
	for (size_t i = 1; i < tp_app_n_shown(app); i++) {
		TP_STR title = { 0 };
		const size_t before = text->n;
		tp_str_printf(&title, "Before: %s", tp_app_shown_label(app, i));
		tp_app_compare_pair(&(struct tp_app_version){ tp_app_shown(app, i), "before" },
				    &now, tp_str_text(&title), text);
		if (text->n == before)
			tp_text_say(text, TP_PAINT_DIM, 0, 0,
				    "%s has no region of the same name to compare with.",
				    tp_app_shown_label(app, i));
	}
}

/* Why programs that were to be measured were not. */
static void say_failures(const struct tp_run *run, struct tp_text *text)
{
	TP_EACH_POINT (p, run) {
		if (!tp_point_is_app(p) ||
		    (p->state != TP_POINT_FAILED && p->state != TP_POINT_SKIPPED))
			continue;
		tp_text_say(text, TP_PAINT_TITLE, 0, 0, "%s", tp_app_row(p)->command);
		tp_text_say(text, TP_PAINT_BAD, 0, 0, "%s", p->diag.what);
		const char *hint = tp_hint_on_screen(p->diag.hint);
		if (*hint)
			tp_text_say(text, TP_PAINT_DIM, 0, 0, "%s", hint);
	}
}

/* Why there is no picture; NULL: there is one. */
static const char *no_picture(const struct tp_app *app)
{
	const struct tp_run *run = tp_app_run(app);
	bool roofs = false, planned = false, began = false;

	TP_EACH_POINT (p, run) {
		const bool program = tp_point_is_app(p);
		roofs |= !program;
		planned |= !program && p->state == TP_POINT_PLANNED;
		began |= program &&
			 (p->state != TP_POINT_PLANNED || app->live.current == (long)p->point);
	}
	if (tp_run_n_roofs(run))
		return NULL;
	if (!roofs)
		return "No roofs: app.roofs is none.";
	if (!planned || !tp_live_is_under_way(&app->live))
		return "No roofs for this program were measured.";
	return began ? "No roofs yet: they are measured after the program."
		     : "No roofs yet: they are measured before the program.";
}

/* The report's text for programs, with its tables if `all`, and the place of their own words. */
static void say_programs(const struct tp_app *app, struct tp_text *text, bool all)
{
	const struct tp_run *run = tp_app_run(app);
	TP_STR printed = { 0 };
	say_versions(app, text);
	say_failures(run, text);
	if (all) {
		tp_report_experiment(run, "app", text);
	} else {
		struct tp_page page;
		tp_page_begin(&page, run, text);
		tp_reporter_find("app")->lead(&page);
	}
	if (no_picture(app))
		tp_text_say(text, TP_PAINT_DIM, 0, 0, "%s", no_picture(app));
	if (!tp_run_printed_text(
		    run, run == &app->live.run ? app->live.directory : app->runs[0].path, &printed))
		return;
	tp_text_gap(text);
	tp_text_say(text, TP_PAINT_DIM, 0, 0, "%s", tp_str_text(&printed));
}

/* --- the picture --- */

/* The precision whose roofs are drawn: the first computing region's. */
static const char *precision_of(const struct tp_run *run)
{
	for (size_t i = 0; i < tp_run_n_app_regions(run); i++)
		if (tp_run_app_regions(run)[i].precision[0])
			return tp_run_app_regions(run)[i].precision;
	return "double";
}

static bool is_program(const struct tp_run *run, const struct tp_dot *dot)
{
	return tp_app_dot_region(run, dot) != NULL;
}

/* `from` of a page is the first dot of its team and precision, or this before there is one. */
enum { NO_DOT = TP_PAGES_MAX };

static void add_pages(struct tp_plotview *view, const struct tp_run *run)
{
	const struct tp_dot *dots = tp_run_dots(run);
	struct tp_plot_page page = { .run = TP_ANY, .threads = TP_ANY, .from = NO_DOT };
	bool programs = false;
	for (size_t i = 0; i < tp_run_n_dots(run) && i < NO_DOT; i++) {
		bool known = !is_program(run, &dots[i]);
		for (size_t k = 0; k < i && !known; k++)
			known = is_program(run, &dots[k]) && dots[k].run == dots[i].run &&
				dots[k].threads == dots[i].threads &&
				strcmp(dots[k].precision, dots[i].precision) == 0;
		page.from = i;
		if (!known)
			tp_plotview_add_page(view, &page);
	}
	TP_EACH_POINT (p, run)
		programs |= tp_point_is_app(p);
	page.from = NO_DOT;
	if (programs && !view->n_pages && tp_run_n_roofs(run))
		tp_plotview_add_page(view, &page);
}

static bool build_page(struct tp_plotview *view, const struct tp_app *app,
		       const struct tp_plot_page *page, struct tp_area area)
{
	const struct tp_run *run = view->runs[0];
	if (page->from >= tp_run_n_dots(run))
		return tp_roofline_draw(view, app, 0, precision_of(run), area);
	const struct tp_dot *dot = &tp_run_dots(run)[page->from];
	view->plot.picture->threads = dot->threads;
	return tp_roofline_draw(view, app, dot->run, dot->precision, area);
}

/* On a dot. */
static void begin_cursor(struct tp_plotview *view)
{
	const struct tp_picture *picture = view->plot.picture;
	size_t i = 0;
	while (i < picture->n_series && !picture->origins[i].drops)
		i++;
	if (i < picture->n_series)
		tp_plot_go(&view->plot, i, 0);
}

enum { SIDE_FROM = 112 };

static const struct tp_plot_kind kind = {
	.pages = add_pages,
	.build = build_page,
	.read = tp_roofline_read,
	.experiment = "roofline",
	.side_from = SIDE_FROM,
	.begin = begin_cursor,
	.table_first = true,
	.words = say_programs,
	.what_if = tp_roofline_what_if,
};

TP_PLOTVIEW_SCREEN(application, tp_plotview);

/* --- in other screens --- */

/* A program has no precision before it is counted. */
static bool grow(struct tp_app *app, const struct tp_point *point, struct tp_area area,
		 struct tp_picture *picture)
{
	const struct tp_run *run = tp_app_run(app);
	return tp_picture_roofline(picture, run, point->run, precision_of(run),
				   (size_t)area.columns, (size_t)area.rows);
}

const struct tp_shown tp_shown_app = {
	.screen = TP_SCREEN_APPLICATION,
	.words = "the program below its roofs",
	.part = &tp_app_region_part,
	.phase = say_phase,
	.grow = grow,
};
