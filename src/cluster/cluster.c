/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cluster/cluster.h"
#include "cluster/parts.h"
#include "base/text.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

bool tp_node_has_ended(enum tp_node_state state)
{
	return state != TP_NODE_WAITING && state != TP_NODE_RUNNING;
}

/* isalnum() would ask the locale. */
static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool tp_node_name_is_good(const char *name)
{
	size_t n = strlen(name);
	if (n == 0 || n >= TP_NODE_NAME_BYTES || !is_letter(name[0]))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!is_letter(name[i]) && !strchr("-_.", name[i]))
			return false;
	return true;
}

bool tp_cluster_job_is_good(const char *job)
{
	if (*job && !is_letter(*job))
		return false;
	for (; *job; job++)
		if (!is_letter(*job) && !strchr("_.@+", *job))
			return false;
	return true;
}

bool tp_cluster_program_is_good(const char *program)
{
	if (!is_letter(*program) && *program != '/' && *program != '.')
		return false;
	for (const char *c = program; *c; c++)
		if (!is_letter(*c) && !strchr("-_./+", *c))
			return false;
	return true;
}

void tp_cluster_now(char out[32])
{
	time_t now = time(NULL);
	struct tm broken;
	strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &broken));
}

/* --- nodes --- */

static int compare_names(const void *name, const void *node)
{
	return strcmp(name, ((const struct tp_cluster_node *)node)->name);
}

static int compare_nodes(const void *a, const void *b)
{
	return compare_names(((const struct tp_cluster_node *)a)->name, b);
}

struct tp_cluster_node *tp_cluster_node(const struct tp_cluster *cluster, const char *name)
{
	if (cluster->added.n_items) {
		const struct tp_tally_group *group = tp_tally_find(&cluster->added, name);
		return group ? &cluster->nodes[group->first] : NULL;
	}
	return cluster->n_nodes ? bsearch(name, cluster->nodes, cluster->n_nodes,
					  sizeof(*cluster->nodes), compare_names)
				: NULL;
}

void tp_cluster_sort(struct tp_cluster *cluster)
{
	if (cluster->n_nodes)
		qsort(cluster->nodes, cluster->n_nodes, sizeof(*cluster->nodes), compare_nodes);
	tp_tally_release(&cluster->added);
}

enum tp_status tp_cluster_add(struct tp_cluster *cluster, const char *name, struct tp_diag *diag)
{
	char shown[96];
	tp_shown(shown, sizeof(shown), name, strlen(name));
	if (!tp_node_name_is_good(name))
		return tp_fail(diag, TP_USAGE, shown,
			       "allowed: letters, digits, \"-\", \"_\" and \".\", with a letter or "
			       "digit first, at most 71",
			       "this is no name of a node");
	if (cluster->n_nodes == TP_CLUSTER_NODES_MAX)
		return tp_fail(diag, TP_USAGE, shown, NULL, "a cluster run has at most %d nodes",
			       TP_CLUSTER_NODES_MAX);
	enum tp_status status = TP_OK;
	/* A list that was sorted and goes on. */
	for (size_t i = cluster->added.n_items; i < cluster->n_nodes && status == TP_OK; i++)
		status = tp_tally_add(&cluster->added, cluster->nodes[i].name);
	if (status == TP_OK && tp_tally_find(&cluster->added, name))
		return tp_fail(diag, TP_USAGE, shown, "name every node once",
			       "this node is there twice");
	if (status == TP_OK)
		status = tp_vec_reserve((void **)&cluster->nodes, &cluster->cap_nodes,
					cluster->n_nodes + 1, sizeof(*cluster->nodes));
	if (status == TP_OK)
		status = tp_tally_add(&cluster->added, name);
	if (status != TP_OK)
		return tp_fail(diag, TP_NOMEM, shown, NULL, "out of memory");
	struct tp_cluster_node *node = &cluster->nodes[cluster->n_nodes++];
	*node = (struct tp_cluster_node){ .state = TP_NODE_WAITING };
	tp_copy(node->name, sizeof(node->name), name);
	tp_cluster_now(node->changed);
	return TP_OK;
}

void tp_node_set(struct tp_cluster_node *node, enum tp_node_state state, const char *why)
{
	char cleaned[sizeof(node->why)];
	tp_shown(cleaned, sizeof(cleaned), why ? why : "", why ? strlen(why) : 0);
	if (node->state == state && strcmp(node->why, cleaned) == 0)
		return;
	node->state = state;
	tp_copy(node->why, sizeof(node->why), cleaned);
	tp_cluster_now(node->changed);
}

void tp_node_end(const struct tp_cluster *cluster, struct tp_cluster_node *node, const char *why)
{
	char words[sizeof(node->why)];
	/* It may have finished its last point since the last look. */
	tp_node_look(cluster, node);
	bool whole = node->n_points && node->n_done >= node->n_points;
	if (whole && tp_node_ran_to_its_end(node)) {
		tp_node_set(node, TP_NODE_DONE, NULL);
		return;
	}
	if (tp_node_ran_to_its_end(node))
		snprintf(words, sizeof(words), "%u of its points failed",
			 node->n_points - node->n_done);
	else if (whole)
		snprintf(words, sizeof(words),
			 "ended after its last point, before it wrote its results%s%.180s",
			 why ? ": " : "", why ? why : "");
	else
		tp_copy(words, sizeof(words), why ? why : "ended before its last point");
	tp_node_set(node, node->n_done ? TP_NODE_PARTIAL : TP_NODE_FAILED, words);
}

