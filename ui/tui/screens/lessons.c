/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Lessons screen: which lesson, which page, and measuring what a page wants measured. */
#include "ui/tui/screens/lessons.h"
#include "lesson/report.h"
#include "ui/tui/control.h"
#include "ui/tui/screens/setup.h"
#include "ui/tui/widgets/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void tp_lessons_renew(struct tp_lessons *s)
{
	s->stale = true;
	s->scroll = (struct tp_list){ 0 };
}

/* --- opening and closing --- */

static void close_lesson(struct tp_lessons *s)
{
	if (s->open)
		tp_player_close(&s->player);
	s->open = s->terms = s->measuring = false;
}

static void show_step(struct tp_lessons *s)
{
	tp_lessons_renew(s);
	tp_lessons_begin_answer(s);
	s->picture = 0;
}

static void open_lesson(struct tp_app *app, struct tp_lessons *s, const char *path)
{
	struct tp_diag diag;
	close_lesson(s);
	tp_diags_release(&s->errors);
	enum tp_status status = tp_player_open(&s->player, path, &app->options->overrides,
					       s->has_progress ? &s->progress : NULL, &s->errors);
	s->open = status == TP_OK;
	if (!s->open) {
		tp_player_close(&s->player);
		return;
	}
	if (tp_player_works(&s->player, &app->session.machine, &diag) != TP_OK)
		tp_app_say_diag(app, &diag);
	show_step(s);
}

static void read_list(struct tp_app *app, struct tp_lessons *s)
{
	struct tp_diag diag = { 0 };
	free(s->entries);
	s->entries = NULL;
	s->n_entries = 0;
	s->about_of = 0;
	if (tp_lesson_entries(&s->entries, &s->n_entries, &diag) != TP_OK)
		tp_app_say_diag(app, &diag);
	tp_list_resize(&s->list, s->n_entries);
	if (s->has_progress)
		return;
	s->has_progress = tp_progress_open(&s->progress, &diag) == TP_OK;
	if (!s->has_progress)
		tp_app_say_diag(app, &diag);
}

/* The cursor begins on the first lesson that is not finished. */
static void place_cursor(struct tp_lessons *s)
{
	for (size_t i = 0; i < s->n_entries; i++) {
		const struct tp_progress_lesson *l =
			tp_progress_of(&s->progress, s->entries[i].name);
		if (l && l->finished)
			continue;
		s->list.at = i;
		return;
	}
}

static void enter(struct tp_app *app, void *state)
{
	struct tp_lessons *s = state;
	if (s->open)
		return;
	bool first = !s->entries;
	read_list(app, s);
	if (first)
		place_cursor(s);
}

static void close_screen(void *state)
{
	struct tp_lessons *s = state;
	close_lesson(s);
	free(s->entries);
	tp_lesson_release(&s->read);
	tp_progress_release(&s->progress);
	tp_doc_release(&s->about);
	tp_doc_release(&s->words);
	tp_doc_release(&s->terms_doc);
	tp_diags_release(&s->errors);
	tp_session_close(&s->session);
}

/* --- measuring --- */

static void measure(struct tp_app *app)
{
	struct tp_lessons *s = tp_lessons_of(app);
	struct tp_diags diags = { 0 };
	if (!s->open || tp_player_step(&s->player)->kind != TP_STEP_MEASURE)
		return;
	if (tp_app_is_measuring(app)) {
		tp_app_say(app, TP_UI_WARN, "a run is under way already; s stops it");
		return;
	}
	tp_session_close(&s->session);
	if (tp_player_session(&s->player, &s->session, &diags) != TP_OK) {
		if (diags.n)
			tp_app_say_diag(app, &diags.items[0]);
	} else if (tp_app_measure_session(app, &s->session, measure)) {
		s->measuring = true;
		s->measured_step = s->player.step;
	}
	tp_diags_release(&diags);
}

/* The run of a page has ended: it is the page's measurement, however far it came. */
static void take_measurement(struct tp_app *app, struct tp_lessons *s)
{
	struct tp_diag diag = { 0 };
	s->measuring = false;
	enum tp_status status =
		tp_player_measured(&s->player, s->measured_step, app->live.directory, &diag);
	if (status != TP_OK)
		tp_app_say_diag(app, &diag);
	else if (app->live.exit_code == TP_EXIT_INTERRUPTED)
		tp_app_say(app, TP_UI_WARN,
			   "stopped: the explanations know only what was measured; r measures "
			   "again");
	tp_lessons_renew(s);
	app->dirty = true;
}

