/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes and partitions of a Slurm, as sinfo tells them. */
#include "cluster/slurm_parts.h"
#include "base/text.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 16 };

/* Words of users that become words of commands: never an option, nothing odd. */
static bool is_plain(const char *text, const char *more)
{
	for (const char *c = text; *c; c++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", *c) &&
		    !strchr(more, *c))
			return false;
	return *text && *text != '-';
}

bool tp_slurm_partition_is_good(const char *name)
{
	return is_plain(name, "-_.");
}

static bool can_be_used(const char *state)
{
	static const char *const never[] = { "down", "drain", "fail",	 "maint",   "unk",
					     "boot", "power", "planned", "reserved" };
	for (size_t i = 0; i < TP_COUNT_OF(never); i++)
		if (strncmp(state, never[i], strlen(never[i])) == 0)
			return false;
	return !strpbrk(state, "*~#!%$@");
}

/* "NODE STATE SOCKETS" lines; idle nodes come first where only so many are wanted. */
static enum tp_status take_nodes(struct tp_cluster *cluster, char *text, uint64_t wanted, bool idle,
				 bool all, struct tp_diag *diag)
{
	char *rest = text;
	for (char *line; (line = strsep(&rest, "\n"));) {
		char name[TP_NODE_NAME_BYTES + 1] = "", state[32] = "";
		unsigned sockets = 0;
		if (sscanf(line, "%72s %31s %4u", name, state, &sockets) < 2 ||
		    (wanted && cluster->n_nodes == wanted) || tp_cluster_node(cluster, name) ||
		    (idle && strcmp(state, "idle") != 0) || (!all && !can_be_used(state)))
			continue;
		enum tp_status status = tp_cluster_add(cluster, name, diag);
		if (status != TP_OK)
			return status;
		tp_cluster_node(cluster, name)->n_parts = sockets;
	}
	return TP_OK;
}

static enum tp_status no_nodes(const struct tp_cluster *cluster, const struct tp_cluster_wish *wish,
			       struct tp_diag *diag)
{
	static const char *const words[] = { "sinfo", "-h", "-o", "%R", NULL };
	struct tp_str partitions = { 0 };
	char hint[200];
	tp_slurm_run(cluster, words, &partitions, NULL);
	for (char *c = partitions.s; c && *c; c++)
		if (*c == '\n')
			*c = ' ';
	snprintf(hint, sizeof(hint), "partitions: %.160s", tp_str_text(&partitions));
	tp_str_release(&partitions);
	return tp_fail(diag, TP_USAGE, wish->partition ? wish->partition : "--cluster slurm", hint,
		       "%s has no node that can be used now",
		       wish->nodes	 ? "that list"
		       : wish->partition ? "that partition, if there is one,"
					 : "this cluster");
}

