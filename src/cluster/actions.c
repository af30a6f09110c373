/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "cluster/actions.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/now.h"
#include "base/tally.h"
#include "base/text.h"
#include "cluster/detached.h"
#include "cluster/merge.h"
#include "cluster/remote.h"
#include "table/csv.h"

const struct tp_launcher *const tp_launcher_table[] = { &tp_launcher_slurm, &tp_launcher_ssh,
							&tp_launcher_local, NULL };

const struct tp_launcher *tp_launcher_find(const char *name)
{
	for (size_t i = 0; tp_launcher_table[i]; i++)
		if (strcmp(tp_launcher_table[i]->name, name) == 0)
			return tp_launcher_table[i];
	return NULL;
}

/*
 * The launcher of a cluster run. TP_UNSUPPORTED: no such launcher, or its requirements are missing
 * here.
 */
static enum tp_status cluster_launcher(const struct tp_cluster *cluster,
				       const struct tp_launcher **launcher, struct tp_diag *diag)
{
	*launcher = tp_launcher_find(cluster->launcher);
	if (!*launcher)
		return tp_fail(diag, TP_UNSUPPORTED, cluster->name, "use the tprof that wrote it",
			       "it was submitted by \"%.15s\", which this tprof does not support",
			       cluster->launcher);
	return (*launcher)->supported(diag);
}

/* Of all that a user sees of the nodes. */
static uint64_t sum_of_nodes(const struct tp_cluster *cluster)
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

enum tp_status tp_cluster_refresh(struct tp_cluster *cluster, struct tp_diag *diag)
{
	const struct tp_launcher *launcher;
	bool anew = false;
	/* Another tprof may have submitted nodes again: its jobs must not be forgotten. */
	enum tp_status status = tp_cluster_reload(cluster, NULL, diag);
	uint64_t read = sum_of_nodes(cluster);
	if (status == TP_OK)
		status = cluster_launcher(cluster, &launcher, diag);
	if (status == TP_OK)
		status = launcher->end ? tp_detached_ask_all(cluster, launcher, diag)
				       : launcher->ask(cluster, diag);
	if (status == TP_OK)
		tp_cluster_look(cluster);
	uint64_t now = sum_of_nodes(cluster);
	if (status == TP_OK && now != read)
		status = tp_cluster_reload(cluster, &anew, diag);
	/* A directory of another user is read only. */
	if (status != TP_OK || now == read || anew ||
	    tp_folder_own(cluster->directory, NULL) != TP_OK)
		return status;
	return tp_cluster_save(cluster, diag);
}

/*
 * --- consent ---
 *
 * Consent to what a stored cluster run does. Its files may be foreign: they name the program that
 * starts, the hosts that are reached, and the jobs that end.
 */

static bool is_meant(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
		     enum tp_cluster_act act)
{
	char there[TP_PATH_MAX];
	switch (act) {
	case TP_ACT_RESUME:
		return node->state != TP_NODE_DONE;
	case TP_ACT_COLLECT:
		return tp_is_file(tp_node_path(cluster, node, TP_REMOTE_THERE, there));
	default:
		return tp_detached_lives(cluster, node);
	}
}

static void add_list(const struct tp_cluster *cluster, enum tp_cluster_act act, struct tp_str *out)
{
	const struct tp_launcher *launcher = tp_launcher_find(cluster->launcher);
	TP_STR nodes = { 0 };
	size_t n = 0;
	/* Targets or names of the nodes that it is about, or their processes. */
	for (size_t i = 0; i < cluster->n_nodes; i++) {
		const struct tp_cluster_node *node = &cluster->nodes[i];
		if (is_meant(cluster, node, act))
			tp_str_printf(&nodes, "%s%s", n++ ? ", " : "",
				      act == TP_ACT_CANCEL ? node->job
				      : *node->target	   ? node->target
							   : node->name);
	}
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
}

