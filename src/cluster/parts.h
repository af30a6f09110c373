/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of this room share. Private to this room. */
#ifndef TPROF_CLUSTER_PARTS_H
#define TPROF_CLUSTER_PARTS_H

#include "base/command.h"
#include "cluster/launcher.h"
#include "table/table.h"

/* TP_CLUSTER_NODES_MAX nodes with the longest texts. */
enum { TP_CLUSTER_MAX_BYTES = 32 << 20, TP_NODE_SAID_BYTES = 64 << 10 };

extern const struct tp_word_set tp_node_state_set;

/* Ids of jobs and processes become words of commands: letters, digits, "_", ".", "@", "+". */
bool tp_cluster_job_is_good(const char *job);
/* A path that every shell takes as it is. */
bool tp_cluster_program_is_good(const char *program);
void tp_cluster_now(char out[32]); /* UTC */

/* --- looking (look.c) --- */
/* Counts what the node has now; a file that cannot be read counts nothing. */
void tp_node_look(const struct tp_cluster *cluster, struct tp_cluster_node *node);
/* By its run.json, tprof came to the end of its plan there. */
bool tp_node_ran_to_its_end(const struct tp_cluster_node *node);
void tp_node_forget(struct tp_cluster_node *node);

/* TP_USAGE where nodes/ or the node's folder is a link, or no folder: nothing is written there. */
enum tp_status tp_node_own_folder(const struct tp_cluster *cluster,
				  const struct tp_cluster_node *node, struct tp_diag *diag);
/* Removes the folder of a node whose run had not begun. */
void tp_node_clear(const struct tp_cluster *cluster, const struct tp_cluster_node *node);

/* --- processes that outlive tprof (detached.c) --- */
/*
 * A process that runs one command for a node: in a session of its own, with its standard error in
 * nodes/NAME.txt (its beginning and its end stay, 64 KiB), and the way it ended in nodes/NAME.end.
 */
struct tp_detached {
	char *const *words; /* up to NULL */
	const char *input; /* path of a file; NULL = empty */
	/* Path of a file that standard output is appended to, up to the size of a journal; NULL =
	 * nowhere. */
	const char *output;
	/*
	 * Runs in that process when the command has ended, before anybody is told so. go_on is
	 * false when the node is cancelled. What went wrong is told in *diag. NULL = nothing.
	 */
	void (*after)(const struct tp_cluster *cluster, struct tp_cluster_node *node,
		      struct tp_process_end end, bool (*go_on)(void *context),
		      struct tp_diag *diag);
};
/* Starts it and sets the node running, with "PROCESS@START" as its job. */
enum tp_status tp_detached_start(const struct tp_cluster *cluster, struct tp_cluster_node *node,
				 const struct tp_detached *detached, struct tp_diag *diag);
/* Starts what lacks points and does not run, node by node: `submit` of a launcher. */
typedef enum tp_status tp_detached_start_node(struct tp_cluster *cluster,
					      struct tp_cluster_node *node,
					      const struct tp_cluster_wish *wish,
					      struct tp_diag *diag);
enum tp_status tp_detached_start_all(struct tp_cluster *cluster, const struct tp_cluster_wish *wish,
				     tp_detached_start_node *start, struct tp_diag *diag);
/*
 * True while the process that was started for this node in this directory lives. Any other process
 * whose number and start cluster.json names does not count.
 */
bool tp_detached_lives(const struct tp_cluster *cluster, const struct tp_cluster_node *node);
/* Its process is over, see tp_node_end; a node that was cancelled is told so. */
void tp_detached_end(const struct tp_cluster *cluster, struct tp_cluster_node *node,
		     const char *why);
/* Asks it to end; it passes that on, and is patient for 20 s. */
void tp_detached_cancel(const struct tp_cluster *cluster, const struct tp_cluster_node *node);
/* The same of all nodes, and their states when they have ended: `cancel` of a launcher. */
enum tp_status tp_detached_cancel_all(struct tp_cluster *cluster, struct tp_diag *diag);
/* Refuses where the processes of the cluster run are those of another machine. */
enum tp_status tp_detached_here(const struct tp_cluster *cluster, struct tp_diag *diag);
/*
 * How the node's command ended, "exit 3" as number and whether that was a signal; false while there
 * is no such file.
 */
bool tp_node_exit(const struct tp_cluster *cluster, const struct tp_cluster_node *node, int *number,
		  bool *signal);
/* The last line that tprof said there; "" = nothing. Returns out. */
const char *tp_node_said(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
			 char *out, size_t size);
/* Why it ended, from both. */
const char *tp_node_ended_words(const struct tp_cluster *cluster,
				const struct tp_cluster_node *node, char *out, size_t size);
/* Removes what an earlier try has left beside the node's folder. */
void tp_node_forget_end(const struct tp_cluster *cluster, const struct tp_cluster_node *node);

/* --- nodes that share no file system with this one (remote.c) --- */
/*
 * For "sh -c" in the home of the user there: $0 is tprof, $1 its run directory, $2 more words. It
 * reads the preset and prints events. There is no single quote in it.
 */
extern const char tp_remote_script[];
/* For "sh -c" there, too, with $1: prints what is to come back. There is no single quote in it. */
void tp_remote_add_print(struct tp_str *out);
/* Where that is written here before it is taken, for tp_node_path, and how long it may be. */
#define TP_REMOTE_COMING ".coming"
enum { TP_REMOTE_MAX_BYTES = 1 << 29, TP_REMOTE_NAME_BYTES = 32 };
/*
 * The head of the next file in it, at *at, which moves to the first of its *bytes. False: it is not
 * whole, or no file that is printed.
 */
bool tp_remote_next(const char *text, size_t len, size_t *at, char name[TP_REMOTE_NAME_BYTES],
		    size_t *bytes);
/* Makes the node's directory here. `journal`: the file that its events are appended to. */
enum tp_status tp_remote_begin(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
			       char journal[TP_PATH_MAX], struct tp_diag *diag);
/*
 * What came becomes the node's run directory here, with points.csv beside it, or is removed where
 * it is not whole.
 */
enum tp_status tp_remote_take(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
			      struct tp_diag *diag);
/* True where the node's command ended because tprof is not there; `out`: words of it. */
bool tp_remote_lacks_program(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
			     char *out, size_t size);

/* --- parts of nodes (divide.c) --- */
/*
 * Each node becomes one for each of its parts, called NAME.0, NAME.1 and so on. TP_USAGE: this is
 * no part, or nobody knows how many there are.
 */
enum tp_status tp_cluster_divide(struct tp_cluster *cluster, const char *per, struct tp_diag *diag);
/* The name of the host where the node is. */
void tp_node_host(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
		  char host[TP_NODE_NAME_BYTES]);
/* Its part of the host, as --bind takes it; "" where it has the whole host. */
void tp_node_domain(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
		    char part[32]);
/* More words for tprof there, each behind a blank: " --allow-code --bind socket:0/2". */
void tp_node_words(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
		   bool allow_code, char *out, size_t size);

/* --nodes: the first so many, or those that are named; NULL: all. */
enum tp_status tp_cluster_keep_nodes(struct tp_cluster *cluster, const char *nodes,
				     struct tp_diag *diag);

/* The path of this program; behind it the emulator of tests, see base/self.h. */
enum tp_status tp_cluster_self(char out[TP_PATH_MAX], struct tp_diag *diag);

extern const struct tp_launcher tp_launcher_local, tp_launcher_ssh, tp_launcher_slurm;

#endif
