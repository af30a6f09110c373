/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The runs of many nodes as one: for each point the median over the nodes of a group, their spread,
 * and the nodes that differ. A group is nodes of the same hardware: CPU, caches, memory, cores;
 * unlike nodes are never mixed. Memory and time are linear in nodes x points.
 */
#ifndef TPROF_CLUSTER_MERGE_H
#define TPROF_CLUSTER_MERGE_H

#include "cluster/cluster.h"
#include "record/run.h"

/*
 * Merges what the nodes have so far into runs, one a group, the largest group first: their points
 * are medians over nodes with the spread as interval; tables `nodes` (name, group, state, points,
 * ratio to the group, z, p, outlier) and `node_values` (node, point, value, ratio, z). Nodes that
 * differ are named at a false discovery rate of 1 % over all nodes and points
 * (analysis/outliers.h). Remarks: other versions of tprof, clocks that differ, nodes without
 * points, half-written files. *runs is a heap array of *n runs that the caller releases and frees.
 */
enum tp_status tp_cluster_merge(const struct tp_cluster *cluster, struct tp_run **runs, size_t *n,
				struct tp_diags *remarks, struct tp_diag *diag);

/* The directory of group i, from 0: "merged", "merged-2"... Returns out. */
const char *tp_cluster_merged_path(const struct tp_cluster *cluster, size_t i,
				   char out[TP_PATH_MAX]);

/* Merges and writes merged/, merged-2/, ... TP_CANCELLED: cluster->go_on returned false. */
enum tp_status tp_cluster_write_merged(const struct tp_cluster *cluster, struct tp_diags *remarks,
				       struct tp_diag *diag);

#endif
