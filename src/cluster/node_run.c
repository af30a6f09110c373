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

enum tp_status tp_node_run_load(struct tp_node_run *node, const char *directory,
				struct tp_diag *diag)
{
	*node = (struct tp_node_run){ 0 };
	enum tp_status status = tp_run_load_results(&node->facts, directory, diag);

	if (status != TP_OK)
		return status;
	node->points = &node->facts;
	if (node->facts.n_points > 0)
		return TP_OK; /* it was read whole, as it did not come to its end */
	if (read_table(&node->table, directory, &node->damage) == TP_OK) {
		node->points = &node->table;
		node->damage.what[0] = '\0';
		return TP_OK;
	}
	/* The table is lost or damaged; run.json has the points, too. */
	tp_run_release(&node->facts);
	return tp_run_load(&node->facts, directory, diag);
}

void tp_node_run_release(struct tp_node_run *node)
{
	tp_run_release(&node->facts);
	tp_run_release(&node->table);
}
