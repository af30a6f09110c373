/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One point of a run: what it is, what its windows say so far, and the windows themselves. */
#include "ui/tui/run_view.h"
#include "ui/tui/autotune_view.h"
#include "ui/tui/counters_progress.h"
#include "analysis/stats.h"
#include "base/units.h"
#include "base/vec.h"
#include "report/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of very many windows the newest are enough for an estimate and for a plot. */
enum { WINDOWS_MAX = 1024 };

#define CONFIDENCE 0.99
/*
 * Which windows are kept is decided over all of them, at the end (measure/sampler.h). What is known of each one before, and shown here, is
 * whether it was disturbed.
 */
/* A window further below the median than this would squeeze all the others together: it is drawn at the edge. */
#define LOWEST_OF_MEDIAN  0.6
#define HIGHEST_OF_MEDIAN 1.8

double tp_run_window_value(const struct tp_point *point, const struct tp_sample *sample)
{
	if (tp_point_headline(point) != TP_HEADLINE_NS)
		return sample->rate;
	return sample->rate > 0 ? 1 / sample->rate : NAN;
}

static size_t first_window(const struct tp_point *point)
{
	return point->n_samples > WINDOWS_MAX ? point->n_samples - WINDOWS_MAX : 0;
}

/* Where everything was disturbed, that is all there is. */
static bool all_dropped(const struct tp_point *point)
{
	for (size_t i = first_window(point); i < point->n_samples; i++)
		if (!point->samples[i].flags)
			return false;
	return true;
}

bool tp_run_estimate(const struct tp_point *point, double *median, double *low, double *high)
{
	double kept[WINDOWS_MAX];
	size_t n = 0;
	bool all = all_dropped(point);
	for (size_t i = first_window(point); i < point->n_samples; i++) {
		double v = tp_run_window_value(point, &point->samples[i]);
		if ((all || !point->samples[i].flags) && v > 0 && isfinite(v))
			kept[n++] = v;
	}
	if (!n)
		return false;
	tp_sort_doubles(kept, n);
	struct tp_interval ci = tp_median_interval_sorted(kept, n, CONFIDENCE);
	*median = tp_median_sorted(kept, n);
	*low = ci.low;
	*high = ci.high;
	return true;
}

static int value_line(struct tp_app *app, const struct tp_point *p, struct tp_area area, int row)
{
	const char *unit = tp_headline_unit(tp_point_headline(p));
	char text[32], percent[32] = "";
	double median = tp_point_median(p), low = p->ci_low, high = p->ci_high;
	bool done = p->state == TP_POINT_DONE;
	if (!done && !tp_run_estimate(p, &median, &low, &high)) {
		tp_paint_text(area, row, 0, TP_UI_DIM, "no window yet: buffers, warm-up, races");
		return 1;
	}
	int at = tp_paint_format(area, row, 0, TP_UI_TITLE, "%s %s",
				 tp_run_number(text, sizeof(text), median), unit);
	if (median > 0 && low > 0 && high >= low)
		snprintf(percent, sizeof(percent), " %s%.2g %%", app->term.utf8 ? "\xc2\xb1" : "+-",
			 50 * (high - low) / median);
	at += tp_paint_text(area, row, at, TP_UI_PLAIN, percent);
	if (!done)
		tp_paint_text(area, row, at, TP_UI_DIM, "  so far");
	else if (tp_point_best(p) > 0)
		tp_paint_format(area, row, at, TP_UI_DIM, "  best %s",
				tp_run_number(text, sizeof(text), tp_point_best(p)));
	return 1;
}

