/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a stream can show, and how diagnoses are printed for people. */
#ifndef TPROF_SESSION_LOOK_H
#define TPROF_SESSION_LOOK_H

#include "base/status.h"
#include "report/text.h"

/* TP_FULL: of reports alone. Always, with every table and picture. */
enum tp_when { TP_AUTO, TP_ALWAYS, TP_NEVER, TP_FULL };

/* What the user asked for. */
struct tp_look_wish {
	enum tp_when colour;
	bool ascii;
};

void tp_look_init(struct tp_look *look, const struct tp_look_wish *wish, int fd);
/* Columns and rows as they are now: the terminal's, else $COLUMNS and $LINES, else 80 x 24. */
void tp_look_size(struct tp_look *look, int fd);
/*
 * True if `fd` is a terminal and this process is in its foreground: a job in the background keeps
 * quiet.
 */
bool tp_look_foreground(int fd);

/*
 * A line to standard error: "tprof: TEXT". Whatever may hold a path, a name or a word of somebody
 * else is printed with this or the functions below: no control character gets through.
 */
void tp_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same without "tprof: ": a command to type. */
void tp_say_command(const char *command);
/* One diagnosis to standard error: "tprof: where: what", and the hint on a line of its own. */
void tp_complain(const struct tp_diag *diag);
void tp_complain_all(const struct tp_diags *diags);

#endif
