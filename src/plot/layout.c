/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From the top: the title; a row for the label of the y axis and the names of cache edges; the data
 * area with its axes, and the names of curves right of it; tick labels; the label of the x axis;
 * the legend if it found no place inside. In low pictures some of them share a row.
 */
#include "plot/layout.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

static const double edge = 1e-9; /* rounding of a point that lies on the end of an axis */

bool tp_is_area(const struct tp_series *s)
{
	return s->style == TP_STYLE_TILES || s->style == TP_STYLE_BARS;
}

bool tp_is_roof(const struct tp_series *s)
{
	return s->style != TP_STYLE_DOTS && !tp_is_area(s) && !s->apart && s->n >= 2 &&
	       s->n <= TP_ROOF_POINTS;
}

bool tp_is_alike(const struct tp_series *s, const struct tp_series *t)
{
	return s->label && t->label && strcmp(t->label, s->label) == 0 && t->style == s->style &&
	       t->role == s->role && t->glyph == s->glyph;
}

/* --- positions --- */

/* Units from the beginning of an axis of this length; NAN outside. */
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

/*
 * --- places for words ---
 *
 * Every possible place of a name has a cost. It grows with the distance from where a reader looks
 * first, and with the harm that the medium reports: the name hides something, or could be taken for
 * the name of something else. The place with the least cost wins. If every place costs too much,
 * the name is left to the legend.
 */

struct tp_label tp_board_words(struct tp_board *board, const char *text, enum tp_plot_word word,
			       enum tp_plot_role role, double most)
{
	struct tp_label label = { .x = board->layout->box.x,
				  .y = board->layout->box.y,
				  .word = word,
				  .role = role,
				  .series = SIZE_MAX };
	label.text = board->medium->fit(&board->layout->arena, text, word, most);
	label.width = fmin(board->medium->width(label.text, word), most);
	if (board->medium->whole)
		label.width = floor(label.width);
	return label;
}

struct tp_label tp_label_at(struct tp_label label, double x, double y, enum tp_anchor anchor)
{
	label.x = x;
	label.y = y;
	label.anchor = anchor;
	return label;
}

/* On whole units: the anchor becomes the start, pushed into the picture. */
static void board_settle(const struct tp_board *board, struct tp_label *label)
{
	const struct tp_rect *box = &board->layout->box;
	if (!board->medium->whole)
		return;
	if (label->anchor == TP_ANCHOR_MIDDLE)
		label->x -= floor(label->width / 2);
	else if (label->anchor == TP_ANCHOR_END)
		label->x -= label->width;
	label->x = fmax(fmin(label->x, box->x + box->width - label->width), box->x);
	label->anchor = TP_ANCHOR_START;
}

void tp_board_add(struct tp_board *board, struct tp_label label)
{
	struct tp_layout *layout = board->layout;
	label.text = tp_arena_strdup(&layout->arena, label.text);
	board_settle(board, &label);
	if (layout->n_labels == board->labels_max)
		return; /* open_board counts on fewer */
	board->medium->take(board, &label);
	layout->labels[layout->n_labels++] = label;
}

/* Adds it only if there is room in the picture. */
static bool board_try(struct tp_board *board, struct tp_label label)
{
	board_settle(board, &label);
	bool fits = board->medium->cost(board, &label, false) < INFINITY;
	if (fits)
		tp_board_add(board, label);
	return fits;
}

void tp_board_offer(const struct tp_board *board, struct tp_spot *best, struct tp_label label,
		    double cost)
{
	if (!(cost < best->cost))
		return;
	board_settle(board, &label);
	cost += board->medium->cost(board, &label, true);
	if (cost < best->cost)
		*best = (struct tp_spot){ label, cost };
}

/* No place yet. */
static struct tp_spot seek(struct tp_board *board, const char *text, enum tp_plot_word word,
			   enum tp_plot_role role)
{
	return (struct tp_spot){ tp_board_words(board, text, word, role, INFINITY),
				 board->medium->too_much };
}

static bool settle_down(struct tp_board *board, const struct tp_spot *best)
{
	bool found = best->cost < board->medium->too_much;
	if (found)
		tp_board_add(board, best->label);
	return found;
}

/* --- marks --- */

