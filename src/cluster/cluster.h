/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The same preset on many nodes. A cluster run is a directory among the user's runs:
 *
 *   cluster.json    this header as JSON: launcher, job, nodes and their states; written whole,
 * renamed preset.yaml     what every node measures job.sh          what was submitted (slurm)
 *   nodes/NAME/     the run directory of a node: journal.ndjson, run.json, points.csv
 *   nodes/NAME.txt  messages of tprof there (standard error, bounded)
 *   merged/         the run directory of what the nodes have in common; merged-2 and so on for
 *                   nodes of other hardware
 *
 * What the files of a stored one start, reach or end needs the user's consent: tp_cluster_may().
 */
#ifndef TPROF_CLUSTER_CLUSTER_H
#define TPROF_CLUSTER_CLUSTER_H

#include "base/str.h"
#include "cluster/nodes.h"
#include "table/table.h"

/* TP_CLUSTER_NODES_MAX nodes with the longest texts. */
enum { TP_CLUSTER_MAX_BYTES = 32 << 20 };

/*
 * Files name what an action starts, reaches or ends, and they may be foreign. So it needs the
 * user's consent, unless this process has begun the cluster run.
 */
enum tp_cluster_act { TP_ACT_RESUME, TP_ACT_COLLECT, TP_ACT_CANCEL, TP_ACT_COUNT };

/* The fields of cluster.json; those that act have a bit 1 << act in `acts`. */
extern const struct tp_table tp_cluster_table, tp_cluster_node_table;

/* The name of a run directory without its date. */
const char *tp_cluster_short_name(const char *directory);
/*
 * A cluster run by name, "last" or path. TP_NOTFOUND names the nearest; damaged files are reported.
 */
enum tp_status tp_cluster_find(const char *typed, char out[TP_PATH_MAX], struct tp_diag *diag);
enum tp_status tp_cluster_load(struct tp_cluster *cluster, const char *directory,
			       struct tp_diag *diag);
enum tp_status tp_cluster_parse(struct tp_cluster *cluster, const char *name, const char *text,
				size_t len, struct tp_diag *diag);
void tp_cluster_text(const struct tp_cluster *cluster, struct tp_str *out);
enum tp_status tp_cluster_save(struct tp_cluster *cluster, struct tp_diag *diag);
/* Reads it again if another tprof has written it. *anew (may be NULL): it has. */
enum tp_status tp_cluster_reload(struct tp_cluster *cluster, bool *anew, struct tp_diag *diag);
/*
 * Cluster runs of the user, sorted by name, which is by date: heap array that the caller frees.
 */
enum tp_status tp_cluster_list(char (**names)[TP_CLUSTER_NAME_BYTES], size_t *n,
			       struct tp_diag *diag);
/*
 * What changes a cluster run, one tprof at a time: a lock on its directory, closed with close().
 * TP_RESOURCE while another one has it for longer than a moment.
 */
enum tp_status tp_cluster_lock(const char *directory, int *fd, struct tp_diag *diag);

#endif
