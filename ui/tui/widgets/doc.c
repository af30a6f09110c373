/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/widgets/doc.h"
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

void tp_doc_right(struct tp_doc *doc, int end, enum tp_role role, const char *fmt, ...)
{
	FORMAT(text, fmt);
	tp_doc_text(doc, TP_MAX(end - (int)tp_cell_columns(text), 0), role, text);
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

void tp_doc_fact(struct tp_doc *doc, int indent, int column, const char *label, const char *text)
{
	tp_doc_line(doc, -1);
	tp_doc_text(doc, indent, TP_UI_DIM, label);
	tp_doc_wrap(doc, column, TP_UI_PLAIN, text);
}

/* --- text of src/report --- */

/* The roles of the colour codes of src/report/text.c. */
static const struct {
	const char *code;
	enum tp_role role;
} codes[] = {
	{ "0", TP_UI_PLAIN },	{ "1;36", TP_UI_TITLE },       { "4", TP_UI_TITLE },
	{ "2", TP_UI_DIM },	{ "1", TP_UI_STRONG },	       { "32", TP_UI_GOOD },
	{ "33", TP_UI_WARN },	{ "1;31", TP_UI_BAD },	       { "36", TP_UI_PLOT_SERIES_0 },
	{ "34", TP_UI_BORDER }, { "35", TP_UI_PLOT_SERIES_3 },
};

static enum tp_role role_of(const char *code, size_t n)
{
	for (size_t i = 0; i < TP_COUNT_OF(codes); i++)
		if (strlen(codes[i].code) == n && memcmp(codes[i].code, code, n) == 0)
			return codes[i].role;
	return TP_UI_PLAIN;
}

void tp_doc_report(struct tp_doc *doc, int columns, const char *text)
{
	tp_doc_clear(doc, columns);
	enum tp_role role = TP_UI_PLAIN;
	while (*text) {
		tp_doc_line(doc, -1);
		while (*text && *text != '\n') {
			size_t n = strcspn(text, "\n\033");
			add_n(doc, TP_DOC_NEXT, role, text, n);
			text += n;
			if (text[0] != '\033')
				continue;
			if (text[1] != '[') {
				text++;
				continue;
			}
			n = strcspn(text + 2, "m\n");
			role = role_of(text + 2, n);
			text += 2 + n + (text[2 + n] == 'm');
		}
		text += *text == '\n';
	}
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
