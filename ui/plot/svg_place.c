/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/plot/svg_place.h"
#include "ui/plot/svg_text.h"
#include "base/vec.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* px */
enum { GLYPH_RADIUS = 5, RIDGE_RADIUS = 4, END_GAP = 12, END_HEIGHT = 16 };

/* --- the board --- */

void tp_svg_board_take(struct tp_svg_board *board, const struct tp_quad *quad)
{
	if (board->n_taken < board->taken_max)
		board->taken[board->n_taken++] = *quad;
}

static void take_point(struct tp_svg_board *board, double x, double y, double radius)
{
	const struct tp_rect *plot = &board->layout->plot;
	const struct tp_rect rect = { x - radius, y - radius, 2 * radius, 2 * radius };
	const struct tp_quad quad = tp_quad_rect(&rect);
	if (tp_rect_holds(plot, x, y))
		tp_svg_board_take(board, &quad);
}

static void enter_line(struct tp_svg_board *board, double x0, double y0, double x1, double y1,
		       size_t owner)
{
	/* Half of what the style sheet draws. */
	static const double half_thin = 0.6, half_dashed = 2.2;
	if (isnan(x0 + y0 + x1 + y1) || board->n_lines == board->lines_max ||
	    !tp_rect_clip(&board->layout->plot, &x0, &y0, &x1, &y1))
		return;
	const struct tp_series *s =
		owner < board->scene->n_series ? &board->scene->series[owner] : NULL;
	double half = s && s->style == TP_STYLE_DASHED ? half_dashed : half_thin;
	board->lines[board->n_lines] =
		tp_quad_turned(x0, y0, atan2(y1 - y0, x1 - x0) * 180 / acos(-1),
			       hypot(x1 - x0, y1 - y0), half, half);
	board->owners[board->n_lines++] = owner;
}

static void enter_series(struct tp_svg_board *board, size_t series)
{
	const struct tp_svg_layout *layout = board->layout;
	const struct tp_series *s = &board->scene->series[series];
	double last_x = NAN, last_y = NAN;
	for (size_t i = 0; i < s->n; i++) {
		double x = tp_svg_x(layout, s->x[i]), y = tp_svg_y(layout, s->y[i]);
		if (isnan(x + y))
			continue;
		if (s->style == TP_STYLE_DOTS)
			take_point(board, x, y, GLYPH_RADIUS);
		if (s->style == TP_STYLE_DOTS && s->low && s->high)
			enter_line(board, x, tp_svg_y(layout, s->low[i]), x,
				   tp_svg_y(layout, s->high[i]), series);
		if (s->style != TP_STYLE_DOTS)
			enter_line(board, last_x, last_y, x, y, series);
		last_x = x;
		last_y = y;
	}
}

void tp_svg_board_enter(struct tp_svg_board *board)
{
	const struct tp_svg_layout *layout = board->layout;
	const struct tp_scene *scene = board->scene;
	for (size_t i = 0; i < scene->n_series; i++)
		enter_series(board, i);
	for (size_t i = 0; i < scene->n_marks; i++) {
		double x = tp_svg_x(layout, scene->marks[i].x);
		double y = tp_svg_y(layout, scene->marks[i].y);
		if (scene->marks[i].at_point && !isnan(x + y))
			take_point(board, x, y, RIDGE_RADIUS);
		else if (!scene->marks[i].at_point)
			enter_line(board, x, layout->plot.y, x,
				   layout->plot.y + layout->plot.height, scene->n_series);
	}
}

bool tp_svg_board_free(const struct tp_svg_board *board, const struct tp_quad *quad,
		       const struct tp_rect *within, size_t owner)
{
	if (!tp_quad_inside(quad, within))
		return false;
	for (size_t i = 0; i < board->n_taken; i++)
		if (tp_quad_meets(quad, &board->taken[i]))
			return false;
	for (size_t i = 0; i < board->n_lines; i++)
		if (board->owners[i] != owner && tp_quad_meets(quad, &board->lines[i]))
			return false;
	return true;
}

void tp_svg_board_add(struct tp_svg_board *board, const struct tp_svg_label *label)
{
	struct tp_svg_layout *layout = board->layout;
	char *text = tp_arena_strdup(&layout->arena, label->text);
	if (!text || layout->n_labels == layout->labels_max) {
		board->oom = true;
		return;
	}
	const struct tp_quad quad = tp_svg_label_quad(label);
	layout->labels[layout->n_labels] = *label;
	layout->labels[layout->n_labels++].text = text;
	tp_svg_board_take(board, &quad);
}

