/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lists and documents without a terminal: cursors, filters, stored runs, the machine as text,
 * exported files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/str.h"
#include "base/memory.h"
#include "experiments/experiment.h"
#include "ui/tui/paint.h"
#include "ui/tui/widgets/doc.h"
#include "session/document.h"
#include "ui/tui/widgets/gridview.h"
#include "ui/tui/widgets/list.h"
#include "session/doctor.h"
#include "session/hardware.h"
#include "ui/tui/screens/machine.h"
#include "ui/tui/screens/stored.h"
#include "tests/unit/files.h"
#include "record/roof.h"
#include "tests/unit/rows.h"

/* --- tables --- */

struct named {
	const char *name, *words;
	int n;
};

static const struct tp_grid_column named_columns[] = {
	{ "name", TP_LEFT, 0, TP_SHOWS(struct named, name), .least = 4 },
	{ "n", TP_RIGHT, 1, TP_SHOWS(struct named, n) },
	{ "words", TP_LEFT, 0, TP_SHOWS(struct named, words) },
};

static void name_rows(struct tp_grid *grid)
{
	static const struct named rows[] = { { "a long name", "twenty-one characters", 1 },
					     { "b", "", 22 },
					     { "c", "", 3 } };
	tp_grid_init(grid, named_columns, TP_COUNT_OF(named_columns));
	tp_grid_heads(grid);
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++)
		tp_grid_row(grid, &rows[i], NULL);
	tp_grid_spell(grid, &(struct tp_look){ .utf8 = true });
}

static void tables_are_cut_before_columns_go(void **state)
{
	TP_CLEANUP(tp_grid_release) struct tp_grid grid;
	struct tp_grid_layout l;
	(void)state;
	name_rows(&grid);
	/* 11 + 2 + 2 + 2 + 21 */
	tp_grid_fit(&grid, 38, true, &l);
	assert_int_equal(l.width[0], 11);
	assert_int_equal(l.width[2], 21);
	/* The last column first, to 16; then the name, to its least. */
	tp_grid_fit(&grid, 30, true, &l);
	assert_int_equal(l.width[2], 16);
	assert_int_equal(l.width[0], 8);
	assert_false(l.gone[1]);
	/* 4 + 2 + 2 + 2 + 16 = 26 is all that cutting does: below it the numbers go. */
	tp_grid_fit(&grid, 26, true, &l);
	assert_false(l.gone[1]);
	tp_grid_fit(&grid, 25, true, &l);
	assert_true(l.gone[1]);
	assert_int_equal(l.width[0] + 2 + l.width[2], 25);
	/* Words of a terminal are broken, never cut: the name stays whole. */
	tp_grid_fit(&grid, 30, false, &l);
	assert_int_equal(l.width[0], 11);
	assert_true(l.gone[1]);
}

static void a_table_keeps_its_cursor_on_its_item(void **state)
{
	static const size_t turned[] = { 2, 1, 0 }, fewer[] = { 2, 0 };
	struct tp_gridview view = { 0 };
	struct tp_grid grid;
	(void)state;
	assert_true(tp_gridview_item(&view) == SIZE_MAX);
	name_rows(&grid);
	tp_gridview_take(&view, &grid, true);
	assert_int_equal(view.list.n, 3);
	tp_gridview_go(&view, 2);
	tp_gridview_show(&view, turned, 3);
	assert_int_equal(tp_gridview_item(&view), 2);
	assert_int_equal(view.list.at, 0);
	tp_gridview_go(&view, 0);
	tp_gridview_show(&view, fewer, 2);
	assert_int_equal(tp_gridview_item(&view), 0);
	assert_int_equal(view.list.at, 1);
	tp_gridview_release(&view);
}

/* --- cursor --- */

static void a_cursor_stays_in_sight(void **state)
{
	struct tp_list list = { 0 };
	(void)state;
	tp_list_resize(&list, 100);
	tp_list_fit(&list, 10);
	assert_false(tp_list_act(&list, TP_ACTION_OPEN));
	assert_true(tp_list_act(&list, TP_ACTION_UP));
	assert_int_equal(list.at, 0);
	for (int i = 0; i < 12; i++)
		tp_list_act(&list, TP_ACTION_DOWN);
	assert_int_equal(list.at, 12);
	assert_int_equal(list.top, 3);
	tp_list_act(&list, TP_ACTION_PAGE_DOWN);
	assert_int_equal(list.at, 21);
	tp_list_act(&list, TP_ACTION_LAST);
	assert_int_equal(list.at, 99);
	assert_int_equal(list.top, 90);
	/* More room: none of it stays empty. */
	tp_list_fit(&list, 30);
	assert_int_equal(list.top, 70);
	tp_list_resize(&list, 5);
	assert_int_equal(list.at, 4);
	assert_int_equal(list.top, 0);
	tp_list_resize(&list, 0);
	tp_list_act(&list, TP_ACTION_LAST);
	tp_list_fit(&list, 10);
	assert_int_equal(list.at, 0);
	assert_int_equal(tp_list_hit(&list, 0), 0);
}

