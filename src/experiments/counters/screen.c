/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What hardware events really count: the events of a family of kernels, their noise, their counts
 * kernel by kernel, and the metrics that can be made of them.
 */
#include "experiments/counters/screen.h"
#include "experiments/counters/screen_progress.h"
#include "ui/tui/shown.h"
#include "session/document.h"
#include "ui/tui/app.h"
#include "base/vec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TIGHT_ROWS = 24 };

static bool open_screen(struct tp_app *app, void *state)
{
	struct tp_counters_view *view = state;
	(void)app;
	view->fate = TP_COUNTERS_ANY_FATE;
	view->noise.by_x = view->curves.by_x = true;
	view->export.title = "Write the run's files into this folder";
	view->export.note = ".svg .csv .json .txt .papi .readings.csv   Enter, Esc";
	return true;
}

static void close_screen(void *state)
{
	struct tp_counters_view *view = state;
	tp_plot_drop(&view->noise);
	tp_plot_drop(&view->curves);
	tp_doc_release(&view->decision);
	tp_doc_release(&view->formula);
	free(view->shown);
	free(view->ranks);
}

const struct tp_class *tp_counters_class(const struct tp_app *app,
					 const struct tp_counters_view *view)
{
	const struct tp_run *run = tp_app_run(app);
	return run && view->family < tp_run_n_classes(run) ? &tp_run_classes(run)[view->family]
							   : NULL;
}

enum tp_role tp_counters_role(const char *fate)
{
	static const struct {
		const char *fate;
		enum tp_role role;
	} roles[] = { { "chosen", TP_UI_GOOD },	   { "dependent", TP_UI_PLAIN },
		      { "irrelevant", TP_UI_DIM }, { "noisy", TP_UI_WARN },
		      { "invalid", TP_UI_BAD },	   { "not representable", TP_UI_DIM } };
	for (size_t i = 0; i < TP_COUNT_OF(roles); i++)
		if (strcmp(roles[i].fate, fate) == 0)
			return roles[i].role;
	return TP_UI_PLAIN;
}

/* --- what is shown of which run --- */

/*
 * All that lists and pictures are made from, in one number; pointers into the run are valid as long
 * as it stays the same.
 */
static uint64_t look_at(const struct tp_app *app)
{
	const struct tp_run *run = tp_app_run(app);
	uint64_t hash = TP_SEEN_START;
	tp_seen_mix(&hash, (uint64_t)app->live.state);
	tp_seen_text(&hash, tp_app_run_label(app));
	if (!run)
		return hash;
	tp_seen_mix(&hash, tp_run_n_classes(run));
	tp_seen_mix(&hash, (uintptr_t)tp_run_classes(run));
	for (size_t i = 0; i < tp_run_n_classes(run); i++) {
		tp_seen_mix(&hash, (uintptr_t)tp_run_classes(run)[i].events);
		tp_seen_mix(&hash, tp_run_classes(run)[i].n_events);
	}
	return hash;
}

/* Makes the lists for a family; pictures are made when they are drawn. */
static void show_family(const struct tp_app *app, struct tp_counters_view *view)
{
	const struct tp_class *class = tp_counters_class(app, view);
	tp_plot_drop(&view->noise);
	tp_plot_drop(&view->curves);
	free(view->ranks);
	view->ranks = NULL;
	view->n_ranks = 0;
	view->events = view->metrics = view->formula_list = (struct tp_list){ 0 };
	view->decision_of = view->formula_of = SIZE_MAX;
	view->n_marked = 0;
	view->whole = false;
	view->n_shown = 0;
	if (!class)
		return;
	tp_copy(view->family_name, sizeof(view->family_name), class->family);
	tp_counters_choose(view, class);
	tp_list_resize(&view->metrics, class->n_metrics);
}

/* Another run, or more of it: the family that was shown stays if it is still there. */
static void refresh(const struct tp_app *app, struct tp_counters_view *view)
{
	const struct tp_run *run = tp_app_run(app);
	uint64_t seen = look_at(app);
	if (seen == view->seen)
		return;
	view->seen = seen;
	view->family = 0;
	for (size_t i = 0; run && i < tp_run_n_classes(run); i++)
		if (strcmp(tp_run_classes(run)[i].family, view->family_name) == 0) {
			view->family = i;
			break;
		}
	show_family(app, view);
}

static void move_family(const struct tp_app *app, struct tp_counters_view *view, bool forward)
{
	const struct tp_run *run = tp_app_run(app);
	size_t n = run ? tp_run_n_classes(run) : 0;
	if (n < 2)
		return;
	view->family = (view->family + (forward ? 1 : n - 1)) % n;
	show_family(app, view);
}

