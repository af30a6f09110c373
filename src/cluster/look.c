/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the nodes have so far. A run that has ended says so at the head of its run.json. Of one that
 * goes on the journal tells, of which only what is new is read.
 */
#include "cluster/parts.h"
#include "base/file.h"
#include "base/memory.h"
#include "record/load.h"
#include "record/event.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 1 << 20, READ_BYTES = 1 << 16, HEAD_LINES_BYTES = 128 };

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
	if (!tp_node_path(cluster, node, "/run.json", path) || stat(path, &st) != 0)
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

static bool set_done(struct tp_cluster_seen *seen, unsigned point, bool done)
{
	if (point >= TP_RUN_POINTS_MAX)
		return false;
	if (point >= seen->n) {
		if (!done)
			return true;
		if (tp_vec_reserve((void **)&seen->done, &seen->cap, point + 1, 1) != TP_OK)
			return false;
		memset(seen->done + seen->n, 0, point + 1 - seen->n);
		seen->n = point + 1;
	}
	seen->done[point] = done;
	return true;
}

/* Only ends of points and plans are parsed: nearly all lines are samples. */
static void take_line(struct tp_cluster_node *node, struct tp_event *event, const char *line,
		      size_t len)
{
	char head[HEAD_LINES_BYTES];
	snprintf(head, sizeof(head), "%.*s", (int)TP_MIN(len, sizeof(head) - 1), line);
	if (!strstr(head, "\"point_end\"") && !strstr(head, "\"plan\""))
		return;
	if (tp_event_parse(event, line, len, NULL) != TP_OK)
		return;
	if (event->kind == TP_EVENT_PLAN && event->n_points <= TP_RUN_POINTS_MAX)
		node->n_points = event->n_points;
	else if (event->kind == TP_EVENT_POINT_END)
		set_done(node->seen, event->point.point, event->point.state == TP_POINT_DONE);
}

static void look_at_journal(const struct tp_cluster *cluster, struct tp_cluster_node *node)
{
	struct tp_cluster_seen *seen = node->seen;
	struct tp_lines lines = { .limit = LINE_MAX_BYTES };
	struct tp_event *event = NULL;
	struct stat st;
	char path[TP_PATH_MAX], *line;
	size_t len;
	int fd;
	if (!tp_node_path(cluster, node, "/journal.ndjson", path) || !tp_is_file(path)) {
		node->n_done = 0;
		return;
	}
	if (tp_file_open(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW, &fd, NULL) != TP_OK)
		return;
	if (fstat(fd, &st) != 0 || st.st_size == seen->at || !(event = malloc(sizeof(*event))))
		goto out;
	/* It was replaced, or its last half line was cut off. */
	if (st.st_size < seen->at) {
		seen->at = 0;
		seen->n = 0;
	}
	off_t at = seen->at, read_to = at;
	if (lseek(fd, at, SEEK_SET) != at)
		goto out;
	for (ssize_t got;
	     read_to < TP_JOURNAL_MAX_BYTES && (got = tp_lines_read(&lines, fd)) > 0;) {
		read_to += got;
		while ((line = tp_lines_next(&lines, &len)))
			take_line(node, event, line, len);
		/* Whole lines only: the rest is read again when it has its end. */
		seen->at = read_to - (off_t)(lines.text.len - lines.at);
		if (lines.text.oom)
			break;
	}
	node->n_done = 0;
	for (size_t i = 0; i < seen->n; i++)
		node->n_done += seen->done[i];
out:
	tp_lines_release(&lines);
	free(event);
	close(fd);
}

void tp_node_look(const struct tp_cluster *cluster, struct tp_cluster_node *node)
{
	if (!node->seen && !(node->seen = calloc(1, sizeof(*node->seen))))
		return;
	if (!look_at_result(cluster, node))
		look_at_journal(cluster, node);
}

enum tp_status tp_cluster_look(struct tp_cluster *cluster, struct tp_diag *diag)
{
	for (size_t i = 0; i < cluster->n_nodes; i++) {
		struct tp_cluster_node *node = &cluster->nodes[i];
		/* Nothing grows where everything is there. */
		if (node->state == TP_NODE_DONE && node->n_points && node->n_done == node->n_points)
			continue;
		tp_node_look(cluster, node);
		if (!node->seen)
			return tp_fail(diag, TP_NOMEM, cluster->directory, NULL, "out of memory");
		if (tp_node_ran_to_its_end(node) && node->n_points &&
		    node->n_done >= node->n_points)
			tp_node_set(node, TP_NODE_DONE, NULL);
	}
	return TP_OK;
}
