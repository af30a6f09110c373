/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cluster/actions.h"
#include "base/now.h"
#include "base/units.h"
#include "base/vec.h"
#include "cluster/merge.h"
#include "cluster/parts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- how far it is --- */

void tp_cluster_add_up(const struct tp_cluster *cluster, struct tp_cluster_sums *sums)
{
	*sums = (struct tp_cluster_sums){ .n = cluster->n_nodes };
	for (size_t i = 0; i < cluster->n_nodes; i++) {
		const struct tp_cluster_node *node = &cluster->nodes[i];
		sums->of_state[node->state]++;
		sums->n_ended += tp_node_has_ended(node->state);
		sums->n_done += node->n_done;
		sums->n_points += node->n_points;
	}
}

/* All nodes measure at the same time. */
double tp_cluster_seconds_left(struct tp_cluster_pace *pace, const struct tp_cluster *cluster,
			       const struct tp_cluster_sums *sums)
{
	double now = tp_now_seconds();
	if (pace->began <= 0)
		*pace = (struct tp_cluster_pace){ now, sums->n_done };
	double lasted = now - pace->began;
	if (sums->n_ended == sums->n)
		return 0;
	if (sums->n_done > pace->first && sums->n_points > sums->n_done)
		return lasted * (double)(sums->n_points - sums->n_done) /
		       (double)(sums->n_done - pace->first);
	return fmax(cluster->seconds - lasted, 0);
}

void tp_cluster_say(const struct tp_cluster_sums *sums, double left, struct tp_str *out)
{
	static const struct {
		enum tp_node_state state;
		const char *one, *many;
	} words[] = {
		{ TP_NODE_RUNNING, "runs", "run" },
		{ TP_NODE_WAITING, "waits", "wait" },
		{ TP_NODE_PARTIAL, "ended early", "ended early" },
		{ TP_NODE_FAILED, "failed", "failed" },
		{ TP_NODE_UNREACHABLE, "is unreachable", "are unreachable" },
		{ TP_NODE_CANCELLED, "was cancelled", "were cancelled" },
	};
	char time[48];
	size_t n_done = sums->of_state[TP_NODE_DONE];
	if (n_done == sums->n)
		tp_str_printf(out, sums->n == 1 ? "the node is done" : "all %zu nodes are done",
			      sums->n);
	else
		tp_str_printf(out, "%zu of %zu nodes done", n_done, sums->n);
	for (size_t i = 0; i < TP_COUNT_OF(words); i++) {
		size_t n = sums->of_state[words[i].state];
		if (n)
			tp_str_printf(out, ", %zu %s", n, n == 1 ? words[i].one : words[i].many);
	}
	if (left > 0 && sums->n_ended < sums->n)
		tp_str_printf(out, "; about %s to go",
			      tp_format_seconds(time, sizeof(time), floor(left) + 1));
}

/* --- a new one --- */

enum tp_status tp_cluster_read_launcher(const char *typed, char launcher[16], const char **where,
					struct tp_diag *diag)
{
	size_t n = strcspn(typed, ":");
	struct tp_str all = { 0 };
	snprintf(launcher, 16, "%.*s", (int)TP_MIN(n, (size_t)15), typed);
	*where = typed[n] ? typed + n + 1 : "";
	if (n < 16 && tp_launcher_find(launcher))
		return TP_OK;
	for (size_t i = 0; tp_launcher_table[i]; i++)
		tp_str_printf(&all, "%s (%s), ", tp_launcher_table[i]->name,
			      tp_launcher_table[i]->summary);
	tp_str_add(&all, "or status, collect or cancel of an earlier one");
	enum tp_status status = tp_fail(diag, TP_USAGE, "--cluster", tp_str_text(&all),
					"\"%.40s\" is unknown", typed);
	tp_str_release(&all);
	return status;
}

enum tp_status tp_cluster_begin(struct tp_cluster *cluster, const struct tp_cluster_wish *wish,
				const struct tp_launcher **launcher, struct tp_diag *diag)
{
	*cluster = (struct tp_cluster){ .seconds = wish->seconds,
					.go_on = cluster->go_on,
					.context = cluster->context };
	tp_copy(cluster->directory, sizeof(cluster->directory), "RUN");
	tp_copy(cluster->launcher, sizeof(cluster->launcher), wish->launcher);
	tp_copy(cluster->where, sizeof(cluster->where), wish->where);
	tp_copy(cluster->time_limit, sizeof(cluster->time_limit),
		wish->time_limit ? wish->time_limit : "");
	gethostname(cluster->host, sizeof(cluster->host) - 1);
	tp_cluster_now(cluster->started);
	enum tp_status status = tp_cluster_launcher(cluster, launcher, diag);
	if (status == TP_OK && wish->not_shared && !(*launcher)->is_scheduler)
		status = tp_fail(diag, TP_USAGE, "--no-shared", "leave it out",
				 "%s needs no shared file system", (*launcher)->name);
	if (status == TP_OK)
		status = (*launcher)->nodes(cluster, wish, diag);
	return status == TP_OK ? tp_cluster_divide(cluster, wish->per, diag) : status;
}

static enum tp_status preset_path(const char *directory, char preset[TP_PATH_MAX],
				  struct tp_diag *diag)
{
	int n = snprintf(preset, TP_PATH_MAX, "%s/preset.yaml", directory);
	return n > 0 && n < TP_PATH_MAX ? TP_OK
					: tp_fail(diag, TP_USAGE, directory, NULL, "path too long");
}