/* Centred over its edge, or as near to that as its neighbours allow. */
static bool place_above(struct tp_board *board, const struct tp_label *label, double at, double y)
{
	double step = board->medium->header_step;
	for (double off = 0; off <= floor(label->width / 2); off += step) {
		if (board_try(board, tp_label_at(*label, at - off, y, TP_ANCHOR_MIDDLE)) ||
		    board_try(board, tp_label_at(*label, at + off, y, TP_ANCHOR_MIDDLE)))
			return true;
		if (!(step > 0))
			break;
	}
	return false;
}

/* Along the edge from above or from below, or in any row right or left of it. */
static void offer_at_edge(const struct tp_board *board, struct tp_spot *best, double at)
{
	const struct tp_rect *plot = &board->layout->plot;
	struct tp_label label = best->label;
	if (board->medium->turns) {
		double bottom = plot->y + plot->height;
		label.degrees = -90;
		tp_board_offer(board, best, tp_label_at(label, at - 4, plot->y + 4, TP_ANCHOR_END),
			       0);
		tp_board_offer(board, best, tp_label_at(label, at - 4, bottom - 4, TP_ANCHOR_START),
			       1);
		return;
	}
	for (double down = 0; down < plot->height; down++) {
		double y = plot->y + down;
		tp_board_offer(board, best, tp_label_at(label, at + 2, y, TP_ANCHOR_START),
			       down * 0.5);
		tp_board_offer(board, best, tp_label_at(label, at - 1, y, TP_ANCHOR_END),
			       down * 0.5 + 0.1);
	}
}

/*
 * In one of the places around a point that cost less than `best` does; false: there is no room.
 */
static bool settle_beside(struct tp_board *board, struct tp_spot *best, double x, double y)
{
	const double most = best->cost;
	for (size_t k = 0; k < board->medium->n_beside; k++) {
		const struct tp_beside *b = &board->medium->beside[k];
		tp_board_offer(board, best, tp_label_at(best->label, x + b->x, y + b->y, b->anchor),
			       b->cost);
	}
	if (best->cost < most)
		tp_board_add(board, best->label);
	return best->cost < most;
}

/* What is out of sight, and of dots where: "dgemm (12, 340)". Without room only what. */
static void name_arrows(struct tp_board *board)
{
	for (size_t i = 0; i < board->layout->n_arrows; i++) {
		const struct tp_arrow *a = &board->layout->arrows[i];
		const struct tp_series *s = &board->scene->series[a->series];
		char text[128];
		snprintf(text, sizeof(text), "%.80s (%.4g, %.4g)", s->label, s->x[a->point],
			 s->y[a->point]);
		for (int brief = s->style != TP_STYLE_DOTS; brief < 2; brief++) {
			struct tp_spot best =
				seek(board, brief ? s->label : text, TP_WORD_NOTE, s->role);
			if (settle_beside(board, &best, a->x, a->y))
				break;
		}
	}
}

/*
 * Names of cache edges above the data area or beside the edge, of ridge points next to them. Bare
 * ones first: they may hide lines, as they are the subject of the picture.
 */
static void place_marks(struct tp_board *board, double header)
{
	const struct tp_layout *layout = board->layout;
	const size_t n = board->scene->n_marks;
	for (size_t k = 0; k < 2 * n; k++) {
		const struct tp_plot_mark *mark = &board->scene->marks[k % n];
		double x, y, at_y = mark->at_point ? mark->y : layout->y.max;
		if (!mark->label || !mark->label[0] || mark->bare != (k < n) ||
		    !tp_layout_point(layout, mark->x, at_y, &x, &y))
			continue;
		struct tp_spot best = seek(board, mark->label, TP_WORD_NOTE, TP_ROLE_MARK);
		if (!mark->at_point && place_above(board, &best.label, x, header))
			continue;
		if (mark->bare)
			best.cost = INFINITY;
		if (mark->at_point) {
			settle_beside(board, &best, x, y);
			continue;
		}
		offer_at_edge(board, &best, x);
		settle_down(board, &best);
	}
}

/* --- roofs --- */

/* A label that several series share is the legend's. */
static bool has_own_name(const struct tp_board *board, const struct tp_series *s)
{
	bool runs = board->medium->names_runs;
	if (!s->label || !s->label[0] || !tp_is_roof(s) ||
	    (s->style == TP_STYLE_LINE_AND_DOTS && !runs))
		return false;
	for (size_t i = 0; i < board->scene->n_series; i++) {
		const struct tp_series *t = &board->scene->series[i];
		if (t != s && t->label && strcmp(t->label, s->label) == 0 &&
		    (t->role == s->role || !runs))
			return false;
	}
	return true;
}