static double work(struct tp_app *app, void *state)
{
	struct tp_lessons *s = state;
	if (s->measuring && !tp_live_is_under_way(&app->live))
		take_measurement(app, s);
	if (!s->open && s->n_entries && s->about_of != s->list.at + 1) {
		struct tp_diags ignored = { 0 };
		tp_lesson_release(&s->read);
		if (tp_lesson_load(&s->read, s->entries[s->list.at].path, NULL, &ignored) != TP_OK)
			s->read = (struct tp_lesson){ .summary = "This lesson has errors: Enter "
								 "shows them." };
		tp_diags_release(&ignored);
		s->about_of = s->list.at + 1;
		s->about.columns = 0;
		app->dirty = true;
	}
	return INFINITY;
}

/* --- keys --- */

static void try_it(struct tp_app *app, struct tp_lessons *s)
{
	struct tp_preset preset;
	struct tp_diags diags = { 0 };
	if (tp_player_preset(&s->player, &preset, &diags) == TP_OK) {
		tp_setup_take(app, &preset);
		tp_app_say(app, TP_UI_GOOD,
			   "set up for you: change what you like, r measures, L is the lesson");
	} else if (diags.n) {
		tp_app_say_diag(app, &diags.items[0]);
	}
	tp_diags_release(&diags);
}

static void go_forward(struct tp_app *app, struct tp_lessons *s)
{
	if (tp_player_forward(&s->player))
		show_step(s);
	else
		tp_app_say(app, TP_UI_PLAIN, "this is the last page; Esc shows all lessons");
}

static void next_lesson(struct tp_app *app, struct tp_lessons *s)
{
	char name[TP_NAME_MAX], path[TP_PATH_MAX];
	struct tp_diag diag;
	const char *next = tp_player_step(&s->player)->next;
	/* The name lies in the lesson that closes. */
	tp_copy(name, sizeof(name), next ? next : "");
	tp_player_forward(&s->player);
	close_lesson(s);
	enter(app, s);
	if (!*name)
		return;
	if (tp_lesson_find(name, path, &diag) == TP_OK)
		open_lesson(app, s, path);
	else
		tp_app_say_diag(app, &diag);
}

/* Enter: the next thing that makes sense on this page. */
static void go_on(struct tp_app *app, struct tp_lessons *s)
{
	const struct tp_lesson_step *step = tp_player_step(&s->player);
	if (s->measuring)
		tp_app_say(app, TP_UI_PLAIN, "it is being measured; s stops it");
	else if (tp_player_waits(&s->player) == TP_WAITS_MEASUREMENT)
		measure(app);
	else if (step->kind == TP_STEP_TRY && step->preset)
		try_it(app, s);
	else if (step->kind == TP_STEP_NEXT)
		next_lesson(app, s);
	else
		go_forward(app, s);
}

static void restart(struct tp_app *app, bool yes)
{
	struct tp_lessons *s = tp_lessons_of(app);
	if (yes && s->open && !s->measuring) {
		tp_player_restart(&s->player);
		show_step(s);
	}
}

static void show_terms(const struct tp_app *app, struct tp_lessons *s)
{
	const struct tp_look look = { .terminal = true,
				      .colour = true,
				      .utf8 = app->term.utf8,
				      .columns = TP_COLUMNS_MIN,
				      .rows = (unsigned)app->term.rows };
	struct tp_str text = { 0 };
	tp_lesson_glossary(&s->player, &look, &text);
	tp_doc_clear(&s->terms_doc, TP_COLUMNS_MIN);
	tp_doc_report(&s->terms_doc, tp_str_text(&text));
	tp_str_release(&text);
	s->terms_list = (struct tp_list){ 0 };
	tp_list_resize(&s->terms_list, s->terms_doc.n);
	s->terms = true;
}

