/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the Run screen: list, cores, one point, the whole run. */
#ifndef TPROF_UI_TUI_SCREENS_RUN_VIEW_H
#define TPROF_UI_TUI_SCREENS_RUN_VIEW_H

#include "ui/tui/screen.h"
#include "ui/tui/widgets/doc.h"
#include "ui/tui/widgets/plot.h"

enum { TP_RUN_COLUMNS = 14 };

struct tp_run_view {
	struct tp_list points;
	bool follow; /* the cursor goes with the point under way */
	int widths[TP_RUN_COLUMNS]; /* 0: the column is not shown */
	const struct tp_run *measured; /* the widths were made for this run, */
	size_t n_measured; /* this number of points, */
	uint64_t version; /* and this version of run or plan */
	/* the report as text */
	bool report;
	struct tp_doc text; /* stale when its columns are not the screen's */
	/* axes, and what they are of */
	char windows_of[64], whole_of[160];
	struct tp_held_axes windows, whole;
};

/* Points of the run, or of the plan when there is no run. */
size_t tp_run_view_count(const struct tp_app *app);
const struct tp_point *tp_run_view_point(const struct tp_app *app, size_t i);

/* The queue of points. */
void tp_run_list_draw(struct tp_app *app, struct tp_run_view *view, struct tp_area area);

/* A row for each CPU that is measured on; 0 while nothing is measured. */
size_t tp_run_cores_count(const struct tp_app *app);
void tp_run_cores_draw(const struct tp_app *app, struct tp_area area);

/* The words about a point, and its windows as a plot. */
void tp_run_point_text(struct tp_app *app, const struct tp_point *point, struct tp_area area);
void tp_run_point_plot(struct tp_app *app, struct tp_run_view *view, const struct tp_point *point,
		       struct tp_area area);

/* The picture that grows. */
void tp_run_whole_draw(struct tp_app *app, struct tp_run_view *view, const struct tp_point *point,
		       struct tp_area area);

#endif
