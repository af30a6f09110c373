/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "cluster/tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/outliers.h"
#include "base/memory.h"
#include "record/point.h"
#include "record/schema.h"
#include "doc/text.h"

enum { BOTH = TP_IN_CSV | TP_IN_JSON };

static const char *const state_names[TP_NODE_STATE_COUNT] = { "waiting",  "running", "done",
							      "partial",  "failed",  "unreachable",
							      "cancelled" };
const struct tp_word_set tp_node_state_set = { state_names, TP_NODE_STATE_COUNT };

const char *tp_node_state_name(enum tp_node_state state)
{
	return state < TP_NODE_STATE_COUNT ? state_names[state] : "unknown";
}

enum tp_paint tp_node_state_paint(enum tp_node_state state)
{
	static const enum tp_paint paints[TP_NODE_STATE_COUNT] = {
		[TP_NODE_WAITING] = TP_PAINT_DIM,     [TP_NODE_RUNNING] = TP_PAINT_PLAIN,
		[TP_NODE_DONE] = TP_PAINT_GOOD,	      [TP_NODE_PARTIAL] = TP_PAINT_WARN,
		[TP_NODE_CANCELLED] = TP_PAINT_WARN,  [TP_NODE_FAILED] = TP_PAINT_BAD,
		[TP_NODE_UNREACHABLE] = TP_PAINT_BAD,
	};
	return paints[state];
}

static const char *const outlier_names[TP_OUTLIER_COUNT] = {
	[TP_OUTLIER_NONE] = "",
	[TP_OUTLIER_SLOW] = "slow",
	[TP_OUTLIER_FAST] = "fast",
};
static const struct tp_word_set outlier_set = { outlier_names, TP_COUNT_OF(outlier_names) };

const char *tp_node_outlier_name(unsigned outlier)
{
	return outlier < TP_OUTLIER_COUNT ? outlier_names[outlier] : "";
}

static void blank_node(void *row)
{
	struct tp_node_row *node = row;

	node->speed = node->spread = node->z = node->p = NAN;
}

static void blank_value(void *row)
{
	struct tp_node_value *value = row;

	value->value = value->speed = value->z = NAN;
}

