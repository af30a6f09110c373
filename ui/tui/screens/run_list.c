/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The queue of a run: every point with its result. */
#include "ui/tui/screens/run_view.h"
#include "ui/tui/quality.h"
#include "ui/tui/shown.h"
#include "base/text.h"
#include "base/memory.h"
#include "report/text.h"
#include "record/point.h"
#include "record/schema.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum column {
	MARK,
	ID,
	EXPERIMENT,
	ISA,
	PRECISION,
	KERNEL,
	LEVEL,
	SIZE,
	INTENSITY,
	LOAD,
	PAGES,
	THREADS,
	RESULT,
	INTERVAL,
	QUALITY
};
_Static_assert((int)QUALITY == (int)TP_RUN_COLUMNS, "quality takes what is left");

/*
 * Where there is no room, columns with the highest `rank` are dropped first. `varies`: shown only
 * if points differ in it.
 */
static const struct {
	const char *title;
	bool right, varies;
	int rank, most;
} columns[TP_RUN_COLUMNS] = {
	[MARK] = { " ", false, false, 0, 1 },
	[ID] = { "#", true, false, 0, 5 },
	[EXPERIMENT] = { "experiment", false, true, 9, 14 },
	[ISA] = { "ISA", false, false, 3, 10 },
	[PRECISION] = { "precision", false, true, 6, 9 },
	[KERNEL] = { "kernel", false, false, 1, 34 },
	[LEVEL] = { "level", false, false, 1, 5 },
	[SIZE] = { "size", true, false, 2, 8 },
	[INTENSITY] = { "FLOP/B", true, false, 7, 7 },
	[LOAD] = { "pause", true, false, 7, 7 },
	[PAGES] = { "pages", false, true, 7, 8 },
	[THREADS] = { "thr", true, true, 5, 4 },
	[RESULT] = { "result", true, false, 0, 16 },
	[INTERVAL] = { "\xc2\xb1", true, false, 4, 5 },
};

size_t tp_run_view_count(const struct tp_app *app)
{
	const struct tp_run *run = tp_app_run(app);
	return run ? run->n_points : app->session.plan.n;
}

const struct tp_point *tp_run_view_point(const struct tp_app *app, size_t i)
{
	const struct tp_run *run = tp_app_run(app);
	if (i >= tp_run_view_count(app))
		return NULL;
	return run ? &run->points[i] : &app->session.plan.items[i].point;
}

const char *tp_run_number(char *out, size_t size, double value)
{
	double a = fabs(value);
	int digits = a >= 1000 ? 0 : a >= 100 ? 1 : a >= 10 ? 2 : 3;
	snprintf(out, size, "%.*f", digits, value);
	return out;
}

static bool is_current(const struct tp_app *app, const struct tp_point *p)
{
	return app->live.state != TP_LIVE_NONE && app->live.current == (long)p->point;
}

/* "3.1%": half the interval as a share of the value; empty without an interval. */
static void interval_text(char *out, size_t size, double value, double low, double high)
{
	double percent = value > 0 ? 50 * (high - low) / value : NAN;
	*out = '\0';
	if (low > 0 && high >= low && isfinite(percent))
		snprintf(out, size, percent < 9.95 ? "%.1f%%" : "%.0f%%", percent);
}

static void values(const struct tp_app *app, const struct tp_point *p, double *median, double *low,
		   double *high)
{
	*median = p->state == TP_POINT_DONE ? tp_point_median(p) : 0;
	*low = p->ci_low;
	*high = p->ci_high;
	if (p->state == TP_POINT_PLANNED && is_current(app, p) &&
	    !tp_run_estimate(p, median, low, high))
		*median = 0;
}

