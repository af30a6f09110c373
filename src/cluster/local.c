/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --cluster local:N: N engines on this machine, to try things out and for tests. */
#include "cluster/parts.h"
#include "base/now.h"
#include "base/units.h"
#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LOCAL_MAX = 64, WORDS_MAX = 32 };
#define CANCEL_SECONDS 25.0

static enum tp_status is_supported(struct tp_diag *diag)
{
	char self[TP_PATH_MAX];
	return tp_cluster_self(self, diag);
}

static enum tp_status name_nodes(struct tp_cluster *cluster, const struct tp_cluster_wish *wish,
				 struct tp_diag *diag)
{
	uint64_t n;
	if (!tp_parse_u64(wish->where, &n) || n < 1 || n > LOCAL_MAX)
		return tp_fail(diag, TP_USAGE, "--cluster local", "such as local:4",
			       "\"%.60s\" is no number of nodes from 1 to %d", wish->where,
			       LOCAL_MAX);
	const char *odd = wish->nodes ? "--nodes" : wish->partition ? "--partition" : "--program";
	if (wish->nodes || wish->partition || wish->program)
		return tp_fail(diag, TP_USAGE, odd, "leave it out",
			       "local:N says all that there is to choose here");
	enum tp_status status = TP_OK;
	for (unsigned i = 1; i <= n && status == TP_OK; i++) {
		char name[TP_NODE_NAME_BYTES];
		snprintf(name, sizeof(name), n < 10 ? "node-%u" : "node-%02u", i);
		status = tp_cluster_add(cluster, name, diag);
	}
	tp_cluster_sort(cluster);
	return status == TP_OK ? tp_cluster_self(cluster->program, diag) : status;
}

/* The command of a node: an array of the arena up to NULL. */
static enum tp_status command_of(const struct tp_cluster *cluster,
				 const struct tp_cluster_node *node,
				 const struct tp_cluster_wish *wish, struct tp_arena *arena,
				 char *words[WORDS_MAX], struct tp_diag *diag)
{
	const char *emulator = getenv("TPROF_EMULATOR");
	char directory[TP_PATH_MAX], **before = NULL;
	size_t n = 0, n_before = 0;
	char part[32];
	bool again = tp_node_has_run(cluster, node);
	tp_node_domain(cluster, node, part);
	if (!tp_node_path(cluster, node, "", directory))
		return tp_fail(diag, TP_USAGE, cluster->directory, NULL, "path too long");
	if (emulator && *emulator) {
		enum tp_status status = tp_command_split(emulator, arena, &before, &n_before, diag);
		if (status != TP_OK)
			return status;
	}
	for (size_t i = 0; i < n_before && n < WORDS_MAX / 2; i++)
		words[n++] = before[i];
	const char *const rest[] = { cluster->program,
				     again ? "--resume" : "--batch",
				     again ? directory : wish->preset_path,
				     "--quiet",
				     wish->allow_code ? "--allow-code" : NULL,
				     *part ? "--bind" : NULL,
				     *part ? part : NULL,
				     again ? NULL : "--run-dir",
				     again ? NULL : directory };
	for (size_t i = 0; i < TP_COUNT_OF(rest); i++)
		if (rest[i] && !(words[n++] = tp_arena_strdup(arena, rest[i])))
			return tp_fail(diag, TP_NOMEM, node->name, NULL, "out of memory");
	words[n] = NULL;
	return TP_OK;
}

static enum tp_status describe(const struct tp_cluster *cluster, const struct tp_cluster_wish *wish,
			       struct tp_str *out, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < cluster->n_nodes && status == TP_OK; i++) {
		struct tp_str line = { 0 };
		struct tp_arena arena = { 0 };
		char *words[WORDS_MAX];
		status = command_of(cluster, &cluster->nodes[i], wish, &arena, words, diag);
		for (size_t k = 0; status == TP_OK && words[k]; k++)
			tp_command_join(&line, words[k]);
		tp_str_printf(out, "%s\n", tp_str_text(&line));
		tp_str_release(&line);
		tp_arena_release(&arena);
	}
	return status;
}