/* --- the legend: inside where the picture is empty, nearest to a corner; else in rows below --- */

/* Finds its entries, one a name. */
static void legend_collect(struct tp_board *board)
{
	struct tp_layout *layout = board->layout;
	const struct tp_scene *scene = board->scene;
	layout->legend = (struct tp_rect){ 0 };
	layout->n_keys = 0;
	for (size_t i = 0; i < scene->n_series; i++) {
		const char *label = scene->series[i].label;
		bool known = !label || !label[0] || layout->named[i];
		for (size_t k = 0; !known && k < layout->n_keys; k++)
			known = strcmp(scene->series[layout->keys[k].series].label, label) == 0;
		if (!known)
			layout->keys[layout->n_keys++].series = i;
	}
}

static double right_most(const struct tp_board *board)
{
	return board->layout->box.width - board->medium->inset;
}

/* Sample and words; no entry is wider than the picture. */
static double entry_width(const struct tp_board *board, size_t key)
{
	const char *label = board->scene->series[board->layout->keys[key].series].label;
	double width = board->medium->sample + board->medium->width(label, TP_WORD_KEY);
	return fmin(width, right_most(board));
}

static double widest_entry(const struct tp_board *board)
{
	double width = 1;
	for (size_t i = 0; i < board->layout->n_keys; i++)
		width = fmax(width, entry_width(board, i));
	return width;
}

static void put(struct tp_board *board, size_t key, double x, double top, double width)
{
	static const double rounding = 1e-6;
	const struct tp_medium *m = board->medium;
	struct tp_legend_key *k = &board->layout->keys[key];
	const struct tp_series *s = &board->scene->series[k->series];
	k->x = x;
	k->y = top + m->row_middle;
	struct tp_label label = tp_board_words(board, s->label, TP_WORD_KEY,
					       m->keys_in_role ? s->role : TP_ROLE_TITLE,
					       width - m->sample + rounding);
	label.series = k->series;
	tp_board_add(board, tp_label_at(label, x + m->sample, k->y + m->key_drop, TP_ANCHOR_START));
}

static bool legend_inside(struct tp_board *board)
{
	struct tp_layout *layout = board->layout;
	const struct tp_rect *plot = &layout->plot;
	const struct tp_medium *m = board->medium;
	struct tp_rect rect = { .width = widest_entry(board) + 2 * m->pad_x,
				.height = (double)layout->n_keys * m->row + 2 * m->pad_y };
	double spare_x = plot->width - rect.width, spare_y = plot->height - rect.height;
	double best = INFINITY;
	for (size_t i = 0; i < board->scene->n_series; i++)
		if (tp_is_area(&board->scene->series[i]))
			return false;
	if (rect.width * 2 > plot->width || rect.height * 2 > plot->height)
		return false;
	for (double down = 0; down <= spare_y; down += m->step)
		for (double right = 0; right <= spare_x; right += m->step) {
			/* Ties go to the upper right. */
			double cost = fmin(right, spare_x - right) +
				      m->down_weight * fmin(down, spare_y - down) +
				      (right * 2 < spare_x ? m->tie_left : 0) +
				      (down * 2 > spare_y ? m->tie_low : 0);
			if (cost >= best)
				continue;
			rect.x = plot->x + right;
			rect.y = plot->y + down;
			if (!m->is_empty(board, &rect))
				continue;
			best = cost;
			layout->legend = rect;
		}
	if (!(best < INFINITY))
		return false;
	for (size_t i = 0; i < layout->n_keys; i++)
		put(board, i, layout->legend.x + m->pad_x,
		    layout->legend.y + m->pad_y + (double)i * m->row, entry_width(board, i));
	return true;
}

/* --- below --- */

/* Entries in columns of equal width, so that rows line up. */
static size_t entries_a_row(const struct tp_board *board, double width)
{
	double gap = board->medium->entry_gap;
	double columns = floor((right_most(board) + gap) / (width + gap));
	return columns >= 1 ? (size_t)columns : 1;
}

/* One row if all fit with their own widths. */
static double single_row_width(const struct tp_board *board)
{
	double width = -board->medium->entry_gap;
	for (size_t i = 0; i < board->layout->n_keys; i++)
		width += entry_width(board, i) + board->medium->entry_gap;
	return width;
}

