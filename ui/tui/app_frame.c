/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/app_frame.h"
#include "ui/tui/screen.h"
#include "ui/tui/shown.h"
#include "base/text.h"
#include "base/memory.h"

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
 * The tabs: " tprof 1 Machine 2 Setup ...". A narrow screen parts them by less, and leaves out the
 * name of the program; a narrower one also the tabs that have nothing to show of the run, and that
 * of nodes, whose keys work all the same; a very narrow one shortens all titles but that of the
 * shown screen. The state of a run has room behind them: in words, or at least its counts.
 */
enum {
	NAME_COLUMNS = 8,
	WIDE_PADDING = 4,
	NARROW_PADDING = 3,
	SHORT_TITLE_MOST = 5,
	SHORT_TITLE_LEAST = 2,
	COUNTS_ROOM = 6,
	WORDS_ROOM = 16
};

struct tabs {
	int at[TP_TAB_COUNT + 1]; /* the last: behind all of them */
	int columns[TP_TAB_COUNT]; /* of the title; 0 = the tab is left out */
};

/* Tabs with titles of at most `most` columns, but that of the shown screen. */
static struct tabs place_tabs(const struct tp_app *app, const bool *wanted, int from, int padding,
			      int most)
{
	struct tabs tabs = { .at = { from } };
	for (int i = 0; i < TP_TAB_COUNT; i++) {
		int n = (int)strlen(tp_screen_rows[i].title);
		tabs.columns[i] = !wanted[i] ? 0 : i == (int)app->screen ? n : TP_MIN(n, most);
		tabs.at[i + 1] = tabs.at[i] + (wanted[i] ? tabs.columns[i] + padding : 0);
	}
	return tabs;
}

/* The tabs of experiments that the run says nothing about step back where there is little room. */
static void leave_out_empty(const struct tp_app *app, bool *wanted)
{
	const struct tp_run *run = tp_app_run(app);
	for (int i = 0; i < TP_TAB_COUNT; i++)
		wanted[i] = !(TP_ON_EXPERIMENTS & 1u << i) || i == (int)app->screen ||
			    (run && tp_shown_finds((enum tp_screen_id)i, run));
}