bool tp_node_path(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
		  const char *tail, char out[TP_PATH_MAX])
{
	int n = snprintf(out, TP_PATH_MAX, "%s/nodes/%s%s", cluster->directory, node->name, tail);
	return n > 0 && n < TP_PATH_MAX;
}

static bool is_other(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

enum tp_status tp_node_own_folder(const struct tp_cluster *cluster,
				  const struct tp_cluster_node *node, struct tp_diag *diag)
{
	char path[TP_PATH_MAX];
	if (!tp_node_path(cluster, node, "", path))
		return tp_fail(diag, TP_USAGE, cluster->directory, NULL, "path too long");
	bool odd = is_other(path);
	*strrchr(path, '/') = '\0';
	return odd || is_other(path)
		       ? tp_fail(diag, TP_USAGE, cluster->name, "put a directory in its place",
				 "nodes%s%s is a link or a file, and nothing is written through "
				 "it",
				 odd ? "/" : "", odd ? node->name : "")
		       : TP_OK;
}

bool tp_node_has_run(const struct tp_cluster *cluster, const struct tp_cluster_node *node)
{
	char run[TP_PATH_MAX], journal[TP_PATH_MAX];
	return tp_node_path(cluster, node, "/run.json", run) &&
	       tp_node_path(cluster, node, "/journal.ndjson", journal) && tp_is_file(run) &&
	       tp_is_file(journal);
}

/* A start that was killed before its first event leaves a folder that no run can go on with. */
void tp_node_clear(const struct tp_cluster *cluster, const struct tp_cluster_node *node)
{
	static const char *const files[] = { "/preset.yaml", "/journal.ndjson", "" };
	char path[TP_PATH_MAX];
	for (size_t i = 0; i < TP_COUNT_OF(files); i++) {
		if (!tp_node_path(cluster, node, files[i], path))
			return;
		if (*files[i])
			unlink(path);
		else
			rmdir(path);
	}
}

void tp_cluster_release(struct tp_cluster *cluster)
{
	for (size_t i = 0; i < cluster->n_nodes; i++)
		tp_node_forget(&cluster->nodes[i]);
	free(cluster->nodes);
	tp_tally_release(&cluster->added);
	*cluster = (struct tp_cluster){ 0 };
}

/* --- cluster.json --- */

static void call(struct tp_cluster *cluster)
{
	char folder[TP_PATH_MAX];
	const char *slash = strrchr(cluster->directory, '/');
	size_t n = slash ? (size_t)(slash - cluster->directory) : 0;
	bool ours = slash && tp_path_user_data("runs", folder, NULL) == TP_OK &&
		    strlen(folder) == n && memcmp(folder, cluster->directory, n) == 0;
	if (!ours || !tp_copy(cluster->name, sizeof(cluster->name), slash + 1))
		tp_copy(cluster->name, sizeof(cluster->name), cluster->directory);
}

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
	char path[TP_PATH_MAX], *text;
	size_t len;
	*cluster = (struct tp_cluster){ 0 };
	int n = snprintf(path, sizeof(path), "%s/cluster.json", directory);
	if (n < 0 || n >= TP_PATH_MAX)
		return tp_fail(diag, TP_USAGE, directory, NULL, "path too long");
	const struct tp_cluster_stamp stamp = stamp_of(directory);
	enum tp_status status = tp_file_read(path, TP_CLUSTER_MAX_BYTES, &text, &len, diag);
	if (status != TP_OK)
		return status;
	status = tp_cluster_parse(cluster, path, text, len, diag);
	free(text);
	if (status == TP_OK) {
		tp_copy(cluster->directory, sizeof(cluster->directory), directory);
		cluster->stamp = stamp;
		call(cluster);
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

enum tp_status tp_cluster_write(const char *path, const char *text, size_t len,
				struct tp_diag *diag)
{
	tp_file_make_way(path);
	return tp_file_write(path, text, len, diag);
}

enum tp_status tp_cluster_save(struct tp_cluster *cluster, struct tp_diag *diag)
{
	char path[TP_PATH_MAX];
	struct tp_str text = { 0 };
	int n = snprintf(path, sizeof(path), "%s/cluster.json", cluster->directory);
	if (n < 0 || n >= TP_PATH_MAX)
		return tp_fail(diag, TP_USAGE, cluster->directory, NULL, "path too long");
	enum tp_status status = tp_cluster_text(cluster, &text, diag);
	if (status == TP_OK) {
		status = tp_cluster_write(path, tp_str_text(&text), text.len, diag);
		cluster->stamp = stamp_of(cluster->directory);
	}
	tp_str_release(&text);
	return status;
}

enum tp_status tp_cluster_lock(const char *directory, int *fd, struct tp_diag *diag)
{
	*fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*fd < 0)
		return tp_fail(diag, TP_IO, directory, NULL, "%s", strerror(errno));
	/* Where the file system has no locks, the run goes on all the same. */
	if (flock(*fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return TP_OK;
	close(*fd);
	*fd = -1;
	return tp_fail(diag, TP_RESOURCE, directory, "try again when it is done",
		       "another tprof submits or cancels this cluster run now");
}