static const char *cell(const struct tp_app *app, const struct tp_point *p, enum column c,
			char *out, size_t size)
{
	const struct tp_shown *shown = tp_shown_of(p);
	double median, low, high;
	char number[32];
	*out = '\0';
	switch (c) {
	case MARK:
		break;
	case ID:
		snprintf(out, size, "%u", p->point + 1);
		break;
	case EXPERIMENT:
		return p->experiment;
	case ISA:
		return tp_kernel_row(p)->isa;
	case PRECISION:
		return tp_kernel_row(p)->precision;
	case KERNEL:
		if (*tp_point_word(p, "technique"))
			return tp_point_word(p, "technique");
		return p->kernel[0] ? p->kernel : tp_kernel_row(p)->fp_op;
	case LEVEL:
		return tp_kernel_row(p)->level;
	case SIZE:
		if (tp_kernel_row(p)->working_set_bytes)
			tp_text_size(out, size, tp_kernel_row(p)->working_set_bytes);
		break;
	case INTENSITY:
		if (tp_kernel_row(p)->ai_flop_per_byte > 0)
			snprintf(out, size, "%.3g", tp_kernel_row(p)->ai_flop_per_byte);
		break;
	case LOAD:
		if (tp_kernel_row(p)->pause_cycles)
			snprintf(out, size, "%u", tp_kernel_row(p)->pause_cycles);
		break;
	case PAGES:
		return tp_kernel_row(p)->pages_wanted;
	case THREADS:
		snprintf(out, size, "%u", p->threads);
		break;
	case RESULT:
		if (p->state == TP_POINT_DONE && shown && shown->result)
			return shown->result(tp_app_run(app), p, out, size);
		values(app, p, &median, &low, &high);
		if (median > 0)
			snprintf(out, size, "%s %-7s",
				 tp_run_number(number, sizeof(number), median), p->unit);
		else if (p->state == TP_POINT_PLANNED && p->estimate_seconds > 0 &&
			 !is_current(app, p))
			snprintf(out, size, "~%.2f s    ", p->estimate_seconds);
		break;
	case INTERVAL:
		values(app, p, &median, &low, &high);
		if (tp_point_has_one_window(p))
			return TP_ONE_WINDOW;
		interval_text(out, size, median, low, high);
		break;
	case QUALITY:
		return tp_quality_words(p->quality, p->flags, out, size);
	}
	return out;
}

/* Widths that do not change while results come in: columns of results have a fixed width. */
static void measure(struct tp_app *app, struct tp_run_view *view)
{
	size_t n = tp_run_view_count(app);
	const struct tp_run *run = tp_app_run(app);
	uint64_t version = run ? app->live.state == TP_LIVE_DONE : app->setup_version;
	char text[160], first[160];
	if (view->measured == run && view->n_measured == n && view->version == version)
		return;
	if (view->measured != run || !run) {
		view->points.at = view->points.top = 0;
		view->follow = true;
	}
	view->measured = run;
	view->n_measured = n;
	view->version = version;
	for (int c = 0; c < TP_RUN_COLUMNS; c++) {
		int widest = 0;
		bool differs = false;
		for (size_t i = 0; i < n; i++) {
			const struct tp_point *p = tp_run_view_point(app, i);
			const char *t = cell(app, p, (enum column)c, text, sizeof(text));
			if (i == 0)
				tp_copy(first, sizeof(first), t);
			differs |= strcmp(first, t) != 0;
			widest = TP_MAX(widest, (int)tp_text_columns(t));
		}
		bool shown = c == MARK || (widest && (differs || !columns[c].varies));
		if (c == RESULT || c == INTERVAL)
			widest = columns[c].most;
		if (c == RESULT || c == INTERVAL)
			shown = c == RESULT || run;
		widest = TP_MAX(widest, (int)tp_text_columns(columns[c].title));
		view->widths[c] = shown ? TP_MIN(TP_MAX(widest, 1), columns[c].most) : 0;
	}
}

/* Makes the columns fit: first cuts long kernels, then drops the least important columns. */
enum { KERNEL_MIN = 12 };

static void fit(const struct tp_run_view *view, int room, int widths[TP_RUN_COLUMNS])
{
	memcpy(widths, view->widths, sizeof(view->widths));
	for (;;) {
		int total = 0, out = -1;
		for (int c = 0; c < TP_RUN_COLUMNS; c++) {
			total += widths[c] ? widths[c] + 1 : 0;
			if (widths[c] && columns[c].rank &&
			    (out < 0 || columns[c].rank > columns[out].rank))
				out = c;
		}
		if (total > room && widths[KERNEL] > KERNEL_MIN) {
			widths[KERNEL] = TP_MAX(widths[KERNEL] - (total - room), (int)KERNEL_MIN);
			continue;
		}
		if (total <= room || out < 0)
			return;
		widths[out] = 0;
	}
}

