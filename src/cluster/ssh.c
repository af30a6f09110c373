/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --cluster ssh:HOSTFILE: plain OpenSSH. Every node measures into a directory below its user's
 * home; its events come back while it measures, and its run.json at the end, so that the nodes
 * share nothing but the program.
 */
#include "cluster/ssh_parts.h"
#include "base/text.h"
#include "base/vec.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { HOSTS_MAX_BYTES = 4 << 20, LINE_MAX_BYTES = 1024, SSH_FAILED = 255 };

static enum tp_status is_supported(struct tp_diag *diag)
{
	char path[TP_PATH_MAX];
	return tp_program_find("ssh", path)
		       ? TP_OK
		       : tp_fail(diag, TP_UNSUPPORTED, "--cluster ssh", "install an OpenSSH client",
				 "there is no program ssh in PATH");
}

struct reading {
	struct tp_cluster *cluster;
	const char *file;
	struct tp_diag *diag;
};

static enum tp_status take_host(void *context, size_t number, const char *line, size_t len,
				bool whole)
{
	struct reading *r = context;
	struct tp_ssh_target target;
	struct tp_diag why;
	char place[192];
	(void)whole;
	snprintf(place, sizeof(place), "%.150s:%zu", r->file, number);
	if (!line)
		return tp_fail(r->diag, TP_USAGE, place, "one host a line: user@host:port",
			       "this line is no host: it has more than %d bytes", LINE_MAX_BYTES);
	const char *comment = memchr(line, '#', len);
	if (comment)
		len = (size_t)(comment - line);
	tp_trim(&line, &len);
	if (!len)
		return TP_OK;
	enum tp_status status = tp_ssh_target_read(line, len, &target, &why);
	if (status == TP_OK)
		status = tp_cluster_add(r->cluster, target.name, &why);
	if (status != TP_OK)
		return tp_fail(r->diag, status, place, why.hint, "\"%.100s\": %.200s", why.where,
			       why.what);
	struct tp_cluster_node *node = tp_cluster_node(r->cluster, target.name);
	snprintf(node->target, sizeof(node->target), "%.*s", (int)len, line);
	return TP_OK;
}

static enum tp_status name_nodes(struct tp_cluster *cluster, const struct tp_cluster_wish *wish,
				 struct tp_diag *diag)
{
	struct reading reading = { cluster, wish->where, diag };
	if (!*wish->where)
		return tp_fail(diag, TP_USAGE, "--cluster ssh", "such as ssh:hosts.txt",
			       "name the file of the hosts");
	if (wish->program && !tp_cluster_program_is_good(wish->program))
		return tp_ssh_odd_program(wish->program, diag);
	if (wish->partition)
		return tp_fail(diag, TP_USAGE, "--partition", "leave it out",
			       "hosts of ssh have no partitions");
	enum tp_status status = tp_file_lines(wish->where, HOSTS_MAX_BYTES, LINE_MAX_BYTES,
					      take_host, &reading, diag);
	tp_cluster_sort(cluster);
	if (status == TP_OK && !cluster->n_nodes)
		status = tp_fail(diag, TP_USAGE, wish->where, "one host a line", "names no host");
	if (status == TP_OK)
		status = tp_cluster_keep_nodes(cluster, wish->nodes, diag);
	if (status != TP_OK)
		return status;
	tp_copy(cluster->program, sizeof(cluster->program),
		wish->program ? wish->program : "tprof");
	cluster->shared = false;
	/* What the directories on the nodes are called. */
	struct tp_str name = { 0 };
	tp_str_add(&name, "run");
	for (const char *c = cluster->started; *c; c++)
		if (!strchr("-:", *c))
			tp_str_add_n(&name, c, 1);
	tp_str_printf(&name, ".%ld", (long)getpid());
	tp_copy(cluster->job, sizeof(cluster->job), tp_str_text(&name));
	tp_str_release(&name);
	return TP_OK;
}

static enum tp_status describe(const struct tp_cluster *cluster, const struct tp_cluster_wish *wish,
			       struct tp_str *out, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < cluster->n_nodes && status == TP_OK; i++) {
		struct tp_ssh_words w;
		struct tp_str line = { 0 };
		status = tp_ssh_measuring(&w, cluster, &cluster->nodes[i], wish->allow_code, diag);
		for (size_t k = 0; k < w.n && status == TP_OK; k++)
			tp_command_join(&line, w.items[k]);
		tp_str_printf(out, "%s <%s\n", tp_str_text(&line), wish->preset_path);
		tp_str_release(&line);
		tp_ssh_words_release(&w);
	}
	return status;
}

/* --- what comes back --- */

static const char no_results[] = "its results did not come (tprof --cluster collect tries again)";

/*
 * Runs where ssh was waited for. So ssh ends with SSH_FAILED for a command that was killed there,
 * too.
 */
static void fetch_behind(const struct tp_cluster *cluster, struct tp_cluster_node *node,
			 struct tp_process_end end, bool (*go_on)(void *context),
			 struct tp_diag *diag)
{
	struct tp_diag why = { 0 };
	tp_node_look(cluster, node);
	/* Where nothing was measured, ssh or the program has said why. */
	if (!node->n_points)
		return;
	if (tp_ssh_fetch(cluster, node, go_on, &why) != TP_OK && !end.signal && !end.code)
		tp_fail(diag, TP_FAILED, no_results, NULL, "%s", why.what);
}

