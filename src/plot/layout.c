/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From the top: the title; a row for the label of the y axis and the names of cache edges; the data
 * area with its axes, and the names of curves right of it; tick labels; the label of the x axis;
 * the legend if it found no place inside. In low pictures some of them share a row.
 */
#include "base/vec.h"
#include "plot/place.h"

#include <math.h>
#include <string.h>

enum { PASSES_MAX = 4 };

#define NAMES_MOST 0.42 /* of the width, for the names of the y axis */

static const double edge = 1e-9; /* rounding of a point that lies on the end of an axis */

/* Base lines of the words around the data area, and where the rows below it begin. */
struct frame {
	double title, header, ticks, x_label, legend;
	bool low, y_label_in_title; /* low: the x label lies beside the tick labels */
};

static bool has_text(const char *text)
{
	return text && text[0];
}

bool tp_is_area(const struct tp_series *s)
{
	return s->style == TP_STYLE_TILES || s->style == TP_STYLE_BARS;
}

bool tp_is_roof(const struct tp_series *s)
{
	return s->style != TP_STYLE_DOTS && !tp_is_area(s) && s->n >= 2 && s->n <= TP_ROOF_POINTS;
}

/* --- positions --- */

/* Units from the beginning of an axis of this length; NAN outside of it. */
static double along(double place, double length, double dots)
{
	if (!(place >= -edge && place <= 1 + edge))
		return NAN;
	place = fmin(fmax(place, 0), 1);
	return dots > 0 ? floor(round(place * (length * dots - 1)) / dots) : place * length;
}

static double x_at(const struct tp_layout *layout, double value)
{
	double place = tp_scale_place(&layout->x, value);
	return layout->plot.x + along(place, layout->plot.width, layout->medium->dots_x);
}

static double y_at(const struct tp_layout *layout, double value)
{
	double place = 1 - tp_scale_place(&layout->y, value);
	return layout->plot.y + along(place, layout->plot.height, layout->medium->dots_y);
}

bool tp_layout_point(const struct tp_layout *layout, double x, double y, double *at_x, double *at_y)
{
	*at_x = x_at(layout, x);
	*at_y = y_at(layout, y);
	return !isnan(*at_x + *at_y);
}

bool tp_layout_band(const struct tp_layout *layout, const struct tp_plot_mark *mark, double *low,
		    double *high)
{
	if (mark->at_point || !(mark->until > mark->x) || mark->until < layout->x.min ||
	    mark->x > layout->x.max)
		return false;
	*low = x_at(layout, fmax(mark->x, layout->x.min));
	*high = x_at(layout, fmin(mark->until, layout->x.max));
	return !isnan(*low + *high);
}

static double whole(const struct tp_medium *medium, double length)
{
	return medium->whole ? floor(length) : length;
}

static double middle(const struct tp_layout *layout)
{
	return layout->plot.x + whole(layout->medium, layout->plot.width / 2);
}

/* --- the frame --- */

/* In cells every name of an axis has the same number of them. */
static double even(const struct tp_medium *medium, const struct tp_scale *scale, double length)
{
	double names = scale->max - scale->min;
	bool uneven =
		medium->whole && scale->unit == TP_UNIT_NAMES && names >= 1 && names <= length;
	return uneven ? floor(floor(length / names) * names) : length;
}

static void frame_rows(struct tp_board *board, size_t legend_rows, struct frame *f)
{
	struct tp_layout *layout = board->layout;
	const struct tp_scene *scene = board->scene;
	const struct tp_medium *m = board->medium;
	bool title = has_text(scene->title), edges = false;
	f->low = layout->box.height < m->low;
	for (size_t i = 0; i < scene->n_marks; i++)
		edges |= !scene->marks[i].at_point && has_text(scene->marks[i].label);
	f->y_label_in_title = title && f->low && !edges;
	bool header = edges || (has_text(scene->y.label) && !f->y_label_in_title);
	double top = (title ? m->title_row : 0) + (header ? m->header_row : m->bare_row);
	bool x_label = has_text(scene->x.label) && !f->low;
	double bottom = m->ticks_row + (x_label ? m->x_label_row : 0);
	double legend = legend_rows ? (double)legend_rows * m->row + m->below_gap : 0;
	layout->plot.y = layout->box.y + top;
	layout->plot.height = even(m, &layout->y, layout->box.height - top - bottom - legend);
	double under = layout->plot.y + layout->plot.height;
	f->title = layout->box.y + m->title_base;
	/* Without a header row its words go to the top of the data area. */
	f->header = layout->plot.y + (header ? m->header_base : 0);
	f->ticks = under + m->ticks_base;
	f->x_label = under + m->x_label_base;
	f->legend = under + bottom;
}

static double widest(const struct tp_medium *medium, const struct tp_tick *ticks, size_t n)
{
	double width = 0;
	for (size_t i = 0; i < n; i++)
		width = fmax(width, medium->width(ticks[i].label, TP_WORD_TICK));
	return width;
}

