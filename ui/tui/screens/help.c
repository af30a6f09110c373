/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Help, made from the tables of keys and flags. */
#include "ui/tui/paint.h"
#include "ui/tui/screen.h"
#include "ui/tui/widgets/doc.h"
#include "ui/tui/widgets/list.h"
#include "base/memory.h"

#include <string.h>

enum { TWO_COLUMNS_AT = 118, GAP = 4, KEYS_AT = 2, TEXT_AT = 18, FLAGS_AT = 17 };
enum { SIDES = 2 };

struct help_screen {
	/* [0] keys, [1] the rest; a narrow screen has both in [0] */
	struct tp_doc docs[SIDES];
	struct tp_list list; /* scrolls both */
	struct tp_filter filter;
	enum tp_screen_id of; /* screen that the help is about */
	int columns;
	size_t found, all;
	bool stale;
};

static void close_screen(void *state)
{
	struct help_screen *s = state;
	for (int i = 0; i < SIDES; i++)
		tp_doc_release(&s->docs[i]);
}

static void enter(struct tp_app *app, void *state)
{
	struct help_screen *s = state;
	s->of = app->before_help;
	s->list = (struct tp_list){ 0 };
	s->filter = (struct tp_filter){ 0 };
	s->stale = true;
}

/* --- text --- */

/* For a beginner. `key`: the action whose key is shown before the words. */
static const struct {
	enum tp_action key;
	const char *words;
} first_steps[] = {
	{ TP_ACTION_NONE,
	  "tprof measures what this machine can do at most: bytes a second from each cache and "
	  "from memory, floating point operations a second, and the rooflines they make." },
	{ TP_ACTION_GO_SETUP, "Setup: choose an experiment; roofline is a good first one." },
	{ TP_ACTION_START, "on Setup measures it." },
	{ TP_ACTION_GO_RESULT, "Result: pictures and tables grow while it is measured." },
	{ TP_ACTION_NEXT_SCREEN, "walks through the run: points, roofline, curves, counters, your "
				 "program under the roofs, what decides the results." },
	{ TP_ACTION_GO_RUNS, "Runs: everything measured is kept there, to be opened and compared; "
			     "runs on many nodes, and which node is slow." },
	{ TP_ACTION_GO_LEARN, "Learn: lessons that ask, measure and explain." },
};

/* A name and what it means, if they match the filter; `title` stands above the first one. */
static void add_entry(struct help_screen *s, struct tp_doc *doc, const char **title, int at,
		      enum tp_role role, const char *name, const char *words)
{
	const char *const texts[] = { name, words };
	bool found = tp_filter_match(&s->filter, texts, TP_COUNT_OF(texts));

	s->all++;
	s->found += found;
	if (!found)
		return;
	if (*title)
		tp_doc_heading(doc, *title);
	*title = NULL;
	tp_doc_row(doc, KEYS_AT, role, "%s", name);
	tp_doc_wrap(doc, at, TP_UI_PLAIN, words);
}

/* The keys of a set of screens that match the filter, below a heading. */
static void keys(struct help_screen *s, struct tp_doc *doc, const char *title, unsigned screens,
		 unsigned none_of)
{
	for (size_t a = 1; a < TP_ACTION_COUNT; a++) {
		const struct tp_action_row *row = &tp_action_table[a];
		bool everywhere = row->screens == TP_EVERYWHERE;
		if (screens == TP_EVERYWHERE
			    ? everywhere
			    : !everywhere && row->screens & screens && !(row->screens & none_of))
			add_entry(s, doc, &title, TEXT_AT, TP_UI_KEY, row->keys, row->help);
	}
}

/* The meaning of quality and flags of points, and the manual. */
static void words_of_results(struct help_screen *s, struct tp_doc *doc)
{
	static const struct {
		enum tp_quality quality;
		const char *words;
	} rows[] = {
		{ TP_QUALITY_GOOD, "on an undisturbed machine the value would be the same within "
				   "3 % (L1, L2, FP) or 8 % (L3, DRAM, latencies)" },
		{ TP_QUALITY_FAIR, "~ in tables: probably within twice that" },
		{ TP_QUALITY_POOR, "? in tables: do not use it; measure again on a quiet machine" },
	};
	static const struct {
		const char *name, *words;
	} pages[] = {
		{ "tprof(1)", "the command line: everything here works without screens, too" },
		{ "tprof-preset(5)", "presets: what to measure, as a file" },
		{ "tprof-machine(5)", "machine models: what a core does in a cycle" },
		{ "tprof-results(5)", "what a run leaves, column by column" },
	};
	const char *title = "Quality of a point";
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++)
		add_entry(s, doc, &title, FLAGS_AT, tp_quality_role(rows[i].quality),
			  tp_quality_name(rows[i].quality), rows[i].words);
	title = "Flags: reasons of fair and poor points";
	for (int f = 0; f < TP_FLAG_COUNT; f++) {
		char advice[TP_FLAG_ADVICE_BYTES];
		add_entry(s, doc, &title, FLAGS_AT, TP_UI_WARN, tp_flag_name((enum tp_flag)f),
			  tp_flag_advice((enum tp_flag)f, advice, sizeof(advice)));
	}
	title = "Manual";
	for (size_t i = 0; i < TP_COUNT_OF(pages); i++)
		add_entry(s, doc, &title, 2 + FLAGS_AT, TP_UI_STRONG, pages[i].name,
			  pages[i].words);
}

