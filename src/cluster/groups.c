/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Nodes of one hardware. What was bought differently makes a group, and what decides what is
 * measured: CPU, cores, caches, memory, pages. Nobody expects these to be equally fast.
 *
 * What somebody can set or update, such as firmware, microcode, limits of the clock, the kernel or
 * the governor, is remarked: nodes that differ in it are meant to be alike, and the one that was
 * left behind and is slow is what people look for. In a group of its own nobody could name it.
 * Where it makes two groups of speeds, the merged run says which fact that is.
 */
#include "cluster/merge_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tally.h"
#include "base/memory.h"
#include "record/point.h"

static const char *const hardware[] = {
	"simulated.machine",
	"simulated.regime",
	"machine.cpu",
	"machine.arch",
	"machine.vendor",
	"machine.family",
	"machine.model_number",
	"machine.hypervisor",
	"machine.packages",
	"machine.cores",
	"machine.numa_nodes",
	"machine.cpus",
	"machine.cpus_allowed",
	"machine.page_bytes",
	"machine.cache.L1.size_bytes",
	"machine.cache.L2.size_bytes",
	"machine.cache.L3.size_bytes",
	"machine.cache.L3.instances",
};

/* The kernel and the firmware keep some of it, not the same everywhere. */
#define MEMORY_WITHIN 0.03

const struct tp_remarked_fact tp_remarked_facts[TP_NODE_REMARKED] = {
	{ "tprof.version", "another version of tprof" },
	{ "machine.stepping", "another stepping of the CPU" },
	{ "machine.microcode", "another microcode" },
	{ "machine.firmware", "another firmware" },
	{ "machine.max_ghz", "another highest clock (GHz)" },
	{ "machine.kernel", "another kernel" },
	{ "machine.governor", "another frequency governor" },
	{ "machine.turbo", "another setting of turbo" },
	{ "machine.thp", "another setting of transparent huge pages" },
};

static const char *fact_words(const struct tp_run *run, const char *key, char *room, size_t size)
{
	const struct tp_fact *fact = tp_run_fact(run, key);

	if (!fact)
		return "";
	if (!fact->is_number)
		return fact->text;
	snprintf(room, size, "%.15g", fact->number);
	return room;
}

static double memory_of(const struct tp_run *run)
{
	const struct tp_fact *fact = tp_run_fact(run, "machine.memory_bytes");

	return fact && fact->is_number ? fact->number : 0;
}

static bool is_like(const struct tp_node_group *group, const char *text, double memory)
{
	return strcmp(group->hardware, text) == 0 &&
	       fabs(memory - group->memory_bytes) <= MEMORY_WITHIN * group->memory_bytes;
}

static void describe(const struct tp_run *run, struct tp_str *out)
{
	char room[32];

	for (size_t i = 0; i < TP_COUNT_OF(hardware); i++)
		tp_str_printf(out, "%s=%s\n", hardware[i],
			      fact_words(run, hardware[i], room, sizeof(room)));
}

/* What was chosen, not what was found, nor the number of the point or the CPUs. */
static uint64_t key_of(const struct tp_point *point, struct tp_point_layout *layout)
{
	uint64_t hash = tp_hash_step(TP_HASH_START, point->run);

	tp_point_layout_keep(layout,
			     point->kind ? point->kind : tp_point_kind_find(point->experiment));
	for (size_t i = 0; i < layout->n; i++) {
		const struct tp_column *column = layout->at[i].column;
		const char *record = tp_point_record(layout, i, point);

		if (!(column->where & TP_IN_IDENTITY) || column->role != TP_ROLE_DIMENSION ||
		    layout->at[i].from == TP_FROM_NOTHING)
			continue;
		if (column->type == TP_COLUMN_TEXT) {
			hash = tp_hash_text(hash, record + column->offset);
		} else if (tp_column_is_number(column)) {
			/* points.csv has fewer digits than a journal. */
			char text[32];

			snprintf(text, sizeof(text), "%.6g", tp_column_number(column, record));
			hash = tp_hash_text(hash, text);
		}
		hash = tp_hash_step(hash, 0x100 + i);
	}
	return hash;
}

static bool is_measured(const struct tp_point *point)
{
	return point->state == TP_POINT_DONE && isfinite(point->median) && point->median > 0;
}