/* Where a row of this width begins: under the middle of the data area, as far as it fits. */
static double row_start(const struct tp_board *board, double width)
{
	const struct tp_rect *plot = &board->layout->plot;
	double x = plot->x + plot->width / 2 - width / 2;
	if (board->medium->whole)
		x = plot->x + floor(plot->width / 2) - floor(width / 2);
	double last = board->layout->box.x + right_most(board) - width;
	return fmax(fmin(x, last), board->layout->box.x);
}

/* As many as fit, and in the last row the number of the others. */
static void place_some(struct tp_board *board, double top, size_t rows)
{
	struct tp_layout *layout = board->layout;
	const struct tp_medium *m = board->medium;
	double x = 0, most = right_most(board), kept = m->more + m->entry_gap;
	size_t shown = 0, row = 0;
	for (; shown < layout->n_keys; shown++) {
		double width = entry_width(board, shown);
		bool last = row + 1 == rows, full = x > 0 && x + width + (last ? kept : 0) > most;
		if (full && last)
			break;
		x = full ? 0 : x;
		row += full;
		width = fmin(width, most - (row + 1 == rows ? kept : 0));
		put(board, shown, layout->box.x + x, top + (double)row * m->row, width);
		x += width + m->entry_gap;
	}
	size_t left_out = layout->n_keys - shown;
	layout->n_keys = shown;
	if (!left_out)
		return;
	char text[32];
	snprintf(text, sizeof(text), "+%zu more", left_out);
	struct tp_label more = tp_board_words(board, text, TP_WORD_KEY, TP_ROLE_AXIS, most - x);
	double y = top + (double)row * m->row + m->row_middle + m->key_drop;
	tp_board_add(board, tp_label_at(more, layout->box.x + x, y, TP_ANCHOR_START));
}

static void legend_below(struct tp_board *board, double top, size_t rows)
{
	const struct tp_medium *m = board->medium;
	size_t n = board->layout->n_keys;
	double single = single_row_width(board), width = widest_entry(board);
	size_t a_row = entries_a_row(board, width);
	if (single <= right_most(board)) {
		double x = row_start(board, single);
		for (size_t i = 0; i < n; i++) {
			put(board, i, x, top, entry_width(board, i));
			x += entry_width(board, i) + m->entry_gap;
		}
	} else if (n <= a_row * rows) {
		double column = width + m->entry_gap;
		double left = row_start(board, (double)TP_MIN(a_row, n) * column - m->entry_gap);
		for (size_t i = 0; i < n; i++)
			put(board, i, left + (double)(i % a_row) * column,
			    top + (double)(i / a_row) * m->row, entry_width(board, i));
	} else {
		place_some(board, top, rows);
	}
}

/* --- the frame --- */

enum { PASSES_MAX = 4 };

#define NAMES_MOST 0.42 /* of the width, for the names of the y axis */

/* Base lines of the words around the data area, and where the rows below it begin. */
struct frame {
	double title, header, ticks, x_label, legend;
	bool low, y_label_in_title; /* low: the x label is next to the tick labels */
};

static bool has_text(const char *text)
{
	return text && text[0];
}

static double whole(const struct tp_medium *medium, double length)
{
	return medium->whole ? floor(length) : length;
}

static double middle(const struct tp_layout *layout)
{
	return layout->plot.x + whole(layout->medium, layout->plot.width / 2);
}

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
		board_settle(board, &label);
		/* The border of the picture may push a label one cell off its tick, not more. */
		double pushed = label.x + whole(m, label.width / 2) - x;
		bool near = anchor == TP_ANCHOR_END || !m->whole || fabs(pushed) <= 1;
		labelled = near && board_try(board, label);
	}
	if (*n && ticks[*n - 1].at == at)
		ticks[*n - 1].labelled |= labelled;
	else
		ticks[(*n)++] = (struct tp_layout_tick){ at, labelled };
}

