/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/theme.h"
#include "ui/tui/ncurses.h"
#include "ui/tui/cell.h"

static const struct {
	short foreground_256, background_256, foreground_8, background_8;
	unsigned attributes, mono;
} roles[] = {
#define ROLE_ROW(id, f256, b256, f8, b8, attributes, mono) { f256, b256, f8, b8, attributes, mono },
	TP_ROLE_TABLE(ROLE_ROW)
#undef ROLE_ROW
};

static chtype curses_attributes(unsigned attributes)
{
	return (attributes & TP_ATTR_BOLD ? A_BOLD : 0) | (attributes & TP_ATTR_DIM ? A_DIM : 0) |
	       (attributes & TP_ATTR_UNDERLINE ? A_UNDERLINE : 0) |
	       (attributes & TP_ATTR_REVERSE ? A_REVERSE : 0);
}

void tp_theme_start(const struct tp_term *term)
{
	for (short i = 0; term->colours && i < TP_UI_COUNT; i++) {
		bool many = term->colours >= 256;
		init_pair((short)(i + 1), many ? roles[i].foreground_256 : roles[i].foreground_8,
			  many ? roles[i].background_256 : roles[i].background_8);
	}
}

struct tp_cell_look tp_theme_look(const struct tp_term *term, enum tp_role role)
{
	if (!term->colours)
		return (struct tp_cell_look){ curses_attributes(roles[role].mono), 0 };
	/*
	 * With 256 colours a dim text has a dim colour; the attribute would make it hard to read.
	 */
	unsigned attributes = roles[role].attributes;
	if (term->colours >= 256)
		attributes &= ~(unsigned)TP_ATTR_DIM;
	return (struct tp_cell_look){ curses_attributes(attributes), (short)(role + 1) };
}

enum tp_role tp_theme_plot_role(enum tp_plot_role role)
{
	return TP_UI_PLOT_SERIES_0 + (enum tp_role)role;
}
