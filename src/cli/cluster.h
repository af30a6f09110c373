/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --cluster: the same preset on many nodes. Private to this room. */
#ifndef TPROF_CLI_CLUSTER_H
#define TPROF_CLI_CLUSTER_H

#include "cli/cli.h"
#include "cluster/launcher.h"

/* Whatever --cluster says: submits, or looks after an earlier one. */
int tp_cli_cluster(const struct tp_cli *cli);
/* True if --resume names a cluster run; `directory` is that run then. */
bool tp_cli_is_cluster(const char *typed, char directory[TP_PATH_MAX]);
/* Submits what is missing of one. */
int tp_cli_cluster_resume(const struct tp_cli *cli, const char *directory);

/*
 * Waits for the nodes and tells what becomes of them, until all have ended or somebody interrupts
 * it, which leaves them alone. Returns the exit code.
 */
int tp_cluster_watch(const struct tp_cli *cli, struct tp_cluster *cluster);
/* A line for each node, and their sum. */
void tp_cluster_table(const struct tp_cluster *cluster, const struct tp_look *look,
		      struct tp_str *out);
/* The exit code of what the nodes have. */
int tp_cluster_exit(const struct tp_cluster *cluster);

#endif
