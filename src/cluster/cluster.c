/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cluster run as a directory: found by its name, read, written, and locked. */

#include "cluster/cluster.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "cluster/tables.h"
#include "machine/machine.h"
#include "record/limits.h"
#include "record/load.h"
#include "table/lists.h"

/* --- names --- */

enum { LOCK_SECONDS = 5 };
enum { DATE_BYTES = 18 }; /* "2026-11-24-004324-" before the name of a run directory */

const char *tp_cluster_short_name(const char *directory)
{
	return strlen(directory) > DATE_BYTES && strspn(directory, "0123456789-") >= DATE_BYTES
		       ? directory + DATE_BYTES
		       : directory;
}

static bool is_cluster(const char *directory)
{
	char path[TP_PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/cluster.json", directory);
	return n > 0 && n < TP_PATH_MAX && tp_is_file(path);
}

enum tp_status tp_cluster_list(char (**names)[TP_CLUSTER_NAME_BYTES], size_t *n,
			       struct tp_diag *diag)
{
	char folder[TP_PATH_MAX], path[2 * TP_PATH_MAX], **all;
	size_t n_all;
	*names = NULL;
	*n = 0;
	enum tp_status status = tp_path_user_data("runs", folder, diag);
	if (status == TP_OK)
		status = tp_run_names(folder, &all, &n_all, diag);
	if (status != TP_OK)
		return status;
	*names = tp_alloc(n_all + 1, sizeof(**names));
	for (size_t i = 0; i < n_all; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, all[i]);
		if (is_cluster(path) && tp_copy((*names)[*n], TP_CLUSTER_NAME_BYTES, all[i]))
			++*n;
	}
	tp_run_names_free(all, n_all);
	return TP_OK;
}

/* As of runs: the whole name, its end where only one ends so, or "last". */
static enum tp_status choose(const char *typed, char (*names)[TP_CLUSTER_NAME_BYTES], size_t n,
			     const char **found, struct tp_diag *diag)
{
	static const char submit[] = "submit one: tprof --cluster local:2 --batch quick";
	const char *list[64];
	size_t hits = 0, n_list = 0;
	char hint[160], shown[96];
	*found = NULL;
	tp_shown(shown, sizeof(shown), typed, strlen(typed));
	if (!n)
		return tp_fail(diag, TP_NOTFOUND, shown, submit, "there are no cluster runs");
	if (strcmp(typed, "last") == 0)
		*found = names[n - 1];
	for (size_t i = 0; i < n && !*found; i++)
		if (strcmp(names[i], typed) == 0)
			*found = names[i];
	if (*found)
		return TP_OK;
	for (size_t i = 0; i < n; i++)
		if (tp_ends_with(names[i], typed)) {
			*found = names[i];
			hits++;
		}
	if (hits == 1)
		return TP_OK;
	if (hits > 1)
		return tp_fail(diag, TP_USAGE, shown, "give more of its name",
			       "%zu names of cluster runs end like this, the newest is %s", hits,
			       *found);
	/* Users need not type the date. */
	for (size_t i = n; i > 0 && n_list < TP_COUNT_OF(list); i--)
		list[n_list++] = tp_cluster_short_name(names[i - 1]);
	const char *near = tp_nearest(typed, list, n_list);
	snprintf(hint, sizeof(hint), near ? "did you mean %s?" : "the newest is %s",
		 near ? near : names[n - 1]);
	return tp_fail(diag, TP_NOTFOUND, shown, hint, "there is no such cluster run");
}

enum tp_status tp_cluster_find(const char *typed, char out[TP_PATH_MAX], struct tp_diag *diag)
{
	char folder[TP_PATH_MAX];
	TP_FREE char(*names)[TP_CLUSTER_NAME_BYTES] = NULL;
	const char *found;
	size_t n;
	if (strchr(typed, '/') || is_cluster(typed)) {
		if (!is_cluster(typed))
			return tp_fail(diag, TP_NOTFOUND, typed,
				       "tprof --cluster status lists the last one",
				       "holds no cluster.json, so it is not a cluster run");
		return realpath(typed, out)
			       ? TP_OK
			       : tp_fail(diag, TP_IO, typed, NULL, "%s", strerror(errno));
	}
	enum tp_status status = tp_path_user_data("runs", folder, diag);
	if (status == TP_OK)
		status = tp_cluster_list(&names, &n, diag);
	if (status != TP_OK)
		return status;
	status = choose(typed, names, n, &found, diag);
	if (status == TP_OK) {
		int len = snprintf(out, TP_PATH_MAX, "%s/%s", folder, found);
		if (len < 0 || len >= TP_PATH_MAX)
			status = tp_fail(diag, TP_USAGE, found, NULL, "path too long");
	}
	return status;
}