static void the_wheel_moves_the_window(void **state)
{
	struct tp_list list = { 0 };
	(void)state;
	tp_list_resize(&list, 100);
	tp_list_fit(&list, 10);
	tp_list_wheel(&list, 3);
	assert_int_equal(list.top, 3);
	assert_int_equal(list.at, 3);
	list.at = 8;
	tp_list_wheel(&list, 3);
	assert_int_equal(list.at, 8);
	tp_list_wheel(&list, 1000);
	assert_int_equal(list.top, 90);
	tp_list_wheel(&list, -1000);
	assert_int_equal(list.top, 0);
	assert_int_equal(list.at, 9);
	assert_int_equal(tp_list_hit(&list, 4), 4);
	assert_int_equal(tp_list_hit(&list, 10), 100);
	assert_int_equal(tp_list_hit(&list, -1), 100);
}

static void a_margin_keeps_rows_around_the_cursor_in_sight(void **state)
{
	struct tp_list list = { .margin = 3 };
	(void)state;
	tp_list_resize(&list, 100);
	tp_list_fit(&list, 20);
	tp_list_move(&list, 17);
	assert_int_equal(list.at, 17);
	assert_int_equal(list.top, 1);
	tp_list_move(&list, -14);
	assert_int_equal(list.top, 0);
	tp_list_move(&list, 1000);
	assert_int_equal(list.at, 99);
	assert_int_equal(list.top, 80);
	tp_list_move(&list, -1000);
	assert_int_equal(list.at, 0);
	/* A quarter of the window at most: here there is no room for a margin. */
	tp_list_fit(&list, 3);
	tp_list_move(&list, 2);
	assert_int_equal(list.top, 0);
}

/* What has no room is told for the cursor that is on top, as long as nothing is painted over it. */
static void cut_texts_are_kept(void **state)
{
	static struct tp_cuts cuts;
	char line[64];
	(void)state;
	tp_cuts_add(NULL, 0, 0, true, "nowhere");
	assert_string_equal(tp_cuts_line(NULL, line, sizeof(line)), "");
	tp_cuts_add(&cuts, 3, 10, true, "below the box");
	tp_cuts_add(&cuts, 5, 0, false, "not under a cursor");
	assert_string_equal(tp_cuts_line(&cuts, line, sizeof(line)), "below the box");
	tp_cuts_add(&cuts, 7, 2, true, "one");
	tp_cuts_add(&cuts, 7, 20, true, "two");
	assert_string_equal(tp_cuts_line(&cuts, line, sizeof(line)), "one  two");
	tp_cuts_drop(&cuts, 7, 0, 1, 10);
	assert_string_equal(tp_cuts_line(&cuts, line, sizeof(line)), "two");
	tp_cuts_drop(&cuts, 0, 0, 24, 80);
	assert_int_equal(cuts.n, 0);
	for (int i = 0; i < TP_CUTS_MAX + 5; i++)
		tp_cuts_add(&cuts, i, 0, true, "many");
	assert_int_equal(cuts.n, TP_CUTS_MAX);
}

static void a_press_finds_its_row(void **state)
{
	struct tp_list list = { .area = { .row = 5, .column = 10, .rows = 4, .columns = 20 } };
	struct tp_input press = { .mouse = TP_MOUSE_PRESS, .row = 7, .column = 12 };
	struct tp_input wheel = { .mouse = TP_MOUSE_WHEEL_DOWN };
	(void)state;
	tp_list_resize(&list, 6);
	tp_list_fit(&list, 4);
	assert_int_equal(tp_list_mouse(&list, &press), TP_LIST_PRESSED);
	assert_int_equal(list.at, 2);
	assert_int_equal(tp_list_mouse(&list, &press), TP_LIST_PRESSED);
	press.twice = true;
	assert_int_equal(tp_list_mouse(&list, &press), TP_LIST_OPENED);
	press.twice = false;
	assert_int_equal(tp_list_mouse(&list, &wheel), TP_LIST_WHEELED);
	assert_int_equal(list.top, 2); /* the last window */
	assert_int_equal(list.at, 2);
	assert_int_equal(tp_list_mouse(&list, &press), TP_LIST_PRESSED);
	assert_int_equal(list.at, 4);
	press.column = 30;
	assert_int_equal(tp_list_mouse(&list, &press), TP_LIST_MISSED);
	press = (struct tp_input){ .mouse = TP_MOUSE_PRESS, .row = 8, .column = 10 };
	tp_list_resize(&list, 2);
	assert_int_equal(tp_list_mouse(&list, &press), TP_LIST_MISSED);
	assert_int_equal(list.at, 1);
}

