/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The run of a group. Each of its points is that of the node in the middle, whole, so that all it
 * says fits together; its interval is what 90 % of the nodes that are not outliers show. The points
 * are read again from the directories of these nodes, at most one for each point.
 */
#include "cluster/merge_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/memory.h"
#include "experiments/experiment.h"
#include "report/facts.h"

/* What is computed of a group. */
struct making {
	const struct tp_cluster_look_at *at;
	struct tp_node_group *group;
	struct tp_run *run;
	struct tp_judged judged;
	double *clock; /* of each node against the group; 0 = unknown */
};

static size_t n_cells(const struct making *m)
{
	return m->group->n_nodes * m->group->n_slots;
}

/* The clock of each node: median over its points of the ratio to the nodes' median. */
static enum tp_status find_clocks(struct making *m)
{
	const struct tp_node_group *g = m->group;
	size_t room = TP_MAX(g->n_nodes, g->n_slots) + 1;
	double *middle = calloc(g->n_slots + 1, sizeof(*middle)), *x = malloc(room * sizeof(*x));

	m->clock = calloc(g->n_nodes + 1, sizeof(*m->clock));
	if (!middle || !x || !m->clock) {
		free(middle);
		free(x);
		return TP_NOMEM;
	}
	for (size_t j = 0; j < g->n_slots; j++) {
		size_t n = 0;

		for (size_t i = 0; i < g->n_nodes; i++)
			if (j < g->nodes[i].n && g->nodes[i].clocks[j] > 0)
				x[n++] = g->nodes[i].clocks[j];
		tp_sort_doubles(x, n);
		middle[j] = n ? tp_median_sorted(x, n) : 0;
	}
	for (size_t i = 0; i < g->n_nodes; i++) {
		size_t n = 0;

		for (size_t j = 0; j < g->nodes[i].n; j++)
			if (g->nodes[i].clocks[j] > 0 && middle[j] > 0)
				x[n++] = g->nodes[i].clocks[j] / middle[j];
		tp_sort_doubles(x, n);
		m->clock[i] = n ? tp_median_sorted(x, n) : 0;
	}
	free(middle);
	free(x);
	return TP_OK;
}

/* --- points --- */

static size_t middle_node(const struct making *m, size_t slot)
{
	const struct tp_outliers *o = &m->judged.found;
	size_t best = SIZE_MAX;
	double least = INFINITY;

	for (size_t i = 0; i < o->n_nodes; i++) {
		double off = fabs(o->values[i * o->n_points + slot] - o->points[slot].median);

		if (off < least) {
			least = off;
			best = i;
		}
	}
	return best;
}

/* Mean, deviation and so on are those over the nodes; a node stands where a window stood. */
static enum tp_status set_point(const struct making *m, size_t slot, struct tp_point *point)
{
	const struct tp_outliers *o = &m->judged.found;
	const struct tp_outlier_point *over = &o->points[slot];
	double *x = malloc((2 * o->n_nodes + 1) * sizeof(*x));
	struct tp_summary s;
	size_t n = 0;

	if (!x)
		return TP_NOMEM;
	for (size_t i = 0; i < o->n_nodes; i++)
		if (isfinite(o->values[i * o->n_points + slot]))
			x[n++] = o->values[i * o->n_points + slot];
	tp_summarise(x, n, 0.95, x + o->n_nodes, &s);
	free(x);
	point->point = (unsigned)slot;
	point->mean = s.mean;
	point->stddev = s.stddev;
	point->mad = s.mad;
	point->ci_low = isfinite(over->low) ? fmin(over->low, point->median) : 0;
	point->ci_high = isfinite(over->high) ? fmax(over->high, point->median) : 0;
	point->kept = point->invocations = (unsigned)n;
	return TP_OK;
}

/* The points of one node that are those in the middle. */
static enum tp_status take_points(struct making *m, size_t node, const size_t *middle)
{
	char directory[TP_PATH_MAX];
	struct tp_node_run from;
	struct tp_diag diag;
	size_t *slots = NULL;

	if (!tp_merge_directory(m->at->cluster, m->group->nodes[node].node, directory))
		return TP_OK;
	enum tp_status status = tp_node_run_load(&from, directory, &diag);

