/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of text with roles, made once and painted often: what is longer than its window scrolls. */
#ifndef TPROF_TUI_DOC_H
#define TPROF_TUI_DOC_H

#include "base/arena.h"
#include "ui/tui/paint.h"

struct tp_doc_span {
	const char *text;
	int column;
	enum tp_role role;
};

struct tp_doc_line {
	size_t from, n; /* spans */
	int item; /* what the line stands for; the owner's meaning, -1 = nothing */
};

/* Zero-initialise, then tp_doc_clear. Made for a width: text is wrapped when it is added. */
struct tp_doc {
	int columns;
	struct tp_doc_line *lines;
	size_t n, cap;
	struct tp_doc_span *spans;
	size_t n_spans, cap_spans;
	struct tp_arena arena;
	int end; /* column behind what was last added to the last line */
};

void tp_doc_release(struct tp_doc *doc);
/* Empty again, for another width. */
void tp_doc_clear(struct tp_doc *doc, int columns);

/* A new line. When memory runs out lines are missing, nothing else happens. */
void tp_doc_line(struct tp_doc *doc, int item);
/* Text into the last line, from `column` on; TP_DOC_NEXT: right behind the last. */
enum { TP_DOC_NEXT = -1 };
void tp_doc_text(struct tp_doc *doc, int column, enum tp_role role, const char *text);
void tp_doc_format(struct tp_doc *doc, int column, enum tp_role role, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The same, ending at column `end` (exclusive). */
void tp_doc_right(struct tp_doc *doc, int end, enum tp_role role, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Text at `column`, broken at blanks into as many lines as it needs; they carry the item of the first. */
void tp_doc_wrap(struct tp_doc *doc, int column, enum tp_role role, const char *text);
/* "label   text": label at `indent`, text wrapped at `column`. */
void tp_doc_fact(struct tp_doc *doc, int indent, int column, const char *label, const char *text);
/* Lines as src/report writes them, with its painting codes. */
void tp_doc_report(struct tp_doc *doc, const char *text);

/* The lines from `top` on; the line of `selected` in the look of the cursor ((size_t)-1: none). */
void tp_doc_paint(const struct tp_doc *doc, struct tp_area area, size_t top, size_t selected);

#endif
