/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --per socket, --per numa: a tprof for each part of a node. tprof there finds the CPUs of its part
 * and holds their number to what was said, so that nothing is measured twice or left out.
 */
#include "cluster/parts.h"
#include "base/text.h"
#include "machine/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	struct tp_cluster divided = { 0 };
	enum tp_domain_kind kind;
	unsigned n;
	enum tp_status status = TP_OK;
	if (!per || strcmp(per, "node") == 0)
		return TP_OK;
	if (!read_per(per, &kind, &n))
		return tp_fail(diag, TP_USAGE, "--per", "node, socket, numa, or such as numa:4",
			       "\"%.40s\" is no part of a node", per);
	for (size_t i = 0; i < cluster->n_nodes && status == TP_OK; i++) {
		const struct tp_cluster_node *node = &cluster->nodes[i];
		unsigned parts = n ? n : kind == TP_DOMAIN_SOCKET ? node->n_parts : 0;
		if (parts)
			status = add_parts(&divided, node, parts, diag);
		else
			status = tp_fail(diag, TP_USAGE, "--per",
					 "say it: --per socket:2, --per numa:4; tprof checks it on "
					 "each node",
					 "how many there are of them in %s is not known before "
					 "tprof runs there",
					 node->name);
	}
	if (status != TP_OK) {
		tp_cluster_release(&divided);
		return status;
	}
	tp_cluster_sort(&divided);
	free(cluster->nodes);
	cluster->nodes = divided.nodes;
	cluster->n_nodes = divided.n_nodes;
	cluster->cap_nodes = divided.cap_nodes;
	tp_copy(cluster->per, sizeof(cluster->per), tp_domain_word(kind));
	return TP_OK;
}

/* True if the name is "HOST.7" of that host, or of any with len == 0; *len gets that of the host.
 */
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
