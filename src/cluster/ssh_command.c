/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Command lines of OpenSSH. */
#include "cluster/ssh_parts.h"
#include "base/text.h"
#include "base/memory.h"
#include "record/rundir.h"

#include <arpa/inet.h>
#include <string.h>

/* Shells of users differ, so sh does it, and no text holds a single quote or a "!". */
#define SHELL "sh -c '"

/* $0 is the directory of the cluster run, $1 the one of the node in it. What tprof did not write
 * stays, and so does the directory then.
 */
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
	const char *at = memchr(text, '@', len), *end = text + len, *host = at ? at + 1 : text;
	const char *bracket = memchr(host, ']', (size_t)(end - host));
	const char *from = bracket ? bracket : host;
	const char *colon = memchr(from, ':', (size_t)(end - from));
	if (memchr(text, '\0', len) || (at && (size_t)(at - text) >= sizeof(t->user)))
		return false;
	if (at)
		memcpy(t->user, text, (size_t)(at - text));
	if (at && !tp_node_name_is_good(t->user))
		return false;
	if (colon && (size_t)(end - colon - 1) >= sizeof(t->port))
		return false;
	if (colon)
		memcpy(t->port, colon + 1, (size_t)(end - colon - 1));
	if (colon && (!tp_parse_u64(t->port, &port) || port < 1 || port > 65535))
		return false;
	return read_host(host, (size_t)((colon ? colon : end) - host), t);
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
				 "this is no host");
}

/* --- words --- */

enum tp_status tp_ssh_odd_program(const char *program, struct tp_diag *diag)
{
	char shown[96];
	return tp_fail(diag, TP_USAGE, "--program",
		       "letters, digits, \"-\", \"_\", \".\", \"/\" and \"+\"",
		       "\"%s\" holds a character that a shell may act on",
		       tp_shown(shown, sizeof(shown), program, strlen(program)));
}

/* Up to the word that the shell of the node reads. */
static enum tp_status begin(struct tp_ssh_words *w, const struct tp_cluster *cluster,
			    const struct tp_cluster_node *node, struct tp_diag *diag)
{
	static const char *const always[] = { "ssh", "-T",
					      "-o",  "BatchMode=yes",
					      "-o",  "ConnectTimeout=10",
					      "-o",  "ServerAliveInterval=15",
					      "-o",  "ServerAliveCountMax=4" };
	*w = (struct tp_ssh_words){ 0 };
	/* cluster.json may be a stranger's. */
	enum tp_status status =
		tp_ssh_target_read(node->target, strlen(node->target), &w->target, diag);
	if (status != TP_OK)
		return status;
	if (!tp_cluster_program_is_good(cluster->program) || !*cluster->job ||
	    !tp_cluster_job_is_good(cluster->job))
		return tp_ssh_odd_program(cluster->program, diag);
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

static enum tp_status end(struct tp_ssh_words *w, const struct tp_cluster_node *node,
			  struct tp_diag *diag)
{
	w->items[w->n++] = tp_str_text(&w->remote);
	return w->remote.oom ? tp_fail(diag, TP_NOMEM, node->name, NULL, "out of memory") : TP_OK;
}

enum tp_status tp_ssh_measuring(struct tp_ssh_words *w, const struct tp_cluster *cluster,
				const struct tp_cluster_node *node, bool allow_code,
				struct tp_diag *diag)
{
	char more[64];
	enum tp_status status = begin(w, cluster, node, diag);
	if (status != TP_OK)
		return status;
	tp_node_words(cluster, node, allow_code, more, sizeof(more));
	/* One word there, which the script takes apart. */
	tp_str_printf(&w->remote, SHELL "%s' %s .tprof-cluster/%s/%s \"%s\"", tp_remote_script,
		      cluster->program, cluster->job, node->name, more);
	return end(w, node, diag);
}

enum tp_status tp_ssh_printing(struct tp_ssh_words *w, const struct tp_cluster *cluster,
			       const struct tp_cluster_node *node, struct tp_diag *diag)
{
	enum tp_status status = begin(w, cluster, node, diag);
	if (status != TP_OK)
		return status;
	tp_str_add(&w->remote, SHELL);
	tp_remote_add_print(&w->remote);
	tp_str_printf(&w->remote, "' sh .tprof-cluster/%s/%s", cluster->job, node->name);
	return end(w, node, diag);
}

enum tp_status tp_ssh_removing(struct tp_ssh_words *w, const struct tp_cluster *cluster,
			       const struct tp_cluster_node *node, struct tp_diag *diag)
{
	enum tp_status status = begin(w, cluster, node, diag);
	if (status != TP_OK)
		return status;
	tp_str_printf(&w->remote, SHELL "%s", remove_before);
	for (size_t i = 0; tp_run_file_names[i]; i++)
		tp_str_printf(&w->remote, " %s", tp_run_file_names[i]);
	tp_str_printf(&w->remote, "%s' .tprof-cluster/%s .tprof-cluster/%s/%s", remove_behind,
		      cluster->job, cluster->job, node->name);
	return end(w, node, diag);
}

void tp_ssh_words_release(struct tp_ssh_words *w)
{
	tp_str_release(&w->remote);
}
