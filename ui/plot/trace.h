/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From values to dots: the one way series become points of a grid, for laying out and for drawing. */
#ifndef TPROF_PLOT_TRACE_H
#define TPROF_PLOT_TRACE_H

#include "ui/plot/layout.h"

/* Receives dots and glyph cells counted from the top left of the data area. */
struct tp_trace {
	void (*dot)(void *ctx, size_t dot_column, size_t dot_row);
	void (*glyph)(void *ctx, size_t column, size_t row); /* may be NULL */
	void *ctx;
	bool flat_in_middle; /* nearly level lines run through the middle of their cells (for letters) */
};

/* Line, dashes, error bars and glyphs of one series, clipped to the data area. */
void tp_trace_series(const struct tp_layout *layout, const struct tp_scene *scene, size_t series,
		     const struct tp_trace *trace);

/* The dot of a point in the data area; false if it lies outside or has no place. */
bool tp_trace_dot(const struct tp_layout *layout, double x, double y, size_t *dot_column,
		  size_t *dot_row);

#endif
