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
 * before they become a path or a word of a command. No shell ever sees them. What the files of a
 * stored one start, reach or end needs the word of the user: tp_cluster_may().
 */
#ifndef TPROF_CLUSTER_CLUSTER_H
#define TPROF_CLUSTER_CLUSTER_H

#include "base/file.h"
#include "base/named.h"
#include "base/status.h"
#include "base/str.h"
#include "base/tally.h"

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

enum {
	TP_CLUSTER_NODES_MAX = 16384,
	TP_NODE_NAME_BYTES = 72,
	TP_CLUSTER_JOB_BYTES = 48,
	TP_CLUSTER_NAME_BYTES = 256
};

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
	char target[192]; /* of ssh: user@host:port as it was given; "" = none */
	char job[TP_CLUSTER_JOB_BYTES]; /* id of its job or step, or process id; "" = none */
	unsigned n_done, n_points; /* points in its journal, planned there; 0 = unknown */
	char why[256]; /* of a failure, in words */
	char changed[32]; /* UTC */
	unsigned n_parts; /* sockets that the scheduler knows of; 0 = unknown. Not kept */
	struct tp_cluster_seen *seen; /* what tp_cluster_look has read; NULL = nothing yet */
};

struct tp_cluster {
	char directory[TP_PATH_MAX];
	char name[TP_CLUSTER_NAME_BYTES]; /* what commands call it: "last", or the directory's name
					   */
	char launcher[16]; /* "slurm", "ssh", "local" */
	char where[256]; /* partition, host file, ...: as it was given */
	char job[TP_CLUSTER_JOB_BYTES]; /* of all nodes, where the launcher has one */
	char program[TP_PATH_MAX]; /* tprof as the nodes call it */
	char host[256]; /* that submitted; processes of "local" and "ssh" run there */
	double seconds; /* that the preset takes by its estimate */
	char time_limit[32]; /* as it was given; "" = from the estimate */
	char per[8]; /* a node stands for such a part of a host: "socket", "numa"; "" = all of it */
	bool shared; /* nodes write into the directory themselves */
	char started[32];
	struct tp_cluster_node *nodes; /* sorted by name, once tp_cluster_sort was called */
	size_t n_nodes, cap_nodes;
	struct tp_tally added; /* names of nodes that are not sorted yet; private */

	/* What follows is this process's own. */
	/* Asked while commands of a scheduler run: false gives them up. NULL = nobody is asked. */
	bool (*go_on)(void *context);
	void *context;
	bool begun_here; /* so that the user knows what it does */
	uint64_t agreed; /* of tp_cluster_acts(): what the user has agreed to; 0 = nothing */
	struct tp_cluster_stamp {
		struct timespec written;
		off_t size;
	} stamp; /* of cluster.json when it was read or written here */
};

bool tp_node_name_is_good(const char *name); /* letters, digits, "-", "_", "."; a letter or digit
						first */
bool tp_node_has_ended(enum tp_node_state state);

/* Zero-initialise; release. */
void tp_cluster_release(struct tp_cluster *cluster);
/* The name of a run directory without its date. */
const char *tp_cluster_short_name(const char *directory);
/* A cluster run by name, "last" or path. TP_NOTFOUND names the nearest; damaged files: words. */
enum tp_status tp_cluster_find(const char *typed, char out[TP_PATH_MAX], struct tp_diag *diag);
enum tp_status tp_cluster_load(struct tp_cluster *cluster, const char *directory,
			       struct tp_diag *diag);
enum tp_status tp_cluster_parse(struct tp_cluster *cluster, const char *name, const char *text,
				size_t len, struct tp_diag *diag);
enum tp_status tp_cluster_text(const struct tp_cluster *cluster, struct tp_str *out,
			       struct tp_diag *diag);
/*
 * Writes a file of the cluster run whole, as tp_file_write does, and never through a link.
 */
enum tp_status tp_cluster_write(const char *path, const char *text, size_t len,
				struct tp_diag *diag);
enum tp_status tp_cluster_save(struct tp_cluster *cluster, struct tp_diag *diag);
/* Reads it again where another tprof has written it meanwhile. *anew (may be NULL): it was. */
enum tp_status tp_cluster_reload(struct tp_cluster *cluster, bool *anew, struct tp_diag *diag);
/*
 * Cluster runs of the user, sorted by name, which is by date: heap array that the caller frees.
 */
enum tp_status tp_cluster_list(char (**names)[TP_CLUSTER_NAME_BYTES], size_t *n,
			       struct tp_diag *diag);
/*
 * Looks into the directories of the nodes: how many points they have and how they ended. Reads only
 * what grew since the last look.
 */
enum tp_status tp_cluster_look(struct tp_cluster *cluster, struct tp_diag *diag);

/*
 * What changes a cluster run, one tprof at a time: a lock on its directory, closed with close().
 * TP_RESOURCE while another one has it.
 */
enum tp_status tp_cluster_lock(const char *directory, int *fd, struct tp_diag *diag);
/* A node by its name; NULL. Nodes move when others are added, and when they are sorted. */
struct tp_cluster_node *tp_cluster_node(const struct tp_cluster *cluster, const char *name);
/*
 * Adds a node behind the others; TP_USAGE for a bad name, one that is there twice, or too many.
 * Its time does not depend on how many there are. tp_cluster_sort ends a list.
 */
enum tp_status tp_cluster_add(struct tp_cluster *cluster, const char *name, struct tp_diag *diag);
void tp_cluster_sort(struct tp_cluster *cluster);
/* Sets the state with its time; `why` in words, cleaned and cut. */
void tp_node_set(struct tp_cluster_node *node, enum tp_node_state state, const char *why);
/*
 * The node's process or job is over: its state follows from the points that are there; `why` says
 * how it ended where they are not all.
 */
void tp_node_end(const struct tp_cluster *cluster, struct tp_cluster_node *node, const char *why);
/* True if a node's run directory holds a run that can go on. */
bool tp_node_has_run(const struct tp_cluster *cluster, const struct tp_cluster_node *node);
/* A path of the node: "nodes/NAME" with what follows; false where it is too long. */
bool tp_node_path(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
		  const char *tail, char out[TP_PATH_MAX]);

#endif
