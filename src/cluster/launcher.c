/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cluster/parts.h"
#include "base/tally.h"
#include "base/text.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct tp_launcher *const tp_launcher_table[] = { &tp_launcher_slurm, &tp_launcher_ssh,
							&tp_launcher_local, NULL };

const struct tp_launcher *tp_launcher_find(const char *name)
{
	for (size_t i = 0; tp_launcher_table[i]; i++)
		if (strcmp(tp_launcher_table[i]->name, name) == 0)
			return tp_launcher_table[i];
	return NULL;
}

enum tp_status tp_cluster_launcher(const struct tp_cluster *cluster,
				   const struct tp_launcher **launcher, struct tp_diag *diag)
{
	*launcher = tp_launcher_find(cluster->launcher);
	if (!*launcher)
		return tp_fail(diag, TP_UNSUPPORTED, cluster->name, "use the tprof that wrote it",
			       "it was submitted by \"%.15s\", which this tprof does not know",
			       cluster->launcher);
	return (*launcher)->supported(diag);
}

/* Of all that a user sees of the nodes. */
static uint64_t sum_of(const struct tp_cluster *cluster)
{
	uint64_t sum = TP_HASH_START;
	for (size_t i = 0; i < cluster->n_nodes; i++) {
		const struct tp_cluster_node *node = &cluster->nodes[i];
		sum = tp_hash_step(sum, node->state);
		sum = tp_hash_step(sum, node->n_done);
		sum = tp_hash_step(sum, node->n_points);
		sum = tp_hash_text(sum, node->why);
		sum = tp_hash_text(sum, node->job);
	}
	return sum;
}

enum tp_status tp_cluster_refresh(struct tp_cluster *cluster, bool *changed, struct tp_diag *diag)
{
	const struct tp_launcher *launcher;
	uint64_t before = sum_of(cluster);
	bool anew = false;
	/* Another tprof may have submitted nodes again: its jobs must not be forgotten. */
	enum tp_status status = tp_cluster_reload(cluster, NULL, diag);
	uint64_t read = sum_of(cluster);
	if (status == TP_OK)
		status = tp_cluster_launcher(cluster, &launcher, diag);
	if (status == TP_OK)
		status = launcher->ask(cluster, diag);
	if (status == TP_OK)
		status = tp_cluster_look(cluster, diag);
	uint64_t now = sum_of(cluster);
	if (status == TP_OK && now != read)
		status = tp_cluster_reload(cluster, &anew, diag);
	if (changed)
		*changed = now != before || anew;
	return status == TP_OK && now != read && !anew ? tp_cluster_save(cluster, diag) : status;
}

enum tp_status tp_cluster_keep_nodes(struct tp_cluster *cluster, const char *nodes,
				     struct tp_diag *diag)
{
	uint64_t n;
	struct tp_cluster kept = { 0 };
	enum tp_status status = TP_OK;
	tp_cluster_sort(cluster);
	if (!nodes)
		return TP_OK;
	if (tp_parse_u64(nodes, &n)) {
		if (n < 1 || n > cluster->n_nodes)
			return tp_fail(diag, TP_USAGE, "--nodes", NULL,
				       "there are %zu nodes, not %.40s", cluster->n_nodes, nodes);
		cluster->n_nodes = (size_t)n;
		return TP_OK;
	}
	for (const char *at = nodes; *at && status == TP_OK;) {
		char name[TP_NODE_NAME_BYTES + 1];
		size_t len = strcspn(at, ",");
		snprintf(name, sizeof(name), "%.*s", (int)TP_MIN(len, sizeof(name) - 1), at);
		at += len + (at[len] == ',');
		const struct tp_cluster_node *node = tp_cluster_node(cluster, name);
		if (!node)
			status = tp_fail(diag, TP_USAGE, "--nodes",
					 "a number, or names with commas between them",
					 "there is no node \"%.60s\"", name);
		else if ((status = tp_cluster_add(&kept, name, diag)) == TP_OK)
			*tp_cluster_node(&kept, name) = *node;
	}
	if (status == TP_OK && !kept.n_nodes)
		status = tp_fail(diag, TP_USAGE, "--nodes", NULL, "names no node");
	tp_cluster_sort(&kept);
	if (status != TP_OK) {
		free(kept.nodes);
		return status;
	}
	free(cluster->nodes);
	cluster->nodes = kept.nodes;
	cluster->n_nodes = kept.n_nodes;
	cluster->cap_nodes = kept.cap_nodes;
	return TP_OK;
}
