/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --cluster ssh:HOSTFILE: plain OpenSSH. Every node measures into a directory below its user's
 * home; its events come back while it measures, and its run.json at the end, so that the nodes
 * share nothing but the program.
 *
 * A word behind the host is read by a shell there. It is one fixed text and words of letters,
 * digits and "-_./+@": nothing that a shell acts on.
 */
#include "cluster/parts.h"
#include "base/text.h"
#include "base/units.h"
#include "base/vec.h"
#include "record/run.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FETCH_SECONDS 120.0
enum { HOSTS_MAX_BYTES = 4 << 20, LINE_MAX_BYTES = 1024, WORDS_MAX = 24, SSH_FAILED = 255 };

/* $0 is tprof there, $1 its run directory below the home of its user. */
#define SHELL "sh -c '%s' "

struct target {
	char user[64], host[TP_NODE_NAME_BYTES], port[8];
};

/* user@host:port, where user and port may be missing. */
static enum tp_status read_target(const char *text, struct target *t, struct tp_diag *diag)
{
	const char *at = strchr(text, '@'), *host = at ? at + 1 : text;
	const char *colon = strchr(host, ':');
	size_t n = colon ? (size_t)(colon - host) : strlen(host);
	uint64_t port = 22;
	char shown[96];
	*t = (struct target){ 0 };
	tp_shown(shown, sizeof(shown), text, strlen(text));
	bool good = n < sizeof(t->host) && (!at || (size_t)(at - text) < sizeof(t->user));
	if (good) {
		memcpy(t->host, host, n);
		if (at)
			memcpy(t->user, text, (size_t)(at - text));
		good = tp_node_name_is_good(t->host) && (!at || tp_node_name_is_good(t->user));
	}
	if (good && colon)
		good = strlen(colon + 1) < sizeof(t->port) && tp_parse_u64(colon + 1, &port) &&
		       port >= 1 && port <= 65535 && tp_copy(t->port, sizeof(t->port), colon + 1);
	return good ? TP_OK
		    : tp_fail(diag, TP_USAGE, shown,
			      "one host a line: host, user@host or user@host:port, of letters, "
			      "digits, \"-\", \"_\" and \".\"",
			      "this is no host");
}

static enum tp_status is_supported(struct tp_diag *diag)
{
	char path[TP_PATH_MAX];
	return tp_program_find("ssh", path)
		       ? TP_OK
		       : tp_fail(diag, TP_UNSUPPORTED, "--cluster ssh", "install an OpenSSH client",
				 "there is no program ssh in PATH");
}

