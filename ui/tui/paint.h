/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Colours by meaning (screens name roles; the look of a role depends on the terminal), and painting
 * into rectangles: everything is clipped; nothing is shown before tp_term_show.
 */
#ifndef TPROF_UI_TUI_PAINT_H
#define TPROF_UI_TUI_PAINT_H

#include <stdbool.h>
#include <stddef.h>

#include "doc/look.h"
#include "plot/canvas.h"
#include "plot/plot.h"
#include "record/run.h"
#include "ui/tui/term.h"

/*
 * id, 256-colour foreground and background, 8-colour foreground and background (-1: the terminal's
 * own), attributes, attributes in mono
 */
#define TP_ROLE_TABLE(X)                                                                           \
	X(PLAIN, -1, -1, -1, -1, 0, 0) /* text */                                                  \
	X(DIM, 245, -1, -1, -1, TP_ATTR_DIM, TP_ATTR_DIM) /* secondary text */                     \
	X(STRONG, -1, -1, -1, -1, TP_ATTR_BOLD, TP_ATTR_BOLD)                                      \
	X(TITLE, 75, -1, 6, -1, TP_ATTR_BOLD, TP_ATTR_BOLD) /* headings */                         \
	X(KEY, 222, -1, 3, -1, TP_ATTR_BOLD, TP_ATTR_BOLD) /* keys in footer and help */           \
	X(TAB, 250, 236, 7, 4, 0, TP_ATTR_REVERSE) /* tabs */                                      \
	X(TAB_ON, 232, 75, 0, 6, TP_ATTR_BOLD, TP_ATTR_BOLD) /* tab of the shown screen */         \
	X(BAR, 250, 236, 7, 4, 0, TP_ATTR_REVERSE) /* footer */                                    \
	X(BAR_KEY, 222, 236, 3, 4, TP_ATTR_BOLD, TP_ATTR_REVERSE | TP_ATTR_BOLD)                   \
	X(SELECTED, 231, 24, 7, 4, TP_ATTR_BOLD, TP_ATTR_REVERSE) /* the line with the cursor */   \
	X(FIELD, 231, 238, 7, 0, TP_ATTR_UNDERLINE, TP_ATTR_UNDERLINE) /* text being edited */     \
	X(CHANGED, 222, -1, 3, -1, TP_ATTR_BOLD,                                                   \
	  TP_ATTR_BOLD) /* a value that differs from its default */                                \
	X(OFF, 240, -1, 0, -1, TP_ATTR_BOLD, TP_ATTR_DIM) /* cannot be used here */                \
	X(GOOD, 114, -1, 2, -1, 0, 0)                                                              \
	X(WARN, 215, -1, 3, -1, 0, TP_ATTR_BOLD)                                                   \
	X(BAD, 203, -1, 1, -1, TP_ATTR_BOLD, TP_ATTR_BOLD | TP_ATTR_UNDERLINE)                     \
	X(BORDER, 240, -1, 4, -1, 0, 0)                                                            \
	X(PLOT_SERIES_0, 75, -1, 6, -1, 0, 0)                                                      \
	X(PLOT_SERIES_1, 215, -1, 3, -1, 0, 0)                                                     \
	X(PLOT_SERIES_2, 114, -1, 2, -1, 0, 0)                                                     \
	X(PLOT_SERIES_3, 176, -1, 5, -1, 0, 0)                                                     \
	X(PLOT_SERIES_4, 222, -1, 3, -1, TP_ATTR_BOLD, 0)                                          \
	X(PLOT_SERIES_5, 203, -1, 1, -1, 0, 0)                                                     \
	X(PLOT_THEORY, 245, -1, -1, -1, 0, TP_ATTR_DIM)                                            \
	X(PLOT_MARK, 252, -1, 7, -1, 0, TP_ATTR_BOLD)                                              \
	X(PLOT_AXIS, 250, -1, 7, -1, 0, 0)                                                         \
	X(PLOT_GRID, 238, -1, 4, -1, 0, TP_ATTR_DIM)                                               \
	X(PLOT_TITLE, 231, -1, 7, -1, TP_ATTR_BOLD, TP_ATTR_BOLD)                                  \
	/* Shades of a map, from far below the best to the best. */                                \
	X(HEAT_0, 245, 234, 7, -1, 0, TP_ATTR_DIM)                                                 \
	X(HEAT_1, 252, 54, 5, -1, 0, TP_ATTR_DIM)                                                  \
	X(HEAT_2, 231, 25, 7, 4, 0, 0)                                                             \
	X(HEAT_3, 231, 30, 0, 6, 0, 0)                                                             \
	X(HEAT_4, 16, 71, 0, 2, 0, TP_ATTR_BOLD)                                                   \
	X(HEAT_5, 16, 149, 0, 3, 0, TP_ATTR_BOLD)                                                  \
	X(HEAT_BEST, 16, 220, 0, 7, TP_ATTR_BOLD, TP_ATTR_BOLD | TP_ATTR_UNDERLINE)