/* clang-format off */
#define N(member, name, type, rule, role, ...) \
	TP_COLUMN(struct tp_node_row, member, name, type, rule, TP_ROLE_##role, BOTH, __VA_ARGS__)
static const struct tp_column node_columns[] = {
	N(node,    "node",        TEXT,     ALWAYS,  IDENTITY,
	  .help = "Name of the node; of several on one host, followed by a number."),
	N(group,   "group",       UNSIGNED, NONZERO, NOTE, .most = TP_CLUSTER_NODES_MAX,
	  .help = "Nodes of the same hardware, from 1, the largest group first. Each group is a "
		  "separate run. Empty for a node without a point."),
	N(state,   "node_state",  WORD,     ALWAYS,  NOTE, .words = &tp_node_state_set,
	  .help = "waiting, running, done, partial, failed, unreachable or cancelled."),
	N(points,  "node_points", UNSIGNED, ALWAYS,  NOTE, .most = TP_RUN_POINTS_MAX,
	  .help = "Points that it has finished."),
	N(speed,   "speed",       REAL,     ALWAYS,  METRIC,
	  .help = "Mean over its points of the speed against the median of the group: 0.9 is a "
		  "node that is a tenth slower. Of a time, the inverse counts. Single points that "
		  "are far off count little."),
	N(spread,  "node_spread", REAL,     ALWAYS,  NOTE,
	  .help = "How much the speeds of its points differ: a relative standard deviation."),
	N(z,       "z",           REAL,     ALWAYS,  NOTE),
	N(p,       "p",           REAL,     ALWAYS,  NOTE,
	  .help = "How many standard deviations the speed lies from the median of the nodes, and "
		  "how "
		  "likely that is of a node like the others."),
	N(outlier, "outlier",     WORD,     ALWAYS,  NOTE, .words = &outlier_set,
	  .help = "slow or fast: the node differs from the others by more than chance, with 1 % of "
		  "false ones among all that are named, and by more than 2 %."),
	N(clock,   "clock",       REAL,     NONZERO, NOTE,
	  .help = "Median over its points of the frequency of its cores relative to the group's."),
	N(why,     "why",         TEXT,     ALWAYS,  NOTE,
	  .help = "Why it has no points, or another remark."),
};

#define V(member, name, type, rule, role, ...) \
	TP_COLUMN(struct tp_node_value, member, name, type, rule, TP_ROLE_##role, BOTH, __VA_ARGS__)
static const struct tp_column value_columns[] = {
	V(node,    "node",    TEXT,     ALWAYS, IDENTITY),
	V(point,   "point",   UNSIGNED, ALWAYS, IDENTITY, .most = TP_RUN_POINTS_MAX - 1,
	  .help = "The node, and the number of the point."),
	V(value,   "value",   REAL,     ALWAYS, METRIC,
	  .help = "What the node has measured, in the unit of the point."),
	V(speed,   "speed",   REAL,     ALWAYS, METRIC,
	  .help = "Against the median of the nodes; of a time, the inverse."),
	V(z,       "z",       REAL,     ALWAYS, NOTE,
	  .help = "The difference in standard deviations over the nodes."),
	V(outlier, "outlier", WORD,     ALWAYS, NOTE, .words = &outlier_set,
	  .help = "slow or fast: the value differs by more than chance, with 1 % of false ones "
		  "among "
		  "all that are named, and by more than 3 %."),
};
/* clang-format on */

static const struct tp_table node_table = {
	.name = "nodes",
	.columns = node_columns,
	.n = TP_COUNT_OF(node_columns),
	.row_bytes = sizeof(struct tp_node_row),
	.blank = blank_node,
};
static const struct tp_table value_table = {
	.name = "node_values",
	.columns = value_columns,
	.n = TP_COUNT_OF(value_columns),
	.row_bytes = sizeof(struct tp_node_value),
	.blank = blank_value,
};
_Static_assert(sizeof(struct tp_node_row) <= TP_ROW_BYTES_MAX, "readers have room for a row");

static enum tp_status add_value(struct tp_run *run, const void *row)
{
	if (tp_run_n_node_values(run) >= TP_NODE_VALUES_MAX)
		return TP_RESOURCE;
	struct tp_node_value *value = tp_run_add_row(run, &tp_node_value_part);

	*value = *(const struct tp_node_value *)row;
	return TP_OK;
}

static enum tp_status add_node(struct tp_run *run, const void *row)
{
	if (tp_run_n_nodes(run) >= TP_CLUSTER_NODES_MAX)
		return TP_RESOURCE;
	struct tp_node_row *node = tp_run_add_row(run, &tp_node_part);

	*node = *(const struct tp_node_row *)row;
	return TP_OK;
}

const struct tp_part tp_node_part = {
	.table = &node_table, .place = 50, .csv_file = "nodes.csv", .add = add_node
};
const struct tp_part tp_node_value_part = { .table = &value_table,
					    .place = 51,
					    .late = true,
					    .csv_file = "node_values.csv",
					    .add = add_value };

static const struct tp_part *const parts[] = { &tp_node_part, &tp_node_value_part };

/* No experiment measures nodes: a merged run has these tables in addition to its experiments'. */
const struct tp_schema_row tp_schema_cluster = {
	.points = { .experiment = "cluster" },
	.parts = parts,
	.n_parts = TP_COUNT_OF(parts),
};

const char *tp_node_point_name(const struct tp_run *run, unsigned point,
			       char out[TP_NODE_POINT_BYTES])
{
	const struct tp_point *p = tp_run_point(run, point);
	const struct tp_kernel_row *k = p ? tp_kernel_row(p) : NULL;
	char size[32];

	if (!p || !*p->kernel)
		snprintf(out, TP_NODE_POINT_BYTES, "point %u", point);
	else if (*k->level)
		snprintf(out, TP_NODE_POINT_BYTES, "%.7s %.24s", k->level, p->kernel);
	else if (k->working_set_bytes)
		snprintf(out, TP_NODE_POINT_BYTES, "%.24s %s", p->kernel,
			 tp_text_size(size, sizeof(size), k->working_set_bytes));
	else
		snprintf(out, TP_NODE_POINT_BYTES, "%.24s %u", p->kernel, point);
	return out;
}

static int by_speed(const void *a, const void *b)
{
	const struct tp_node_row *const *x = a, *const *y = b;

	if ((*x)->speed != (*y)->speed)
		return (*x)->speed < (*y)->speed ? -1 : 1;
	return strcmp((*x)->node, (*y)->node);
}

int tp_nodes_by_name(const void *a, const void *b)
{
	const struct tp_node_row *const *x = a, *const *y = b;

	return strcmp((*x)->node, (*y)->node);
}

const struct tp_node_row **tp_nodes_by_speed(const struct tp_run *run, size_t *n)
{
	const struct tp_node_row **list = tp_alloc(tp_run_n_nodes(run) + 1, sizeof(*list));

	*n = 0;
	for (size_t i = 0; i < tp_run_n_nodes(run); i++)
		if (!isnan(tp_run_nodes(run)[i].speed))
			list[(*n)++] = &tp_run_nodes(run)[i];
	qsort(list, *n, sizeof(*list), by_speed);
	return list;
}

/* --- the nodes as a printed table --- */

struct shown_node {
	const struct tp_cluster_node *node;
	const struct tp_node_row *row; /* NULL: not merged */
	const char *why, *odd;
	double share; /* of its points */
	char points[32];
};

static enum tp_paint paint_of_state(const void *shown)
{
	return tp_node_state_paint(((const struct shown_node *)shown)->node->state);
}

static enum tp_paint paint_of_speed(const void *shown)
{
	const struct tp_node_row *row = ((const struct shown_node *)shown)->row;
	return !row || !row->outlier		 ? TP_PAINT_PLAIN
	       : row->outlier == TP_OUTLIER_SLOW ? TP_PAINT_BAD
						 : TP_PAINT_WARN;
}

static void state_cell(struct tp_grid *grid, const void *of, const void *context)
{
	const struct shown_node *shown = of;
	(void)context;
	tp_grid_text(grid, paint_of_state(shown), tp_node_state_name(shown->node->state));
}

enum { BAR_CELLS = 8 };

#define SHOWN(name) TP_SHOWS(struct shown_node, name)
#define NODE(name)  TP_SHOWS(struct tp_cluster_node, name), TP_VIA(struct shown_node, node)
#define MERGED(name)                                                                               \
	TP_SHOWS(struct tp_node_row, name), TP_VIA(struct shown_node, row),                        \
		.none = "", .as = TP_AS_FIXED, .paint_of = paint_of_speed
static const struct tp_grid_column shown_columns[] = {
	{ "node", TP_LEFT, 0, NODE(name), .least = 8 },
	{ "state", TP_LEFT, 0, .cell = state_cell },
	{ "", TP_LEFT, 4, SHOWN(share), .as = TP_AS_BAR, .digits = BAR_CELLS,
	  .paint_of = paint_of_state },
	{ "points", TP_RIGHT, 0, SHOWN(points) },
	{ "speed", TP_RIGHT, 1, MERGED(speed), .digits = 3 },
	{ "z", TP_RIGHT, 3, MERGED(z), .digits = 1 },
	{ "", TP_LEFT, 1, SHOWN(odd), .paint_of = paint_of_speed },
	{ "job", TP_LEFT, 2, NODE(job), .none = "-", .paint = TP_PAINT_DIM },
	{ "why", TP_LEFT, 0, SHOWN(why), .paint = TP_PAINT_DIM },
};

void tp_nodes_grid(const struct tp_cluster_node *nodes, const struct tp_node_row *rows, size_t n,
		   struct tp_grid *grid)
{
	tp_grid_init(grid, shown_columns, TP_COUNT_OF(shown_columns));
	tp_grid_heads(grid);
	for (size_t i = 0; i < n; i++) {
		struct shown_node shown = { .node = &nodes[i], .row = rows ? &rows[i] : NULL };
		shown.why = *nodes[i].why || !rows ? nodes[i].why : rows[i].why;
		shown.odd = tp_node_outlier_name(rows ? rows[i].outlier : TP_OUTLIER_NONE);
		if (nodes[i].n_points) {
			shown.share = (double)nodes[i].n_done / nodes[i].n_points;
			snprintf(shown.points, sizeof(shown.points), "%u/%u", nodes[i].n_done,
				 nodes[i].n_points);
		}
		tp_grid_row(grid, &shown, NULL);
	}
}
