/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan before a run; its outcome after it, and where to go next. */
#include "ui/tui/screens/run_view.h"
#include "ui/tui/quality.h"
#include "ui/tui/shown.h"
#include "ui/tui/control.h"
#include "base/text.h"
#include "base/memory.h"
#include "report/facts.h"
#include "report/text.h"
#include "record/point.h"
#include "record/roof.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { VALUE_AT = 13 };

static const struct {
	int code;
	enum tp_role role;
	const char *words;
} exits[] = {
	{ TP_EXIT_OK, TP_UI_GOOD, "every point was measured" },
	{ TP_EXIT_FAILED, TP_UI_BAD, "nothing could be measured" },
	{ TP_EXIT_USAGE, TP_UI_BAD, "the request cannot be met" },
	{ TP_EXIT_SKIPPED, TP_UI_WARN, "some points are missing" },
	{ TP_EXIT_RESOURCE, TP_UI_BAD, "a resource was missing, or a file could not be written" },
	{ TP_EXIT_UNSTABLE, TP_UI_WARN, "some points are unstable" },
	{ TP_EXIT_INTERRUPTED, TP_UI_WARN, "stopped; all measured points are saved" },
	{ 127, TP_UI_BAD, "the program could not be started" },
};

static void key_line(struct tp_doc *doc, enum tp_action action, const char *words)
{
	char name[16];
	tp_doc_line(doc, -1);
	tp_doc_right(doc, 6, TP_UI_KEY, "%s", tp_keys_name(action, name, sizeof(name)));
	tp_doc_text(doc, 8, TP_UI_PLAIN, words);
}

static void exit_lines(const struct tp_live *live, struct tp_doc *doc)
{
	char text[200];
	if (live->exit_code < 0)
		return;
	tp_doc_line(doc, -1);
	for (size_t i = 0; i < TP_COUNT_OF(exits); i++)
		if (exits[i].code == live->exit_code) {
			tp_doc_format(doc, 0, exits[i].role, "exit %d: %s", exits[i].code,
				      exits[i].words);
			return;
		}
	if (live->exit_code > 128)
		snprintf(text, sizeof(text),
			 "signal %d (%s) ended the measuring program; everything that was measured "
			 "before is saved",
			 live->exit_code - 128, strsignal(live->exit_code - 128));
	else
		snprintf(text, sizeof(text), "exit %d", live->exit_code);
	tp_doc_wrap(doc, 0, TP_UI_BAD, text);
}

/* The flags that points show, the most frequent first. */
static void flag_lines(const struct tp_run *run, struct tp_doc *doc)
{
	size_t count[TP_FLAG_COUNT] = { 0 };
	for (size_t i = 0; i < run->n_points; i++)
		for (int f = 0; f < TP_FLAG_COUNT; f++)
			count[f] +=
				run->points[i].state == TP_POINT_DONE &&
				tp_quality_reasons(run->points[i].quality, run->points[i].flags) &
					1u << f;
	for (bool first = true;; first = false) {
		char text[TP_FLAG_ADVICE_BYTES + 80], points[32], advice[TP_FLAG_ADVICE_BYTES];
		int most = 0;
		for (int f = 1; f < TP_FLAG_COUNT; f++)
			if (count[f] > count[most])
				most = f;
		if (!count[most])
			return;
		if (first)
			tp_doc_row(doc, 0, TP_UI_TITLE, "Flags");
		snprintf(text, sizeof(text), "%s, %s: %s", tp_flag_name((enum tp_flag)most),
			 tp_text_count(points, sizeof(points), count[most], "point"),
			 tp_flag_advice((enum tp_flag)most, advice, sizeof(advice)));
		tp_doc_paragraph(doc, 2, TP_UI_WARN, text);
		count[most] = 0;
	}
}

