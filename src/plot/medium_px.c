/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures of px. No word may lie on another word, on a glyph, or on the line of another series. */
#include "base/vec.h"
#include "plot/place.h"
#include "plot/svg_parts.h"
#include "plot/trace.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { GLYPH_RADIUS = 5, RIDGE_RADIUS = 4, END_GAP = 12, END_HEIGHT = 16 };

/* The owner of words and glyphs, which no word may cover. Cache edges belong to n_series. */
#define NOBODY (SIZE_MAX - 1)

struct shape {
	struct tp_quad quad;
	size_t owner; /* pieces of lines: their series, whose name may lie on them */
	struct tp_line line; /* of a piece: its middle */
};

/* Everything that is in the picture so far. */
struct shapes {
	struct shape *items;
	size_t n, max;
};

/* The text box of a label, with a little air. */
static struct tp_quad label_quad(const struct tp_label *label)
{
	static const double ascent = 0.8, descent = 0.24, air = 2;
	double size = tp_svg_word_looks[label->word].size;
	double before = label->anchor == TP_ANCHOR_START    ? 0
			: label->anchor == TP_ANCHOR_MIDDLE ? label->width / 2
							    : label->width;
	double angle = label->degrees * acos(-1) / 180;
	before += air;
	return tp_quad_turned(label->x - before * cos(angle), label->y - before * sin(angle),
			      label->degrees, label->width + 2 * air, ascent * size + air / 2,
			      descent * size + air / 2);
}

/* --- shapes --- */

static bool clear_shapes(struct tp_board *board)
{
	struct tp_arena *arena = &board->layout->arena;
	const struct tp_scene *scene = board->scene;
	struct shapes *shapes = tp_arena_alloc(arena, sizeof(*shapes));
	if (!shapes)
		return false;
	shapes->max = board->labels_max + scene->n_marks;
	for (size_t i = 0; i < scene->n_series; i++)
		shapes->max += 2 * scene->series[i].n; /* dots with bars */
	shapes->items = tp_arena_alloc(arena, shapes->max * sizeof(*shapes->items));
	board->occupied = shapes;
	return shapes->items;
}

static void add(struct shapes *shapes, struct shape shape)
{
	if (shapes->n < shapes->max)
		shapes->items[shapes->n++] = shape;
}

static void take_label(struct tp_board *board, const struct tp_label *label)
{
	add(board->occupied, (struct shape){ .quad = label_quad(label), .owner = NOBODY });
}

static void take_point(struct tp_board *board, double x, double y, double radius)
{
	double at_x, at_y;
	if (!tp_layout_point(board->layout, x, y, &at_x, &at_y))
		return;
	const struct tp_rect box = { at_x - radius, at_y - radius, 2 * radius, 2 * radius };
	add(board->occupied, (struct shape){ .quad = tp_quad_rect(&box), .owner = NOBODY });
}

static double degrees(const struct tp_line *l)
{
	return atan2(l->y1 - l->y0, l->x1 - l->x0) * 180 / acos(-1);
}

struct pen {
	const struct tp_layout *layout;
	struct shapes *shapes;
	size_t owner;
	double half_width; /* of the stroke in the style sheet */
};

static void enter_piece(void *ctx, const struct tp_line *piece)
{
	const struct pen *pen = ctx;
	struct shape shape = { .owner = pen->owner };
	const struct tp_line *l = &shape.line;
	if (!tp_trace_place(pen->layout, piece, &shape.line))
		return;
	shape.quad = tp_quad_turned(l->x0, l->y0, degrees(l), hypot(l->x1 - l->x0, l->y1 - l->y0),
				    pen->half_width, pen->half_width);
	add(pen->shapes, shape);
}

static void enter_scene(struct tp_board *board)
{
	static const double half_thin = 0.6, half_dashed = 2.2;
	const struct tp_scene *scene = board->scene;
	struct pen pen = { board->layout, board->occupied, 0, half_thin };
	struct tp_line piece;
	for (size_t i = 0; i < scene->n_series; i++) {
		const struct tp_series *s = &scene->series[i];
		if (tp_is_area(s))
			continue;
		pen.owner = i;
		pen.half_width = s->style == TP_STYLE_DASHED ? half_dashed : half_thin;
		if (s->style != TP_STYLE_DOTS) {
			tp_trace_line(board->layout, s, enter_piece, &pen);
			continue;
		}
		for (size_t k = 0; k < s->n; k++) {
			take_point(board, s->x[k], s->y[k], GLYPH_RADIUS);
			if (tp_trace_bar(board->layout, s, k, &piece))
				enter_piece(&pen, &piece);
		}
	}
	pen.owner = scene->n_series;
	pen.half_width = half_thin;
	for (size_t i = 0; i < scene->n_marks; i++) {
		const struct tp_plot_mark *mark = &scene->marks[i];
		double x = tp_scale_place(&board->layout->x, mark->x);
		piece = (struct tp_line){ x, 0, x, 1 };
		if (mark->at_point)
			take_point(board, mark->x, mark->y, RIDGE_RADIUS);
		else if (tp_trace_clip(&piece))
			enter_piece(&pen, &piece);
	}
}

