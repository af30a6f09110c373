/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the Run screen. Private to screen_run.c and run_*.c. */
#ifndef TPROF_TUI_RUN_VIEW_H
#define TPROF_TUI_RUN_VIEW_H

#include "base/str.h"
#include "ui/tui/paint.h"
#include "ui/tui/screen.h"

enum { TP_RUN_COLUMNS = 14 };

/* An axis that settles: it grows in nice steps and never shrinks while the picture is the same. */
struct tp_axis_hold {
	double min, max;
	bool log;
};

struct tp_run_view {
	/* queue */
	size_t selected, top;
	bool follow; /* the selection goes with the point under way */
	int widths[TP_RUN_COLUMNS]; /* 0: the column is not shown */
	const struct tp_run *measured; /* what the widths were made for, */
	size_t n_measured; /* with so many points, */
	uint64_t version; /* and this version of run or plan */
	struct tp_area list; /* where its rows were painted last */
	/* report as text */
	bool report;
	struct tp_str text;
	const char **lines; /* into text */
	size_t n_lines, first_line;
	int report_columns;
	uint64_t report_version;
	/* axes */
	char window_key[64], whole_key[160];
	struct tp_axis_hold window_x, window_y, whole_x, whole_y;
};

/* Points of the run, or of the plan when there is no run. */
size_t tp_run_view_count(const struct tp_app *app);
const struct tp_point *tp_run_view_point(const struct tp_app *app, size_t i);

/* "207.5", "3.142", "1208": four digits or a whole number. */
const char *tp_run_number(char *out, size_t size, double value);
/* A line across with a title. */
void tp_run_rule(struct tp_area area, int row, const char *title);

/* run_list.c */
void tp_run_list_measure(struct tp_app *app, struct tp_run_view *view);
void tp_run_list_draw(struct tp_app *app, struct tp_run_view *view, struct tp_area area);
void tp_run_list_move(struct tp_app *app, struct tp_run_view *view, long by);

/* run_point.c: what is known of a point, its windows as a plot. Returns the rows of the text. */
int tp_run_point_text(struct tp_app *app, const struct tp_point *point, struct tp_area area);
void tp_run_point_plot(struct tp_app *app, struct tp_run_view *view, const struct tp_point *point,
		       struct tp_area area);
/* Median and interval of the windows so far, in the headline's unit; false before the first. */
bool tp_run_estimate(const struct tp_point *point, double *median, double *low, double *high);
/* A window's rate in the headline's unit. */
double tp_run_window_value(const struct tp_point *point, const struct tp_sample *sample);

/* run_whole.c: the picture that grows. */
void tp_run_whole_draw(struct tp_app *app, struct tp_run_view *view, const struct tp_point *point,
		       struct tp_area area);
/* Holds ends that only grow; nice steps. */
void tp_axis_hold(struct tp_axis_hold *hold, double least, double most);

/* run_summary.c */
void tp_run_summary_draw(struct tp_app *app, struct tp_area area);
void tp_run_plan_draw(struct tp_app *app, struct tp_area area);

#endif
