/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Heat maps and bars as pictures. */
#ifndef TPROF_REPORT_CHARTS_H
#define TPROF_REPORT_CHARTS_H

#include "report/pictures.h"

/* A tile of a heat map; row 0 is the lowest. */
struct tp_chart_tile {
	size_t column, row;
	struct tp_tile tile; /* its text is kept by whoever keeps the picture's arena */
	const struct tp_point *point; /* for the cursor; NULL = none: then no tile has one */
};
/*
 * Makes the scene of a heat map, but for title and labels of axes. Texts of the names lie in the
 * picture's arena or live as long. False when there are no tiles or no memory.
 */
bool tp_picture_heat(struct tp_picture *picture, const struct tp_names *columns,
		     const struct tp_names *rows, const struct tp_chart_tile *tiles, size_t n);

enum { TP_CHART_BARS = 40, TP_CHART_FRAME_ROWS = 7, TP_CHART_FRAME_COLUMNS = 16 };
struct tp_chart_bar {
	const char *name; /* at the axis */
	const char *group; /* bars of a group have a colour, named in the legend; NULL = none */
	const char *text; /* behind the bar */
	double value, low, high; /* low 0: no interval */
	bool best;
	const struct tp_point *point; /* or NULL */
};
/*
 * The same for bars, the first on top; at most TP_CHART_BARS. The axis of values begins at 0 and
 * has `unit`.
 */
bool tp_picture_bars(struct tp_picture *picture, const struct tp_chart_bar *bars, size_t n,
		     const char *unit);

#endif
