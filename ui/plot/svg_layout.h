/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where everything of a scene goes in a box of px: a pure function of scene and box. No two words overlap, none leaves the box, none
 * lies on a line that is not its own. Private to the room.
 */
#ifndef TPROF_PLOT_SVG_LAYOUT_H
#define TPROF_PLOT_SVG_LAYOUT_H

#include "base/arena.h"
#include "base/status.h"
#include "ui/plot/svg.h"
#include "ui/plot/svg_shape.h"

enum { TP_SVG_TICKS_MAX = 512 };

enum tp_svg_anchor { TP_SVG_START, TP_SVG_MIDDLE, TP_SVG_END };

struct tp_svg_label {
	const char *text; /* in the layout's arena */
	double x, y; /* of the anchor, on the base line */
	double degrees;
	enum tp_svg_anchor anchor;
	enum tp_svg_word word;
	enum tp_plot_role role;
};

struct tp_svg_tick {
	double at; /* px along its axis: x or y */
	bool labelled;
};

/* From the end of a curve to its name. */
struct tp_svg_leader {
	double x0, y0, x1, y1;
	enum tp_plot_role role;
};

/* A legend entry: a sample of TP_SVG_SAMPLE px whose middle is at y; its words are among the labels. */
enum { TP_SVG_SAMPLE = 26 };
struct tp_svg_key {
	size_t series;
	double x, y;
};

struct tp_svg_layout {
	struct tp_rect box, plot; /* everything; the data area */
	struct tp_scale x, y; /* fitted */
	struct tp_svg_tick *x_ticks, *y_ticks;
	size_t n_x_ticks, n_y_ticks;
	struct tp_svg_label *labels;
	size_t n_labels, labels_max;
	struct tp_svg_leader *leaders;
	size_t n_leaders;
	struct tp_svg_key *keys;
	size_t n_keys;
	bool *named; /* by series: has its name in the picture, needs none in the legend */
	struct tp_arena arena;
};

/* The scene is borrowed as long as the layout lives. */
enum tp_status tp_svg_layout_make(const struct tp_scene *scene, const struct tp_rect *box,
				  struct tp_svg_layout *layout);
void tp_svg_layout_release(struct tp_svg_layout *layout);

/* Px of a value; NAN where it has no place. */
double tp_svg_x(const struct tp_svg_layout *layout, double value);
double tp_svg_y(const struct tp_svg_layout *layout, double value);

/* The text box of a label, with a little air. */
struct tp_quad tp_svg_label_quad(const struct tp_svg_label *label);

/* A line with a name of its own along it: at most TP_ROOF_POINTS points. */
bool tp_svg_is_roof(const struct tp_series *series);

#endif
