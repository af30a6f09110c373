/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was counted beside the time (counting.h), as columns of a table. */
#ifndef TPROF_EXPERIMENTS_WINDOWS_COUNTED_H
#define TPROF_EXPERIMENTS_WINDOWS_COUNTED_H

#include "report/text.h"

enum { TP_COUNTED_COLUMNS = 16, TP_COUNTED_NAME = 64 };

/* Zero-initialise. */
struct tp_counted {
	char names[TP_COUNTED_COLUMNS][TP_COUNTED_NAME];
	size_t n;
};

/* Adds the events of a point's text, those that are not there yet. */
void tp_counted_add(struct tp_counted *counted, const char *counts);
/* A column for each; they stay in a table that is too wide for most. */
void tp_counted_columns(const struct tp_counted *counted, struct tp_grid_column *columns);
/* A cell for each, empty where the point has no such event. */
void tp_counted_cells(const struct tp_counted *counted, const char *counts, struct tp_grid *grid);

#endif