static enum tp_status odd_program(const char *program, struct tp_diag *diag)
{
	char shown[96];
	return tp_fail(diag, TP_USAGE, "--program",
		       "letters, digits, \"-\", \"_\", \".\", \"/\" and \"+\"",
		       "\"%s\" holds a character that a shell may act on",
		       tp_shown(shown, sizeof(shown), program, strlen(program)));
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
	struct target target;
	struct tp_diag why;
	char text[LINE_MAX_BYTES + 1], place[192];
	(void)whole;
	snprintf(place, sizeof(place), "%.150s:%zu", r->file, number);
	if (!line)
		return tp_fail(r->diag, TP_USAGE, place, NULL, "this line is no host: too long");
	len = strnlen(line, TP_MIN(len, strcspn(line, "#")));
	tp_trim(&line, &len);
	if (!len)
		return TP_OK;
	snprintf(text, sizeof(text), "%.*s", (int)len, line);
	enum tp_status status = read_target(text, &target, &why);
	if (status == TP_OK)
		status = tp_cluster_add(r->cluster, target.host, &why);
	if (status != TP_OK)
		return tp_fail(r->diag, status, place, why.hint, "\"%.100s\": %.200s", why.where,
			       why.what);
	struct tp_cluster_node *node = tp_cluster_node(r->cluster, target.host);
	tp_copy(node->target, sizeof(node->target), text);
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
		return odd_program(wish->program, diag);
	if (wish->partition)
		return tp_fail(diag, TP_USAGE, "--partition", "leave it out",
			       "hosts of ssh have no partitions");
	enum tp_status status = tp_file_lines(wish->where, HOSTS_MAX_BYTES, LINE_MAX_BYTES,
					      take_host, &reading, diag);
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

/* --- commands --- */

struct words {
	const char *items[WORDS_MAX];
	size_t n;
	struct target target;
	struct tp_str remote; /* what the shell of the node reads */
};

static enum tp_status begin(struct words *w, const struct tp_cluster *cluster,
			    const struct tp_cluster_node *node, struct tp_diag *diag)
{
	static const char *const always[] = { "ssh", "-T",
					      "-o",  "BatchMode=yes",
					      "-o",  "ConnectTimeout=10",
					      "-o",  "ServerAliveInterval=15",
					      "-o",  "ServerAliveCountMax=4" };
	*w = (struct words){ 0 };
	/* cluster.json may be a stranger's. */
	enum tp_status status = read_target(node->target, &w->target, diag);
	if (status != TP_OK)
		return status;
	if (!tp_cluster_program_is_good(cluster->program) || !tp_cluster_job_is_good(cluster->job))
		return odd_program(cluster->program, diag);
	for (size_t i = 0; i < TP_COUNT_OF(always); i++)
		w->items[w->n++] = always[i];
	if (*w->target.user) {
		w->items[w->n++] = "-l";
		w->items[w->n++] = w->target.user;
	}
	if (*w->target.port) {
		w->items[w->n++] = "-p";
		w->items[w->n++] = w->target.port;
	}
	w->items[w->n++] = "--";
	w->items[w->n++] = w->target.host;
	return TP_OK;
}

static enum tp_status measuring(struct words *w, const struct tp_cluster *cluster,
				const struct tp_cluster_node *node, bool allow_code,
				struct tp_diag *diag)
{
	enum tp_status status = begin(w, cluster, node, diag);
	if (status != TP_OK)
		return status;
	tp_str_printf(&w->remote, SHELL "%s .tprof-cluster/%s/%s%s", tp_remote_script,
		      cluster->program, cluster->job, node->name,
		      allow_code ? " --allow-code" : "");
	w->items[w->n++] = tp_str_text(&w->remote);
	return w->remote.oom ? tp_fail(diag, TP_NOMEM, node->name, NULL, "out of memory") : TP_OK;
}

static enum tp_status describe(const struct tp_cluster *cluster, const struct tp_cluster_wish *wish,
			       struct tp_str *out, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < cluster->n_nodes && status == TP_OK; i++) {
		struct words w;
		struct tp_str line = { 0 };
		status = measuring(&w, cluster, &cluster->nodes[i], wish->allow_code, diag);
		for (size_t k = 0; k < w.n && status == TP_OK; k++)
			tp_command_join(&line, w.items[k]);
		tp_str_printf(out, "%s <%s\n", tp_str_text(&line), wish->preset_path);
		tp_str_release(&line);
		tp_str_release(&w.remote);
	}
	return status;
}

static enum tp_status start_node(struct tp_cluster *cluster, struct tp_cluster_node *node,
				 const struct tp_cluster_wish *wish, struct tp_diag *diag)
{
	struct words w;
	char journal[TP_PATH_MAX];
	enum tp_status status = measuring(&w, cluster, node, wish->allow_code, diag);
	if (status == TP_OK)
		status = tp_remote_begin(cluster, node, journal, diag);
	if (status == TP_OK) {
		const struct tp_detached detached = { .words = (char *const *)w.items,
						      .input = wish->preset_path,
						      .output = journal };
		status = tp_detached_start(cluster, node, &detached, diag);
	}
	tp_str_release(&w.remote);
	return status;
}

static enum tp_status submit(struct tp_cluster *cluster, const struct tp_cluster_wish *wish,
			     struct tp_diag *diag)
{
	enum tp_status status = tp_detached_here(cluster, diag);
	for (size_t i = 0; i < cluster->n_nodes && status == TP_OK; i++) {
		struct tp_cluster_node *node = &cluster->nodes[i];
		struct tp_diag why = { 0 };
		if (node->state == TP_NODE_DONE || tp_detached_lives(node))
			continue;
		if (start_node(cluster, node, wish, &why) != TP_OK)
			tp_node_set(node, TP_NODE_FAILED, why.what);
	}
	return status;
}