/* A name that is too wide loses its middle: names of a plot differ at their ends. */
static void shorten(const struct tp_board *board, struct tp_tick *tick, double most)
{
	const struct tp_medium *m = board->medium;
	size_t n = strlen(tick->label), head = tp_utf8_before(tick->label, n / 2 + 1), tail = head;
	char name[sizeof(tick->label)];
	if (m->width(tick->label, TP_WORD_TICK) <= most)
		return;
	do {
		if (head > n - tail)
			head = tp_utf8_before(tick->label, head);
		else
			tail = tp_utf8_after(tick->label, tail);
		snprintf(name, sizeof(name), "%.*s\u2026%s", (int)head, tick->label,
			 tick->label + tail);
	} while (m->width(name, TP_WORD_TICK) > most && head);
	tp_copy(tick->label, sizeof(tick->label), name);
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
	for (size_t i = 0; i < n; i++)
		shorten(board, &ticks[i], most);
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
			board_settle(board, &title);
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

static void open_board(struct tp_board *board)
{
	struct tp_layout *layout = board->layout;
	size_t n_series = board->scene->n_series;
	/* Labels of ticks are at least a tick unit apart. */
	double units = (layout->box.width + layout->box.height) / board->medium->tick_unit;
	board->labels_max = (size_t)units + 4 * n_series + board->scene->n_marks + 8;
	struct tp_arena *arena = &layout->arena;
	layout->labels = tp_arena_alloc(arena, board->labels_max * sizeof(*layout->labels));
	layout->x_ticks = tp_arena_alloc(arena, TP_LAYOUT_TICKS_MAX * sizeof(*layout->x_ticks));
	layout->y_ticks = tp_arena_alloc(arena, TP_LAYOUT_TICKS_MAX * sizeof(*layout->y_ticks));
	layout->keys = tp_arena_alloc(arena, (n_series + 1) * sizeof(*layout->keys));
	layout->named = tp_arena_alloc(arena, (n_series + 1) * sizeof(*layout->named));
	layout->arrows = tp_arena_alloc(arena, (n_series + 1) * sizeof(*layout->arrows));
}

/* One attempt with this many rows kept for the legend. */
static void attempt(struct tp_board *board, struct frame *f, size_t legend_rows,
		    struct tp_tick *ticks)
{
	struct tp_layout *layout = board->layout;
	const struct tp_medium *m = board->medium;
	layout->n_labels = layout->n_keys = 0;
	m->clear(board);
	frame_rows(board, legend_rows, f);
	double ends_width = m->ends_width ? m->ends_width(board) : 0;
	frame_y(board, ends_width, ticks);
	frame_words(board, f);
	frame_x(board, f, ticks);
	/*
	 * A line with a name on it has fewer glyphs. The last attempt predicts which lines those
	 * will be.
	 */
	m->enter(board);
	memset(layout->named, 0, board->scene->n_series * sizeof(*layout->named));
	if (ends_width > 0)
		m->place_ends(board);
	place_marks(board, f->header);
	/* Names of roofs along their lines. */
	for (size_t i = 0; i < board->scene->n_series; i++) {
		const struct tp_series *s = &board->scene->series[i];
		if (!has_own_name(board, s))
			continue;
		struct tp_spot best = seek(board, s->label, TP_WORD_NAME, s->role);
		best.label.series = i;
		board->medium->along(board, i, &best);
		board->layout->named[i] = settle_down(board, &best);
	}
	name_arrows(board);
	legend_collect(board);
}

/*
 * The legend lies inside the data area if there is room, else below it. Rows below make the data
 * area lower, which may send more names into the legend, so the layout is tried again.
 */
static void lay_out(struct tp_board *board, struct tp_tick *ticks)
{
	const struct tp_layout *layout = board->layout;
	const struct tp_medium *m = board->medium;
	struct frame f;
	size_t rows = 0;
	for (int pass = 0;; pass++) {
		attempt(board, &f, rows, ticks);
		if (!layout->n_keys || (!rows && legend_inside(board)))
			return;
		double spare = layout->plot.height + layout->box.y + layout->box.height - f.legend -
			       m->below_gap - m->plot_least;
		double most = fmin(layout->box.height / m->below_parts, spare) / m->row;
		size_t a_row = entries_a_row(board, widest_entry(board));
		if (single_row_width(board) <= right_most(board))
			a_row = layout->n_keys;
		size_t need = TP_MIN((layout->n_keys + a_row - 1) / a_row, (size_t)fmax(most, 1));
		if (need <= rows || pass == PASSES_MAX - 1)
			break;
		rows = need;
	}
	legend_below(board, f.legend + m->below_gap, rows);
}

void tp_layout_make(const struct tp_scene *scene, const struct tp_medium *medium,
		    const struct tp_rect *box, struct tp_layout *layout)
{
	*layout = (struct tp_layout){ .medium = medium, .box = *box };
	struct tp_board board = { .scene = scene, .medium = medium, .layout = layout };
	tp_scale_fit(scene, &layout->x, &layout->y);
	struct tp_tick *ticks =
		tp_arena_alloc(&layout->arena, TP_LAYOUT_TICKS_MAX * sizeof(*ticks));
	open_board(&board);
	lay_out(&board, ticks);
}

void tp_layout_release(struct tp_layout *layout)
{
	tp_arena_release(&layout->arena);
	*layout = (struct tp_layout){ 0 };
}

/* --- geometry --- */

static const double touch = 1e-6; /* px */

struct tp_quad tp_quad_rect(const struct tp_rect *r)
{
	return (struct tp_quad){ { r->x, r->x + r->width, r->x + r->width, r->x },
				 { r->y, r->y, r->y + r->height, r->y + r->height } };
}

struct tp_quad tp_quad_turned(double x, double y, double degrees, double width, double up,
			      double down)
{
	const double at_x[4] = { 0, width, width, 0 }, at_y[4] = { -up, -up, down, down };
	double angle = degrees * acos(-1) / 180, c = cos(angle), s = sin(angle);
	struct tp_quad quad;
	for (int i = 0; i < 4; i++) {
		quad.x[i] = x + at_x[i] * c - at_y[i] * s;
		quad.y[i] = y + at_x[i] * s + at_y[i] * c;
	}
	return quad;
}

static void shadow(const struct tp_quad *quad, double nx, double ny, double *low, double *high)
{
	*low = INFINITY;
	*high = -INFINITY;
	for (int i = 0; i < 4; i++) {
		double at = quad->x[i] * nx + quad->y[i] * ny;
		*low = fmin(*low, at);
		*high = fmax(*high, at);
	}
}

/* True if a normal of an edge of `a` separates them. */
static bool separated(const struct tp_quad *a, const struct tp_quad *b)
{
	for (int i = 0; i < 4; i++) {
		int k = (i + 1) % 4;
		double nx = a->y[i] - a->y[k], ny = a->x[k] - a->x[i];
		double length = hypot(nx, ny), low_a, high_a, low_b, high_b;
		if (!(length > 0))
			continue;
		shadow(a, nx / length, ny / length, &low_a, &high_a);
		shadow(b, nx / length, ny / length, &low_b, &high_b);
		if (high_a <= low_b + touch || high_b <= low_a + touch)
			return true;
	}
	return false;
}

bool tp_quad_meets(const struct tp_quad *a, const struct tp_quad *b)
{
	return !separated(a, b) && !separated(b, a);
}

static bool holds(const struct tp_rect *r, double x, double y)
{
	return x >= r->x && x <= r->x + r->width && y >= r->y && y <= r->y + r->height;
}

bool tp_quad_inside(const struct tp_quad *quad, const struct tp_rect *r)
{
	const struct tp_rect about = { r->x - touch, r->y - touch, r->width + 2 * touch,
				       r->height + 2 * touch };
	for (int i = 0; i < 4; i++)
		if (!holds(&about, quad->x[i], quad->y[i]))
			return false;
	return true;
}

bool tp_line_clip(struct tp_line *l, const struct tp_rect *r)
{
	double dx = l->x1 - l->x0, dy = l->y1 - l->y0, from = 0, to = 1;
	const double step[4] = { -dx, dx, -dy, dy };
	const double room[4] = { l->x0 - r->x, r->x + r->width - l->x0, l->y0 - r->y,
				 r->y + r->height - l->y0 };
	if (!isfinite(dx) || !isfinite(dy))
		return false;
	bool inside = holds(r, l->x0, l->y0) && holds(r, l->x1, l->y1);
	for (int i = 0; i < 4 && !inside; i++) {
		double at = room[i] / step[i];
		if (step[i] == 0 && room[i] < 0)
			return false;
		if (step[i] < 0)
			from = fmax(from, at);
		else if (step[i] > 0)
			to = fmin(to, at);
	}
	if (!(from <= to))
		return false;
	*l = (struct tp_line){ l->x0 + from * dx, l->y0 + from * dy, l->x0 + to * dx,
			       l->y0 + to * dy };
	return true;
}