static void a_press_on_a_tab_chooses_it(void **state)
{
	static const char *const names[] = { "branch", "cache", "flops" };
	static const struct {
		int column;
		size_t name;
	} wanted[] = { { 2, 0 }, { 8, 0 }, { 11, 1 }, { 24, 2 }, { 25, 3 }, { 39, 3 } };
	const struct tp_term term = { 0 };
	struct tp_area row = { .term = &term, .row = 3, .column = 10, .rows = 1, .columns = 40 };
	struct tp_input press = { .mouse = TP_MOUSE_PRESS, .row = 3 };
	struct tp_tabs tabs;
	(void)state;
	assert_int_equal(tp_tabs_paint(&tabs, row, names, 3, 1), 25);
	for (size_t i = 0; i < TP_COUNT_OF(wanted); i++) {
		press.column = 10 + wanted[i].column;
		assert_int_equal(tp_tabs_hit(&tabs, &press), wanted[i].name);
	}
	press = (struct tp_input){ .mouse = TP_MOUSE_PRESS, .row = 4, .column = 12 };
	assert_int_equal(tp_tabs_hit(&tabs, &press), 3);
	press = (struct tp_input){ .mouse = TP_MOUSE_WHEEL_UP, .row = 3, .column = 12 };
	assert_int_equal(tp_tabs_hit(&tabs, &press), 3);
	/* Where the chosen one alone has room, a press on it goes to the next one. */
	row.columns = 20;
	press = (struct tp_input){ .mouse = TP_MOUSE_PRESS, .row = 3, .column = 12 };
	tp_tabs_paint(&tabs, row, names, 3, 1);
	assert_int_equal(tp_tabs_hit(&tabs, &press), 2);
	tp_tabs_paint(&tabs, row, names, 3, 2);
	assert_int_equal(tp_tabs_hit(&tabs, &press), 0);
}

static void text_scrolls_without_a_cursor(void **state)
{
	struct tp_list list = { 0 };
	(void)state;
	tp_list_resize(&list, 25);
	tp_list_fit(&list, 10);
	tp_list_scroll(&list, TP_ACTION_LAST);
	tp_list_fit(&list, 10);
	assert_int_equal(list.top, 15);
	tp_list_scroll(&list, TP_ACTION_UP);
	tp_list_fit(&list, 10);
	assert_int_equal(list.top, 14);
	assert_false(tp_list_scroll(&list, TP_ACTION_LEFT));
}

/* --- filter --- */

static void every_word_must_be_somewhere(void **state)
{
	static const char *const texts[] = { "Roofline best", "AMD EPYC" };
	struct tp_filter filter = { .text = "" };
	(void)state;
	assert_true(tp_filter_match(&filter, texts, 2));
	tp_copy(filter.text, sizeof(filter.text), "epyc roof");
	assert_true(tp_filter_match(&filter, texts, 2));
	tp_copy(filter.text, sizeof(filter.text), " best  xeon");
	assert_false(tp_filter_match(&filter, texts, 2));
}

/* Each of the texts fits better than the one after it; the last does not fit. */
static void assert_order(const char *word, const char *const *texts, size_t n)
{
	for (size_t i = 0; i + 1 < n; i++)
		if (tp_fuzzy(texts[i], word) <= tp_fuzzy(texts[i + 1], word))
			fail_msg("%s: \"%s\" %d does not go before \"%s\" %d", word, texts[i],
				 tp_fuzzy(texts[i], word), texts[i + 1],
				 tp_fuzzy(texts[i + 1], word));
	assert_int_equal(tp_fuzzy(texts[n - 1], word), 0);
}

static void letters_fit_texts(void **state)
{
	static const char *const roof[] = { "Roofline", "app.roofs", "run of old files", "proofs",
					    "floor" };
	static const char *const st[] = { "stop", "mine.steps", "faster", "aspect", "ts" };
	static const char *const mc[] = { "memcurve", "atomics", "cm" };
	(void)state;
	assert_order("roof", roof, TP_COUNT_OF(roof));
	assert_order("st", st, TP_COUNT_OF(st));
	assert_order("mc", mc, TP_COUNT_OF(mc));
	/* One letter: 1, 4 more at the start of a word, 1 more at that of the text; in a run 6. */
	assert_int_equal(tp_fuzzy("xa", "a"), 1);
	assert_int_equal(tp_fuzzy("x a", "A"), 5);
	assert_int_equal(tp_fuzzy("xA", "a"), 5);
	assert_int_equal(tp_fuzzy("a", "a"), 6);
	assert_int_equal(tp_fuzzy("ab", "ab"), 12);
	/* The run behind is better than the two letters before it. */
	assert_int_equal(tp_fuzzy("xaxb ab", "ab"), 11);
	assert_int_equal(tp_fuzzy("", "a"), 0);
	assert_int_equal(tp_fuzzy("a", "ab"), 0);
	assert_int_equal(tp_fuzzy("a", ""), 0);
}

static void a_filter_is_typed(void **state)
{
	struct tp_filter filter = { 0 };
	bool changed;
	(void)state;
	assert_false(tp_filter_type(&filter, 'a', &changed));
	assert_false(tp_filter_type(&filter, TP_KEY_ESCAPE, &changed));
	filter.typing = true;
	assert_true(tp_filter_type(&filter, 'q', &changed));
	assert_true(changed);
	assert_true(tp_filter_type(&filter, 0xe9, &changed));
	assert_string_equal(filter.text, "q\u00e9");
	assert_true(tp_filter_type(&filter, TP_KEY_BACKSPACE, &changed));
	assert_string_equal(filter.text, "q");
	assert_false(tp_filter_type(&filter, TP_KEY_DOWN, &changed));
	assert_false(tp_filter_type(&filter, 3, &changed));
	assert_true(tp_filter_type(&filter, TP_KEY_ENTER, &changed));
	assert_false(filter.typing);
	/* Keys are actions again, and Escape forgets the words. */
	assert_false(tp_filter_type(&filter, 'x', &changed));
	assert_true(tp_filter_type(&filter, TP_KEY_ESCAPE, &changed));
	assert_true(changed);
	assert_string_equal(filter.text, "");
	filter.typing = true;
	for (int i = 0; i < 500; i++)
		tp_filter_type(&filter, 0x20ac, &changed);
	assert_true(strlen(filter.text) < sizeof(filter.text));
	assert_int_equal(strlen(filter.text) % 3, 0);
}