/* The folder with the preset, and an empty folder for those of the nodes. */
static enum tp_status make_folder(struct tp_cluster *cluster, const char *wanted, const char *label,
				  const struct tp_str *yaml, char preset[TP_PATH_MAX],
				  struct tp_diag *diag)
{
	char called[80], made[TP_PATH_MAX], nodes[TP_PATH_MAX + 8];
	snprintf(called, sizeof(called), "%.40s-cluster", label);
	enum tp_status status = tp_rundir_create(wanted, called, made, diag);
	/* Nodes and later commands have other current folders. */
	if (status == TP_OK && !realpath(made, cluster->directory))
		status = tp_fail(diag, TP_IO, made, NULL, "%s", strerror(errno));
	if (status == TP_OK)
		status = preset_path(cluster->directory, preset, diag);
	if (status == TP_OK)
		status = tp_cluster_write(preset, tp_str_text(yaml), yaml->len, diag);
	if (status != TP_OK)
		return status;
	snprintf(nodes, sizeof(nodes), "%s/nodes", cluster->directory);
	return tp_dir_make(nodes, diag);
}

enum tp_status tp_cluster_create(struct tp_cluster *cluster, const char *wanted, const char *label,
				 const struct tp_str *yaml, char preset[TP_PATH_MAX],
				 struct tp_diag *diag)
{
	enum tp_status status = make_folder(cluster, wanted, label, yaml, preset, diag);
	/* Before anything runs: a cluster run that nobody knows of could not be cancelled. */
	if (status == TP_OK)
		status = tp_cluster_save(cluster, diag);
	if (status != TP_OK)
		return status;
	struct tp_cluster saved = *cluster;
	status = tp_cluster_load(cluster, saved.directory, diag);
	cluster->begun_here = status == TP_OK;
	tp_cluster_release(&saved);
	return status;
}

/* --- one that is there --- */

enum tp_status tp_cluster_wish_again(const struct tp_cluster *cluster, char preset[TP_PATH_MAX],
				     struct tp_cluster_wish *wish, struct tp_diag *diag)
{
	*wish = (struct tp_cluster_wish){ .launcher = cluster->launcher,
					  .where = cluster->where,
					  .seconds = cluster->seconds,
					  .preset_path = preset };
	return preset_path(cluster->directory, preset, diag);
}

/* Another tprof may have submitted it since it was read. A new time limit is not in its file. */
static enum tp_status reload_locked(struct tp_cluster *cluster, struct tp_diag *diag)
{
	char limit[sizeof(cluster->time_limit)];
	tp_copy(limit, sizeof(limit), cluster->time_limit);
	enum tp_status status = tp_cluster_reload(cluster, NULL, diag);
	tp_copy(cluster->time_limit, sizeof(cluster->time_limit), limit);
	return status;
}

enum tp_status tp_cluster_submit(struct tp_cluster *cluster, const struct tp_cluster_wish *wish,
				 struct tp_diag *diag)
{
	const struct tp_launcher *launcher;
	int lock = -1;
	enum tp_status status = tp_cluster_launcher(cluster, &launcher, diag);
	if (status == TP_OK)
		status = tp_cluster_lock(cluster->directory, &lock, diag);
	if (status == TP_OK)
		status = reload_locked(cluster, diag);
	if (status == TP_OK)
		status = tp_cluster_may(cluster, TP_ACT_RESUME, diag);
	if (status == TP_OK)
		status = launcher->submit(cluster, wish, diag);
	if (status == TP_OK)
		status = tp_cluster_save(cluster, diag);
	if (lock >= 0)
		close(lock);
	return status;
}

enum tp_status tp_cluster_collect(struct tp_cluster *cluster, struct tp_diags *remarks,
				  struct tp_diag *diag)
{
	const struct tp_launcher *launcher;
	bool anew = false;
	enum tp_status status = tp_cluster_launcher(cluster, &launcher, diag);
	if (status == TP_OK)
		status = tp_cluster_refresh(cluster, NULL, diag);
	if (status == TP_OK)
		status = tp_cluster_may(cluster, TP_ACT_COLLECT, diag);
	if (status == TP_OK && launcher->fetch)
		status = launcher->fetch(cluster, diag);
	/* That takes long: the jobs that another tprof has submitted meanwhile must stay. */
	if (status == TP_OK)
		status = tp_cluster_reload(cluster, &anew, diag);
	if (status == TP_OK && anew)
		status = tp_cluster_look(cluster, diag);
	if (status == TP_OK)
		status = tp_cluster_save(cluster, diag);
	return status == TP_OK ? tp_cluster_write_merged(cluster, remarks, diag) : status;
}

enum tp_status tp_cluster_cancel(struct tp_cluster *cluster, struct tp_diag *diag)
{
	const struct tp_launcher *launcher;
	int lock = -1;
	enum tp_status status = tp_cluster_lock(cluster->directory, &lock, diag);
	if (status == TP_OK)
		status = tp_cluster_refresh(cluster, NULL, diag);
	if (status == TP_OK)
		status = tp_cluster_launcher(cluster, &launcher, diag);
	if (status == TP_OK)
		status = tp_cluster_may(cluster, TP_ACT_CANCEL, diag);
	if (status == TP_OK)
		status = launcher->cancel(cluster, diag);
	if (status == TP_OK)
		status = tp_cluster_save(cluster, diag);
	if (lock >= 0)
		close(lock);
	return status;
}
