/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What nodes of one hardware differ in besides speed. */
#include "cluster/merge_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED_MAX = 4 };

static int by_text(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

/* What most nodes say; "" if they say nothing. `words` has room for all of them. */
static const char *most_common(const struct tp_node_group *group, size_t fact, const char **words)
{
	const char *best = "";
	size_t n = 0, most = 0;

	for (size_t i = 0; i < group->n_nodes; i++)
		if (*group->nodes[i].remarked[fact])
			words[n++] = group->nodes[i].remarked[fact];
	qsort(words, n, sizeof(*words), by_text);
	for (size_t i = 0, from = 0; i < n; i++) {
		if (strcmp(words[i], words[from]) != 0)
			from = i;
		if (i - from + 1 > most) {
			most = i - from + 1;
			best = words[i];
		}
	}
	return best;
}

static void remark(const struct tp_node_group *group, size_t fact, const char *common,
		   struct tp_diags *remarks)
{
	struct tp_str names = { 0 };
	const char *theirs = "";
	size_t n = 0;

	for (size_t i = 0; i < group->n_nodes; i++) {
		const char *said = group->nodes[i].remarked[fact];

		if (!*said || strcmp(said, common) == 0)
			continue;
		if (n++ < NAMED_MAX)
			tp_str_printf(&names, "%s%s", names.len ? ", " : "",
				      group->nodes[i].node->name);
		theirs = *theirs ? theirs : said;
	}
	if (n > NAMED_MAX)
		tp_str_printf(&names, " and %zu more", n - NAMED_MAX);
	if (n > 0)
		tp_diags_note(remarks, "nodes", NULL,
			      "%zu of %zu nodes have %s than most: %.100s, not %.100s (%.120s)", n,
			      group->n_nodes, tp_remarked_facts[fact].what, theirs, common,
			      tp_str_text(&names));
	tp_str_release(&names);
}

/* Nodes of another group of the same hardware: only what was measured tells them apart. */
static void remark_points(const struct tp_node_groups *groups, size_t g, struct tp_diags *remarks)
{
	const struct tp_node_group *group = &groups->groups[g];
	struct tp_str names = { 0 };
	size_t first = 0;

	while (first < g && strcmp(groups->groups[first].hardware, group->hardware) != 0)
		first++;
	if (first == g)
		return;
	for (size_t i = 0; i < group->n_nodes && i < NAMED_MAX; i++)
		tp_str_printf(&names, "%s%s", i ? ", " : "", group->nodes[i].node->name);
	if (group->n_nodes > NAMED_MAX)
		tp_str_printf(&names, " and %zu more", group->n_nodes - NAMED_MAX);
	tp_diags_note(remarks, tp_str_text(&names),
		      "was the directory written by another preset? it is a merged run of its own",
		      "no point in common with the other nodes");
	tp_str_release(&names);
}

void tp_node_group_remarks(const struct tp_node_groups *groups, size_t g, struct tp_diags *remarks)
{
	const struct tp_node_group *group = &groups->groups[g];
	const char **words = calloc(group->n_nodes + 1, sizeof(*words));

	for (size_t f = 0; f < TP_NODE_REMARKED && words; f++)
		remark(group, f, most_common(group, f, words), remarks);
	free(words);
	remark_points(groups, g, remarks);
}

/* What all nodes of one speed say; NULL where they do not agree, or do not say. */
static const char *said_by(const struct tp_node_group *group, const struct tp_outliers *found,
			   size_t fact, bool upper)
{
	const char *all = NULL;

	for (size_t i = 0; i < group->n_nodes; i++) {
		const char *said = group->nodes[i].remarked[fact];

		if (!found->nodes[i].n || (found->nodes[i].speed >= found->upper) != upper)
			continue;
		if (!*said || (all && strcmp(all, said) != 0))
			return NULL;
		all = said;
	}
	return all;
}

bool tp_node_group_apart(const struct tp_node_group *group, const struct tp_outliers *found,
			 char *out, size_t size)
{
	for (size_t f = 0; f < TP_NODE_REMARKED && found->n_upper; f++) {
		const char *upper = said_by(group, found, f, true);
		const char *lower = said_by(group, found, f, false);

		if (!upper || !lower || strcmp(upper, lower) == 0)
			continue;
		snprintf(out, size, "%s: %.100s, not %.100s", tp_remarked_facts[f].what, upper,
			 lower);
		return true;
	}
	return false;
}
