/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The texts of the painted screen that had no room. The line above the footer shows those of the
 * row under the cursor, and a key shows all of them (whole.h), so that nothing is cut for good.
 */
#ifndef TPROF_TUI_CUTS_H
#define TPROF_TUI_CUTS_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