/* --- what comes back --- */

struct coming {
	const struct tp_cluster *cluster;
	int fd;
};

static bool may_come(void *context)
{
	const struct coming *coming = context;
	const struct tp_cluster *cluster = coming->cluster;
	struct stat st;
	return (!cluster->go_on || cluster->go_on(cluster->context)) &&
	       fstat(coming->fd, &st) == 0 && st.st_size <= TP_RUN_JSON_MAX_BYTES;
}

/* The run.json of a node; one that did not arrive whole is not taken. */
static void fetch_node(const struct tp_cluster *cluster, const struct tp_cluster_node *node)
{
	struct words w;
	struct tp_command_run run;
	char path[TP_PATH_MAX];
	if (begin(&w, cluster, node, NULL) != TP_OK ||
	    !tp_node_path(cluster, node, TP_REMOTE_COMING, path))
		return;
	tp_str_printf(&w.remote, "cat .tprof-cluster/%s/%s/run.json", cluster->job, node->name);
	w.items[w.n++] = tp_str_text(&w.remote);
	unlink(path);
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	struct coming coming = { cluster, fd };
	const struct tp_command_line line = { .words = (char *const *)w.items,
					      .streams = (const int[]){ fd, -1 },
					      .limit_seconds = FETCH_SECONDS,
					      .go_on = may_come,
					      .context = &coming };
	if (fd >= 0) {
		bool came = tp_command_run(&line, &run, NULL) == TP_OK && !run.late &&
			    !run.end.signal && !run.end.code;
		tp_command_run_release(&run);
		close(fd);
		if (!came || !tp_remote_take(cluster, node))
			unlink(path);
	}
	tp_str_release(&w.remote);
}

/* Ends of ssh itself have a status of their own; what it said is in the node's words. */
static void end_node(const struct tp_cluster *cluster, struct tp_cluster_node *node)
{
	char words[256], said[160];
	int number = 0;
	bool signal = false;
	bool noted = tp_node_exit(cluster, node, &number, &signal);
	/* So it ends for a command that was killed there, too. */
	bool lost = noted && !signal && number == SSH_FAILED;
	tp_node_look(cluster, node);
	if (!lost || node->n_points)
		fetch_node(cluster, node);
	if (lost) {
		tp_node_said(cluster, node, said, sizeof(said));
		snprintf(words, sizeof(words), "%s%s",
			 strncmp(said, "ssh: ", 5) == 0 ? "" : "ssh: ",
			 *said ? said : "the connection broke");
	} else if (!tp_remote_lacks_program(cluster, node, words, sizeof(words))) {
		tp_node_ended_words(cluster, node, words, sizeof(words));
	}
	tp_node_end(cluster, node, words);
	if (lost && node->state == TP_NODE_FAILED)
		tp_node_set(node, TP_NODE_UNREACHABLE, words);
}

static enum tp_status ask(struct tp_cluster *cluster, struct tp_diag *diag)
{
	enum tp_status status = tp_detached_here(cluster, diag);
	for (size_t i = 0; i < cluster->n_nodes && status == TP_OK; i++) {
		struct tp_cluster_node *node = &cluster->nodes[i];
		if (!tp_node_has_ended(node->state) && !tp_detached_lives(node))
			end_node(cluster, node);
	}
	return status;
}

/* Results of nodes that could not be reached when they ended. */
static enum tp_status fetch(struct tp_cluster *cluster, struct tp_diag *diag)
{
	(void)diag;
	for (size_t i = 0; i < cluster->n_nodes; i++) {
		struct tp_cluster_node *node = &cluster->nodes[i];
		if (!tp_node_has_ended(node->state) || node->state == TP_NODE_UNREACHABLE ||
		    tp_node_ran_to_its_end(node))
			continue;
		fetch_node(cluster, node);
		tp_node_look(cluster, node);
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
