/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From the top: title, a row for the y axis' label and the names of cache edges, the data area with its axes and the names of curves
 * right of it, tick labels, the x axis' label, the legend if it found no place inside.
 */
#include "ui/plot/svg_layout.h"
#include "ui/plot/svg_place.h"
#include "ui/plot/svg_text.h"
#include "base/vec.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* px */
enum {
	TITLE_HEIGHT = 26,
	HEADER_HEIGHT = 22,
	TICK_LENGTH = 5,
	TICKS_HEIGHT = 20,
	X_LABEL_HEIGHT = 20,
	RIGHT_MARGIN = 16,
	CELL = 4, /* unit in which tp_scale_ticks is asked */
	X_TICK_SPACE = 16,
	Y_TICK_GAP = 32,
	PLOT_HEIGHT_MIN = 60,
	PASSES_MAX = 3
};

static bool has_text(const char *text)
{
	return text && text[0];
}

double tp_svg_x(const struct tp_svg_layout *layout, double value)
{
	return layout->plot.x + tp_scale_place(&layout->x, value) * layout->plot.width;
}

double tp_svg_y(const struct tp_svg_layout *layout, double value)
{
	return layout->plot.y + (1 - tp_scale_place(&layout->y, value)) * layout->plot.height;
}

struct tp_quad tp_svg_label_quad(const struct tp_svg_label *label)
{
	static const double ascent = 0.8, descent = 0.24, air = 2;
	double size = tp_svg_word_size(label->word);
	double width = tp_svg_width(label->text, size, tp_svg_word_bold(label->word));
	double before = label->anchor == TP_SVG_START	 ? 0
			: label->anchor == TP_SVG_MIDDLE ? width / 2
							 : width;
	double angle = label->degrees * acos(-1) / 180;
	before += air;
	return tp_quad_turned(label->x - before * cos(angle), label->y - before * sin(angle),
			      label->degrees, width + 2 * air, ascent * size + air / 2,
			      descent * size + air / 2);
}

bool tp_svg_is_roof(const struct tp_series *s)
{
	return s->style != TP_STYLE_DOTS && s->n >= 2 && s->n <= TP_ROOF_POINTS;
}

/* Text that cannot be longer than `width`. */
static void add(struct tp_svg_board *board, struct tp_svg_label label, double width)
{
	label.text = tp_svg_fit(&board->layout->arena, label.text, tp_svg_word_size(label.word),
				tp_svg_word_bold(label.word), width);
	if (label.text)
		tp_svg_board_add(board, &label);
	else
		board->oom = true;
}

/* --- the frame --- */

struct frame {
	double header; /* base line of the row above the data area */
	double x_label; /* base line */
	double legend; /* top of the rows below */
	double ends; /* px for the names of curves */
};

static double widest(const struct tp_tick *ticks, size_t n)
{
	double width = 0;
	for (size_t i = 0; i < n; i++)
		width = fmax(width,
			     tp_svg_width(ticks[i].label, tp_svg_word_size(TP_SVG_TICK), false));
	return width;
}

static size_t cells(double px)
{
	return px > CELL ? (size_t)(px / CELL) : 1;
}

static void frame_rows(struct tp_svg_board *board, double legend_height, struct frame *f)
{
	struct tp_svg_layout *layout = board->layout;
	const struct tp_scene *scene = board->scene;
	bool header = has_text(scene->y.label);
	for (size_t i = 0; i < scene->n_marks; i++)
		header |= !scene->marks[i].at_point && has_text(scene->marks[i].label);
	double top = layout->box.y + (has_text(scene->title) ? TITLE_HEIGHT : 0);
	layout->plot.y = top + (header ? HEADER_HEIGHT : 8);
	f->header = layout->plot.y - 11; /* clear of a tick label at the very top */
	double bottom = TICKS_HEIGHT + (has_text(scene->x.label) ? X_LABEL_HEIGHT : 0);
	layout->plot.height =
		layout->box.y + layout->box.height - layout->plot.y - bottom - legend_height;
	double under = layout->plot.y + layout->plot.height;
	f->x_label = under + TICKS_HEIGHT + 13;
	f->legend = under + bottom;
}

