/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What hardware events really count: the events of a family, their noise, their curves, the formulas made of them. */
#include "ui/tui/counters_view.h"
#include "ui/tui/counters_progress.h"
#include "ui/tui/export_run.h"
#include "ui/tui/seen.h"
#include "base/vec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TIGHT_ROWS = 24 };

static void *open_screen(struct tp_app *app)
{
	struct tp_counters_view *view = calloc(1, sizeof(*view));
	(void)app;
	if (view)
		view->fate = TP_COUNTERS_ANY_FATE;
	return view;
}

static void close_screen(void *state)
{
	struct tp_counters_view *view = state;
	tp_counters_plot_release(&view->noise);
	tp_counters_plot_release(&view->curves);
	tp_doc_release(&view->decision);
	tp_doc_release(&view->formula);
	free(view->shown);
	free(view->ranks);
	free(view);
}

const struct tp_class *tp_counters_class(const struct tp_app *app,
					 const struct tp_counters_view *view)
{
	const struct tp_run *run = tp_app_run(app);
	return run && view->family < run->n_classes ? &run->classes[view->family] : NULL;
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

const char *tp_counters_small(char *out, size_t size, double value)
{
	if (isnan(value))
		snprintf(out, size, "-");
	else if (value == 0)
		snprintf(out, size, "0");
	else
		snprintf(out, size, "%.1e", value);
	return out;
}

/* --- what is shown of which run --- */

/* Everything that the lists and pictures are made from, in one number; borrowed pointers die with it. */
static uint64_t look_at(const struct tp_app *app)
{
	const struct tp_run *run = tp_app_run(app);
	uint64_t hash = TP_SEEN_START;
	tp_seen_mix(&hash, (uint64_t)app->live.state);
	for (const char *c = tp_app_run_label(app); *c; c++)
		tp_seen_mix(&hash, (unsigned char)*c);
	if (!run)
		return hash;
	tp_seen_mix(&hash, run->n_classes);
	tp_seen_mix(&hash, (uintptr_t)run->classes);
	for (size_t i = 0; i < run->n_classes; i++) {
		tp_seen_mix(&hash, (uintptr_t)run->classes[i].events);
		tp_seen_mix(&hash, run->classes[i].n_events);
	}
	return hash;
}

/* Lists and pictures of a family anew. */
static void show_family(const struct tp_app *app, struct tp_counters_view *view)
{
	const struct tp_class *class = tp_counters_class(app, view);
	tp_counters_plot_release(&view->noise);
	tp_counters_plot_release(&view->curves);
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
	for (size_t i = 0; run && i < run->n_classes; i++)
		if (strcmp(run->classes[i].family, view->family_name) == 0) {
			view->family = i;
			break;
		}
	show_family(app, view);
}

void tp_counters_move_family(const struct tp_app *app, struct tp_counters_view *view, bool forward)
{
	const struct tp_run *run = tp_app_run(app);
	size_t n = run ? run->n_classes : 0;
	if (n < 2)
		return;
	view->family = (view->family + (forward ? 1 : n - 1)) % n;
	show_family(app, view);
}

static void enter(struct tp_app *app, void *state)
{
	struct tp_counters_view *view = state;
	(void)app;
	view->exporting = false;
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
	return run->readings.n > 0;
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

static void draw_folder(struct tp_counters_view *view, struct tp_area area)
{
	int columns = TP_MIN(area.columns - 8, 90);
	struct tp_area box = tp_area_rows(area, area.rows / 2 - 3, 5);
	box = tp_area_columns(box, (area.columns - columns) / 2, columns);
	tp_paint_clear(box, TP_UI_PLAIN);
	struct tp_area in = tp_paint_frame(box, "Write the run's files into this folder");
	int at = tp_field_paint(&view->folder, in, 0, 0, in.columns);
	tp_term_cursor((struct tp_term *)(uintptr_t)area.term, in.row, in.column + at);
	tp_paint_text(in, 2, 0, TP_UI_DIM, ".svg .csv .json .txt .papi .readings.csv   Enter, Esc");
}

static void draw(struct tp_app *app, void *state, struct tp_area area)
{
	struct tp_counters_view *view = state;
	refresh(app, view);
	if (!tp_counters_class(app, view)) {
		draw_empty(app, area);
		return;
	}
	tp_counters_head_draw(app, view, tp_area_rows(area, 0, TP_COUNTERS_HEAD_ROWS));
	/* A blank row where there are enough of them. */
	struct tp_area rest =
		tp_area_rows(area, TP_COUNTERS_HEAD_ROWS, area.rows - TP_COUNTERS_HEAD_ROWS);
	int blank = area.rows >= TIGHT_ROWS;
	switch (view->page) {
	case TP_COUNTERS_NOISE:
		tp_counters_noise_draw(app, view, rest);
		break;
	case TP_COUNTERS_CURVES:
		tp_counters_curves_draw(app, view, rest);
		break;
	case TP_COUNTERS_FORMULAS:
		tp_counters_formulas_draw(app, view, tp_area_rows(rest, blank, rest.rows - blank));
		break;
	default:
		tp_counters_events_draw(app, view, tp_area_rows(rest, blank, rest.rows - blank));
		break;
	}
	if (view->exporting)
		draw_folder(view, rest);
}

/* --- input --- */

static void ask_folder(const struct tp_app *app, struct tp_counters_view *view)
{
	char here[TP_PATH_MAX];
	if (!tp_app_run(app))
		return;
	if (!view->folder.len)
		tp_field_set(&view->folder, getcwd(here, sizeof(here)) ? here : ".");
	view->exporting = true;
}

static void export_run(struct tp_app *app, const struct tp_counters_view *view)
{
	struct tp_diag diag = { 0 };
	const struct tp_run *run = tp_app_run(app);
	const char *stem = tp_app_run_label(app);
	if (!run || !view->folder.len)
		return;
	if (tp_export_run(run, view->folder.text, stem, &diag) == TP_OK)
		tp_app_say(app, TP_UI_GOOD,
			   "%.80s.svg, .csv, .json, .txt, .papi, .readings.csv are in %.120s", stem,
			   view->folder.text);
	else
		tp_app_say_diag(app, &diag);
}

static void go_page(struct tp_counters_view *view, int page)
{
	view->page = (enum tp_counters_page)((page + TP_COUNTERS_PAGES) % TP_COUNTERS_PAGES);
	view->whole = false;
}

static bool act_on_page(struct tp_app *app, struct tp_counters_view *view, enum tp_action action)
{
	switch (view->page) {
	case TP_COUNTERS_EVENTS:
		return tp_counters_events_act(app, view, action);
	case TP_COUNTERS_FORMULAS:
		return tp_counters_formulas_act(app, view, action);
	default:
		return tp_counters_plot_act(app, view, action);
	}
}

static bool act(struct tp_app *app, void *state, enum tp_action action)
{
	static const struct {
		enum tp_action action;
		enum tp_counters_page page;
	} ways[] = { { TP_ACTION_VIEW_EVENTS, TP_COUNTERS_EVENTS },
		     { TP_ACTION_VIEW_NOISE, TP_COUNTERS_NOISE },
		     { TP_ACTION_VIEW_CURVES, TP_COUNTERS_CURVES },
		     { TP_ACTION_VIEW_FORMULAS, TP_COUNTERS_FORMULAS } };
	struct tp_counters_view *view = state;
	refresh(app, view);
	if (action == TP_ACTION_PAUSE) {
		tp_live_pause(&app->live, app->live.state != TP_LIVE_PAUSED);
		return true;
	}
	if (action == TP_ACTION_STOP) {
		tp_live_stop(&app->live);
		return true;
	}
	if (!tp_counters_class(app, view))
		return false;
	for (size_t i = 0; i < TP_COUNT_OF(ways); i++)
		if (ways[i].action == action) {
			go_page(view, ways[i].page);
			return true;
		}
	if (act_on_page(app, view, action))
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
		tp_counters_move_family(app, view, true);
		return true;
	case TP_ACTION_FAMILY_PREVIOUS:
	case TP_ACTION_LEFT:
		tp_counters_move_family(app, view, false);
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
	bool changed = false, taken;
	if (view->exporting) {
		enum tp_field_event event = tp_field_key(&view->folder, code);
		if (event == TP_FIELD_TAKEN || event == TP_FIELD_LEFT)
			view->exporting = false;
		if (event == TP_FIELD_TAKEN)
			export_run(app, view);
		return true;
	}
	if (!class || view->page != TP_COUNTERS_EVENTS)
		return false;
	taken = tp_filter_type(&view->filter, code, &changed);
	if (changed)
		tp_counters_choose(view, class);
	return taken;
}

static void mouse(struct tp_app *app, void *state, const struct tp_input *input,
		  struct tp_area area)
{
	struct tp_counters_view *view = state;
	const struct tp_run *run = tp_app_run(app);
	int row = input->row - area.row, column = input->column - area.column;
	bool press = input->mouse == TP_MOUSE_PRESS;
	refresh(app, view);
	const struct tp_class *class = tp_counters_class(app, view);
	if (!class || view->exporting)
		return;
	if (press && row == 0) {
		enum tp_counters_page page = tp_counters_page_at(column);
		if (page < TP_COUNTERS_PAGES)
			go_page(view, (int)page);
	}
	if (press && row == 1) {
		size_t hit = tp_counters_family_at(run, view, area.columns, column);
		if (hit < run->n_classes && hit != view->family) {
			view->family = hit;
			show_family(app, view);
		}
		return;
	}
	if (row < TP_COUNTERS_HEAD_ROWS)
		return;
	if (view->page == TP_COUNTERS_EVENTS)
		tp_counters_events_mouse(app, view, input);
	else if (view->page == TP_COUNTERS_FORMULAS)
		tp_counters_formulas_mouse(app, view, input);
	else
		tp_counters_plot_mouse(app, view, input);
}

const struct tp_screen tp_screen_counters = {
	.name = "Counters",
	.open = open_screen,
	.close = close_screen,
	.enter = enter,
	.draw = draw,
	.act = act,
	.type = type,
	.mouse = mouse,
	.news = news,
};