static void enter(struct tp_app *app, void *state)
{
	struct tp_counters_view *view = state;
	(void)app;
	view->export.open = false;
	view->filter.typing = false;
}

static void news(struct tp_app *app, void *state)
{
	refresh(app, state);
}

/* --- body --- */

static bool counts_something(const struct tp_run *run)
{
	for (size_t i = 0; i < run->n_points; i++)
		if (strcmp(run->points[i].experiment, "counters") == 0)
			return true;
	return tp_run_readings(run)->n > 0;
}

static void draw_empty(struct tp_app *app, struct tp_area area)
{
	const struct tp_run *run = tp_app_run(app);
	const char *words = "No run is open: press 2 to set one up, 9 to open one.";
	if (run && counts_something(run)) {
		tp_counters_progress_draw(app, area);
		return;
	}
	if (run)
		words = "No hardware events in this run: press 2 to set them up (experiment: "
			"counters), 9 to open a run that has some.";
	tp_paint_wrapped(tp_area_columns(area, 2, TP_MIN(area.columns - 4, 76)), area.rows / 2 - 1,
			 0, TP_UI_PLAIN, words);
}

const struct tp_counters_page_row tp_counters_pages[TP_COUNTERS_PAGES] = {
	[TP_COUNTERS_EVENTS] = { "e", "Events", TP_ACTION_VIEW_EVENTS, tp_counters_events_draw,
				 tp_counters_events_act, tp_counters_events_mouse, true },
	[TP_COUNTERS_NOISE] = { "n", "Noise", TP_ACTION_VIEW_NOISE, tp_counters_noise_draw,
				tp_counters_noise_act, tp_counters_noise_mouse, false },
	[TP_COUNTERS_CURVES] = { "c", "Curves", TP_ACTION_VIEW_CURVES, tp_counters_curves_draw,
				 tp_counters_curves_act, tp_counters_curves_mouse, false },
	[TP_COUNTERS_FORMULAS] = { "f", "Formulas", TP_ACTION_VIEW_FORMULAS,
				   tp_counters_formulas_draw, tp_counters_formulas_act,
				   tp_counters_formulas_mouse, true },
};

static void draw(struct tp_app *app, void *state, struct tp_area area)
{
	struct tp_counters_view *view = state;
	refresh(app, view);
	if (!tp_counters_class(app, view)) {
		draw_empty(app, area);
		return;
	}
	const struct tp_counters_page_row *page = &tp_counters_pages[view->page];
	struct tp_area rest =
		tp_area_rows(area, TP_COUNTERS_HEAD_ROWS, area.rows - TP_COUNTERS_HEAD_ROWS);
	int blank = page->spaced && area.rows >= TIGHT_ROWS;
	tp_counters_head_draw(app, view, tp_area_rows(area, 0, TP_COUNTERS_HEAD_ROWS));
	page->draw(app, view, tp_area_rows(rest, blank, rest.rows - blank));
	if (view->export.open)
		tp_path_box_paint(&view->export, rest);
}

/* --- input --- */

static void ask_folder(const struct tp_app *app, struct tp_counters_view *view)
{
	char here[TP_PATH_MAX];
	if (!tp_app_run(app))
		return;
	if (!view->export.field.len)
		tp_text_field_set(&view->export.field, getcwd(here, sizeof(here)) ? here : ".");
	view->export.open = true;
}

static void export(struct tp_app *app, const char *folder)
{
	struct tp_diag diag = { 0 };
	const struct tp_run *run = tp_app_run(app);
	const char *stem = tp_app_run_label(app);
	if (!run)
		return;
	if (tp_document_export(run, folder, stem, &diag) == TP_OK)
		tp_app_say(app, TP_UI_GOOD,
			   "%.80s.svg, .csv, .json, .txt, .papi, .readings.csv are in %.120s", stem,
			   folder);
	else
		tp_app_say_diag(app, &diag);
}

static void go_page(struct tp_counters_view *view, int page)
{
	view->page = (enum tp_counters_page)((page + TP_COUNTERS_PAGES) % TP_COUNTERS_PAGES);
	view->whole = false;
}

