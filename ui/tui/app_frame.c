/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/app_frame.h"
#include "ui/tui/screen.h"
#include "base/vec.h"

#include <stdio.h>
#include <string.h>

enum { HEAD_ROWS = 1, FOOT_ROWS = 2 };

static struct tp_area whole(const struct tp_app *app)
{
	return (struct tp_area){ .term = &app->term,
				 .rows = app->term.rows,
				 .columns = app->term.columns };
}

struct tp_area tp_frame_body(const struct tp_app *app)
{
	return tp_area_rows(whole(app), HEAD_ROWS, app->term.rows - HEAD_ROWS - FOOT_ROWS);
}

/*
 * The row of screens: " tprof  1 Machine  2 Setup ..."; where there is little room, without the program's name and with one blank
 * between names; with even less, only the screen that is shown has its whole name. Where each name stands is needed by the mouse too.
 */
enum { NAME_COLUMNS = 8, WIDE_PADDING = 4, NARROW_PADDING = 3, SHORT_NAME = 5, STATE_ROOM = 6 };

struct tabs {
	int at, padding; /* of the first; digit and blanks beside a name */
	bool short_names;
};

static struct tabs lay_out_tabs(const struct tp_app *app)
{
	int names = 0;
	for (int i = 0; i < TP_SCREEN_HELP; i++)
		names += (int)strlen(tp_screen_table[i]->name);
	if (NAME_COLUMNS + names + TP_SCREEN_HELP * WIDE_PADDING <= app->term.columns)
		return (struct tabs){ NAME_COLUMNS, WIDE_PADDING, false };
	bool tight = names + TP_SCREEN_HELP * NARROW_PADDING + STATE_ROOM > app->term.columns;
	return (struct tabs){ 0, NARROW_PADDING, tight };
}

static int name_columns(const struct tp_app *app, const struct tabs *tabs, int screen)
{
	int n = (int)strlen(tp_screen_table[screen]->name);
	return tabs->short_names && screen != (int)app->screen ? TP_MIN(n, (int)SHORT_NAME) : n;
}

static int tab_at(const struct tp_app *app, enum tp_screen_id screen, int *columns)
{
	const struct tabs tabs = lay_out_tabs(app);
	int at = tabs.at;
	for (int i = 0; i < TP_SCREEN_HELP; i++) {
		int n = name_columns(app, &tabs, i) + tabs.padding;
		if (i == (int)screen) {
			*columns = n;
			return at;
		}
		at += n;
	}
	*columns = 0;
	return at;
}

enum tp_screen_id tp_frame_screen_at(const struct tp_app *app, int column)
{
	for (int i = 0; i < TP_SCREEN_HELP; i++) {
		int columns, at = tab_at(app, (enum tp_screen_id)i, &columns);
		if (column >= at && column < at + columns)
			return (enum tp_screen_id)i;
	}
	return TP_SCREEN_COUNT;
}

static void paint_head(struct tp_app *app)
{
	struct tp_area head = tp_area_rows(whole(app), 0, HEAD_ROWS);
	const struct tabs tabs = lay_out_tabs(app);
	tp_paint_clear(head, TP_UI_TAB);
	if (tabs.at > 0)
		tp_paint_text(head, 0, 1, TP_UI_BAR_KEY, "tprof");
	for (int i = 0; i < TP_SCREEN_HELP; i++) {
		int columns, at = tab_at(app, (enum tp_screen_id)i, &columns);
		tp_paint_format(head, 0, at + 1, TP_UI_TAB, "%d %.*s", i + 1,
				name_columns(app, &tabs, i), tp_screen_table[i]->name);
	}
	if (app->screen < TP_SCREEN_HELP) {
		int columns, at = tab_at(app, app->screen, &columns);
		tp_paint_format(head, 0, at, TP_UI_TAB_ON, " %d %s ", app->screen + 1,
				tp_screen_table[app->screen]->name);
	}
	char state[96] = "";
	const struct tp_live *live = &app->live;
	if (live->state == TP_LIVE_RUNNING || live->state == TP_LIVE_STOPPING ||
	    live->state == TP_LIVE_PAUSED)
		snprintf(state, sizeof(state), "%s %u/%u ",
			 live->state == TP_LIVE_PAUSED	   ? "paused"
			 : live->state == TP_LIVE_STOPPING ? "stopping"
			 : live->replay			   ? "replay"
							   : "measuring",
			 live->n_done, live->n_points);
	/* Where it would cover the screens' names the count alone has to do. */
	int columns, room = head.columns - tab_at(app, TP_SCREEN_HELP, &columns);
	if ((int)strlen(state) > room && *state)
		snprintf(state, sizeof(state), "%u/%u ", live->n_done, live->n_points);
	if ((int)strlen(state) <= room)
		tp_paint_right(head, 0, head.columns, TP_UI_BAR_KEY, state);
}

