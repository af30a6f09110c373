/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a search found so far, what is known of one configuration, and what the techniques took, in words and numbers. */
#include "ui/tui/autotune_view.h"
#include "base/units.h"
#include "base/vec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BAR_COLUMNS_MAX = 24, WIDE_TABLE = 88 };
/* A small excess is the noise of two measurements. */
#define OVER_THEORY 1.01
#define LOSS_LIMIT  0.02

void tp_autotune_rule(struct tp_area area, int row, const char *words)
{
	for (int c = 0; c < area.columns; c++)
		tp_paint_text(area, row, c, TP_UI_BORDER, area.term->utf8 ? "\xe2\x94\x80" : "-");
	tp_paint_format(tp_area_columns(area, 2, area.columns - 4), row, 0, TP_UI_TITLE, " %s ",
			words);
}

static const char *plus_minus(struct tp_area area)
{
	return area.term->utf8 ? "\xc2\xb1" : "+-";
}

static const char *ordinal(size_t n)
{
	size_t tens = n % 100 / 10, last = n % 10;
	return tens == 1 ? "th" : last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th";
}

static int value_line(const struct tp_searched *s, struct tp_area area)
{
	char name[TP_TRIAL_NAME_MAX];
	int at = tp_paint_format(area, 0, 0, TP_UI_TITLE, "%.4g %s", s->value, s->unit);
	double half = tp_page_half_width(s->value, s->ci_low, s->ci_high);
	if (isfinite(half))
		at += tp_paint_format(area, 0, at + 1, TP_UI_DIM, "%s%.2g %%", plus_minus(area),
				      half) +
		      1;
	if (s->best)
		at += tp_paint_format(area, 0, at + 2, TP_UI_STRONG, "%s",
				      tp_trial_name(s->best->size, name)) +
		      2;
	if (s->theory > 0)
		tp_paint_format(area, 0, at + 2,
				s->value > OVER_THEORY * s->theory ? TP_UI_WARN : TP_UI_PLAIN,
				"%.1f %% of %.4g", 100 * s->value / s->theory, s->theory);
	return 1;
}

/* How long the search that is under way takes by its plan: what is left of that; negative: not known. */
static double left_seconds(const struct tp_app *app, const struct tp_searched *s)
{
	const struct tp_live *live = &app->live;
	if (!tp_live_is_under_way(live) || live->current != (long)s->point->point)
		return -1;
	return s->point->estimate_seconds > s->seconds ? s->point->estimate_seconds - s->seconds
						       : -1;
}

/* While configurations are still tried for the first time, how many; then how many are over. */
static int progress(const struct tp_searched *s, struct tp_area area, int row, int at)
{
	bool all = s->n >= s->n_all;
	size_t n = all ? s->n_finished : s->n;
	int bar = TP_MIN(area.columns / 4, (int)BAR_COLUMNS_MAX), from = at;
	tp_paint_bar(area, row, at, bar, (double)n / (double)s->n_all,
		     s->n_finished == s->n_all ? TP_UI_GOOD : TP_UI_KEY);
	at += bar + 1;
	at += tp_paint_format(area, row, at, TP_UI_PLAIN, "%zu/%zu %s", n, s->n_all,
			      all ? "over" : "tried");
	return at - from;
}

