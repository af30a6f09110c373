/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The terminal. The program takes it when the screens open and gives it back however it ends, even
 * by a crash. Keys, mouse, resize, suspend and hangup arrive as one kind of input.
 */
#ifndef TPROF_TUI_TERM_H
#define TPROF_TUI_TERM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

enum { TP_TERM_COLUMNS_MIN = 80, TP_TERM_ROWS_MIN = 24 };

/* The abilities of the terminal; all except the size are decided at the start. */
struct tp_term {
	int columns, rows; /* now */
	bool utf8; /* else pure ASCII */
	bool mouse; /* the program gets the mouse */
	int colours; /* 256, 8, or 0: attributes only */
	/* descriptor that becomes readable after a signal: poll it, then call tp_term_input */
	int signals;
	struct tp_cuts *cuts; /* texts that were painted and had no room; NULL: not kept */
};
struct tp_cuts; /* ui/tui/paint.h */

/* --- input --- */
enum tp_input_kind {
	TP_INPUT_NONE, /* nothing there */
	TP_INPUT_KEY, /* `code`: a Unicode character, or TP_KEY_... */
	TP_INPUT_TEXT, /* `code`: a character of a paste, a blank for a line end; never a key */
	TP_INPUT_MOUSE,
	TP_INPUT_RESIZE, /* columns and rows of the term are new */
	TP_INPUT_HANGUP /* the terminal has gone, or SIGTERM: save and leave */
};

/* Beyond Unicode. Letters with Ctrl are their control characters (Ctrl-C is 3). */
enum tp_key_code {
	TP_KEY_UP = 0x110001,
	TP_KEY_DOWN,
	TP_KEY_LEFT,
	TP_KEY_RIGHT,
	TP_KEY_HOME,
	TP_KEY_END,
	TP_KEY_PAGE_UP,
	TP_KEY_PAGE_DOWN,
	TP_KEY_BACKSPACE,
	TP_KEY_DELETE,
	TP_KEY_BACKTAB,
	TP_KEY_F1, /* followed by eleven more */
	TP_KEY_ENTER = '\n',
	TP_KEY_TAB = '\t',
	TP_KEY_ESCAPE = 27,
};

enum tp_mouse_action { TP_MOUSE_PRESS, TP_MOUSE_WHEEL_UP, TP_MOUSE_WHEEL_DOWN, TP_MOUSE_RELEASE };

struct tp_input {
	enum tp_input_kind kind;
	uint32_t code;
	enum tp_mouse_action mouse;
	int row, column; /* of the mouse, from 0 at the top left */
	bool twice; /* the second press of a double click */
};

/*
 * Takes the terminal (alternate screen, no echo, mouse). `colour`: use colours if there are any;
 * `ascii`: no UTF-8 even if the locale has it. Fails with a diagnosis if standard input or output
 * is not a terminal or TERM is unknown. Sets handlers for SIGWINCH, SIGTSTP, SIGHUP, SIGTERM,
 * SIGINT and the crash signals; a crash first restores the terminal.
 */
enum tp_status tp_term_open(struct tp_term *term, bool colour, bool ascii, bool mouse,
			    struct tp_diag *diag);
/* Gives the terminal back; safe to call twice. */
void tp_term_close(struct tp_term *term);
void tp_term_set_mouse(struct tp_term *term, bool on);
/*
 * Gets the next input without waiting. Ctrl-Z suspends the program in here and then arrives as
 * RESIZE; Ctrl-C is a key.
 */
void tp_term_input(struct tp_term *term, struct tp_input *input);
/* When there may be input though nothing arrives: a key that waited for more; INFINITY: never. */
double tp_term_due(void);
/* Whether input, or a signal, is waiting: long work gives way to it. */
bool tp_term_has_input(const struct tp_term *term);
/* Before a screen is painted: hides the cursor; changes from now on are shown first. */
void tp_term_begin(struct tp_term *term);
/*
 * Shows what was painted; writes only cells that changed, and no more than the line carries soon:
 * call it again when an answer of the terminal may have arrived.
 */
void tp_term_show(struct tp_term *term);
/* Something has not been shown, or not arrived yet. */
bool tp_term_is_busy(void);
/* Makes the next show write every cell (Ctrl-L, after another program wrote on the screen). */
void tp_term_repaint(struct tp_term *term);
/* Puts the cursor into a text field; a negative row hides it. */
void tp_term_cursor(struct tp_term *term, int row, int column);

#endif
