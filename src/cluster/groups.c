/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Nodes of one hardware. Facts that decide results make a group: CPU, cores, caches, memory, pages.
 * Nodes that differ in these are not expected to be equally fast.
 *
 * Settings and updates, such as firmware, microcode, limits of the clock, the kernel or the
 * governor, only make a remark: such nodes are meant to be alike, and a slow one among them is what
 * users look for. In a separate group it could not be named. If a setting makes two groups of
 * speeds, the merged run names it.
 */

#include "cluster/groups.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tally.h"
#include "record/load.h"
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

static const struct remarked_fact {
	const char *key, *what;
} remarked_facts[TP_NODE_REMARKED] = {
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

/* Choices, not results; nor the number of the point or the CPUs. */
static uint64_t key_of(const struct tp_point *point)
{
	const struct tp_point_layout *layout = tp_point_layout(point);
	uint64_t hash = tp_hash_step(TP_HASH_START, point->run);

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

/* A node without any point of the others has another plan. */
static bool shares_point(const struct tp_node_group *group, const struct tp_run *points)
{
	bool none = true, shares = false;

	for (size_t i = 0; i < points->n_points && !shares; i++) {
		if (!is_measured(&points->points[i]))
			continue;
		uint64_t key = key_of(&points->points[i]);

		none = false;
		for (size_t k = 0; k < group->n_slots && !shares; k++)
			shares = group->slots[k].key == key;
	}
	return shares || none || group->n_slots == 0;
}

/* The group of that hardware and plan, a new one if there is none. */
static struct tp_node_group *group_of(struct tp_node_groups *groups, const struct tp_run *facts,
				      const struct tp_run *points)
{
	TP_STR text = { 0 };
	double memory = memory_of(facts);
	char room[32];

	for (size_t i = 0; i < TP_COUNT_OF(hardware); i++)
		tp_str_printf(&text, "%s=%s\n", hardware[i],
			      fact_words(facts, hardware[i], room, sizeof(room)));
	for (size_t i = 0; i < groups->n; i++)
		if (is_like(&groups->groups[i], tp_str_text(&text), memory) &&
		    shares_point(&groups->groups[i], points))
			return &groups->groups[i];
	TP_RESERVE(groups->groups, groups->cap, groups->n + 1);
	struct tp_node_group *group = &groups->groups[groups->n++];

	*group = (struct tp_node_group){ .hardware = tp_str_take(&text), .memory_bytes = memory };
	tp_run_copy_facts(&group->facts, facts);
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

		/* Nodes report their facts in the same order. */
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

/* A free slot for that key, searched from the likely one; SIZE_MAX if there is none. */
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

size_t *tp_node_slots(struct tp_node_group *group, const struct tp_run *points, bool grow)
{
	TP_FREE bool *taken = tp_alloc(group->n_slots + points->n_points + 1, 1);
	size_t *to = tp_alloc(points->n_points + 1, sizeof(*to)), next = 0;

	for (size_t i = 0; i < points->n_points; i++) {
		const struct tp_point *point = &points->points[i];

		to[i] = SIZE_MAX;
		if (!is_measured(point))
			continue;
		uint64_t key = key_of(point);

		to[i] = find_slot(group, key, next, taken);
		/* Of more points than any run has the first ones stay. */
		if (to[i] == SIZE_MAX && grow && group->n_slots < TP_RUN_POINTS_MAX) {
			TP_RESERVE(group->slots, group->cap_slots, group->n_slots + 1);
			to[i] = group->n_slots++;
			group->slots[to[i]] =
				(struct tp_node_slot){ key, point->run, point->less_is_better };
		}
		if (to[i] != SIZE_MAX) {
			taken[to[i]] = true;
			next = to[i] + 1;
		}
	}
	return to;
}

/* The standard deviation that its quality implies: see enum tp_quality. */
static double error_of(const struct tp_point *point)
{
	return point->quality == TP_QUALITY_POOR   ? 0.1
	       : point->quality == TP_QUALITY_FAIR ? 0.03
						   : 0;
}

static void take_values(struct tp_node_group *group, struct tp_merged_node *merged,
			const struct tp_run *points, const size_t *slots)
{
	merged->n = group->n_slots;
	merged->values = tp_alloc(merged->n + 1, sizeof(double));
	merged->clocks = tp_alloc(merged->n + 1, sizeof(double));
	merged->errors = tp_alloc(merged->n + 1, sizeof(double));
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
}

void tp_node_groups_add(struct tp_node_groups *groups, const struct tp_cluster_node *node,
			const struct tp_node_run *run)
{
	struct tp_node_group *group = group_of(groups, &run->facts, run->points);
	struct tp_merged_node merged = { .node = node,
					 .complete = strcmp(run->facts.state, "complete") == 0,
					 .wall_seconds = run->facts.wall_seconds };
	TP_FREE size_t *slots = tp_node_slots(group, run->points, true);

	for (size_t i = 0; i < TP_NODE_REMARKED; i++) {
		char room[32];

		merged.remarked[i] = tp_arena_strdup(
			&groups->arena,
			fact_words(&run->facts, remarked_facts[i].key, room, sizeof(room)));
	}
	take_values(group, &merged, run->points, slots);
	keep_common_facts(&group->facts, &run->facts);
	TP_RESERVE(group->nodes, group->cap_nodes, group->n_nodes + 1);
	group->nodes[group->n_nodes++] = merged;
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

/* --- which nodes and values differ --- */

void tp_node_group_judge(const struct tp_node_group *group, struct tp_judged *judged)
{
	struct tp_outliers *o = &judged->found;
	size_t n = group->n_nodes * group->n_slots;

	judged->values = tp_alloc(n + 1, sizeof(*judged->values));
	judged->errors = tp_alloc(n + 1, sizeof(*judged->errors));
	*o = (struct tp_outliers){ .values = judged->values,
				   .errors = judged->errors,
				   .n_nodes = group->n_nodes,
				   .n_points = group->n_slots };
	o->points = tp_alloc(o->n_points + 1, sizeof(*o->points));
	o->nodes = tp_alloc(o->n_nodes + 1, sizeof(*o->nodes));
	o->cells = tp_alloc(n + 1, sizeof(*o->cells));
	for (size_t j = 0; j < o->n_points; j++)
		o->points[j].less_is_better = group->slots[j].less_is_better;
	/* Nodes that joined before a point was seen first do not have it. */
	for (size_t i = 0; i < group->n_nodes; i++)
		for (size_t j = 0; j < group->n_slots; j++) {
			const struct tp_merged_node *node = &group->nodes[i];
			size_t k = i * group->n_slots + j;

			judged->values[k] = j < node->n ? node->values[j] : NAN;
			judged->errors[k] = j < node->n ? node->errors[j] : 0;
		}
	tp_outliers_find(o);
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

/* --- what nodes of one hardware differ in besides speed --- */

enum { NAMED_MAX = 4 };

static int by_text(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

/* The value of most nodes; "" if they have none. `words` has room for all of them. */
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

static void remark_fact(const struct tp_node_group *group, size_t fact, const char *common,
			struct tp_diags *remarks)
{
	TP_STR names = { 0 };
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
			      group->n_nodes, remarked_facts[fact].what, theirs, common,
			      tp_str_text(&names));
}

/* Nodes of another group with the same hardware: they differ only in what was measured. */
static void remark_points(const struct tp_node_groups *groups, size_t g, struct tp_diags *remarks)
{
	const struct tp_node_group *group = &groups->groups[g];
	TP_STR names = { 0 };
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
		      "was the directory written by another preset? it is another merged run",
		      "no point in common with the other nodes");
}

void tp_node_group_remarks(const struct tp_node_groups *groups, size_t g, struct tp_diags *remarks)
{
	const struct tp_node_group *group = &groups->groups[g];
	TP_FREE const char **words = tp_alloc(group->n_nodes + 1, sizeof(*words));

	for (size_t f = 0; f < TP_NODE_REMARKED; f++)
		remark_fact(group, f, most_common(group, f, words), remarks);
	remark_points(groups, g, remarks);
}

/* The value common to all nodes of one speed; NULL if they differ or have none. */
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
		snprintf(out, size, "%s: %.100s, not %.100s", remarked_facts[f].what, upper, lower);
		return true;
	}
	return false;
}

/* --- reading a node --- */

static enum tp_status read_table(struct tp_run *run, const char *directory, struct tp_diag *diag)
{
	char path[TP_PATH_MAX + 32];
	TP_FREE char *text = NULL;
	size_t len = 0;

	snprintf(path, sizeof(path), "%s/points.csv", directory);
	enum tp_status status = tp_file_read(path, TP_RUN_JSON_MAX_BYTES, &text, &len, diag);

	return status == TP_OK ? tp_run_parse_csv(run, path, text, len, diag) : status;
}

/* The table, if it has as many finished points as run.json counts. */
static bool table_is_whole(struct tp_node_run *node, const char *directory)
{
	TP_FREE struct tp_run_entry *entry = tp_alloc(1, sizeof(*entry));
	char path[TP_PATH_MAX + 32];

	if (read_table(&node->table, directory, &node->damage) != TP_OK)
		return false;
	snprintf(path, sizeof(path), "%s/run.json", directory);
	size_t done = tp_run_n_done(&node->table);
	size_t told = tp_run_entry_head(path, entry) ? entry->n_done : done;

	snprintf(path, sizeof(path), "%s/points.csv", directory);
	if (done < told)
		tp_fail(&node->damage, TP_USAGE, path, "run.json is read in its place",
			"is cut off: it has %zu of %zu finished points", done, told);
	return done >= told;
}

/* A run without facts does not show its hardware. */
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
		"its points come from its journal, and form a separate merged run",
		"%.200s; so the hardware of this node is unknown", why.what);
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
	/* A node that has only begun is not incomplete. */
	if (status == TP_OK && node->facts.n_points == 0)
		node->damage.what[0] = '\0';
	return status;
}

void tp_node_run_release(struct tp_node_run *node)
{
	tp_run_release(&node->facts);
	tp_run_release(&node->table);
}