/* --- stored runs --- */

static char folder[64];

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/tprof-lists-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	return remove_tree(folder);
}

static void make_run(const char *directory, const char *state, const char *cpu, unsigned points)
{
	struct tp_run run = { 0 };
	struct tp_point *p = calloc(points + 1, sizeof(*p));
	struct tp_roof roof = { .isa = "avx2",
				.quality = TP_QUALITY_FAIR,
				.precision = "double",
				.level = "L1",
				.threads = 1,
				.loads = 2,
				.stores = 1,
				.median = 123.4 };
	char path[256];
	assert_non_null(p);
	for (unsigned i = 0; i < points; i++)
		p[i] = (struct tp_point){ .point = i, .state = TP_POINT_DONE };
	tp_copy(run.state, sizeof(run.state), state);
	tp_run_fact_text(&run, "machine.cpu", "%s", cpu);
	run.points = p;
	run.n_points = points;
	lend_rows(&run, &tp_roof_part, &roof, 1);
	snprintf(path, sizeof(path), "%s/%s", folder, directory);
	assert_int_equal(mkdir(path, 0777), 0);
	assert_int_equal(tp_rundir_write(TP_TYPED_NOTHING, path, &run, NULL), TP_OK);
	free(run.facts);
	free(p);
}

static const struct tp_stored_run *shown(const struct tp_stored *stored, size_t i)
{
	assert_true(i < stored->n_shown);
	return &stored->all[stored->shown[i]];
}

static void trends_are_those_of_a_preset(void **state)
{
	static const struct {
		const char *name, *cpu;
		double headline;
	} rows[] = {
		/* The newest first. */
		{ "quick", "EPYC", 100 }, { "quick", "Xeon", 500 }, { "quick", "EPYC", 50 },
		{ "other", "EPYC", 300 }, { "quick", "EPYC", 0 },   { "quick", "EPYC", 75 },
		{ "even", "EPYC", 99.9 }, { "even", "EPYC", 100 },
	};
	struct tp_stored_run runs[TP_COUNT_OF(rows)] = { 0 };
	struct tp_stored stored = { .all = runs, .n = TP_COUNT_OF(rows) };
	char out[TP_TREND_BYTES];
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		tp_copy(runs[i].name, sizeof(runs[i].name), rows[i].name);
		tp_copy(runs[i].cpu, sizeof(runs[i].cpu), rows[i].cpu);
		runs[i].brief.headline = rows[i].headline;
	}
	/* The oldest first; not those of other CPUs and names, nor without a result. */
	assert_string_equal(tp_stored_trend(&stored, 0, true, out), "▅▁█");
	assert_string_equal(tp_stored_trend(&stored, 0, false, out), "=_#");
	assert_string_equal(tp_stored_trend(&stored, 2, true, out), "█▁");
	/* A single run, or one without a result, has no trend; noise makes a flat one. */
	assert_string_equal(tp_stored_trend(&stored, 1, true, out), "");
	assert_string_equal(tp_stored_trend(&stored, 4, true, out), "");
	assert_string_equal(tp_stored_trend(&stored, 6, true, out), "▁▁");
	runs[2].gone = true;
	assert_string_equal(tp_stored_trend(&stored, 0, true, out), "▁█");
}

