/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a search found so far, what is known of one configuration, and what the techniques took, in
 * words and numbers.
 */
#include "experiments/autotune/screen.h"
#include "base/text.h"
#include "base/memory.h"
#include "record/point.h"
#include "experiments/autotune/search_row.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BAR_COLUMNS_MAX = 24, WIDE_TABLE = 88 };
/* A small excess is the noise of two measurements. */
#define OVER_THEORY 1.01
#define LOSS_LIMIT  0.02

static const char *ordinal(size_t n)
{
	size_t tens = n % 100 / 10, last = n % 10;
	return tens == 1 ? "th" : last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th";
}

static void value_line(const struct tp_searched *s, struct tp_text_row line)
{
	char name[TP_TRIAL_NAME_MAX];
	double half = tp_page_half_width(s->value, s->ci_low, s->ci_high);
	tp_words(&line, 0, TP_UI_TITLE, "%.4g %s", s->value, s->unit);
	if (isfinite(half))
		tp_words(&line, 1, TP_UI_DIM, "%s%.2g %%", tp_paint_pm(line.area), half);
	if (s->best)
		tp_words(&line, 2, TP_UI_STRONG, "%s", tp_trial_name(s->best->size, name));
	if (s->theory > 0)
		tp_words(&line, 2, s->value > OVER_THEORY * s->theory ? TP_UI_WARN : TP_UI_PLAIN,
			 "%.1f %% of %.4g", 100 * s->value / s->theory, s->theory);
}

/* Seconds that the search under way still takes by its plan; negative: not known. */
static double left_seconds(const struct tp_app *app, const struct tp_searched *s)
{
	const struct tp_live *live = &app->live;
	double left = s->point->estimate_seconds - s->seconds;
	bool under_way = tp_live_is_under_way(live) && live->current == (long)s->point->point;
	return under_way && left > 0 ? left : -1;
}

/*
 * A bar of how many configurations were tried; once all were tried for the first time, of how many
 * are over.
 */
static void progress(const struct tp_searched *s, struct tp_text_row *line)
{
	bool all = s->n >= s->n_all;
	size_t n = all ? s->n_finished : s->n;
	int bar = TP_MIN(line->area.columns / 4, (int)BAR_COLUMNS_MAX);
	tp_paint_bar(line->area, line->row, line->at, bar, (double)n / (double)s->n_all,
		     s->n_finished == s->n_all ? TP_UI_GOOD : TP_UI_KEY);
	line->at += bar;
	tp_words(line, 1, TP_UI_PLAIN, "%zu/%zu %s", n, s->n_all, all ? "over" : "tried");
}

int tp_autotune_best_draw(const struct tp_app *app, const struct tp_searched *s,
			  struct tp_area area)
{
	char seconds[48];
	int row = 1;
	double left = left_seconds(app, s);
	if (s->value > 0)
		value_line(s, (struct tp_text_row){ area, 0, 0 });
	else if (s->point->diag.what[0])
		row = tp_paint_wrapped(area, 0, 0,
				       s->point->state == TP_POINT_FAILED ? TP_UI_BAD : TP_UI_WARN,
				       s->point->diag.what);
	else
		tp_paint_text(area, 0, 0, TP_UI_DIM, "nothing found yet");
	struct tp_text_row line = { area, row, 0 };
	if (s->best)
		tp_words(&line, 0, TP_UI_PLAIN, "found as %u%s", s->best->position + 1,
			 ordinal(s->best->position + 1));
	if (s->best && isfinite(s->found_seconds))
		tp_words(&line, 0, TP_UI_PLAIN, ", after %s",
			 tp_format_seconds(seconds, sizeof(seconds), s->found_seconds));
	if (s->n) {
		line.at += line.at ? 2 : 0;
		progress(s, &line);
		tp_words(&line, 0, TP_UI_DIM, " in %s",
			 tp_format_seconds(seconds, sizeof(seconds), s->seconds));
		if (left >= 0)
			tp_words(&line, 0, TP_UI_DIM, ", about %s left",
				 tp_format_seconds(seconds, sizeof(seconds), left));
	}
	return row + 1;
}

int tp_autotune_point_draw(const struct tp_app *app, const struct tp_point *p, struct tp_area area)
{
	struct tp_searched s;
	char threads[32];
	struct tp_str stops = { 0 };
	int row = 0;
	tp_paint_format(
		area, row++, 0, TP_UI_STRONG, "%s, %s%s%s, %s, %s on CPU %s", p->kernel,
		tp_search_row(p)->scope,
		*tp_kernel_row(p)->level && strcmp(tp_kernel_row(p)->level, "FP") != 0 ? ", " : "",
		strcmp(tp_kernel_row(p)->level, "FP") != 0 ? tp_kernel_row(p)->level : "",
		tp_search_row(p)->technique,
		tp_text_count(threads, sizeof(threads), p->threads, "thread"), p->cpus);
	if (!tp_searched_of(tp_app_run(app), p->point, &s))
		return row;
	row += tp_autotune_best_draw(app, &s, tp_area_rows(area, row, area.rows - row));
	tp_searched_stops(&s, &stops);
	if (stops.len && row < area.rows)
		row += tp_paint_wrapped(area, row, 0, TP_UI_DIM, tp_str_text(&stops));
	tp_str_release(&stops);
	return row;
}