static bool act(struct tp_app *app, void *state, enum tp_action action)
{
	struct tp_counters_view *view = state;
	refresh(app, view);
	if (!tp_counters_class(app, view))
		return false;
	for (int i = 0; i < TP_COUNTERS_PAGES; i++)
		if (tp_counters_pages[i].action == action) {
			go_page(view, i);
			return true;
		}
	if (tp_counters_pages[view->page].act(app, view, action))
		return true;
	switch (action) {
	case TP_ACTION_VIEW_NEXT:
		go_page(view, (int)view->page + 1);
		return true;
	case TP_ACTION_VIEW_PREVIOUS:
		go_page(view, (int)view->page - 1);
		return true;
	case TP_ACTION_FAMILY_NEXT:
	case TP_ACTION_RIGHT:
		move_family(app, view, true);
		return true;
	case TP_ACTION_FAMILY_PREVIOUS:
	case TP_ACTION_LEFT:
		move_family(app, view, false);
		return true;
	case TP_ACTION_FILTER:
		go_page(view, TP_COUNTERS_EVENTS);
		view->filter.typing = true;
		return true;
	case TP_ACTION_MARK:
		tp_counters_mark(app, view);
		return true;
	case TP_ACTION_EXPORT:
		ask_folder(app, view);
		return true;
	case TP_ACTION_BACK:
		if (view->page == TP_COUNTERS_EVENTS)
			return false;
		go_page(view, TP_COUNTERS_EVENTS);
		return true;
	default:
		return false;
	}
}

static bool type(struct tp_app *app, void *state, uint32_t code)
{
	struct tp_counters_view *view = state;
	const struct tp_class *class = tp_counters_class(app, view);
	bool changed = false;
	if (view->export.open) {
		enum tp_text_field_event event = tp_path_box_key(&view->export, code);
		if (event == TP_TEXT_FIELD_TAKEN)
			export(app, view->export.field.text);
		return event != TP_TEXT_FIELD_IGNORED;
	}
	if (!class || view->page != TP_COUNTERS_EVENTS)
		return false;
	bool taken = tp_filter_type(&view->filter, code, &changed);
	if (changed)
		tp_counters_choose(view, class);
	return taken;
}

static void mouse(struct tp_app *app, void *state, const struct tp_input *input,
		  struct tp_area area)
{
	struct tp_counters_view *view = state;
	int row = input->row - area.row, column = input->column - area.column;
	bool press = input->mouse == TP_MOUSE_PRESS;
	refresh(app, view);
	if (!tp_counters_class(app, view) || view->export.open)
		return;
	if (press && row == 0) {
		enum tp_counters_page page = tp_counters_page_at(column);
		if (page < TP_COUNTERS_PAGES)
			go_page(view, (int)page);
	} else if (press && row == 1) {
		size_t hit = tp_counters_family_at(tp_app_run(app), view, area.columns, column);
		if (hit < tp_run_n_classes(tp_app_run(app)) && hit != view->family) {
			view->family = hit;
			show_family(app, view);
		}
	} else if (row >= TP_COUNTERS_HEAD_ROWS) {
		tp_counters_pages[view->page].mouse(app, view, input);
	}
}

static enum tp_over over(const struct tp_app *app, const void *state)
{
	const struct tp_counters_view *view = state;
	if (view->export.open || view->filter.typing)
		return TP_OVER_BOX;
	return tp_counters_class(app, view) && view->page != TP_COUNTERS_EVENTS ? TP_OVER_VIEW
										: TP_OVER_NOTHING;
}

const struct tp_screen tp_screen_counters = {
	.state_bytes = sizeof(struct tp_counters_view),
	.open = open_screen,
	.close = close_screen,
	.enter = enter,
	.draw = draw,
	.act = act,
	.type = type,
	.mouse = mouse,
	.news = news,
	.over = over,
};

/* --- in other screens --- */

static const char *finds(const struct tp_run *run)
{
	return tp_run_n_classes(run) ? "what the events count" : NULL;
}

static bool draw_point(struct tp_app *app, const struct tp_point *point, struct tp_area area)
{
	tp_counting_text(app, point, area);
	return true;
}

static bool draw_run(struct tp_app *app, struct tp_area area)
{
	tp_counting_run_draw(app, area);
	return true;
}

static const char *result(const struct tp_run *run, const struct tp_point *point, char *out,
			  size_t size)
{
	struct tp_reading_tally tally = tp_point_tally(run, point);
	*out = '\0';
	if (tally.readings)
		snprintf(out, size, "%zu readings", tally.readings);
	return out;
}

const struct tp_shown tp_shown_counters = {
	.screen = TP_SCREEN_COUNTERS,
	.finds = finds,
	.draw_point = draw_point,
	.draw_run = draw_run,
	.result = result,
};