static bool is_free(const struct tp_board *board, const struct tp_quad *quad,
		    const struct tp_rect *within, size_t owner)
{
	const struct shapes *shapes = board->occupied;
	if (!tp_quad_inside(quad, within))
		return false;
	for (size_t i = 0; i < shapes->n; i++)
		if (shapes->items[i].owner != owner && tp_quad_meets(quad, &shapes->items[i].quad))
			return false;
	return true;
}

static double cost_of(const struct tp_board *board, const struct tp_label *label, bool in_plot)
{
	const struct tp_layout *layout = board->layout;
	const struct tp_quad quad = label_quad(label);
	return is_free(board, &quad, in_plot ? &layout->plot : &layout->box, label->series)
		       ? 0
		       : INFINITY;
}

static bool is_empty(const struct tp_board *board, const struct tp_rect *box)
{
	const struct tp_quad quad = tp_quad_rect(box);
	return is_free(board, &quad, &board->layout->plot, SIZE_MAX);
}

/* --- curves: names at their right ends --- */

struct end {
	size_t series;
	double x, y, label_y;
};

static bool is_curve(const struct tp_series *s)
{
	return s->style != TP_STYLE_DOTS && !tp_is_area(s) && s->n > TP_ROOF_POINTS && s->label &&
	       s->label[0];
}

/* In shares of the data area, y downward. */
static bool end_of(const struct tp_board *board, size_t series, struct end *end)
{
	const struct tp_layout *layout = board->layout;
	const struct tp_series *s = &board->scene->series[series];
	*end = (struct end){ .series = series, .x = -INFINITY };
	for (size_t i = 0; i < s->n; i++) {
		double x = tp_scale_place(&layout->x, s->x[i]);
		double y = tp_scale_place(&layout->y, s->y[i]);
		if (x >= 0 && x <= 1 && y >= 0 && y <= 1 && x > end->x) {
			end->x = x;
			end->y = 1 - y;
		}
	}
	return end->x >= 0;
}

static double ends_width(const struct tp_board *board)
{
	static const double near_right = 0.85, width_most = 0.3;
	const struct tp_layout *layout = board->layout;
	double widest = 0;
	size_t n = 0;
	for (size_t i = 0; i < board->scene->n_series; i++) {
		const struct tp_series *s = &board->scene->series[i];
		struct end end;
		if (!is_curve(s))
			continue;
		if (!end_of(board, i, &end) || end.x < near_right)
			return 0;
		widest = fmax(widest, tp_svg_width(s->label, TP_WORD_NAME));
		n++;
	}
	if (!n || (double)n * END_HEIGHT > layout->plot.height ||
	    widest > width_most * layout->box.width)
		return 0;
	return widest + END_GAP + 8;
}

static int by_height(const void *a, const void *b)
{
	const struct end *x = a, *y = b;
	if (x->y != y->y)
		return x->y < y->y ? -1 : 1;
	return (x->series > y->series) - (x->series < y->series);
}

