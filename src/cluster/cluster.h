/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The same preset on many nodes. A cluster run is a directory among the user's runs:
 *
 *   cluster.json    this header as JSON: launcher, job, nodes and their states; written whole,
 * renamed preset.yaml     what every node measures job.sh          what was submitted (slurm)
 *   nodes/NAME/     the run directory of a node: journal.ndjson, run.json, points.csv
 *   nodes/NAME.txt  what tprof said there (standard error, bounded)
 *   merged/         the run directory of what the nodes have in common; merged-2 and so on for
 *                   nodes of other hardware
 *
 * Names of nodes come from schedulers and files of strangers: they are held to tp_node_name_is_good
 * before they become a path or a word of a command. No shell ever sees them.
 */
#ifndef TPROF_CLUSTER_CLUSTER_H
#define TPROF_CLUSTER_CLUSTER_H

#include "base/file.h"
#include "base/named.h"
#include "base/status.h"

enum { TP_CLUSTER_NODES_MAX = 16384, TP_NODE_NAME_BYTES = 72, TP_CLUSTER_JOB_BYTES = 48 };

enum tp_node_state {
	TP_NODE_WAITING, /* not submitted yet, or pending */
	TP_NODE_RUNNING,
	TP_NODE_DONE, /* every point is there */
	TP_NODE_PARTIAL, /* ended before: time limit, preempted, killed; its points stay */
	TP_NODE_FAILED, /* no point is there; `why` */
	TP_NODE_UNREACHABLE,
	TP_NODE_CANCELLED,
	TP_NODE_STATE_COUNT
};
const char *tp_node_state_name(enum tp_node_state state);

struct tp_cluster_node {
	char name[TP_NODE_NAME_BYTES]; /* of the host; "node-3" of --cluster local; with ".1" behind
					  it for a socket or NUMA node */
	enum tp_node_state state;
	char job[TP_CLUSTER_JOB_BYTES]; /* id of its job or step, or process id; "" = none */
	unsigned n_done, n_points; /* points in its journal, planned there; 0 = unknown */
	char why[256]; /* of a failure, in words */
	char changed[32]; /* UTC */
};

struct tp_cluster {
	char directory[TP_PATH_MAX];
	char name[TP_NAME_MAX]; /* what commands call it: "last", or the directory's name */
	char launcher[16]; /* "slurm", "ssh", "local" */
	char where[256]; /* partition, host file, ...: as it was given */
	char job[TP_CLUSTER_JOB_BYTES]; /* of all nodes, where the launcher has one */
	char program[TP_PATH_MAX]; /* tprof as the nodes call it */
	bool shared; /* nodes write into the directory themselves */
	char started[32];
	struct tp_cluster_node *nodes; /* sorted by name */
	size_t n_nodes;
};

bool tp_node_name_is_good(const char *name); /* letters, digits, "-", "_", "."; no "." first */

/* Zero-initialise; release. */
void tp_cluster_release(struct tp_cluster *cluster);
/* A cluster run by name, "last" or path. TP_NOTFOUND names the nearest; damaged files: words. */
enum tp_status tp_cluster_find(const char *typed, char out[TP_PATH_MAX], struct tp_diag *diag);
enum tp_status tp_cluster_load(struct tp_cluster *cluster, const char *directory,
			       struct tp_diag *diag);
enum tp_status tp_cluster_parse(struct tp_cluster *cluster, const char *name, const char *text,
				size_t len, struct tp_diag *diag);
enum tp_status tp_cluster_save(const struct tp_cluster *cluster, struct tp_diag *diag);
/*
 * Looks into the directories of the nodes: how many points they have and how they ended. Reads only
 * what grew since the last look.
 */
enum tp_status tp_cluster_look(struct tp_cluster *cluster, struct tp_diag *diag);

#endif
