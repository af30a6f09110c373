/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cluster.json: what was submitted where, and what became of it. */
#include "cluster/parts.h"
#include "base/text.h"
#include "base/vec.h"
#include "machine/machine.h"
#include "record/limits.h"
#include "table/json.h"
#include "table/lists.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char format_word[] = "tprof-cluster";
enum { FORMAT_VERSION = 1 };

#define COLUMN(type, member, name, kind, ...)                                                      \
	TP_COLUMN(struct type, member, name, kind, ALWAYS, TP_ROLE_NOTE, TP_IN_JSON, __VA_ARGS__)

static const struct tp_column node_columns[] = {
	COLUMN(tp_cluster_node, name, "node", TEXT, .help = NULL),
	COLUMN(tp_cluster_node, state, "state", WORD, .words = &tp_node_state_set),
	COLUMN(tp_cluster_node, target, "target", TEXT, .help = NULL),
	COLUMN(tp_cluster_node, job, "job", TEXT, .help = NULL),
	COLUMN(tp_cluster_node, n_done, "points_done", UNSIGNED, .most = TP_RUN_POINTS_MAX),
	COLUMN(tp_cluster_node, n_points, "points_planned", UNSIGNED, .most = TP_RUN_POINTS_MAX),
	COLUMN(tp_cluster_node, why, "why", TEXT, .help = NULL),
	COLUMN(tp_cluster_node, changed, "changed", TEXT, .help = NULL),
};
static const struct tp_table node_table = { .name = "nodes",
					    .columns = node_columns,
					    .n = TP_COUNT_OF(node_columns),
					    .row_bytes = sizeof(struct tp_cluster_node) };

static const struct tp_column head_columns[] = {
	COLUMN(tp_cluster, launcher, "launcher", TEXT, .help = NULL),
	COLUMN(tp_cluster, where, "where", TEXT, .help = NULL),
	COLUMN(tp_cluster, job, "job", TEXT, .help = NULL),
	COLUMN(tp_cluster, program, "program", TEXT, .help = NULL),
	COLUMN(tp_cluster, per, "per", TEXT, .help = NULL),
	COLUMN(tp_cluster, shared, "shared", BOOL, .help = NULL),
	COLUMN(tp_cluster, host, "host", TEXT, .help = NULL),
	COLUMN(tp_cluster, seconds, "seconds", REAL, .help = NULL),
	COLUMN(tp_cluster, time_limit, "time_limit", TEXT, .help = NULL),
	COLUMN(tp_cluster, started, "started", TEXT, .help = NULL),
};
static const struct tp_table head_table = { .name = "cluster",
					    .columns = head_columns,
					    .n = TP_COUNT_OF(head_columns),
					    .row_bytes = sizeof(struct tp_cluster) };

static enum tp_status damaged(const char *name, const char *what, struct tp_diag *diag)
{
	return tp_fail(diag, TP_USAGE, name,
		       "the directories below nodes/ are whole runs: tprof --show shows them", "%s",
		       what);
}

static enum tp_status read_node(struct tp_cluster *cluster, const json_t *entry, const char *name,
				struct tp_diag *diag)
{
	struct tp_cluster_node row = { 0 };
	struct tp_diag why = { 0 };
	char what[256];
	enum tp_status status = tp_row_unpack(&node_table, entry, &row, name, diag);
	if (status != TP_OK)
		return status;
	/* A name that was cut is another one. */
	const char *whole = json_string_value(json_object_get(entry, "node"));
	status = tp_cluster_add(cluster, whole ? whole : "", &why);
	if (status != TP_OK) {
		snprintf(what, sizeof(what), "node \"%.80s\": %.160s", why.where, why.what);
		return status == TP_NOMEM ? tp_fail(diag, status, name, NULL, "out of memory")
					  : damaged(name, what, diag);
	}
	if (!tp_cluster_job_is_good(row.job))
		return damaged(name, "a node has a job that no job is called", diag);
	*tp_cluster_node(cluster, row.name) = row;
	return TP_OK;
}