static void counts_line(const struct tp_run *run, struct tp_doc *doc)
{
	static const struct {
		enum tp_point_state state;
		enum tp_role role;
		const char *word;
	} others[] = { { TP_POINT_FAILED, TP_UI_BAD, "failed" },
		       { TP_POINT_SKIPPED, TP_UI_WARN, "skipped" },
		       { TP_POINT_PLANNED, TP_UI_DIM, "not reached" } };
	size_t count[4] = { 0 };
	for (size_t i = 0; i < run->n_points; i++)
		count[run->points[i].state]++;
	tp_doc_row(doc, 0, TP_UI_GOOD, "%zu of %zu points measured", count[TP_POINT_DONE],
		   run->n_points);
	for (size_t i = 0; i < TP_COUNT_OF(others); i++)
		if (count[others[i].state])
			tp_doc_format(doc, TP_DOC_NEXT, others[i].role, ", %zu %s",
				      count[others[i].state], others[i].word);
}

static void quality_line(const struct tp_run *run, struct tp_doc *doc)
{
	char text[64];
	if (!*tp_fact_qualities(run, NULL, text, sizeof(text)))
		return;
	tp_doc_row(doc, 0, TP_UI_PLAIN, "%s", text);
	if (tp_quality_has_marks(run))
		tp_doc_format(doc, TP_DOC_NEXT, TP_UI_DIM, "  (%s)", TP_QUALITY_LEGEND);
}

static bool lacks_points(const struct tp_run *run)
{
	for (size_t i = 0; i < run->n_points; i++)
		if (run->points[i].state != TP_POINT_DONE)
			return true;
	return strcmp(run->state, "complete") != 0;
}

static void next_lines(const struct tp_app *app, const struct tp_run *run, struct tp_doc *doc)
{
	const char *found;
	tp_doc_row(doc, 0, TP_UI_TITLE, "Next");
	if (lacks_points(run) && !app->live.replay)
		key_line(doc, TP_ACTION_RESUME, "measure what is missing");
	for (int a = 0; a < TP_ACTION_COUNT; a++)
		if ((found = tp_shown_finds(tp_action_table[a].go, run)))
			key_line(doc, (enum tp_action)a, found);
	key_line(doc, TP_ACTION_REPORT, "the numbers as tables");
	key_line(doc, TP_ACTION_START, "measure what is set up");
	key_line(doc, TP_ACTION_GO_RUNS, "all runs, and comparing them");
}

void tp_run_summary(const struct tp_app *app, struct tp_doc *doc)
{
	const struct tp_run *run = tp_app_run(app);
	const struct tp_live *live = &app->live;
	bool is_live = live->state != TP_LIVE_NONE;
	char seconds[48];
	counts_line(run, doc);
	quality_line(run, doc);
	if (is_live)
		exit_lines(live, doc);
	if (run->wall_seconds > 0)
		tp_doc_row(doc, 0, TP_UI_PLAIN, "took %s",
			   tp_format_seconds(seconds, sizeof(seconds), run->wall_seconds));
	tp_doc_paragraph(doc, 0, TP_UI_DIM, is_live ? live->directory : app->runs[0].path);
	tp_doc_line(doc, -1);
	/* The last words of the measuring program, such as "no space left on device". */
	if (is_live && live->exit_code > 0 && live->exit_code != TP_EXIT_INTERRUPTED &&
	    live->words[0]) {
		tp_doc_paragraph(doc, 0, TP_UI_WARN, live->words);
		tp_doc_line(doc, -1);
	}
	next_lines(app, run, doc);
	tp_doc_line(doc, -1);
	flag_lines(run, doc);
}

/* --- before the run --- */

/* The different words that a field has over the plan: "avx512, avx2, sse2". */
static void words_line(const struct tp_plan *plan, struct tp_doc *doc, const char *title,
		       const char *column)
{
	struct tp_str words = { 0 };
	for (size_t i = 0; i < plan->n; i++) {
		const char *word = tp_point_word(&plan->items[i].point, column);
		bool known = !*word;
		for (size_t k = 0; k < i && !known; k++)
			known = strcmp(word, tp_point_word(&plan->items[k].point, column)) == 0;
		if (!known)
			tp_str_printf(&words, "%s%s", words.len ? ", " : "", word);
	}
	if (words.len) {
		tp_doc_row(doc, 0, TP_UI_DIM, "%s", title);
		tp_doc_text(doc, VALUE_AT, TP_UI_PLAIN, tp_str_text(&words));
	}
	tp_str_release(&words);
}