static const char *mark_of(const struct tp_app *app, const struct tp_point *p, enum tp_role *role)
{
	bool utf8 = app->term.utf8;
	*role = TP_UI_DIM;
	if (is_current(app, p)) {
		*role = TP_UI_KEY;
		return utf8 ? "\xe2\x96\xb6" : ">";
	}
	switch (p->state) {
	case TP_POINT_DONE:
		*role = TP_UI_GOOD;
		return utf8 ? "\xe2\x9c\x93" : "+";
	case TP_POINT_FAILED:
		*role = TP_UI_BAD;
		return utf8 ? "\xe2\x9c\x97" : "x";
	case TP_POINT_SKIPPED:
		return "-";
	default:
		return " ";
	}
}

static void put(struct tp_area area, int row, int column, int width, bool right, enum tp_role role,
		const char *text)
{
	struct tp_area place = tp_area_columns(area, column, width);
	if (right)
		tp_paint_right(place, row, place.columns, role, text);
	else
		tp_paint_text(place, row, 0, role, text);
}

/* Room for a word of quality, and for the first of its reasons. */
enum { QUALITY_MIN = 5, REASONS_MIN = 20 };

struct rows {
	const struct tp_app *app;
	int widths[TP_RUN_COLUMNS];
};

static void draw_row(void *context, struct tp_area line, size_t i, bool selected)
{
	const struct rows *rows = context;
	const struct tp_app *app = rows->app;
	const int *widths = rows->widths;
	const struct tp_point *p = tp_run_view_point(app, i);
	bool planned = p->state == TP_POINT_PLANNED;
	bool lost = p->state == TP_POINT_FAILED || p->state == TP_POINT_SKIPPED;
	enum tp_role mark, role = planned && !is_current(app, p) ? TP_UI_DIM : TP_UI_PLAIN;
	const char *sign = mark_of(app, p, &mark);
	char text[160];
	int at = 0;
	if (selected)
		role = mark = TP_UI_SELECTED;
	tp_paint_text(line, 0, 0, mark, sign);
	for (int c = 0; c < TP_RUN_COLUMNS; c++) {
		if (!widths[c])
			continue;
		if (c == RESULT && lost) {
			tp_paint_text(line, 0, at,
				      selected			    ? TP_UI_SELECTED
				      : p->state == TP_POINT_FAILED ? TP_UI_BAD
								    : TP_UI_DIM,
				      p->diag.what);
			return;
		}
		enum tp_role looks = selected			? TP_UI_SELECTED
				     : c == RESULT && !planned	? TP_UI_STRONG
				     : c == INTERVAL || c == ID ? TP_UI_DIM
								: role;
		put(line, 0, at, widths[c], columns[c].right, looks,
		    cell(app, p, (enum column)c, text, sizeof(text)));
		at += widths[c] + 1;
	}
	/* The quality in the rest of the row: with its reasons, as a word, or as a mark. */
	role = selected ? TP_UI_SELECTED : tp_quality_role(p->quality);
	int room = line.columns - at - 1;
	const char *words = cell(app, p, QUALITY, text, sizeof(text));
	if (room < QUALITY_MIN)
		tp_paint_text(line, 0, line.columns - 1, role,
			      tp_quality_mark(p->quality, p->flags));
	else if (p->quality != TP_QUALITY_NONE && room < REASONS_MIN)
		tp_paint_text(line, 0, at + 1, role, tp_quality_name(p->quality));
	else
		tp_paint_text(line, 0, at + 1, role, words);
}

static void draw_titles(const int *widths, struct tp_area area)
{
	int at = 0;
	for (int c = 0; c < TP_RUN_COLUMNS; c++) {
		if (!widths[c])
			continue;
		put(area, 0, at, widths[c], columns[c].right, TP_UI_DIM,
		    c == RESULT				? "result       "
		    : c == INTERVAL && !area.term->utf8 ? "+-"
							: columns[c].title);
		at += widths[c] + 1;
	}
}

void tp_run_list_draw(struct tp_app *app, struct tp_run_view *view, struct tp_area area)
{
	struct rows rows = { .app = app };
	measure(app, view);
	fit(view, area.columns, rows.widths);
	if (view->follow && app->live.state != TP_LIVE_NONE && app->live.current >= 0)
		view->points.at = (size_t)app->live.current;
	tp_list_resize(&view->points, tp_run_view_count(app));
	draw_titles(rows.widths, area);
	tp_list_paint(&view->points, tp_area_rows(area, 1, area.rows - 1), draw_row, &rows);
}