static bool act_on_page(struct tp_app *app, struct tp_lessons *s, enum tp_action action)
{
	if (!s->measuring && tp_lessons_asks(s) && tp_lessons_answer_act(app, s, action))
		return true;
	switch (action) {
	case TP_ACTION_LESSON_GO:
		go_on(app, s);
		return true;
	case TP_ACTION_RIGHT:
		if (s->measuring)
			go_on(app, s);
		else
			go_forward(app, s);
		return true;
	case TP_ACTION_LEFT:
		if (!s->measuring && tp_player_back(&s->player))
			show_step(s);
		return true;
	case TP_ACTION_LESSON_MEASURE:
		if (!s->measuring)
			measure(app);
		return true;
	case TP_ACTION_LESSON_ANEW:
		tp_app_ask(app, "Begin the lesson anew? Its answers are forgotten.", restart);
		return true;
	case TP_ACTION_TERMS:
		show_terms(app, s);
		return true;
	case TP_ACTION_NEXT_PICTURE:
	case TP_ACTION_PREVIOUS_PICTURE:
		if (s->n_pictures)
			s->picture = (s->picture +
				      (action == TP_ACTION_NEXT_PICTURE ? 1 : s->n_pictures - 1)) %
				     s->n_pictures;
		return true;
	case TP_ACTION_GLYPHS:
		tp_plot_change_glyphs(app);
		return true;
	case TP_ACTION_BACK:
		if (s->measuring) {
			tp_app_say(app, TP_UI_WARN, "it is being measured; s stops it first");
		} else {
			close_lesson(s);
			enter(app, s);
		}
		return true;
	default:
		return tp_list_scroll(&s->scroll, action);
	}
}

static bool act(struct tp_app *app, void *state, enum tp_action action)
{
	struct tp_lessons *s = state;
	if (s->terms) {
		if (action == TP_ACTION_BACK || action == TP_ACTION_TERMS)
			s->terms = false;
		else
			tp_list_scroll(&s->terms_list, action);
		return action != TP_ACTION_QUIT && action != TP_ACTION_REPAINT;
	}
	if (s->open)
		return act_on_page(app, s, action);
	if (s->errors.n && action == TP_ACTION_BACK) {
		tp_diags_release(&s->errors);
		return true;
	}
	if (action == TP_ACTION_LESSON_GO && s->n_entries && !s->errors.n) {
		char path[TP_PATH_MAX];
		tp_copy(path, sizeof(path), s->entries[s->list.at].path);
		open_lesson(app, s, path);
		return true;
	}
	return tp_list_act(&s->list, action);
}

static bool type(struct tp_app *app, void *state, uint32_t code)
{
	struct tp_lessons *s = state;
	return s->open && !s->terms && !s->measuring && tp_lessons_asks(s) &&
	       tp_lessons_answer_type(app, s, code);
}

static void mouse(struct tp_app *app, void *state, const struct tp_input *input,
		  struct tp_area area)
{
	struct tp_lessons *s = state;
	(void)area;
	if (s->terms)
		tp_list_wheel(&s->terms_list, tp_list_wheel_rows(input));
	else if (s->open)
		tp_list_wheel(&s->scroll, tp_list_wheel_rows(input));
	else if (tp_list_mouse(&s->list, input) == TP_LIST_OPENED)
		act(app, s, TP_ACTION_LESSON_GO);
}

static enum tp_over over(const struct tp_app *app, const void *state)
{
	const struct tp_lessons *s = state;
	(void)app;
	return s->terms ? TP_OVER_TEXT : s->open || s->errors.n ? TP_OVER_VIEW : TP_OVER_NOTHING;
}

static void draw(struct tp_app *app, void *state, struct tp_area area)
{
	struct tp_lessons *s = state;
	if (s->terms)
		tp_doc_show(&s->terms_doc, &s->terms_list,
			    tp_area_columns(area, 1, area.columns - 1), false);
	else if (s->open)
		tp_lessons_paint_page(app, s, area);
	else
		tp_lessons_paint_list(s, area);
}

const struct tp_screen tp_screen_lessons = {
	.state_bytes = sizeof(struct tp_lessons),
	.close = close_screen,
	.enter = enter,
	.draw = draw,
	.act = act,
	.type = type,
	.mouse = mouse,
	.over = over,
	.work = work,
};
