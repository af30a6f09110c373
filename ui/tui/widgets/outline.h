/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An outline that folds: rows with depths, of which those below a folded row are out of sight. The
 * owner adds all rows in order, parents before their children, and paints them. Folds and the
 * cursor belong to the keys of rows, so that a rebuilt outline looks the same.
 */
#ifndef TPROF_TUI_OUTLINE_H
#define TPROF_TUI_OUTLINE_H

#include "ui/tui/widgets/list.h"

/* Zero-initialise, release after use. */
struct tp_outline {
	struct tp_outline_row {
		uint64_t key;
		unsigned depth; /* from 0; a child is one deeper than its parent */
		size_t item; /* what the row is about, in the terms of the owner */
		bool parent, folded;
	} * rows;
	size_t n, cap;
	uint64_t *folds; /* keys of folded rows, also of such that are not there now */
	size_t n_folds, cap_folds;
	uint64_t at; /* key of the row under the cursor */
	size_t *shown; /* indexes of the rows that are in no folded one */
	size_t cap_shown;
	struct tp_list list; /* of those shown */
};

void tp_outline_release(struct tp_outline *outline);

/* Without rows; folds and cursor are kept. Then add the rows, and settle. */
void tp_outline_clear(struct tp_outline *outline);
/* A key names one row. */
void tp_outline_add(struct tp_outline *outline, uint64_t key, unsigned depth, size_t item);
/* The cursor is on the row where it was, else on the first one. */
void tp_outline_settle(struct tp_outline *outline);

/* The row under the cursor; NULL if none. */
const struct tp_outline_row *tp_outline_row(const struct tp_outline *outline);
/* Folds or unfolds the row under the cursor; nothing if it has no children. */
void tp_outline_turn(struct tp_outline *outline);
/* Unfolds every row, or folds every one below the first. */
void tp_outline_turn_all(struct tp_outline *outline, bool fold);
/*
 * Moves the cursor. LEFT folds, or goes to the parent; RIGHT unfolds, or goes to the first child.
 * False for other actions.
 */
bool tp_outline_act(struct tp_outline *outline, enum tp_action action);
/* A press chooses a row, and folds or unfolds it if it is on the mark or a double one. */
enum tp_list_event tp_outline_mouse(struct tp_outline *outline, const struct tp_input *input);

/* Paints one row after its mark: `line` begins where the text of a row of that depth does. */
typedef void tp_outline_paint_row(void *context, struct tp_area line,
				  const struct tp_outline_row *row, bool selected);
/* The rows in sight, and a scroll bar next to them, for which their lines leave room. */
enum { TP_OUTLINE_BAR_COLUMNS = 2 };
void tp_outline_paint(struct tp_outline *outline, struct tp_area area, tp_outline_paint_row *paint,
		      void *context);

#endif
