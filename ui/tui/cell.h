/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The look of a role in terms of ncurses. Private to theme and paint. */
#ifndef TPROF_TUI_CELL_H
#define TPROF_TUI_CELL_H

#include "ui/tui/ncurses.h"
#include "ui/tui/theme.h"

struct tp_cell_look {
	chtype attributes;
	short pair;
};

struct tp_cell_look tp_theme_look(const struct tp_term *term, enum tp_role role);

#endif
