/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plot/layout.h"
#include "plot/trace.h"

#include <math.h>
#include <stdint.h>

/* Dots of a dash and of the gap after it: two cells each along a level line. */
static const double dash_dots = 4, period_dots = 8;

/* Cells between two glyphs of one series; every point of TP_STYLE_DOTS has its own. */
enum { GLYPH_GAP_POINTS = 4, GLYPH_GAP_LINE = 14, GLYPH_STAGGER = 4 };

/* In dots: up to here a row of '-' looks better than steps. */
static const double flat_slope = 0.15;
static const double edge = 1e-9; /* rounding of a point that lies on the end of an axis */

/* --- pieces --- */

bool tp_trace_clip(struct tp_line *piece)
{
	const struct tp_rect area = { -edge, -edge, 1 + edge + edge, 1 + edge + edge };
	return tp_line_clip(piece, &area);
}

bool tp_trace_place(const struct tp_layout *layout, const struct tp_line *p, struct tp_line *line)
{
	const struct tp_rect *plot = &layout->plot;
	*line = (struct tp_line){ plot->x + p->x0 * plot->width,
				  plot->y + (1 - p->y0) * plot->height,
				  plot->x + p->x1 * plot->width,
				  plot->y + (1 - p->y1) * plot->height };
	return p->x0 != p->x1 || p->y0 != p->y1;
}

void tp_trace_line(const struct tp_layout *layout, const struct tp_series *s,
		   void (*piece)(void *ctx, const struct tp_line *piece), void *ctx)
{
	struct tp_line line = { 0 };
	bool any = false, alone = false, apart = false;
	for (size_t i = 0; i <= s->n; i++) {
		double x = i < s->n ? tp_scale_place(&layout->x, s->x[i]) : 0;
		double y = i < s->n ? tp_scale_place(&layout->y, s->y[i]) : 0;
		apart |= i == s->n || (s->apart && s->apart[i]);
		if (isnan(x) || isnan(y))
			continue;
		struct tp_line cut = { line.x1, line.y1, line.x1, line.y1 };
		if (any && apart && alone && tp_trace_clip(&cut))
			piece(ctx, &cut);
		line = (struct tp_line){ line.x1, line.y1, x, y };
		alone = !any || apart;
		cut = line;
		if (!alone && tp_trace_clip(&cut))
			piece(ctx, &cut);
		any = true;
		apart = false;
	}
}

bool tp_trace_bar(const struct tp_layout *layout, const struct tp_series *s, size_t i,
		  struct tp_line *piece)
{
	if (!s->low || !s->high)
		return false;
	double x = tp_scale_place(&layout->x, s->x[i]);
	*piece = (struct tp_line){ x, tp_scale_place(&layout->y, s->low[i]), x,
				   tp_scale_place(&layout->y, s->high[i]) };
	return tp_trace_clip(piece);
}

/* --- cells --- */

struct walk {
	const struct tp_layout *layout;
	const struct tp_trace *trace;
	bool dashed;
	double length; /* dots walked so far, for the dashes */
};

