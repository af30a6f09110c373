/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/plot/trace.h"
#include "ui/plot/canvas.h"
#include "base/vec.h"

#include <math.h>

/* Dots of a dash and of the gap after it: two cells each along a level line. */
static const double dash_dots = 4, period_dots = 8;

/* Cells between two glyphs of one series; every point of TP_STYLE_DOTS has its own. */
enum { GLYPH_GAP_POINTS = 4, GLYPH_GAP_LINE = 14, GLYPH_STAGGER = 4 };

static const double flat_slope =
	0.15; /* in dots: up to here a row of '-' looks better than steps */
static const double edge = 1e-9; /* rounding of a point that lies on the end of an axis */

struct point {
	double x, y; /* dots */
};

struct path {
	const struct tp_layout *layout;
	const struct tp_trace *trace;
	bool dashed;
	double length; /* dots walked so far, for the dashes */
};

static double dot_columns(const struct tp_layout *layout)
{
	return (double)(layout->plot.columns * TP_DOT_COLUMNS - 1);
}

static double dot_rows(const struct tp_layout *layout)
{
	return (double)(layout->plot.rows * TP_DOT_ROWS - 1);
}

bool tp_trace_dot(const struct tp_layout *layout, double x, double y, size_t *dot_column,
		  size_t *dot_row)
{
	double px = tp_scale_place(&layout->x, x), py = tp_scale_place(&layout->y, y);
	if (!(px >= -edge && px <= 1 + edge && py >= -edge && py <= 1 + edge))
		return false;
	*dot_column = (size_t)lround(fmin(fmax(px, 0), 1) * dot_columns(layout));
	*dot_row = (size_t)lround((1 - fmin(fmax(py, 0), 1)) * dot_rows(layout));
	return true;
}

/* Cuts the segment to 0..1 in both directions (Liang-Barsky); false if nothing is left. */
static bool clip(struct point *a, struct point *b)
{
	double dx = b->x - a->x, dy = b->y - a->y;
	if (!isfinite(dx) || !isfinite(dy))
		return false;
	double p[4] = { -dx, dx, -dy, dy };
	double q[4] = { a->x + edge, 1 + edge - a->x, a->y + edge, 1 + edge - a->y };
	double from = 0, to = 1;
	for (int i = 0; i < 4; i++) {
		if (p[i] == 0) {
			if (q[i] < 0)
				return false;
			continue;
		}
		double t = q[i] / p[i];
		if (p[i] < 0)
			from = fmax(from, t);
		else
			to = fmin(to, t);
	}
	if (!(from <= to))
		return false;
	struct point start = *a;
	*a = (struct point){ start.x + from * dx, start.y + from * dy };
	*b = (struct point){ start.x + to * dx, start.y + to * dy };
	return true;
}

static void walk(struct path *path, struct point a, struct point b)
{
	const struct tp_layout *layout = path->layout;
	if (!clip(&a, &b))
		return;
	double columns = dot_columns(layout), rows = dot_rows(layout);
	a = (struct point){ a.x * columns, (1 - a.y) * rows };
	b = (struct point){ b.x * columns, (1 - b.y) * rows };
	bool flat = path->trace->flat_in_middle && fabs(b.y - a.y) <= flat_slope * fabs(b.x - a.x);
	double dx = b.x - a.x, dy = b.y - a.y, length = hypot(dx, dy);
	double steps = fmax(1, ceil(fmax(fabs(dx), fabs(dy))));
	for (double i = 0; i <= steps; i++) {
		double at = path->length + length * i / steps;
		if (path->dashed && fmod(at, period_dots) >= dash_dots)
			continue;
		double x = fmin(fmax(round(a.x + dx * i / steps), 0), columns);
		double y = fmin(fmax(round(a.y + dy * i / steps), 0), rows);
		size_t row = (size_t)y;
		if (flat)
			row = row / TP_DOT_ROWS * TP_DOT_ROWS + 1;
		path->trace->dot(path->trace->ctx, (size_t)x, row);
	}
	path->length += length;
}

