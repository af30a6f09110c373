/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of Slurm share. Private to this room. */
#ifndef TPROF_CLUSTER_SLURM_PARTS_H
#define TPROF_CLUSTER_SLURM_PARTS_H

#include "cluster/jobs.h"

/*
 * Runs a command of Slurm: `words` up to NULL. *out gets what it printed. TP_FAILED with its last
 * line where it failed, or where it did not answer in time.
 */
enum tp_status tp_slurm_run(const struct tp_cluster *cluster, const char *const *words,
			    struct tp_str *out, struct tp_diag *diag);
/* A name of a partition that may become a word of a command. */
bool tp_slurm_partition_is_good(const char *name);

/* --- nodes and limits (slurm_nodes.c) --- */
enum tp_status tp_slurm_nodes(struct tp_cluster *cluster, const struct tp_cluster_wish *wish,
			      struct tp_diag *diag);
/*
 * Minutes of "30", "30:00", "2:00:00", "1-12" or "1-12:30:00", as sbatch and sinfo write them;
 * INFINITY of "infinite" and "UNLIMITED". False: it is neither.
 */
bool tp_slurm_minutes(const char *text, double *minutes);
/* The longest job that the partition takes, cluster->where or the default one; INFINITY = no limit
 * is known.
 */
double tp_slurm_partition_minutes(const struct tp_cluster *cluster);

/* --- states (slurm_states.c) --- */
enum tp_status tp_slurm_ask(const struct tp_cluster *cluster, struct tp_batch_job *job,
			    struct tp_diag *diag);

#endif
