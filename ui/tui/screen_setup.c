/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Setup: what the keys and the mouse do to the form. */
#include "ui/tui/screen.h"
#include "ui/tui/setup.h"
#include "base/now.h"
#include "base/vec.h"
#include "ui/tui/control.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CONTROL_C = 3, PAGE_ROWS = 10 };

/* A plan that takes longer than this to make waits until no key is left to take. */
#define AT_ONCE_SECONDS 0.015

/* --- the plan --- */

static void settle(struct tp_app *app, struct tp_setup *s)
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
		settle(app, s);
	app->dirty = true;
}

static double work(struct tp_app *app, void *state)
{
	settle(app, state);
	return INFINITY;
}

static void begin_run(struct tp_app *app, struct tp_setup *s)
{
	settle(app, s);
	tp_app_start(app);
}

static void answer_start(struct tp_app *app, bool yes)
{
	if (!yes)
		return;
	tp_setup_of(app)->start_when_over = true;
	tp_live_stop(&app->live);
	tp_app_say(app, TP_UI_PLAIN, "the run is being stopped; then the next one begins");
}

static void start(struct tp_app *app, struct tp_setup *s)
{
	if (tp_app_is_measuring(app))
		tp_app_ask(
			app,
			"A run is under way. Stop it, save what was measured, and begin this one?",
			answer_start);
	else
		begin_run(app, s);
}

static void news(struct tp_app *app, void *state)
{
	struct tp_setup *s = state;
	if (!s || !s->start_when_over || tp_app_is_measuring(app))
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
	if (tp_option_table[tp_form_selected(&s->form)].type == TP_TYPE_BOOL)
		step(app, s, 1);
	else
		tp_setup_over_value(s);
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
		status = tp_fail(&diag, TP_USAGE, "runs", NULL, "there is one run; + adds another");
	else
		form->run = (form->run + (action == TP_ACTION_RUN_NEXT ? 1 : n - 1)) % n;
	if (status != TP_OK)
		tp_app_say_diag(app, &diag);
	tp_form_list(form);
	tp_setup_changed(app, s);
}

static bool act(struct tp_app *app, void *state, enum tp_action action)
{
	struct tp_setup *s = state;
	struct tp_form *form = &s->form;
	switch (action) {
	case TP_ACTION_UP:
		tp_form_move(form, -1);
		return true;
	case TP_ACTION_DOWN:
		tp_form_move(form, 1);
		return true;
	case TP_ACTION_PAGE_UP:
		tp_form_move(form, -PAGE_ROWS);
		return true;
	case TP_ACTION_PAGE_DOWN:
		tp_form_move(form, PAGE_ROWS);
		return true;
	case TP_ACTION_FIRST:
		tp_form_move(form, -TP_FORM_ROWS);
		return true;
	case TP_ACTION_LAST:
		tp_form_move(form, TP_FORM_ROWS);
		return true;
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
		tp_app_ask(app, "Put every option back to its default?", answer_reset_all);
		return true;
	case TP_ACTION_ALL_OPTIONS:
		form->all = !form->all;
		tp_form_list(form);
		return true;
	case TP_ACTION_FILTER:
		tp_setup_over_find(s);
		return true;
	case TP_ACTION_SAVE:
		tp_setup_over_save(s);
		return true;
	case TP_ACTION_LOAD:
		tp_setup_over_presets(app, s);
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
		settle(app, s); /* other screens find a plan that fits */
		return false;
	}
}

static bool type(struct tp_app *app, void *state, uint32_t code)
{
	struct tp_setup *s = state;
	if (s->mode == TP_SETUP_FORM || code == CONTROL_C)
		return false;
	tp_setup_over_key(app, s, code);
	return true;
}

/* --- the mouse --- */

static void press_row(struct tp_app *app, struct tp_setup *s, const struct tp_setup_places *p,
		      const struct tp_input *input)
{
	int frame = p->wide ? 1 : 0;
	int line = input->row - p->rows.row - frame;
	int column = input->column - p->rows.column - 2 * frame;
	size_t i = s->top + (size_t)TP_MAX(line, 0);
	if (line < 0 || line >= p->rows.rows - 2 * frame || i >= s->form.n_rows ||
	    s->form.rows[i].heading)
		return;
	bool again = i == s->form.selected;
	s->form.selected = i;
	if (again && column >= p->value_column - 3 && column < p->value_column)
		step(app, s, -1);
	else if (column >= p->value_column - 3 && column < p->note_column)
		change(app, s);
}

static void mouse(struct tp_app *app, void *state, const struct tp_input *input,
		  struct tp_area area)
{
	struct tp_setup *s = state;
	struct tp_setup_places p = tp_setup_places(s, area);
	if (s->mode != TP_SETUP_FORM)
		tp_setup_over_mouse(app, s, input, area);
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
	tp_diags_release(&s->told);
	free(s->entries);
	free(s);
}

static void *open_screen(struct tp_app *app)
{
	struct tp_setup *s = calloc(1, sizeof(*s));
	struct tp_diags diags = { 0 };
	if (!s)
		return NULL;
	/* The configuration files were read before without an error, so what is left is want of memory. */
	if (tp_form_init(&s->form, &app->session, app->cli, &diags) != TP_OK) {
		close_screen(s);
		s = NULL;
	} else {
		settle(app, s);
	}
	tp_diags_release(&diags);
	return s;
}

static void enter(struct tp_app *app, void *state)
{
	settle(app, state);
}

static void draw(struct tp_app *app, void *state, struct tp_area area)
{
	tp_setup_paint(app, state, area);
}

const struct tp_screen tp_screen_setup = {
	.name = "Setup",
	.open = open_screen,
	.close = close_screen,
	.enter = enter,
	.draw = draw,
	.act = act,
	.type = type,
	.mouse = mouse,
	.news = news,
	.work = work,
};