static enum tp_status start_node(struct tp_cluster *cluster, struct tp_cluster_node *node,
				 const struct tp_cluster_wish *wish, struct tp_diag *diag)
{
	struct tp_ssh_words w;
	char journal[TP_PATH_MAX], there[TP_PATH_MAX];
	enum tp_status status = tp_ssh_measuring(&w, cluster, node, wish->allow_code, diag);
	if (status == TP_OK)
		status = tp_remote_begin(cluster, node, journal, diag);
	if (status == TP_OK && tp_ssh_there(cluster, node, there))
		status = tp_cluster_write(there, "", 0, diag);
	if (status == TP_OK) {
		const struct tp_detached detached = { .words = (char *const *)w.items,
						      .input = wish->preset_path,
						      .output = journal,
						      .after = fetch_behind };
		status = tp_detached_start(cluster, node, &detached, diag);
	}
	tp_ssh_words_release(&w);
	return status;
}

static enum tp_status submit(struct tp_cluster *cluster, const struct tp_cluster_wish *wish,
			     struct tp_diag *diag)
{
	return tp_detached_start_all(cluster, wish, start_node, diag);
}

/* --- how they ended --- */

/* What it printed in the place of events: its first line is told. */
static void say_stranger(const struct tp_cluster *cluster, struct tp_cluster_node *node)
{
	char path[TP_PATH_MAX], head[64] = "", shown[64], words[256];
	int fd;
	if (tp_node_path(cluster, node, "/journal.ndjson", path) &&
	    tp_file_open(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW, &fd, NULL) == TP_OK) {
		if (read(fd, head, sizeof(head) - 1) < 0)
			head[0] = '\0';
		close(fd);
	}
	tp_shown(shown, sizeof(shown), head, strcspn(head, "\r\n"));
	snprintf(words, sizeof(words),
		 "%.80s there prints \"%s\", which this tprof does not read: is it tprof, and of "
		 "the same version?",
		 cluster->program, shown);
	tp_node_set(node, TP_NODE_FAILED, words);
}

static void end_node(const struct tp_cluster *cluster, struct tp_cluster_node *node)
{
	char words[256], said[160];
	int number = 0;
	bool signal = false;
	bool noted = tp_node_exit(cluster, node, &number, &signal) && !signal;
	bool lost = noted && number == SSH_FAILED;
	tp_node_said(cluster, node, said, sizeof(said));
	tp_node_look(cluster, node);
	if (lost)
		snprintf(words, sizeof(words), "%s%s",
			 strncmp(said, "ssh: ", 5) == 0 ? "" : "ssh: ",
			 *said ? said : "the connection broke, or its tprof was killed there");
	else if (!tp_remote_lacks_program(cluster, node, words, sizeof(words)))
		tp_node_ended_words(cluster, node, words, sizeof(words));
	tp_detached_end(cluster, node, words);
	if (lost && node->state == TP_NODE_FAILED)
		tp_node_set(node, TP_NODE_UNREACHABLE, words);
	else if (noted && !number && !node->n_points)
		say_stranger(cluster, node);
	else if (node->state != TP_NODE_DONE && strncmp(said, no_results, strlen(no_results)) == 0)
		tp_node_set(node, node->state, said);
	/* Whatever it printed, it is no run. */
	if (!node->n_points)
		tp_node_clear(cluster, node);
}

static enum tp_status ask(struct tp_cluster *cluster, struct tp_diag *diag)
{
	enum tp_status status = tp_detached_here(cluster, diag);
	for (size_t i = 0; i < cluster->n_nodes && status == TP_OK; i++) {
		struct tp_cluster_node *node = &cluster->nodes[i];
		if (!tp_node_has_ended(node->state) && !tp_detached_lives(cluster, node))
			end_node(cluster, node);
	}
	return status;
}

/* Results of nodes that could not be reached when they ended, and what is to be removed there. */
static enum tp_status fetch(struct tp_cluster *cluster, struct tp_diag *diag)
{
	char there[TP_PATH_MAX];
	(void)diag;
	for (size_t i = 0; i < cluster->n_nodes; i++) {
		struct tp_cluster_node *node = &cluster->nodes[i];
		if (!tp_node_has_ended(node->state) || !node->n_points ||
		    !tp_ssh_there(cluster, node, there) || !tp_is_file(there))
			continue;
		tp_ssh_fetch(cluster, node, NULL, NULL);
		if (tp_node_ran_to_its_end(node))
			tp_node_end(cluster, node, NULL);
	}
	return TP_OK;
}

const struct tp_launcher tp_launcher_ssh = {
	.name = "ssh",
	.summary = "the hosts of a file, by OpenSSH",
	.supported = is_supported,
	.nodes = name_nodes,
	.describe = describe,
	.submit = submit,
	.ask = ask,
	.fetch = fetch,
	.cancel = tp_detached_cancel_all,
};