/* At most TP_LAYOUT_TICKS_MAX. */
static size_t ticks_of(const struct tp_scale *scale, const struct tp_names *names, size_t units,
		       size_t gap, struct tp_tick *ticks)
{
	return scale->unit == TP_UNIT_NAMES
		       ? tp_scale_names(scale, names, units, gap, ticks, TP_LAYOUT_TICKS_MAX)
		       : tp_scale_ticks(scale, units, gap, ticks, TP_LAYOUT_TICKS_MAX);
}

static size_t tick_units(const struct tp_medium *medium, double length)
{
	return length > medium->tick_unit ? (size_t)(length / medium->tick_unit) : 1;
}

/* Adds a tick, labelled if the label has room. Ticks in the same place become one. */
static void add_tick(struct tp_board *board, const struct tp_tick *tick, double at,
		     struct tp_layout_tick *ticks, size_t *n, double x, double y,
		     enum tp_anchor anchor, double most)
{
	const struct tp_medium *m = board->medium;
	bool labelled = false;
	if (isnan(at))
		return;
	if (tick->label[0]) {
		struct tp_label label =
			tp_board_words(board, tick->label, TP_WORD_TICK, TP_ROLE_AXIS, most);
		label = tp_label_at(label, x, y, anchor);
		tp_board_settle(board, &label);
		/* The border of the picture may push a label one cell off its tick, not more. */
		double pushed = label.x + whole(m, label.width / 2) - x;
		bool near = anchor == TP_ANCHOR_END || !m->whole || fabs(pushed) <= 1;
		labelled = near && tp_board_try(board, label);
	}
	if (*n && ticks[*n - 1].at == at)
		ticks[*n - 1].labelled |= labelled;
	else
		ticks[(*n)++] = (struct tp_layout_tick){ at, labelled };
}

static void frame_y(struct tp_board *board, double ends_width, struct tp_tick *ticks)
{
	struct tp_layout *layout = board->layout;
	struct tp_rect *plot = &layout->plot;
	const struct tp_rect *box = &layout->box;
	const struct tp_medium *m = board->medium;
	double less = box->width < m->narrow ? 1 : 0;
	bool named = layout->y.unit == TP_UNIT_NAMES;
	double gap = named ? m->row : m->y_tick_gap;
	size_t n = ticks_of(&layout->y, &board->scene->y_names, tick_units(m, plot->height),
			    tick_units(m, gap), ticks);
	double most = named ? whole(m, NAMES_MOST * box->width) : INFINITY;
	double margin = fmin(widest(m, ticks, n), most) + m->axis_width - less;
	plot->x = box->x + margin;
	plot->width =
		even(m, &layout->x, box->width - margin - fmax(ends_width, m->right_margin - less));
	layout->n_y_ticks = 0;
	for (size_t i = 0; i < n; i++) {
		double at = y_at(layout, ticks[i].value);
		add_tick(board, &ticks[i], at, layout->y_ticks, &layout->n_y_ticks,
			 plot->x - m->tick_gap + less, at + m->tick_drop, TP_ANCHOR_END, most);
	}
}

static void frame_x(struct tp_board *board, const struct frame *f, struct tp_tick *ticks)
{
	struct tp_layout *layout = board->layout;
	const struct tp_medium *m = board->medium;
	size_t gap = tick_units(m, m->x_tick_space) + m->whole, n = 0;
	/* Labels as dense as their own width allows. */
	for (int pass = 0; pass < PASSES_MAX; pass++) {
		n = ticks_of(&layout->x, &board->scene->x_names, tick_units(m, layout->plot.width),
			     gap, ticks);
		size_t need = tick_units(m, widest(m, ticks, n) + m->x_tick_space) + !m->whole;
		if (need <= gap)
			break;
		gap = need;
	}
	layout->n_x_ticks = 0;
	for (size_t i = 0; i < n; i++) {
		double at = x_at(layout, ticks[i].value);
		add_tick(board, &ticks[i], at, layout->x_ticks, &layout->n_x_ticks, at, f->ticks,
			 TP_ANCHOR_MIDDLE, INFINITY);
	}
}

