/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where everything of a scene goes in a picture of so many cells: a pure function of scene and size, the same for
 * every back end. No two words overlap and nothing leaves the picture.
 */
#ifndef TPROF_PLOT_LAYOUT_H
#define TPROF_PLOT_LAYOUT_H

#include "base/arena.h"
#include "base/status.h"
#include "ui/plot/plot.h"

enum { TP_LAYOUT_TICKS_MAX = 512, TP_LAYOUT_SAMPLE_COLUMNS = 3 };

/* Cells of the picture, from the top left. */
struct tp_layout_rect {
	size_t column, row, columns, rows;
};

struct tp_layout_tick {
	size_t cell; /* column or row of the picture */
	bool labelled;
};

struct tp_layout_label {
	const char *text; /* borrowed from the scene or in the layout's arena */
	size_t column, row, columns; /* `columns` below the text's own: ends in an ellipsis */
	enum tp_plot_role role;
	bool clear_left, clear_right; /* a blank beside it may hide its own line */
};

/* A legend entry: a sample of TP_LAYOUT_SAMPLE_COLUMNS cells, a blank, the label. */
struct tp_layout_key {
	size_t series, column, row;
	size_t columns; /* of the whole entry */
};

struct tp_layout {
	size_t columns, rows;
	struct tp_layout_rect
		plot; /* the data area; the axes are the column left of it and the row below */
	struct tp_scale x, y; /* fitted */
	struct tp_layout_tick *x_ticks, *y_ticks; /* one a cell at most */
	size_t n_x_ticks, n_y_ticks;
	struct tp_layout_label *labels;
	size_t n_labels;
	struct tp_layout_key *keys;
	size_t n_keys;
	struct tp_layout_rect
		legend; /* inside the plot: nothing else is drawn here; else 0 columns */
	bool *named; /* by series: named on its line */
	struct tp_arena arena;
};

/* The scene is borrowed as long as the layout lives. TP_USAGE for a size that tp_plot_text refuses, TP_NOMEM. */
enum tp_status tp_layout_make(const struct tp_scene *scene, size_t columns, size_t rows,
			      struct tp_layout *layout);
void tp_layout_release(struct tp_layout *layout);

#endif