static void runs_are_listed_filtered_and_sorted(void **state)
{
	struct tp_stored stored = { 0 };
	struct tp_filter filter = { 0 };
	struct tp_diag diag;
	char path[TP_PATH_MAX];
	(void)state;
	make_run("2026-11-19-100000-beta", "complete", "Xeon", 3);
	make_run("2026-11-20-100000-alpha", "interrupted", "EPYC", 1);
	make_run("2026-11-21-100000-gamma", "complete", "EPYC", 2);
	assert_int_equal(tp_stored_scan(&stored, folder, &diag), TP_OK);
	tp_stored_choose(&stored, &filter, TP_STORED_DATE);
	/* Before anything is read: names and dates, newest first. */
	assert_int_equal(stored.n_shown, 3);
	assert_string_equal(shown(&stored, 0)->name, "gamma");
	assert_string_equal(shown(&stored, 0)->date, "2026-11-21 10:00");
	assert_false(shown(&stored, 0)->known);
	while (tp_stored_go_on(&stored, 1))
		continue;
	assert_string_equal(shown(&stored, 2)->cpu, "Xeon");
	assert_int_equal(shown(&stored, 2)->n_done, 3);
	tp_stored_choose(&stored, &filter, TP_STORED_NAME);
	assert_string_equal(shown(&stored, 0)->directory, "2026-11-20-100000-alpha");
	tp_stored_choose(&stored, &filter, TP_STORED_POINTS);
	assert_int_equal(shown(&stored, 0)->n_done, 3);
	/* By what the runs are about; the facts are those of --list runs. */
	tp_copy(stored.all[0].brief.isas, sizeof(stored.all[0].brief.isas), "avx2");
	tp_copy(stored.all[1].brief.isas, sizeof(stored.all[1].brief.isas), "sse");
	tp_copy(stored.all[0].brief.threads, sizeof(stored.all[0].brief.threads), "16");
	tp_copy(stored.all[1].brief.threads, sizeof(stored.all[1].brief.threads), "2");
	stored.all[0].brief.quality[TP_QUALITY_POOR] = 1;
	stored.all[1].brief.quality[TP_QUALITY_FAIR] = 5;
	tp_stored_choose(&stored, &filter, TP_STORED_ISA);
	assert_string_equal(shown(&stored, 2)->brief.isas, "sse");
	tp_stored_choose(&stored, &filter, TP_STORED_THREADS);
	assert_string_equal(shown(&stored, 2)->brief.threads, "16");
	tp_stored_choose(&stored, &filter, TP_STORED_QUALITY);
	assert_int_equal(shown(&stored, 1)->brief.quality[TP_QUALITY_FAIR], 5);
	assert_int_equal(shown(&stored, 2)->brief.quality[TP_QUALITY_POOR], 1);
	tp_copy(filter.text, sizeof(filter.text), "avx2");
	tp_stored_choose(&stored, &filter, TP_STORED_DATE);
	assert_int_equal(stored.n_shown, 1);
	tp_copy(filter.text, sizeof(filter.text), "epyc compl");
	tp_stored_choose(&stored, &filter, TP_STORED_DATE);
	assert_int_equal(stored.n_shown, 1);
	assert_string_equal(shown(&stored, 0)->state, "complete");

	/* Marks and content survive a new look; what is gone is gone, also when it goes later. */
	filter.text[0] = '\0';
	stored.all[stored.shown[0]].marked = true;
	snprintf(path, sizeof(path), "%s/2026-11-19-100000-beta", folder);
	assert_int_equal(remove_tree(path), 0);
	assert_int_equal(tp_stored_scan(&stored, folder, &diag), TP_OK);
	tp_stored_choose(&stored, &filter, TP_STORED_DATE);
	assert_int_equal(stored.n_shown, 2);
	assert_true(shown(&stored, 0)->marked);
	assert_true(shown(&stored, 0)->known);
	assert_int_equal(tp_stored_marks(&stored), 1);
	make_run("2026-11-22-100000-late", "complete", "EPYC", 1);
	assert_int_equal(tp_stored_scan(&stored, folder, &diag), TP_OK);
	snprintf(path, sizeof(path), "%s/2026-11-22-100000-late", folder);
	assert_int_equal(remove_tree(path), 0);
	tp_stored_know(&stored, 0);
	tp_stored_choose(&stored, &filter, TP_STORED_DATE);
	assert_int_equal(stored.n_shown, 2);
	tp_stored_release(&stored);
	assert_int_equal(tp_stored_scan(&stored, "/nowhere/at/all", &diag), TP_OK);
	assert_int_equal(stored.n, 0);
	tp_stored_release(&stored);
}

/* --- text --- */

/* The whole document as text, a line each. */
static char *text_of(const struct tp_doc *doc)
{
	struct tp_str out = { 0 };
	for (size_t i = 0; i < doc->n; i++) {
		size_t start = out.len;
		for (size_t k = 0; k < doc->lines[i].n; k++) {
			const struct tp_doc_span *span = &doc->spans[doc->lines[i].from + k];
			size_t used = out.len - start;
			if ((size_t)span->column > used)
				tp_str_pad(&out, ' ', (size_t)span->column - used);
			tp_str_add(&out, span->text);
		}
		tp_str_add(&out, "\n");
	}
	char *text = tp_str_take(&out);
	assert_non_null(text);
	return text;
}

static void text_is_wrapped_and_painted(void **state)
{
	struct tp_doc doc = { 0 };
	(void)state;
	tp_doc_clear(&doc, 20);
	tp_doc_line(&doc, 7);
	tp_doc_text(&doc, 0, TP_UI_DIM, "Notes");
	tp_doc_wrap(&doc, 6, TP_UI_PLAIN, "some words that need several lines");
	char *text = text_of(&doc);
	assert_string_equal(text, "Notes some words\n      that need\n      several lines\n");
	assert_int_equal(doc.lines[2].item, 7);
	free(text);
	const struct tp_look look = { .columns = 20 };
	TP_TEXT(report, &look);
	tp_text_run(&report, TP_PAINT_BAD, "slower ");
	tp_text_wrap(&report, TP_PAINT_PLAIN, "by 3 %", 7, 0);
	tp_text_gap(&report);
	tp_text_wrap(&report, TP_PAINT_PLAIN, "end", 0, 0);
	tp_doc_report(&doc, 20, &report);
	assert_int_equal(doc.n, 3);
	assert_int_equal(doc.spans[0].role, TP_UI_BAD);
	assert_int_equal(doc.spans[1].role, TP_UI_PLAIN);
	text = text_of(&doc);
	assert_string_equal(text, "slower by 3 %\n\nend\n");
	free(text);
	tp_doc_release(&doc);
}

