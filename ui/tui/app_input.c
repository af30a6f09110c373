/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/app_input.h"
#include "ui/tui/app_frame.h"
#include "ui/tui/control.h"
#include "ui/tui/screen.h"
#include "base/now.h"

#define PASTE_SECONDS 1.0
/* Two presses of a place within this time are a double click. */
#define DOUBLE_SECONDS 0.5

enum { CONTROL_C = 3 };

/* --- keys --- */

static void answer_quit(struct tp_app *app, bool yes)
{
	if (yes) {
		tp_live_stop(&app->live);
		app->quit = true;
	}
}

void tp_input_settle(struct tp_app *app)
{
	if (app->question && app->answer == answer_quit && !tp_app_is_measuring(app))
		app->question = "The run has ended. Quit?";
}

static void quit(struct tp_app *app)
{
	if (tp_app_is_measuring(app))
		tp_app_ask(app, "A run is under way. Stop it, save what was measured, and quit?",
			   answer_quit);
	else
		app->quit = true;
}

/* The parts of a screen one after the other, and then the next screen. */
static void go_on(struct tp_app *app, bool forward)
{
	int parts = tp_frame_parts(app), part = app->part + (forward ? 1 : -1);
	if (part >= 0 && part < parts)
		app->part = part;
	else
		tp_app_next(app, forward);
}

/* Leaves what lies over the screen: a part of it, the help. False on the screen itself. */
static bool go_back(struct tp_app *app)
{
	if (app->screen == TP_SCREEN_HELP)
		tp_app_go(app, app->before_help);
	else if (app->part > 0)
		app->part = 0;
	else
		return false;
	return true;
}

static void act(struct tp_app *app, enum tp_action action)
{
	const struct tp_screen *screen = tp_screen_table[app->screen];
	void *state = app->state[app->screen];
	app->dirty = true;
	/* A view of a screen is left by q as by Esc. */
	enum tp_over over = tp_frame_over(app);
	if (action == TP_ACTION_CLOSE && (over == TP_OVER_VIEW || over == TP_OVER_TEXT))
		action = TP_ACTION_BACK;
	if (action == TP_ACTION_NONE || (screen->act && screen->act(app, state, action)) ||
	    tp_control_act(app, action))
		return;
	if (tp_action_table[action].go < TP_SCREEN_COUNT) {
		tp_app_go(app, tp_action_table[action].go);
		return;
	}
	switch (action) {
	case TP_ACTION_NEXT_SCREEN:
	case TP_ACTION_PREVIOUS_SCREEN:
		go_on(app, action == TP_ACTION_NEXT_SCREEN);
		break;
	case TP_ACTION_HELP:
		tp_app_go(app, app->screen == TP_SCREEN_HELP ? app->before_help : TP_SCREEN_HELP);
		break;
	case TP_ACTION_BACK:
		go_back(app);
		break;
	case TP_ACTION_WHOLE:
		if (!tp_whole_open(&app->whole, &app->term))
			tp_app_say(app, TP_UI_PLAIN, "everything here is shown in full");
		break;
	case TP_ACTION_WELCOME:
		tp_welcome_greet(app);
		break;
	case TP_ACTION_MOUSE:
		tp_term_set_mouse(&app->term, !app->term.mouse);
		tp_app_say(app, TP_UI_PLAIN,
			   app->term.mouse ? "the mouse works here" : "the terminal has the mouse");
		break;
	case TP_ACTION_REPAINT:
		tp_term_repaint(&app->term);
		break;
	case TP_ACTION_CLOSE:
	case TP_ACTION_QUIT:
		quit(app);
		break;
	default:
		break;
	}
}

/*
 * Pasted text goes to an open text field, with blanks for line ends, and never acts as keys.
 * Escape, Ctrl-C or silence ends a paste whose end does not arrive. Returns whether the code was
 * part of a paste.
 */
static bool take_paste(struct tp_app *app, uint32_t code)
{
	const struct tp_screen *screen = tp_screen_table[app->screen];
	double now = tp_now_seconds();
	if (app->pasting && now - app->pasted_at > PASTE_SECONDS)
		app->pasting = false;
	app->pasted_at = now;
	if (code == TP_KEY_PASTE) {
		app->pasting = true;
		return true;
	}
	if (!app->pasting)
		return code == TP_KEY_PASTE_END;
	if (code == TP_KEY_PASTE_END || code == TP_KEY_ESCAPE || code == CONTROL_C)
		app->pasting = false;
	else if (code < TP_KEY_UP && !app->question && !app->welcome.page && screen->type)
		screen->type(app, app->state[app->screen], code < ' ' ? ' ' : code);
	return true;
}