static int windows_line(const struct tp_point *p, struct tp_area area, int row)
{
	size_t dropped = 0;
	char seconds[32] = "", estimate[32];
	if (!p->n_samples)
		return 0;
	for (size_t i = 0; i < p->n_samples; i++)
		dropped += p->samples[i].flags != 0;
	if (p->state == TP_POINT_DONE) {
		dropped = p->n_samples - TP_MIN(p->kept, (unsigned)p->n_samples);
		tp_format_seconds(seconds, sizeof(seconds), p->seconds);
	} else {
		snprintf(seconds, sizeof(seconds), "about %s",
			 tp_format_seconds(estimate, sizeof(estimate), p->estimate_seconds));
	}
	int at = tp_paint_format(area, row, 0, TP_UI_PLAIN, "%zu windows", p->n_samples);
	if (p->state != TP_POINT_DONE && all_dropped(p))
		at += tp_paint_text(area, row, at, TP_UI_WARN, ", all disturbed so far");
	else if (dropped)
		at += tp_paint_format(area, row, at, TP_UI_WARN, ", %zu %s", dropped,
				      p->state == TP_POINT_DONE ? "dropped" : "disturbed");
	if (p->invocations > 1)
		at += tp_paint_format(area, row, at, TP_UI_PLAIN, ", %u processes", p->invocations);
	tp_paint_format(area, row, at, TP_UI_DIM, ", %s", seconds);
	return 1;
}

static int cycles_line(const struct tp_point *p, struct tp_area area, int row)
{
	struct tp_str line = { 0 };
	if (p->bytes_per_cycle > 0)
		tp_str_printf(&line, "%.4g bytes/cycle  ", p->bytes_per_cycle);
	if (p->flop_per_cycle > 0)
		tp_str_printf(&line, "%.4g FLOP/cycle  ", p->flop_per_cycle);
	if (p->ipc > 0)
		tp_str_printf(&line, "IPC %.3g  ", p->ipc);
	if (p->core_ghz > 0)
		tp_str_printf(&line, "%.2f GHz", p->core_ghz);
	tp_paint_text(area, row, 0, TP_UI_PLAIN, tp_str_text(&line));
	int rows = line.len > 0;
	tp_str_release(&line);
	return rows;
}

static int bound_line(const struct tp_point *p, struct tp_area area, int row)
{
	char text[32];
	double median = tp_point_median(p);
	if (p->state != TP_POINT_DONE || !(p->bound > 0) || !(median > 0) ||
	    tp_point_headline(p) == TP_HEADLINE_NS)
		return 0;
	tp_paint_format(area, row, 0, TP_UI_PLAIN, "%.0f %% of the theoretical %s %s",
			100 * median / p->bound, tp_run_number(text, sizeof(text), p->bound),
			tp_headline_unit(tp_point_headline(p)));
	return 1;
}

int tp_run_point_text(struct tp_app *app, const struct tp_point *p, struct tp_area area)
{
	char size[32], count[32];
	struct tp_str what = { 0 };
	int row = 0;
	if (tp_point_is_counting(p))
		return tp_counting_text(app, p, area);
	if (tp_point_is_search(p) && app->live.current == (long)p->point &&
	    p->state == TP_POINT_PLANNED)
		return tp_autotune_point_draw(app, p, area);
	tp_str_printf(&what, "%s %s %s", p->isa, p->precision, p->kernel);
	if (p->level[0])
		tp_str_printf(&what, ", %s", p->level);
	if (p->working_set_bytes)
		tp_str_printf(&what, ", %s",
			      tp_format_bytes(size, sizeof(size), p->working_set_bytes));
	tp_str_printf(&what, ", %s on CPU %s",
		      tp_text_count(count, sizeof(count), p->threads, "thread"), p->cpus);
	tp_paint_text(area, row++, 0, TP_UI_STRONG, tp_str_text(&what));
	tp_str_release(&what);
	if (p->state == TP_POINT_FAILED || p->state == TP_POINT_SKIPPED) {
		enum tp_role role = p->state == TP_POINT_FAILED ? TP_UI_BAD : TP_UI_WARN;
		row += tp_paint_wrapped(area, row, 0, role, p->diag.what);
		if (p->diag.hint[0])
			row += tp_paint_wrapped(area, row, 0, TP_UI_DIM, p->diag.hint);
		return row;
	}
	if (p->state == TP_POINT_PLANNED && app->live.current != (long)p->point) {
		tp_paint_format(area, row++, 0, TP_UI_DIM, "planned, about %s",
				tp_format_seconds(size, sizeof(size), p->estimate_seconds));
		return row;
	}
	row += value_line(app, p, area, row);
	row += windows_line(p, area, row);
	row += cycles_line(p, area, row);
	row += bound_line(p, area, row);
	if (p->variant[0] && row < area.rows)
		tp_paint_format(area, row++, 0, TP_UI_DIM, "body %s%s%s", p->variant,
				p->pages[0] ? ", pages " : "", p->pages);
	for (int f = 0; f < TP_FLAG_COUNT && row < area.rows; f++)
		if (p->flags & 1u << f) {
			char text[320];
			snprintf(text, sizeof(text), "%s: %s", tp_flag_name((enum tp_flag)f),
				 tp_flag_help((enum tp_flag)f));
			row += tp_paint_wrapped(area, row, 0, TP_UI_WARN, text);
		}
	return TP_MIN(row, area.rows);
}

