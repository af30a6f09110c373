/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The screen Application: a program under its roofs, in words and shares, and beside them or behind
 * Tab as dots. What is being measured stands above.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"
#include "experiments/app/row.h"
#include "experiments/app/place.h"
#include "experiments/app/report.h"
#include "report/reporter.h"
#include "experiments/roofline/pictures.h"
#include "record/rundir.h"
#include "doc/text.h"
#include "session/live.h"
#include "ui/tui/experiments/roofline.h"
#include "ui/tui/paint.h"
#include "ui/tui/screen.h"
#include "ui/tui/app.h"
#include "ui/tui/shown.h"
#include "ui/tui/widgets/doc.h"
#include "ui/tui/widgets/plot.h"
#include "ui/tui/widgets/list.h"

struct tp_app_view {
	struct tp_doc doc; /* what is known of the programs */
	struct tp_plot plot; /* the dots below the roofs */
	uint64_t seen; /* what both were made from */
};

enum { BAR_MOST = 60 };

/* The runs that are timed at least; 0 = not known, as in a replay. */
static size_t least_runs(const struct tp_app *app, const struct tp_point *p)
{
	const struct tp_plan *plan = &app->live.session.plan;

	return p->point < plan->n
		       ? (size_t)tp_config_count(plan->items[p->point].config, TP_OPT_APP_RUNS)
		       : 0;
}

static void paint_program(const struct tp_app *app, const struct tp_point *p, struct tp_area area,
			  int row)
{
	const size_t n = p->n_samples, least = least_runs(app, p);
	char seconds[48];

	if (n == 0) {
		tp_paint_text(area, row, 0, TP_UI_STRONG,
			      "Counting: the program runs with instrumentation, not timed");
		return;
	}
	int at = tp_paint_format(area, row, 0, TP_UI_STRONG, "Timing: run %zu", n + 1);
	if (n < least)
		at += tp_paint_format(area, row, at, TP_UI_STRONG, " of %zu at least", least);
	else
		at += tp_paint_text(area, row, at, TP_UI_PLAIN, ", until the interval is narrow");
	tp_paint_format(area, row, at, TP_UI_PLAIN, "; the last took %s",
			tp_format_seconds(seconds, sizeof(seconds), p->samples[n - 1].seconds));
}

/* How far roofs and the program are, the one under way in its own look. */
static void paint_phases(const struct tp_live *live, unsigned roofs, unsigned measured,
			 struct tp_area area, int row)
{
	const struct tp_point *p = live->current >= 0 && (size_t)live->current < live->run.n_points
					   ? &live->run.points[live->current]
					   : NULL;
	bool program = p && tp_point_is_app(p);
	struct tp_text_row words = { area, row, 0 };

	/* Some are measured before the program, others after it. */
	if (roofs) {
		tp_words(&words, 0, p && !program ? TP_UI_STRONG : TP_UI_DIM, "roofs %u of %u",
			 measured, roofs);
		tp_words(&words, 0, TP_UI_DIM, "; ");
	}
	tp_words(&words, 0, program && !p->n_samples ? TP_UI_STRONG : TP_UI_DIM, "counting");
	tp_words(&words, 0, TP_UI_DIM, " > ");
	tp_words(&words, 0, program && p->n_samples ? TP_UI_STRONG : TP_UI_DIM, "timing");
}

/*
 * Under way: counting, timing or measuring roofs, and how far. Returns the rows
 * that it took; 0 when no program is being measured.
 */
static int paint_progress(const struct tp_app *app, struct tp_area area)
{
	const struct tp_live *live = &app->live;
	const struct tp_run *run = &live->run;
	unsigned roofs = 0, measured = 0;
	bool programs = false;

	if (!tp_live_is_under_way(live))
		return 0;
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		const bool roof = !tp_point_is_app(p) && p->state != TP_POINT_UNNEEDED;
		programs |= tp_point_is_app(p);
		roofs += roof;
		measured += roof && p->state != TP_POINT_PLANNED;
	}
	if (!programs)
		return 0;
	if (live->state == TP_LIVE_PAUSED)
		tp_paint_text(area, 0, 0, TP_UI_WARN, "Paused; p goes on");
	else if (live->current < 0 || (size_t)live->current >= run->n_points)
		tp_paint_text(area, 0, 0, TP_UI_STRONG,
			      "Beginning: the engine looks at the machine and the program");
	else if (tp_point_is_app(&run->points[live->current]))
		paint_program(app, &run->points[live->current], area, 0);
	else if (run->points[live->current].state == TP_POINT_PLANNED)
		tp_paint_format(area, 0, 0, TP_UI_STRONG, "Roofs: point %u of %u, %s", measured + 1,
				roofs, run->points[live->current].kernel);
	else
		tp_paint_format(area, 0, 0, TP_UI_STRONG, "Roofs: %s once more",
				run->points[live->current].kernel);
	char gone[48], left[48];
	int columns = TP_MIN(area.columns / 2, (int)BAR_MOST);
	double all = live->elapsed_seconds + live->remaining_seconds;
	tp_paint_bar(area, 1, 0, columns, all > 0 ? live->elapsed_seconds / all : 0, TP_UI_GOOD);
	int at = columns + 1;
	at += tp_paint_format(area, 1, at, TP_UI_PLAIN, "%s",
			      tp_format_seconds(gone, sizeof(gone), live->elapsed_seconds));
	if (live->remaining_seconds > 0)
		tp_paint_format(area, 1, at, TP_UI_DIM, ", about %s left",
				tp_format_seconds(left, sizeof(left), live->remaining_seconds));
	paint_phases(live, roofs, measured, area, 2);
	return 4;
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

