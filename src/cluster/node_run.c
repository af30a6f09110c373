/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A node's run, read without its windows: facts from the head of run.json, points from points.csv,
 * which is a tenth as long. What never came to its end has only its journal.
 */
#include "cluster/merge_parts.h"

#include <stdio.h>
#include <stdlib.h>

#include "record/load.h"

bool tp_merge_directory(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
			char out[TP_PATH_MAX])
{
	int n = snprintf(out, TP_PATH_MAX, "%s/nodes/%s", cluster->directory, node->name);

	return n > 0 && n < TP_PATH_MAX;
}

static enum tp_status read_table(struct tp_run *run, const char *directory, struct tp_diag *diag)
{
	char path[TP_PATH_MAX + 32], *text = NULL;
	size_t len = 0;

	snprintf(path, sizeof(path), "%s/points.csv", directory);
	enum tp_status status = tp_file_read(path, TP_RUN_JSON_MAX_BYTES, &text, &len, diag);

	if (status == TP_OK)
		status = tp_run_parse_csv(run, path, text, len, diag);
	free(text);
	return status;
}

static size_t count_done(const struct tp_run *run)
{
	size_t n = 0;

	for (size_t i = 0; i < run->n_points; i++)
		n += run->points[i].state == TP_POINT_DONE;
	return n;
}

/* The table, if it has as many finished points as run.json counts. */
static bool table_is_whole(struct tp_node_run *node, const char *directory)
{
	struct tp_run_entry *entry = calloc(1, sizeof(*entry));
	char path[TP_PATH_MAX + 32];

	if (!entry || read_table(&node->table, directory, &node->damage) != TP_OK) {
		free(entry);
		return false;
	}
	snprintf(path, sizeof(path), "%s/run.json", directory);
	size_t done = count_done(&node->table);
	size_t told = tp_run_entry_head(path, entry) ? entry->n_done : done;

	free(entry);
	snprintf(path, sizeof(path), "%s/points.csv", directory);
	if (done < told)
		tp_fail(&node->damage, TP_USAGE, path, "run.json is read in its place",
			"is cut off: it has %zu of %zu finished points", done, told);
	return done >= told;
}

/* Of a run without facts nobody knows what it was measured on. */
static void remark_lost_facts(struct tp_node_run *node, const char *directory)
{
	char path[TP_PATH_MAX + 32];
	struct tp_run run;
	struct tp_diag why = { 0 };

	if (tp_run_fact(&node->facts, "machine.cpu"))
		return;
	snprintf(path, sizeof(path), "%s/run.json", directory);
	if (tp_run_load(&run, path, &why) == TP_OK) {
		snprintf(why.what, sizeof(why.what), "names no CPU");
		tp_run_release(&run);
	}
	tp_fail(&node->damage, TP_USAGE, *why.where ? why.where : path,
		"its points come from its journal, and are a merged run of their own",
		"%.200s; so nobody knows the hardware of this node", why.what);
}

enum tp_status tp_node_run_load(struct tp_node_run *node, const char *directory,
				struct tp_diag *diag)
{
	*node = (struct tp_node_run){ 0 };
	enum tp_status status = tp_run_load_results(&node->facts, directory, diag);

	if (status != TP_OK)
		return status;
	node->points = &node->facts;
	if (node->facts.n_points > 0) {
		/* It was read whole, as it did not come to its end. */
		remark_lost_facts(node, directory);
		return TP_OK;
	}
	if (table_is_whole(node, directory)) {
		node->points = &node->table;
		node->damage.what[0] = '\0';
		return TP_OK;
	}
	/* The table is lost or damaged; run.json has the points, too. */
	tp_run_release(&node->facts);
	status = tp_run_load(&node->facts, directory, diag);
	/* One that has only begun lacks nothing. */
	if (status == TP_OK && node->facts.n_points == 0)
		node->damage.what[0] = '\0';
	return status;
}

void tp_node_run_release(struct tp_node_run *node)
{
	tp_run_release(&node->facts);
	tp_run_release(&node->table);
}
