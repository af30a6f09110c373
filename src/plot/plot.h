/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plots as data: a scene (scales, series, marks) is laid out once and drawn as lines of text, as
 * cells of a screen (src/plot/canvas.h) or as SVG. Pure: no curses, no files.
 *
 * Where names go: a roof (a line of at most TP_ROOF_POINTS points) whose label no other series
 * shares is named on the line itself. Everything else goes into the legend, and so does a roof
 * without room. Series that share a label ("theory") are one legend entry, that of the first. The
 * legend lies where the picture is empty, else below it. In SVG curves are named at their right
 * ends if there is room.
 */
#ifndef TPROF_PLOT_PLOT_H
#define TPROF_PLOT_PLOT_H

#include "base/status.h"
#include "base/str.h"
#include "plot/scale.h"

/*
 * TILES: a heat map. Each point is a tile of 1 x 1 around (x, y). BARS: each point is a bar from 0
 * to x at the height y. Both need axes with names (scale.h) that count from 0.
 */
enum tp_series_style {
	TP_STYLE_SOLID,
	TP_STYLE_DASHED,
	TP_STYLE_DOTS,
	TP_STYLE_LINE_AND_DOTS,
	TP_STYLE_TILES,
	TP_STYLE_BARS
};

/* Colour by meaning, not by hue; a screen, a terminal or SVG has a colour for each role. */
enum tp_plot_role {
	TP_ROLE_SERIES_0,
	TP_ROLE_SERIES_1,
	TP_ROLE_SERIES_2,
	TP_ROLE_SERIES_3,
	TP_ROLE_SERIES_4,
	TP_ROLE_SERIES_5,
	TP_ROLE_THEORY,
	TP_ROLE_MARK,
	TP_ROLE_AXIS,
	TP_ROLE_GRID,
	TP_ROLE_TITLE,
	TP_ROLE_HEAT_0, /* shades of tiles: from far below the best to the best */
	TP_ROLE_HEAT_1,
	TP_ROLE_HEAT_2,
	TP_ROLE_HEAT_3,
	TP_ROLE_HEAT_4,
	TP_ROLE_HEAT_5,
	TP_ROLE_HEAT_BEST,
	TP_ROLE_COUNT
};

enum { TP_ROOF_POINTS = 3 };

/* The text of a tile or a bar. */
struct tp_tile {
	double share; /* of the best, 0..1; NaN: it has no value */
	/* '*' the best, '-' cut off early, '~' under way, 'x' failed, '.' untried, ' ' nothing */
	char mark;
	const char *text; /* its value; NULL: shown as its percent of the best */
};

enum { TP_TILE_SHADES = 6, TP_TILE_BYTES = 64 };

/* The share of the best at which each shade begins, rising. */
extern const double tp_tile_shade_from[TP_TILE_SHADES];
/* 0 .. TP_TILE_SHADES - 1. */
unsigned tp_tile_shade(double share);
/* TP_ROLE_HEAT_...; TP_ROLE_AXIS for a tile without a value. */
enum tp_plot_role tp_tile_role(const struct tp_tile *tile);

/*
 * The text of a tile in `columns`, without the blank between tiles: its own where that fits, else
 * its percent of the best with a mark (4 and more), its percent (3), or a digit of tenths (1, 2).
 * Pure ASCII where the text is. Returns out.
 */
const char *tp_tile_words(const struct tp_tile *tile, int columns, char out[TP_TILE_BYTES]);
/* What percents, digits and marks mean in tiles of `columns`. */
const char *tp_tile_legend(int columns);

/* Everything is borrowed. A point that has no place on an axis is left out. */
struct tp_series {
	const char *label; /* legend and direct label; NULL = none */
	enum tp_series_style style;
	enum tp_plot_role role;
	char glyph; /* marks the series without colour: 'o', 'x', '+', ... (dots and legend) */
	size_t n;
	const double *x, *y;
	const double *low, *high; /* error bars, or NULL; of bars along x */
	const bool *apart; /* no line leads to such a point from the previous one; NULL: to all */
	const struct tp_tile *tiles; /* of TILES, and of BARS (or NULL): one a point */
};

/*
 * A vertical line with a label (cache edge), or a glyph with a label at (x, y) (ridge point). A
 * line with `until` beyond x is the left edge of a shaded band that ends there.
 */
struct tp_plot_mark {
	double x, y;
	bool at_point;
	const char *label;
	double until; /* 0 = no band */
	bool bare; /* at a point that has a glyph already: only the label */
};

struct tp_scene {
	const char *title;
	struct tp_scale x, y;
	struct tp_names x_names, y_names; /* of axes with names */
	const struct tp_series *series;
	size_t n_series;
	const struct tp_plot_mark *marks;
	size_t n_marks;
};

/* Kinds of words; in SVG each has a size and a weight (svg_medium.c). */
enum tp_plot_word {
	TP_WORD_HEADING, /* of a document */
	TP_WORD_TITLE, /* of a picture */
	TP_WORD_BODY,
	TP_WORD_SMALL,
	TP_WORD_UNIT, /* label of an axis */
	TP_WORD_TICK,
	TP_WORD_NAME, /* of a roof or a curve, next to it */
	TP_WORD_NOTE, /* at marks */
	TP_WORD_KEY, /* in the legend */
	TP_WORD_COUNT
};

/* --- text --- */

/* BLOCK: half blocks, for fonts without Braille, such as that of the Linux console. */
enum tp_plot_glyphs { TP_GLYPHS_BRAILLE, TP_GLYPHS_BLOCK, TP_GLYPHS_ASCII, TP_GLYPHS_COUNT };

enum { TP_PLOT_COLUMNS_MIN = 40, TP_PLOT_ROWS_MIN = 10, TP_PLOT_CELLS_MAX = 1 << 20 };

struct tp_plot_text_options {
	size_t columns, rows; /* of the whole picture with axes, legend and title */
	enum tp_plot_glyphs glyphs; /* Braille and blocks are UTF-8; ASCII output is pure ASCII */
	bool colour; /* ANSI SGR 256-colour codes, reset at each line end */
};

/*
 * Adds the picture to `out`: exactly `rows` lines, none wider than `columns`, each ended by a
 * newline, no trailing blanks. Labels and title are UTF-8; a character that does not fill one cell
 * becomes '?'. TP_USAGE: the size is out of range, and nothing was added.
 */
enum tp_status tp_plot_text(const struct tp_scene *scene,
			    const struct tp_plot_text_options *options, struct tp_str *out);

/* --- SVG: src/plot/svg.h --- */

/* AUTO: light, or dark where the reader prefers dark screens; paper is always light. */
enum tp_svg_theme { TP_SVG_AUTO, TP_SVG_LIGHT, TP_SVG_DARK };

#endif