/* The text that a function says, as lines; free it. */
#define SAID(columns_, utf8_, call)                                                                \
	({                                                                                         \
		const struct tp_look look_ = { .columns = (columns_), .utf8 = (utf8_) };           \
		TP_STR out_ = { 0 };                                                               \
		TP_TEXT(said, &look_);                                                             \
		call;                                                                              \
		tp_text_print(&said, &out_);                                                       \
		strdup(tp_str_text(&out_));                                                        \
	})

static void load(struct tp_machine *machine, const char *topology)
{
	struct tp_cpu cpu = { .arch = "x86_64", .family = -1, .model = -1, .stepping = -1 };
	struct tp_diag diag;
	assert_int_equal(tp_machine_init(machine, &cpu, topology, "detected", NULL, &diag), TP_OK);
}

/* The sizes that a memory curve measured stand beside those that are reported. */
static void a_machine_is_drawn_as_boxes(void **state)
{
	struct tp_machine machine;
	struct tp_run run = { 0 };
	struct tp_doc doc = { 0 };
	(void)state;
	load(&machine, "synthetic:pack:1 l3:1(size=33554432) l2:2(size=1048576) "
		       "l1d:1(size=32768) core:1 pu:2");
	char *text = SAID(44, false, tp_hardware_topology(&machine, NULL, &said));
	assert_string_equal(text, "+- Package 0 ------------------------------+\n"
				  "| +- L3 32 MiB --------------------------+ |\n"
				  "| | +------------+ +------------+        | |\n"
				  "| | | Core 0     | | Core 1     |        | |\n"
				  "| | | L2 1 MiB   | | L2 1 MiB   |        | |\n"
				  "| | | L1d 32 KiB | | L1d 32 KiB |        | |\n"
				  "| | | CPUs 0 1   | | CPUs 2 3   |        | |\n"
				  "| | +------------+ +------------+        | |\n"
				  "| +--------------------------------------+ |\n"
				  "+------------------------------------------+\n");
	free(text);
	struct tp_plateau *plateau = tp_run_add_row(&run, &tp_plateau_part);
	assert_non_null(plateau);
	tp_copy(plateau->level, sizeof(plateau->level), "L3");
	plateau->threads = 1;
	plateau->gbps = 90;
	plateau->capacity_bytes = 20u << 20;
	plateau->quality = TP_QUALITY_GOOD;
	machine.foreign = false; /* it stands for this one */
	text = SAID(60, false, tp_hardware_topology(&machine, &run, &said));
	assert_non_null(strstr(text, "L3 32 MiB, measured 20 MiB"));
	free(text);
	tp_run_release(&run);
	tp_machine_release(&machine);
	/* Without room the cores are counted. */
	load(&machine, "synthetic:pack:1 l3:1 core:6 pu:2");
	text = SAID(30, false, tp_hardware_topology(&machine, NULL, &said));
	assert_non_null(strstr(text, "6 cores: CPUs 0-11"));
	free(text);
	tp_doc_release(&doc);
	tp_machine_release(&machine);
}

static void a_big_machine_fits_on_a_screen(void **state)
{
	struct tp_machine machine;
	struct tp_doc doc = { 0 };
	(void)state;
	load(&machine, "synthetic:pack:2 numa:2 l3:4 l2:8 core:1 pu:2");
	assert_int_equal(machine.n_pus, 256);
	char *text = SAID(60, true, tp_hardware_topology(&machine, NULL, &said));
	size_t n = 0;
	for (const char *c = text; *c; c++)
		n += *c == '\n';
	assert_in_range(n, 10, 44);
	assert_non_null(strstr(text, "8 cores: CPUs 240-255, 2 a core"));
	free(text);
	machine.pus[255].allowed = false;
	text = SAID(60, true, tp_hardware_topology(&machine, NULL, &said));
	assert_non_null(strstr(text, "2 a core, 15 usable"));
	free(text);
	text = SAID(60, false, tp_hardware_environment(&machine, &said));
	assert_non_null(strstr(text, "tprof can plan for it"));
	free(text);
	tp_doc_release(&doc);
	tp_machine_release(&machine);
}

