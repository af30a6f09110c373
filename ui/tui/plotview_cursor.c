/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cursor of a plot: anywhere along a roof, else from point to point of a series. */
#include "ui/tui/plotview.h"
#include "analysis/roofs.h"
#include "base/vec.h"
#include "ui/plot/trace.h"

#include <math.h>

/* A terminal cell is about twice as high as wide. */
#define CELL_HEIGHT 2.0

bool tp_cursor_can(const struct tp_plotview *view, size_t series)
{
	const struct tp_origin *o = &view->picture->origins[series];
	return o->roof || ((o->points || o->dots) && view->picture->series[series].n > 0);
}

bool tp_cursor_is_free(const struct tp_plotview *view)
{
	const struct tp_origin *origin = tp_plotview_origin(view);
	return origin && origin->roof;
}

/* What a roof allows at an intensity. */
static double roof_at(const struct tp_origin *o, double ai)
{
	if (tp_level_is_fp(o->roof->level))
		return o->roof->median;
	return o->peak_gflops > 0 ? tp_roof_attainable(o->peak_gflops, o->roof->median, ai)
				  : o->roof->median * ai;
}

/* The point of a series that is nearest to x along its axis. */
static size_t nearest(const struct tp_plotview *view, size_t series, double x)
{
	const struct tp_series *s = &view->picture->series[series];
	size_t best = 0;
	double least = INFINITY;
	for (size_t i = 0; i < s->n; i++) {
		double away = view->picture->scene.x.kind == TP_SCALE_LINEAR
				      ? fabs(s->x[i] - x)
				      : fabs(log(s->x[i]) - log(x));
		if (away < least) {
			least = away;
			best = i;
		}
	}
	return best;
}

/* Onto the selected series at x, or at its point. */
static void land(struct tp_plotview *view)
{
	const struct tp_series *s = &view->picture->series[view->series];
	const struct tp_origin *o = &view->picture->origins[view->series];
	if (o->roof) {
		view->y = roof_at(o, view->x);
		return;
	}
	view->point = TP_MIN(view->point, s->n - 1);
	view->x = s->x[view->point];
	view->y = s->y[view->point];
}

static bool select_first(struct tp_plotview *view)
{
	for (int dots = 0; dots < 2; dots++)
		for (size_t i = 0; i < view->picture->n_series; i++)
			if (tp_cursor_can(view, i) &&
			    (dots || view->picture->series[i].role != TP_ROLE_SERIES_5)) {
				view->series = i;
				return true;
			}
	return false;
}

/* The point that came last, if it is in the picture. */
static bool follow(struct tp_plotview *view)
{
	for (size_t i = 0; view->latest >= 0 && i < view->picture->n_series; i++) {
		const struct tp_origin *o = &view->picture->origins[i];
		for (size_t k = 0; (o->points || o->dots) && k < view->picture->series[i].n; k++) {
			unsigned id = o->points ? o->points[k]->point : o->dots[k]->point;
			if (id == (unsigned long)view->latest) {
				view->series = i;
				view->point = k;
				return true;
			}
		}
		if (o->roof && o->roof->point == (unsigned long)view->latest) {
			view->series = i;
			return true;
		}
	}
	return false;
}

void tp_cursor_settle(struct tp_plotview *view)
{
	bool kept = view->series < view->picture->n_series && tp_cursor_can(view, view->series);
	if (!view->placed && follow(view))
		kept = true;
	else if (!view->placed || !kept)
		kept = select_first(view);
	else if (!tp_cursor_is_free(view))
		view->point = nearest(view, view->series, view->x);
	if (!kept) {
		view->x = view->y = 0;
		view->series = view->picture->n_series;
		return;
	}
	const struct tp_scale *x = &view->picture->scene.x;
	if (!view->placed && tp_cursor_is_free(view)) {
		const struct tp_origin *o = tp_plotview_origin(view);
		double ridge = !tp_level_is_fp(o->roof->level) && o->peak_gflops > 0
				       ? tp_roof_ridge(o->peak_gflops, o->roof->median)
				       : 0;
		view->x = ridge > 0 ? ridge : sqrt(x->min * x->max);
	} else if (!view->placed && view->latest < 0) {
		view->point = view->picture->series[view->series].n / 2;
	}
	land(view);
}

void tp_cursor_step(struct tp_plotview *view, int by)
{
	if (!view->laid || !tp_plotview_origin(view))
		return;
	view->placed = true;
	if (!tp_cursor_is_free(view)) {
		long n = (long)view->picture->series[view->series].n;
		view->point = (size_t)TP_MIN(TP_MAX((long)view->point + by, 0), n - 1);
	} else {
		double step = 1 / (double)TP_MAX(view->layout.plot.columns - 1, (size_t)1);
		double place = tp_scale_place(&view->layout.x, view->x);
		if (!isfinite(place))
			place = 0.5;
		place = fmin(fmax(place + by * step, 0), 1);
		view->x = tp_scale_value(&view->layout.x, place);
	}
	land(view);
}