/* Adds the fields that act to a sum: all that the list may show, but states, which change. */
static uint64_t add_acting(uint64_t sum, const struct tp_table *table, const void *row,
			   enum tp_cluster_act act)
{
	for (size_t i = 0; i < table->n; i++) {
		TP_STR text = { 0 };
		if (!(table->columns[i].acts & 1u << act))
			continue;
		tp_column_text(&table->columns[i], row, &text);
		/* A text that goes on in the next field is another one. */
		sum = tp_hash_text(tp_hash_step(sum, UCHAR_MAX + 1 + i), tp_str_text(&text));
	}
	return sum;
}

uint64_t tp_cluster_acts(const struct tp_cluster *cluster, enum tp_cluster_act act,
			 struct tp_consent *consent)
{
	TP_STR list = { 0 };
	if (!cluster->begun_here && tp_launcher_find(cluster->launcher))
		add_list(cluster, act, &list);
	if (!list.len)
		return 0;
	uint64_t sum =
		add_acting(tp_hash_step(TP_HASH_START, act), &tp_cluster_table, cluster, act);
	for (size_t i = 0; i < cluster->n_nodes; i++)
		sum = add_acting(sum, &tp_cluster_node_table, &cluster->nodes[i], act);
	tp_consent_add(consent, cluster->name, "this %s", tp_str_text(&list))->sum = sum;
	return sum;
}

enum tp_status tp_cluster_may(const struct tp_cluster *cluster, enum tp_cluster_act act,
			      struct tp_diag *diag)
{
	TP_CLEANUP(tp_consent_release) struct tp_consent consent = { 0 };
	uint64_t sum = tp_cluster_acts(cluster, act, &consent);
	return !sum || sum == cluster->agreed ? TP_OK
					      : tp_fail(diag, TP_USAGE, cluster->name, NULL,
							"cluster.json, perhaps another user's, "
							"names what this starts, reaches or ends");
}

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
	TP_STR all = { 0 };
	snprintf(launcher, 16, "%.*s", (int)TP_MIN(n, (size_t)15), typed);
	*where = typed[n] ? typed + n + 1 : "";
	if (n < 16 && tp_launcher_find(launcher))
		return TP_OK;
	for (size_t i = 0; tp_launcher_table[i]; i++)
		tp_str_printf(&all, "%s (%s), ", tp_launcher_table[i]->name,
			      tp_launcher_table[i]->summary);
	tp_str_add(&all, "or status, collect or cancel of an earlier one");
	return tp_fail(diag, TP_USAGE, "--cluster", tp_str_text(&all), "\"%.40s\" is unknown",
		       typed);
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
	tp_now_utc(cluster->started);
	enum tp_status status = cluster_launcher(cluster, launcher, diag);
	if (status == TP_OK && wish->not_shared && !(*launcher)->is_scheduler)
		status = tp_fail(diag, TP_USAGE, "--no-shared", "leave it out",
				 "%s needs no shared file system", (*launcher)->name);
	if (status == TP_OK)
		status = (*launcher)->nodes(cluster, wish, diag);
	return status == TP_OK ? tp_cluster_divide(cluster, wish->per, diag) : status;
}

/* The folder with the preset, and an empty folder for the nodes. */
static enum tp_status make_folder(struct tp_cluster *cluster, const char *wanted, const char *label,
				  const struct tp_str *yaml, char preset[TP_PATH_MAX],
				  struct tp_diag *diag)
{
	char called[80], made[TP_PATH_MAX], path[TP_PATH_MAX];
	snprintf(called, sizeof(called), "%.40s-cluster", label);
	enum tp_status status = tp_rundir_create(wanted, called, made, diag);
	if (status != TP_OK)
		return status;
	/* Nodes and later commands have other current folders. */
	if (!realpath(made, path))
		return tp_fail(diag, TP_IO, made, NULL, "%s", strerror(errno));
	if (!tp_copy(cluster->directory, sizeof(cluster->directory), path))
		return tp_fail(diag, TP_USAGE, path, NULL, "path too long");
	snprintf(preset, TP_PATH_MAX, "%s/preset.yaml", cluster->directory);
	status = tp_file_write(TP_TYPED_NOTHING, preset, tp_str_text(yaml), yaml->len, diag);
	snprintf(path, sizeof(path), "%s/nodes", cluster->directory);
	return status == TP_OK ? tp_dir_make(path, diag) : status;
}

