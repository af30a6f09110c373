/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The values of a group as one matrix, and which nodes and values differ in it. */
#include "cluster/merge_parts.h"

#include <math.h>
#include <stdlib.h>

/* Nodes that joined before a point was seen first do not have it. */
static void take_values(const struct tp_node_group *group, struct tp_judged *judged)
{
	for (size_t i = 0; i < group->n_nodes; i++)
		for (size_t j = 0; j < group->n_slots; j++) {
			const struct tp_merged_node *node = &group->nodes[i];
			size_t k = i * group->n_slots + j;

			judged->values[k] = j < node->n ? node->values[j] : NAN;
			judged->errors[k] = j < node->n ? node->errors[j] : 0;
		}
}

enum tp_status tp_node_group_judge(const struct tp_node_group *group, struct tp_judged *judged)
{
	struct tp_outliers *o = &judged->found;
	size_t n = group->n_nodes * group->n_slots;

	judged->values = calloc(n + 1, sizeof(*judged->values));
	judged->errors = calloc(n + 1, sizeof(*judged->errors));
	*o = (struct tp_outliers){ .values = judged->values,
				   .errors = judged->errors,
				   .n_nodes = group->n_nodes,
				   .n_points = group->n_slots };
	o->points = calloc(o->n_points + 1, sizeof(*o->points));
	o->nodes = calloc(o->n_nodes + 1, sizeof(*o->nodes));
	o->cells = calloc(n + 1, sizeof(*o->cells));
	if (!judged->values || !judged->errors || !o->points || !o->nodes || !o->cells)
		return TP_NOMEM;
	for (size_t j = 0; j < o->n_points; j++)
		o->points[j].less_is_better = group->slots[j].less_is_better;
	take_values(group, judged);
	return tp_outliers_find(o, &tp_outlier_judging_default);
}

void tp_judged_release(struct tp_judged *judged)
{
	free(judged->values);
	free(judged->errors);
	free(judged->found.points);
	free(judged->found.nodes);
	free(judged->found.cells);
	*judged = (struct tp_judged){ 0 };
}
