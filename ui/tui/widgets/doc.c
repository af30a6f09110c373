/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/widgets/doc.h"

#include "doc/terminal.h"
#include "base/memory.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WRAP_COLUMNS_MIN = 12, TEXT_BYTES = 1024 };

void tp_doc_release(struct tp_doc *doc)
{
	free(doc->lines);
	free(doc->spans);
	tp_arena_release(&doc->arena);
	*doc = (struct tp_doc){ 0 };
}

void tp_doc_clear(struct tp_doc *doc, int columns)
{
	tp_arena_release(&doc->arena);
	doc->n = doc->n_spans = 0;
	doc->end = 0;
	doc->columns = columns;
}

void tp_doc_line(struct tp_doc *doc, int item)
{
	TP_RESERVE(doc->lines, doc->cap, doc->n + 1);
	doc->lines[doc->n++] = (struct tp_doc_line){ .from = doc->n_spans, .item = item };
	doc->end = 0;
}

static void add_n(struct tp_doc *doc, int column, enum tp_role role, const char *text, size_t n)
{
	if (!doc->n || !n)
		return;
	TP_RESERVE(doc->spans, doc->cap_spans, doc->n_spans + 1);
	const char *copy = tp_arena_strndup(&doc->arena, text, n);
	if (column < 0)
		column = doc->end;
	doc->spans[doc->n_spans++] = (struct tp_doc_span){ copy, column, role };
	doc->lines[doc->n - 1].n++;
	doc->end = column + (int)tp_cell_columns(copy);
}

void tp_doc_text(struct tp_doc *doc, int column, enum tp_role role, const char *text)
{
	add_n(doc, column, role, text, strlen(text));
}

#define FORMAT(text, fmt)                                                                          \
	char text[TEXT_BYTES];                                                                     \
	va_list ap;                                                                                \
	va_start(ap, fmt);                                                                         \
	vsnprintf(text, sizeof(text), fmt, ap);                                                    \
	va_end(ap)

void tp_doc_format(struct tp_doc *doc, int column, enum tp_role role, const char *fmt, ...)
{
	FORMAT(text, fmt);
	tp_doc_text(doc, column, role, text);
}

void tp_doc_row(struct tp_doc *doc, int column, enum tp_role role, const char *fmt, ...)
{
	FORMAT(text, fmt);
	tp_doc_line(doc, -1);
	tp_doc_text(doc, column, role, text);
}

void tp_doc_heading(struct tp_doc *doc, const char *text)
{
	if (doc->n)
		tp_doc_line(doc, -1);
	tp_doc_row(doc, 0, TP_UI_TITLE, "%s", text);
}

void tp_doc_wrap(struct tp_doc *doc, int column, enum tp_role role, const char *text)
{
	int item = doc->n ? doc->lines[doc->n - 1].item : -1;
	if (column < 0)
		column = doc->end;
	int room = TP_MAX(doc->columns - column, WRAP_COLUMNS_MIN);
	const char *next, *start = text;
	for (; *text; text = next) {
		const char *end = tp_text_line(text, (size_t)room, &next);
		if (text != start)
			tp_doc_line(doc, item);
		add_n(doc, column, role, text, (size_t)(end - text));
	}
}

void tp_doc_paragraph(struct tp_doc *doc, int column, enum tp_role role, const char *text)
{
	tp_doc_line(doc, -1);
	tp_doc_wrap(doc, column, role, text);
}

/* --- texts of src/doc --- */

/* The last line is open: words go there. */
static void add_words(void *context, enum tp_paint paint, const char *text, size_t n)
{
	add_n(context, TP_DOC_NEXT, tp_theme_paint(paint), text, n);
}

static void end_line(void *context)
{
	tp_doc_line(context, -1);
}

void tp_doc_report(struct tp_doc *doc, int columns, const struct tp_text *text)
{
	const struct tp_ink ink = { doc, add_words, end_line, NULL };
	tp_doc_clear(doc, columns);
	tp_doc_line(doc, -1);
	tp_text_lay(text, (size_t)TP_MAX(columns, WRAP_COLUMNS_MIN), &ink);
	doc->n--;
}

void tp_doc_show(struct tp_doc *doc, struct tp_area area, bool cursor)
{
	struct tp_list *list = &doc->list;
	tp_list_resize(list, doc->n);
	tp_list_fit(list, area.rows);
	list->area = area;
	tp_doc_paint(doc, tp_area_columns(area, 0, area.columns - 1), list->top,
		     cursor ? list->at : (size_t)-1);
	tp_list_paint_bar(list, area);
}

void tp_doc_paint(const struct tp_doc *doc, struct tp_area area, size_t top, size_t selected)
{
	for (int r = 0; r < area.rows && top + (size_t)r < doc->n; r++) {
		const struct tp_doc_line *line = &doc->lines[top + (size_t)r];
		bool here = top + (size_t)r == selected;
		if (here)
			tp_paint_clear(tp_area_rows(area, r, 1), TP_UI_SELECTED);
		for (size_t i = 0; i < line->n; i++) {
			const struct tp_doc_span *span = &doc->spans[line->from + i];
			tp_paint_text(area, r, span->column, here ? TP_UI_SELECTED : span->role,
				      span->text);
		}
	}
}