static struct tabs lay_out_tabs(const struct tp_app *app)
{
	enum { WHOLE = 64 };
	const struct {
		int from, padding, room;
	} roomy[] = { { NAME_COLUMNS, WIDE_PADDING, WORDS_ROOM },
		      { NAME_COLUMNS, NARROW_PADDING, WORDS_ROOM },
		      { 0, NARROW_PADDING, COUNTS_ROOM } };
	bool wanted[TP_TAB_COUNT];
	struct tabs tabs;
	for (int i = 0; i < TP_TAB_COUNT; i++)
		wanted[i] = true;
	for (size_t i = 0; i < TP_COUNT_OF(roomy); i++) {
		tabs = place_tabs(app, wanted, roomy[i].from, roomy[i].padding, WHOLE);
		if (tabs.at[TP_TAB_COUNT] + roomy[i].room <= app->term.columns)
			return tabs;
	}
	leave_out_empty(app, wanted);
	tabs = place_tabs(app, wanted, 0, NARROW_PADDING, WHOLE);
	/* Then that of nodes, which few people have. */
	wanted[TP_SCREEN_CLUSTER] = app->screen == TP_SCREEN_CLUSTER;
	if (tabs.at[TP_TAB_COUNT] + COUNTS_ROOM > app->term.columns)
		tabs = place_tabs(app, wanted, 0, NARROW_PADDING, WHOLE);
	for (int most = SHORT_TITLE_MOST;
	     most >= SHORT_TITLE_LEAST && tabs.at[TP_TAB_COUNT] + COUNTS_ROOM > app->term.columns;
	     most--)
		tabs = place_tabs(app, wanted, 0, NARROW_PADDING, most);
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
		if (tabs.columns[i])
			tp_paint_format(head, 0, tabs.at[i] + 1, TP_UI_TAB, "%s %.*s",
					tp_screen_rows[i].key, tabs.columns[i],
					tp_screen_rows[i].title);
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

enum tp_over tp_frame_over(const struct tp_app *app)
{
	const struct tp_screen *screen = tp_screen_table[app->screen];
	enum tp_over over =
		screen->over ? screen->over(app, app->state[app->screen]) : TP_OVER_NOTHING;
	if (app->welcome.page)
		return TP_OVER_BOX;
	return over == TP_OVER_NOTHING && app->part > 0 ? TP_OVER_VIEW : over;
}

int tp_frame_parts(const struct tp_app *app)
{
	const struct tp_screen *screen = tp_screen_table[app->screen];
	return screen->parts ? screen->parts(app, app->state[app->screen], tp_frame_body(app)) : 1;
}

/* --- the footer --- */

/* It leaves out what does nothing now. */
static bool is_idle_action(const struct tp_app *app, size_t action)
{
	struct tp_offer offers[TP_OFFERS_MAX];
	switch (action) {
	case TP_ACTION_ADOPT:
		return !tp_offers(&app->session, tp_found_run(&app->found), offers);
	case TP_ACTION_NEXT_SCREEN:
		return tp_frame_parts(app) < 2;
	case TP_ACTION_WHOLE:
		return !app->cuts.n;
	case TP_ACTION_BACK:
		return true; /* where it does something, `q` stands for it */
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
		char key[16];
		const char *words;
		int from, end;
	} all[TP_ACTION_COUNT];
	size_t n;
};

static int add_hint(struct hints *hints, enum tp_action action, const char *words, int at)
{
	struct hint *hint = &hints->all[hints->n++];
	*hint = (struct hint){ .action = action, .words = words, .from = at };
	tp_keys_name(action, hint->key, sizeof(hint->key));
	hint->end = at + (int)strlen(hint->key) + 1 + (int)strlen(words);
	return hint->end + 2;
}

/* As many keys of the screen as fit, and always help and quit; over a box the key that closes it.
 */
static void lay_out_hints(const struct tp_app *app, struct hints *hints)
{
	enum { LAST_ROOM = 16, WHOLE_ROOM = 8 };
	enum tp_over over = tp_frame_over(app);
	bool cut = !is_idle_action(app, TP_ACTION_WHOLE);
	int at = 1, end = app->term.columns - LAST_ROOM - (cut ? WHOLE_ROOM : 0);
	hints->n = 0;
	if (over == TP_OVER_BOX || app->whole.open) {
		add_hint(hints, TP_ACTION_BACK, tp_action_table[TP_ACTION_BACK].label, at);
		return;
	}
	for (size_t a = 1; a < TP_ACTION_COUNT; a++) {
		const struct tp_action_row *row = &tp_action_table[a];
		bool last = a == TP_ACTION_WHOLE || a == TP_ACTION_HELP || a == TP_ACTION_CLOSE;
		const char *words = row->label;
		char key[16];
		if (!row->label[0] || !(row->screens & 1u << app->screen) ||
		    is_idle_action(app, a) || (over == TP_OVER_TEXT && !last))
			continue;
		tp_keys_name(row->id, key, sizeof(key));
		if (!last && at + (int)strlen(key) + (int)strlen(row->label) + 3 > end)
			continue;
		if (a == TP_ACTION_CLOSE && over != TP_OVER_NOTHING)
			words = tp_action_table[TP_ACTION_BACK].label;
		if (a == TP_ACTION_HELP)
			at = TP_MAX(at, app->term.columns - LAST_ROOM);
		else if (a == TP_ACTION_WHOLE)
			at = TP_MAX(at, end);
		at = add_hint(hints, row->id, words, at);
	}
}

enum tp_action tp_frame_action_at(const struct tp_app *app, int column)
{
	struct hints hints;
	lay_out_hints(app, &hints);
	for (size_t i = 0; i < hints.n; i++)
		if (column >= hints.all[i].from && column < hints.all[i].end)
			return hints.all[i].action;
	return TP_ACTION_NONE;
}

/* --- the line above it, which grows upwards where the text is long --- */

static const char answers[] = "(y/n)";
enum { QUESTION_AT = 1, WORDS_MAX = 768 };

int tp_frame_answer_at(const struct tp_app *app, int row, int column)
{
	/* Where the question has no room in a line, only keys answer. */
	int at = QUESTION_AT + (int)tp_cell_columns(app->question) + 1;
	if (row != app->term.rows - FOOT_ROWS || column < at || column >= at + 5)
		return -1;
	return column < at + 2 ? 1 : column > at + 2 ? 0 : -1;
}

static void paint_words(struct tp_app *app)
{
	char text[WORDS_MAX];
	enum tp_role role = TP_UI_DIM;
	bool says = app->question || app->message[0];
	if (app->question) {
		snprintf(text, sizeof(text), "%s %s", app->question, answers);
		role = TP_UI_WARN;
	} else if (says) {
		tp_copy(text, sizeof(text), app->message);
		role = app->message_role;
	} else if (!app->whole.open) {
		tp_cuts_line(&app->cuts, text, sizeof(text));
	} else {
		text[0] = '\0';
	}
	struct tp_area all = whole(app);
	int room = all.columns - 2 * QUESTION_AT, rows = 1;
	const char *next = text;
	/* What a user has to read is never cut; the text of a row has a key for the rest. */
	if (says && (int)tp_cell_columns(text) > room)
		for (rows = 0; *next; rows++)
			tp_text_line(next, (size_t)room, &next);
	rows = TP_MIN(rows, all.rows / 2);
	struct tp_area line = tp_area_rows(all, all.rows - FOOT_ROWS + 1 - rows, rows);
	tp_paint_clear(line, TP_UI_PLAIN);
	line = tp_area_columns(line, QUESTION_AT, room);
	app->term.cuts = NULL; /* the text of a row that is cut here too is kept already */
	if (rows > 1)
		tp_paint_wrapped(line, 0, 0, role, text);
	else
		tp_paint_text(line, 0, 0, role, text);
	app->term.cuts = &app->cuts;
}

static void paint_foot(struct tp_app *app)
{
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
		app->part = TP_MIN(app->part, tp_frame_parts(app) - 1);
		paint_head(app);
		tp_screen_table[app->screen]->draw(app, app->state[app->screen],
						   tp_frame_body(app));
		if (app->whole.open)
			tp_whole_paint(&app->whole, tp_frame_body(app));
		if (app->welcome.page)
			tp_welcome_paint(app, tp_frame_body(app));
		paint_foot(app);
	}
	tp_term_show(&app->term);
	tp_live_painted(&app->live);
	app->dirty = false;
}