	/* It was there a moment ago: whoever removed it loses the points. */
	if (status != TP_OK)
		return status == TP_NOMEM ? status : TP_OK;
	status = tp_node_slots(m->group, from.points, false, &slots);
	for (size_t i = 0; i < from.points->n_points && status == TP_OK; i++) {
		size_t slot = slots[i];

		if (slot >= m->judged.found.n_points || middle[slot] != node)
			continue;
		status = tp_point_take(&m->run->points[slot], &from.points->points[i],
				       &m->run->arena);
		if (status == TP_OK)
			status = set_point(m, slot, &m->run->points[slot]);
	}
	free(slots);
	tp_node_run_release(&from);
	return status;
}

static enum tp_status make_points(struct making *m)
{
	size_t n = m->judged.found.n_points;
	size_t *middle = malloc((n + 1) * sizeof(*middle));
	bool *wanted = calloc(m->group->n_nodes + 1, sizeof(*wanted));
	enum tp_status status = middle && wanted ? TP_OK : TP_NOMEM;

	if (status == TP_OK)
		status = tp_vec_reserve((void **)&m->run->points, &m->run->cap_points, n,
					sizeof(*m->run->points));
	for (size_t j = 0; j < n && status == TP_OK; j++) {
		m->run->points[j] = (struct tp_point){ .point = (unsigned)j,
						       .run = m->group->slots[j].run,
						       .state = TP_POINT_SKIPPED };
		m->run->n_points++;
		middle[j] = middle_node(m, j);
		if (middle[j] != SIZE_MAX)
			wanted[middle[j]] = true;
	}
	for (size_t i = 0; i < m->group->n_nodes && status == TP_OK; i++)
		if (wanted[i])
			status = take_points(m, i, middle);
	free(middle);
	free(wanted);
	return status;
}

/* --- tables --- */

static unsigned group_number(const struct making *m)
{
	return (unsigned)(m->group - m->at->groups->groups) + 1;
}

static void say_why(struct tp_node_row *row, const struct tp_diag *why)
{
	if (*why->what)
		tp_copy(row->why, sizeof(row->why), why->what);
}

/* Nodes of a group in the order of the cluster; the first run tells of all groups. */
static enum tp_status add_nodes(struct making *m)
{
	const struct tp_cluster *cluster = m->at->cluster;
	struct tp_node_row *all = calloc(cluster->n_nodes + 1, sizeof(*all));
	enum tp_status status = all ? TP_OK : TP_NOMEM;

	if (!all)
		return status;
	for (size_t i = 0; i < cluster->n_nodes; i++) {
		struct tp_node_row *row = &all[i];

		tp_copy(row->node, sizeof(row->node), cluster->nodes[i].name);
		row->state = cluster->nodes[i].state;
		row->speed = row->spread = row->z = row->p = NAN;
		say_why(row, &m->at->why[i]);
	}
	for (size_t g = 0; g < m->at->groups->n; g++) {
		const struct tp_node_group *group = &m->at->groups->groups[g];

		for (size_t i = 0; i < group->n_nodes; i++) {
			struct tp_node_row *row = &all[group->nodes[i].node - cluster->nodes];

			row->group = (unsigned)g + 1;
			row->points = group->nodes[i].points;
			if (group != m->group)
				continue;
			row->speed = m->judged.found.nodes[i].speed;
			row->spread = m->judged.found.nodes[i].spread;
			row->z = m->judged.found.nodes[i].z;
			row->p = m->judged.found.nodes[i].p;
			row->outlier = m->judged.found.nodes[i].outlier;
			row->clock = m->clock[i];
		}
	}
	for (size_t i = 0; i < cluster->n_nodes && status == TP_OK; i++) {
		if (group_number(m) > 1 && all[i].group != group_number(m))
			continue;
		struct tp_node_row *row = tp_run_add_row(m->run, &tp_node_part);

		if (row)
			*row = all[i];
		else
			status = TP_NOMEM;
	}
	free(all);
	return status;
}

static enum tp_status add_values(struct making *m)
{
	const struct tp_outliers *o = &m->judged.found;
	bool all = n_cells(m) <= TP_NODE_VALUES_MAX;
	size_t n = 0;

