/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The main loop of the screens: keys, events of the run, and painting that does not disturb it. */
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/now.h"
#include "base/text.h"
#include "record/load.h"
#include "ui/tui/app.h"
#include "ui/tui/box.h"
#include "ui/tui/paint.h"
#include "ui/tui/running.h"
#include "ui/tui/screen.h"
#include "ui/tui/shown.h"

enum { CONTROL_C = 3 };

/* --- the frame: places, screens and the run above a screen, the message and the keys below it ---
 */

enum { FOOT_ROWS = TP_APP_FOOT_ROWS };

static struct tp_area whole(const struct tp_app *app)
{
	return (struct tp_area){ .term = &app->term,
				 .rows = app->term.rows,
				 .columns = app->term.columns };
}

/* The tabs of a row from left to right. */
struct tabs {
	struct tab {
		int id; /* a place, or a screen */
		int from, end;
	} all[TP_SCREEN_COUNT];
	size_t n;
};

/* " 1 Home  2 Setup ...": every place. */
static struct tabs lay_out_places(void)
{
	struct tabs tabs = { 0 };
	int at = 0;
	for (int i = 0; i < TP_PLACE_COUNT; i++) {
		int end = at + (int)strlen(tp_place_rows[i].title) + 4;
		tabs.all[tabs.n++] = (struct tab){ i, at, end };
		at = end;
	}
	return tabs;
}

/* "  Points [Roofline] Curve": the screens of the place that have something to show, and the shown
 * one. */
static struct tabs lay_out_screens(const struct tp_app *app)
{
	enum { WIDE = 4, NARROW = 2 };
	struct tabs tabs;
	for (int padding = WIDE; padding >= NARROW; padding -= NARROW / 2) {
		int at = 0;
		tabs.n = 0;
		for (int i = 0; i < TP_SCREEN_COUNT; i++) {
			const struct tp_screen_row *row = &tp_screen_rows[i];
			if (row->place != tp_screen_rows[app->screen].place ||
			    (i != (int)app->screen && !tp_app_offers(app, (enum tp_screen_id)i)))
				continue;
			int end = at + (int)strlen(row->title) + padding;
			tabs.all[tabs.n++] = (struct tab){ i, at, end };
			at = end;
		}
		if (at <= app->term.columns)
			break;
	}
	return tabs;
}

static int tab_at(const struct tabs *tabs, int column)
{
	for (size_t i = 0; i < tabs->n; i++)
		if (column >= tabs->all[i].from && column < tabs->all[i].end)
			return tabs->all[i].id;
	return -1;
}

static void paint_places(struct tp_app *app)
{
	struct tp_area head = tp_area_rows(whole(app), 0, 1);
	const struct tabs tabs = lay_out_places();
	tp_paint_clear(head, TP_UI_TAB);
	for (size_t i = 0; i < tabs.n; i++)
		tp_paint_format(head, 0, tabs.all[i].from,
				tabs.all[i].id == (int)tp_screen_rows[app->screen].place
					? TP_UI_TAB_ON
					: TP_UI_TAB,
				" %s %s ", tp_place_rows[i].key, tp_place_rows[i].title);
	int from = tabs.all[tabs.n - 1].end + 1;
	tp_running_paint(app, tp_area_columns(head, from, head.columns - from));
}

static void paint_screens(struct tp_app *app)
{
	struct tp_area row = tp_area_rows(whole(app), 1, 1);
	const struct tabs tabs = lay_out_screens(app);
	for (size_t i = 0; i < tabs.n; i++) {
		const struct tab *tab = &tabs.all[i];
		const char *title = tp_screen_rows[tab->id].title;
		int at = tab->from + (tab->end - tab->from - (int)strlen(title)) / 2;
		bool on = tab->id == (int)app->screen;
		/* The keys [ and ] walk them. */
		tp_paint_format(row, 0, at - on, on ? TP_UI_TITLE : TP_UI_DIM, on ? "[%s]" : "%s",
				title);
	}
}