/* A node that measured nothing of what the others did has another plan. */
static bool shares_point(const struct tp_node_group *group, const struct tp_run *points)
{
	struct tp_point_layout *layout = calloc(1, sizeof(*layout));
	bool none = true, shares = false;

	for (size_t i = 0; layout && i < points->n_points && !shares; i++) {
		if (!is_measured(&points->points[i]))
			continue;
		uint64_t key = key_of(&points->points[i], layout);

		none = false;
		for (size_t k = 0; k < group->n_slots && !shares; k++)
			shares = group->slots[k].key == key;
	}
	free(layout);
	return shares || none || group->n_slots == 0;
}

/* The group of that hardware and plan, a new one if there is none; NULL when out of memory. */
static struct tp_node_group *group_of(struct tp_node_groups *groups, const struct tp_run *facts,
				      const struct tp_run *points)
{
	struct tp_str text = { 0 };
	double memory = memory_of(facts);
	struct tp_node_group *group = NULL;

	describe(facts, &text);
	for (size_t i = 0; i < groups->n && !text.oom && !group; i++)
		if (is_like(&groups->groups[i], tp_str_text(&text), memory) &&
		    shares_point(&groups->groups[i], points))
			group = &groups->groups[i];
	if (!group && !text.oom &&
	    tp_vec_reserve((void **)&groups->groups, &groups->cap, groups->n + 1,
			   sizeof(*groups->groups)) == TP_OK) {
		group = &groups->groups[groups->n];
		*group = (struct tp_node_group){ .memory_bytes = memory };
		group->hardware = tp_str_take(&text);
		if (group->hardware && tp_run_copy_facts(&group->facts, facts) == TP_OK) {
			groups->n++;
		} else {
			free(group->hardware);
			tp_run_release(&group->facts);
			group = NULL;
		}
	}
	tp_str_release(&text);
	return group;
}

/* --- facts that all nodes agree on --- */

static bool same_fact(const struct tp_fact *a, const struct tp_fact *b)
{
	return a->is_number == b->is_number &&
	       (a->is_number ? a->number == b->number : strcmp(a->text, b->text) == 0);
}

/* Of the first node; they differ a little, or not in what matters. */
static bool is_kept(const char *key)
{
	return strcmp(key, "machine.memory_bytes") == 0 || strcmp(key, "started") == 0;
}

static void keep_common_facts(struct tp_run *common, const struct tp_run *facts)
{
	size_t n = 0;

	for (size_t i = 0; i < common->n_facts; i++) {
		const struct tp_fact *fact = &common->facts[i], *other = NULL;

		/* Nodes tell their facts in the same order. */
		if (i < facts->n_facts && strcmp(facts->facts[i].key, fact->key) == 0)
			other = &facts->facts[i];
		else
			other = tp_run_fact(facts, fact->key);
		if (!is_kept(fact->key) && (!other || !same_fact(fact, other)))
			continue;
		if (n != i)
			common->facts[n] = *fact;
		n++;
	}
	common->n_facts = n;
}

/* --- points that nodes have in common --- */

/* A free slot of that key, from the one that is likely on; SIZE_MAX if there is none. */
static size_t find_slot(const struct tp_node_group *group, uint64_t key, size_t from,
			const bool *taken)
{
	for (size_t k = 0; k < group->n_slots; k++) {
		size_t i = (from + k) % group->n_slots;

		if (group->slots[i].key == key && !taken[i])
			return i;
	}
	return SIZE_MAX;
}

static enum tp_status add_slot(struct tp_node_group *group, uint64_t key,
			       const struct tp_point *point)
{
	if (group->n_slots >= TP_RUN_POINTS_MAX)
		return TP_RESOURCE;
	if (tp_vec_reserve((void **)&group->slots, &group->cap_slots, group->n_slots + 1,
			   sizeof(*group->slots)))
		return TP_NOMEM;
	group->slots[group->n_slots++] =
		(struct tp_node_slot){ key, point->run, point->less_is_better };
	return TP_OK;
}

