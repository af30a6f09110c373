/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a merged run says of its nodes. Private to this room. */
#ifndef TPROF_CLUSTER_REPORT_H
#define TPROF_CLUSTER_REPORT_H

#include "cluster/tables.h"
#include "report/reporter.h"

/* "DRAM 2ld1st", "load 30K", "point 12": what people call the point. Returns out. */
enum { TP_NODE_POINT_BYTES = 64 };
const char *tp_node_point_name(const struct tp_run *run, unsigned point,
			       char out[TP_NODE_POINT_BYTES]);

/* Nodes of the run's own group, slowest first; a heap array of *n that the caller frees. */
const struct tp_node_row **tp_nodes_by_speed(const struct tp_run *run, size_t *n);

/* Names that a sentence lists. */
enum { TP_NODES_NAMED_MAX = 8 };
/* Nodes that scatter so much are not called equally fast. */
#define TP_NODES_WIDE_PERCENT 3.0

/* Nodes of such a list that are that outlier; TP_OUTLIER_NONE: that are like the others. */
size_t tp_nodes_count(const struct tp_node_row *const *list, size_t n, unsigned outlier);
/* How far those like the others lie from the median at most: percent, never told as 0. */
double tp_nodes_farthest(const struct tp_node_row *const *list, size_t n);
/* Adds whether all nodes are equally fast, in sentences; names are not cleaned. */
void tp_nodes_answer(const struct tp_run *run, const struct tp_node_row *const *list, size_t n,
		     struct tp_str *text);
/* It may still get points. */
bool tp_node_goes_on(const struct tp_node_row *row);
/* Points of it are missing. Nodes of other hardware may have a plan of their own. */
bool tp_node_is_short(const struct tp_run *run, const struct tp_node_row *row);
/* The nodes of merged runs that are compared, the first with each other one (compare.c). */
void tp_nodes_compare(const struct tp_run *const *runs, size_t n, const struct tp_look *look,
		      struct tp_str *out);
void tp_nodes_conclude(const struct tp_run *run, struct tp_conclusion *conclusion);

/* Heat map node x point (heat.c). False when out of memory. */
bool tp_node_pictures(const struct tp_run *run, const struct tp_gallery *gallery);

#endif
