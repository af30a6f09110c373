/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which nodes and which points the heat map of a merged run shows. Private to this room. */
#ifndef TPROF_CLUSTER_HEAT_PARTS_H
#define TPROF_CLUSTER_HEAT_PARTS_H

#include "cluster/report.h"
#include "record/roof.h"

enum { TP_HEAT_ROWS = 20, TP_HEAT_COLUMNS = 16 };

/* Nodes that follow each other by speed. */
struct tp_heat_row {
	size_t from, n; /* in the list by speed */
};

struct tp_heat_column {
	unsigned point; /* the first one */
	const struct tp_plateau *plateau; /* of all points of it; NULL: of that point */
};

struct tp_node_heat {
	const struct tp_run *run;
	const struct tp_node_row **list; /* by speed, slowest first */
	size_t n_list;
	struct tp_heat_row rows[TP_HEAT_ROWS]; /* slowest first */
	size_t n_rows;
	struct tp_heat_column columns[TP_HEAT_COLUMNS];
	size_t n_columns, most; /* there are, have room */
	const struct tp_roof *roof; /* one of the roofs that are the columns; NULL: no roofs */
	int *column_of; /* of each point; -1 = none */
};

/* Fills rows and columns for a picture of so many cells; run, list and column_of are there. */
void tp_heat_choose(struct tp_node_heat *heat, size_t cells);
/* What stands at the axes, in the picture's arena. */
const char *tp_heat_row_name(struct tp_picture *picture, const struct tp_node_heat *heat,
			     size_t row);
const char *tp_heat_column_name(struct tp_picture *picture, const struct tp_node_heat *heat,
				size_t column);

#endif
