/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --cluster ssh:HOSTFILE: plain OpenSSH. Every node measures into a directory below its user's
 * home; its events come back while it measures, and its run.json at the end, so that the nodes
 * share only the program.
 */

#include "cluster/ssh.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "cluster/cluster.h"
#include "cluster/detached.h"
#include "cluster/remote.h"
#include "record/rundir.h"

/* Shells of users differ, so sh does it, and no text holds a single quote or a "!". */
#define SHELL "sh -c '"

/* $0 is the directory of the cluster run, $1 the one of the node in it. Foreign files stay, and
 * then the directory does, too. */
static const char remove_before[] = "if test -h \"$1\"; then exit 1; fi; for f in";

static const char remove_behind[] =
	"; do rm -f -- \"$1/$f\" || exit 1; done; rm -f -- \"$1.yaml\"; "
	"if test -e \"$1\"; then rmdir -- \"$1\" || exit 1; fi; "
	"rmdir -- \"$0\" .tprof-cluster 2>/dev/null; exit 0";

/* --- hosts --- */

/* "[2001:db8::7]" gives the host 2001:db8::7 and the name ip6-2001-db8--7. */
static bool read_address(const char *text, size_t len, struct tp_ssh_target *t)
{
	struct in6_addr address;
	char number[TP_NODE_NAME_BYTES];
	const char *zone = memchr(text, '%', len);
	size_t n = zone ? (size_t)(zone - text) : len;
	if (len + sizeof("ip6-") > sizeof(t->name))
		return false;
	memcpy(t->host, text, len);
	memcpy(number, text, n);
	number[n] = '\0';
	if (inet_pton(AF_INET6, number, &address) != 1)
		return false;
	tp_copy(t->name, sizeof(t->name), "ip6-");
	tp_copy(t->name + 4, sizeof(t->name) - 4, t->host);
	for (char *c = t->name; *c; c++)
		if (*c == ':' || *c == '%')
			*c = *c == ':' ? '-' : '_';
	return tp_node_name_is_good(t->name) && (!zone || zone[1]);
}

static bool read_host(const char *text, size_t len, struct tp_ssh_target *t)
{
	if (len > 2 && text[0] == '[' && text[len - 1] == ']')
		return read_address(text + 1, len - 2, t);
	if (len >= sizeof(t->host))
		return false;
	memcpy(t->host, text, len);
	tp_copy(t->name, sizeof(t->name), t->host);
	return tp_node_name_is_good(t->host);
}

static bool read_parts(const char *text, size_t len, struct tp_ssh_target *t)
{
	uint64_t port = 22;
	const char *at = memchr(text, '@', len), *end_words = text + len,
		   *host = at ? at + 1 : text;
	const char *bracket = memchr(host, ']', (size_t)(end_words - host));
	const char *from = bracket ? bracket : host;
	const char *colon = memchr(from, ':', (size_t)(end_words - from));
	if (memchr(text, '\0', len) || (at && (size_t)(at - text) >= sizeof(t->user)))
		return false;
	if (at)
		memcpy(t->user, text, (size_t)(at - text));
	if (at && !tp_node_name_is_good(t->user))
		return false;
	if (colon && (size_t)(end_words - colon - 1) >= sizeof(t->port))
		return false;
	if (colon)
		memcpy(t->port, colon + 1, (size_t)(end_words - colon - 1));
	if (colon && (!tp_parse_u64(t->port, &port) || port < 1 || port > 65535))
		return false;
	return read_host(host, (size_t)((colon ? colon : end_words) - host), t);
}

enum tp_status tp_ssh_target_read(const char *text, size_t len, struct tp_ssh_target *t,
				  struct tp_diag *diag)
{
	char shown[96];
	*t = (struct tp_ssh_target){ 0 };
	return read_parts(text, len, t)
		       ? TP_OK
		       : tp_fail(diag, TP_USAGE, tp_shown(shown, sizeof(shown), text, len),
				 "one host a line: host, user@host or user@host:port, of letters, "
				 "digits, \"-\", \"_\" and \".\", a letter or digit first; an IPv6 "
				 "address in brackets: [::1]:22",
				 "this is not a host");
}

/*
 * --- command lines ---
 *
 * Words after the host are read by a shell there. It is one of a few fixed texts and words of
 * letters, digits and "-_./+": none of them special to a shell.
 */

enum { WORDS_MAX = 24 };

struct words {
	const char *items[WORDS_MAX]; /* up to NULL; of this struct */
	size_t n;
	struct tp_ssh_target target;
	struct tp_str remote; /* what the shell of the node reads */
};

static void release_words(struct words *w)
{
	tp_str_release(&w->remote);
}

