/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One point of a run: its words, its windows as a plot. */
#include "ui/tui/screens/run_view.h"
#include "ui/tui/quality.h"
#include "ui/tui/shown.h"
#include "analysis/stats.h"
#include "base/text.h"
#include "base/memory.h"
#include "report/text.h"
#include "record/point.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The newest windows are enough for an estimate and for a plot. */
enum { WINDOWS_MAX = 1024 };

#define CONFIDENCE 0.99

/* Windows further from the median would squeeze all the others together; they are drawn at the
 * edge. */
#define LOWEST_OF_MEDIAN  0.6
#define HIGHEST_OF_MEDIAN 1.8

static double value_of(const struct tp_point *point, const struct tp_sample *sample)
{
	if (!point->less_is_better)
		return sample->rate;
	return sample->rate > 0 ? 1 / sample->rate : NAN;
}

static size_t first_window(const struct tp_point *point)
{
	return point->n_samples > WINDOWS_MAX ? point->n_samples - WINDOWS_MAX : 0;
}

static bool all_disturbed(const struct tp_point *point)
{
	for (size_t i = first_window(point); i < point->n_samples; i++)
		if (!point->samples[i].flags)
			return false;
	return true;
}

/*
 * The sampler decides at the end, over all windows, which of them it keeps. Before that a window
 * counts here if nothing disturbed it, or if all were disturbed.
 */
