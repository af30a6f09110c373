/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds a place for every part of a scene. One layout serves pictures of cells and pictures of px;
 * it is a pure function of scene, medium and box. No two words overlap and none leaves the box.
 * Lengths are in cells (then whole numbers) or in px; y grows downward. Private to
 * the room.
 */
#ifndef TPROF_PLOT_LAYOUT_H
#define TPROF_PLOT_LAYOUT_H

#include <stdbool.h>

#include "base/memory.h"
#include "base/status.h"
#include "plot/plot.h"

/* --- geometry: boxes that may be turned, and lines --- */

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

/* True if they have an area or a stretch of line in common; touching does not count. */
bool tp_quad_meets(const struct tp_quad *a, const struct tp_quad *b);
bool tp_quad_inside(const struct tp_quad *quad, const struct tp_rect *rect);

/* Cuts the line to the rectangle (Liang and Barsky); false if nothing is left, or its ends are not
 * finite. */
bool tp_line_clip(struct tp_line *line, const struct tp_rect *rect);

/* --- the layout --- */

enum { TP_LAYOUT_TICKS_MAX = 512 };

enum { TP_DOT_COLUMNS = 2, TP_DOT_ROWS = 4 }; /* dots of a cell */
enum { TP_SAMPLE_COLUMNS = 3, TP_SAMPLE_PX = 26 }; /* of a line in the legend */

enum tp_anchor { TP_ANCHOR_START, TP_ANCHOR_MIDDLE, TP_ANCHOR_END };

struct tp_label {
	const char *text; /* in the layout's arena once it is placed */
	double width; /* cells: a wider text is cut when it is drawn */
	double x, y; /* of the anchor, on the base line; cells: the anchor is the start */
	double degrees; /* clockwise; px only */
	enum tp_anchor anchor;
	enum tp_plot_word word;
	enum tp_plot_role role;
	size_t series; /* whose name it is; SIZE_MAX: of no series */
	struct tp_line leader; /* px: to the name of a curve from its end; x1 0: none */
	bool clear_left,
		clear_right; /* cells: put a blank next to it, which hides only its own line */
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

/*
 * Points to a series that is out of sight: at the edge of the data area that is nearest to it, in a
 * square whose middle is (x, y). One of `right` and `down` is 1 or -1, the other 0.
 */
struct tp_arrow {
	size_t series, point; /* the point that is nearest to the data area */
	double x, y;
	int right, down;
};

struct tp_medium;

struct tp_layout {
	const struct tp_medium *medium;
	struct tp_rect box, plot; /* everything; the data area. The axes lie outside. */
	struct tp_scale x, y; /* fitted */
	struct tp_layout_tick *x_ticks, *y_ticks; /* one a cell at most */
	size_t n_x_ticks, n_y_ticks;
	struct tp_label *labels;
	size_t n_labels;
	struct tp_legend_key *keys;
	size_t n_keys;
	struct tp_arrow *arrows;
	size_t n_arrows;
	struct tp_rect legend; /* inside the data area: nothing else is drawn here; 0 wide = none */
	bool *named; /* by series: has its name in the picture, needs none in the legend */
	struct tp_arena arena;
};

extern const struct tp_medium tp_medium_cells, tp_medium_pixels;

/* The scene is borrowed as long as the layout lives. */
void tp_layout_make(const struct tp_scene *scene, const struct tp_medium *medium,
		    const struct tp_rect *box, struct tp_layout *layout);
void tp_layout_release(struct tp_layout *layout);

/* The place of a point in the picture (its cell); false outside the data area. */
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
/* They look and are called alike. */
bool tp_is_alike(const struct tp_series *s, const struct tp_series *t);

/*
 * --- room for words in a picture that lines run through ---
 *
 * A medium holds all that differs between cells and px: lengths, the width of a text, and a map of
 * the occupied places.
 */

/* A picture while it is laid out. Memory is the layout's. */
struct tp_board {
	const struct tp_scene *scene;
	const struct tp_medium *medium;
	struct tp_layout *layout;
	size_t labels_max;
	void *occupied; /* the medium's map of occupied places */
};

/* A place for a label, and its cost: INFINITY if it is impossible. */
struct tp_spot {
	struct tp_label label;
	double cost;
};

/* A place next to a ridge point. */
struct tp_beside {
	double x, y;
	enum tp_anchor anchor;
	double cost;
};

/* Lengths and weights: name, in cells, in px. */
#define TP_METRIC_LIST(X)                                                                          \
	/* Dots a unit that points lie on; 0: anywhere. */                                         \
	X(dots_x, TP_DOT_COLUMNS, 0)                                                               \
	X(dots_y, TP_DOT_ROWS, 0)                                                                  \
	/* Narrower pictures have margins that are 1 smaller, lower ones share rows. */            \
	X(narrow, 60, 0)                                                                           \
	X(low, 16, 0)                                                                              \
	/* Heights of the rows above and below the data area; `bare`: instead of a header. */      \
	X(title_row, 1, 26)                                                                        \
	X(header_row, 1, 22)                                                                       \
	X(bare_row, 0, 8)                                                                          \
	X(ticks_row, 2, 20)                                                                        \
	X(x_label_row, 1, 20)                                                                      \
	/* Base lines: from the top; from the top of the data area; two from its bottom. */        \
	X(title_base, 0, 16)                                                                       \
	X(header_base, -1, -11) /* clear of a tick label at the very top */                        \
	X(ticks_base, 1, 17)                                                                       \
	X(x_label_base, 2, 33)                                                                     \
	X(axis_width, 2, 11) /* between y tick labels and data area */                             \
	X(right_margin, 2, 16) /* half of the last x label */                                      \
	X(tick_gap, 2, 8) /* from the data area to a y tick label */                               \
	X(tick_drop, 0, 4) /* from a y tick to the base line of its label */                       \
	X(tick_unit, 1, 4) /* tp_scale_ticks gets distances in this unit */                        \
	X(x_tick_space, 2, 16) /* between labels */                                                \
	X(y_tick_gap, 2, 32) /* between base lines */                                              \
	X(y_label_parts, 1, 3) /* the label may have that part of the width */                     \
	X(inset, 0, 4) /* distance of text from the right border */                                \
	/* The legend: an entry, its sample, from there to the base line. */                       \
	X(row, 1, 19)                                                                              \
	X(row_middle, 0, 9.5)                                                                      \
	X(key_drop, 0, 4)                                                                          \
	X(sample, TP_SAMPLE_COLUMNS + 1, TP_SAMPLE_PX + 8) /* before the words */                  \
	X(entry_gap, 3, 22)                                                                        \
	X(more, 10, 60) /* "+12 more" */                                                           \
	/* Inside the data area: blanks around it, the step from try to try, and preferences. */   \
	X(pad_x, 1, 8)                                                                             \
	X(pad_y, 0, 8)                                                                             \
	X(step, 1, 10)                                                                             \
	X(down_weight, 2, 1) /* cells are twice as high as wide */                                 \
	X(tie_left, 0.5, 3) /* the upper right corner wins */                                      \
	X(tie_low, 0.25, 2)                                                                        \
	/* Below it: at most this part of the picture, and this much is left to the data. */       \
	X(below_gap, 0, 4)                                                                         \
	X(below_parts, 5, 1)                                                                       \
	X(plot_least, 4, 60)                                                                       \
	X(arrow, 1, 10) /* side of its square */                                                   \
	X(header_step, 1, 0) /* names of edges may be shifted by steps; 0: not */                  \
	X(too_much, 45, INFINITY) /* a name that costs as much is left out; 3 cells of a line */

struct tp_medium {
#define TP_METRIC_MEMBER(name, cells, px) double name;
	TP_METRIC_LIST(TP_METRIC_MEMBER)
#undef TP_METRIC_MEMBER
	bool whole; /* everything lies on whole units */
	bool turns; /* words can run upward */
	bool keys_in_role; /* words of the legend have the colour of their series */
	bool names_runs; /* roofs of several runs are named along their lines, not in the legend */
	const struct tp_beside *beside;
	size_t n_beside;