static void place_ends(struct tp_board *board)
{
	struct tp_layout *layout = board->layout;
	const struct tp_scene *scene = board->scene;
	const struct tp_rect *plot = &layout->plot;
	struct end *ends = tp_arena_alloc(&layout->arena, (scene->n_series + 1) * sizeof(*ends));
	size_t n = 0;
	if (!ends) {
		board->oom = true;
		return;
	}
	for (size_t i = 0; i < scene->n_series; i++)
		if (is_curve(&scene->series[i]) && end_of(board, i, &ends[n])) {
			ends[n].x = plot->x + ends[n].x * plot->width;
			ends[n].y = plot->y + ends[n].y * plot->height;
			n++;
		}
	qsort(ends, n, sizeof(*ends), by_height);
	/* Apart from each other, then back into the picture. */
	double least = plot->y + END_HEIGHT / 2.0, most = plot->y + plot->height - END_HEIGHT / 2.0;
	for (size_t i = 0; i < n; i++) {
		ends[i].label_y = fmax(ends[i].y, least);
		least = ends[i].label_y + END_HEIGHT;
	}
	for (size_t i = n; i-- > 0;) {
		ends[i].label_y = fmin(ends[i].label_y, most);
		most = ends[i].label_y - END_HEIGHT;
	}
	for (size_t i = 0; i < n; i++) {
		const struct tp_series *s = &scene->series[ends[i].series];
		struct tp_label label =
			tp_board_words(board, s->label, TP_WORD_NAME, s->role, INFINITY);
		double x = plot->x + plot->width + END_GAP, y = ends[i].label_y;
		label.series = ends[i].series;
		label.leader = (struct tp_line){ ends[i].x, ends[i].y, x - 3, y };
		tp_board_add(board, tp_label_at(label, x, y + 4, TP_ANCHOR_START));
		layout->named[ends[i].series] = true;
	}
}

/* --- roofs --- */

/* A name at `share` of the piece from its left end, `off` px above (below: negative) the line. */
static void offer_on(struct tp_board *board, struct tp_spot *best, const struct tp_line *line,
		     double share, double off, double cost)
{
	struct tp_label label = best->label;
	double dx = line->x1 - line->x0, dy = line->y1 - line->y0, length = hypot(dx, dy);
	if (cost >= best->cost || !(length > label.width + 8))
		return;
	double from = 4 + share * (length - label.width - 8);
	/* Below the line the letters hang from it. */
	double rise = off > 0 ? off : off - 0.76 * tp_svg_word_looks[label.word].size;
	label.degrees = degrees(line);
	label.x = line->x0 + from * dx / length + rise * dy / length;
	label.y = line->y0 + from * dy / length - rise * dx / length;
	tp_board_offer(board, best, label, cost);
}

/* The first place that is free: the cost counts up. */
static void offer_along(struct tp_board *board, size_t series, struct tp_spot *best)
{
	static const double shares[] = { 0.06, 0, 0.12, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1 };
	static const double offsets[] = { 5, 8, -5, -8, 12 };
	const struct shapes *shapes = board->occupied;
	double cost = 0;
	for (size_t i = 0; i < shapes->n; i++) {
		if (shapes->items[i].owner != series)
			continue;
		struct tp_line line = shapes->items[i].line; /* then from left to right */
		if (line.x0 > line.x1)
			line = (struct tp_line){ line.x1, line.y1, line.x0, line.y0 };
		bool flat = fabs(line.y1 - line.y0) < 0.02 * (line.x1 - line.x0);
		/* Peaks are named at their right, slopes at their left ends. */
		for (size_t k = 0; k < TP_COUNT_OF(offsets); k++)
			for (size_t at = 0; at < TP_COUNT_OF(shares); at++)
				offer_on(board, best, &line, flat ? 1 - shares[at] : shares[at],
					 offsets[k], cost++);
	}
}

static const struct tp_beside beside[] = {
	{ 0, -9, TP_ANCHOR_MIDDLE, 0 },	 { 0, -13, TP_ANCHOR_MIDDLE, 1 },
	{ -3, -9, TP_ANCHOR_END, 2 },	 { -3, -13, TP_ANCHOR_END, 3 },
	{ 3, -9, TP_ANCHOR_START, 4 },	 { 3, -13, TP_ANCHOR_START, 5 },
	{ 7, 15, TP_ANCHOR_START, 6 },	 { 0, 19, TP_ANCHOR_MIDDLE, 7 },
	{ 0, -23, TP_ANCHOR_MIDDLE, 8 }, { 12, 28, TP_ANCHOR_START, 9 },
};

const struct tp_medium tp_medium_pixels = {
#define TP_METRIC_PX(name, cells, px) .name = (px),
	TP_METRIC_LIST(TP_METRIC_PX)
#undef TP_METRIC_PX
		.turns = true,
	.names_runs = true,
	.beside = beside,
	.n_beside = TP_COUNT_OF(beside),
	.width = tp_svg_width,
	.fit = tp_svg_fit,
	.clear = clear_shapes,
	.enter = enter_scene,
	.take = take_label,
	.cost = cost_of,
	.is_empty = is_empty,
	.along = offer_along,
	.ends_width = ends_width,
	.place_ends = place_ends,
};