static void frame_y(struct tp_svg_board *board, const struct frame *f, struct tp_tick *ticks)
{
	struct tp_svg_layout *layout = board->layout;
	struct tp_rect *plot = &layout->plot;
	size_t n = tp_scale_ticks(&layout->y, cells(plot->height), cells(Y_TICK_GAP), ticks,
				  TP_SVG_TICKS_MAX);
	plot->x = layout->box.x + widest(ticks, n) + TICK_LENGTH + 6;
	plot->width =
		layout->box.x + layout->box.width - plot->x - fmax(f->ends, (double)RIGHT_MARGIN);
	layout->n_y_ticks = 0;
	for (size_t i = 0; i < n; i++) {
		double y = tp_svg_y(layout, ticks[i].value);
		if (!(y >= plot->y - 0.5 && y <= plot->y + plot->height + 0.5))
			continue;
		struct tp_svg_label label = { .text = ticks[i].label,
					      .x = plot->x - TICK_LENGTH - 3,
					      .y = y + 4,
					      .anchor = TP_SVG_END,
					      .word = TP_SVG_TICK,
					      .role = TP_ROLE_AXIS };
		bool labelled = ticks[i].label[0] &&
				tp_svg_board_try(board, &label, &layout->box, SIZE_MAX);
		layout->y_ticks[layout->n_y_ticks++] = (struct tp_svg_tick){ y, labelled };
	}
}

static void frame_x(struct tp_svg_board *board, struct tp_tick *ticks)
{
	struct tp_svg_layout *layout = board->layout;
	const struct tp_rect *plot = &layout->plot;
	size_t gap = cells(X_TICK_SPACE), n = 0;
	for (int pass = 0; pass < PASSES_MAX; pass++) {
		n = tp_scale_ticks(&layout->x, cells(plot->width), gap, ticks, TP_SVG_TICKS_MAX);
		size_t need = cells(widest(ticks, n) + X_TICK_SPACE) + 1;
		if (need <= gap)
			break;
		gap = need;
	}
	layout->n_x_ticks = 0;
	for (size_t i = 0; i < n; i++) {
		double x = tp_svg_x(layout, ticks[i].value);
		if (!(x >= plot->x - 0.5 && x <= plot->x + plot->width + 0.5))
			continue;
		struct tp_svg_label label = { .text = ticks[i].label,
					      .x = x,
					      .y = plot->y + plot->height + TICK_LENGTH + 12,
					      .anchor = TP_SVG_MIDDLE,
					      .word = TP_SVG_TICK,
					      .role = TP_ROLE_AXIS };
		bool labelled = ticks[i].label[0] &&
				tp_svg_board_try(board, &label, &layout->box, SIZE_MAX);
		layout->x_ticks[layout->n_x_ticks++] = (struct tp_svg_tick){ x, labelled };
	}
}

static void frame_words(struct tp_svg_board *board, const struct frame *f)
{
	const struct tp_svg_layout *layout = board->layout;
	const struct tp_scene *scene = board->scene;
	const struct tp_rect *plot = &layout->plot, *box = &layout->box;
	if (has_text(scene->title))
		add(board,
		    (struct tp_svg_label){ .text = scene->title,
					   .x = box->x,
					   .y = box->y + 16,
					   .word = TP_SVG_TITLE,
					   .role = TP_ROLE_TITLE },
		    box->width - 4);
	if (has_text(scene->y.label))
		add(board,
		    (struct tp_svg_label){ .text = scene->y.label,
					   .x = box->x,
					   .y = f->header,
					   .word = TP_SVG_UNIT,
					   .role = TP_ROLE_AXIS },
		    box->width / 3);
	if (has_text(scene->x.label))
		add(board,
		    (struct tp_svg_label){ .text = scene->x.label,
					   .x = plot->x + plot->width / 2,
					   .y = f->x_label,
					   .anchor = TP_SVG_MIDDLE,
					   .word = TP_SVG_UNIT,
					   .role = TP_ROLE_AXIS },
		    plot->width - 8);
}

/* --- all of it --- */

static void *room(struct tp_svg_board *board, size_t n, size_t size)
{
	void *memory = tp_arena_alloc(&board->layout->arena, (n + 1) * size);
	board->oom |= !memory;
	return memory;
}

