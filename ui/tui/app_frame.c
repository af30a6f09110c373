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
 * The tabs: " tprof 1 Machine 2 Setup ...". A narrow screen leaves out the name of the program; a
 * very narrow one shortens all titles but that of the shown screen.
 */
enum { NAME_COLUMNS = 8, WIDE_PADDING = 4, NARROW_PADDING = 3, SHORT_TITLE = 5, STATE_ROOM = 6 };

struct tabs {
	int at[TP_TAB_COUNT + 1]; /* the last: behind all of them */
	int columns[TP_TAB_COUNT]; /* of the title */
};

static struct tabs lay_out_tabs(const struct tp_app *app)
{
	struct tabs tabs;
	int titles = 0;
	for (int i = 0; i < TP_TAB_COUNT; i++)
		titles += (int)strlen(tp_screen_rows[i].title);
	bool wide = NAME_COLUMNS + titles + TP_TAB_COUNT * WIDE_PADDING <= app->term.columns;
	bool tight = titles + TP_TAB_COUNT * NARROW_PADDING + STATE_ROOM > app->term.columns;
	tabs.at[0] = wide ? NAME_COLUMNS : 0;
	for (int i = 0; i < TP_TAB_COUNT; i++) {
		int n = (int)strlen(tp_screen_rows[i].title);
		if (!wide && tight && i != (int)app->screen)
			n = TP_MIN(n, (int)SHORT_TITLE);
		tabs.columns[i] = n;
		tabs.at[i + 1] = tabs.at[i] + n + (wide ? WIDE_PADDING : NARROW_PADDING);
	}
	return tabs;
}

enum tp_screen_id tp_frame_screen_at(const struct tp_app *app, int column)
{
	const struct tabs tabs = lay_out_tabs(app);
	for (int i = 0; i < TP_TAB_COUNT; i++)
		if (column >= tabs.at[i] && column < tabs.at[i + 1])
			return (enum tp_screen_id)i;
	return TP_SCREEN_COUNT;
}

static void paint_head(struct tp_app *app)
{
	struct tp_area head = tp_area_rows(whole(app), 0, HEAD_ROWS);
	const struct tabs tabs = lay_out_tabs(app);
	tp_paint_clear(head, TP_UI_TAB);
	if (tabs.at[0] > 0)
		tp_paint_text(head, 0, 1, TP_UI_BAR_KEY, "tprof");
	for (int i = 0; i < TP_TAB_COUNT; i++)
		tp_paint_format(head, 0, tabs.at[i] + 1, TP_UI_TAB, "%s %.*s",
				tp_screen_rows[i].key, tabs.columns[i], tp_screen_rows[i].title);
	if (app->screen < TP_TAB_COUNT)
		tp_paint_format(head, 0, tabs.at[app->screen], TP_UI_TAB_ON, " %s %s ",
				tp_screen_rows[app->screen].key, tp_screen_rows[app->screen].title);
	const struct tp_live *live = &app->live;
	if (!tp_live_is_under_way(live))
		return;
	char state[96];
	snprintf(state, sizeof(state), "%s %u/%u ",
		 live->state == TP_LIVE_PAUSED	   ? "paused"
		 : live->state == TP_LIVE_STOPPING ? "stopping"
		 : live->replay			   ? "replay"
						   : "measuring",
		 live->n_done, live->n_points);
	/* Only the counts where the words would cover the tabs. */
	int room = head.columns - tabs.at[TP_TAB_COUNT];
	if ((int)strlen(state) > room)
		snprintf(state, sizeof(state), "%u/%u ", live->n_done, live->n_points);
	if ((int)strlen(state) <= room)
		tp_paint_right(head, 0, head.columns, TP_UI_BAR_KEY, state);
}

/* The footer leaves out actions on a live run while there is none, and offers where none is made.
 */
static bool is_idle_action(const struct tp_app *app, size_t action)
{
	struct tp_offer offers[TP_OFFERS_MAX];
	if (action == TP_ACTION_ADOPT)
		return !tp_offers(&app->session, tp_found_run(&app->found), offers);
	return !tp_live_is_under_way(&app->live) &&
	       (action == TP_ACTION_PAUSE || action == TP_ACTION_SKIP || action == TP_ACTION_STOP);
}

/* As many keys of the screen as fit, and always help and quit. */
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
