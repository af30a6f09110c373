/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Geometry: boxes that may be turned, and lines. Private to the room. */
#ifndef TPROF_PLOT_SHAPE_H
#define TPROF_PLOT_SHAPE_H

#include <stdbool.h>

struct tp_rect {
	double x, y, width, height; /* y down */
};

struct tp_line {
	double x0, y0, x1, y1;
};

/* A convex shape of four corners. */
struct tp_quad {
	double x[4], y[4];
};

struct tp_quad tp_quad_rect(const struct tp_rect *rect);
/*
 * A box whose base line begins at (x, y) and runs at `degrees` (clockwise, as SVG turns); `up`
 * above the base line, `down` below it.
 */
struct tp_quad tp_quad_turned(double x, double y, double degrees, double width, double up,
			      double down);

/* True if they have an area or a stretch of line in common; touching is none. */
bool tp_quad_meets(const struct tp_quad *a, const struct tp_quad *b);
bool tp_quad_inside(const struct tp_quad *quad, const struct tp_rect *rect);

/* Cuts the line to the rectangle (Liang and Barsky); false if nothing is left or it is no line. */
bool tp_line_clip(struct tp_line *line, const struct tp_rect *rect);

#endif