/* --- cluster.json --- */

static struct tp_cluster_stamp stamp_of(const char *directory)
{
	char path[TP_PATH_MAX + 16];
	struct stat st;
	snprintf(path, sizeof(path), "%s/cluster.json", directory);
	if (stat(path, &st) != 0)
		return (struct tp_cluster_stamp){ .size = -1 };
	return (struct tp_cluster_stamp){ st.st_mtim, st.st_size };
}

enum tp_status tp_cluster_load(struct tp_cluster *cluster, const char *directory,
			       struct tp_diag *diag)
{
	char path[TP_PATH_MAX];
	TP_FREE char *text = NULL;
	size_t len;
	*cluster = (struct tp_cluster){ 0 };
	if (strlen(directory) >= TP_CLUSTER_PATH_BYTES)
		return tp_fail(diag, TP_USAGE, directory, NULL, "path too long");
	snprintf(path, sizeof(path), "%s/cluster.json", directory);
	const struct tp_cluster_stamp stamp = stamp_of(directory);
	enum tp_status status = tp_file_read(path, TP_CLUSTER_MAX_BYTES, &text, &len, diag);
	if (status != TP_OK)
		return status;
	status = tp_cluster_parse(cluster, path, text, len, diag);
	if (status == TP_OK) {
		tp_copy(cluster->directory, sizeof(cluster->directory), directory);
		cluster->stamp = stamp;
		char folder[TP_PATH_MAX];
		const char *slash = strrchr(cluster->directory, '/');
		size_t n = slash ? (size_t)(slash - cluster->directory) : 0;
		bool ours = slash && tp_path_user_data("runs", folder, NULL) == TP_OK &&
			    strlen(folder) == n && memcmp(folder, cluster->directory, n) == 0;
		if (!ours || !tp_copy(cluster->name, sizeof(cluster->name), slash + 1))
			tp_copy(cluster->name, sizeof(cluster->name), cluster->directory);
	}
	return status;
}

enum tp_status tp_cluster_reload(struct tp_cluster *cluster, bool *anew, struct tp_diag *diag)
{
	const struct tp_cluster_stamp now = stamp_of(cluster->directory), *was = &cluster->stamp;
	struct tp_cluster read;
	bool same = now.size == was->size && now.written.tv_sec == was->written.tv_sec &&
		    now.written.tv_nsec == was->written.tv_nsec;
	if (anew)
		*anew = !same;
	if (same)
		return TP_OK;
	enum tp_status status = tp_cluster_load(&read, cluster->directory, diag);
	if (status != TP_OK)
		return status;
	read.go_on = cluster->go_on;
	read.context = cluster->context;
	read.begun_here = cluster->begun_here;
	read.agreed = cluster->agreed;
	tp_cluster_release(cluster);
	*cluster = read;
	return TP_OK;
}

enum tp_status tp_cluster_save(struct tp_cluster *cluster, struct tp_diag *diag)
{
	char path[TP_PATH_MAX];
	TP_STR text = { 0 };
	snprintf(path, sizeof(path), "%s/cluster.json", cluster->directory);
	tp_cluster_text(cluster, &text);
	enum tp_status status =
		tp_file_write(TP_TYPED_NOTHING, path, tp_str_text(&text), text.len, diag);
	cluster->stamp = stamp_of(cluster->directory);
	return status;
}

enum tp_status tp_cluster_lock(const char *directory, int *fd, struct tp_diag *diag)
{
	enum tp_status status = tp_folder_own(directory, diag);
	if (status != TP_OK)
		return status;
	/* A cancel just after a submission finds its tprof about to finish. */
	if (tp_folder_lock(directory, LOCK_SECONDS, fd))
		return TP_OK;
	return tp_fail(diag, TP_RESOURCE, directory, "try again when it is done",
		       "another tprof submits or cancels this cluster run now");
}

/* --- its text: what was submitted where, and its state --- */

static const char format_word[] = "tprof-cluster";

enum { FORMAT_VERSION = 1 };

#define COLUMN(type, member, name, kind, ...)                                                      \
	TP_COLUMN(struct type, member, name, kind, ALWAYS, TP_ROLE_NOTE, TP_IN_JSON, __VA_ARGS__)

/* In what a field acts: tp_cluster_acts asks the user about it. */
enum { IN_ALL = 1 << TP_ACT_RESUME | 1 << TP_ACT_COLLECT | 1 << TP_ACT_CANCEL };