static void size_lines(const struct tp_plan *plan, struct tp_doc *doc)
{
	uint64_t least = UINT64_MAX, most = 0;
	unsigned fewest = UINT_MAX, threads = 0;
	char a[32], b[32];
	for (size_t i = 0; i < plan->n; i++) {
		const struct tp_point *p = &plan->items[i].point;
		if (tp_kernel_row(p)->working_set_bytes)
			least = TP_MIN(least, tp_kernel_row(p)->working_set_bytes);
		most = TP_MAX(most, tp_kernel_row(p)->working_set_bytes);
		fewest = TP_MIN(fewest, p->threads);
		threads = TP_MAX(threads, p->threads);
	}
	tp_doc_row(doc, 0, TP_UI_DIM, "threads");
	if (fewest == threads)
		tp_doc_format(doc, VALUE_AT, TP_UI_PLAIN, "%u", threads);
	else
		tp_doc_format(doc, VALUE_AT, TP_UI_PLAIN, "%u to %u", fewest, threads);
	if (!most)
		return;
	tp_doc_row(doc, 0, TP_UI_DIM, "sizes");
	tp_doc_format(doc, VALUE_AT, TP_UI_PLAIN, "%s to %s a thread",
		      tp_format_bytes(a, sizeof(a), least), tp_format_bytes(b, sizeof(b), most));
}

static void problem_lines(const struct tp_diags *problems, struct tp_doc *doc)
{
	tp_doc_row(doc, 0, TP_UI_BAD, "What is set up cannot be measured:");
	tp_doc_line(doc, -1);
	for (size_t i = 0; i < problems->n; i++) {
		char text[1100];
		const struct tp_diag *d = &problems->items[i];
		snprintf(text, sizeof(text), "%s%s%s%s%s", d->where, d->where[0] ? ": " : "",
			 d->what, d->hint[0] ? "\n" : "", d->hint);
		tp_doc_paragraph(doc, 0, TP_UI_PLAIN, text);
		tp_doc_line(doc, -1);
	}
	key_line(doc, TP_ACTION_GO_SETUP, "change it");
}

void tp_run_plan(const struct tp_app *app, struct tp_doc *doc)
{
	const struct tp_plan *plan = &app->session.plan;
	char count[32], seconds[48];
	if (app->problems.n) {
		problem_lines(&app->problems, doc);
		return;
	}
	tp_doc_line(doc, -1);
	if (!plan->n) {
		tp_doc_text(doc, 0, TP_UI_PLAIN, "Nothing is set up.");
		tp_doc_line(doc, -1);
		key_line(doc, TP_ACTION_GO_SETUP, "choose what to measure");
		return;
	}
	tp_doc_text(doc, 0, TP_UI_STRONG, tp_text_count(count, sizeof(count), plan->n, "point"));
	tp_doc_format(doc, TP_DOC_NEXT, TP_UI_PLAIN, ", about %s",
		      tp_format_seconds(seconds, sizeof(seconds), plan->estimate_seconds));
	tp_doc_line(doc, -1);
	words_line(plan, doc, "experiment", "experiment");
	words_line(plan, doc, "ISA", "isa");
	words_line(plan, doc, "precision", "precision");
	words_line(plan, doc, "kernels", "kernel");
	words_line(plan, doc, "levels", "level");
	size_lines(plan, doc);
	tp_doc_line(doc, -1);
	key_line(doc, TP_ACTION_START, "measure it");
	key_line(doc, TP_ACTION_GO_SETUP, "change it");
	key_line(doc, TP_ACTION_GO_RUNS, "open an earlier run");
	tp_doc_line(doc, -1);
	for (size_t i = 0; i < plan->notes.n; i++)
		tp_doc_paragraph(doc, 0, TP_UI_DIM, plan->notes.items[i].what);
}
