/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cluster/nodes.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/now.h"
#include "base/text.h"
#include "machine/machine.h"
#include "record/event.h"
#include "record/load.h"

bool tp_node_has_ended(enum tp_node_state state)
{
	return state != TP_NODE_WAITING && state != TP_NODE_RUNNING;
}

/* isalnum() would ask the locale. */
static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool tp_text_is_plain(const char *text, const char *first, const char *more)
{
	if (!*text || (!is_letter(*text) && !strchr(first, *text)))
		return false;
	for (; *text; text++)
		if (!is_letter(*text) && !strchr(more, *text))
			return false;
	return true;
}

bool tp_node_name_is_good(const char *name)
{
	return strlen(name) < TP_NODE_NAME_BYTES && tp_text_is_plain(name, "", "-_.");
}

bool tp_cluster_job_is_good(const char *job)
{
	return !*job || tp_text_is_plain(job, "", "_.@+");
}

bool tp_cluster_program_is_good(const char *program)
{
	return tp_text_is_plain(program, "/.", "-_./+");
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

void tp_cluster_release(struct tp_cluster *cluster)
{
	for (size_t i = 0; i < cluster->n_nodes; i++)
		tp_node_forget(&cluster->nodes[i]);
	free(cluster->nodes);
	tp_tally_release(&cluster->added);
	*cluster = (struct tp_cluster){ 0 };
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
			       "this is not a name of a node");
	if (cluster->n_nodes == TP_CLUSTER_NODES_MAX)
		return tp_fail(diag, TP_USAGE, shown, NULL, "a cluster run has at most %d nodes",
			       TP_CLUSTER_NODES_MAX);
	/* A list that was sorted and goes on. */
	for (size_t i = cluster->added.n_items; i < cluster->n_nodes; i++)
		tp_tally_add(&cluster->added, cluster->nodes[i].name);
	if (tp_tally_find(&cluster->added, name))
		return tp_fail(diag, TP_USAGE, shown, "name every node once",
			       "this node is there twice");
	tp_tally_add(&cluster->added, name);
	TP_RESERVE(cluster->nodes, cluster->cap_nodes, cluster->n_nodes + 1);
	struct tp_cluster_node *node = &cluster->nodes[cluster->n_nodes++];
	*node = (struct tp_cluster_node){ .state = TP_NODE_WAITING };
	tp_copy(node->name, sizeof(node->name), name);
	tp_now_utc(node->changed);
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
	tp_now_utc(node->changed);
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

const char *tp_node_path(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
			 const char *tail, char out[TP_PATH_MAX])
{
	snprintf(out, TP_PATH_MAX, "%s/nodes/%s%s", cluster->directory, node->name, tail);
	return out;
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
	bool odd = is_other(tp_node_path(cluster, node, "", path));
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
	char path[TP_PATH_MAX];
	return tp_is_file(tp_node_path(cluster, node, "/run.json", path)) &&
	       tp_is_file(tp_node_path(cluster, node, "/journal.ndjson", path));
}

/* A start that was killed before its first event leaves a folder that no run can go on with. */
void tp_node_clear(const struct tp_cluster *cluster, const struct tp_cluster_node *node)
{
	char path[TP_PATH_MAX];
	unlink(tp_node_path(cluster, node, "/preset.yaml", path));
	unlink(tp_node_path(cluster, node, "/journal.ndjson", path));
	rmdir(tp_node_path(cluster, node, "", path));
}

/* The nodes of `from` and this list are exchanged. */
static void take_list(struct tp_cluster *cluster, struct tp_cluster *from)
{
	const struct tp_cluster old = *cluster;
	tp_cluster_sort(from);
	cluster->nodes = from->nodes;
	cluster->n_nodes = from->n_nodes;
	cluster->cap_nodes = from->cap_nodes;
	from->nodes = old.nodes;
	from->n_nodes = old.n_nodes;
	from->cap_nodes = old.cap_nodes;
}

enum tp_status tp_cluster_keep_nodes(struct tp_cluster *cluster, const char *nodes,
				     struct tp_diag *diag)
{
	uint64_t n;
	TP_CLEANUP(tp_cluster_release) struct tp_cluster kept = { 0 };
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
	if (status == TP_OK)
		take_list(cluster, &kept);
	return status;
}

/*
 * --- what the nodes have so far ---
 *
 * A run that has ended has its state at the head of its run.json. For a running one the journal is
 * read, only its new part.
 */

enum { LINE_MAX_BYTES = 1 << 20, HEAD_BYTES = 128 };

struct tp_cluster_seen {
	struct timespec written; /* of the run.json that was read last */
	off_t size;
	bool ended, complete; /* by it, the run is over; every point of it was tried */
	off_t at; /* where the first line of the journal begins that was not read */
	unsigned char *done; /* by point: 1 = it is finished */
	size_t n, cap;
};

void tp_node_forget(struct tp_cluster_node *node)
{
	if (node->seen)
		free(node->seen->done);
	free(node->seen);
	node->seen = NULL;
}

bool tp_node_ran_to_its_end(const struct tp_cluster_node *node)
{
	return node->seen && node->seen->complete;
}

/* True where run.json is the end of the run. */
static bool look_at_result(const struct tp_cluster *cluster, struct tp_cluster_node *node)
{
	struct tp_cluster_seen *seen = node->seen;
	struct tp_run_entry entry = { 0 };
	struct stat st;
	char path[TP_PATH_MAX];
	if (stat(tp_node_path(cluster, node, "/run.json", path), &st) != 0)
		return false;
	if (st.st_size == seen->size && st.st_mtim.tv_sec == seen->written.tv_sec &&
	    st.st_mtim.tv_nsec == seen->written.tv_nsec)
		return seen->ended;
	seen->written = st.st_mtim;
	seen->size = st.st_size;
	seen->ended = tp_run_entry_head(path, &entry);
	seen->complete = seen->ended && strcmp(entry.state, "complete") == 0;
	if (entry.n_planned)
		node->n_points = (unsigned)entry.n_planned;
	if (seen->ended)
		node->n_done = (unsigned)entry.n_done;
	return seen->ended;
}

static void set_done(struct tp_cluster_seen *seen, unsigned point, bool done)
{
	if (point >= TP_RUN_POINTS_MAX || (point >= seen->n && !done))
		return;
	if (point >= seen->n) {
		TP_RESERVE(seen->done, seen->cap, point + 1);
		memset(seen->done + seen->n, 0, point + 1 - seen->n);
		seen->n = point + 1;
	}
	seen->done[point] = done;
}

/* Only ends of points and plans are parsed: nearly all lines are samples. */
static void take_line(struct tp_cluster_node *node, struct tp_event *event, const char *line,
		      size_t len)
{
	char head[HEAD_BYTES];
	snprintf(head, sizeof(head), "%.*s", (int)TP_MIN(len, sizeof(head) - 1), line);
	if (!strstr(head, "\"point_end\"") && !strstr(head, "\"plan\""))
		return;
	if (tp_event_parse(event, line, len, NULL) != TP_OK)
		return;
	if (event->kind == TP_EVENT_PLAN && event->n_points <= TP_RUN_POINTS_MAX)
		node->n_points = event->n_points;
	else if (event->kind == TP_EVENT_POINT_END)
		set_done(node->seen, event->point.point,
			 event->point.state == TP_POINT_DONE ||
				 event->point.state == TP_POINT_UNNEEDED);
}

static void read_new_lines(struct tp_cluster_node *node, int fd, off_t size)
{
	struct tp_cluster_seen *seen = node->seen;
	TP_CLEANUP(tp_lines_release) struct tp_lines lines = { .limit = LINE_MAX_BYTES };
	TP_FREE struct tp_event *event = tp_alloc(1, sizeof(*event));
	char *line;
	size_t len;
	/* It was replaced, or its last half line was cut off. */
	if (size < seen->at) {
		seen->at = 0;
		seen->n = 0;
	}
	off_t read_to = seen->at;
	if (lseek(fd, read_to, SEEK_SET) != read_to)
		return;
	for (ssize_t got;
	     read_to < TP_JOURNAL_MAX_BYTES && (got = tp_lines_read(&lines, fd)) > 0;) {
		read_to += got;
		while ((line = tp_lines_next(&lines, &len)))
			take_line(node, event, line, len);
		/* Whole lines only: the rest is read again when it has its end. */
		seen->at = read_to - (off_t)(lines.text.len - lines.at);
	}
	node->n_done = 0;
	for (size_t i = 0; i < seen->n; i++)
		node->n_done += seen->done[i];
}

static void look_at_journal(const struct tp_cluster *cluster, struct tp_cluster_node *node)
{
	struct stat st;
	char path[TP_PATH_MAX];
	int fd;
	if (!tp_is_file(tp_node_path(cluster, node, "/journal.ndjson", path)))
		node->n_done = 0;
	else if (tp_file_open(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW, &fd, NULL) == TP_OK) {
		if (fstat(fd, &st) == 0 && st.st_size != node->seen->at)
			read_new_lines(node, fd, st.st_size);
		close(fd);
	}
}

void tp_node_look(const struct tp_cluster *cluster, struct tp_cluster_node *node)
{
	if (!node->seen)
		node->seen = tp_alloc(1, sizeof(*node->seen));
	if (!look_at_result(cluster, node))
		look_at_journal(cluster, node);
}

void tp_cluster_look(struct tp_cluster *cluster)
{
	for (size_t i = 0; i < cluster->n_nodes; i++) {
		struct tp_cluster_node *node = &cluster->nodes[i];
		/* Nothing grows where everything is there. */
		if (node->state == TP_NODE_DONE && node->n_points && node->n_done == node->n_points)
			continue;
		tp_node_look(cluster, node);
		if (tp_node_ran_to_its_end(node) && node->n_points &&
		    node->n_done >= node->n_points)
			tp_node_set(node, TP_NODE_DONE, NULL);
	}
}

/*
 * --- parts of nodes ---
 *
 * --per socket, --per numa: a tprof for each part of a node. tprof there finds the CPUs of its part
 * and checks their number, so that nothing is measured twice or left out.
 */

/* "numa:4" into its two parts; 0 = no number. */
static bool read_per(const char *per, enum tp_domain_kind *kind, unsigned *n)
{
	uint64_t number;
	size_t len = strcspn(per, ":");
	*n = 0;
	for (*kind = TP_DOMAIN_SOCKET; *kind <= TP_DOMAIN_NUMA; ++*kind) {
		const char *word = tp_domain_word(*kind);
		if (strlen(word) != len || memcmp(word, per, len) != 0)
			continue;
		if (!per[len])
			return true;
		if (!tp_parse_u64(per + len + 1, &number) || number < 1 || number > TP_DOMAINS_MAX)
			return false;
		*n = (unsigned)number;
		return true;
	}
	return false;
}

static enum tp_status add_parts(struct tp_cluster *divided, const struct tp_cluster_node *node,
				unsigned n, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	for (unsigned i = 0; i < n && status == TP_OK; i++) {
		char name[TP_NODE_NAME_BYTES + 16];
		snprintf(name, sizeof(name), "%s.%u", node->name, i);
		status = tp_cluster_add(divided, name, diag);
		if (status == TP_OK)
			tp_copy(tp_cluster_node(divided, name)->target, sizeof(node->target),
				node->target);
	}
	return status;
}

enum tp_status tp_cluster_divide(struct tp_cluster *cluster, const char *per, struct tp_diag *diag)
{
	TP_CLEANUP(tp_cluster_release) struct tp_cluster divided = { 0 };
	enum tp_domain_kind kind;
	unsigned n;
	enum tp_status status = TP_OK;
	if (!per || strcmp(per, "node") == 0)
		return TP_OK;
	if (!read_per(per, &kind, &n))
		return tp_fail(diag, TP_USAGE, "--per", "node, socket, numa, or such as numa:4",
			       "\"%.40s\" is not a part of a node", per);
	for (size_t i = 0; i < cluster->n_nodes && status == TP_OK; i++) {
		const struct tp_cluster_node *node = &cluster->nodes[i];
		unsigned parts = n ? n : kind == TP_DOMAIN_SOCKET ? node->n_parts : 0;
		if (parts)
			status = add_parts(&divided, node, parts, diag);
		else
			status =
				tp_fail(diag, TP_USAGE, "--per",
					"give it: --per socket:2, --per numa:4; tprof checks it on "
					"each node",
					"how many there are of them in %s is not known before "
					"tprof runs there",
					node->name);
	}
	if (status != TP_OK)
		return status;
	take_list(cluster, &divided);
	tp_copy(cluster->per, sizeof(cluster->per), tp_domain_word(kind));
	return TP_OK;
}

/* True if the name is "HOST.7" of that host, or of any host if len is 0; *len becomes the length of
 * the host's. */
static bool is_part(const char *name, const char *host, size_t *len, unsigned *part)
{
	const char *dot = strrchr(name, '.');
	uint64_t number;
	if (!dot || !tp_parse_u64(dot + 1, &number) || number >= TP_DOMAINS_MAX ||
	    (*len && ((size_t)(dot - name) != *len || memcmp(name, host, *len) != 0)))
		return false;
	*len = (size_t)(dot - name);
	*part = (unsigned)number;
	return true;
}

void tp_node_host(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
		  char host[TP_NODE_NAME_BYTES])
{
	size_t len = 0;
	unsigned part;
	if (!*cluster->per || !is_part(node->name, NULL, &len, &part))
		len = strlen(node->name);
	snprintf(host, TP_NODE_NAME_BYTES, "%.*s", (int)len, node->name);
}

void tp_node_domain(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
		    char part[32])
{
	size_t len = 0, at = (size_t)(node - cluster->nodes), first = at, last = at;
	unsigned number, other, n = 0;
	part[0] = '\0';
	if (!*cluster->per || !is_part(node->name, NULL, &len, &number))
		return;
	/* Names that begin alike stand together. */
	while (first > 0 && strncmp(cluster->nodes[first - 1].name, node->name, len) == 0)
		first--;
	while (last + 1 < cluster->n_nodes &&
	       strncmp(cluster->nodes[last + 1].name, node->name, len) == 0)
		last++;
	for (size_t i = first; i <= last; i++)
		n += is_part(cluster->nodes[i].name, node->name, &len, &other);
	snprintf(part, 32, "%s:%u/%u", cluster->per, number, n);
}

void tp_node_words(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
		   bool allow_code, char *out, size_t size)
{
	char part[32];
	tp_node_domain(cluster, node, part);
	snprintf(out, size, "%s%s%s", allow_code ? " --allow-code" : "", *part ? " --bind " : "",
		 part);
}
