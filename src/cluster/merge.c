/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One node after the other is read, and only its values stay, so that memory grows with nodes x
 * points alone. A node that cannot be read costs no more than itself.
 */
#include "cluster/merge.h"
#include "cluster/merge_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"

/* A clock that is so far off is worth a word: times of nodes are shown beside each other. */
enum { SKEW_SECONDS = 120 };

static bool seconds_of(const char *utc, time_t *out)
{
	struct tm broken = { 0 };
	const char *end = strptime(utc, "%Y-%m-%dT%H:%M:%SZ", &broken);

	if (!end || *end)
		return false;
	*out = timegm(&broken);
	return true;
}

/* A run cannot have begun before the cluster run did, nor later than now. */
static void remark_clock(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
			 const struct tp_run *facts, struct tp_diags *remarks)
{
	const struct tp_fact *started = tp_run_fact(facts, "started");
	time_t then, first;

	if (!started || !seconds_of(started->text, &then))
		return;
	double ahead = difftime(then, time(NULL));
	double behind = seconds_of(cluster->started, &first) ? difftime(first, then) : 0;

	if (ahead > SKEW_SECONDS || behind > SKEW_SECONDS)
		tp_diags_note(
			remarks, node->name,
			"set the clocks of the nodes, for instance with chrony; results do not "
			"depend on them",
			"its clock is %.0f s or more %s", ahead > 0 ? ahead : behind,
			ahead > 0 ? "ahead" : "behind");
}

/* Reads a node into the groups; *why says what is to be said of it. TP_NOMEM alone ends it all. */
static enum tp_status read_node(const struct tp_cluster *cluster,
				const struct tp_cluster_node *node, struct tp_node_groups *groups,
				struct tp_diags *remarks, struct tp_diag *why)
{
	char directory[TP_PATH_MAX];
	struct tp_node_run run;

	if (!tp_node_name_is_good(node->name) || !tp_merge_directory(cluster, node, directory)) {
		tp_fail(why, TP_USAGE, "nodes", NULL, "has a name that no directory can have");
		return TP_OK;
	}
	if (!tp_is_folder(directory)) {
		bool gone = node->n_done > 0 && !*node->why;

		tp_fail(why, TP_NOTFOUND, node->name, NULL, "%.250s",
			gone	     ? "its directory is gone"
			: *node->why ? node->why
				     : "has not begun");
		if (gone)
			tp_diags_add(remarks, why);
		return TP_OK;
	}
	enum tp_status status = tp_node_run_load(&run, directory, why);

	if (status == TP_NOTFOUND) {
		tp_fail(why, status, node->name, NULL, "%.250s",
			*node->why ? node->why : "has not begun");
		return TP_OK;
	}
	if (status != TP_OK) {
		if (status != TP_NOMEM)
			tp_diags_add(remarks, why);
		return status == TP_NOMEM ? status : TP_OK;
	}
	if (*run.damage.what)
		tp_diags_add(remarks, &run.damage);
	remark_clock(cluster, node, &run.facts, remarks);
	size_t done = 0;

	for (size_t i = 0; i < run.points->n_points; i++)
		done += run.points->points[i].state == TP_POINT_DONE;
	if (done > 0)
		status = tp_node_groups_add(groups, node, &run);
	else
		tp_fail(why, TP_NOTFOUND, node->name, NULL, "%.250s",
			*node->why ? node->why : "has no finished point");
	tp_node_run_release(&run);
	return status;
}

static enum tp_status make_runs(const struct tp_cluster_look_at *at, struct tp_node_groups *groups,
				struct tp_run **runs, size_t *n, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;

	*runs = calloc(groups->n, sizeof(**runs));
	if (!*runs)
		return tp_fail(diag, TP_NOMEM, "merge", NULL, "out of memory");
	for (*n = 0; *n < groups->n && status == TP_OK; ++*n)
		status = tp_merged_run_make(at, &groups->groups[*n], &(*runs)[*n], diag);
	if (status != TP_OK) {
		for (size_t i = 0; i < *n; i++)
			tp_run_release(&(*runs)[i]);
		free(*runs);
		*runs = NULL;
		*n = 0;
	}
	return status;
}

enum tp_status tp_cluster_merge(const struct tp_cluster *cluster, struct tp_run **runs, size_t *n,
				struct tp_diags *remarks, struct tp_diag *diag)
{
	struct tp_node_groups groups = { 0 };
	struct tp_diag *why = calloc(cluster->n_nodes + 1, sizeof(*why));
	enum tp_status status = why ? TP_OK : TP_NOMEM;

	*runs = NULL;
	*n = 0;
	for (size_t i = 0; i < cluster->n_nodes && status == TP_OK; i++)
		status =
			cluster->go_on && !cluster->go_on(cluster->context)
				? TP_CANCELLED
				: read_node(cluster, &cluster->nodes[i], &groups, remarks, &why[i]);
	if (status != TP_OK)
		tp_fail(diag, status, "merge", NULL, "%s", tp_status_name(status));
	else if (groups.n == 0)
		status = tp_fail(diag, TP_NOTFOUND, cluster->directory,
				 "wait for the first points: tprof --cluster status",
				 "no node has a finished point");
	tp_node_groups_sort(&groups);
	for (size_t g = 0; g < groups.n && status == TP_OK; g++)
		tp_node_group_remarks(&groups, g, remarks);
	struct tp_cluster_look_at at = { cluster, &groups, why };

	if (status == TP_OK)
		status = make_runs(&at, &groups, runs, n, diag);
	tp_node_groups_release(&groups);
	free(why);
	return status;
}
