/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The nodes of a cluster run: their names, states and folders, and what has arrived from them.
 * Names come from schedulers and foreign files: they must pass tp_node_name_is_good before they
 * become a path or a word of a command. No shell ever sees them.
 */
#ifndef TPROF_CLUSTER_NODES_H
#define TPROF_CLUSTER_NODES_H

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "base/file.h"
#include "base/named.h"
#include "base/status.h"
#include "base/tally.h"

enum {
	TP_CLUSTER_NODES_MAX = 16384,
	TP_NODE_NAME_BYTES = 72,
	TP_CLUSTER_JOB_BYTES = 48,
	TP_CLUSTER_NAME_BYTES = 256,
	TP_CLUSTER_PATH_BYTES = TP_PATH_MAX - 256 /* paths of its files are no longer than others */
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

struct tp_cluster_node {
	char name[TP_NODE_NAME_BYTES]; /* of the host; "node-3" of --cluster local; with ".1"
					  appended for a socket or NUMA node */
	enum tp_node_state state;
	char target[192]; /* ssh: user@host:port as given; "" = none */
	char job[TP_CLUSTER_JOB_BYTES]; /* id of its job or step, or process id; "" = none */
	unsigned n_done, n_points; /* points in its journal, planned there; 0 = unknown */
	char why[256]; /* reason of a failure */
	char changed[32]; /* UTC */
	unsigned n_parts; /* number of sockets from the scheduler; 0 = unknown. Not kept */
	struct tp_cluster_seen *seen; /* what tp_cluster_look has read; NULL = nothing yet */
};

struct tp_cluster {
	char directory[TP_CLUSTER_PATH_BYTES];
	char name[TP_CLUSTER_NAME_BYTES]; /* what commands call it: "last", or the directory's name
					   */
	char launcher[16]; /* "slurm", "ssh", "local" */
	char where[256]; /* partition, host file, ...: as given */
	char job[TP_CLUSTER_JOB_BYTES]; /* of all nodes, where the launcher has one */
	char program[TP_PATH_MAX]; /* tprof as the nodes call it */
	char host[256]; /* that submitted; processes of "local" and "ssh" run there */
	double seconds; /* that the preset takes by its estimate */
	char time_limit[32]; /* as given; "" = from the estimate */
	char per[8]; /* a node stands for such a part of a host: "socket", "numa"; "" = all of it */
	bool shared; /* nodes write into the directory themselves */
	char started[32];
	struct tp_cluster_node *nodes; /* sorted by name, once tp_cluster_sort was called */
	size_t n_nodes, cap_nodes;
	struct tp_tally added; /* names of nodes that are not sorted yet; private */

	/* What follows is this process's own. */
	/* Asked while commands of a scheduler run: false gives them up. NULL = not asked. */
	bool (*go_on)(void *context);
	void *context;
	bool begun_here; /* so the user is aware of what it does */
	uint64_t agreed; /* of tp_cluster_acts(): what the user has agreed to; 0 = nothing */
	struct tp_cluster_stamp {
		struct timespec written;
		off_t size;
	} stamp; /* of cluster.json when it was read or written here */
};

/* --- names --- */

/* Letters, digits and what is in `more`; it begins with one of these or of `first`. Not "". */
bool tp_text_is_plain(const char *text, const char *first, const char *more);
bool tp_node_name_is_good(const char *name); /* letters, digits, "-", "_", "."; a letter or digit
						first */
bool tp_node_has_ended(enum tp_node_state state);
/* Ids of jobs and processes become words of commands: letters, digits, "_", ".", "@", "+". */
bool tp_cluster_job_is_good(const char *job);
/* A path that needs no quoting in any shell. */
bool tp_cluster_program_is_good(const char *program);

/* --- the list --- */

/* Zero-initialise; release. */
void tp_cluster_release(struct tp_cluster *cluster);
/* A node by its name; NULL. Nodes move when others are added, and when they are sorted. */
struct tp_cluster_node *tp_cluster_node(const struct tp_cluster *cluster, const char *name);
/*
 * Appends a node; TP_USAGE for a bad name, a duplicate, or too many. Its time does not depend on
 * how many there are. tp_cluster_sort ends a list.
 */
enum tp_status tp_cluster_add(struct tp_cluster *cluster, const char *name, struct tp_diag *diag);
void tp_cluster_sort(struct tp_cluster *cluster);
/* --nodes: the first N, or the named ones; NULL: all. */
enum tp_status tp_cluster_keep_nodes(struct tp_cluster *cluster, const char *nodes,
				     struct tp_diag *diag);
/*
 * Each node becomes one for each of its parts, called NAME.0, NAME.1 and so on. TP_USAGE: not a
 * part, or their number is unknown.
 */
enum tp_status tp_cluster_divide(struct tp_cluster *cluster, const char *per, struct tp_diag *diag);
/* The name of the host where the node is. */
void tp_node_host(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
		  char host[TP_NODE_NAME_BYTES]);
/* Its part of the host, as --bind takes it; "" where it has the whole host. */
void tp_node_domain(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
		    char part[32]);
/* More words for tprof there, each after a blank: " --allow-code --bind socket:0/2". */
void tp_node_words(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
		   bool allow_code, char *out, size_t size);

/* --- what has come from them --- */

/* Sets the state with its time; `why` in words, cleaned and cut. */
void tp_node_set(struct tp_cluster_node *node, enum tp_node_state state, const char *why);
/*
 * The node's process or job is over: its state follows from its points; `why` is how it ended if
 * some are missing.
 */
void tp_node_end(const struct tp_cluster *cluster, struct tp_cluster_node *node, const char *why);
/* True if a node's run directory holds a run that can go on. */
bool tp_node_has_run(const struct tp_cluster *cluster, const struct tp_cluster_node *node);
/* A path of the node: "nodes/NAME" with what follows. Returns out. */
const char *tp_node_path(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
			 const char *tail, char out[TP_PATH_MAX]);
/*
 * Looks into the directories of the nodes: how many points they have and how they ended. Reads only
 * what grew since the last look.
 */
void tp_cluster_look(struct tp_cluster *cluster);
/* Counts what the node has now; a file that cannot be read counts nothing. */
void tp_node_look(const struct tp_cluster *cluster, struct tp_cluster_node *node);
/* By its run.json, tprof came to the end of its plan there. */
bool tp_node_ran_to_its_end(const struct tp_cluster_node *node);
void tp_node_forget(struct tp_cluster_node *node);

/* TP_USAGE if nodes/ or the node's folder is a link or a file: nothing is written there. */
enum tp_status tp_node_own_folder(const struct tp_cluster *cluster,
				  const struct tp_cluster_node *node, struct tp_diag *diag);
/* Removes the folder of a node whose run had not begun. */
void tp_node_clear(const struct tp_cluster *cluster, const struct tp_cluster_node *node);

#endif
