/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The queue of a run: every point with what came of it. */
#include "ui/tui/run_view.h"
#include "ui/tui/counters_progress.h"
#include "base/units.h"
#include "base/vec.h"
#include "report/autotune.h"
#include "report/text.h"

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
	FLAGS_COLUMN
};
_Static_assert((int)FLAGS_COLUMN == (int)TP_RUN_COLUMNS, "flags take what is left");

/* `rank`: columns of a higher one go first where there is no room. `varies`: shown only where points differ in it. */
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

/* "3.1%" of the value; nothing where there is no interval. */
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
		return p->isa;
	case PRECISION:
		return p->precision;
	case KERNEL:
		if (tp_point_is_search(p))
			return p->technique;
		return p->kernel[0] ? p->kernel : p->fp_op;
	case LEVEL:
		return p->level;
	case SIZE:
		if (p->working_set_bytes)
			tp_text_size(out, size, p->working_set_bytes);
		break;
	case INTENSITY:
		if (p->ai_flop_per_byte > 0)
			snprintf(out, size, "%.3g", p->ai_flop_per_byte);
		break;
	case LOAD:
		if (p->pause_cycles)
			snprintf(out, size, "%u", p->pause_cycles);
		break;
	case PAGES:
		return p->pages_wanted;
	case THREADS:
		snprintf(out, size, "%u", p->threads);
		break;
	case RESULT:
		if (tp_point_is_counting(p) && p->state == TP_POINT_DONE) {
			struct tp_tally tally = tp_point_tally(tp_app_run(app), p);
			if (tally.readings)
				snprintf(out, size, "%zu readings", tally.readings);
			break;
		}
		values(app, p, &median, &low, &high);
		if (median > 0)
			snprintf(out, size, "%s %-7s",
				 tp_run_number(number, sizeof(number), median),
				 tp_headline_unit(tp_point_headline(p)));
		else if (p->state == TP_POINT_PLANNED && p->estimate_seconds > 0 &&
			 !is_current(app, p))
			snprintf(out, size, "~%.2f s    ", p->estimate_seconds);
		break;
	case INTERVAL:
		values(app, p, &median, &low, &high);
		interval_text(out, size, median, low, high);
		break;
	case FLAGS_COLUMN:
		return tp_flags_text(p->flags, out, size);
	}
	return out;
}

/* Widths that do not jump while results come in: what comes later has a width of its own from the start. */
void tp_run_list_measure(struct tp_app *app, struct tp_run_view *view)
{
	size_t n = tp_run_view_count(app);
	const struct tp_run *run = tp_app_run(app);
	uint64_t version = run ? app->live.state == TP_LIVE_DONE : app->setup_version;
	char text[160], first[160];
	if (view->measured == run && view->n_measured == n && view->version == version)
		return;
	if (view->measured != run || !run) {
		view->selected = view->top = 0;
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

/* Which columns there is room for: long kernels are cut, then the least important columns go. */
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

static void draw_row(struct tp_app *app, const struct tp_run_view *view, const int *widths,
		     struct tp_area area, int row, size_t i)
{
	const struct tp_point *p = tp_run_view_point(app, i);
	bool selected = i == view->selected, planned = p->state == TP_POINT_PLANNED;
	bool lost = p->state == TP_POINT_FAILED || p->state == TP_POINT_SKIPPED;
	enum tp_role mark, role = planned && !is_current(app, p) ? TP_UI_DIM : TP_UI_PLAIN;
	const char *sign = mark_of(app, p, &mark);
	char text[160];
	int at = 0;
	if (selected) {
		role = mark = TP_UI_SELECTED;
		tp_paint_clear(tp_area_rows(area, row, 1), role);
	}
	tp_paint_text(area, row, 0, mark, sign);
	for (int c = 0; c < TP_RUN_COLUMNS; c++) {
		if (!widths[c])
			continue;
		if (c == RESULT && lost) {
			tp_paint_text(area, row, at,
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
		put(area, row, at, widths[c], columns[c].right, looks,
		    cell(app, p, (enum column)c, text, sizeof(text)));
		at += widths[c] + 1;
	}
	/* What is left is for the flags, in words. */
	const char *flags = cell(app, p, FLAGS_COLUMN, text, sizeof(text));
	enum { FLAGS_MIN = 6 };
	for (char *bar = text; (bar = strchr(bar, '|'));)
		*bar = ' ';
	if (*flags && area.columns - at > FLAGS_MIN)
		tp_paint_text(area, row, at + 1, selected ? TP_UI_SELECTED : TP_UI_DIM, flags);
	else if (*flags)
		tp_paint_text(area, row, area.columns - 1, selected ? TP_UI_SELECTED : TP_UI_WARN,
			      "!");
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
	int widths[TP_RUN_COLUMNS];
	size_t n = tp_run_view_count(app), rows = (size_t)TP_MAX(area.rows - 1, 0);
	tp_run_list_measure(app, view);
	fit(view, area.columns, widths);
	if (view->follow && app->live.state != TP_LIVE_NONE && app->live.current >= 0)
		view->selected = (size_t)app->live.current;
	if (view->selected >= n)
		view->selected = n ? n - 1 : 0;
	/* The selection stays a little away from the edges. */
	size_t margin = TP_MIN(rows / 4, (size_t)3);
	if (view->selected < view->top + margin)
		view->top = view->selected > margin ? view->selected - margin : 0;
	if (view->selected + margin + 1 > view->top + rows)
		view->top = view->selected + margin + 1 - rows;
	view->top = TP_MIN(view->top, n > rows ? n - rows : 0);
	draw_titles(widths, area);
	view->list = tp_area_rows(area, 1, (int)rows);
	for (size_t r = 0; r < rows && view->top + r < n; r++)
		draw_row(app, view, widths, view->list, (int)r, view->top + r);
}

void tp_run_list_move(struct tp_app *app, struct tp_run_view *view, long by)
{
	long n = (long)tp_run_view_count(app), to = (long)view->selected + by;
	view->follow = false;
	view->selected = (size_t)TP_MAX(TP_MIN(to, n - 1), 0L);
}
