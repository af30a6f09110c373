/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the Autotune screen, and what the Run screen shows of a search. */
#ifndef TPROF_TUI_AUTOTUNE_VIEW_H
#define TPROF_TUI_AUTOTUNE_VIEW_H

#include "experiments/autotune/report.h"
#include "experiments/autotune/trial.h"
#include "ui/tui/screen.h"
#include "ui/tui/widgets/list.h"

enum { TP_AUTOTUNE_TECHNIQUES = 32 };

/*
 * Where the cells of the map were painted last; for the mouse and for keeping the cursor in sight.
 */
struct tp_map_place {
	struct tp_area area; /* of the cells alone */
	int cell_columns, cell_rows;
	size_t first_row, first_column; /* in sight */
	size_t n_rows, n_columns;
};

struct tp_autotune_view {
	uint64_t seen; /* what of the run everything below was made from */
	unsigned point; /* the search that is shown */
	bool chosen; /* by hand: it does not follow the run any more */
	size_t n_searches, number; /* of the run; 0-based place of the one that is shown */
	bool any;
	struct tp_searched search; /* borrows from the run as long as `seen` holds */
	struct tp_heat_view axes;
	struct tp_heat heat;
	size_t row, column; /* the cursor, in the map */
	bool moved; /* by hand: else the cursor goes along with the best */
	/* The searches that differ in their technique alone, with what the study says of them. */
	struct tp_searched others[TP_AUTOTUNE_TECHNIQUES];
	const struct tp_study_row *study[TP_AUTOTUNE_TECHNIQUES];
	struct tp_list techniques; /* of them; the cursor is on the search that is shown */
	struct tp_map_place place;
};

/* The configuration under the cursor; NULL if there is none. */
const struct tp_trial *tp_autotune_at(const struct tp_autotune_view *view);

/* screen_map.c: rows that the whole map takes with cells of one row; paints it into the area. */
int tp_autotune_map_rows(const struct tp_autotune_view *view);
void tp_autotune_map_draw(struct tp_autotune_view *view, struct tp_area area);
/* False if no cell is there. */
bool tp_autotune_map_hit(const struct tp_autotune_view *view, int row, int column, size_t *cell_row,
			 size_t *cell_column);

/* screen_words.c; those with a result return the rows they took. */
int tp_autotune_best_draw(const struct tp_app *app, const struct tp_searched *search,
			  struct tp_area area);
/* A search as a point of a run: what it is, its best, how far it is. */
int tp_autotune_point_draw(const struct tp_app *app, const struct tp_point *point,
			   struct tp_area area);
int tp_autotune_trial_draw(const struct tp_autotune_view *view, struct tp_area area);
void tp_autotune_techniques_draw(struct tp_autotune_view *view, struct tp_area area);

#endif