static enum tp_status start_node(struct tp_cluster *cluster, struct tp_cluster_node *node,
				 const struct tp_cluster_wish *wish, struct tp_diag *diag)
{
	struct tp_arena arena = { 0 };
	char *words[WORDS_MAX];
	enum tp_status status = command_of(cluster, node, wish, &arena, words, diag);
	if (!tp_node_has_run(cluster, node))
		tp_node_clear(cluster, node);
	if (status == TP_OK)
		status = tp_detached_start(cluster, node, &(struct tp_detached){ .words = words },
					   diag);
	tp_arena_release(&arena);
	return status;
}

static enum tp_status submit(struct tp_cluster *cluster, const struct tp_cluster_wish *wish,
			     struct tp_diag *diag)
{
	return tp_detached_start_all(cluster, wish, start_node, diag);
}

static enum tp_status ask(struct tp_cluster *cluster, struct tp_diag *diag)
{
	char words[256];
	enum tp_status status = tp_detached_here(cluster, diag);
	for (size_t i = 0; i < cluster->n_nodes && status == TP_OK; i++) {
		struct tp_cluster_node *node = &cluster->nodes[i];
		if (!tp_node_has_ended(node->state) && !tp_detached_lives(cluster, node))
			tp_detached_end(cluster, node,
					tp_node_ended_words(cluster, node, words, sizeof(words)));
	}
	return status;
}

enum tp_status tp_detached_start_all(struct tp_cluster *cluster, const struct tp_cluster_wish *wish,
				     tp_detached_start_node *start, struct tp_diag *diag)
{
	enum tp_status status = tp_detached_here(cluster, diag);
	for (size_t i = 0; i < cluster->n_nodes && status == TP_OK; i++) {
		struct tp_cluster_node *node = &cluster->nodes[i];
		struct tp_diag why = { 0 };
		if (node->state == TP_NODE_DONE || tp_detached_lives(cluster, node))
			continue;
		/* One that cannot be started does not keep the others from it. */
		if (tp_node_own_folder(cluster, node, &why) != TP_OK ||
		    start(cluster, node, wish, &why) != TP_OK)
			tp_node_set(node, TP_NODE_FAILED, why.what);
	}
	return status;
}

enum tp_status tp_detached_cancel_all(struct tp_cluster *cluster, struct tp_diag *diag)
{
	const struct timespec pause = { 0, 20000000 };
	enum tp_status status = tp_detached_here(cluster, diag);
	bool any = status == TP_OK;
	for (size_t i = 0; i < cluster->n_nodes && status == TP_OK; i++)
		tp_detached_cancel(cluster, &cluster->nodes[i]);
	for (double until = tp_now_seconds() + CANCEL_SECONDS; any && tp_now_seconds() < until;) {
		any = false;
		for (size_t i = 0; i < cluster->n_nodes && !any; i++)
			any = tp_detached_lives(cluster, &cluster->nodes[i]);
		if (any)
			nanosleep(&pause, NULL);
	}
	for (size_t i = 0; i < cluster->n_nodes && status == TP_OK; i++) {
		struct tp_cluster_node *node = &cluster->nodes[i];
		if (tp_node_has_ended(node->state) || tp_detached_lives(cluster, node))
			continue;
		tp_detached_end(cluster, node, NULL);
	}
	if (status == TP_OK && any)
		status = tp_fail(diag, TP_FAILED, cluster->name, "cancel again later",
				 "some nodes still end their points");
	return status;
}

const struct tp_launcher tp_launcher_local = {
	.name = "local",
	.summary = "N engines on this machine, to try things out",
	.supported = is_supported,
	.nodes = name_nodes,
	.describe = describe,
	.submit = submit,
	.ask = ask,
	.cancel = tp_detached_cancel_all,
};