static enum tp_status read_head(struct tp_cluster *cluster, const json_t *root, const char *name,
				struct tp_diag *diag)
{
	const char *format = json_string_value(json_object_get(root, "format"));
	const json_t *version = json_object_get(root, "version");
	if (!format || strcmp(format, format_word) != 0)
		return damaged(name, "is no file of a cluster run", diag);
	if (!json_is_integer(version) || json_integer_value(version) != FORMAT_VERSION)
		return tp_fail(diag, TP_USAGE, name, "use the tprof that wrote it",
			       "was written by another version of tprof");
	enum tp_status status = tp_row_unpack(&head_table, root, cluster, name, diag);
	if (status != TP_OK)
		return status;
	if (!tp_cluster_job_is_good(cluster->job))
		return damaged(name, "has a job that no job is called", diag);
	struct tp_domain part;
	char parsed[32];
	snprintf(parsed, sizeof(parsed), "%s:0/1", cluster->per);
	if (*cluster->per && !tp_domain_parse(parsed, &part))
		return damaged(name, "has nodes of parts that no machine has", diag);
	if (*cluster->program && *cluster->program != '-' &&
	    !tp_text_fault(cluster->program, strlen(cluster->program), "") &&
	    isfinite(cluster->seconds) && cluster->seconds >= 0)
		return TP_OK;
	return damaged(name, "names no program, or a time that cannot be", diag);
}

enum tp_status tp_cluster_parse(struct tp_cluster *cluster, const char *name, const char *text,
				size_t len, struct tp_diag *diag)
{
	struct tp_json_lists tree;
	json_error_t error;
	char what[sizeof(error.text) + 64];
	*cluster = (struct tp_cluster){ 0 };
	if (!tp_json_lists_open(&tree, text, len, NULL, 0, &error)) {
		snprintf(what, sizeof(what), "is damaged, line %d, column %d: %s", error.line,
			 error.column, error.text);
		tp_clean(what, "");
		return damaged(name, what, diag);
	}
	enum tp_status status = read_head(cluster, tree.root, name, diag);
	const json_t *list = json_object_get(tree.root, "nodes");
	if (status == TP_OK && !json_is_array(list))
		status = damaged(name, "has no list of nodes", diag);
	for (size_t i = 0; status == TP_OK && i < json_array_size(list); i++)
		status = read_node(cluster, json_array_get(list, i), name, diag);
	tp_json_lists_close(&tree);
	tp_cluster_sort(cluster);
	if (status != TP_OK)
		tp_cluster_release(cluster);
	return status;
}

static bool add_nodes(const struct tp_cluster *cluster, json_t *list)
{
	for (size_t i = 0; i < cluster->n_nodes; i++) {
		json_t *entry = json_object();
		if (!entry ||
		    tp_row_pack(&node_table, TP_IN_JSON, &cluster->nodes[i], entry) != TP_OK) {
			json_decref(entry);
			return false;
		}
		if (json_array_append_new(list, entry) != 0)
			return false;
	}
	return true;
}

enum tp_status tp_cluster_text(const struct tp_cluster *cluster, struct tp_str *out,
			       struct tp_diag *diag)
{
	json_t *root = json_pack("{s:s, s:i}", "format", format_word, "version", FORMAT_VERSION);
	bool good = root && tp_row_pack(&head_table, TP_IN_JSON, cluster, root) == TP_OK &&
		    json_object_set_new(root, "nodes", json_array()) == 0 &&
		    add_nodes(cluster, json_object_get(root, "nodes"));
	if (!good) {
		json_decref(root);
		return tp_fail(diag, TP_NOMEM, cluster->directory, NULL, "out of memory");
	}
	if (tp_json_add(out, root, JSON_INDENT(1)) == TP_OK)
		tp_str_add(out, "\n");
	else
		out->oom = true;
	return out->oom ? tp_fail(diag, TP_NOMEM, cluster->directory, NULL, "out of memory")
			: TP_OK;
}