bool tp_run_estimate(const struct tp_point *point, double *median, double *low, double *high)
{
	double kept[WINDOWS_MAX];
	size_t n = 0;
	bool all = all_disturbed(point);
	for (size_t i = first_window(point); i < point->n_samples; i++) {
		double v = value_of(point, &point->samples[i]);
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

static void value_line(const struct tp_app *app, const struct tp_point *p, struct tp_doc *doc)
{
	char text[32];
	double median = tp_point_median(p), low = p->ci_low, high = p->ci_high;
	bool done = p->state == TP_POINT_DONE;
	if (!done && !tp_run_estimate(p, &median, &low, &high)) {
		tp_doc_row(doc, 0, TP_UI_DIM, "no window yet: buffers, warm-up, races");
		return;
	}
	tp_doc_row(doc, 0, TP_UI_TITLE, "%s %s", tp_run_number(text, sizeof(text), median),
		   p->unit);
	if (tp_point_has_one_window(p))
		tp_doc_text(doc, TP_DOC_NEXT, TP_UI_WARN, " (" TP_ONE_WINDOW ")");
	else if (median > 0 && low > 0 && high >= low)
		tp_doc_format(doc, TP_DOC_NEXT, TP_UI_PLAIN, " %s%.2g %%",
			      app->term.utf8 ? "\xc2\xb1" : "+-", 50 * (high - low) / median);
	if (!done)
		tp_doc_text(doc, TP_DOC_NEXT, TP_UI_DIM, "  so far");
	else if (tp_point_best(p) > 0)
		tp_doc_format(doc, TP_DOC_NEXT, TP_UI_DIM, "  best %s",
			      tp_run_number(text, sizeof(text), tp_point_best(p)));
}

static void windows_line(const struct tp_point *p, struct tp_doc *doc)
{
	bool done = p->state == TP_POINT_DONE;
	size_t lost = 0;
	char seconds[32];
	if (!p->n_samples)
		return;
	for (size_t i = 0; i < p->n_samples; i++)
		lost += p->samples[i].flags != 0;
	if (done)
		lost = p->n_samples - TP_MIN(p->kept, (unsigned)p->n_samples);
	tp_doc_row(doc, 0, TP_UI_PLAIN, "%zu windows", p->n_samples);
	if (!done && all_disturbed(p))
		tp_doc_text(doc, TP_DOC_NEXT, TP_UI_WARN, ", all disturbed so far");
	else if (lost)
		tp_doc_format(doc, TP_DOC_NEXT, TP_UI_WARN, ", %zu %s", lost,
			      done ? "dropped" : "disturbed");
	if (p->invocations > 1)
		tp_doc_format(doc, TP_DOC_NEXT, TP_UI_PLAIN, ", %u processes", p->invocations);
	tp_doc_format(doc, TP_DOC_NEXT, TP_UI_DIM, ", %s%s", done ? "" : "about ",
		      tp_format_seconds(seconds, sizeof(seconds),
					done ? p->seconds : p->estimate_seconds));
}

static void cycles_line(const struct tp_point *p, struct tp_doc *doc)
{
	struct tp_str line = { 0 };
	if (tp_kernel_row(p)->bytes_per_cycle > 0)
		tp_str_printf(&line, "%.4g bytes/cycle  ", tp_kernel_row(p)->bytes_per_cycle);
	if (tp_kernel_row(p)->flop_per_cycle > 0)
		tp_str_printf(&line, "%.4g FLOP/cycle  ", tp_kernel_row(p)->flop_per_cycle);
	if (tp_kernel_row(p)->ipc > 0)
		tp_str_printf(&line, "IPC %.3g  ", tp_kernel_row(p)->ipc);
	if (p->core_ghz > 0)
		tp_str_printf(&line, "%.2f GHz", p->core_ghz);
	if (line.len)
		tp_doc_row(doc, 0, TP_UI_PLAIN, "%s", tp_str_text(&line));
	tp_str_release(&line);
}

static void title_line(const struct tp_point *p, struct tp_doc *doc)
{
	char text[32];
	tp_doc_row(doc, 0, TP_UI_STRONG, "%s %s %s", tp_kernel_row(p)->isa,
		   tp_kernel_row(p)->precision, p->kernel);
	if (tp_kernel_row(p)->level[0])
		tp_doc_format(doc, TP_DOC_NEXT, TP_UI_STRONG, ", %s", tp_kernel_row(p)->level);
	if (tp_kernel_row(p)->working_set_bytes)
		tp_doc_format(
			doc, TP_DOC_NEXT, TP_UI_STRONG, ", %s",
			tp_format_bytes(text, sizeof(text), tp_kernel_row(p)->working_set_bytes));
	tp_doc_format(doc, TP_DOC_NEXT, TP_UI_STRONG, ", %s on CPU %s",
		      tp_text_count(text, sizeof(text), p->threads, "thread"), p->cpus);
}

static const char *const quality_meanings[TP_QUALITY_COUNT] = {
	[TP_QUALITY_GOOD] = "good",
	[TP_QUALITY_FAIR] = "fair: it may be some percent off, because",
	[TP_QUALITY_POOR] = "poor: do not use it, because",
};

static void fill(const struct tp_app *app, const struct tp_point *p, struct tp_doc *doc)
{
	char text[TP_FLAG_ADVICE_BYTES + 32], advice[TP_FLAG_ADVICE_BYTES];
	double median = tp_point_median(p);
	title_line(p, doc);
	if (p->state == TP_POINT_FAILED || p->state == TP_POINT_SKIPPED) {
		tp_doc_paragraph(doc, 0, p->state == TP_POINT_FAILED ? TP_UI_BAD : TP_UI_WARN,
				 p->diag.what);
		if (p->diag.hint[0])
			tp_doc_paragraph(doc, 0, TP_UI_DIM, p->diag.hint);
		return;
	}
	if (p->state == TP_POINT_PLANNED && app->live.current != (long)p->point) {
		tp_doc_row(doc, 0, TP_UI_DIM, "planned, about %s",
			   tp_format_seconds(text, sizeof(text), p->estimate_seconds));
		return;
	}
	value_line(app, p, doc);
	windows_line(p, doc);
	cycles_line(p, doc);
	if (p->state == TP_POINT_DONE && p->bound > 0 && median > 0 && !p->less_is_better)
		tp_doc_row(doc, 0, TP_UI_PLAIN, "%.0f %% of the theoretical %s %s",
			   100 * median / p->bound, tp_run_number(text, sizeof(text), p->bound),
			   p->unit);
	const char *variant = tp_point_word(p, "variant");
	if (*variant)
		tp_doc_row(doc, 0, TP_UI_DIM, "body %s%s%s", variant,
			   tp_kernel_row(p)->pages[0] ? ", pages " : "", tp_kernel_row(p)->pages);
	if (p->quality != TP_QUALITY_NONE)
		tp_doc_row(doc, 0, tp_quality_role(p->quality), "%s", quality_meanings[p->quality]);
	uint32_t flags = tp_quality_reasons(p->quality, p->flags);
	for (int f = 0; f < TP_FLAG_COUNT; f++)
		if (flags & 1u << f) {
			snprintf(text, sizeof(text), "%s: %s", tp_flag_name((enum tp_flag)f),
				 tp_flag_advice((enum tp_flag)f, advice, sizeof(advice)));
			tp_doc_paragraph(doc, 0, TP_UI_WARN, text);
		}
}

void tp_run_point_text(struct tp_app *app, const struct tp_point *p, struct tp_area area)
{
	struct tp_doc doc = { .columns = area.columns };
	const struct tp_shown *shown = tp_shown_of(p);
	if (shown && shown->draw_point && shown->draw_point(app, p, area))
		return;
	fill(app, p, &doc);
	tp_doc_paint(&doc, area, 0, (size_t)-1);
	tp_doc_release(&doc);
}

/* The windows of a point: [0] quiet, [1] disturbed. */
struct windows {
	double x[2][WINDOWS_MAX], y[2][WINDOWS_MAX];
	size_t n[2];
};

static void split(struct windows *w, const struct tp_point *p, double median)
{
	size_t from = first_window(p);
	bool all = all_disturbed(p);
	for (size_t i = from; i < p->n_samples; i++) {
		int which = !all && p->samples[i].flags;
		double v = value_of(p, &p->samples[i]);
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
		       p->unit },
		.series = series,
		.n_series = w->n[1] ? 3 : 2,
	};
	tp_paint_scene(area, &scene, app->glyphs);
	free(w);
}