	for (size_t i = 0; i < o->n_nodes; i++)
		for (size_t j = 0; j < o->n_points && n < TP_NODE_VALUES_MAX; j++) {
			const struct tp_outlier_value *cell = &o->cells[i * o->n_points + j];

			if (isnan(cell->speed) || (!all && !cell->outlier && !o->nodes[i].outlier))
				continue;
			struct tp_node_value *value = tp_run_add_row(m->run, &tp_node_value_part);

			if (!value)
				return TP_NOMEM;
			tp_copy(value->node, sizeof(value->node), m->group->nodes[i].node->name);
			value->point = (unsigned)j;
			value->value = o->values[i * o->n_points + j];
			value->speed = cell->speed;
			value->z = cell->z;
			value->outlier = cell->outlier;
			n++;
		}
	if (!all)
		tp_diags_note(&m->run->diags, "node_values", NULL,
			      "holds the nodes and values that differ: there are %zu values, and "
			      "those of all nodes stand in their own directories",
			      n_cells(m));
	return TP_OK;
}

static enum tp_status add_two_speeds(struct making *m)
{
	const struct tp_outliers *found = &m->judged.found;
	char apart[256];
	enum tp_status status =
		tp_run_fact_number(m->run, TP_FACT_CLUSTER_UPPER, (double)found->n_upper);

	if (status == TP_OK)
		status = tp_run_fact_number(m->run, TP_FACT_CLUSTER_GAP, found->gap);
	if (status == TP_OK && tp_node_group_apart(m->group, found, apart, sizeof(apart)))
		status = tp_run_fact_text(m->run, TP_FACT_CLUSTER_APART, "%s", apart);
	return status;
}

static enum tp_status add_facts(struct making *m)
{
	const struct tp_cluster *cluster = m->at->cluster;
	const struct tp_outliers *found = &m->judged.found;
	struct tp_run *run = m->run;
	enum tp_status status = tp_run_copy_facts(run, &m->group->facts);
	const struct {
		const char *key;
		double value;
	} numbers[] = {
		{ TP_FACT_CLUSTER_GROUP, group_number(m) },
		{ TP_FACT_CLUSTER_GROUPS, (double)m->at->groups->n },
		{ TP_FACT_CLUSTER_NODES, (double)m->group->n_nodes },
		{ TP_FACT_CLUSTER_ALL, (double)cluster->n_nodes },
	};

	for (size_t i = 0; i < TP_COUNT_OF(numbers) && status == TP_OK; i++)
		status = tp_run_fact_number(run, numbers[i].key, numbers[i].value);
	if (status == TP_OK && found->n_upper)
		status = add_two_speeds(m);
	if (status == TP_OK && isfinite(found->smallest))
		status = tp_run_fact_number(run, TP_FACT_CLUSTER_SMALLEST, found->smallest);
	if (status == TP_OK)
		status = tp_run_fact_text(run, TP_FACT_CLUSTER_NAME, "%s", cluster->name);
	if (status == TP_OK && *cluster->started)
		status = tp_run_fact_text(run, "started", "%s", cluster->started);
	return status;
}

static void set_state(struct making *m)
{
	bool complete = true;

	for (size_t i = 0; i < m->group->n_nodes; i++) {
		complete &= m->group->nodes[i].complete;
		m->run->wall_seconds = fmax(m->run->wall_seconds, m->group->nodes[i].wall_seconds);
	}
	tp_copy(m->run->state, sizeof(m->run->state), complete ? "complete" : "interrupted");
}

enum tp_status tp_merged_run_make(const struct tp_cluster_look_at *at, struct tp_node_group *group,
				  struct tp_run *run, struct tp_diag *diag)
{
	struct making m = { .at = at, .group = group, .run = run };
	enum tp_status status = tp_node_group_judge(group, &m.judged);

	status = status ? status : find_clocks(&m);
	status = status ? status : add_facts(&m);
	status = status ? status : make_points(&m);
	status = status ? status : add_nodes(&m);
	status = status ? status : add_values(&m);
	set_state(&m);
	status = status ? status : tp_merged_run_reduce(run);
	tp_judged_release(&m.judged);
	free(m.clock);
	return status ? tp_fail(diag, status, "merge", NULL, "%s", tp_status_name(status)) : TP_OK;
}