int tp_autotune_best_draw(const struct tp_app *app, const struct tp_searched *s,
			  struct tp_area area)
{
	char seconds[48];
	int row = 0;
	double left = left_seconds(app, s);
	if (s->value > 0)
		row += value_line(s, area);
	else if (s->point->diag.what[0])
		row += tp_paint_wrapped(area, row, 0,
					s->point->state == TP_POINT_FAILED ? TP_UI_BAD : TP_UI_WARN,
					s->point->diag.what);
	else
		tp_paint_text(area, row++, 0, TP_UI_DIM, "nothing found yet");
	int at = 0;
	if (s->best)
		at += tp_paint_format(area, row, 0, TP_UI_PLAIN, "found as %u%s",
				      s->best->position + 1, ordinal(s->best->position + 1));
	if (s->best && isfinite(s->found_seconds))
		at += tp_paint_format(
			area, row, at, TP_UI_PLAIN, ", after %s",
			tp_format_seconds(seconds, sizeof(seconds), s->found_seconds));
	if (s->n) {
		at += at ? 2 : 0;
		at += progress(s, area, row, at);
		at += tp_paint_format(area, row, at, TP_UI_DIM, " in %s",
				      tp_format_seconds(seconds, sizeof(seconds), s->seconds));
		if (left >= 0)
			tp_paint_format(area, row, at, TP_UI_DIM, ", about %s left",
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
	tp_paint_format(area, row++, 0, TP_UI_STRONG, "%s, %s%s%s, %s, %s on CPU %s", p->kernel,
			p->scope, *p->level && strcmp(p->level, "FP") != 0 ? ", " : "",
			strcmp(p->level, "FP") != 0 ? p->level : "", p->technique,
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
	tp_autotune_rule(area, row++, t ? tp_trial_name(t->size, name) : "no configuration here");
	area = tp_area_columns(area, 1, area.columns - 2);
	if (!t)
		return row;
	enum tp_stop_word word = tp_stop_word_of(t);
	if (t->value > 0) {
		int at = tp_paint_format(area, row, 0, TP_UI_STRONG, "%.4g %s", t->value, s->unit);
		if (t->ci_low > 0 && t->ci_high > 0)
			at += tp_paint_format(area, row, at + 1, TP_UI_PLAIN, "(%.4g to %.4g)",
					      t->ci_low, t->ci_high) +
			      1;
		if (s->best && s->best != t && s->best->value > 0)
			tp_paint_format(area, row, at + 2, TP_UI_PLAIN, "%.1f %% of the best",
					100 * t->value / s->best->value);
		else if (s->best == t)
			tp_paint_text(area, row, at + 2, TP_UI_GOOD, "the best");
		row++;
	}
	int at = tp_paint_format(area, row, 0, TP_UI_PLAIN, "%s, %s",
				 tp_text_count(count, sizeof(count), t->invocations, "invocation"),
				 tp_text_count(calls, sizeof(calls), t->iterations, "iteration"));
	at += tp_paint_format(area, row, at, TP_UI_PLAIN, " in %s",
			      tp_format_seconds(seconds, sizeof(seconds), t->seconds));
	if (t->best > 0)
		tp_paint_format(area, row, at, TP_UI_DIM, ", fastest %.4g", t->best);
	row++;
	const char *help = tp_stop_word_help(t->finished ? word : TP_STOP_WORD_COUNT);
	at = tp_paint_format(area, row, 0, TP_UI_DIM, "tried as %u%s: ", t->position + 1,
			     ordinal(t->position + 1));
	tp_paint_format(area, row++, at,
			word == TP_STOP_WORD_FAILED ? TP_UI_BAD
			: tp_stop_word_is_cut(word) ? TP_UI_WARN
						    : TP_UI_PLAIN,
			"%s%s", t->finished && *t->stopped ? "stopped, " : "", help);
	return row;
}

/* --- techniques --- */

static void titles(struct tp_area area, int row, const struct tp_searched *s, bool wide)
{
	tp_paint_text(area, row, 0, TP_UI_DIM, "technique");
	tp_paint_right(area, row, 23, TP_UI_DIM, s->unit);
	tp_paint_right(area, row, 36, TP_UI_DIM, "time");
	tp_paint_right(area, row, 46, TP_UI_DIM, "speed-up");
	tp_paint_right(area, row, 54, TP_UI_DIM, "loss");
	tp_paint_text(area, row, 56, TP_UI_DIM, wide ? "best configuration" : "best");
}

static void technique_row(const struct tp_autotune_view *view, size_t i, struct tp_area area,
			  int row)
{
	const struct tp_searched *s = &view->others[i];
	const struct tp_study_row *study = view->study[i];
	bool here = s->point->point == view->point;
	char text[48], name[TP_TRIAL_NAME_MAX];
	tp_paint_text(tp_area_columns(area, 0, 14), row, 0, here ? TP_UI_TITLE : TP_UI_STRONG,
		      *s->point->technique ? s->point->technique : "?");
	if (s->value > 0) {
		snprintf(text, sizeof(text), "%.4g", s->value);
		tp_paint_right(area, row, 23, TP_UI_STRONG, text);
	}
	tp_paint_right(area, row, 36, TP_UI_PLAIN,
		       tp_format_seconds(text, sizeof(text), s->seconds));
	if (study && study->speedup > 0 && isfinite(study->speedup)) {
		snprintf(text, sizeof(text), "%.3gx", study->speedup);
		tp_paint_right(area, row, 46, TP_UI_GOOD, text);
	}
	if (study && study->baseline_value > 0 && isfinite(study->loss)) {
		snprintf(text, sizeof(text), "%.2f%%", 100 * study->loss + 0.0);
		tp_paint_right(area, row, 54, study->loss > LOSS_LIMIT ? TP_UI_WARN : TP_UI_PLAIN,
			       text);
	}
	if (s->best)
		tp_paint_text(area, row, 56, TP_UI_PLAIN, tp_trial_name(s->best->size, name));
}

int tp_autotune_techniques_draw(struct tp_autotune_view *view, struct tp_area area)
{
	int row = 0;
	size_t from = 0;
	if (!view->n_others || area.rows < 3)
		return 0;
	tp_autotune_rule(area, row++, "Techniques");
	area = tp_area_columns(area, 1, area.columns - 2);
	titles(area, row++, &view->search, area.columns >= WIDE_TABLE);
	/* The one that is shown stays in sight. */
	size_t room = (size_t)(area.rows - row), own = 0;
	for (size_t i = 0; i < view->n_others; i++)
		if (view->others[i].point->point == view->point)
			own = i;
	if (view->n_others > room && own + 1 > room)
		from = own + 1 - room;
	view->first = from;
	view->table = tp_area_rows(area, row, (int)TP_MIN(view->n_others - from, room));
	for (size_t i = from; i < view->n_others && row < area.rows; i++)
		technique_row(view, i, area, row++);
	return row;
}
