/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What schedulers have in common: a job whose script has a step for each node, and the states of
 * nodes that follow from its state. Private to this room.
 */
#ifndef TPROF_CLUSTER_JOBS_H
#define TPROF_CLUSTER_JOBS_H

#include "cluster/parts.h"

/* A node of which points are missing. */
bool tp_node_is_missing(const struct tp_cluster_node *node);

/*
 * The script of a job for the missing nodes. `on` is the body of a shell function that runs its
 * words "$@" as a step called "$name" on "$host". $1 of the script is the folder of the cluster
 * run, $2 is tprof. With cluster->shared it runs on a node, and nodes write into the folder; else
 * it runs here, and events come back through the standard output of the steps. No text of anybody
 * stands in it but names of nodes, which are checked.
 */
enum tp_status tp_steps_script(const struct tp_cluster *cluster, const char *on, bool allow_code,
			       struct tp_str *out, struct tp_diag *diag);
/* Before it is submitted: removes what an earlier try of a missing node may have left half done. */
enum tp_status tp_steps_prepare(const struct tp_cluster *cluster, struct tp_diag *diag);

enum tp_job_phase { TP_JOB_WAITS, TP_JOB_RUNS, TP_JOB_ENDED };

struct tp_batch_job {
	enum tp_job_phase phase;
	char why[160]; /* what it waits for, or cut it short; "" = nothing is known */
	bool cancelled; /* it has ended so */
	int code; /* exit status of its script; 0 = unknown, too */
};
/* Sets the states of nodes that have not ended. */
void tp_job_set_nodes(struct tp_cluster *cluster, const struct tp_batch_job *job);

#endif