static void take_answer(struct tp_app *app, bool yes)
{
	void (*answer)(struct tp_app *, bool) = app->answer;
	app->question = NULL;
	answer(app, yes);
}

static void take_key(struct tp_app *app, uint32_t code)
{
	const struct tp_screen *screen = tp_screen_table[app->screen];
	app->dirty = true;
	if (take_paste(app, code))
		return;
	if (app->question) {
		/* Whoever presses Ctrl-C again means it. */
		bool yes = code == 'y' || code == 'Y' ||
			   (code == CONTROL_C && app->answer == answer_quit);
		if (yes || code == 'n' || code == 'N' || code == TP_KEY_ESCAPE || code == 'q')
			take_answer(app, yes);
		return;
	}
	app->message[0] = '\0';
	if (app->whole.open && tp_whole_key(&app->whole, code))
		return;
	if (app->welcome.page && tp_welcome_key(app, code))
		return;
	if (screen->type && screen->type(app, app->state[app->screen], code))
		return;
	act(app, tp_keys_action(app->screen, code));
}

/* --- the mouse --- */

/* A hint of the footer does what its key does. */
static void press_hint(struct tp_app *app, enum tp_action action)
{
	if (action == TP_ACTION_BACK)
		take_key(app, TP_KEY_ESCAPE); /* a box hears keys only */
	else if (action != TP_ACTION_NONE)
		act(app, action);
}

/*
 * Whether this press is the second of a double click. That of one whose first press changed the
 * screen is none, and *lost: what lies there now was not meant.
 */
static bool is_second(struct tp_app *app, const struct tp_input *input, bool *lost)
{
	double now = tp_now_seconds();
	bool second = input->twice ||
		      (app->pressed.row == input->row && app->pressed.column == input->column &&
		       now - app->pressed.at < DOUBLE_SECONDS);
	*lost = second && app->pressed.moved;
	app->pressed.row = input->row;
	app->pressed.column = input->column;
	app->pressed.at = second ? 0 : now;
	app->pressed.moved = false;
	return second && !*lost;
}

static void press(struct tp_app *app, const struct tp_input *input)
{
	const struct tp_screen *screen = tp_screen_table[app->screen];
	if (input->row == 0 && input->mouse == TP_MOUSE_PRESS) {
		enum tp_screen_id named = tp_frame_screen_at(app, input->column);
		if (named < TP_SCREEN_COUNT)
			tp_app_go(app, named);
	} else if (input->row == app->term.rows - 1 && input->mouse == TP_MOUSE_PRESS) {
		press_hint(app, tp_frame_action_at(app, input->column));
	} else if (screen->mouse && tp_area_holds(tp_frame_body(app), input->row, input->column)) {
		screen->mouse(app, app->state[app->screen], input, tp_frame_body(app));
	}
}

static void let_go(struct tp_app *app, const struct tp_input *input)
{
	const struct tp_screen *screen = tp_screen_table[app->screen];
	if (screen->drop && !app->question && !app->whole.open && !app->welcome.page)
		screen->drop(app, app->state[app->screen], input);
}

static void take_mouse(struct tp_app *app, struct tp_input *input)
{
	enum tp_screen_id screen = app->screen;
	enum tp_over over = tp_frame_over(app);
	bool lost = false;
	if (input->mouse == TP_MOUSE_RELEASE) {
		let_go(app, input);
		return;
	}
	app->dirty = true;
	if (input->mouse == TP_MOUSE_PRESS)
		input->twice = is_second(app, input, &lost);
	if (lost)
		return;
	if (app->question) {
		int answer = input->mouse == TP_MOUSE_PRESS
				     ? tp_frame_answer_at(app, input->row, input->column)
				     : -1;
		if (answer >= 0)
			take_answer(app, answer);
		return;
	}
	if (app->whole.open)
		tp_whole_mouse(&app->whole, input);
	else if (app->welcome.page)
		tp_welcome_mouse(app, tp_frame_body(app), input);
	else
		press(app, input);
	app->pressed.moved = app->screen != screen || tp_frame_over(app) != over;
}

void tp_input_take(struct tp_app *app)
{
	enum { MOST = 256 };
	struct tp_input input;
	for (int i = 0; i < MOST && !app->quit; i++) {
		tp_term_input(&app->term, &input);
		switch (input.kind) {
		case TP_INPUT_NONE:
			return;
		case TP_INPUT_KEY:
			take_key(app, input.code);
			break;
		case TP_INPUT_MOUSE:
			take_mouse(app, &input);
			break;
		case TP_INPUT_RESIZE:
			app->dirty = true;
			break;
		case TP_INPUT_HANGUP:
			tp_live_stop(&app->live);
			app->quit = true;
			app->exit_code = TP_EXIT_INTERRUPTED;
			break;
		}
	}
}
