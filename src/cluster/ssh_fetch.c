/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What nodes of ssh have measured comes here, and is removed there. */
#include "cluster/ssh_parts.h"
#include "base/text.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FETCH_SECONDS  300.0
#define REMOVE_SECONDS 30.0

bool tp_ssh_there(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
		  char path[TP_PATH_MAX])
{
	return tp_node_path(cluster, node, ".there", path);
}

/* --- a command on the node --- */

struct hearing {
	int fd; /* of what it prints, -1 = nowhere */
	size_t bytes;
	int error; /* of writing it */
	char said[256]; /* on standard error, the end of it */
	size_t n_said;
	bool (*go_on)(void *context);
};

static void hear(void *context, size_t stream, const char *bytes, size_t n)
{
	struct hearing *h = context;
	if (stream == 0) {
		h->bytes += TP_MIN(n, (size_t)TP_REMOTE_MAX_BYTES);
		if (h->fd >= 0 && !h->error && h->bytes <= TP_REMOTE_MAX_BYTES &&
		    !tp_write_all(h->fd, bytes, n))
			h->error = errno;
		return;
	}
	size_t size = sizeof(h->said), kept = TP_MIN(n, size);
	size_t old = TP_MIN(h->n_said, size - kept);
	memmove(h->said, h->said + h->n_said - old, old);
	memcpy(h->said + old, bytes + n - kept, kept);
	h->n_said = old + kept;
}

static bool goes_on(void *context)
{
	const struct hearing *h = context;
	return !h->error && h->bytes <= TP_REMOTE_MAX_BYTES && (!h->go_on || h->go_on(NULL));
}

static enum tp_status run(const struct tp_ssh_words *words, struct hearing *h, double limit_seconds,
			  const char *name, struct tp_diag *diag)
{
	const struct tp_command_line line = { .words = (char *const *)words->items,
					      .limit_seconds = limit_seconds,
					      .heard = hear,
					      .go_on = goes_on,
					      .context = h };
	struct tp_command_run run;
	char last[160];
	enum tp_status status = tp_command_run(&line, &run, diag);
	if (h->error)
		status = tp_fail(diag, TP_IO, name, NULL, "cannot be written here: %s",
				 strerror(h->error));
	else if (h->bytes > TP_REMOTE_MAX_BYTES)
		status = tp_fail(diag, TP_FAILED, name, NULL, "they are longer than %d MiB",
				 TP_REMOTE_MAX_BYTES >> 20);
	else if (status == TP_OK && run.late)
		status = tp_fail(diag, TP_FAILED, name, NULL, "they did not come within %.0f s",
				 limit_seconds);
	else if (status == TP_OK && (run.end.signal || run.end.code))
		status = tp_fail(diag, TP_FAILED, name, NULL, "%s",
				 *tp_last_line(last, sizeof(last), h->said, h->n_said)
					 ? last
					 : "the connection broke");
	tp_command_run_release(&run);
	return status;
}

/* --- all of it --- */

static void remove_there(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
			 bool (*go_on)(void *context))
{
	struct tp_ssh_words words;
	struct hearing h = { .fd = -1, .go_on = go_on };
	char path[TP_PATH_MAX];
	/* What cannot be removed now may be so with the next `collect`. */
	if (tp_ssh_removing(&words, cluster, node, NULL) == TP_OK &&
	    run(&words, &h, REMOVE_SECONDS, node->name, NULL) == TP_OK &&
	    tp_ssh_there(cluster, node, path))
		unlink(path);
	tp_ssh_words_release(&words);
}

static enum tp_status fetch(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
			    bool (*go_on)(void *context), struct tp_diag *diag)
{
	struct tp_ssh_words words;
	struct hearing h = { .go_on = go_on };
	char path[TP_PATH_MAX];
	enum tp_status status = tp_ssh_printing(&words, cluster, node, diag);
	if (status == TP_OK)
		status = tp_node_own_folder(cluster, node, diag);
	if (status == TP_OK && !tp_node_path(cluster, node, TP_REMOTE_COMING, path))
		status = tp_fail(diag, TP_USAGE, node->name, NULL, "path too long");
	if (status == TP_OK) {
		unlink(path);
		h.fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (h.fd < 0)
			status = tp_fail(diag, TP_IO, path, NULL, "%s", strerror(errno));
	}
	if (status == TP_OK) {
		status = run(&words, &h, FETCH_SECONDS, node->name, diag);
		close(h.fd);
		if (status == TP_OK)
			status = tp_remote_take(cluster, node, diag);
		unlink(path);
	}
	tp_ssh_words_release(&words);
	return status;
}

enum tp_status tp_ssh_fetch(const struct tp_cluster *cluster, struct tp_cluster_node *node,
			    bool (*go_on)(void *context), struct tp_diag *diag)
{
	char path[TP_PATH_MAX];
	enum tp_status status = TP_OK;
	tp_node_look(cluster, node);
	if (!tp_node_ran_to_its_end(node)) {
		status = fetch(cluster, node, go_on, diag);
		tp_node_look(cluster, node);
	}
	/* Points that failed are measured again in that directory. */
	if (tp_node_ran_to_its_end(node) && node->n_points && node->n_done >= node->n_points &&
	    tp_ssh_there(cluster, node, path) && tp_is_file(path))
		remove_there(cluster, node, go_on);
	return status;
}