static void caches_stand_side_by_side(void **state)
{
	struct tp_session session = { .machine.n_pus = 0 };
	struct tp_plateau plateaus[] = {
		{ .level = "L1",
		  .threads = 1,
		  .gbps = 200,
		  .capacity_bytes = 31 << 10,
		  .quality = TP_QUALITY_GOOD },
		{ .level = "L2", .threads = 1, .ns = 4, .capacity_bytes = 1 << 20 }
	};
	struct tp_found found = { .from = "a-run" };
	struct tp_doc doc = { 0 };
	(void)state;
	session.machine.cache[1] = (struct tp_cache){ .size_bytes = 32 << 10,
						      .reported_bytes = 32 << 10,
						      .given_bytes = 30 << 10,
						      .line_bytes = 64,
						      .ways = 8,
						      .sharing_cores = 1,
						      .instances = 4 };
	lend_rows(&found.run, &tp_plateau_part, plateaus, 2);
	tp_run_fact_text(&found.run, "started", "%s", "2026-11-28T03:30:40Z");
	const struct tp_look look = { .columns = 60 };
	tp_machine_caches(&doc, &session, &found, &look);
	char *text = text_of(&doc);
	assert_string_equal(text, "       used  reported  measured   given  model\n"
				  "L1d  32 KiB    32 KiB    31 KiB  30 KiB      -\n"
				  "L1d  64 B lines, 8-way, one a core, 4 in all\n"
				  "measured in a-run: L1 good, 2026-11-28\n");
	free(text);

	/* What is poor is not shown as measured. */
	plateaus[0].quality = TP_QUALITY_POOR;
	tp_machine_caches(&doc, &session, &found, &look);
	text = text_of(&doc);
	assert_non_null(strstr(text, "L1d  32 KiB    32 KiB         -  30 KiB      -\n"));
	free(text);
	plateaus[0].quality = TP_QUALITY_FAIR;

	/* Half of it, and nobody gave a size: offered with its quality, its date and its key. */
	plateaus[0].capacity_bytes = 16 << 10;
	session.machine.cache[1].given_bytes = 0;
	tp_machine_caches(&doc, &session, &found, &look);
	text = text_of(&doc);
	assert_non_null(
		strstr(text, "L1 measured 16 KiB (fair, 2026-11-28), reported 32 KiB: u uses it"));
	assert_null(strstr(text, "--set"));
	free(text);
	free(found.run.facts);
	tp_doc_release(&doc);
}

static void peaks_of_a_model_and_what_was_found(void **state)
{
	struct tp_model model = { .name = "toy", .title = "Toy", .nominal_ghz = 2, .n_isas = 1 };
	strcpy(model.arch, "x86_64");
	struct tp_roof roofs[] = {
		{ .isa = "avx2",
		  .precision = "double",
		  .level = "L1",
		  .per_cycle = 93.25,
		  .quality = TP_QUALITY_GOOD },
		{ .isa = "avx2",
		  .precision = "double",
		  .level = "FP",
		  .per_cycle = 15.5,
		  .quality = TP_QUALITY_GOOD },
		{ .isa = "avx2",
		  .precision = "single",
		  .level = "FP",
		  .per_cycle = 31,
		  .quality = TP_QUALITY_GOOD },
	};
	struct tp_run run = { 0 };
	lend_rows(&run, &tp_roof_part, roofs, 3);
	struct tp_doc doc = { 0 };
	(void)state;
	model.isas[0] = (struct tp_model_isa){ .name = "avx2",
					       .vector_bytes = 32,
					       .loads_per_cycle = 2,
					       .stores_per_cycle = 1,
					       .fma_per_cycle = 2,
					       .add_per_cycle = 2,
					       .int8_dot_flop_per_cycle = 128 };
	char *text = SAID(100, false, tp_hardware_peaks(&model, &run, "a-run", &said));
	/*
	 * 32 bytes wide: 3 accesses a cycle are 96 bytes; 2 FMAs of 4 doubles are 16 FLOP, at 2 GHz
	 * 32 GFLOP/s.
	 */
	const char *row = strstr(text, "avx2");
	assert_non_null(row);
	assert_non_null(strstr(row, "96 2:1"));
	assert_non_null(strstr(text, "32.0"));
	assert_non_null(strstr(text, "15.5"));
	assert_non_null(strstr(text, "measured in a-run"));
	assert_non_null(strstr(text, "93.25"));
	assert_non_null(strstr(text, "half, bf16, int8  FLOP/cycle  GF/s\n"
				     "avx2 dot in int8         128   256\n"));
	assert_null(strstr(text, "tile"));
	free(text);
	/* A poor roof is not drawn as measured. */
	roofs[0].quality = TP_QUALITY_POOR;
	text = SAID(100, false, tp_hardware_peaks(&model, &run, "a-run", &said));
	assert_null(strstr(text, "93.25"));
	assert_non_null(strstr(text, "15.5"));
	free(text);
	text = SAID(100, false,
		    tp_hardware_peaks(&(struct tp_model){ .name = "" }, NULL, "", &said));
	assert_non_null(strstr(text, "No model is known"));
	free(text);
	tp_doc_release(&doc);
}