/* What lies over the shown screen, and how many parts it has. */
static enum tp_over frame_over(const struct tp_app *app)
{
	const struct tp_screen *screen = app->screens[app->screen];
	enum tp_over over =
		screen->over ? screen->over(app, app->state[app->screen]) : TP_OVER_NOTHING;
	if (app->palette.open)
		return TP_OVER_LIST;
	if (app->line_box.open)
		return TP_OVER_FIELD;
	return over == TP_OVER_NOTHING && app->part > 0 ? TP_OVER_VIEW : over;
}

static int frame_parts(const struct tp_app *app)
{
	const struct tp_screen *screen = app->screens[app->screen];
	return screen->parts ? screen->parts(app, app->state[app->screen]) : 1;
}

/* --- the footer --- */

/* On the screen of runs these keys belong to a comparison. */
static bool is_of_comparison(size_t action)
{
	return action == TP_ACTION_NEXT_PICTURE || action == TP_ACTION_REPORT ||
	       action == TP_ACTION_ACROSS;
}

/* Over every screen, and the last ones of the footer. */
static bool is_last(size_t action)
{
	return action == TP_ACTION_WHOLE || action == TP_ACTION_HELP || action == TP_ACTION_CLOSE;
}

/* What does nothing now, which the footer and the palette leave out. */
static bool is_idle_action(const struct tp_app *app, size_t action)
{
	struct tp_offer offers[TP_OFFERS_MAX];
	enum tp_over over = frame_over(app);
	if (!(tp_action_table[action].screens & 1u << app->screen) ||
	    (!is_last(action) &&
	     (over == TP_OVER_TEXT || (app->screen == TP_SCREEN_RUNS &&
				       is_of_comparison(action) != (over == TP_OVER_PICTURES)))))
		return true;
	switch (action) {
	case TP_ACTION_ADOPT:
		return !tp_offers(&app->session, tp_found_run(&app->found), offers);
	case TP_ACTION_NEXT_SCREEN:
		return tp_keys_head_rows(app->screen) < 2;
	case TP_ACTION_NEXT_PART:
		return frame_parts(app) < 2;
	case TP_ACTION_WHOLE:
		return !app->cuts.n;
	case TP_ACTION_BACK:
		return true; /* where it does something, `q` stands for it */
	case TP_ACTION_FASTER:
	case TP_ACTION_SLOWER:
		return !app->live.replay || !tp_live_is_under_way(&app->live);
	case TP_ACTION_PAUSE:
	case TP_ACTION_SKIP:
	case TP_ACTION_STOP:
		return !tp_live_is_under_way(&app->live);
	default:
		return false;
	}
}

/* The hints of the footer from left to right. */
struct hints {
	struct hint {
		enum tp_action action;
		uint32_t code; /* of a key that is heard instead of the action; 0: none */
		char key[16];
		const char *words;
		int from, end;
	} all[TP_ACTION_COUNT];
	size_t n;
};

/* At a column; returns the next one's. */
static int add_hint(struct hints *hints, const char *key, const char *words, int at)
{
	struct hint *hint = &hints->all[hints->n++];
	*hint = (struct hint){ .words = words, .from = at };
	tp_copy(hint->key, sizeof(hint->key), key);
	hint->end = at + (int)strlen(key) + 1 + (int)strlen(words);
	return hint->end + 2;
}

static int add_key(struct hints *hints, const char *key, uint32_t code, const char *words, int at)
{
	at = add_hint(hints, key, words, at);
	hints->all[hints->n - 1].code = code;
	return at;
}

/* As many keys of the screen as fit, and always help and quit; over it only what answers a question
 * or closes a box. */