void tp_cursor_end(struct tp_plotview *view, bool last)
{
	if (!view->laid || !tp_plotview_origin(view))
		return;
	view->placed = true;
	view->point = last ? view->picture->series[view->series].n - 1 : 0;
	view->x = last ? view->layout.x.max : view->layout.x.min;
	land(view);
}

/* How high a series is where the cursor is: the order in which Up and Down go. */
static double height(const struct tp_plotview *view, size_t series)
{
	const struct tp_origin *o = &view->picture->origins[series];
	if (o->roof)
		return roof_at(o, view->x);
	return view->picture->series[series].y[nearest(view, series, view->x)];
}

/* True if series a lies above b; those as high as each other by number, the first above. */
static bool above(const struct tp_plotview *view, size_t a, size_t b)
{
	double ya = height(view, a), yb = height(view, b);
	return ya > yb || (!(ya < yb) && a < b);
}

void tp_cursor_series(struct tp_plotview *view, bool up)
{
	if (!tp_plotview_origin(view))
		return;
	size_t best = view->series;
	for (size_t i = 0; i < view->picture->n_series; i++) {
		if (i == view->series || !tp_cursor_can(view, i) ||
		    above(view, i, view->series) != up)
			continue;
		if (best == view->series || above(view, i, best) != up)
			best = i;
	}
	view->placed = true;
	view->series = best;
	view->point = nearest(view, best, view->x);
	land(view);
	view->stale = true; /* what is drawn for the selected series may differ */
}

void tp_cursor_jump(struct tp_plotview *view, int row, int column)
{
	const struct tp_layout_rect *plot = &view->layout.plot;
	double least = INFINITY, x = view->x;
	size_t series = view->series, point = view->point;
	if (column < (int)plot->column || column >= (int)(plot->column + plot->columns) ||
	    row < (int)plot->row || row >= (int)(plot->row + plot->rows))
		return;
	double at_x = tp_scale_value(&view->layout.x, (column - (double)plot->column + 0.25) /
							      (double)(plot->columns - 1));
	for (size_t i = 0; i < view->picture->n_series; i++) {
		const struct tp_series *s = &view->picture->series[i];
		const struct tp_origin *o = &view->picture->origins[i];
		size_t n = !tp_cursor_can(view, i) ? 0 : o->roof ? 1 : s->n;
		for (size_t k = 0; k < n; k++) {
			size_t dot_column, dot_row;
			double px = o->roof ? at_x : s->x[k];
			double py = o->roof ? roof_at(o, px) : s->y[k];
			if (!tp_trace_dot(&view->layout, px, py, &dot_column, &dot_row))
				continue;
			double dx = (double)(dot_column / TP_DOT_COLUMNS + plot->column) - column;
			double dy = (double)(dot_row / TP_DOT_ROWS + plot->row) - row;
			double away = hypot(o->roof ? 1 : dx, CELL_HEIGHT * dy);
			if (away < least) {
				least = away;
				series = i;
				point = k;
				x = px;
			}
		}
	}
	if (!isfinite(least))
		return;
	view->placed = true;
	view->stale |= series != view->series;
	view->series = series;
	view->point = point;
	view->x = x;
	land(view);
}

/* A thin line down to the axis, and a mark where it reads. */
void tp_cursor_paint(const struct tp_plotview *view, struct tp_area area)
{
	const struct tp_layout_rect *plot = &view->layout.plot;
	double place = tp_scale_place(&view->layout.x, view->x);
	size_t dot_column, dot_row;
	if (!tp_plotview_origin(view) || !(place >= -1e-9 && place <= 1 + 1e-9))
		return;
	place = fmin(fmax(place, 0), 1);
	size_t dots = (size_t)lround(place * (double)(plot->columns * TP_DOT_COLUMNS - 1));
	int column = (int)(plot->column + dots / TP_DOT_COLUMNS);
	for (size_t r = 0; r < plot->rows; r++) {
		enum tp_plot_role role;
		uint32_t code = tp_canvas_look(&view->canvas, (size_t)column, plot->row + r, &role);
		if (code == ' ' || role == TP_ROLE_GRID)
			tp_paint_cell(area, (int)(plot->row + r), column,
				      area.term->utf8 ? 0x2502 : '|', TP_UI_DIM);
	}
	if (tp_trace_dot(&view->layout, view->x, view->y, &dot_column, &dot_row))
		tp_paint_cell(area, (int)(plot->row + dot_row / TP_DOT_ROWS),
			      (int)(plot->column + dot_column / TP_DOT_COLUMNS), '+',
			      TP_UI_SELECTED);
}