static void make(struct help_screen *s, int columns, bool two)
{
	struct tp_doc *left = &s->docs[0], *right = &s->docs[two ? 1 : 0];
	for (int i = 0; i < SIDES; i++)
		tp_doc_clear(&s->docs[i], columns);
	s->found = s->all = 0;
	if (!*s->filter.text) {
		tp_doc_heading(left, "What this is, and how to begin");
		for (size_t i = 0; i < TP_COUNT_OF(first_steps); i++) {
			char key[16];
			bool has_key = first_steps[i].key != TP_ACTION_NONE;
			tp_doc_line(left, -1);
			if (has_key)
				tp_doc_text(left, KEYS_AT, TP_UI_KEY,
					    tp_keys_name(first_steps[i].key, key, sizeof(key)));
			tp_doc_wrap(left, KEYS_AT + (has_key ? 5 : 0), TP_UI_PLAIN,
				    first_steps[i].words);
		}
	}
	char title[64];
	unsigned told = 0;
	if (s->of != TP_SCREEN_HELP) {
		snprintf(title, sizeof(title), "Keys on %s", tp_screen_rows[s->of].title);
		keys(s, left, title, 1u << s->of, 0);
		told = 1u << s->of;
	}
	keys(s, left, "Keys everywhere", TP_EVERYWHERE, 0);
	for (int i = 0; i < TP_SCREEN_COUNT; i++) {
		if (told & 1u << i)
			continue;
		snprintf(title, sizeof(title), "Keys on %s", tp_screen_rows[i].title);
		keys(s, left, title, 1u << i, told);
		told |= 1u << i;
	}
	words_of_results(s, right);
	if (!s->found)
		tp_doc_row(left, 0, TP_UI_DIM, "Nothing matches. Esc shows all again.");
	s->columns = columns;
	s->stale = false;
	tp_list_resize(&s->list, TP_MAX(left->n, s->docs[1].n));
}

static void draw(struct tp_app *app, void *state, struct tp_area area)
{
	struct help_screen *s = state;
	(void)app;
	area = tp_area_columns(area, 1, area.columns - 1);
	bool two = area.columns >= TWO_COLUMNS_AT;
	int columns = two ? (area.columns - GAP - 2) / 2 : area.columns - 2;
	if (s->stale || s->columns != columns)
		make(s, columns, two);
	struct tp_area text = area;
	if (tp_filter_paint(&s->filter, area, 0, s->found, s->all))
		text = tp_area_rows(area, 1, area.rows - 1);
	tp_list_fit(&s->list, text.rows);
	for (int i = 0; i < (two ? 2 : 1); i++)
		tp_doc_paint(&s->docs[i], tp_area_columns(text, i * (columns + GAP), columns),
			     s->list.top, (size_t)-1);
	tp_list_paint_bar(&s->list, text);
}

static bool act(struct tp_app *app, void *state, enum tp_action action)
{
	struct help_screen *s = state;
	(void)app;
	if (action == TP_ACTION_FILTER) {
		s->filter.typing = true;
		return true;
	}
	return tp_list_scroll(&s->list, action);
}

static bool type(struct tp_app *app, void *state, uint32_t code)
{
	struct help_screen *s = state;
	bool changed;
	(void)app;
	bool taken = tp_filter_type(&s->filter, code, &changed);
	if (changed) {
		s->list = (struct tp_list){ .rows = s->list.rows };
		s->stale = true;
	}
	return taken;
}

static void mouse(struct tp_app *app, void *state, const struct tp_input *input)
{
	struct help_screen *s = state;
	(void)app;
	tp_list_wheel(&s->list, tp_list_wheel_rows(input));
}

static enum tp_over over(const struct tp_app *app, const void *state)
{
	const struct help_screen *s = state;
	(void)app;
	return s->filter.typing ? TP_OVER_FIELD : TP_OVER_VIEW;
}

const struct tp_screen tp_screen_help = {
	.state_bytes = sizeof(struct help_screen),
	.close = close_screen,
	.enter = enter,
	.draw = draw,
	.act = act,
	.type = type,
	.mouse = mouse,
	.over = over,
};
