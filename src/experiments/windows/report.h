/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the reports of windows share: counted events (counting.h) as columns, heads of the tables of
 * latency, curves over the working set as pictures.
 */
#ifndef TPROF_EXPERIMENTS_WINDOWS_REPORT_H
#define TPROF_EXPERIMENTS_WINDOWS_REPORT_H

#include "record/roof.h"
#include "doc/text.h"
#include "report/page.h"
#include "report/reporter.h"

/* --- counted events --- */

enum { TP_COUNTED_COLUMNS = 16, TP_COUNTED_NAME = 256 };

/* Zero-initialise. */
struct tp_counted {
	char names[TP_COUNTED_COLUMNS][TP_COUNTED_NAME];
	size_t n;
};

/* Adds the events of a point's text that are still missing. */
void tp_counted_add(struct tp_counted *counted, const char *counts);

/*
 * A column for each, empty where a row has no such event; they stay in a table that is too wide for
 * most. `counts_of` finds the text of a row.
 */
void tp_counted_columns(const struct tp_counted *counted, const void *(*counts_of)(const void *row),
			struct tp_grid_column *columns);

/* --- tables of latency, idle and under load --- */

/* "Latency, DRAM, 2 threads, run 2 of the preset" as a title; `level` may be "". */
void tp_page_latency_title(struct tp_page *page, const char *name, const char *level,
			   unsigned threads, unsigned run);

/* --- pictures of curves over the working set --- */

/* As tp_picture_curves and tp_picture_has_curves. */
bool tp_window_curves(struct tp_picture *picture, const struct tp_run *run,
		      const struct tp_group *group, size_t from);
bool tp_window_has_curves(const struct tp_run *run, const struct tp_group *group, size_t from);

/* The plateaus of these curves, as tp_reporter's. With several curves, names would cover them. */
void tp_window_plateaus(struct tp_picture *picture, const struct tp_run *run,
			const struct tp_group *group, size_t from);

/*
 * The curve of a kind (experiment, precision, threads, ISA, kernel, pages) in all runs that have
 * it: like the given point's.
 */
bool tp_overlay_curve(struct tp_picture *picture, const struct tp_overlay *overlay,
		      const struct tp_point *like);

/* Every curve that one of the runs has, each once; as tp_reporter's overlays. */
void tp_window_overlays(const struct tp_reporter *reporter, const struct tp_overlay *overlay,
			const struct tp_gallery *gallery);

/*
 * The plateaus of the curve that a point belongs to, each as a level line with its name, and their
 * measured capacities as marks.
 */
void tp_picture_plateaus(struct tp_picture *picture, const struct tp_run *run,
			 const struct tp_point *like);

/* --- tables of plateaus --- */

/* As in tp_grouped. */
struct tp_group tp_plateau_group(const struct tp_run *run, size_t i);
/* The table of a group, whose columns `grid` has. */
void tp_page_plateaus(struct tp_page *page, const struct tp_grouped *table,
		      const struct tp_group *group, struct tp_grid *grid);

double tp_plateau_half_width(const void *plateau);
void tp_plateau_edge_cell(struct tp_grid *grid, const void *plateau, const void *page);

#define TP_PLATEAU(name)      TP_SHOWS(struct tp_plateau, name)
#define TP_PLATEAU_SIZE(name) TP_PLATEAU(name##_bytes), .as = TP_AS_SIZE, .positive = true
#define TP_PLATEAU_INTERVAL                                                                        \
	"\u00b1%", TP_RIGHT, 2, .value = tp_plateau_half_width, .as = TP_AS_FIXED, .digits = 1
/* The last columns of such a table. */
#define TP_PLATEAU_SIZES                                                                           \
	{ "from", TP_RIGHT, 0, TP_PLATEAU_SIZE(from) },                                            \
		{ "to", TP_RIGHT, 0, TP_PLATEAU_SIZE(to) },                                        \
		{ "edge", TP_RIGHT, 0, .cell = tp_plateau_edge_cell },                             \
		{ "reported", TP_RIGHT, 1, TP_PLATEAU_SIZE(reported) },                            \
	{                                                                                          \
		"points", TP_RIGHT, 3, TP_PLATEAU(points)                                          \
	}

/* "1.1M", "2M-33M" of an edge that moves, "-" of the last plateau. */
const char *tp_plateau_edge(char *out, size_t size, const struct tp_plateau *plateau);

#endif