static void trace_line(const struct tp_layout *layout, const struct tp_series *s,
		       const struct tp_trace *trace)
{
	struct path path = { layout, trace, s->style == TP_STYLE_DASHED, 0 };
	struct point before = { 0 };
	size_t shown = 0;
	for (size_t i = 0; i < s->n; i++) {
		struct point at = { tp_scale_place(&layout->x, s->x[i]),
				    tp_scale_place(&layout->y, s->y[i]) };
		/* A point that has no place is left out; the line goes on to the next one. */
		if (isnan(at.x) || isnan(at.y))
			continue;
		if (shown++)
			walk(&path, before, at);
		before = at;
	}
	if (shown == 1)
		walk(&path, before, before);
}

/* Cells that must lie between two glyphs; 0: every point; SIZE_MAX: none. */
static size_t glyph_gap(const struct tp_layout *layout, const struct tp_series *s, size_t series)
{
	if (!s->glyph)
		return SIZE_MAX;
	if (s->style == TP_STYLE_DOTS)
		return 0;
	if (s->style == TP_STYLE_LINE_AND_DOTS)
		return GLYPH_GAP_POINTS;
	return s->label && !layout->named[series] ? GLYPH_GAP_LINE : SIZE_MAX;
}

static void trace_bar(const struct tp_layout *layout, const struct tp_series *s, size_t i,
		      const struct tp_trace *trace)
{
	if (!s->low || !s->high)
		return;
	double x = tp_scale_place(&layout->x, s->x[i]);
	double low = tp_scale_place(&layout->y, s->low[i]);
	double high = tp_scale_place(&layout->y, s->high[i]);
	if (isnan(x) || isnan(low) || isnan(high))
		return;
	struct path path = { layout, trace, false, 0 };
	walk(&path, (struct point){ x, low }, (struct point){ x, high });
}

/* Glyphs, and error bars as often: denser they would run together. */
static void trace_points(const struct tp_layout *layout, const struct tp_series *s, size_t series,
			 const struct tp_trace *trace)
{
	size_t gap = glyph_gap(layout, s, series);
	bool glyphs = gap != SIZE_MAX && trace->glyph;
	if (!glyphs && !(s->low && s->high))
		return;
	if (gap == SIZE_MAX)
		gap = GLYPH_GAP_POINTS;
	/* Lines that run on top of each other show their glyphs in different places. */
	size_t start =
		gap == GLYPH_GAP_LINE ? series % GLYPH_STAGGER * GLYPH_GAP_LINE / GLYPH_STAGGER : 0;
	bool any = false;
	size_t last_column = 0, last_row = 0;
	for (size_t i = 0; i < s->n; i++) {
		size_t column, row;
		if (!tp_trace_dot(layout, s->x[i], s->y[i], &column, &row))
			continue;
		column /= TP_DOT_COLUMNS;
		row /= TP_DOT_ROWS;
		size_t across = column > last_column ? column - last_column : last_column - column;
		size_t down = row > last_row ? row - last_row : last_row - row;
		if (any ? TP_MAX(across, 2 * down) < gap : column < start && i + 1 < s->n)
			continue;
		trace_bar(layout, s, i, trace);
		if (glyphs)
			trace->glyph(trace->ctx, column, row);
		any = true;
		last_column = column;
		last_row = row;
	}
}

void tp_trace_series(const struct tp_layout *layout, const struct tp_scene *scene, size_t series,
		     const struct tp_trace *trace)
{
	const struct tp_series *s = &scene->series[series];
	if (s->style != TP_STYLE_DOTS) {
		trace_line(layout, s, trace);
	} else if (!s->glyph) {
		for (size_t i = 0; i < s->n; i++) {
			size_t column, row;
			if (tp_trace_dot(layout, s->x[i], s->y[i], &column, &row))
				trace->dot(trace->ctx, column, row);
		}
	}
	trace_points(layout, s, series, trace);
}
