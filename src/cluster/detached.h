/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes that go on when tprof ends, one for each node: --cluster local, and what ssh starts. */
#ifndef TPROF_CLUSTER_DETACHED_H
#define TPROF_CLUSTER_DETACHED_H

#include "base/command.h"
#include "cluster/launcher.h"

enum { TP_NODE_SAID_BYTES = 64 << 10 };

/*
 * A process that runs one command for a node in its own session. Its standard error goes to
 * nodes/NAME.txt (the beginning and the end are kept, 64 KiB), the way it ended to nodes/NAME.end.
 */
struct tp_detached {
	char *const *words; /* up to NULL */
	const char *input; /* path of a file; NULL = empty */
	/* Path of a file that standard output is appended to, up to the size of a journal; NULL =
	 * nowhere. */
	const char *output;
	/*
	 * Runs in that process when the command has ended, before that is visible. go_on is false
	 * when the node is cancelled. Errors go to *diag. NULL = nothing.
	 */
	void (*after)(const struct tp_cluster *cluster, struct tp_cluster_node *node,
		      struct tp_process_end end, bool (*go_on)(void *context),
		      struct tp_diag *diag);
};
/* Starts it and sets the node running, with "PROCESS@START" as its job. */
enum tp_status tp_detached_start(const struct tp_cluster *cluster, struct tp_cluster_node *node,
				 const struct tp_detached *detached, struct tp_diag *diag);
/* Starts what lacks points and does not run, node by node. */
enum tp_status tp_detached_start_all(struct tp_cluster *cluster, const struct tp_launcher *launcher,
				     const struct tp_cluster_wish *wish, struct tp_diag *diag);
/* Ends the nodes whose processes have ended. */
enum tp_status tp_detached_ask_all(struct tp_cluster *cluster, const struct tp_launcher *launcher,
				   struct tp_diag *diag);
/*
 * True while the process that was started for this node in this directory lives. Other processes do
 * not count, even if cluster.json has their number and start.
 */
bool tp_detached_lives(const struct tp_cluster *cluster, const struct tp_cluster_node *node);
/* Its process has ended, see tp_node_end; a node that was cancelled gets that reason. */
void tp_detached_end(const struct tp_cluster *cluster, struct tp_cluster_node *node,
		     const char *why);
/* Asks it to end; it passes that on, and is patient for 20 s. */
void tp_detached_cancel(const struct tp_cluster *cluster, const struct tp_cluster_node *node);
/* The same of all nodes, and their states when they have ended. */
enum tp_status tp_detached_cancel_all(struct tp_cluster *cluster, struct tp_diag *diag);
/*
 * How the node's command ended, "exit 3" as number and whether that was a signal; false while there
 * is no such file.
 */
bool tp_node_exit(const struct tp_cluster *cluster, const struct tp_cluster_node *node, int *number,
		  bool *signal);
/* The last line of tprof's messages there; "" = none. Returns out. */
const char *tp_node_said(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
			 char *out, size_t size);
/* Why it ended, from both. */
const char *tp_node_ended_words(const struct tp_cluster *cluster,
				const struct tp_cluster_node *node, char *out, size_t size);
/* Removes the remains of an earlier try beside the node's folder. */
void tp_node_forget_end(const struct tp_cluster *cluster, const struct tp_cluster_node *node);

/* The path of this program, followed by the tests' emulator, see base/self.h. */
enum tp_status tp_cluster_self(char out[TP_PATH_MAX], struct tp_diag *diag);

#endif
