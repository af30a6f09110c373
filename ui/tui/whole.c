/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/whole.h"
#include "base/memory.h"

#include <string.h>

enum { CONTROL_C = 3, MARGIN = 4, FRAME = 4, COLUMNS_MAX = 100, FOOT_ROWS = 2 };

/* The same text may have no room in several places. */
static bool is_said(const struct tp_cuts *cuts, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (cuts->items[k].here == cuts->items[i].here &&
		    strcmp(cuts->items[k].text, cuts->items[i].text) == 0)
			return true;
	return false;
}

bool tp_whole_open(struct tp_whole *whole, const struct tp_term *term)
{
	const struct tp_cuts *cuts = term->cuts;
	int columns = TP_MIN(term->columns - MARGIN, (int)COLUMNS_MAX) - FRAME - 1;
	if (!cuts || !cuts->n)
		return false;
	tp_doc_clear(&whole->doc, columns);
	for (int here = 1; here >= 0; here--) {
		bool any = false;
		for (size_t i = 0; i < cuts->n; i++) {
			if (cuts->items[i].here != (here == 1) || is_said(cuts, i))
				continue;
			if (!any && whole->doc.n)
				tp_doc_line(&whole->doc, -1);
			any = true;
			tp_doc_paragraph(&whole->doc, 0, here ? TP_UI_PLAIN : TP_UI_DIM,
					 cuts->items[i].text);
		}
	}
	whole->list = (struct tp_list){ .n = whole->doc.n };
	whole->columns = term->columns;
	whole->open = true;
	return true;
}

void tp_whole_release(struct tp_whole *whole)
{
	tp_doc_release(&whole->doc);
	*whole = (struct tp_whole){ 0 };
}

bool tp_whole_key(struct tp_whole *whole, uint32_t code)
{
	if (tp_list_scroll(&whole->list, tp_keys_action(TP_SCREEN_COUNT, code)))
		return true;
	whole->open = false;
	return code != CONTROL_C;
}

void tp_whole_mouse(struct tp_whole *whole, const struct tp_input *input)
{
	if (input->mouse == TP_MOUSE_PRESS)
		whole->open = false;
	else
		tp_list_wheel(&whole->list, tp_list_wheel_rows(input));
}

void tp_whole_paint(struct tp_whole *whole, struct tp_area area)
{
	if (whole->columns != area.term->columns) {
		whole->open = false;
		return;
	}
	int rows = TP_MIN((int)whole->doc.n + FOOT_ROWS + 2, area.rows);
	int columns = whole->doc.columns + 1 + FRAME;
	struct tp_area box = tp_area_columns(tp_area_rows(area, (area.rows - rows) / 2, rows),
					     (area.columns - columns) / 2, columns);
	tp_paint_clear(box, TP_UI_PLAIN);
	struct tp_area in = tp_paint_frame(box, "In full");
	tp_doc_show(&whole->doc, &whole->list, tp_area_rows(in, 0, in.rows - FOOT_ROWS), false);
	tp_paint_key(in, in.rows - 1, 0, "Esc", "back");
}
