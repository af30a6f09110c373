/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Actions on a cluster run, for both faces: begin one, submit what is missing, merge, cancel. Each
 * takes as long as the scheduler does.
 */
#ifndef TPROF_CLUSTER_ACTIONS_H
#define TPROF_CLUSTER_ACTIONS_H

#include "cluster/cluster.h"
#include "cluster/launcher.h"
#include "session/consent.h"

extern const struct tp_launcher *const tp_launcher_table[]; /* up to NULL */
const struct tp_launcher *tp_launcher_find(const char *name);
/* Asks the launcher, looks into the directories, and saves what is new. */
enum tp_status tp_cluster_refresh(struct tp_cluster *cluster, struct tp_diag *diag);

/* --- how far it is --- */

/* What the nodes have together. */
struct tp_cluster_sums {
	size_t n, n_ended, of_state[TP_NODE_STATE_COUNT];
	unsigned long n_done, n_points; /* of the points of all nodes */
};

void tp_cluster_add_up(const struct tp_cluster *cluster, struct tp_cluster_sums *sums);

/* How fast points arrive, since the first look. Zero-initialise. */
struct tp_cluster_pace {
	double began; /* tp_now_seconds(); 0 = not yet */
	unsigned long first; /* points that were there then */
};

/* Estimated seconds that the nodes still need; 0 = unknown or over. */
double tp_cluster_seconds_left(struct tp_cluster_pace *pace, const struct tp_cluster *cluster,
			       const struct tp_cluster_sums *sums);

/* "12 of 16 nodes done, 3 run, 1 failed; about 2 min to go": appended. `left`: 0 = unknown. */
void tp_cluster_say(const struct tp_cluster_sums *sums, double left, struct tp_str *out);

/* --- a new one --- */

/* "ssh:hosts.txt" into its two parts; `where` is borrowed from `typed`. */
enum tp_status tp_cluster_read_launcher(const char *typed, char launcher[16], const char **where,
					struct tp_diag *diag);

/*
 * Begins *cluster, which is reset except for `go_on`, with the nodes of the wish. It has no
 * directory yet: "RUN", for tp_launcher.describe.
 */
enum tp_status tp_cluster_begin(struct tp_cluster *cluster, const struct tp_cluster_wish *wish,
				const struct tp_launcher **launcher, struct tp_diag *diag);

/*
 * Makes its folder among the user's runs, called after `label`, or at `wanted` (NULL: none), with
 * the preset as YAML in preset.yaml, whose path `preset` gets.
 */
enum tp_status tp_cluster_create(struct tp_cluster *cluster, const char *wanted, const char *label,
				 const struct tp_str *yaml, char preset[TP_PATH_MAX],
				 struct tp_diag *diag);

/* --- an existing cluster run --- */

/*
 * Adds to the list what the act would do. Returns what tp_cluster.agreed has to be for it,
 * which is another number when the files name anything else; 0 = no word is needed.
 */
uint64_t tp_cluster_acts(const struct tp_cluster *cluster, enum tp_cluster_act act,
			 struct tp_consent *consent);

/* TP_USAGE without the user's word. Each of the acts below checks it. */
enum tp_status tp_cluster_may(const struct tp_cluster *cluster, enum tp_cluster_act act,
			      struct tp_diag *diag);

/* What it was begun with, to submit it again; borrows from it. `preset` gets the preset's path. */
void tp_cluster_wish_again(const struct tp_cluster *cluster, char preset[TP_PATH_MAX],
			   struct tp_cluster_wish *wish);

/* Submits the nodes whose points are missing, one tprof at a time, and saves. */
enum tp_status tp_cluster_submit(struct tp_cluster *cluster, const struct tp_cluster_wish *wish,
				 struct tp_diag *diag);

/* Fetches what has not come back, saves, and writes merged/. */
enum tp_status tp_cluster_collect(struct tp_cluster *cluster, struct tp_diags *remarks,
				  struct tp_diag *diag);

/* Cancels the nodes that have not ended, one tprof at a time, and saves. */
enum tp_status tp_cluster_cancel(struct tp_cluster *cluster, struct tp_diag *diag);

#endif