enum tp_status tp_slurm_nodes(struct tp_cluster *cluster, const struct tp_cluster_wish *wish,
			      struct tp_diag *diag)
{
	const char *words[WORDS_MAX] = { "sinfo", "-h", "-N", "-o", "%N %t %X" };
	size_t n = 5;
	uint64_t wanted = 0;
	struct tp_str text = { 0 };
	if (*wish->where)
		return tp_fail(diag, TP_USAGE, "--cluster slurm",
			       "--partition and --nodes say where", "takes nothing behind it");
	if (wish->partition && !tp_slurm_partition_is_good(wish->partition))
		return tp_fail(diag, TP_USAGE, "--partition", "a name of sinfo -o %R",
			       "this is no name of a partition");
	if (wish->nodes && !is_plain(wish->nodes, "-_.,[]"))
		return tp_fail(diag, TP_USAGE, "--nodes", "4, or n1,n2, or n[1-4,7]",
			       "neither a number of nodes nor a list of them");
	double minutes;
	if (wish->time_limit &&
	    !(is_plain(wish->time_limit, "-:") && tp_slurm_minutes(wish->time_limit, &minutes)))
		return tp_fail(diag, TP_USAGE, "--time-limit", "minutes, or hours:minutes:seconds",
			       "this is no time of Slurm");
	if (wish->program && !is_plain(wish->program, "-_./+"))
		return tp_fail(diag, TP_USAGE, "--program",
			       "a path of letters, digits and \"-_./+\"",
			       "this is no path that every node takes");
	bool count = wish->nodes && tp_parse_u64(wish->nodes, &wanted);
	if (count && (wanted < 1 || wanted > TP_CLUSTER_NODES_MAX))
		return tp_fail(diag, TP_USAGE, "--nodes", NULL, "from 1 to %d nodes",
			       TP_CLUSTER_NODES_MAX);
	if (wish->partition) {
		words[n++] = "-p";
		words[n++] = wish->partition;
	}
	if (wish->nodes && !count) {
		words[n++] = "-n";
		words[n++] = wish->nodes;
	}
	enum tp_status status = tp_slurm_run(cluster, words, &text, diag);
	char *copy = status == TP_OK ? strdup(tp_str_text(&text)) : NULL;
	/* Those that can begin at once, then others. Nodes with a name are taken as they are. */
	if (copy && count)
		status = take_nodes(cluster, copy, wanted, true, false, diag);
	if (status == TP_OK && text.s)
		status = take_nodes(cluster, text.s, wanted, false, wish->nodes && !count, diag);
	free(copy);
	tp_str_release(&text);
	tp_cluster_sort(cluster);
	if (status == TP_OK && !cluster->n_nodes)
		status = no_nodes(cluster, wish, diag);
	if (status == TP_OK && cluster->n_nodes < wanted)
		status = tp_fail(diag, TP_USAGE, "--nodes", "see sinfo -N",
				 "%.20s nodes are wanted, and %zu can be used now", wish->nodes,
				 cluster->n_nodes);
	if (status != TP_OK)
		return status;
	cluster->shared = !wish->not_shared;
	tp_copy(cluster->where, sizeof(cluster->where), wish->partition ? wish->partition : "");
	if (wish->program)
		tp_copy(cluster->program, sizeof(cluster->program), wish->program);
	else
		status = tp_cluster_self(cluster->program, diag);
	return status;
}

/* --- time --- */

bool tp_slurm_minutes(const char *text, double *minutes)
{
	unsigned long part[3] = { 0 }, days = 0;
	const char *dash = strchr(text, '-'), *at = dash ? dash + 1 : text;
	char *end;
	size_t n = 0;
	if (strcmp(text, "infinite") == 0 || strcmp(text, "UNLIMITED") == 0) {
		*minutes = INFINITY;
		return true;
	}
	if (dash && (*text < '0' || *text > '9' || (days = strtoul(text, &end, 10), end != dash)))
		return false;
	for (;; at++) {
		if (n == TP_COUNT_OF(part) || *at < '0' || *at > '9')
			return false;
		part[n++] = strtoul(at, &end, 10);
		at = end;
		if (*at != ':')
			break;
	}
	if (*at)
		return false;
	/* "hours[:minutes[:seconds]]" behind days, else "minutes[:seconds]" or all three. */
	double hours = dash || n == 3 ? (double)part[0] : 0;
	double min = dash || n == 3 ? (double)part[1] : (double)part[0];
	double seconds = dash || n == 3 ? (double)part[2] : (double)part[1];
	*minutes = (double)days * 24 * 60 + hours * 60 + min + seconds / 60;
	return true;
}

double tp_slurm_partition_minutes(const struct tp_cluster *cluster)
{
	const char *partition = cluster->where;
	const char *words[] = { "sinfo",
				"-h",
				"-o",
				"%P %l",
				*partition ? "-p" : NULL,
				*partition ? partition : NULL,
				NULL };
	struct tp_str text = { 0 };
	double minutes = INFINITY;
	tp_slurm_run(cluster, words, &text, NULL);
	/* "NAME LIMIT" lines; the default one has a star. */
	for (const char *line = tp_str_text(&text); *line;) {
		char name[128] = "", limit[32] = "";
		double own;
		if (sscanf(line, "%127s %31s", name, limit) == 2 &&
		    (*partition || strchr(name, '*')) && tp_slurm_minutes(limit, &own))
			minutes = fmin(minutes, own);
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	tp_str_release(&text);
	return minutes;
}
