/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables that only a merged run has: its nodes, and their values. */
#ifndef TPROF_CLUSTER_TABLES_H
#define TPROF_CLUSTER_TABLES_H

#include "cluster/nodes.h"
#include "doc/grid.h"
#include "record/run.h"
#include "table/table.h"

extern const struct tp_word_set tp_node_state_set;
const char *tp_node_state_name(enum tp_node_state state);
enum tp_paint tp_node_state_paint(enum tp_node_state state);
const char *tp_node_outlier_name(unsigned outlier); /* "slow", "fast" or "" */

/* A node of the cluster. Those of the run's own group have a speed. */
struct tp_node_row {
	char node[TP_NODE_NAME_BYTES];
	unsigned group; /* from 1; 0: it has no point, so its hardware is unknown */
	unsigned state; /* enum tp_node_state */
	unsigned points; /* that it has measured */
	double speed; /* mean over its points (outliers.h), 1 = median of the group; NaN = unknown
		       */
	double spread; /* of the speeds of its points, relative */
	double z, p;
	unsigned outlier; /* enum tp_outlier */
	double clock; /* of its cores over the median of the group's; 0 = unknown */
	char why[256]; /* a remark on it */
};

/* A value of a node. */
struct tp_node_value {
	char node[TP_NODE_NAME_BYTES];
	unsigned point;
	double value; /* in the unit of the point */
	double speed; /* 1 = median of the group */
	double z;
	unsigned outlier;
};

/*
 * Limit on the values of a merged run; larger clusters keep those of nodes and points that differ,
 * and the directories of the nodes have the others.
 */
enum { TP_NODE_VALUES_MAX = 1 << 18 };

extern const struct tp_part tp_node_part, tp_node_value_part;
#define tp_run_nodes(run)	  TP_ROWS(run, tp_node_part, tp_node_row)
#define tp_run_n_nodes(run)	  TP_N(run, tp_node_part)
#define tp_run_node_values(run)	  TP_ROWS(run, tp_node_value_part, tp_node_value)
#define tp_run_n_node_values(run) TP_N(run, tp_node_value_part)

/* "DRAM 2ld1st", "load 30K", "point 12": a short name of the point. Returns out. */
enum { TP_NODE_POINT_BYTES = 64 };
const char *tp_node_point_name(const struct tp_run *run, unsigned point,
			       char out[TP_NODE_POINT_BYTES]);

/* Nodes of the run's own group, slowest first; a heap array of *n that the caller frees. */
const struct tp_node_row **tp_nodes_by_speed(const struct tp_run *run, size_t *n);
/* Compares two of them, for qsort() and bsearch(). */
int tp_nodes_by_name(const void *a, const void *b);
/* A table of n nodes; `rows`, which may be NULL, is what the merged run has of each. */
void tp_nodes_grid(const struct tp_cluster_node *nodes, const struct tp_node_row *rows, size_t n,
		   struct tp_grid *grid);

/* Facts of a merged run. */
#define TP_FACT_CLUSTER_NAME   "cluster.name"
#define TP_FACT_CLUSTER_GROUP  "cluster.group" /* number of this one, from 1 */
#define TP_FACT_CLUSTER_GROUPS "cluster.groups"
#define TP_FACT_CLUSTER_NODES  TP_MERGED_NODES /* in this group */
#define TP_FACT_CLUSTER_ALL    "cluster.all_nodes"
#define TP_FACT_CLUSTER_UPPER  "cluster.faster_nodes" /* of two groups of speeds; see outliers.h */
#define TP_FACT_CLUSTER_GAP    "cluster.faster_by"
#define TP_FACT_CLUSTER_APART  "cluster.faster_have" /* "another kernel: A, not B"; or absent */
/* The smallest slowdown that would be named, relative; absent if none can be. */
#define TP_FACT_CLUSTER_SMALLEST "cluster.smallest_difference"

#endif