/* What needs a run under way is not offered without one. */
static bool is_idle_action(const struct tp_app *app, size_t action)
{
	const struct tp_live *live = &app->live;
	bool under_way = live->state == TP_LIVE_RUNNING || live->state == TP_LIVE_PAUSED ||
			 live->state == TP_LIVE_STOPPING;
	return !under_way &&
	       (action == TP_ACTION_PAUSE || action == TP_ACTION_SKIP || action == TP_ACTION_STOP);
}

/* Keys of the screen, from the table, as many as fit; quit and help always. */
static void paint_foot(struct tp_app *app)
{
	struct tp_area foot = tp_area_rows(whole(app), app->term.rows - FOOT_ROWS, FOOT_ROWS);
	tp_paint_clear(tp_area_rows(foot, 0, 1), TP_UI_PLAIN);
	if (app->question)
		tp_paint_format(foot, 0, 1, TP_UI_WARN, "%s (y/n)", app->question);
	else if (app->message[0])
		tp_paint_text(foot, 0, 1, app->message_role, app->message);
	struct tp_area bar = tp_area_rows(foot, 1, 1);
	tp_paint_clear(bar, TP_UI_BAR);
	int at = 1, end = bar.columns - 18;
	for (size_t a = 1; a < TP_ACTION_COUNT; a++) {
		const struct tp_action_row *row = &tp_action_table[a];
		char key[16];
		bool last = a == TP_ACTION_HELP || a == TP_ACTION_QUIT;
		if (!row->label[0] || !(row->screens & 1u << app->screen) || is_idle_action(app, a))
			continue;
		tp_keys_name(row->id, key, sizeof(key));
		if (a == TP_ACTION_HELP)
			at = TP_MAX(at, end);
		if (!last && at + (int)strlen(key) + (int)strlen(row->label) + 3 > end)
			continue;
		at += tp_paint_text(bar, 0, at, TP_UI_BAR_KEY, key) + 1;
		at += tp_paint_text(bar, 0, at, TP_UI_BAR, row->label) + 2;
	}
}

/* Fits into very little, for it is seen when there is little. */
static void paint_too_small(struct tp_app *app)
{
	const struct tp_live *live = &app->live;
	char words[160];
	int n = snprintf(words, sizeof(words), "tprof needs %dx%d cells; here are %dx%d.",
			 TP_TERM_COLUMNS_MIN, TP_TERM_ROWS_MIN, app->term.columns, app->term.rows);
	if (live->state == TP_LIVE_RUNNING && !live->replay)
		snprintf(words + n, sizeof(words) - (size_t)n,
			 " Measuring goes on: %u of %u points.", live->n_done, live->n_points);
	tp_paint_wrapped(whole(app), 0, 0, TP_UI_WARN, words);
}

void tp_frame_paint(struct tp_app *app)
{
	tp_term_cursor(&app->term, -1, 0);
	tp_paint_clear(whole(app), TP_UI_PLAIN);
	if (app->term.columns < TP_TERM_COLUMNS_MIN || app->term.rows < TP_TERM_ROWS_MIN) {
		paint_too_small(app);
	} else {
		paint_head(app);
		paint_foot(app);
		tp_screen_table[app->screen]->draw(app, app->state[app->screen],
						   tp_frame_body(app));
	}
	tp_term_show(&app->term);
	tp_live_painted(&app->live);
	app->dirty = false;
}
