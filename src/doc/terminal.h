/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts as lines of cells, for terminals. */
#ifndef TPROF_DOC_TERMINAL_H
#define TPROF_DOC_TERMINAL_H

#include "base/str.h"
#include "doc/text.h"

/* How a table stands in its room; a gap is between columns. */
enum { TP_GRID_GAP = 2 };
struct tp_grid_layout {
	size_t width[TP_GRID_COLUMNS_MAX];
	bool gone[TP_GRID_COLUMNS_MAX];
	size_t last; /* the last column that is there */
};

/*
 * Shrinks columns by their `give`, as long as that is enough: the last one if its words can be
 * broken into lines, or, with `cut`, that one and those with a `least`.
 */
void tp_grid_fit(const struct tp_grid *grid, size_t columns, bool cut,
		 struct tp_grid_layout *layout);

/* What takes the lines: words of a line with their paint, and its end. */
struct tp_ink {
	void *context;
	void (*words)(void *context, enum tp_paint paint, const char *text, size_t n);
	void (*end)(void *context);
	/* Whole lines with their ends; NULL = they are left out. */
	void (*verbatim)(void *context, const char *lines);
};

/*
 * Texts are broken at blanks to fit `columns`. A table that is too wide for all that tp_grid_fit
 * does has longer lines.
 */
void tp_text_lay(const struct tp_text *text, size_t columns, const struct tp_ink *ink);

/* The same for a stream of that look, with colour codes if it has colour. */
void tp_text_print(const struct tp_text *text, struct tp_str *out);

#endif
