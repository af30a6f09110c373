/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A text for readers: titles, lines, facts, lists, tables and drawings in order, without layout.
 * Printers give it one: lines of a terminal or of a screen (doc/terminal.h), a page (doc/html.h).
 */
#ifndef TPROF_DOC_TEXT_H
#define TPROF_DOC_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "doc/grid.h"
#include "doc/look.h"

/* A piece of a line. */
struct tp_span {
	enum tp_paint paint;
	const char *text; /* of the arena */
};

enum tp_block_kind {
	TP_BLOCK_GAP, /* an empty line, which pages do without */
	TP_BLOCK_LINE, /* spans */
	TP_BLOCK_TITLE, /* of a section: one span */
	TP_BLOCK_HEAD, /* of a part of it: one span */
	TP_BLOCK_FACT, /* the span of its label, the span of its text */
	TP_BLOCK_ITEM, /* of a list: the span of its mark, the span of its text */
	TP_BLOCK_GRID,
	TP_BLOCK_VERBATIM, /* a picture or whole lines formatted for the look; markup on a page */
};

struct tp_block {
	enum tp_block_kind kind;
	size_t from, n; /* spans */
	/* The last ones, which are broken into lines as one text if space is short. */
	size_t n_flow;
	size_t used, indent; /* columns before them; columns before their further lines */
	struct tp_grid grid;
};

struct tp_text {
	const struct tp_look *look; /* borrowed: the look of the stream that it is meant for */
	struct tp_block *blocks;
	struct tp_span *spans;
	size_t n, cap, n_spans, cap_spans;
	size_t line, n_flow; /* spans from there belong to an unfinished line */
	size_t verbatim_bytes; /* of all such blocks */
	struct tp_arena arena;
};

/* A text that releases itself. */
#define TP_TEXT(name, of) TP_CLEANUP(tp_text_release) struct tp_text name = { .look = (of) }
void tp_text_release(struct tp_text *text);

/* Foreign texts are cleaned first (tp_text_clean), unless a function does that itself. */

void tp_text_gap(struct tp_text *text);
/* Blanks, or words, at the end of a line that a later call ends. */
void tp_text_indent(struct tp_text *text, size_t columns);
void tp_text_run(struct tp_text *text, enum tp_paint paint, const char *words);
/* The same for words that are broken at blanks with what follows. */
void tp_text_flow(struct tp_text *text, enum tp_paint paint, const char *words);
/*
 * Ends the line with `words`, which are broken at blanks. `used` columns of the first line are
 * taken already, further lines are indented by `indent`.
 */
void tp_text_wrap(struct tp_text *text, enum tp_paint paint, const char *words, size_t used,
		  size_t indent);
/* The same; cleans. */
void tp_text_say(struct tp_text *text, enum tp_paint paint, size_t used, size_t indent,
		 const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* The title of a section, after an empty line unless it is the first block; cleans. */
void tp_text_title(struct tp_text *text, const char *words);
/* The same below it: the head of a part of the section; cleans. */
void tp_text_head(struct tp_text *text, const char *words);
/* "Quality  27 good": the label in `columns`, and words that are wrapped beside it. */
void tp_text_labelled(struct tp_text *text, const char *label, size_t columns, enum tp_paint paint,
		      const char *words);
/* The same with columns for a short word; cleans; nothing if there are no words. */
void tp_text_fact(struct tp_text *text, const char *label, enum tp_paint paint, const char *words);
/* "  - words": an item of a list. */
void tp_text_item(struct tp_text *text, enum tp_paint paint, const char *words);
/* A table: takes the cells of the grid, which is empty then. */
void tp_grid_write(struct tp_grid *grid, struct tp_text *text);
void tp_text_verbatim(struct tp_text *text, const char *lines);

#endif
