/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Before a run: what would be run. After it: what came of it and where to go next. */
#include "ui/tui/run_view.h"
#include "ui/tui/control.h"
#include "base/units.h"
#include "base/vec.h"
#include "report/text.h"

#include <stdio.h>
#include <string.h>

static const struct {
	int code;
	enum tp_role role;
	const char *words;
} exits[] = {
	{ TP_EXIT_OK, TP_UI_GOOD, "every point was measured" },
	{ TP_EXIT_FAILED, TP_UI_BAD, "nothing could be measured" },
	{ TP_EXIT_USAGE, TP_UI_BAD, "what was asked for cannot be" },
	{ TP_EXIT_SKIPPED, TP_UI_WARN, "some points are missing" },
	{ TP_EXIT_RESOURCE, TP_UI_BAD, "something could not be had or written" },
	{ TP_EXIT_UNSTABLE, TP_UI_WARN, "some points are unstable" },
	{ TP_EXIT_INTERRUPTED, TP_UI_WARN, "stopped; what was measured is saved" },
	{ 127, TP_UI_BAD, "the program could not be started" },
};

static int key_line(struct tp_area area, int row, enum tp_action action, const char *words)
{
	char name[16];
	tp_keys_name(action, name, sizeof(name));
	tp_paint_right(area, row, 6, TP_UI_KEY, name);
	tp_paint_text(area, row, 8, TP_UI_PLAIN, words);
	return 1;
}

static int exit_line(const struct tp_live *live, struct tp_area area, int row)
{
	if (live->exit_code < 0)
		return 0;
	for (size_t i = 0; i < TP_COUNT_OF(exits); i++)
		if (exits[i].code == live->exit_code) {
			tp_paint_format(area, row, 0, exits[i].role, "exit %d: %s", exits[i].code,
					exits[i].words);
			return 1;
		}
	char text[200];
	if (live->exit_code > 128)
		snprintf(text, sizeof(text),
			 "the measuring program was ended by signal %d (%s); what was measured "
			 "until "
			 "then is on disk",
			 live->exit_code - 128, strsignal(live->exit_code - 128));
	else
		snprintf(text, sizeof(text), "exit %d", live->exit_code);
	return tp_paint_wrapped(area, row, 0, TP_UI_BAD, text);
}

/* Flags that occurred, the most frequent first, in words. */
static int flags_lines(const struct tp_run *run, struct tp_area area, int row)
{
	size_t count[TP_FLAG_COUNT] = { 0 };
	int from = row;
	for (size_t i = 0; i < run->n_points; i++)
		for (int f = 0; f < TP_FLAG_COUNT; f++)
			count[f] += run->points[i].state == TP_POINT_DONE &&
				    run->points[i].flags & 1u << f;
	while (row + (row == from) < area.rows) {
		int most = 0;
		for (int f = 1; f < TP_FLAG_COUNT; f++)
			if (count[f] > count[most])
				most = f;
		if (!count[most])
			break;
		char text[400], points[32];
		snprintf(text, sizeof(text), "%s, %s: %s", tp_flag_name((enum tp_flag)most),
			 tp_text_count(points, sizeof(points), count[most], "point"),
			 tp_flag_help((enum tp_flag)most));
		if (row == from)
			tp_paint_text(area, row++, 0, TP_UI_TITLE, "Flags");
		row += tp_paint_wrapped(tp_area_columns(area, 2, area.columns - 2), row, 0,
					TP_UI_WARN, text);
		count[most] = 0;
	}
	return row > from ? row - from + 1 : 0;
}

static int counts_line(const struct tp_run *run, struct tp_area area, int row)
{
	size_t state[4] = { 0 };
	for (size_t i = 0; i < run->n_points; i++)
		state[run->points[i].state]++;
	int at = tp_paint_format(area, row, 0, TP_UI_GOOD, "%zu of %zu points measured",
				 state[TP_POINT_DONE], run->n_points);
	if (state[TP_POINT_FAILED])
		at += tp_paint_format(area, row, at, TP_UI_BAD, ", %zu failed",
				      state[TP_POINT_FAILED]);
	if (state[TP_POINT_SKIPPED])
		at += tp_paint_format(area, row, at, TP_UI_WARN, ", %zu skipped",
				      state[TP_POINT_SKIPPED]);
	if (state[TP_POINT_PLANNED])
		tp_paint_format(area, row, at, TP_UI_DIM, ", %zu not reached",
				state[TP_POINT_PLANNED]);
	return 1;
}