static void lay_out_hints(const struct tp_app *app, struct hints *hints)
{
	enum { LAST_ROOM = 16, WHOLE_ROOM = 8 };
	enum tp_over over = frame_over(app);
	bool cut = !is_idle_action(app, TP_ACTION_WHOLE);
	int at = 1, end = app->term.columns - LAST_ROOM - (cut ? WHOLE_ROOM : 0);
	const char *back = tp_action_table[TP_ACTION_BACK].label;
	hints->n = 0;
	if (app->question) {
		at = app->asked.read ? add_key(hints, "y", 'y', app->question->yes, at)
				     : add_key(hints, "PgDn", TP_KEY_PAGE_DOWN, "the rest", at);
		add_key(hints, "n", 'n', app->question->no, at);
		return;
	}
	if (over >= TP_OVER_BOX || app->whole.open) {
		bool takes = over != TP_OVER_BOX && !app->whole.open;
		if (takes)
			at = add_key(hints, "Enter", TP_KEY_ENTER, "take", at);
		if (takes && over == TP_OVER_MARKS)
			at = add_key(hints, "Space", ' ', "mark", at);
		add_key(hints, "Esc", TP_KEY_ESCAPE, back, at);
		return;
	}
	for (size_t a = 1; a < TP_ACTION_COUNT; a++) {
		const struct tp_action_row *row = &tp_action_table[a];
		bool last = is_last(a);
		const char *words = row->label;
		char key[16];
		if (!row->label[0] || is_idle_action(app, a))
			continue;
		tp_keys_name(row->id, key, sizeof(key));
		if (!last && at + (int)strlen(key) + (int)strlen(row->label) + 3 > end)
			continue;
		if (a == TP_ACTION_CLOSE && over != TP_OVER_NOTHING)
			words = back;
		if (a == TP_ACTION_HELP)
			at = TP_MAX(at, app->term.columns - LAST_ROOM);
		else if (a == TP_ACTION_WHOLE)
			at = TP_MAX(at, end);
		at = add_hint(hints, key, words, at);
		hints->all[hints->n - 1].action = row->id;
	}
}

/* --- the line above it, which grows upwards where the text is long --- */

enum { WORDS_AT = 1, WORDS_MAX = 768 };

static void paint_words(struct tp_app *app)
{
	char text[WORDS_MAX];
	enum tp_role role = TP_UI_DIM;
	bool says = app->message[0];
	if (says) {
		tp_copy(text, sizeof(text), app->message);
		role = app->message_role;
	} else if (!app->whole.open && !app->question && !app->palette.open) {
		tp_cuts_line(&app->cuts, text, sizeof(text));
	} else {
		text[0] = '\0';
	}
	struct tp_area all = whole(app);
	int room = all.columns - 2 * WORDS_AT, rows = 1;
	const char *next = text;
	/* What a user has to read is never cut; the text of a row has a key for the rest. */
	if (says && (int)tp_cell_columns(text) > room)
		for (rows = 0; *next; rows++)
			tp_text_line(next, (size_t)room, &next);
	rows = TP_MIN(rows, all.rows / 2);
	struct tp_area line = tp_area_rows(all, all.rows - FOOT_ROWS + 1 - rows, rows);
	tp_paint_clear(line, TP_UI_PLAIN);
	line = tp_area_columns(line, WORDS_AT, room);
	app->term.cuts = NULL; /* texts cut here are kept already */
	if (rows > 1)
		tp_paint_wrapped(line, 0, 0, role, text);
	else
		tp_paint_text(line, 0, 0, role, text);
	app->term.cuts = &app->cuts;
}

