/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The legend: inside where the picture is empty, nearest to a corner; else in rows below. */
#include "ui/plot/svg_place.h"
#include "ui/plot/svg_text.h"
#include "base/vec.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* px */
enum { ROW = 19, SAMPLE_GAP = 8, ENTRY_GAP = 22, PAD = 8, STEP = 10, TOP_GAP = 4 };

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

enum tp_status tp_svg_legend_collect(struct tp_svg_board *board)
{
	struct tp_svg_layout *layout = board->layout;
	const struct tp_scene *scene = board->scene;
	layout->n_keys = 0;
	for (size_t i = 0; i < scene->n_series; i++)
		if (scene->series[i].label && scene->series[i].label[0] && !layout->named[i] &&
		    !is_repeat(scene, i))
			layout->keys[layout->n_keys++].series = i;
	return TP_OK;
}

static const char *label_of(const struct tp_svg_board *board, size_t key)
{
	return board->scene->series[board->layout->keys[key].series].label;
}

static double words_width(const char *text)
{
	return tp_svg_width(text, tp_svg_word_size(TP_SVG_KEY), tp_svg_word_bold(TP_SVG_KEY));
}

/* Sample and words; no entry is wider than the picture. */
static double entry_width(const struct tp_svg_board *board, size_t key)
{
	double width = TP_SVG_SAMPLE + SAMPLE_GAP + words_width(label_of(board, key));
	return fmin(width, board->layout->box.width - 4);
}

static void add_words(struct tp_svg_board *board, const char *text, double x, double middle,
		      double width)
{
	struct tp_svg_label label = { .x = x, .y = middle + 4, .word = TP_SVG_KEY };
	label.role = TP_ROLE_TITLE;
	label.text = tp_svg_fit(&board->layout->arena, text, tp_svg_word_size(TP_SVG_KEY),
				tp_svg_word_bold(TP_SVG_KEY), width);
	if (label.text)
		tp_svg_board_add(board, &label);
	else
		board->oom = true;
}

static void put(struct tp_svg_board *board, size_t key, double x, double middle)
{
	board->layout->keys[key].x = x;
	board->layout->keys[key].y = middle;
	add_words(board, label_of(board, key), x + TP_SVG_SAMPLE + SAMPLE_GAP, middle,
		  entry_width(board, key) - TP_SVG_SAMPLE - SAMPLE_GAP + 1);
}

bool tp_svg_legend_inside(struct tp_svg_board *board)
{
	const struct tp_svg_layout *layout = board->layout;
	const struct tp_rect *plot = &layout->plot;
	struct tp_rect rect = { .height = (double)layout->n_keys * ROW + 2 * PAD }, found = { 0 };
	for (size_t i = 0; i < layout->n_keys; i++)
		rect.width = fmax(rect.width, entry_width(board, i) + 2 * PAD);
	double spare_x = plot->width - rect.width, spare_y = plot->height - rect.height;
	if (spare_x < plot->width / 2 || spare_y < plot->height / 2)
		return false;
	double best = INFINITY;
	for (double down = 0; down <= spare_y; down += STEP)
		for (double right = 0; right <= spare_x; right += STEP) {
			/* Ties go to the upper right. */
			double cost = fmin(right, spare_x - right) + fmin(down, spare_y - down) +
				      (right * 2 < spare_x ? 3 : 0) + (down * 2 > spare_y ? 2 : 0);
			if (cost >= best)
				continue;
			rect.x = plot->x + right;
			rect.y = plot->y + down;
			const struct tp_quad quad = tp_quad_rect(&rect);
			if (!tp_svg_board_free(board, &quad, plot, SIZE_MAX))
				continue;
			best = cost;
			found = rect;
		}
	if (!(best < INFINITY))
		return false;
	for (size_t i = 0; i < layout->n_keys; i++)
		put(board, i, found.x + PAD, found.y + PAD + ROW * ((double)i + 0.5));
	return true;
}

/* Entries in columns of equal width. */
static size_t entries_a_row(const struct tp_svg_board *board, double *width)
{
	*width = 1;
	for (size_t i = 0; i < board->layout->n_keys; i++)
		*width = fmax(*width, entry_width(board, i));
	double columns = floor((board->layout->box.width + ENTRY_GAP) / (*width + ENTRY_GAP));
	return columns >= 1 ? (size_t)columns : 1;
}

double tp_svg_legend_height(const struct tp_svg_board *board)
{
	double width;
	size_t n = board->layout->n_keys, columns = entries_a_row(board, &width);
	return n ? (double)((n + columns - 1) / columns) * ROW + TOP_GAP : 0;
}

void tp_svg_legend_below(struct tp_svg_board *board, double top, double height)
{
	struct tp_svg_layout *layout = board->layout;
	double width;
	size_t columns = entries_a_row(board, &width), n = layout->n_keys;
	size_t rows = height >= ROW + TOP_GAP ? (size_t)((height - TOP_GAP + 0.5) / ROW) : 0;
	size_t shown = TP_MIN(n, rows * columns);
	columns = TP_MIN(columns, TP_MAX(n, (size_t)1));
	double x = layout->box.x + 2;
	/* One row begins under the data area. */
	if (shown == n && n <= columns &&
	    layout->plot.x + (double)n * (width + ENTRY_GAP) <= layout->box.x + layout->box.width)
		x = layout->plot.x;
	/* The last entry gives way to "+3 more". */
	bool more = shown < n && shown > 0;
	if (more)
		shown--;
	for (size_t i = 0; i < shown; i++)
		put(board, i, x + (double)(i % columns) * (width + ENTRY_GAP),
		    top + TOP_GAP + ROW * ((double)(i / columns) + 0.5));
	layout->n_keys = shown;
	if (more) {
		char text[32];
		snprintf(text, sizeof(text), "+%zu more", n - shown);
		add_words(board, text, x + (double)(shown % columns) * (width + ENTRY_GAP),
			  top + TOP_GAP + ROW * ((double)(shown / columns) + 0.5),
			  layout->box.width);
	}
}