static const struct tp_column node_columns[] = {
	COLUMN(tp_cluster_node, name, "node", TEXT, .acts = IN_ALL),
	COLUMN(tp_cluster_node, state, "state", WORD, .words = &tp_node_state_set),
	COLUMN(tp_cluster_node, target, "target", TEXT, .acts = IN_ALL),
	/* A job that is started here is not agreed to before. */
	COLUMN(tp_cluster_node, job, "job", TEXT, .acts = 1 << TP_ACT_CANCEL),
	COLUMN(tp_cluster_node, n_done, "points_done", UNSIGNED, .most = TP_RUN_POINTS_MAX),
	COLUMN(tp_cluster_node, n_points, "points_planned", UNSIGNED, .most = TP_RUN_POINTS_MAX),
	COLUMN(tp_cluster_node, why, "why", TEXT, .acts = 0),
	COLUMN(tp_cluster_node, changed, "changed", TEXT, .acts = 0),
};

const struct tp_table tp_cluster_node_table = { .name = "nodes",
						TP_TABLE(struct tp_cluster_node, node_columns) };

static const struct tp_column head_columns[] = {
	COLUMN(tp_cluster, launcher, "launcher", TEXT, .acts = IN_ALL),
	COLUMN(tp_cluster, where, "where", TEXT, .acts = IN_ALL),
	COLUMN(tp_cluster, job, "job", TEXT, .acts = IN_ALL),
	COLUMN(tp_cluster, program, "program", TEXT, .acts = IN_ALL),
	COLUMN(tp_cluster, per, "per", TEXT, .acts = IN_ALL),
	COLUMN(tp_cluster, shared, "shared", BOOL, .acts = IN_ALL),
	COLUMN(tp_cluster, host, "host", TEXT, .acts = 0),
	COLUMN(tp_cluster, seconds, "seconds", REAL, .acts = 0),
	COLUMN(tp_cluster, time_limit, "time_limit", TEXT, .acts = IN_ALL),
	COLUMN(tp_cluster, started, "started", TEXT, .acts = 0),
};

const struct tp_table tp_cluster_table = { .name = "cluster",
					   TP_TABLE(struct tp_cluster, head_columns) };

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
	enum tp_status status = tp_row_unpack(&tp_cluster_node_table, entry, &row, name, diag);
	if (status != TP_OK)
		return status;
	/* A name that was cut is another one. */
	const char *whole = json_string_value(json_object_get(entry, "node"));
	status = tp_cluster_add(cluster, whole ? whole : "", &why);
	if (status != TP_OK) {
		snprintf(what, sizeof(what), "node \"%.80s\": %.160s", why.where, why.what);
		return damaged(name, what, diag);
	}
	if (!tp_cluster_job_is_good(row.job))
		return damaged(name, "a node has an impossible job", diag);
	*tp_cluster_node(cluster, row.name) = row;
	return TP_OK;
}

static enum tp_status read_head(struct tp_cluster *cluster, const json_t *root, const char *name,
				struct tp_diag *diag)
{
	const char *format = json_string_value(json_object_get(root, "format"));
	const json_t *version = json_object_get(root, "version");
	if (!format || strcmp(format, format_word) != 0)
		return damaged(name, "is not a file of a cluster run", diag);
	if (!json_is_integer(version) || json_integer_value(version) != FORMAT_VERSION)
		return tp_fail(diag, TP_USAGE, name, "use the tprof that wrote it",
			       "was written by another version of tprof");
	enum tp_status status = tp_row_unpack(&tp_cluster_table, root, cluster, name, diag);
	if (status != TP_OK)
		return status;
	if (!tp_cluster_job_is_good(cluster->job))
		return damaged(name, "has an impossible job", diag);
	struct tp_domain part;
	char parsed[32];
	snprintf(parsed, sizeof(parsed), "%s:0/1", cluster->per);
	if (*cluster->per && !tp_domain_parse(parsed, &part))
		return damaged(name, "has nodes with impossible parts", diag);
	if (*cluster->program && *cluster->program != '-' &&
	    !tp_text_fault(cluster->program, strlen(cluster->program), "") &&
	    isfinite(cluster->seconds) && cluster->seconds >= 0)
		return TP_OK;
	return damaged(name, "names no program, or an impossible time", diag);
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

void tp_cluster_text(const struct tp_cluster *cluster, struct tp_str *out)
{
	json_t *nodes = json_array();
	json_t *root = json_pack("{s:s, s:i}", "format", format_word, "version", FORMAT_VERSION);
	if (!root)
		tp_out_of_memory();
	tp_row_pack(&tp_cluster_table, TP_IN_JSON, cluster, root);
	for (size_t i = 0; i < cluster->n_nodes; i++)
		tp_json_append(nodes, tp_row_object(&tp_cluster_node_table, &cluster->nodes[i]));
	tp_json_set(root, "nodes", nodes);
	tp_json_add(out, root, JSON_INDENT(1));
	tp_str_add(out, "\n");
}
