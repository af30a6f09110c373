/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finding room for words on a picture that lines already run through. Private to the room; used by the layout only. */
#ifndef TPROF_PLOT_PLACE_H
#define TPROF_PLOT_PLACE_H

#include <stdint.h>

#include "ui/plot/layout.h"

/* What is where while a layout is being made. Memory is the layout's. */
struct tp_board {
	const struct tp_scene *scene;
	struct tp_layout *layout;
	uint8_t *taken; /* by picture cell: words are here */
	uint64_t *lines; /* by cell of the data area: bit per series (modulo), and the two below */
	uint64_t theory; /* bits of the dashed ceilings, which a name may interrupt */
	size_t labels_max;
};

#define TP_BOARD_EDGE  (UINT64_C(1) << 62) /* a cache edge */
#define TP_BOARD_POINT (UINT64_C(1) << 63) /* a glyph, which no word may hide */

/* Clean boards; lines and glyphs of all series and marks are entered once the data area is known. */
enum tp_status tp_board_init(struct tp_board *board, const struct tp_scene *scene,
			     struct tp_layout *layout);
enum tp_status tp_board_enter_lines(struct tp_board *board);

/* True if `columns` cells and one on each side are free of words and inside the picture. */
bool tp_board_is_free(const struct tp_board *board, size_t column, size_t row, size_t columns);

/* Adds a label to the layout and takes its cells. */
struct tp_layout_label *tp_board_add(struct tp_board *board, const char *text, size_t column,
				     size_t row, size_t columns, enum tp_plot_role role);

/* Names for cache edges above the data area (row `header`), else beside the edge; for points beside them. */
void tp_place_marks(struct tp_board *board, size_t header);
/* Names for roofs on their lines; sets layout->named. */
void tp_place_roofs(struct tp_board *board);

/* The legend: entries wanted, a free place inside, or rows below. Truncated to what fits. */
enum tp_status tp_legend_collect(struct tp_board *board);
bool tp_legend_inside(struct tp_board *board);
size_t tp_legend_rows(const struct tp_board *board); /* needed below */
enum tp_status tp_legend_below(struct tp_board *board, size_t row, size_t rows);

#endif