bool tp_svg_board_try(struct tp_svg_board *board, const struct tp_svg_label *label,
		      const struct tp_rect *within, size_t owner)
{
	const struct tp_quad quad = tp_svg_label_quad(label);
	if (!tp_svg_board_free(board, &quad, within, owner))
		return false;
	tp_svg_board_add(board, label);
	return true;
}

/* --- curves: names at their right ends --- */

struct end {
	size_t series;
	double x, y, label_y;
};

static double name_width(const char *text)
{
	return tp_svg_width(text, tp_svg_word_size(TP_SVG_NAME), tp_svg_word_bold(TP_SVG_NAME));
}

static bool is_curve(const struct tp_series *s)
{
	return s->style != TP_STYLE_DOTS && s->n > TP_ROOF_POINTS && s->label && s->label[0];
}

static bool end_of(const struct tp_svg_board *board, size_t series, struct end *end)
{
	const struct tp_svg_layout *layout = board->layout;
	const struct tp_series *s = &board->scene->series[series];
	*end = (struct end){ .series = series, .x = -INFINITY };
	for (size_t i = 0; i < s->n; i++) {
		double x = tp_scale_place(&layout->x, s->x[i]);
		double y = tp_scale_place(&layout->y, s->y[i]);
		if (x >= 0 && x <= 1 && y >= 0 && y <= 1 && x > end->x) {
			end->x = x;
			end->y = y;
		}
	}
	return end->x >= 0;
}

double tp_svg_ends_width(const struct tp_svg_board *board)
{
	static const double near_right = 0.85, width_most = 0.3;
	const struct tp_svg_layout *layout = board->layout;
	double widest = 0;
	size_t n = 0;
	for (size_t i = 0; i < board->scene->n_series; i++) {
		struct end end;
		if (!is_curve(&board->scene->series[i]))
			continue;
		if (!end_of(board, i, &end) || end.x < near_right)
			return 0;
		widest = fmax(widest, name_width(board->scene->series[i].label));
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

void tp_svg_place_ends(struct tp_svg_board *board)
{
	struct tp_svg_layout *layout = board->layout;
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
			ends[n].y = plot->y + (1 - ends[n].y) * plot->height;
			n++;
		}
	if (!n)
		return;
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
		struct tp_svg_label label = { .text = s->label,
					      .x = plot->x + plot->width + END_GAP,
					      .y = ends[i].label_y + 4,
					      .word = TP_SVG_NAME,
					      .role = s->role };
		tp_svg_board_add(board, &label);
		layout->leaders[layout->n_leaders++] =
			(struct tp_svg_leader){ ends[i].x, ends[i].y, label.x - 3, ends[i].label_y,
						s->role };
		layout->named[ends[i].series] = true;
	}
}

/* --- marks --- */

static void place_edge(struct tp_svg_board *board, const struct tp_plot_mark *mark, double header)
{
	const struct tp_svg_layout *layout = board->layout;
	const struct tp_rect *plot = &layout->plot;
	double x = tp_svg_x(layout, mark->x);
	struct tp_svg_label label = { .text = mark->label,
				      .x = x,
				      .y = header,
				      .anchor = TP_SVG_MIDDLE,
				      .word = TP_SVG_NOTE,
				      .role = TP_ROLE_MARK };
	if (!(x >= plot->x && x <= plot->x + plot->width) ||
	    tp_svg_board_try(board, &label, &layout->box, SIZE_MAX))
		return;
	/* Along the line, from above or from below. */
	label.degrees = -90;
	label.x = x - 4;
	label.anchor = TP_SVG_END;
	label.y = plot->y + 4;
	if (tp_svg_board_try(board, &label, plot, SIZE_MAX))
		return;
	label.anchor = TP_SVG_START;
	label.y = plot->y + plot->height - 4;
	tp_svg_board_try(board, &label, plot, SIZE_MAX);
}

