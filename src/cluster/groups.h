/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of merging: reading a node, groups of similar nodes, the run of a group. */
#ifndef TPROF_CLUSTER_GROUPS_H
#define TPROF_CLUSTER_GROUPS_H

#include "analysis/outliers.h"
#include "base/memory.h"
#include "cluster/tables.h"

/* --- reading a node --- */

/*
 * A node's run, read without its windows: facts from the head of run.json, points from points.csv,
 * which is a tenth as long. What never came to its end has only its journal.
 */
struct tp_node_run {
	struct tp_run facts; /* and tables */
	struct tp_run table; /* points, where they came from points.csv */
	const struct tp_run *points; /* one of both */
	struct tp_diag damage; /* `what` is empty: none */
};
/* Other results: the directory is not usable. Release it after TP_OK. */
enum tp_status tp_node_run_load(struct tp_node_run *node, const char *directory,
				struct tp_diag *diag);
void tp_node_run_release(struct tp_node_run *node);

/* --- like nodes --- */

/* Facts that nodes of a group may differ in, which is worth a remark. */
enum { TP_NODE_REMARKED = 9 };

/* A point that nodes of a group have in common. */
struct tp_node_slot {
	uint64_t key; /* hash of what was chosen: experiment, kernel, threads, level, size... */
	unsigned run;
	bool less_is_better;
};

/* A node that has points. Its row in `nodes` of the cluster is its number. */
struct tp_merged_node {
	const struct tp_cluster_node *node;
	size_t n; /* slots counted here; the group may have got more since */
	double *values, *clocks; /* NaN and 0 = missing */
	double *errors; /* relative, of values of less than good quality */
	unsigned points;
	bool complete;
	double wall_seconds;
	const char *remarked[TP_NODE_REMARKED]; /* "" = unknown; in the arena */
};

struct tp_node_group {
	char *hardware; /* exact facts, a line each; heap. Nodes share at least a point, too */
	double memory_bytes; /* of the first */
	struct tp_run facts; /* that all nodes agree on */
	struct tp_node_slot *slots;
	size_t n_slots, cap_slots;
	struct tp_merged_node *nodes;
	size_t n_nodes, cap_nodes;
};

/* All of a cluster. Zero-initialise; release. */
struct tp_node_groups {
	struct tp_node_group *groups;
	size_t n, cap;
	struct tp_arena arena;
};
void tp_node_groups_release(struct tp_node_groups *groups);
/* The node joins the group of its hardware, with its values. */
void tp_node_groups_add(struct tp_node_groups *groups, const struct tp_cluster_node *node,
			const struct tp_node_run *run);
/*
 * Which slot each point of a node has: an array of n_points that the caller frees, SIZE_MAX for
 * points that are not finished. Slots that are new are added where `grow`, else they are SIZE_MAX.
 */
size_t *tp_node_slots(struct tp_node_group *group, const struct tp_run *points, bool grow);
/* The largest group first; of equal ones the one with the first node. */
void tp_node_groups_sort(struct tp_node_groups *groups);
/*
 * Remarks on facts that most nodes of group g share and some do not, and on points that no other
 * group of its hardware has.
 */
void tp_node_group_remarks(const struct tp_node_groups *groups, size_t g, struct tp_diags *remarks);

/*
 * For nodes of two speeds: the fact that differs, "another kernel: A, not B"; false if no fact
 * does.
 */
bool tp_node_group_apart(const struct tp_node_group *group, const struct tp_outliers *found,
			 char *out, size_t size);

/* --- which of them differ --- */

/* Zero-initialise; release in any case. */
struct tp_judged {
	struct tp_outliers found; /* nodes and slots in the order of the group */
	double *values, *errors; /* nodes x slots */
};
void tp_node_group_judge(const struct tp_node_group *group, struct tp_judged *judged);
void tp_judged_release(struct tp_judged *judged);

#endif
