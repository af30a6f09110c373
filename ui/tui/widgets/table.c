/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/widgets/table.h"

#include <stdarg.h>
#include <stdio.h>

enum { TEXT_BYTES = 512 };

static void put(struct tp_area area, int row, const struct tp_table_column *column,
		enum tp_role role, const char *text)
{
	if (column->end)
		tp_paint_right(area, row, column->end, role, text);
	else
		tp_paint_text(area, row, column->from, role, text);
}

void tp_table_titles(struct tp_area area, int row, const struct tp_table_column *columns, size_t n,
		     enum tp_role role)
{
	for (size_t i = 0; i < n; i++)
		put(area, row, &columns[i], role, columns[i].title);
}

void tp_table_cell(struct tp_area area, int row, const struct tp_table_column *column,
		   enum tp_role role, const char *fmt, ...)
{
	char text[TEXT_BYTES];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	put(area, row, column, role, text);
}

void tp_words(struct tp_text_row *words, int gap, enum tp_role role, const char *fmt, ...)
{
	char text[TEXT_BYTES];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	words->at += gap;
	words->at += tp_paint_text(words->area, words->row, words->at, role, text);
}