static enum tp_status odd_program(const char *program, struct tp_diag *diag)
{
	char shown[96];
	return tp_fail(diag, TP_USAGE, "--program",
		       "letters, digits, \"-\", \"_\", \".\", \"/\" and \"+\"",
		       "\"%s\" holds a character that a shell may act on",
		       tp_shown(shown, sizeof(shown), program, strlen(program)));
}

/* Up to the word that the shell of the node reads. */
static enum tp_status begin_words(struct words *w, const struct tp_cluster *cluster,
				  const struct tp_cluster_node *node, struct tp_diag *diag)
{
	static const char *const always[] = { "ssh", "-T",
					      "-o",  "BatchMode=yes",
					      "-o",  "ConnectTimeout=10",
					      "-o",  "ServerAliveInterval=15",
					      "-o",  "ServerAliveCountMax=4" };
	/* cluster.json may be foreign. */
	enum tp_status status =
		tp_ssh_target_read(node->target, strlen(node->target), &w->target, diag);
	if (status != TP_OK)
		return status;
	if (!tp_cluster_program_is_good(cluster->program) || !*cluster->job ||
	    !tp_cluster_job_is_good(cluster->job))
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

/* What measures on the node. Release the words in any case. */
static enum tp_status make_measuring(struct words *w, const struct tp_cluster *cluster,
				     const struct tp_cluster_node *node, bool allow_code,
				     struct tp_diag *diag)
{
	char more[64];
	enum tp_status status = begin_words(w, cluster, node, diag);
	if (status != TP_OK)
		return status;
	tp_node_words(cluster, node, allow_code, more, sizeof(more));
	/* One word there, which the script takes apart. */
	tp_str_printf(&w->remote, SHELL "%s' %s .tprof-cluster/%s/%s \"%s\"", tp_remote_script,
		      cluster->program, cluster->job, node->name, more);
	w->items[w->n++] = tp_str_text(&w->remote);
	return TP_OK;
}

/* --- what they have measured comes here, and is removed there --- */

#define FETCH_SECONDS  300.0
#define REMOVE_SECONDS 30.0

struct hearing {
	int fd; /* of what it prints, -1 = nowhere */
	size_t bytes;
	int error; /* of writing it */
	char said[256]; /* the end of its standard error */
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

static enum tp_status run_words(const struct words *words, struct hearing *h, double limit_seconds,
				const char *name, struct tp_diag *diag)
{
	const struct tp_command_line line = { .words = (char *const *)words->items,
					      .limit_seconds = limit_seconds,
					      .heard = hear,
					      .listener = h,
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

static void remove_there(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
			 bool (*go_on)(void *context))
{
	TP_CLEANUP(release_words) struct words words = { 0 };
	struct hearing h = { .fd = -1, .go_on = go_on };
	char path[TP_PATH_MAX];
	if (begin_words(&words, cluster, node, NULL) != TP_OK)
		return;
	tp_str_printf(&words.remote, SHELL "%s", remove_before);
	for (size_t i = 0; tp_run_file_names[i]; i++)
		tp_str_printf(&words.remote, " %s", tp_run_file_names[i]);
	tp_str_printf(&words.remote, "%s' .tprof-cluster/%s .tprof-cluster/%s/%s", remove_behind,
		      cluster->job, cluster->job, node->name);
	words.items[words.n++] = tp_str_text(&words.remote);
	/* Files that cannot be removed now may be removable at the next `collect`. */
	if (run_words(&words, &h, REMOVE_SECONDS, node->name, NULL) == TP_OK)
		unlink(tp_node_path(cluster, node, TP_REMOTE_THERE, path));
}

static enum tp_status fetch_node(const struct tp_cluster *cluster,
				 const struct tp_cluster_node *node, bool (*go_on)(void *context),
				 struct tp_diag *diag)
{
	TP_CLEANUP(release_words) struct words words = { 0 };
	struct hearing h = { .go_on = go_on };
	char path[TP_PATH_MAX];
	enum tp_status status = begin_words(&words, cluster, node, diag);
	if (status == TP_OK)
		status = tp_node_own_folder(cluster, node, diag);
	if (status != TP_OK)
		return status;
	/* What prints its results: see remote.h. */
	tp_str_add(&words.remote, SHELL);
	tp_remote_add_print(&words.remote);
	tp_str_printf(&words.remote, "' sh .tprof-cluster/%s/%s", cluster->job, node->name);
	words.items[words.n++] = tp_str_text(&words.remote);
	unlink(tp_node_path(cluster, node, TP_REMOTE_COMING, path));
	status = tp_file_create(TP_TYPED_NOTHING, path, O_WRONLY | O_CREAT | O_EXCL, &h.fd, diag);
	if (status != TP_OK)
		return status;
	status = run_words(&words, &h, FETCH_SECONDS, node->name, diag);
	close(h.fd);
	if (status == TP_OK)
		status = tp_remote_take(cluster, node, diag);
	unlink(path);
	return status;
}

/*
 * Fetches what the node has measured into its run directory here, if it arrived complete. Once
 * every point is here, its directory there is removed. go_on (NULL = not asked) ends it.
 */
static enum tp_status fetch_whole(const struct tp_cluster *cluster, struct tp_cluster_node *node,
				  bool (*go_on)(void *context), struct tp_diag *diag)
{
	char path[TP_PATH_MAX];
	enum tp_status status = TP_OK;
	tp_node_look(cluster, node);
	if (!tp_node_ran_to_its_end(node)) {
		status = fetch_node(cluster, node, go_on, diag);
		tp_node_look(cluster, node);
	}
	/* Points that failed are measured again in that directory. */
	if (tp_node_ran_to_its_end(node) && node->n_points && node->n_done >= node->n_points &&
	    tp_is_file(tp_node_path(cluster, node, TP_REMOTE_THERE, path)))
		remove_there(cluster, node, go_on);
	return status;
}

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
			       "this line is not a host: it has more than %d bytes",
			       LINE_MAX_BYTES);
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
		return odd_program(wish->program, diag);
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
	TP_STR name = { 0 };
	tp_str_add(&name, "run");
	for (const char *c = cluster->started; *c; c++)
		if (!strchr("-:", *c))
			tp_str_add_n(&name, c, 1);
	tp_str_printf(&name, ".%ld", (long)getpid());
	tp_copy(cluster->job, sizeof(cluster->job), tp_str_text(&name));
	return TP_OK;
}

static enum tp_status describe(const struct tp_cluster *cluster, const struct tp_cluster_wish *wish,
			       struct tp_str *out, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < cluster->n_nodes && status == TP_OK; i++) {
		TP_CLEANUP(release_words) struct words w = { 0 };
		TP_STR line = { 0 };
		status = make_measuring(&w, cluster, &cluster->nodes[i], wish->allow_code, diag);
		for (size_t k = 0; k < w.n && status == TP_OK; k++)
			tp_command_join(&line, w.items[k]);
		tp_str_printf(out, "%s <%s\n", tp_str_text(&line), wish->preset_path);
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
	/* If nothing was measured, ssh or the program gave the reason. */
	if (!node->n_points)
		return;
	if (fetch_whole(cluster, node, go_on, &why) != TP_OK && !end.signal && !end.code)
		tp_fail(diag, TP_FAILED, no_results, NULL, "%s", why.what);
}

static enum tp_status start_node(struct tp_cluster *cluster, struct tp_cluster_node *node,
				 const struct tp_cluster_wish *wish, struct tp_diag *diag)
{
	TP_CLEANUP(release_words) struct words w = { 0 };
	char journal[TP_PATH_MAX], there[TP_PATH_MAX];
	enum tp_status status = make_measuring(&w, cluster, node, wish->allow_code, diag);
	if (status == TP_OK)
		status = tp_remote_begin(cluster, node, journal, diag);
	if (status == TP_OK)
		status = tp_file_write(TP_TYPED_NOTHING,
				       tp_node_path(cluster, node, TP_REMOTE_THERE, there), "", 0,
				       diag);
	if (status == TP_OK) {
		const struct tp_detached detached = { .words = (char *const *)w.items,
						      .input = wish->preset_path,
						      .output = journal,
						      .after = fetch_behind };
		status = tp_detached_start(cluster, node, &detached, diag);
	}
	return status;
}

/* --- how they ended --- */

/* Its output in the place of events: the first line is reported. */
static void say_stranger(const struct tp_cluster *cluster, struct tp_cluster_node *node)
{
	char path[TP_PATH_MAX], head[64] = "", shown[64], words[256];
	int fd;
	tp_node_path(cluster, node, "/journal.ndjson", path);
	if (tp_file_open(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW, &fd, NULL) == TP_OK) {
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
	/* What it printed is not a run. */
	if (!node->n_points)
		tp_node_clear(cluster, node);
}

/* Results of nodes that could not be reached when they ended, and what is to be removed there. */
static void fetch_all(struct tp_cluster *cluster)
{
	char there[TP_PATH_MAX];
	for (size_t i = 0; i < cluster->n_nodes; i++) {
		struct tp_cluster_node *node = &cluster->nodes[i];
		if (!tp_node_has_ended(node->state) || !node->n_points ||
		    !tp_is_file(tp_node_path(cluster, node, TP_REMOTE_THERE, there)))
			continue;
		fetch_whole(cluster, node, NULL, NULL);
		if (tp_node_ran_to_its_end(node))
			tp_node_end(cluster, node, NULL);
	}
}

const struct tp_launcher tp_launcher_ssh = {
	.name = "ssh",
	.summary = "the hosts of a file, by OpenSSH",
	.supported = is_supported,
	.nodes = name_nodes,
	.describe = describe,
	.start = start_node,
	.end = end_node,
	.fetch = fetch_all,
};