static void walk_piece(void *ctx, const struct tp_line *p)
{
	struct walk *walk = ctx;
	double columns = walk->layout->plot.width * TP_DOT_COLUMNS - 1;
	double rows = walk->layout->plot.height * TP_DOT_ROWS - 1;
	double x0 = p->x0 * columns, y0 = (1 - p->y0) * rows;
	double dx = p->x1 * columns - x0, dy = (1 - p->y1) * rows - y0, length = hypot(dx, dy);
	bool flat = walk->trace->flat_in_middle && fabs(dy) <= flat_slope * fabs(dx);
	double steps = fmax(1, ceil(fmax(fabs(dx), fabs(dy))));
	for (double i = 0; i <= steps; i++) {
		double at = walk->length + length * i / steps;
		if (walk->dashed && fmod(at, period_dots) >= dash_dots)
			continue;
		double x = fmin(fmax(round(x0 + dx * i / steps), 0), columns);
		double y = fmin(fmax(round(y0 + dy * i / steps), 0), rows);
		size_t row = (size_t)y;
		if (flat)
			row = row / TP_DOT_ROWS * TP_DOT_ROWS + 1;
		walk->trace->dot(walk->trace->ctx, (size_t)x, row);
	}
	walk->length += length;
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

void tp_trace_series(const struct tp_layout *layout, const struct tp_scene *scene, size_t series,
		     const struct tp_trace *trace)
{
	const struct tp_series *s = &scene->series[series];
	struct walk walk = { layout, trace, s->style == TP_STYLE_DASHED, 0 };
	struct tp_trace exact = *trace;
	if (tp_is_area(s))
		return;
	exact.flat_in_middle = false;
	if (s->style != TP_STYLE_DOTS) {
		tp_trace_line(layout, s, walk_piece, &walk);
	} else if (!s->glyph) {
		walk.trace = &exact;
		for (size_t i = 0; i < s->n; i++) {
			struct tp_line point = { tp_scale_place(&layout->x, s->x[i]),
						 tp_scale_place(&layout->y, s->y[i]), 0, 0 };
			point.x1 = point.x0;
			point.y1 = point.y0;
			if (tp_trace_clip(&point))
				walk_piece(&walk, &point);
		}
	}
	/* Glyphs, and error bars as often: denser they would run together. */
	size_t gap = glyph_gap(layout, s, series);
	bool glyphs = gap != SIZE_MAX;
	if (!glyphs && !(s->low && s->high))
		return;
	if (gap == SIZE_MAX)
		gap = GLYPH_GAP_POINTS;
	/* Lines that run on top of each other show their glyphs in different places. */
	size_t start =
		gap == GLYPH_GAP_LINE ? series % GLYPH_STAGGER * GLYPH_GAP_LINE / GLYPH_STAGGER : 0;
	const struct tp_rect *plot = &layout->plot;
	bool any = false;
	double last_x = 0, last_y = 0, x, y;
	for (size_t i = 0; i < s->n; i++) {
		if (!tp_layout_point(layout, s->x[i], s->y[i], &x, &y))
			continue;
		double away = fmax(fabs(x - last_x), 2 * fabs(y - last_y));
		if (any ? away < (double)gap : x - plot->x < (double)start && i + 1 < s->n)
			continue;
		struct walk bar = { layout, trace, false, 0 };
		struct tp_line piece;
		if (tp_trace_bar(layout, s, i, &piece))
			walk_piece(&bar, &piece);
		if (glyphs)
			trace->glyph(trace->ctx, (size_t)(x - plot->x), (size_t)(y - plot->y));
		any = true;
		last_x = x;
		last_y = y;
	}
}

/* --- tiles and bars --- */

/* A thicker bar adds nothing. */
enum { ROWS_MOST = 3, PX_MOST = 36 };

/* Along an axis of this length, 0 at its lower end; whole units in cells. */
static double along(const struct tp_scale *scale, double value, double length, bool whole)
{
	double place = tp_scale_place(scale, value);
	place = isnan(place) ? 0 : fmin(fmax(place, 0), 1);
	return whole ? floor(place * length + 1e-6) : place * length;
}

bool tp_area_rect(const struct tp_layout *layout, const struct tp_series *s, size_t i,
		  struct tp_rect *rect)
{
	const struct tp_rect *plot = &layout->plot;
	bool bar = s->style == TP_STYLE_BARS, whole = layout->medium->whole;
	double low = along(&layout->y, s->y[i] - 0.5, plot->height, whole);
	double high = along(&layout->y, s->y[i] + 0.5, plot->height, whole);
	double from = along(&layout->x, bar ? 0 : s->x[i] - 0.5, plot->width, whole);
	double to = along(&layout->x, bar ? s->x[i] : s->x[i] + 0.5, plot->width,
			  whole && (!bar || s->x[i] < 0));
	if (isnan(s->x[i]) || !(high > low) || (!bar && !(to > from)))
		return false;
	if (to < from) {
		double left = to;
		to = from;
		from = left;
	}
	if (bar) {
		/* A third of the height separates bars, if there is more than one row. */
		double thick = (high - low) * 2 / 3;
		thick = whole ? fmin(fmax(floor(thick + 0.5), 1), ROWS_MOST) : fmin(thick, PX_MOST);
		double above = (high - low - thick) / 2, x, y;
		/* Its middle row is its tick's. */
		if (whole && tp_layout_point(layout, layout->x.min, s->y[i], &x, &y))
			above = fmax(y - floor((thick - 1) / 2) - (plot->y + plot->height - high),
				     0);
		high -= fmin(above, high - low - thick);
		low = high - thick;
	}
	*rect = (struct tp_rect){ plot->x + from, plot->y + plot->height - high, to - from,
				  high - low };
	return true;
}

bool tp_area_interval(const struct tp_layout *layout, const struct tp_series *s, size_t i,
		      double *from, double *to)
{
	const struct tp_rect *plot = &layout->plot;
	bool whole = layout->medium->whole;
	if (!s->low || !s->high)
		return false;
	*from = plot->x + along(&layout->x, s->low[i], plot->width, whole);
	*to = plot->x + along(&layout->x, s->high[i], plot->width, whole);
	return true;
}

/* --- arrows to what is out of sight --- */

static void see(void *ctx, const struct tp_line *piece)
{
	(void)piece;
	*(bool *)ctx = true;
}

static bool is_in_sight(const struct tp_layout *layout, const struct tp_series *s)
{
	bool seen = false;
	double x, y;
	if (s->style != TP_STYLE_DOTS)
		tp_trace_line(layout, s, see, &seen);
	for (size_t i = 0; !seen && i < s->n; i++)
		seen = tp_layout_point(layout, s->x[i], s->y[i], &x, &y);
	return seen;
}

static bool is_named_in_sight(const struct tp_board *board, const struct tp_series *s)
{
	for (size_t i = 0; i < board->scene->n_series; i++) {
		const struct tp_series *t = &board->scene->series[i];
		if (tp_is_alike(s, t) && is_in_sight(board->layout, t))
			return true;
	}
	return false;
}

/* How far a place lies beyond an end of its axis; below the lower end it is negative. */
static double beyond(double place)
{
	return place - fmin(fmax(place, 0), 1);
}

/* The point that is nearest to the data area, and its place; n: no point has a place. */
static size_t find_nearest(const struct tp_layout *layout, const struct tp_series *s, double *x,
			   double *y)
{
	double least = INFINITY;
	size_t nearest = s->n;
	*x = *y = NAN;
	for (size_t i = 0; i < s->n; i++) {
		double at_x = tp_scale_place(&layout->x, s->x[i]);
		double at_y = tp_scale_place(&layout->y, s->y[i]);
		double away = hypot(beyond(at_x), beyond(at_y));
		if (away < least) {
			least = away;
			nearest = i;
			*x = at_x;
			*y = at_y;
		}
	}
	return nearest;
}

/* The corner of a square on an axis of this length: at the place, moved inside. */
static double corner(const struct tp_medium *m, double place, double length)
{
	double at = fmin(fmax(place, 0), 1) * (length - m->arrow);
	return m->whole ? round(at) : at;
}

/* Moves the square along its edge to a free place, if there is one. */
static void settle(const struct tp_board *board, bool upright, struct tp_rect *square)
{
	const struct tp_rect *plot = &board->layout->plot, from = *square;
	double side = square->width, length = upright ? plot->height : plot->width;
	for (double off = 0; off<length; off = off> 0 ? -off : side - off) {
		struct tp_rect tried = from;
		*(upright ? &tried.y : &tried.x) += off;
		if (tried.x >= plot->x && tried.x + side <= plot->x + plot->width &&
		    tried.y >= plot->y && tried.y + side <= plot->y + plot->height &&
		    board->medium->is_empty(board, &tried)) {
			*square = tried;
			return;
		}
	}
}

void tp_trace_arrows(struct tp_board *board)
{
	struct tp_layout *layout = board->layout;
	const struct tp_medium *m = board->medium;
	const struct tp_rect *plot = &layout->plot;
	layout->n_arrows = 0;
	for (size_t i = 0; i < board->scene->n_series; i++) {
		const struct tp_series *s = &board->scene->series[i];
		double x, y;
		if (!s->label || !s->label[0] || tp_is_area(s) || is_named_in_sight(board, s))
			continue;
		size_t point = find_nearest(layout, s, &x, &y);
		if (point == s->n)
			continue;
		struct tp_rect square = { plot->x + corner(m, x, plot->width),
					  plot->y + corner(m, 1 - y, plot->height), m->arrow,
					  m->arrow };
		bool upright = fabs(beyond(x)) >= fabs(beyond(y));
		settle(board, upright, &square);
		struct tp_label taken = { .x = square.x,
					  .y = square.y + (m->whole ? 0 : m->arrow),
					  .width = m->arrow,
					  .word = TP_WORD_NOTE };
		m->take(board, &taken);
		layout->arrows[layout->n_arrows++] = (struct tp_arrow){
			.series = i,
			.point = point,
			.x = square.x + (m->whole ? 0 : m->arrow / 2),
			.y = square.y + (m->whole ? 0 : m->arrow / 2),
			.right = !upright ? 0
				 : x < 0  ? -1
					  : 1,
			.down = upright ? 0
				: y < 0 ? 1
					: -1,
		};
	}
}
