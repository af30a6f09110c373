/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every possible place of a name has a cost. It grows with the distance from where a reader looks
 * first, and with the harm that the medium reports: the name hides something, or could be taken for
 * the name of something else. The place with the least cost wins. If every place costs too much,
 * the name is left to the legend.
 */
#include "plot/place.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

struct tp_label tp_board_words(struct tp_board *board, const char *text, enum tp_plot_word word,
			       enum tp_plot_role role, double most)
{
	struct tp_label label = { .x = board->layout->box.x,
				  .y = board->layout->box.y,
				  .word = word,
				  .role = role,
				  .series = SIZE_MAX };
	label.text = board->medium->fit(&board->layout->arena, text, word, most);
	if (!label.text) {
		board->oom = true;
		label.text = "";
	}
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

void tp_board_settle(const struct tp_board *board, struct tp_label *label)
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

struct tp_label *tp_board_add(struct tp_board *board, struct tp_label label)
{
	struct tp_layout *layout = board->layout;
	label.text = tp_arena_strdup(&layout->arena, label.text);
	if (!label.text || layout->n_labels == board->labels_max) {
		board->oom = true;
		return NULL;
	}
	tp_board_settle(board, &label);
	board->medium->take(board, &label);
	layout->labels[layout->n_labels] = label;
	return &layout->labels[layout->n_labels++];
}

bool tp_board_try(struct tp_board *board, struct tp_label label)
{
	tp_board_settle(board, &label);
	return board->medium->cost(board, &label, false) < INFINITY && tp_board_add(board, label);
}

void tp_board_offer(const struct tp_board *board, struct tp_spot *best, struct tp_label label,
		    double cost)
{
	if (!(cost < best->cost))
		return;
	tp_board_settle(board, &label);
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
	return best->cost < board->medium->too_much && tp_board_add(board, best->label);
}

/* --- marks --- */

/* Centred over its edge, or as near to that as its neighbours allow. */
static bool place_above(struct tp_board *board, const struct tp_label *label, double at, double y)
{
	double step = board->medium->header_step;
	for (double off = 0; off <= floor(label->width / 2); off += step) {
		if (tp_board_try(board, tp_label_at(*label, at - off, y, TP_ANCHOR_MIDDLE)) ||
		    tp_board_try(board, tp_label_at(*label, at + off, y, TP_ANCHOR_MIDDLE)))
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

static void offer_beside(const struct tp_board *board, struct tp_spot *best, double x, double y)
{
	for (size_t i = 0; i < board->medium->n_beside; i++) {
		const struct tp_beside *b = &board->medium->beside[i];
		tp_board_offer(board, best, tp_label_at(best->label, x + b->x, y + b->y, b->anchor),
			       b->cost);
	}
}

void tp_place_marks(struct tp_board *board, double header)
{
	const struct tp_layout *layout = board->layout;
	for (size_t i = 0; i < board->scene->n_marks; i++) {
		const struct tp_plot_mark *mark = &board->scene->marks[i];
		double x, y, at_y = mark->at_point ? mark->y : layout->y.max;
		if (!mark->label || !mark->label[0] ||
		    !tp_layout_point(layout, mark->x, at_y, &x, &y))
			continue;
		struct tp_spot best = seek(board, mark->label, TP_WORD_NOTE, TP_ROLE_MARK);
		if (mark->at_point)
			offer_beside(board, &best, x, y);
		else if (place_above(board, &best.label, x, header))
			continue;
		else
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

void tp_place_roofs(struct tp_board *board)
{
	for (size_t i = 0; i < board->scene->n_series; i++) {
		const struct tp_series *s = &board->scene->series[i];
		if (!has_own_name(board, s))
			continue;
		struct tp_spot best = seek(board, s->label, TP_WORD_NAME, s->role);
		best.label.series = i;
		board->medium->along(board, i, &best);
		board->layout->named[i] = settle_down(board, &best);
	}
}
