/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts as lines of cells, for terminals. */
#ifndef TPROF_DOC_TERMINAL_H
#define TPROF_DOC_TERMINAL_H

#include "base/str.h"
#include "doc/text.h"

/* What takes the lines: words of a line with their paint, and its end. */
struct tp_ink {
	void *context;
	void (*words)(void *context, enum tp_paint paint, const char *text, size_t n);
	void (*end)(void *context);
	/* Whole lines with their ends; NULL = they are left out. */
	void (*verbatim)(void *context, const char *lines);
};

/*
 * Texts are broken at blanks to fit `columns`. Tables that are too wide: columns go as their `give`
 * says, then the last one is broken into lines if it is left-aligned, else the line is longer.
 */
void tp_text_lay(const struct tp_text *text, size_t columns, const struct tp_ink *ink);

/* The same for a stream of that look, with colour codes if it has colour. */
void tp_text_print(const struct tp_text *text, struct tp_str *out);

#endif