	double (*width)(const char *text, enum tp_plot_word word);
	/* As much of the text as fits, in the arena if it is cut. */
	const char *(*fit)(struct tp_arena *arena, const char *text, enum tp_plot_word word,
			   double width);
	void (*clear)(struct tp_board *board); /* no words, no lines */
	/* Lines and points, then arrows (tp_trace_arrows): the data area is known. */
	void (*enter)(struct tp_board *board);
	void (*take)(struct tp_board *board, const struct tp_label *label);
	/*
	 * The harm that a label does there, except to the line of its series; INFINITY if there is
	 * no room. Outside the data area it is either 0 or INFINITY.
	 */
	double (*cost)(const struct tp_board *board, const struct tp_label *label, bool in_plot);
	bool (*is_empty)(const struct tp_board *board, const struct tp_rect *box);
	/* Offers places along a roof to `best`, whose label has the words. */
	void (*along)(struct tp_board *board, size_t series, struct tp_spot *best);
	/* Names at the right ends of curves: how much room they take, 0: none; may be NULL. */
	double (*ends_width)(const struct tp_board *board);
	void (*place_ends)(struct tp_board *board);
};

/* A label at the top left, cut to `most`. */
struct tp_label tp_board_words(struct tp_board *board, const char *text, enum tp_plot_word word,
			       enum tp_plot_role role, double most);
struct tp_label tp_label_at(struct tp_label label, double x, double y, enum tp_anchor anchor);

/* Adds a label without looking for room. */
void tp_board_add(struct tp_board *board, struct tp_label label);

/* Puts the label into `best` if `cost` and its harm together are less than the cost there. */
void tp_board_offer(const struct tp_board *board, struct tp_spot *best, struct tp_label label,
		    double cost);

#endif