enum tp_attribute { TP_ATTR_BOLD = 1, TP_ATTR_DIM = 2, TP_ATTR_UNDERLINE = 4, TP_ATTR_REVERSE = 8 };

enum tp_role {
#define TP_ROLE_ENUM(id, ...) TP_UI_##id,
	TP_ROLE_TABLE(TP_ROLE_ENUM)
#undef TP_ROLE_ENUM
		TP_UI_COUNT
};

/* Makes the colour pairs; call after tp_term_open. */
void tp_theme_start(const struct tp_term *term);
/* The roles of plots are the last ones, in the order of enum tp_plot_role. */
enum tp_role tp_theme_plot_role(enum tp_plot_role role);
enum tp_role tp_theme_paint(enum tp_paint paint);

/*
 * --- cuts ---
 *
 * The texts of the painted screen that were cut. The line above the footer shows those of the row
 * under the cursor, and a key shows all of them, so that nothing is lost.
 */

enum { TP_CUTS_MAX = 64, TP_CUT_BYTES = 400 };

struct tp_cut {
	int row, column; /* where it begins on the terminal */
	bool here; /* in the row of a cursor */
	char text[TP_CUT_BYTES];
};

/* Zero-initialise. */
struct tp_cuts {
	struct tp_cut items[TP_CUTS_MAX];
	size_t n;
};

/* `cuts` may be NULL. Beyond the limit nothing is kept. */
void tp_cuts_add(struct tp_cuts *cuts, int row, int column, bool here, const char *text);
/* What begins in these cells is painted over. */
void tp_cuts_drop(struct tp_cuts *cuts, int row, int column, int rows, int columns);
/* The texts of the row under the cursor in a line; "" if it has all its room. Returns out. */
const char *tp_cuts_line(const struct tp_cuts *cuts, char *out, size_t size);

/* --- painting --- */

struct tp_area {
	const struct tp_term *term;
	int row, column, rows, columns; /* on the terminal */
};

/* Parts of an area; never negative. */
struct tp_area tp_area_rows(struct tp_area area, int from, int rows);
struct tp_area tp_area_columns(struct tp_area area, int from, int columns);
bool tp_area_holds(struct tp_area area, int row, int column); /* of the terminal: for the mouse */
const char *tp_paint_pm(struct tp_area area); /* "±", or "+-" without UTF-8 */
void tp_paint_clear(struct tp_area area, enum tp_role role);
/*
 * Text at row, column of the area; returns the columns it took. Control characters and wide ones
 * become "?"; text that is too long ends in an ellipsis.
 */
int tp_paint_text(struct tp_area area, int row, int column, enum tp_role role, const char *text);
int tp_paint_format(struct tp_area area, int row, int column, enum tp_role role, const char *fmt,
		    ...) __attribute__((format(printf, 5, 6)));
/* Text that ends before column `end`. */
void tp_paint_right(struct tp_area area, int row, int end, enum tp_role role, const char *text);
/* Text in this many columns of a row, at their left or right end. */
void tp_paint_column(struct tp_area area, int row, int from, int columns, bool right,
		     enum tp_role role, const char *text);
/* Text wrapped at blanks from `row` on; returns the rows it took. */
int tp_paint_wrapped(struct tp_area area, int row, int column, enum tp_role role, const char *text);
/* A key and what it does: "Enter take". Returns the column after it. */
int tp_paint_key(struct tp_area area, int row, int column, const char *key, const char *words);
/* A line across with words in it. */
void tp_paint_rule(struct tp_area area, int row, const char *words);
/* Changes the look of cells that are painted already. */
void tp_paint_role(struct tp_area area, int row, int column, int columns, enum tp_role role);
/* A frame with a title; returns the area inside. */
struct tp_area tp_paint_frame(struct tp_area area, const char *title);
/* A horizontal bar of `share` 0..1. */
void tp_paint_bar(struct tp_area area, int row, int column, int columns, double share,
		  enum tp_role role);
/* One cell; text goes through tp_paint_text. Without UTF-8 the nearest ASCII character. */
void tp_paint_cell(struct tp_area area, int row, int column, uint32_t code, enum tp_role role);
/* A picture that was drawn before, clipped to the area. */
void tp_paint_canvas(struct tp_area area, const struct tp_canvas *canvas);
/* Draws a plot, or a message that the area is too small for one. */
void tp_paint_scene(struct tp_area area, const struct tp_scene *scene, enum tp_plot_glyphs glyphs);

/* --- the quality of a point: a word if there is room, else a mark --- */

enum tp_role tp_quality_role(enum tp_quality quality);
/* "~" fair, "?" poor, "!" flags without a quality, else "". */
const char *tp_quality_mark(enum tp_quality quality, uint32_t flags);
/* What the marks of a table mean. */
#define TP_QUALITY_LEGEND "~ fair  ? poor"

#endif
