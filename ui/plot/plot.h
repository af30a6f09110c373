/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plots as data: a scene (scales, series, marks) is laid out once and drawn by a back end. Pure, no curses, no I/O.
 *
 * Who gets a name where: a roof (solid or dashed, at most TP_ROOF_POINTS points) whose label no other series shares is
 * named on the line itself; everything else, and a roof that has no room, goes into the legend. Series that share
 * label, style, role and glyph ("theory") are one legend entry. The legend lies where the picture is empty, else below it.
 */
#ifndef TPROF_PLOT_PLOT_H
#define TPROF_PLOT_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

enum tp_scale_kind { TP_SCALE_LINEAR, TP_SCALE_LOG10, TP_SCALE_LOG2 };
enum tp_scale_unit { TP_UNIT_PLAIN, TP_UNIT_BYTES }; /* tick labels: 1k, 10, 0.1 or 32K, 1M */

struct tp_scale {
	enum tp_scale_kind kind;
	enum tp_scale_unit unit;
	double min, max; /* both 0: fitted to the series and marks, widened to nice ends */
	const char *label; /* "GFLOP/s" */
};

enum tp_series_style { TP_STYLE_SOLID, TP_STYLE_DASHED, TP_STYLE_DOTS, TP_STYLE_LINE_AND_DOTS };

/* Colour by meaning, not by hue; back ends map roles to what the terminal has. */
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
	TP_ROLE_COUNT
};

enum { TP_ROOF_POINTS = 3 };

struct tp_series {
	const char *label; /* legend and direct label; NULL = none */
	enum tp_series_style style;
	enum tp_plot_role role;
	char glyph; /* tells series apart without colour: 'o', 'x', '+', ... (dots and legend) */
	size_t n;
	const double *x,
		*y; /* borrowed; points that are not finite or not positive on a log scale are left out */
	const double *low, *high; /* error bars, or NULL */
};

/* A vertical line with a label (cache edge), or, with `at_point`, a glyph with a label at (x, y) (ridge point). */
struct tp_plot_mark {
	double x, y;
	bool at_point;
	const char *label;
};

struct tp_scene {
	const char *title;
	struct tp_scale x, y;
	const struct tp_series *series;
	size_t n_series;
	const struct tp_plot_mark *marks;
	size_t n_marks;
};

struct tp_tick {
	double value;
	char label[16]; /* empty = minor tick */
};
/*
 * Ticks of a scale (after fitting), in rising order: decades with 2..9 as minors, powers of two for LOG2 and for bytes,
 * 1-2-5 steps for linear; labels at most every `min_gap` cells of `cells`, thinned evenly. Where fewer than three
 * decades are in sight 2 and 5 are labelled as well; where not even two labels would be, the ticks are linear steps.
 * Minors too dense to tell apart in `cells` are left out. Returns the count (at most max).
 */
size_t tp_scale_ticks(const struct tp_scale *scale, size_t cells, size_t min_gap,
		      struct tp_tick *ticks, size_t max);
/*
 * The scene's scales with ends: those given if they can be used (min < max, positive on a log scale),
 * else fitted to all points, error bars and marks that have a place on both axes, and widened (log10:
 * to 1, 1.5, 2, 3, 5 or 7 of a decade, y with some headroom; LOG2 and bytes: to powers of two; linear:
 * to whole steps). A scene without a point gets a scale of its own.
 */
void tp_scale_fit(const struct tp_scene *scene, struct tp_scale *x, struct tp_scale *y);
double tp_scale_place(
	const struct tp_scale *scale,
	double value); /* 0..1 along the axis; outside if beyond, NaN if it has no place */

/* BLOCK: half blocks, for fonts without Braille such as that of the Linux console. */
/* The value at a place of the axis: the inverse of tp_scale_place. */
double tp_scale_value(const struct tp_scale *scale, double place);

enum tp_plot_glyphs { TP_GLYPHS_BRAILLE, TP_GLYPHS_BLOCK, TP_GLYPHS_ASCII, TP_GLYPHS_COUNT };

struct tp_plot_text_options {
	size_t columns,
		rows; /* of the whole picture with axes, legend and title; at least 40 x 10 */
	enum tp_plot_glyphs glyphs; /* Braille and blocks are UTF-8; ASCII output is pure ASCII */
	bool colour; /* ANSI SGR 256-colour codes, reset at each line end */
};
/*
 * Adds the picture to `out`: exactly `rows` lines, none wider than `columns`, each ended by a newline, no trailing blanks.
 * Labels and title are UTF-8; what has no single-width glyph becomes '?'. TP_USAGE: the size is below 40 x 10 or
 * beyond TP_PLOT_CELLS_MAX cells; TP_NOMEM. Then nothing was added.
 */
enum { TP_PLOT_COLUMNS_MIN = 40, TP_PLOT_ROWS_MIN = 10, TP_PLOT_CELLS_MAX = 1 << 20 };

enum tp_status tp_plot_text(const struct tp_scene *scene,
			    const struct tp_plot_text_options *options, struct tp_str *out);

/* AUTO: light, or dark where the reader prefers dark screens; paper is always light. */
enum tp_svg_theme { TP_SVG_AUTO, TP_SVG_LIGHT, TP_SVG_DARK };
struct tp_svg_options {
	unsigned width, height; /* of the whole picture in px */
	enum tp_svg_theme theme;
};
/*
 * Adds the picture as an SVG 1.1 document with a style sheet: no script, no font or image from elsewhere. No two words overlap.
 * Roofs are named along their lines, curves at their right ends, all else in a legend. Labels are UTF-8 of any kind; what XML
 * forbids is replaced. TP_USAGE: the size is out of range; TP_NOMEM. Then nothing was added. Documents of several pictures:
 * ui/plot/svg.h.
 */
enum { TP_SVG_WIDTH_MIN = 320, TP_SVG_HEIGHT_MIN = 200, TP_SVG_SIDE_MAX = 8192 };
enum tp_status tp_plot_svg(const struct tp_scene *scene, const struct tp_svg_options *options,
			   struct tp_str *out);

#endif
