/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How the nodes of a cluster are reached: Slurm, OpenSSH, or processes of this machine. Each is a
 * row; another scheduler is one more. They start programs through
 * base/command.h with argument vectors, never a shell, and never wait without a limit.
 */
#ifndef TPROF_CLUSTER_LAUNCHER_H
#define TPROF_CLUSTER_LAUNCHER_H

#include "base/str.h"
#include "cluster/nodes.h"

/* The user's request. Borrowed. */
struct tp_cluster_wish {
	const char *launcher,
		*where; /* "ssh", "hosts.txt" for ssh:hosts.txt; "" = without a suffix */
	const char *nodes; /* --nodes: a number or a list; NULL */
	const char *partition; /* --partition; NULL */
	const char *time_limit; /* NULL: from the estimate of the plan, doubled */
	const char *program; /* tprof as the nodes call it; NULL = the launcher's default */
	bool not_shared; /* --no-shared: the nodes do not see the run directory */
	const char *per; /* --per: "node", "socket", "numa", or with ":4"; NULL = "node" */
	bool allow_code; /* --allow-code */
	double seconds; /* that the preset takes by its estimate */
	const char *preset_path; /* of the preset.yaml that the nodes read */
};

struct tp_launcher {
	const char *name, *summary;
	bool is_scheduler; /* there is one job at a time; others are busy asking it, too */
	/* TP_OK, or what is missing and how to get it. */
	enum tp_status (*supported)(struct tp_diag *diag);
	/* Fills cluster->nodes from the wish; names are checked. */
	enum tp_status (*nodes)(struct tp_cluster *cluster, const struct tp_cluster_wish *wish,
				struct tp_diag *diag);
	/* A remark for the user before submission; NULL = none. */
	void (*warn)(const struct tp_cluster *cluster, struct tp_diags *remarks);
	/* What would be submitted, for --dry-run: a script, or command lines. */
	enum tp_status (*describe)(const struct tp_cluster *cluster,
				   const struct tp_cluster_wish *wish, struct tp_str *out,
				   struct tp_diag *diag);
	/*
	 * For launchers with a process here for each node (detached.h), in place of submit, ask and
	 * cancel: what starts it, and the remark on the node when it has ended.
	 */
	enum tp_status (*start)(struct tp_cluster *cluster, struct tp_cluster_node *node,
				const struct tp_cluster_wish *wish, struct tp_diag *diag);
	void (*end)(const struct tp_cluster *cluster, struct tp_cluster_node *node);
	/* Submits the nodes whose points are missing; returns at once. */
	enum tp_status (*submit)(struct tp_cluster *cluster, const struct tp_cluster_wish *wish,
				 struct tp_diag *diag);
	/* Asks the scheduler for the states of nodes that have not ended. */
	enum tp_status (*ask)(struct tp_cluster *cluster, struct tp_diag *diag);
	/* Fetches what nodes without a shared file system have measured; NULL = nothing to fetch.
	 */
	void (*fetch)(struct tp_cluster *cluster);
	enum tp_status (*cancel)(struct tp_cluster *cluster, struct tp_diag *diag);
};

extern const struct tp_launcher tp_launcher_local, tp_launcher_ssh, tp_launcher_slurm;

#endif