/* Paints the frame and the screen in it, or the minimum size if the terminal is too small. */
static void frame_paint(struct tp_app *app)
{
	tp_term_begin(&app->term);
	tp_paint_clear(whole(app), TP_UI_PLAIN);
	if (app->term.columns < TP_TERM_COLUMNS_MIN || app->term.rows < TP_TERM_ROWS_MIN) {
		const struct tp_live *live = &app->live;
		char words[160];
		int n = snprintf(words, sizeof(words), "tprof needs %dx%d cells; here are %dx%d.",
				 TP_TERM_COLUMNS_MIN, TP_TERM_ROWS_MIN, app->term.columns,
				 app->term.rows);

		if (live->state == TP_LIVE_RUNNING && !live->replay)
			snprintf(words + n, sizeof(words) - (size_t)n,
				 " Measuring goes on: %u of %u points.", live->n_done,
				 live->n_points);
		tp_paint_wrapped(whole(app), 0, 0, TP_UI_WARN, words);
	} else {
		app->part = TP_MIN(app->part, frame_parts(app) - 1);
		paint_places(app);
		if (tp_keys_head_rows(app->screen) > 1)
			paint_screens(app);
		app->screens[app->screen]->draw(app, app->state[app->screen], tp_app_body(app));
		if (app->whole.open)
			tp_whole_paint(&app->whole, tp_app_body(app));
		if (app->palette.open)
			tp_picker_paint(&app->palette.picker, tp_app_body(app));
		if (app->line_box.open)
			tp_path_box_paint(&app->line_box, tp_app_body(app));
		if (app->question)
			tp_asked_paint(app, tp_app_body(app));
		struct hints hints;
		struct tp_area bar = tp_area_rows(whole(app), app->term.rows - 1, 1);
		paint_words(app);
		lay_out_hints(app, &hints);
		tp_paint_clear(bar, TP_UI_BAR);
		for (size_t i = 0; i < hints.n; i++) {
			const struct hint *hint = &hints.all[i];
			tp_paint_text(bar, 0, hint->from, TP_UI_BAR_KEY, hint->key);
			tp_paint_text(bar, 0, hint->from + (int)strlen(hint->key) + 1, TP_UI_BAR,
				      hint->words);
		}
	}
	app->dirty = false;
}

/* Two presses of a place within this time are a double click. */
#define DOUBLE_SECONDS 0.5

/* --- keys --- */

static void quit_now(struct tp_app *app)
{
	tp_live_stop(&app->live);
	app->quit = true;
}

static const struct tp_yes_no ask_quit = { "Quit?", "stop and quit", "go on", quit_now, NULL };
static const struct tp_yes_no ask_quit_after = { "Quit?", "quit", "stay", quit_now, NULL };

static void quit(struct tp_app *app)
{
	if (tp_app_is_measuring(app))
		tp_app_ask(app, &ask_quit, "A run is under way. What was measured is saved.");
	else
		app->quit = true;
}

