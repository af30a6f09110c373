/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/widgets/outline.h"
#include "base/memory.h"

#include <stdlib.h>

enum { INDENT = 2, MARK_COLUMNS = 2 };

void tp_outline_release(struct tp_outline *outline)
{
	free(outline->rows);
	free(outline->folds);
	free(outline->shown);
	*outline = (struct tp_outline){ 0 };
}

/* The place of a key among the folds; n_folds if missing. */
static size_t fold_of(const struct tp_outline *outline, uint64_t key)
{
	size_t i = 0;
	while (i < outline->n_folds && outline->folds[i] != key)
		i++;
	return i;
}

static void set_fold(struct tp_outline *outline, struct tp_outline_row *row, bool folded)
{
	size_t at = fold_of(outline, row->key);
	if (folded && at == outline->n_folds) {
		TP_RESERVE(outline->folds, outline->cap_folds, outline->n_folds + 1);
		outline->folds[outline->n_folds++] = row->key;
	} else if (!folded && at < outline->n_folds) {
		outline->folds[at] = outline->folds[--outline->n_folds];
	}
	row->folded = folded;
}

void tp_outline_clear(struct tp_outline *outline)
{
	const struct tp_outline_row *row = tp_outline_row(outline);
	if (row)
		outline->at = row->key;
	outline->n = 0;
	outline->list.n = 0;
}

void tp_outline_add(struct tp_outline *outline, uint64_t key, unsigned depth, size_t item)
{
	TP_RESERVE(outline->rows, outline->cap, outline->n + 1);
	TP_RESERVE(outline->shown, outline->cap_shown, outline->n + 1);
	outline->rows[outline->n++] = (struct tp_outline_row){
		.key = key,
		.depth = depth,
		.item = item,
		.folded = fold_of(outline, key) < outline->n_folds,
	};
}

/* Which rows are in sight; the cursor goes to `key`, or to what it is folded into. */
static void show(struct tp_outline *outline, uint64_t key)
{
	size_t n = 0, at = 0;
	unsigned hidden = UINT32_MAX; /* rows deeper than this are in a folded one */
	for (size_t i = 0; i < outline->n; i++) {
		const struct tp_outline_row *row = &outline->rows[i];
		if (row->depth <= hidden) {
			hidden = row->parent && row->folded ? row->depth : UINT32_MAX;
			outline->shown[n++] = i;
		}
		if (row->key == key)
			at = n - 1;
	}
	outline->list.at = at;
	tp_list_resize(&outline->list, n);
	tp_list_fit(&outline->list, outline->list.rows);
}

void tp_outline_settle(struct tp_outline *outline)
{
	for (size_t i = 0; i < outline->n; i++)
		outline->rows[i].parent =
			i + 1 < outline->n && outline->rows[i + 1].depth > outline->rows[i].depth;
	show(outline, outline->at);
}

static struct tp_outline_row *chosen(const struct tp_outline *outline)
{
	return outline->list.at < outline->list.n ? &outline->rows[outline->shown[outline->list.at]]
						  : NULL;
}

const struct tp_outline_row *tp_outline_row(const struct tp_outline *outline)
{
	return chosen(outline);
}

static void fold(struct tp_outline *outline, struct tp_outline_row *row, bool folded)
{
	set_fold(outline, row, folded);
	show(outline, row->key);
}

void tp_outline_turn(struct tp_outline *outline)
{
	struct tp_outline_row *row = chosen(outline);
	if (row && row->parent)
		fold(outline, row, !row->folded);
}

void tp_outline_turn_all(struct tp_outline *outline, bool folded)
{
	const struct tp_outline_row *row = tp_outline_row(outline);
	for (size_t i = 0; i < outline->n; i++)
		set_fold(outline, &outline->rows[i],
			 folded && outline->rows[i].parent && outline->rows[i].depth > 0);
	if (row)
		show(outline, row->key);
}

static void to_parent(struct tp_outline *outline)
{
	const struct tp_outline_row *row = tp_outline_row(outline);
	size_t at = outline->list.at;
	while (at && outline->rows[outline->shown[at]].depth >= row->depth)
		at--;
	if (outline->rows[outline->shown[at]].depth < row->depth)
		tp_list_move(&outline->list, (long)at - (long)outline->list.at);
}

bool tp_outline_act(struct tp_outline *outline, enum tp_action action)
{
	struct tp_outline_row *row = chosen(outline);
	if (action != TP_ACTION_LEFT && action != TP_ACTION_RIGHT)
		return tp_list_act(&outline->list, action);
	if (!row)
		return true;
	bool open = row->parent && !row->folded;
	if (action == TP_ACTION_LEFT && open)
		fold(outline, row, true);
	else if (action == TP_ACTION_LEFT)
		to_parent(outline);
	else if (open)
		tp_list_move(&outline->list, 1);
	else if (row->parent)
		fold(outline, row, false);
	return true;
}

enum tp_list_event tp_outline_mouse(struct tp_outline *outline, const struct tp_input *input)
{
	enum tp_list_event event = tp_list_mouse(&outline->list, input);
	const struct tp_outline_row *row = tp_outline_row(outline);
	if (!row || (event != TP_LIST_PRESSED && event != TP_LIST_OPENED))
		return event;
	int mark = outline->list.area.column + (int)row->depth * INDENT;
	if (event == TP_LIST_OPENED ||
	    (input->column >= mark && input->column < mark + MARK_COLUMNS))
		tp_outline_turn(outline);
	return event;
}

/* --- painting --- */

struct painting {
	const struct tp_outline *outline;
	tp_outline_paint_row *paint;
	void *context;
};

static void paint_row(void *context, struct tp_area line, size_t i, bool selected)
{
	const struct painting *painting = context;
	const struct tp_outline_row *row = &painting->outline->rows[painting->outline->shown[i]];
	bool utf8 = line.term->utf8;
	int at = (int)row->depth * INDENT;
	if (row->parent)
		tp_paint_text(line, 0, at, selected ? TP_UI_SELECTED : TP_UI_TITLE,
			      row->folded ? utf8 ? "▸" : "+"
			      : utf8	  ? "▾"
					  : "-");
	at += MARK_COLUMNS;
	painting->paint(painting->context, tp_area_columns(line, at, line.columns - at), row,
			selected);
}

void tp_outline_paint(struct tp_outline *outline, struct tp_area area, tp_outline_paint_row *paint,
		      void *context)
{
	struct painting painting = { outline, paint, context };
	tp_list_paint(&outline->list,
		      tp_area_columns(area, 0, area.columns - TP_OUTLINE_BAR_COLUMNS), paint_row,
		      &painting);
	tp_list_paint_bar(&outline->list, area);
}