struct windows {
	double x[2][WINDOWS_MAX], y[2][WINDOWS_MAX]; /* quiet, disturbed */
	size_t n[2];
};

static void split(struct windows *w, const struct tp_point *p, double median)
{
	size_t from = first_window(p);
	bool all = all_dropped(p);
	for (size_t i = from; i < p->n_samples; i++) {
		int which = !all && p->samples[i].flags;
		double v = tp_run_window_value(p, &p->samples[i]);
		w->x[which][w->n[which]] = (double)(i + 1);
		w->y[which][w->n[which]++] =
			fmin(fmax(v, LOWEST_OF_MEDIAN * median), HIGHEST_OF_MEDIAN * median);
	}
}

void tp_run_point_plot(struct tp_app *app, struct tp_run_view *view, const struct tp_point *p,
		       struct tp_area area)
{
	double median, low, high, least = INFINITY, most = 0;
	if (area.rows < TP_PLOT_ROWS_MIN || area.columns < TP_PLOT_COLUMNS_MIN ||
	    !tp_run_estimate(p, &median, &low, &high))
		return;
	struct windows *w = calloc(1, sizeof(*w));
	if (!w)
		return;
	split(w, p, median);
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < w->n[k]; i++) {
			least = fmin(least, w->y[k][i]);
			most = fmax(most, w->y[k][i]);
		}
	char key[sizeof(view->window_key)];
	snprintf(key, sizeof(key), "%p %u", (const void *)tp_app_run(app), p->point);
	if (strcmp(key, view->window_key) != 0) {
		tp_copy(view->window_key, sizeof(view->window_key), key);
		view->window_x = view->window_y = (struct tp_axis_hold){ 0 };
	}
	double first = (double)first_window(p), last = (double)p->n_samples;
	tp_axis_hold(&view->window_x, first, last);
	if (first > view->window_x.min)
		view->window_x.min = first;
	tp_axis_hold(&view->window_y, least - 0.02 * median, most + 0.02 * median);
	const double line_x[] = { view->window_x.min, view->window_x.max },
		     line_y[] = { median, median };
	const struct tp_series series[] = {
		{ .label = "median",
		  .style = TP_STYLE_DASHED,
		  .role = TP_ROLE_MARK,
		  .glyph = '-',
		  .n = 2,
		  .x = line_x,
		  .y = line_y },
		{ .label = "quiet",
		  .style = TP_STYLE_DOTS,
		  .role = TP_ROLE_SERIES_0,
		  .glyph = 'o',
		  .n = w->n[0],
		  .x = w->x[0],
		  .y = w->y[0] },
		{ .label = "disturbed",
		  .style = TP_STYLE_DOTS,
		  .role = TP_ROLE_SERIES_1,
		  .glyph = 'x',
		  .n = w->n[1],
		  .x = w->x[1],
		  .y = w->y[1] },
	};
	const struct tp_scene scene = {
		.x = { TP_SCALE_LINEAR, TP_UNIT_PLAIN, view->window_x.min, view->window_x.max,
		       "window" },
		.y = { TP_SCALE_LINEAR, TP_UNIT_PLAIN, view->window_y.min, view->window_y.max,
		       tp_headline_unit(tp_point_headline(p)) },
		.series = series,
		.n_series = w->n[1] ? 3 : 2,
	};
	tp_paint_scene(area, &scene, app->glyphs);
	free(w);
}