enum tp_status tp_svg_board_init(struct tp_svg_board *board)
{
	struct tp_svg_layout *layout = board->layout;
	const struct tp_scene *scene = board->scene;
	board->lines_max = scene->n_marks;
	for (size_t i = 0; i < scene->n_series; i++)
		board->lines_max += scene->series[i].n;
	layout->labels_max =
		2 * (size_t)TP_SVG_TICKS_MAX + 2 * scene->n_series + scene->n_marks + 8;
	board->taken_max = layout->labels_max + board->lines_max + scene->n_marks;
	board->taken = room(board, board->taken_max, sizeof(*board->taken));
	board->lines = room(board, board->lines_max, sizeof(*board->lines));
	board->owners = room(board, board->lines_max, sizeof(*board->owners));
	layout->labels = room(board, layout->labels_max, sizeof(*layout->labels));
	layout->x_ticks = room(board, TP_SVG_TICKS_MAX, sizeof(*layout->x_ticks));
	layout->y_ticks = room(board, TP_SVG_TICKS_MAX, sizeof(*layout->y_ticks));
	layout->leaders = room(board, scene->n_series, sizeof(*layout->leaders));
	layout->keys = room(board, scene->n_series, sizeof(*layout->keys));
	layout->named = room(board, scene->n_series, sizeof(*layout->named));
	return board->oom ? TP_NOMEM : TP_OK;
}

/* One attempt with so many px kept for the legend. */
static enum tp_status attempt(struct tp_svg_board *board, struct frame *f, double legend_height,
			      struct tp_tick *ticks)
{
	struct tp_svg_layout *layout = board->layout;
	const struct tp_scene *scene = board->scene;
	layout->n_labels = layout->n_keys = layout->n_leaders = 0;
	board->n_taken = board->n_lines = 0;
	memset(layout->named, 0, scene->n_series * sizeof(*layout->named));
	frame_rows(board, legend_height, f);
	f->ends = tp_svg_ends_width(board);
	frame_y(board, f, ticks);
	frame_words(board, f);
	frame_x(board, ticks);
	tp_svg_board_enter(board);
	if (f->ends > 0)
		tp_svg_place_ends(board);
	tp_svg_place_marks(board, f->header);
	tp_svg_place_roofs(board);
	enum tp_status status = tp_svg_legend_collect(board);
	return board->oom ? TP_NOMEM : status;
}

enum tp_status tp_svg_layout_make(const struct tp_scene *scene, const struct tp_rect *box,
				  struct tp_svg_layout *layout)
{
	*layout = (struct tp_svg_layout){ .box = *box };
	struct tp_svg_board board = { .scene = scene, .layout = layout };
	struct frame f;
	double legend = 0;
	tp_scale_fit(scene, &layout->x, &layout->y);
	enum tp_status status = tp_svg_board_init(&board);
	struct tp_tick *ticks = room(&board, TP_SVG_TICKS_MAX, sizeof(*ticks));
	if (status == TP_OK)
		status = board.oom ? TP_NOMEM : attempt(&board, &f, 0, ticks);
	if (status != TP_OK || !layout->n_keys || tp_svg_legend_inside(&board))
		goto out;
	/* Less room for the plot may send more names into the legend: it grows once more, then what fits is shown. */
	for (int pass = 0; pass < PASSES_MAX; pass++) {
		double most = layout->plot.height + legend - PLOT_HEIGHT_MIN;
		double need = fmin(tp_svg_legend_height(&board), fmax(most, 0));
		if (need <= legend)
			break;
		legend = need;
		status = attempt(&board, &f, legend, ticks);
		if (status != TP_OK)
			goto out;
	}
	tp_svg_legend_below(&board, f.legend, legend);
out:
	if (status == TP_OK && board.oom)
		status = TP_NOMEM;
	if (status != TP_OK)
		tp_svg_layout_release(layout);
	return status;
}

void tp_svg_layout_release(struct tp_svg_layout *layout)
{
	tp_arena_release(&layout->arena);
	*layout = (struct tp_svg_layout){ 0 };
}
