/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Turns the values of series into lines, dots and glyphs, for the layout and for drawing alike.
 * Private to the room.
 */
#ifndef TPROF_PLOT_TRACE_H
#define TPROF_PLOT_TRACE_H

#include "plot/layout.h"

/*
 * Pieces of lines are given in shares of the data area, y upward. This puts a piece into the
 * picture; false if it has no length.
 */
bool tp_trace_place(const struct tp_layout *layout, const struct tp_line *piece,
		    struct tp_line *line);
/* Cuts a piece to the data area; false if nothing is left. */
bool tp_trace_clip(struct tp_line *piece);
/*
 * The pieces of a series' line that are in sight. A point without a place is left out and the line
 * goes on to the next one; a point that no line leads to or from is a piece without length.
 */
void tp_trace_line(const struct tp_layout *layout, const struct tp_series *series,
		   void (*piece)(void *ctx, const struct tp_line *piece), void *ctx);
/* The error bar of point `i`; false if it has none in sight. */
bool tp_trace_bar(const struct tp_layout *layout, const struct tp_series *series, size_t i,
		  struct tp_line *piece);

/* Receives dots and glyph cells counted from the top left of the data area. */
struct tp_trace {
	void (*dot)(void *ctx, size_t dot_column, size_t dot_row);
	void (*glyph)(void *ctx, size_t column, size_t row);
	void *ctx;
	bool flat_in_middle; /* nearly level lines run through the middle of cells (for letters) */
};

/* Line, dashes, error bars and glyphs of one series in cells. */
void tp_trace_series(const struct tp_layout *layout, const struct tp_scene *scene, size_t series,
		     const struct tp_trace *trace);

/*
 * The place of tile or bar i of a series; in whole cells, except the length of a bar to the right.
 * False: it is out of sight.
 */
bool tp_area_rect(const struct tp_layout *layout, const struct tp_series *series, size_t i,
		  struct tp_rect *rect);
/* The ends of a bar's interval, cut to the data area, in whole cells; false if it has none. */
bool tp_area_interval(const struct tp_layout *layout, const struct tp_series *series, size_t i,
		      double *from, double *to);

/*
 * Arrows to named things out of sight, unless something with the same look and name is in sight.
 * The board has the lines and points; text avoids arrows.
 */
void tp_trace_arrows(struct tp_board *board);

#endif
