/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Setup: what the keys and the mouse do to the form. */
#include "ui/tui/screen.h"
#include "ui/tui/screens/setup.h"
#include "base/now.h"
#include "base/memory.h"
#include "ui/tui/adopt.h"
#include "ui/tui/control.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CONTROL_C = 3 };

/* A plan that takes longer than this is made only when no key is waiting. */
#define AT_ONCE_SECONDS 0.015

/* --- the plan --- */

void tp_setup_take(struct tp_app *app, struct tp_preset *preset)
{
	struct tp_setup *s = tp_setup_of(app);
	tp_form_take(&s->form, preset);
	s->mode = TP_SETUP_FORM;
	s->rows = (struct tp_list){ 0 };
	tp_setup_changed(app, s);
	tp_app_go(app, TP_SCREEN_SETUP);
}

void tp_setup_settle(struct tp_app *app, struct tp_setup *s)
{
	double start = tp_now_seconds();
	if (!tp_form_settle(&s->form, &app->problems))
		return;
	s->settle_seconds = tp_now_seconds() - start;
	app->setup_version++;
	app->dirty = true;
}

void tp_setup_changed(struct tp_app *app, struct tp_setup *s)
{
	if (s->settle_seconds < AT_ONCE_SECONDS)
		tp_setup_settle(app, s);
	app->dirty = true;
}

static bool no_key_waits(void *context)
{
	return !tp_term_has_input(context);
}

static double work(struct tp_app *app, void *state)
{
	struct tp_setup *s = state;
	tp_setup_settle(app, s);
	if (tp_form_estimate(&s->form, no_key_waits, &app->term)) {
		app->setup_version++;
		app->dirty = true;
	}
	bool changed = false;
	if (tp_app_is_measuring(app))
		return INFINITY;
	bool more = tp_found_go_on(&app->found, &app->session.machine, &changed);
	app->dirty |= changed;
	return more ? 0 : INFINITY;
}

static void begin_run(struct tp_app *app, struct tp_setup *s)
{
	tp_setup_settle(app, s);
	tp_app_start(app);
}

static void answer_start(struct tp_app *app, bool yes)
{
	if (!yes)
		return;
	tp_setup_of(app)->start_when_over = true;
	tp_live_stop(&app->live);
	tp_app_say(app, TP_UI_PLAIN, "the run is stopping; the next one begins after it");
}

static void start(struct tp_app *app, struct tp_setup *s)
{
	if (tp_app_is_measuring(app))
		tp_app_ask(app, "A run is under way. Stop it, save its points, and begin this one?",
			   answer_start);
	else
		begin_run(app, s);
}

static void news(struct tp_app *app, void *state)
{
	struct tp_setup *s = state;
	if (!s->start_when_over || tp_app_is_measuring(app))
		return;
	s->start_when_over = false;
	begin_run(app, s);
}

/* --- actions --- */

static void step(struct tp_app *app, struct tp_setup *s, int direction)
{
	struct tp_diag diag;
	if (tp_form_step(&s->form, tp_form_selected(&s->form), direction, &diag) != TP_OK)
		tp_app_say_diag(app, &diag);
	tp_setup_changed(app, s);
}

static void change(struct tp_app *app, struct tp_setup *s)
{
	if (tp_form_selected(&s->form)->type == TP_TYPE_BOOL)
		step(app, s, 1);
	else
		tp_setup_choose_value(s);
}

static void answer_reset_all(struct tp_app *app, bool yes)
{
	if (!yes)
		return;
	tp_form_reset_all(&tp_setup_of(app)->form);
	tp_setup_changed(app, tp_setup_of(app));
}

static void change_runs(struct tp_app *app, struct tp_setup *s, enum tp_action action)
{
	struct tp_form *form = &s->form;
	size_t n = form->session->preset.n_runs;
	struct tp_diag diag;
	enum tp_status status = TP_OK;
	if (action == TP_ACTION_RUN_ADD)
		status = tp_form_add_run(form, &diag);
	else if (action == TP_ACTION_RUN_REMOVE)
		status = tp_form_remove_run(form, &diag);
	else if (n == 1)
		status = tp_fail(&diag, TP_USAGE, "runs", NULL,
				 "there is only one run; + adds another");
	else
		form->run = (form->run + (action == TP_ACTION_RUN_NEXT ? 1 : n - 1)) % n;
	if (status != TP_OK)
		tp_app_say_diag(app, &diag);
	tp_form_list(form);
	tp_setup_changed(app, s);
}

/* Moves by as many options as a list moves by rows. */
static bool move(struct tp_setup *s, enum tp_action action)
{
	struct tp_list list = s->rows;
	list.n = s->form.n_rows;
	list.at = s->form.selected;
	if (!tp_list_act(&list, action))
		return false;
	tp_form_move(&s->form, (int)list.at - (int)s->form.selected);
	return true;
}