/* What the report says of programs, and where their own words are. */
static void say_programs(const struct tp_app *app, struct tp_text *text)
{
	const struct tp_run *run = tp_app_run(app);
	TP_STR printed = { 0 };
	say_versions(app, text);
	say_failures(run, text);
	tp_report_experiment(run, "app", text);
	if (!tp_run_printed_text(
		    run, run == &app->live.run ? app->live.directory : app->runs[0].path, &printed))
		return;
	tp_text_gap(text);
	tp_text_say(text, TP_PAINT_DIM, 0, 0, "%s", tp_str_text(&printed));
}

enum { BESIDE_FROM = 112, WORDS_LEAST = 62 };

/* While a program runs, clocks and run numbers move. */
#define LIVE_SECONDS 0.25

/* --- the parts --- */

static bool is_beside(struct tp_area area)
{
	return area.columns >= BESIDE_FROM;
}

static int count_parts(const struct tp_app *app, const void *state)
{
	const struct tp_area area = tp_app_body(app);
	(void)state;
	return is_beside(area) ? 1 : 2;
}

static void close_screen(void *state)
{
	struct tp_app_view *view = state;

	tp_doc_release(&view->doc);
	tp_plot_drop(&view->plot);
}

/* Words and picture anew if the runs or the width are not those that they were made for. */
static void refresh_view(const struct tp_app *app, struct tp_app_view *view, int columns)
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
	const struct tp_look look = tp_app_look(app, columns, app->term.rows);
	TP_TEXT(text, &look);
	if (run)
		say_programs(app, &text);
	tp_doc_report(&view->doc, columns, &text);
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

/* Why there is no picture. */
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
	if (!roofs)
		return "No roofs: app.roofs is none.";
	if (!planned || !tp_live_is_under_way(&app->live))
		return "No roofs for this program were measured.";
	return began ? "No roofs yet: they are measured after the program."
		     : "No roofs yet: they are measured before the program.";
}

static void draw_picture(const struct tp_app *app, struct tp_app_view *view, struct tp_area area)
{
	if (!make_picture(app, view, area) ||
	    !tp_plot_fit(&view->plot, app, area, tp_live_is_under_way(&app->live)))
		tp_paint_wrapped(area, 0, 0, TP_UI_DIM, no_picture(app));
	else
		tp_plot_paint(&view->plot);
}

static void draw_screen(struct tp_app *app, void *state, struct tp_area area)
{
	struct tp_app_view *view = state;
	struct tp_area inner = tp_area_columns(area, 1, area.columns - 2);
	int used = paint_progress(app, inner);

	inner = tp_area_rows(inner, used, inner.rows - used);
	int words =
		is_beside(area) ? TP_MAX(inner.columns * 2 / 5, (int)WORDS_LEAST) : inner.columns;
	/* One column for the scroll bar. */
	refresh_view(app, view, TP_MAX(words - 2, 1));
	if (view->doc.n == 0) {
		const char *empty =
			tp_app_run(app)
				? "No program in this run. Press 2, choose the experiment app and "
				  "give app.command: your program and its arguments; r measures "
				  "it."
				: "No run is open: press 2, choose the experiment app and give "
				  "app.command, your program and its arguments; or 4 to open a "
				  "run.";
		if (!used)
			tp_paint_wrapped(area, 1, 1, TP_UI_DIM, empty);
		return;
	}
	if (is_beside(area)) {
		tp_doc_show(&view->doc, tp_area_columns(inner, 0, words), false);
		draw_picture(app, view,
			     tp_area_columns(inner, words + 1, inner.columns - words - 1));
	} else if (app->part == 0) {
		tp_doc_show(&view->doc, inner, false);
	} else {
		draw_picture(app, view, inner);
	}
}

static bool act_screen(struct tp_app *app, void *state, enum tp_action action)
{
	struct tp_app_view *view = state;

	(void)app;
	return tp_list_scroll(&view->doc.list, action);
}

static void scroll_screen(struct tp_app *app, void *state, const struct tp_input *input)
{
	struct tp_app_view *view = state;

	(void)app;
	tp_list_wheel(&view->doc.list, tp_list_wheel_rows(input));
}

static double work_screen(struct tp_app *app, void *state)
{
	(void)state;
	if (!tp_live_is_under_way(&app->live))
		return INFINITY;
	app->dirty = true;
	return LIVE_SECONDS;
}

const struct tp_screen tp_screen_application = {
	.state_bytes = sizeof(struct tp_app_view),
	.close = close_screen,
	.draw = draw_screen,
	.act = act_screen,
	.parts = count_parts,
	.mouse = scroll_screen,
	.work = work_screen,
};

/* --- in other screens --- */

/* What is being done to the program: there are no windows to show. */
static bool draw_phase(struct tp_app *app, const struct tp_point *point, struct tp_area area)
{
	return tp_point_is_app(point) && app->live.current == (long)point->point &&
	       point->state == TP_POINT_PLANNED && paint_progress(app, area) > 0;
}

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
	.draw_point = draw_phase,
	.grow = grow,
};
