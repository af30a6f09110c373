/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ncurses with wide characters, for the files of this room that talk to it: term, theme, paint. Included nowhere else. */
#ifndef TPROF_TUI_NCURSES_H
#define TPROF_TUI_NCURSES_H

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>

/* Words of the library that are names of ours. */
#undef columns
#undef lines
#undef tab

#endif
