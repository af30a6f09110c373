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

/* Heat map node x point (heat.c). False when out of memory. */
bool tp_node_pictures(const struct tp_run *run, const struct tp_gallery *gallery);

#endif
