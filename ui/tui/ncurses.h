/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ncurses with wide characters. Only term, theme and paint include it. */
#ifndef TPROF_TUI_NCURSES_H
#define TPROF_TUI_NCURSES_H

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>

/* Macros of the library that are names in this program. */
#undef columns
#undef lines
#undef tab

#endif