static bool lacks_points(const struct tp_run *run)
{
	for (size_t i = 0; i < run->n_points; i++)
		if (run->points[i].state != TP_POINT_DONE)
			return true;
	return strcmp(run->state, "complete") != 0;
}

static int next_lines(const struct tp_app *app, const struct tp_run *run, struct tp_area area,
		      int row)
{
	int from = row;
	bool curves = false, latency = false;
	for (size_t i = 0; i < run->n_points; i++) {
		if (run->points[i].state != TP_POINT_DONE)
			continue;
		curves |= strcmp(run->points[i].experiment, "memcurve") == 0;
		latency |= strcmp(run->points[i].experiment, "latency") == 0;
	}
	tp_paint_text(area, row++, 0, TP_UI_TITLE, "Next");
	if (lacks_points(run) && !app->live.replay)
		row += key_line(area, row, TP_ACTION_RESUME, "measure what is missing");
	if (run->n_roofs)
		row += key_line(area, row, TP_ACTION_GO_ROOFLINE, "the roofline");
	if (curves || latency)
		row += key_line(area, row, TP_ACTION_GO_CURVE,
				curves ? "the memory curve" : "the latency curve");
	if (run->n_dots)
		row += key_line(area, row, TP_ACTION_GO_MIXED, "the mixed kernels");
	if (run->n_classes)
		row += key_line(area, row, TP_ACTION_GO_COUNTERS, "what the events count");
	if (run->n_trials)
		row += key_line(area, row, TP_ACTION_GO_AUTOTUNE, "what the searches found");
	row += key_line(area, row, TP_ACTION_REPORT, "the numbers as tables");
	row += key_line(area, row, TP_ACTION_START, "measure what is set up");
	row += key_line(area, row, TP_ACTION_GO_RUNS, "all runs, and comparing them");
	return row - from + 1;
}

void tp_run_summary_draw(struct tp_app *app, struct tp_area area)
{
	const struct tp_run *run = tp_app_run(app);
	const struct tp_live *live = &app->live;
	char seconds[48];
	int row = 0;
	row += counts_line(run, area, row);
	if (live->state != TP_LIVE_NONE)
		row += exit_line(live, area, row);
	if (run->wall_seconds > 0)
		tp_paint_format(area, row++, 0, TP_UI_PLAIN, "took %s",
				tp_format_seconds(seconds, sizeof(seconds), run->wall_seconds));
	const char *directory = live->state != TP_LIVE_NONE ? live->directory : app->runs[0].path;
	row += tp_paint_wrapped(area, row, 0, TP_UI_DIM, directory) + 1;
	/* What the program said when not all went well: no space, no permission, another place. */
	if (live->state != TP_LIVE_NONE && live->exit_code > 0 &&
	    live->exit_code != TP_EXIT_INTERRUPTED && live->words[0])
		row += tp_paint_wrapped(area, row, 0, TP_UI_WARN, live->words) + 1;
	row += next_lines(app, run, area, row);
	flags_lines(run, area, row);
}

/* --- before --- */

/* Different words of a field over the plan: "avx512, avx2, sse2". */
static void words_of(const struct tp_plan *plan, size_t offset, struct tp_str *out)
{
	for (size_t i = 0; i < plan->n; i++) {
		const char *word = (const char *)&plan->items[i].point + offset;
		bool known = !*word;
		for (size_t k = 0; k < i && !known; k++)
			known = strcmp(word, (const char *)&plan->items[k].point + offset) == 0;
		if (!known)
			tp_str_printf(out, "%s%s", out->len ? ", " : "", word);
	}
}

