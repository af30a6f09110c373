/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds a place for every part of a scene. One layout serves pictures of cells and pictures of px;
 * it is a pure function of scene, medium and box. No two words overlap and none leaves the box.
 * Lengths are in cells (then whole numbers) or in px; y grows downward. Private to the room.
 */
#ifndef TPROF_PLOT_LAYOUT_H
#define TPROF_PLOT_LAYOUT_H

#include "base/arena.h"
#include "base/status.h"
#include "plot/plot.h"
#include "plot/shape.h"

enum { TP_LAYOUT_TICKS_MAX = 512 };

enum tp_anchor { TP_ANCHOR_START, TP_ANCHOR_MIDDLE, TP_ANCHOR_END };

struct tp_label {
	const char *text; /* in the layout's arena once it is placed */
	double width; /* cells: a wider text is cut when it is drawn */
	double x, y; /* of the anchor, on the base line; cells: the anchor is the start */
	double degrees; /* clockwise; px only */
	enum tp_anchor anchor;
	enum tp_plot_word word;
	enum tp_plot_role role;
	size_t series; /* whose name it is; SIZE_MAX: of none */
	struct tp_line leader; /* px: to the name of a curve from its end; x1 0: none */
	bool clear_left,
		clear_right; /* cells: put a blank beside it, which hides only its own line */
};

struct tp_layout_tick {
	double at; /* along its axis: x or y */
	bool labelled;
};

/* A short sample of a series, with its middle at y. Its words are among the labels. */
struct tp_legend_key {
	size_t series;
	double x, y;
};

struct tp_medium;

struct tp_layout {
	const struct tp_medium *medium;
	struct tp_rect box, plot; /* everything; the data area. The axes lie outside of it. */
	struct tp_scale x, y; /* fitted */
	struct tp_layout_tick *x_ticks, *y_ticks; /* one a cell at most */
	size_t n_x_ticks, n_y_ticks;
	struct tp_label *labels;
	size_t n_labels;
	struct tp_legend_key *keys;
	size_t n_keys;
	struct tp_rect legend; /* inside the data area: nothing else is drawn here; else 0 wide */
	bool *named; /* by series: has its name in the picture, needs none in the legend */
	struct tp_arena arena;
};

extern const struct tp_medium tp_medium_cells, tp_medium_pixels;

/* The scene is borrowed as long as the layout lives. */
enum tp_status tp_layout_make(const struct tp_scene *scene, const struct tp_medium *medium,
			      const struct tp_rect *box, struct tp_layout *layout);
void tp_layout_release(struct tp_layout *layout);

/* The place of a point in the picture (its cell); false if it lies outside of the data area. */
bool tp_layout_point(const struct tp_layout *layout, double x, double y, double *at_x,
		     double *at_y);

/*
 * Where a mark's band begins and ends in the picture, cut to the data area; false if it has none or
 * lies outside.
 */
bool tp_layout_band(const struct tp_layout *layout, const struct tp_plot_mark *mark, double *low,
		    double *high);

/* Tiles or bars: no line, no glyphs. */
bool tp_is_area(const struct tp_series *series);
/* A line of at most TP_ROOF_POINTS points: its name may lie along it. */
bool tp_is_roof(const struct tp_series *series);

#endif
