/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/cuts.h"
#include "base/str.h"

#include <stdio.h>

void tp_cuts_add(struct tp_cuts *cuts, int row, int column, bool here, const char *text)
{
	if (!cuts || cuts->n == TP_CUTS_MAX)
		return;
	struct tp_cut *cut = &cuts->items[cuts->n++];
	*cut = (struct tp_cut){ .row = row, .column = column, .here = here };
	tp_copy(cut->text, sizeof(cut->text), text);
}

void tp_cuts_drop(struct tp_cuts *cuts, int row, int column, int rows, int columns)
{
	size_t kept = 0;
	for (size_t i = 0; cuts && i < cuts->n; i++) {
		const struct tp_cut *cut = &cuts->items[i];
		bool over = cut->row >= row && cut->row < row + rows && cut->column >= column &&
			    cut->column < column + columns;
		if (!over)
			cuts->items[kept++] = *cut;
	}
	if (cuts)
		cuts->n = kept;
}

const char *tp_cuts_line(const struct tp_cuts *cuts, char *out, size_t size)
{
	size_t at = 0;
	int row = -1;
	out[0] = '\0';
	/* Of several cursors the one that was painted last: it is on top. */
	for (size_t i = 0; cuts && i < cuts->n; i++)
		if (cuts->items[i].here)
			row = cuts->items[i].row;
	for (size_t i = 0; cuts && i < cuts->n && at < size; i++)
		if (cuts->items[i].here && cuts->items[i].row == row)
			at += (size_t)snprintf(out + at, size - at, "%s%s", at ? "  " : "",
					       cuts->items[i].text);
	return out;
}