static void findings_are_told_worst_first(void **state)
{
	struct tp_finding findings[] = {
		{ .title = "Clock", .severity = TP_FINE, .what = "good" },
		{ .title = "Load",
		  .severity = TP_WARNING,
		  .what = "busy",
		  .means = "noise",
		  .remedy = "kill -STOP 1" },
		{ .title = "Space", .severity = TP_PROBLEM, .what = "none" },
	};
	const struct tp_look narrow = { .columns = 60 }, wide = { .columns = 80 };
	struct tp_doc doc = { 0 };
	char summary[64];
	(void)state;
	TP_TEXT(below, &narrow);
	tp_findings_say(findings, 3, &below);
	tp_doc_report(&doc, 60, &below);
	char *text = text_of(&doc);
	assert_string_equal(
		text, "problem\n  Space\n    none\n\nwarning\n  Load\n    busy\n"
		      "    noise\n    $ kill -STOP 1\n\nok\n  Clock                    good\n");
	free(text);
	TP_TEXT(beside, &wide);
	tp_findings_say(findings, 3, &beside);
	tp_doc_report(&doc, 80, &beside);
	text = text_of(&doc);
	assert_non_null(strstr(text, "\n  Load                     busy\n"));
	assert_non_null(strstr(text, "\n                           $ kill -STOP 1\n"));
	free(text);
	assert_int_equal(tp_machine_findings_summary(findings, 3, summary, sizeof(summary)),
			 TP_UI_BAD);
	assert_string_equal(summary, "1 problem, 1 warning");
	assert_int_equal(tp_machine_findings_summary(findings, 1, summary, sizeof(summary)),
			 TP_UI_GOOD);
	tp_doc_release(&doc);
}

/* --- previews and exports --- */

static void a_preview_is_read_once(void **state)
{
	const struct tp_look look = { .columns = 50 };
	struct tp_previews *previews = calloc(1, sizeof(*previews));
	char path[TP_PATH_MAX];
	(void)state;
	make_run("2026-11-21-100000-seen", "complete", "EPYC 9654", 2);
	snprintf(path, sizeof(path), "%s/2026-11-21-100000-seen", folder);
	assert_null(tp_previews_doc(previews, path, &look));
	tp_previews_read(previews, path);
	const struct tp_doc *doc = tp_previews_doc(previews, path, &look);
	assert_non_null(doc);
	char *text = text_of(doc);
	assert_non_null(strstr(text, "EPYC 9654"));
	assert_non_null(strstr(text, "double, 1 thread"));
	assert_non_null(strstr(text, "avx2"));
	assert_non_null(strstr(text, "123.4"));
	assert_non_null(strstr(text, "fair"));
	free(text);
	snprintf(path, sizeof(path), "%s/gone", folder);
	tp_previews_read(previews, path);
	text = text_of(tp_previews_doc(previews, path, &look));
	assert_non_null(strstr(text, "cannot be read"));
	free(text);
	/* The one that was read last is kept, until it may have changed. */
	snprintf(path, sizeof(path), "%s/2026-11-21-100000-seen", folder);
	assert_null(tp_previews_doc(previews, path, &look));
	tp_previews_read(previews, path);
	assert_non_null(tp_previews_doc(previews, path, &look));
	tp_previews_forget(previews, path);
	assert_null(tp_previews_doc(previews, path, &look));
	tp_previews_release(previews);
	free(previews);
}

static void exports_overwrite_nothing(void **state)
{
	static const char *const endings[] = { "svg", "csv", "json", "txt" };
	struct tp_run run = { 0 };
	struct tp_diag diag;
	struct stat st;
	char to[128], path[256];
	(void)state;
	snprintf(to, sizeof(to), "%s/new/place", folder);
	assert_int_equal(tp_document_export(&run, to, "r", &diag), TP_OK);
	for (size_t i = 0; i < TP_COUNT_OF(endings); i++) {
		snprintf(path, sizeof(path), "%s/r.%s", to, endings[i]);
		assert_int_equal(stat(path, &st), 0);
		assert_true(st.st_size > 0);
	}
	snprintf(path, sizeof(path), "%s/r.svg", to);
	unlink(path);
	assert_int_equal(tp_document_export(&run, to, "r", &diag), TP_USAGE);
	assert_int_not_equal(stat(path, &st), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cursor_stays_in_sight),
		cmocka_unit_test(the_wheel_moves_the_window),
		cmocka_unit_test(a_margin_keeps_rows_around_the_cursor_in_sight),
		cmocka_unit_test(cut_texts_are_kept),
		cmocka_unit_test(a_press_finds_its_row),
		cmocka_unit_test(a_press_on_a_tab_chooses_it),
		cmocka_unit_test(text_scrolls_without_a_cursor),
		cmocka_unit_test(every_word_must_be_somewhere),
		cmocka_unit_test(letters_fit_texts),
		cmocka_unit_test(a_filter_is_typed),
		cmocka_unit_test(trends_are_those_of_a_preset),
		cmocka_unit_test_setup_teardown(runs_are_listed_filtered_and_sorted, make_folder,
						remove_folder),
		cmocka_unit_test(text_is_wrapped_and_painted),
		cmocka_unit_test(a_machine_is_drawn_as_boxes),
		cmocka_unit_test(a_big_machine_fits_on_a_screen),
		cmocka_unit_test(caches_stand_side_by_side),
		cmocka_unit_test(peaks_of_a_model_and_what_was_found),
		cmocka_unit_test(findings_are_told_worst_first),
		cmocka_unit_test(tables_are_cut_before_columns_go),
		cmocka_unit_test(a_table_keeps_its_cursor_on_its_item),
		cmocka_unit_test_setup_teardown(a_preview_is_read_once, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(exports_overwrite_nothing, make_folder,
						remove_folder),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