static bool act(struct tp_app *app, void *state, enum tp_action action)
{
	struct tp_setup *s = state;
	struct tp_form *form = &s->form;
	if (app->part > 0 && tp_list_scroll(&s->points, action))
		return true;
	if (move(s, action))
		return true;
	switch (action) {
	case TP_ACTION_LEFT:
		step(app, s, -1);
		return true;
	case TP_ACTION_RIGHT:
		step(app, s, 1);
		return true;
	case TP_ACTION_CHANGE:
		change(app, s);
		return true;
	case TP_ACTION_RESET:
		tp_form_reset(form, tp_form_selected(form));
		tp_setup_changed(app, s);
		return true;
	case TP_ACTION_RESET_ALL:
		tp_app_ask(app, "Set every option to its default?", answer_reset_all);
		return true;
	case TP_ACTION_ALL_OPTIONS:
		form->all = !form->all;
		tp_form_list(form);
		return true;
	case TP_ACTION_ADOPT:
		tp_adopt_offers(app);
		return true;
	case TP_ACTION_FILTER:
		tp_setup_find(s);
		return true;
	case TP_ACTION_SAVE:
		tp_setup_ask_save(s);
		return true;
	case TP_ACTION_LOAD:
		tp_setup_choose_preset(app, s);
		return true;
	case TP_ACTION_START:
		start(app, s);
		return true;
	case TP_ACTION_RUN_NEXT:
	case TP_ACTION_RUN_PREVIOUS:
	case TP_ACTION_RUN_ADD:
	case TP_ACTION_RUN_REMOVE:
		change_runs(app, s, action);
		return true;
	default:
		tp_setup_settle(app, s); /* other screens need a plan that fits */
		return false;
	}
}

static bool type(struct tp_app *app, void *state, uint32_t code)
{
	struct tp_setup *s = state;
	if (s->mode == TP_SETUP_FORM || code == CONTROL_C)
		return false;
	tp_setup_box_key(app, s, code);
	return true;
}

/* --- the mouse --- */

static void press_row(struct tp_app *app, struct tp_setup *s, const struct tp_setup_places *p,
		      const struct tp_input *input)
{
	struct tp_area rows = s->rows.area;
	int column = input->column - rows.column;
	size_t i = tp_list_hit(&s->rows, input->row - rows.row);
	if (!tp_area_holds(rows, input->row, input->column) || i >= s->form.n_rows ||
	    s->form.rows[i].heading)
		return;
	bool again = i == s->form.selected;
	s->form.selected = i;
	if (again && column >= p->value_column - 3 && column < p->value_column)
		step(app, s, -1);
	else if (input->twice || (column >= p->value_column - 3 && column < p->note_column))
		change(app, s);
}

static void mouse(struct tp_app *app, void *state, const struct tp_input *input,
		  struct tp_area area)
{
	struct tp_setup *s = state;
	struct tp_setup_places p = tp_setup_places(s, area);
	if (s->mode != TP_SETUP_FORM)
		tp_setup_box_mouse(app, s, input, area);
	else if (app->part > 0)
		tp_list_wheel(&s->points, tp_list_wheel_rows(input));
	else if (input->mouse != TP_MOUSE_PRESS)
		tp_form_move(&s->form, input->mouse == TP_MOUSE_WHEEL_UP ? -1 : 1);
	else if (tp_area_holds(p.rows, input->row, input->column))
		press_row(app, s, &p, input);
	else if (tp_area_holds(p.runs, input->row, input->column)) {
		size_t run = tp_setup_run_at(s, input->column - p.runs.column);
		if (run < s->form.session->preset.n_runs)
			s->form.run = run;
		tp_form_list(&s->form);
	}
}

/* --- the screen --- */

static void close_screen(void *state)
{
	struct tp_setup *s = state;
	tp_form_release(&s->form);
	tp_picker_release(&s->picker);
	tp_diags_release(&s->errors);
	tp_doc_release(&s->errors_text);
	free(s->entries);
}

static bool open_screen(struct tp_app *app, void *state)
{
	struct tp_setup *s = state;
	struct tp_diags diags = { 0 };
	/* Only lack of memory can make this fail: the configuration files were read before. */
	bool opened =
		tp_form_init(&s->form, &app->session, &app->options->overrides, &diags) == TP_OK;
	if (opened)
		tp_setup_settle(app, s);
	tp_diags_release(&diags);
	return opened;
}

static void enter(struct tp_app *app, void *state)
{
	tp_found_look_again(&app->found);
	tp_setup_settle(app, state);
}

static enum tp_over over(const struct tp_app *app, const void *state)
{
	const struct tp_setup *s = state;
	(void)app;
	return s->mode == TP_SETUP_FORM ? TP_OVER_NOTHING : TP_OVER_BOX;
}

static void draw(struct tp_app *app, void *state, struct tp_area area)
{
	tp_setup_paint(app, state, area);
}

const struct tp_screen tp_screen_setup = {
	.state_bytes = sizeof(struct tp_setup),
	.open = open_screen,
	.close = close_screen,
	.enter = enter,
	.draw = draw,
	.act = act,
	.type = type,
	.mouse = mouse,
	.news = news,
	.over = over,
	.parts = tp_setup_parts,
	.work = work,
};