static int words_line(const struct tp_plan *plan, struct tp_area area, int row, const char *title,
		      size_t offset)
{
	struct tp_str words = { 0 };
	words_of(plan, offset, &words);
	int rows = words.len > 0;
	if (rows) {
		tp_paint_text(area, row, 0, TP_UI_DIM, title);
		tp_paint_text(area, row, 13, TP_UI_PLAIN, tp_str_text(&words));
	}
	tp_str_release(&words);
	return rows;
}

static int size_line(const struct tp_plan *plan, struct tp_area area, int row)
{
	uint64_t least = 0, most = 0;
	unsigned fewest = 0, threads = 0;
	char a[32], b[32];
	for (size_t i = 0; i < plan->n; i++) {
		const struct tp_point *p = &plan->items[i].point;
		uint64_t bytes = p->working_set_bytes;
		if (bytes) {
			least = least ? TP_MIN(least, bytes) : bytes;
			most = TP_MAX(most, bytes);
		}
		fewest = fewest ? TP_MIN(fewest, p->threads) : p->threads;
		threads = TP_MAX(threads, p->threads);
	}
	tp_paint_text(area, row, 0, TP_UI_DIM, "threads");
	if (fewest == threads)
		tp_paint_format(area, row, 13, TP_UI_PLAIN, "%u", threads);
	else
		tp_paint_format(area, row, 13, TP_UI_PLAIN, "%u to %u", fewest, threads);
	if (!most)
		return 1;
	tp_paint_text(area, row + 1, 0, TP_UI_DIM, "sizes");
	tp_paint_format(area, row + 1, 13, TP_UI_PLAIN, "%s to %s a thread",
			tp_format_bytes(a, sizeof(a), least), tp_format_bytes(b, sizeof(b), most));
	return 2;
}

void tp_run_plan_draw(struct tp_app *app, struct tp_area area)
{
	const struct tp_plan *plan = &app->session.plan;
	char count[32], seconds[48];
	int row = 0;
	if (app->problems.n) {
		tp_paint_text(area, row, 0, TP_UI_BAD, "What is set up cannot be measured:");
		row += 2;
		for (size_t i = 0; i < app->problems.n && row < area.rows - 2; i++) {
			char text[1100];
			const struct tp_diag *d = &app->problems.items[i];
			snprintf(text, sizeof(text), "%s%s%s%s%s", d->where,
				 d->where[0] ? ": " : "", d->what, d->hint[0] ? "\n" : "", d->hint);
			row += tp_paint_wrapped(area, row, 0, TP_UI_PLAIN, text) + 1;
		}
		key_line(area, row, TP_ACTION_GO_SETUP, "change it");
		return;
	}
	if (!plan->n) {
		tp_paint_text(area, row, 0, TP_UI_PLAIN, "Nothing is set up.");
		key_line(area, row + 2, TP_ACTION_GO_SETUP, "choose what to measure");
		return;
	}
	int at = tp_paint_text(area, row, 0, TP_UI_STRONG,
			       tp_text_count(count, sizeof(count), plan->n, "point"));
	tp_paint_format(area, row, at, TP_UI_PLAIN, ", about %s",
			tp_format_seconds(seconds, sizeof(seconds), plan->estimate_seconds));
	row += 2;
	row += words_line(plan, area, row, "experiment", offsetof(struct tp_point, experiment));
	row += words_line(plan, area, row, "ISA", offsetof(struct tp_point, isa));
	row += words_line(plan, area, row, "precision", offsetof(struct tp_point, precision));
	row += words_line(plan, area, row, "kernels", offsetof(struct tp_point, kernel));
	row += words_line(plan, area, row, "levels", offsetof(struct tp_point, level));
	row += size_line(plan, area, row) + 1;
	row += key_line(area, row, TP_ACTION_START, "measure it");
	row += key_line(area, row, TP_ACTION_GO_SETUP, "change it");
	row += key_line(area, row, TP_ACTION_GO_RUNS, "open an earlier run");
	row++;
	for (size_t i = 0; i < plan->notes.n && row < area.rows; i++)
		row += tp_paint_wrapped(area, row, 0, TP_UI_DIM, plan->notes.items[i].what);
}