enum tp_status tp_cluster_create(struct tp_cluster *cluster, const char *wanted, const char *label,
				 const struct tp_str *yaml, char preset[TP_PATH_MAX],
				 struct tp_diag *diag)
{
	enum tp_status status = make_folder(cluster, wanted, label, yaml, preset, diag);
	/* Before anything runs: an unrecorded cluster run could not be cancelled. */
	if (status == TP_OK)
		status = tp_cluster_save(cluster, diag);
	if (status != TP_OK)
		return status;
	TP_CLEANUP(tp_cluster_release) struct tp_cluster saved = *cluster;
	status = tp_cluster_load(cluster, saved.directory, diag);
	cluster->begun_here = status == TP_OK;
	return status;
}

/* --- an existing cluster run --- */

void tp_cluster_wish_again(const struct tp_cluster *cluster, char preset[TP_PATH_MAX],
			   struct tp_cluster_wish *wish)
{
	*wish = (struct tp_cluster_wish){ .launcher = cluster->launcher,
					  .where = cluster->where,
					  .seconds = cluster->seconds,
					  .preset_path = preset };
	snprintf(preset, TP_PATH_MAX, "%s/preset.yaml", cluster->directory);
}

enum tp_status tp_cluster_submit(struct tp_cluster *cluster, const struct tp_cluster_wish *wish,
				 struct tp_diag *diag)
{
	const struct tp_launcher *launcher;
	char limit[sizeof(cluster->time_limit)];
	int lock = -1;
	enum tp_status status = cluster_launcher(cluster, &launcher, diag);
	if (status == TP_OK)
		status = tp_cluster_lock(cluster->directory, &lock, diag);
	/* Another tprof may have submitted it since. A new time limit is not in its file. */
	tp_copy(limit, sizeof(limit), cluster->time_limit);
	if (status == TP_OK)
		status = tp_cluster_reload(cluster, NULL, diag);
	tp_copy(cluster->time_limit, sizeof(cluster->time_limit), limit);
	if (status == TP_OK)
		status = tp_cluster_may(cluster, TP_ACT_RESUME, diag);
	if (status == TP_OK)
		status = launcher->start ? tp_detached_start_all(cluster, launcher, wish, diag)
					 : launcher->submit(cluster, wish, diag);
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
	enum tp_status status = tp_folder_own(cluster->directory, diag);
	if (status == TP_OK)
		status = cluster_launcher(cluster, &launcher, diag);
	if (status == TP_OK)
		status = tp_cluster_refresh(cluster, diag);
	if (status == TP_OK)
		status = tp_cluster_may(cluster, TP_ACT_COLLECT, diag);
	if (status == TP_OK && launcher->fetch)
		launcher->fetch(cluster);
	/* That takes long: jobs that another tprof has submitted in between must stay. */
	if (status == TP_OK)
		status = tp_cluster_reload(cluster, &anew, diag);
	if (status == TP_OK && anew)
		tp_cluster_look(cluster);
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
		status = tp_cluster_refresh(cluster, diag);
	if (status == TP_OK)
		status = cluster_launcher(cluster, &launcher, diag);
	if (status == TP_OK)
		status = tp_cluster_may(cluster, TP_ACT_CANCEL, diag);
	if (status == TP_OK)
		status = launcher->start ? tp_detached_cancel_all(cluster, diag)
					 : launcher->cancel(cluster, diag);
	if (status == TP_OK)
		status = tp_cluster_save(cluster, diag);
	if (lock >= 0)
		close(lock);
	return status;
}
