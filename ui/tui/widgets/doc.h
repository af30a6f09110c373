/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of text with roles, made once and painted often. */
#ifndef TPROF_TUI_DOC_H
#define TPROF_TUI_DOC_H

#include "base/memory.h"
#include "doc/text.h"
#include "ui/tui/widgets/list.h"

struct tp_doc_span {
	const char *text;
	int column;
	enum tp_role role;
};

struct tp_doc_line {
	size_t from, n; /* spans */
	int item; /* the thing that the line is about, in the terms of the owner; -1 = none */
};

/* Zero-initialise, then call tp_doc_clear. Text is wrapped to `columns` when it is added. */
struct tp_doc {
	int columns;
	struct tp_doc_line *lines;
	size_t n, cap;
	struct tp_doc_span *spans;
	size_t n_spans, cap_spans;
	struct tp_arena arena;
	int end; /* column after the last added text */
	struct tp_list list; /* the window of tp_doc_show, and its cursor */
};

void tp_doc_release(struct tp_doc *doc);
/* Empties it, for another width; the list stays where it is. */
void tp_doc_clear(struct tp_doc *doc, int columns);

/* A new line. */
void tp_doc_line(struct tp_doc *doc, int item);
/* Text in the last line, from `column` on. TP_DOC_NEXT: right after the previous text. */
enum { TP_DOC_NEXT = -1 };
void tp_doc_text(struct tp_doc *doc, int column, enum tp_role role, const char *text);
void tp_doc_format(struct tp_doc *doc, int column, enum tp_role role, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* A new line without an item, with text. */
void tp_doc_row(struct tp_doc *doc, int column, enum tp_role role, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* A title below an empty line, which the first line of a doc needs not. */
void tp_doc_heading(struct tp_doc *doc, const char *text);
/* Text at `column`, wrapped into as many lines as it needs. They have the item of the first. */
void tp_doc_wrap(struct tp_doc *doc, int column, enum tp_role role, const char *text);
/* The same from a new line on, without an item. */
void tp_doc_paragraph(struct tp_doc *doc, int column, enum tp_role role, const char *text);
/* In place of all: a text, laid out for its look. */
void tp_doc_report(struct tp_doc *doc, int columns, const struct tp_text *text);

/*
 * Paints the lines from `top` on, the line `selected` in the look of the cursor ((size_t)-1: none).
 */
void tp_doc_paint(const struct tp_doc *doc, struct tp_area area, size_t top, size_t selected);
/*
 * Paints the lines in the window of doc->list, and a scroll bar in the last column. `cursor`: shows
 * the cursor of the list.
 */
void tp_doc_show(struct tp_doc *doc, struct tp_area area, bool cursor);

#endif
