/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds room for words in a picture that lines run through. A medium holds all that differs between
 * cells and px: lengths, the width of a text, and a map of the occupied places. Private to the
 * room.
 */
#ifndef TPROF_PLOT_PLACE_H
#define TPROF_PLOT_PLACE_H

#include "plot/layout.h"

/* A picture while it is laid out. Memory is the layout's. */
struct tp_board {
	const struct tp_scene *scene;
	const struct tp_medium *medium;
	struct tp_layout *layout;
	size_t labels_max;
	void *occupied; /* the medium's map of occupied places */
	bool oom;
};

/* A place for a label, and its cost: INFINITY if it is impossible. */
struct tp_spot {
	struct tp_label label;
	double cost;
};

/* A place beside a ridge point. */
struct tp_beside {
	double x, y;
	enum tp_anchor anchor;
	double cost;
};

/* Lengths and weights: name, in cells, in px. */
#define TP_METRIC_LIST(X)                                                                          \
	/* Points lie on so many dots a unit; 0: anywhere. */                                      \
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
	X(tick_unit, 1, 4) /* tp_scale_ticks is asked in this unit */                              \
	X(x_tick_space, 2, 16) /* between labels */                                                \
	X(y_tick_gap, 2, 32) /* between base lines */                                              \
	X(y_label_parts, 1, 3) /* the label may have that part of the width */                     \
	X(inset, 0, 4) /* words keep so far from the right border */                               \
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
	/* Below it: at most that part of the picture, and so much is left to the data. */         \
	X(below_gap, 0, 4)                                                                         \
	X(below_parts, 5, 1)                                                                       \
	X(plot_least, 4, 60)                                                                       \
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
	/* As much of the text as fits, in the arena where it is cut. NULL: out of memory. */
	const char *(*fit)(struct tp_arena *arena, const char *text, enum tp_plot_word word,
			   double width);
	bool (*clear)(struct tp_board *board); /* no words, no lines; false: out of memory */
	void (*enter)(struct tp_board *board); /* lines and points: the data area is known */
	void (*take)(struct tp_board *board, const struct tp_label *label);
	/*
	 * The harm that a label does there, apart from the line of its own series; INFINITY if
	 * there is no room. Outside of the data area it is either 0 or INFINITY.
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
/* On whole units: the anchor becomes the start, pushed into the picture. */
void tp_board_settle(const struct tp_board *board, struct tp_label *label);
/* Adds a label without looking for room; NULL: out of memory. */
struct tp_label *tp_board_add(struct tp_board *board, struct tp_label label);
/* Adds it only where there is room in the picture. */
bool tp_board_try(struct tp_board *board, struct tp_label label);
/* Puts the label into `best` if `cost` and its harm together are less than the cost there. */
void tp_board_offer(const struct tp_board *board, struct tp_spot *best, struct tp_label label,
		    double cost);

/* Names of cache edges above the data area or beside the edge, of ridge points beside them. */
void tp_place_marks(struct tp_board *board, double header);
/* Names of roofs along their lines. */
void tp_place_roofs(struct tp_board *board);

/* The legend: finds its entries; a free place inside; the rows needed below; places below. */
void tp_legend_collect(struct tp_board *board);
bool tp_legend_inside(struct tp_board *board);
size_t tp_legend_rows(const struct tp_board *board);
void tp_legend_below(struct tp_board *board, double top, size_t rows);

#endif
