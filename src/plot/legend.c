/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The legend: inside where the picture is empty, nearest to a corner; else in rows below. */
#include "base/vec.h"
#include "plot/place.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One entry for all series that look and are called alike. */
static bool is_repeat(const struct tp_scene *scene, size_t series)
{
	const struct tp_series *s = &scene->series[series];
	for (size_t i = 0; i < series; i++) {
		const struct tp_series *t = &scene->series[i];
		if (t->label && strcmp(t->label, s->label) == 0 && t->style == s->style &&
		    t->role == s->role && t->glyph == s->glyph)
			return true;
	}
	return false;
}

void tp_legend_collect(struct tp_board *board)
{
	struct tp_layout *layout = board->layout;
	const struct tp_scene *scene = board->scene;
	layout->legend = (struct tp_rect){ 0 };
	layout->n_keys = 0;
	for (size_t i = 0; i < scene->n_series; i++) {
		const char *label = scene->series[i].label;
		if (label && label[0] && !layout->named[i] && !is_repeat(scene, i))
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

bool tp_legend_inside(struct tp_board *board)
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

size_t tp_legend_rows(const struct tp_board *board)
{
	if (single_row_width(board) <= right_most(board))
		return 1;
	size_t a_row = entries_a_row(board, widest_entry(board));
	return (board->layout->n_keys + a_row - 1) / a_row;
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

/* As many as there is room for, and in the last row how many there is none for. */
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

void tp_legend_below(struct tp_board *board, double top, size_t rows)
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
