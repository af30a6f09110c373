/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The user's word for what a stored cluster run does. Its files may be a stranger's: they name the
 * program that starts, the hosts that are reached, and the jobs that end.
 */
#include "cluster/actions.h"
#include "cluster/parts.h"
#include "cluster/ssh_parts.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/vec.h"

/* Of all that the list may show, whatever state the nodes are in: that changes meanwhile. */
static uint64_t sum_of(const struct tp_cluster *cluster, enum tp_cluster_act act)
{
	const char *const texts[] = { cluster->launcher, cluster->program,    cluster->where,
				      cluster->per,	 cluster->time_limit, cluster->job };
	uint64_t sum = tp_hash_step(tp_hash_step(TP_HASH_START, act), cluster->shared);
	for (size_t i = 0; i < TP_COUNT_OF(texts); i++)
		sum = tp_hash_text(sum, texts[i]);
	for (size_t i = 0; i < cluster->n_nodes; i++) {
		sum = tp_hash_text(sum, cluster->nodes[i].name);
		sum = tp_hash_text(sum, cluster->nodes[i].target);
		sum = tp_hash_text(sum, act == TP_ACT_CANCEL ? cluster->nodes[i].job : "");
	}
	return sum;
}

static bool is_meant(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
		     enum tp_cluster_act act)
{
	char there[TP_PATH_MAX];
	switch (act) {
	case TP_ACT_RESUME:
		return node->state != TP_NODE_DONE;
	case TP_ACT_COLLECT:
		return tp_ssh_there(cluster, node, there) && tp_is_file(there);
	default:
		return tp_detached_lives(cluster, node);
	}
}

/* Targets or names of the nodes that it is about, or their processes. */
static size_t add_nodes(const struct tp_cluster *cluster, enum tp_cluster_act act,
			struct tp_str *out)
{
	size_t n = 0;
	for (size_t i = 0; i < cluster->n_nodes; i++) {
		const struct tp_cluster_node *node = &cluster->nodes[i];
		if (!is_meant(cluster, node, act))
			continue;
		tp_str_printf(out, "%s%s", n++ ? ", " : "",
			      act == TP_ACT_CANCEL ? node->job
			      : *node->target	   ? node->target
						   : node->name);
	}
	return n;
}

static void add_list(const struct tp_cluster *cluster, enum tp_cluster_act act, struct tp_str *out)
{
	const struct tp_launcher *launcher = tp_launcher_find(cluster->launcher);
	struct tp_str nodes = { 0 };
	size_t n = add_nodes(cluster, act, &nodes);
	const char *of = tp_str_text(&nodes);
	if (act == TP_ACT_CANCEL && launcher->is_scheduler && *cluster->job)
		tp_str_printf(out, "ends job %s of %s", cluster->job, launcher->name);
	else if (!n || (act == TP_ACT_COLLECT && !launcher->fetch))
		; /* nothing is started, reached or signalled */
	else if (act == TP_ACT_CANCEL)
		tp_str_printf(out, "ends the processes %s", of);
	else if (act == TP_ACT_COLLECT)
		tp_str_printf(out, "fetches results by %s from %s", launcher->name, of);
	else
		tp_str_printf(out, "starts %s by %s on %s", cluster->program, launcher->name, of);
	if (act == TP_ACT_RESUME && out->len && launcher->is_scheduler)
		tp_str_printf(out, ", partition %s, time limit %s",
			      *cluster->where ? cluster->where : "by default",
			      *cluster->time_limit ? cluster->time_limit : "by the estimate");
	tp_str_release(&nodes);
}

uint64_t tp_cluster_acts(const struct tp_cluster *cluster, enum tp_cluster_act act,
			 struct tp_str *list)
{
	struct tp_str raw = { 0 };
	if (!cluster->begun_here && tp_launcher_find(cluster->launcher))
		add_list(cluster, act, &raw);
	tp_str_add_clean(list, tp_str_text(&raw), false);
	tp_str_release(&raw);
	return list->len ? sum_of(cluster, act) : 0;
}

enum tp_status tp_cluster_may(const struct tp_cluster *cluster, enum tp_cluster_act act,
			      struct tp_diag *diag)
{
	struct tp_str list = { 0 };
	uint64_t sum = tp_cluster_acts(cluster, act, &list);
	tp_str_release(&list);
	return !sum || sum == cluster->agreed
		       ? TP_OK
		       : tp_fail(diag, TP_USAGE, cluster->name, "if you trust it, add --allow-code",
				 "cluster.json, which may be a stranger's, names what this starts, "
				 "reaches or ends");
}
