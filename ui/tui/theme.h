/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Colour by meaning. Screens name roles; the look of a role depends on the terminal. */
#ifndef TPROF_TUI_THEME_H
#define TPROF_TUI_THEME_H

#include "plot/plot.h"
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

#endif