static void act(struct tp_app *app, enum tp_action action)
{
	const struct tp_screen *screen = app->screens[app->screen];
	void *state = app->state[app->screen];
	app->dirty = true;
	if (action == TP_ACTION_PALETTE) {
		tp_palette_open(app, is_idle_action);
		return;
	}
	/* A view of a screen is left by q as by Esc. */
	enum tp_over over = frame_over(app);
	if (action == TP_ACTION_CLOSE &&
	    (over == TP_OVER_VIEW || over == TP_OVER_TEXT || over == TP_OVER_PICTURES))
		action = TP_ACTION_BACK;
	if (action == TP_ACTION_NONE || (screen->act && screen->act(app, state, action)) ||
	    tp_control_act(app, action))
		return;
	if (tp_action_table[action].go < TP_PLACE_COUNT) {
		tp_app_go_place(app, tp_action_table[action].go);
		return;
	}
	switch (action) {
	case TP_ACTION_COMPARE_RESULT:
		tp_app_go(app, TP_SCREEN_RUNS);
		app->screens[app->screen]->act(app, app->state[app->screen], TP_ACTION_COMPARE);
		break;
	case TP_ACTION_NEXT_SCREEN:
	case TP_ACTION_PREVIOUS_SCREEN:
		tp_app_next(app, action == TP_ACTION_NEXT_SCREEN);
		break;
	case TP_ACTION_NEXT_PART:
	case TP_ACTION_PREVIOUS_PART:
		/* The parts of a screen one after the other, and then the next screen of the place.
		 */
		bool forward = action == TP_ACTION_NEXT_PART;
		int part = app->part + (forward ? 1 : -1);
		if (part >= 0 && part < frame_parts(app))
			app->part = part;
		else
			tp_app_next(app, forward);
		break;
	case TP_ACTION_HELP:
		tp_app_go(app, app->screen == TP_SCREEN_HELP ? app->before_help : TP_SCREEN_HELP);
		break;
	case TP_ACTION_BACK:
		/* Leaves what lies over the screen: a part of it, the help. */
		if (app->screen == TP_SCREEN_HELP)
			tp_app_go(app, app->before_help);
		else
			app->part = 0;
		break;
	case TP_ACTION_WHOLE:
		if (!tp_whole_open(&app->whole, &app->term))
			tp_app_say(app, TP_UI_PLAIN, "everything here is shown in full");
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

/* A character of a paste goes into the text field that is open, if any, and is never a key. */
static void take_text(struct tp_app *app, uint32_t code)
{
	const struct tp_screen *screen = app->screens[app->screen];
	enum tp_over over = frame_over(app);
	if (!app->question && !app->whole.open && (app->palette.open || app->line_box.open)) {
		if (app->palette.open)
			tp_palette_key(app, code);
		else
			tp_line_key(app, code);
		app->dirty = true;
		return;
	}
	if (app->question || app->whole.open || (over >= TP_OVER_TEXT && over < TP_OVER_FIELD) ||
	    !screen->type)
		return;
	app->pasting = true;
	screen->type(app, app->state[app->screen], code);
	app->pasting = false;
	app->dirty = true;
}

static void take_key(struct tp_app *app, uint32_t code)
{
	const struct tp_screen *screen = app->screens[app->screen];
	app->dirty = true;
	if (app->question) {
		/* A second Ctrl-C is meant. */
		bool again = code == CONTROL_C && app->question->agreed == quit_now;
		bool yes = code == 'y' || code == 'Y';
		const char *declined = app->question->declined;
		if (again || (yes && app->asked.read))
			tp_asked_answer(app, true);
		else if (code == 'n' || code == 'N' || code == TP_KEY_ESCAPE || code == 'q') {
			tp_asked_answer(app, false);
			if (declined)
				tp_app_say(app, TP_UI_PLAIN, "%s", declined);
		} else
			tp_list_scroll(&app->asked.doc.list, tp_keys_action(TP_SCREEN_COUNT, code));
		return;
	}
	app->message[0] = '\0';
	if (app->whole.open) { /* keys scroll it or close it */
		app->whole.open =
			tp_list_scroll(&app->whole.doc.list, tp_keys_action(TP_SCREEN_COUNT, code));
		if (app->whole.open || code != CONTROL_C)
			return;
	}
	if (app->palette.open && code != CONTROL_C) {
		act(app, tp_palette_key(app, code));
		return;
	}
	if (app->line_box.open && code != CONTROL_C) {
		tp_line_key(app, code);
		return;
	}
	if (screen->type && screen->type(app, app->state[app->screen], code))
		return;
	act(app, tp_keys_action(app->screen, code));
}

/* --- the mouse --- */

/*
 * Whether this press is the second of a double click. If the first press changed the screen, it
 * does not count, and *lost is set: the new thing there was not meant.
 */
static bool is_second(struct tp_app *app, const struct tp_input *input, bool *lost)
{
	double now = tp_now_seconds();
	bool again = app->pressed.row == input->row && app->pressed.column == input->column &&
		     now - app->pressed.at < DOUBLE_SECONDS;
	bool second = input->twice || again;
	*lost = again && app->pressed.moved;
	app->pressed.row = input->row;
	app->pressed.column = input->column;
	app->pressed.at = second ? 0 : now;
	app->pressed.moved = false;
	return second && !*lost;
}

/* A hint of the footer does what its key does. */
static void press_hint(struct tp_app *app, int column)
{
	struct hints hints;
	lay_out_hints(app, &hints);
	for (size_t i = 0; i < hints.n; i++) {
		const struct hint *hint = &hints.all[i];
		if (column < hint->from || column >= hint->end)
			continue;
		if (hint->code)
			take_key(app, hint->code);
		else
			act(app, hint->action);
	}
}

static void press(struct tp_app *app, const struct tp_input *input)
{
	const struct tp_screen *screen = app->screens[app->screen];
	if (input->row < tp_keys_head_rows(app->screen) && input->mouse == TP_MOUSE_PRESS) {
		const struct tabs tabs = input->row ? lay_out_screens(app) : lay_out_places();
		int id = tab_at(&tabs, input->column);
		if (id >= 0 && input->row)
			tp_app_go(app, (enum tp_screen_id)id);
		else if (id >= 0)
			tp_app_go_place(app, (enum tp_place_id)id);
	} else if (input->row == app->term.rows - 1 && input->mouse == TP_MOUSE_PRESS) {
		press_hint(app, input->column);
	} else if (screen->mouse && tp_area_holds(tp_app_body(app), input->row, input->column)) {
		screen->mouse(app, app->state[app->screen], input);
	}
}

static void take_mouse(struct tp_app *app, struct tp_input *input)
{
	enum tp_screen_id screen = app->screen;
	const struct tp_screen *shown = app->screens[screen];
	enum tp_over over = frame_over(app);
	bool lost = false;
	if (input->mouse == TP_MOUSE_RELEASE) {
		if (shown->drop && !app->question && !app->whole.open && !app->palette.open &&
		    !app->line_box.open)
			shown->drop(app, app->state[screen], input);
		return;
	}
	app->dirty = true;
	if (input->mouse == TP_MOUSE_PRESS)
		input->twice = is_second(app, input, &lost);
	if (lost)
		return;
	if (app->question) {
		if (input->mouse != TP_MOUSE_PRESS)
			tp_list_wheel(&app->asked.doc.list, tp_list_wheel_rows(input));
		else if (input->row == app->term.rows - 1)
			press_hint(app, input->column);
		return;
	}
	if (app->whole.open) {
		/* The wheel scrolls it, a press closes it. */
		if (input->mouse == TP_MOUSE_PRESS)
			app->whole.open = false;
		else
			tp_list_wheel(&app->whole.doc.list, tp_list_wheel_rows(input));
	} else if (app->palette.open) {
		act(app, tp_palette_mouse(app, tp_app_body(app), input));
	} else if (!app->line_box.open || input->row == app->term.rows - 1) {
		press(app, input);
	}
	app->pressed.moved = app->screen != screen || frame_over(app) != over;
}

/*
 * Takes what has arrived, but not more than a few hundred keys at once: the rest of the loop goes
 * on while a large file is pasted. `stale`: the screen has changed since it was painted. On a slow
 * line it is painted before the key is taken, so that the changes by the key are known and go
 * first.
 */
static void input_take(struct tp_app *app, bool stale)
{
	enum { MOST = 256 };
	struct tp_input input;
	for (int i = 0; i < MOST && !app->quit; i++) {
		tp_term_input(&app->term, &input);
		if (stale && i == 0 && input.kind != TP_INPUT_NONE && tp_term_is_busy())
			frame_paint(app);
		switch (input.kind) {
		case TP_INPUT_NONE:
			return;
		case TP_INPUT_KEY:
			take_key(app, input.code);
			break;
		case TP_INPUT_TEXT:
			take_text(app, input.code);
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

static const struct tp_screen *const screens[TP_SCREEN_COUNT] = {
#define SCREEN_ROW(id, name, ...) [TP_SCREEN_##id] = &tp_screen_##name,
	TP_SCREEN_LIST(SCREEN_ROW)
#undef SCREEN_ROW
};

/* A run is painted at most four times a second, the effect of a key at once. */
#define LIVE_PAINT_SECONDS 0.24
/*
 * The screen is painted when the engine waits for it (live.h). An engine that pauses, allocates or
 * stops never waits: then the screen is painted after this time.
 */
#define PATIENCE_SECONDS   0.6
#define WORK_PAINT_SECONDS 0.05

/* --- the loop --- */

/*
 * `next_paint`: when the screen may be painted if it is dirty; `most`: seconds that it waits at
 * most; `engine`: what a run that is measured waits for, -1 = none.
 */
static void wait_for_news(struct tp_app *app, double next_paint, double most, int engine)
{
	struct pollfd fds[] = { { .fd = STDIN_FILENO, .events = POLLIN },
				{ .fd = app->term.signals, .events = POLLIN },
				{ .fd = engine, .events = POLLIN } };
	double now = tp_now_seconds(), wait = fmin(most, tp_term_due() - now);
	double due = tp_live_due(&app->live, now);
	if (due >= 0)
		wait = fmin(wait, due);
	if (app->dirty)
		wait = fmin(wait, next_paint - now);
	if (app->message[0])
		wait = fmin(wait, app->message_until - now);
	int ms = isfinite(wait) ? (int)(fmax(wait, 0) * 1000 + 0.999) : -1;
	if (poll(fds, TP_COUNT_OF(fds), ms) > 0 &&
	    fds[0].revents & (POLLHUP | POLLERR | POLLNVAL)) {
		tp_live_stop(&app->live);
		app->quit = true; /* the terminal has gone */
		app->exit_code = TP_EXIT_INTERRUPTED;
	}
}

/* When a change of the run may be painted; on a slow line not before the last one has arrived. */
static double paint_due(const struct tp_app *app, double painted, double pace)
{
	bool wait = tp_app_is_measuring(app) && !app->live.moment;
	return tp_term_is_busy() ? INFINITY
				 : painted + (wait ? fmax(pace, PATIENCE_SECONDS) : pace);
}

/* When a run that was started here has ended, its results open for a user who watches it. */
static void show_results(struct tp_app *app)
{
	const struct tp_screen *screen = app->screens[app->screen];
	if (!app->watched || app->live.state != TP_LIVE_DONE)
		return;
	app->watched = false;
	bool watches = app->screen == TP_SCREEN_RUN && !app->question && !app->whole.open &&
		       screen->over(app, app->state[app->screen]) == TP_OVER_NOTHING;
	/* Failures are shown next to the points. */
	if (watches && strcmp(app->live.run.state, "complete") == 0 &&
	    app->live.exit_code != TP_EXIT_RESOURCE && app->live.exit_code != TP_EXIT_FAILED)
		tp_app_go(app, tp_shown_screen(&app->live.run));
}

/* Hears, works, paints and waits once. `engine` and `most`: as of wait_for_news. */
static void step(struct tp_app *app, int engine, double most)
{
	bool was_dirty = app->dirty;
	app->dirty = !app->painted;
	input_take(app, was_dirty);
	bool by_hand = app->dirty;
	app->dirty |= was_dirty;
	double now = tp_now_seconds();
	if (tp_live_take(&app->live, now)) {
		tp_app_tell_news(app);
		show_results(app);
	}
	app->dirty |= tp_live_tick(&app->live, now);
	/* A question about a run that has ended has another meaning now. */
	if (app->question == &ask_quit && !tp_app_is_measuring(app))
		tp_app_ask(app, &ask_quit_after, "The run has ended.");
	if (app->message[0] && now > app->message_until) {
		app->message[0] = '\0';
		app->dirty = by_hand = true;
	}
	const struct tp_screen *screen = app->screens[app->screen];
	if (app->live.moment && screen->lull)
		screen->lull(app, app->state[app->screen]);
	bool paint = app->dirty && (by_hand || now >= paint_due(app, app->painted, app->pace));
	if (paint) {
		frame_paint(app);
		app->painted = tp_now_seconds();
		app->pace = LIVE_PAINT_SECONDS;
	}
	tp_term_show(&app->term);
	if (paint || app->live.moment)
		tp_live_painted(&app->live);
	if (app->quit || (app->live.waits && engine < 0))
		return;
	was_dirty = app->dirty;
	/* The shown screen reads or computes for a while. */
	screen = app->screens[app->screen];
	if (screen->work)
		most = fmin(most, screen->work(app, app->state[app->screen]));
	if (app->dirty && !was_dirty)
		app->pace = WORK_PAINT_SECONDS;
	wait_for_news(app, paint_due(app, app->painted, app->pace), most, engine);
}

/* While a run is measured. What it still writes after the screens is waited for. */
static void wait_for_engine(void *context, int engine, int ms)
{
	struct tp_app *app = context;
	if (!app->quit)
		step(app, engine, ms * 1e-3);
	else
		poll(&(struct pollfd){ .fd = engine, .events = POLLIN }, 1, ms);
}

static void loop(struct tp_app *app)
{
	app->dirty = true;
	app->pace = LIVE_PAINT_SECONDS;
	while (!app->quit) {
		step(app, -1, INFINITY);
		if (app->live.waits)
			tp_live_measure(&app->live, wait_for_engine, app);
	}
}

/* The font of the Linux console has no Braille. */
static enum tp_plot_glyphs first_glyphs(const struct tp_term *term)
{
	const char *name = getenv("TERM");
	if (!term->utf8)
		return TP_GLYPHS_ASCII;
	return name && strcmp(name, "linux") == 0 ? TP_GLYPHS_BLOCK : TP_GLYPHS_BRAILLE;
}

static int run_screens(struct tp_app *app, const struct tp_tui_options *options)
{
	struct tp_diag diag = { 0 };
	struct tp_look look;
	char path[TP_PATH_MAX];
	tp_live_init(&app->live);
	/* Setup shows why something cannot be planned. */
	struct tp_diags diags = { 0 };
	enum tp_status status =
		tp_session_open(&app->session, &options->overrides, NULL, false, &diags);
	tp_complain_all(&diags);
	tp_diags_release(&diags);
	if (status != TP_OK)
		goto out;
	status = tp_session_machine(&app->session, &diag);
	if (status != TP_OK) {
		tp_complain(&diag);
		goto out;
	}
	if (options->replay)
		status = tp_run_find(options->replay, path, &diag);
	if (status == TP_OK)
		tp_look_init(&look, &options->look, STDOUT_FILENO);
	if (status == TP_OK)
		status = tp_term_open(&app->term, look.colour, options->look.ascii,
				      !options->no_mouse, &diag);
	if (status != TP_OK) {
		tp_complain(&diag);
		goto out;
	}
	app->term.cuts = &app->cuts;
	tp_theme_start(&app->term);
	app->glyphs = first_glyphs(&app->term);
	for (size_t i = 0; i < TP_SCREEN_COUNT; i++) {
		app->state[i] = tp_alloc(1, app->screens[i]->state_bytes);
		if (app->screens[i]->open)
			app->screens[i]->open(app, app->state[i]);
	}
	if (options->replay) {
		status = tp_live_replay(&app->live, path, options->speed, &diag);
		app->screen = TP_SCREEN_RUN;
	}
	if (status == TP_OK) {
		tp_app_go(app, app->screen);
		loop(app);
	}
	tp_term_close(&app->term);
	if (status != TP_OK)
		tp_complain(&diag);
	if (app->live.state != TP_LIVE_NONE && !app->live.replay && app->live.directory[0])
		tp_control_tell_end(app);
out:
	for (size_t i = 0; i < TP_SCREEN_COUNT; i++) {
		if (app->state[i] && app->screens[i]->close)
			app->screens[i]->close(app->state[i]);
		free(app->state[i]);
	}
	tp_live_release(&app->live);
	for (size_t i = 0; i < app->n_runs; i++)
		tp_run_release(&app->runs[i].run);
	tp_diags_release(&app->problems);
	tp_consent_release(&app->asking.acts);
	tp_doc_release(&app->whole.doc);
	tp_doc_release(&app->asked.doc);
	tp_str_release(&app->asked.words);
	tp_palette_release(&app->palette);
	tp_found_release(&app->found);
	tp_session_close(&app->session);
	return status == TP_OK ? app->exit_code : (int)tp_status_exit(status);
}

#define SHOWN_DECLARE(name) extern const struct tp_shown tp_shown_##name;
TP_EXPERIMENT_LIST(SHOWN_DECLARE)
#undef SHOWN_DECLARE
#define SHOWN_ROW(name) &tp_shown_##name,
static const struct tp_shown *const shown[] = { TP_EXPERIMENT_LIST(SHOWN_ROW) NULL };
#undef SHOWN_ROW

int tp_tui_main(const struct tp_tui_options *options)
{
	/* Not on the stack, which may be small. */
	TP_FREE struct tp_app *app = tp_alloc(1, sizeof(*app));
	tp_shown_use(shown);
	app->options = options;
	app->screens = screens;
	for (int i = TP_SCREEN_COUNT; i-- > 0;)
		app->last[tp_screen_rows[i].place] = (enum tp_screen_id)i;
	/* What the command line sets up is shown on Setup. */
	app->screen = options->overrides.n ? TP_SCREEN_SETUP : TP_SCREEN_HOME;
	return run_screens(app, options);
}
