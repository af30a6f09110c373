/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finding room for words between lines. Private to the room; used by the layout only. */
#ifndef TPROF_PLOT_SVG_PLACE_H
#define TPROF_PLOT_SVG_PLACE_H

#include "ui/plot/svg_layout.h"

/* What is where while a layout is being made. Memory is the layout's. */
struct tp_svg_board {
	const struct tp_scene *scene;
	struct tp_svg_layout *layout;
	struct tp_quad *taken; /* words, glyphs: nothing else may be there */
	size_t n_taken, taken_max;
	struct tp_quad *lines; /* pieces of series and cache edges: no word may cross them */
	size_t *owners; /* of each line: its series; n_series for cache edges */
	size_t n_lines, lines_max;
	bool oom;
};

enum tp_status tp_svg_board_init(struct tp_svg_board *board);
/* Lines and glyphs of all series and marks, once the data area is known. */
void tp_svg_board_enter(struct tp_svg_board *board);
/* True if nothing but lines of `owner` (SIZE_MAX: no line) is in the box, and the box lies within `within`. */
bool tp_svg_board_free(const struct tp_svg_board *board, const struct tp_quad *quad,
		       const struct tp_rect *within, size_t owner);
void tp_svg_board_take(struct tp_svg_board *board, const struct tp_quad *quad);
/* Adds a label and takes its box, whatever is there. The text is copied. */
void tp_svg_board_add(struct tp_svg_board *board, const struct tp_svg_label *label);
/* Adds it only where it is free; false if it is not. */
bool tp_svg_board_try(struct tp_svg_board *board, const struct tp_svg_label *label,
		      const struct tp_rect *within, size_t owner);

/* Px that the names at the right ends of curves take; 0: they go into the legend. */
double tp_svg_ends_width(const struct tp_svg_board *board);
void tp_svg_place_ends(struct tp_svg_board *board);
/* Names of cache edges in the row above the data area (base line `header`), values of ridge points beside them. */
void tp_svg_place_marks(struct tp_svg_board *board, double header);
void tp_svg_place_roofs(struct tp_svg_board *board);

/* Entries of the legend; then a free place inside, or rows below from `top` on, `height` px high. */
enum tp_status tp_svg_legend_collect(struct tp_svg_board *board);
bool tp_svg_legend_inside(struct tp_svg_board *board);
double tp_svg_legend_height(const struct tp_svg_board *board); /* needed below */
void tp_svg_legend_below(struct tp_svg_board *board, double top, double height);

#endif