static void frame_words(struct tp_board *board, const struct frame *f)
{
	const struct tp_layout *layout = board->layout;
	const struct tp_scene *scene = board->scene;
	const struct tp_medium *m = board->medium;
	const struct tp_rect *box = &layout->box;
	double title_from = 0, third = whole(m, box->width / 3);
	struct tp_label y = { 0 };
	if (has_text(scene->y.label)) {
		y = tp_board_words(board, scene->y.label, TP_WORD_UNIT, TP_ROLE_AXIS,
				   f->y_label_in_title ? third : box->width / m->y_label_parts);
		y.y = f->y_label_in_title ? f->title : f->header;
		title_from = f->y_label_in_title ? y.width + 2 : 0;
	}
	if (has_text(scene->title)) {
		struct tp_label title =
			tp_board_words(board, scene->title, TP_WORD_TITLE, TP_ROLE_TITLE,
				       box->width - title_from - m->inset);
		title.y = f->title;
		if (m->whole) {
			title = tp_label_at(title, middle(layout), f->title, TP_ANCHOR_MIDDLE);
			tp_board_settle(board, &title);
			title.x = fmax(title.x, title_from);
		}
		tp_board_add(board, title);
	}
	if (y.text)
		tp_board_add(board, y);
	if (has_text(scene->x.label)) {
		double most = m->whole ? box->width : layout->plot.width - 2 * m->inset;
		struct tp_label x = tp_board_words(board, scene->x.label, TP_WORD_UNIT,
						   TP_ROLE_AXIS, f->low ? third : most);
		if (f->low)
			x = tp_label_at(x, box->x + box->width, f->ticks, TP_ANCHOR_END);
		else
			x = tp_label_at(x, middle(layout), f->x_label, TP_ANCHOR_MIDDLE);
		tp_board_add(board, x);
	}
}

/* --- all of it --- */

static void *room(struct tp_board *board, size_t n, size_t size)
{
	void *memory = tp_arena_alloc(&board->layout->arena, (n + 1) * size);
	board->oom |= !memory;
	return memory;
}

static bool open_board(struct tp_board *board)
{
	struct tp_layout *layout = board->layout;
	size_t n_series = board->scene->n_series;
	/* Labels of ticks are at least a tick unit apart. */
	double units = (layout->box.width + layout->box.height) / board->medium->tick_unit;
	board->labels_max = (size_t)units + 2 * n_series + board->scene->n_marks + 8;
	layout->labels = room(board, board->labels_max, sizeof(*layout->labels));
	layout->x_ticks = room(board, TP_LAYOUT_TICKS_MAX, sizeof(*layout->x_ticks));
	layout->y_ticks = room(board, TP_LAYOUT_TICKS_MAX, sizeof(*layout->y_ticks));
	layout->keys = room(board, n_series, sizeof(*layout->keys));
	layout->named = room(board, n_series, sizeof(*layout->named));
	return !board->oom;
}

/* One attempt with so many rows kept for the legend. */
static bool attempt(struct tp_board *board, struct frame *f, size_t legend_rows,
		    struct tp_tick *ticks)
{
	struct tp_layout *layout = board->layout;
	const struct tp_medium *m = board->medium;
	layout->n_labels = layout->n_keys = 0;
	if (!m->clear(board))
		return false;
	frame_rows(board, legend_rows, f);
	double ends_width = m->ends_width ? m->ends_width(board) : 0;
	frame_y(board, ends_width, ticks);
	frame_words(board, f);
	frame_x(board, f, ticks);
	/*
	 * A line with a name on it has fewer glyphs. The last attempt is the best guess of which
	 * lines those will be.
	 */
	m->enter(board);
	memset(layout->named, 0, board->scene->n_series * sizeof(*layout->named));
	if (ends_width > 0)
		m->place_ends(board);
	tp_place_marks(board, f->header);
	tp_place_roofs(board);
	tp_legend_collect(board);
	return !board->oom;
}

/*
 * The legend lies inside the data area if there is room, else below it. Rows below make the data
 * area lower, which may send more names into the legend, so the layout is tried again.
 */
static bool lay_out(struct tp_board *board, struct tp_tick *ticks)
{
	const struct tp_layout *layout = board->layout;
	const struct tp_medium *m = board->medium;
	struct frame f;
	size_t rows = 0;
	for (int pass = 0;; pass++) {
		if (!attempt(board, &f, rows, ticks))
			return false;
		if (!layout->n_keys || (!rows && tp_legend_inside(board)))
			return !board->oom;
		double spare = layout->plot.height + layout->box.y + layout->box.height - f.legend -
			       m->below_gap - m->plot_least;
		double most = fmin(layout->box.height / m->below_parts, spare) / m->row;
		size_t need = TP_MIN(tp_legend_rows(board), (size_t)fmax(most, 1));
		if (need <= rows || pass == PASSES_MAX - 1)
			break;
		rows = need;
	}
	tp_legend_below(board, f.legend + m->below_gap, rows);
	return !board->oom;
}

enum tp_status tp_layout_make(const struct tp_scene *scene, const struct tp_medium *medium,
			      const struct tp_rect *box, struct tp_layout *layout)
{
	*layout = (struct tp_layout){ .medium = medium, .box = *box };
	struct tp_board board = { .scene = scene, .medium = medium, .layout = layout };
	tp_scale_fit(scene, &layout->x, &layout->y);
	struct tp_tick *ticks = room(&board, TP_LAYOUT_TICKS_MAX, sizeof(*ticks));
	if (open_board(&board) && lay_out(&board, ticks))
		return TP_OK;
	tp_layout_release(layout);
	return TP_NOMEM;
}

void tp_layout_release(struct tp_layout *layout)
{
	tp_arena_release(&layout->arena);
	*layout = (struct tp_layout){ 0 };
}