int tp_autotune_trial_draw(const struct tp_autotune_view *view, struct tp_area area)
{
	const struct tp_trial *t = tp_autotune_at(view);
	const struct tp_searched *s = &view->search;
	char name[TP_TRIAL_NAME_MAX], seconds[48], count[32], calls[32];
	int row = 0;
	if (area.rows < 2)
		return 0;
	tp_paint_rule(area, row++, t ? tp_trial_name(t->size, name) : "no configuration here");
	if (!t)
		return row;
	area = tp_area_columns(area, 1, area.columns - 2);
	if (t->value > 0) {
		struct tp_text_row line = { area, row++, 0 };
		tp_words(&line, 0, TP_UI_STRONG, "%.4g %s", t->value, s->unit);
		if (t->ci_low > 0 && t->ci_high > 0)
			tp_words(&line, 1, TP_UI_PLAIN, "(%.4g to %.4g)", t->ci_low, t->ci_high);
		if (s->best == t)
			tp_words(&line, 2, TP_UI_GOOD, "the best");
		else if (s->best && s->best->value > 0)
			tp_words(&line, 2, TP_UI_PLAIN, "%.1f %% of the best",
				 100 * t->value / s->best->value);
	}
	struct tp_text_row work = { area, row++, 0 }, end = { area, row++, 0 };
	enum tp_stop_word word = tp_stop_word_of(t);
	tp_words(&work, 0, TP_UI_PLAIN, "%s, %s in %s",
		 tp_text_count(count, sizeof(count), t->invocations, "invocation"),
		 tp_text_count(calls, sizeof(calls), t->iterations, "iteration"),
		 tp_format_seconds(seconds, sizeof(seconds), t->seconds));
	if (t->best > 0)
		tp_words(&work, 0, TP_UI_DIM, ", fastest %.4g", t->best);
	tp_words(&end, 0, TP_UI_DIM, "tried as %u%s: ", t->position + 1, ordinal(t->position + 1));
	tp_words(&end, 0,
		 word == TP_STOP_WORD_FAILED ? TP_UI_BAD
		 : tp_stop_word_is_cut(word) ? TP_UI_WARN
					     : TP_UI_PLAIN,
		 "%s%s", t->finished && *t->stopped ? "stopped, " : "",
		 tp_stop_word_help(t->finished ? word : TP_STOP_WORD_COUNT));
	return row;
}

/* --- techniques --- */

enum { TECHNIQUE, VALUE, TIME, SPEEDUP, LOSS, BEST, COLUMNS };

static void technique_row(const struct tp_autotune_view *view, size_t i, struct tp_area line,
			  const struct tp_table_column columns[COLUMNS])
{
	const struct tp_searched *s = &view->others[i];
	const struct tp_study_row *study = view->study[i];
	bool here = s->point->point == view->point;
	char text[48], name[TP_TRIAL_NAME_MAX];
	const char *technique = tp_search_row(s->point)->technique;
	tp_paint_text(tp_area_columns(line, 0, 14), 0, 0, here ? TP_UI_TITLE : TP_UI_STRONG,
		      *technique ? technique : "?");
	if (s->value > 0)
		tp_table_cell(line, 0, &columns[VALUE], TP_UI_STRONG, "%.4g", s->value);
	tp_table_cell(line, 0, &columns[TIME], TP_UI_PLAIN, "%s",
		      tp_format_seconds(text, sizeof(text), s->seconds));
	if (study && study->speedup > 0 && isfinite(study->speedup))
		tp_table_cell(line, 0, &columns[SPEEDUP], TP_UI_GOOD, "%.3gx", study->speedup);
	if (study && study->baseline_value > 0 && isfinite(study->loss))
		tp_table_cell(line, 0, &columns[LOSS],
			      study->loss > LOSS_LIMIT ? TP_UI_WARN : TP_UI_PLAIN, "%.2f%%",
			      100 * study->loss + 0.0);
	if (s->best)
		tp_table_cell(line, 0, &columns[BEST], TP_UI_PLAIN, "%s",
			      tp_trial_name(s->best->size, name));
}

void tp_autotune_techniques_draw(struct tp_autotune_view *view, struct tp_area area)
{
	struct tp_list *list = &view->techniques;
	const struct tp_table_column columns[COLUMNS] = {
		[TECHNIQUE] = { "technique", 0, 0 },
		[VALUE] = { view->search.unit, 0, 23 },
		[TIME] = { "time", 0, 36 },
		[SPEEDUP] = { "speed-up", 0, 46 },
		[LOSS] = { "loss", 0, 54 },
		[BEST] = { area.columns - 2 >= WIDE_TABLE ? "best configuration" : "best", 56, 0 },
	};
	if (!list->n || area.rows < 3)
		return;
	tp_paint_rule(area, 0, "Techniques");
	area = tp_area_columns(area, 1, area.columns - 2);
	tp_table_titles(area, 1, columns, COLUMNS, TP_UI_DIM);
	list->area = tp_area_rows(area, 2, area.rows - 2);
	list->top = 0;
	tp_list_fit(list, list->area.rows); /* the one that is shown is in sight */
	for (int r = 0; r < list->area.rows && list->top + (size_t)r < list->n; r++)
		technique_row(view, list->top + (size_t)r, tp_area_rows(list->area, r, 1), columns);
}