enum tp_status tp_node_slots(struct tp_node_group *group, const struct tp_run *points, bool grow,
			     size_t **slots)
{
	struct tp_point_layout *layout = calloc(1, sizeof(*layout));
	bool *taken = calloc(group->n_slots + points->n_points + 1, 1);
	size_t *to = malloc((points->n_points + 1) * sizeof(*to)), next = 0;
	enum tp_status status = layout && taken && to ? TP_OK : TP_NOMEM;

	for (size_t i = 0; i < points->n_points && status == TP_OK; i++) {
		const struct tp_point *point = &points->points[i];

		to[i] = SIZE_MAX;
		if (!is_measured(point))
			continue;
		uint64_t key = key_of(point, layout);

		to[i] = find_slot(group, key, next, taken);
		if (to[i] == SIZE_MAX && grow) {
			status = add_slot(group, key, point);
			to[i] = status == TP_OK ? group->n_slots - 1 : SIZE_MAX;
			/* More points than any run has: the first ones stay. */
			if (status == TP_RESOURCE)
				status = TP_OK;
		}
		if (to[i] != SIZE_MAX) {
			taken[to[i]] = true;
			next = to[i] + 1;
		}
	}
	free(layout);
	free(taken);
	if (status != TP_OK) {
		free(to);
		to = NULL;
	}
	*slots = to;
	return status;
}

/* What its quality says of a value, as a standard deviation: see enum tp_quality. */
static double error_of(const struct tp_point *point)
{
	return point->quality == TP_QUALITY_POOR   ? 0.1
	       : point->quality == TP_QUALITY_FAIR ? 0.03
						   : 0;
}

static enum tp_status take_values(struct tp_node_group *group, struct tp_merged_node *merged,
				  const struct tp_run *points, const size_t *slots)
{
	merged->n = group->n_slots;
	merged->values = malloc((merged->n + 1) * sizeof(double));
	merged->clocks = calloc(merged->n + 1, sizeof(double));
	merged->errors = calloc(merged->n + 1, sizeof(double));
	if (!merged->values || !merged->clocks || !merged->errors)
		return TP_NOMEM;
	for (size_t i = 0; i < merged->n; i++)
		merged->values[i] = NAN;
	for (size_t i = 0; i < points->n_points; i++) {
		if (slots[i] == SIZE_MAX)
			continue;
		merged->values[slots[i]] = points->points[i].median;
		merged->clocks[slots[i]] = points->points[i].core_ghz;
		merged->errors[slots[i]] = error_of(&points->points[i]);
		merged->points++;
	}
	return TP_OK;
}

enum tp_status tp_node_groups_add(struct tp_node_groups *groups, const struct tp_cluster_node *node,
				  const struct tp_node_run *run)
{
	struct tp_node_group *group = group_of(groups, &run->facts, run->points);
	struct tp_merged_node merged = { .node = node,
					 .complete = strcmp(run->facts.state, "complete") == 0,
					 .wall_seconds = run->facts.wall_seconds };
	size_t *slots = NULL;

	if (!group || tp_vec_reserve((void **)&group->nodes, &group->cap_nodes, group->n_nodes + 1,
				     sizeof(*group->nodes)))
		return TP_NOMEM;
	for (size_t i = 0; i < TP_NODE_REMARKED; i++) {
		char room[32];

		merged.remarked[i] = tp_arena_strdup(
			&groups->arena,
			fact_words(&run->facts, tp_remarked_facts[i].key, room, sizeof(room)));
		if (!merged.remarked[i])
			return TP_NOMEM;
	}
	enum tp_status status = tp_node_slots(group, run->points, true, &slots);

	if (status == TP_OK)
		status = take_values(group, &merged, run->points, slots);
	free(slots);
	if (status != TP_OK) {
		free(merged.values);
		free(merged.clocks);
		free(merged.errors);
		return status;
	}
	keep_common_facts(&group->facts, &run->facts);
	group->nodes[group->n_nodes++] = merged;
	return TP_OK;
}

static int by_size(const void *a, const void *b)
{
	const struct tp_node_group *x = a, *y = b;

	if (x->n_nodes != y->n_nodes)
		return x->n_nodes > y->n_nodes ? -1 : 1;
	return strcmp(x->nodes[0].node->name, y->nodes[0].node->name);
}

void tp_node_groups_sort(struct tp_node_groups *groups)
{
	if (groups->n)
		qsort(groups->groups, groups->n, sizeof(*groups->groups), by_size);
}

void tp_node_groups_release(struct tp_node_groups *groups)
{
	for (size_t g = 0; g < groups->n; g++) {
		struct tp_node_group *group = &groups->groups[g];

		for (size_t i = 0; i < group->n_nodes; i++) {
			free(group->nodes[i].values);
			free(group->nodes[i].clocks);
			free(group->nodes[i].errors);
		}
		free(group->nodes);
		free(group->slots);
		free(group->hardware);
		tp_run_release(&group->facts);
	}
	free(groups->groups);
	tp_arena_release(&groups->arena);
	*groups = (struct tp_node_groups){ 0 };
}
