/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Runs screen between its files: what is read and done (screen_runs.c), how it looks (runs_paint.c). Private to them. */
#ifndef TPROF_TUI_RUNS_VIEW_H
#define TPROF_TUI_RUNS_VIEW_H

#include "ui/tui/comparison.h"
#include "ui/tui/field.h"
#include "ui/tui/preview.h"
#include "ui/tui/screen.h"
#include "ui/tui/stored.h"

struct tp_runs_view {
	struct tp_stored stored;
	struct tp_list list;
	struct tp_filter filter;
	struct tp_previews previews;
	struct tp_comparison_view comparison;
	enum tp_live_state live; /* when it was looked at last */
	bool stale; /* the folder is to be read anew */
	bool wants_preview; /* there is room for one */
	double moved; /* when the cursor moved last */
	char question[256];
	char doomed[256]; /* directory that is asked about; "" = the marked ones */
	bool exporting; /* the folder is typed */
	struct tp_field folder;
	char problem[512]; /* why there is no list */
};

/* Path of the run under the cursor; NULL when the list is empty. */
const char *tp_runs_selected_path(const struct tp_runs_view *view, char path[TP_PATH_MAX]);

/* Where the parts stand; the mouse has to know as well. Where there is no room for a preview it has no rows. */
struct tp_runs_places {
	struct tp_area head, rows, preview;
};
struct tp_runs_places tp_runs_places(struct tp_area area);

void tp_runs_paint(struct tp_app *app, struct tp_runs_view *view, struct tp_area area);

#endif
