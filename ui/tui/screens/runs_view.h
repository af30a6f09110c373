/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of the Runs screen: reading and actions (runs.c), painting (runs_paint.c). Private to
 * them.
 */
#ifndef TPROF_TUI_RUNS_VIEW_H
#define TPROF_TUI_RUNS_VIEW_H

#include "ui/tui/screens/comparison.h"
#include "ui/tui/widgets/path_box.h"
#include "ui/tui/screens/preview.h"
#include "ui/tui/screen.h"
#include "ui/tui/screens/stored.h"

struct tp_runs_view {
	struct tp_stored stored;
	struct tp_list list;
	struct tp_filter filter;
	struct tp_previews previews;
	struct tp_comparison_view comparison;
	enum tp_live_state live; /* at the last change */
	bool stale; /* the folder must be read again */
	bool wants_preview; /* there is room for one */
	struct tp_list preview; /* its lines, where it has the screen for itself */
	double moved; /* when the cursor moved last */
	char question[256];
	char to_delete[256]; /* directory that the question is about; "" = the marked runs */
	struct tp_path_box export; /* asks for a folder */
	char problem[512]; /* why there is no list */
};

/* Path of the run under the cursor; NULL when the list is empty. */
const char *tp_runs_selected_path(const struct tp_runs_view *view, char path[TP_PATH_MAX]);

/* The list, and where the preview has no room beside it, the preview: 1 or 2. */
int tp_runs_parts(const struct tp_app *app, const void *state, struct tp_area area);
void tp_runs_paint(struct tp_app *app, struct tp_runs_view *view, struct tp_area area);

#endif