static void place_ridge(struct tp_svg_board *board, const struct tp_plot_mark *mark)
{
	static const struct {
		double x, y;
		enum tp_svg_anchor anchor;
	} beside[] = {
		{ 0, -9, TP_SVG_MIDDLE }, { 0, -13, TP_SVG_MIDDLE }, { -3, -9, TP_SVG_END },
		{ -3, -13, TP_SVG_END },  { 3, -9, TP_SVG_START },   { 3, -13, TP_SVG_START },
		{ 7, 15, TP_SVG_START },  { 0, 19, TP_SVG_MIDDLE },  { 0, -23, TP_SVG_MIDDLE },
		{ 12, 28, TP_SVG_START },
	};
	const struct tp_svg_layout *layout = board->layout;
	double x = tp_svg_x(layout, mark->x), y = tp_svg_y(layout, mark->y);
	if (isnan(x + y) || !tp_rect_holds(&layout->plot, x, y))
		return;
	for (size_t i = 0; i < TP_COUNT_OF(beside); i++) {
		struct tp_svg_label label = { .text = mark->label,
					      .x = x + beside[i].x,
					      .y = y + beside[i].y,
					      .anchor = beside[i].anchor,
					      .word = TP_SVG_NOTE,
					      .role = TP_ROLE_MARK };
		if (tp_svg_board_try(board, &label, &layout->plot, SIZE_MAX))
			return;
	}
}

void tp_svg_place_marks(struct tp_svg_board *board, double header)
{
	for (size_t i = 0; i < board->scene->n_marks; i++) {
		const struct tp_plot_mark *mark = &board->scene->marks[i];
		if (!mark->label || !mark->label[0])
			continue;
		if (mark->at_point)
			place_ridge(board, mark);
		else
			place_edge(board, mark, header);
	}
}

/* --- roofs: names along their lines --- */

/* A name at `share` of the piece from its left end, `off` px above (below: negative) the line. */
static bool try_name(struct tp_svg_board *board, size_t series, const struct tp_quad *line,
		     double share, double off)
{
	const struct tp_series *s = &board->scene->series[series];
	double dx = line->x[1] - line->x[0], dy = line->y[1] - line->y[0];
	double length = hypot(dx, dy), width = name_width(s->label);
	if (!(length > width + 8))
		return false;
	double from = 4 + share * (length - width - 8);
	double size = tp_svg_word_size(TP_SVG_NAME);
	/* Below the line the letters hang from it. */
	double rise = off > 0 ? off : off - 0.76 * size;
	struct tp_svg_label label = { .text = s->label,
				      .x = line->x[0] + from * dx / length + rise * dy / length,
				      .y = line->y[0] + from * dy / length - rise * dx / length,
				      .degrees = atan2(dy, dx) * 180 / acos(-1),
				      .word = TP_SVG_NAME,
				      .role = s->role };
	return tp_svg_board_try(board, &label, &board->layout->plot, series);
}

static bool try_piece(struct tp_svg_board *board, size_t series, const struct tp_quad *piece)
{
	static const double shares[] = { 0.06, 0, 0.12, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1 };
	static const double offsets[] = { 5, 8, -5, -8, 12 };
	/* The middle of the stroke, from left to right. */
	double x0 = (piece->x[0] + piece->x[3]) / 2, y0 = (piece->y[0] + piece->y[3]) / 2;
	double x1 = (piece->x[1] + piece->x[2]) / 2, y1 = (piece->y[1] + piece->y[2]) / 2;
	struct tp_quad line =
		x0 <= x1 ? tp_quad_line(x0, y0, x1, y1) : tp_quad_line(x1, y1, x0, y0);
	bool flat = fabs(line.y[1] - line.y[0]) < 0.02 * (line.x[1] - line.x[0]);
	/* Peaks are named at their right, slopes at their left ends. */
	for (size_t k = 0; k < TP_COUNT_OF(offsets); k++)
		for (size_t i = 0; i < TP_COUNT_OF(shares); i++) {
			double share = flat ? 1 - shares[i] : shares[i];
			if (try_name(board, series, &line, share, offsets[k]))
				return true;
		}
	return false;
}

/* A label that several series of a role share is the legend's. */
static bool has_own_label(const struct tp_scene *scene, size_t series)
{
	const char *label = scene->series[series].label;
	for (size_t i = 0; i < scene->n_series; i++)
		if (i != series && scene->series[i].role == scene->series[series].role &&
		    scene->series[i].label && strcmp(scene->series[i].label, label) == 0)
			return false;
	return true;
}

void tp_svg_place_roofs(struct tp_svg_board *board)
{
	const struct tp_scene *scene = board->scene;
	for (size_t i = 0; i < scene->n_series; i++) {
		const struct tp_series *s = &scene->series[i];
		if (!s->label || !s->label[0] || !tp_svg_is_roof(s) || !has_own_label(scene, i))
			continue;
		for (size_t k = 0; k < board->n_lines && !board->layout->named[i]; k++)
			if (board->owners[k] == i)
				board->layout->named[i] = try_piece(board, i, &board->lines[k]);
	}
}
