/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Nodes are read one after another, and only their values are kept, so that memory grows only with
 * nodes x points. A node that cannot be read costs only itself.
 */

#include "cluster/merge.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analysis/stats.h"
#include "base/memory.h"
#include "base/now.h"
#include "cluster/groups.h"
#include "experiments/experiment.h"
#include "report/facts.h"

/*
 * --- what experiments make of merged points ---
 *
 * Roofs and plateaus, as for ordinary points. They need the caches of a machine; the nodes are not
 * here, so it is rebuilt from the facts of their runs.
 */

enum { PUS_MAX = 65536 };

static unsigned count_of(const struct tp_run *run, const char *key, unsigned least, unsigned most)
{
	return (unsigned)TP_MIN(TP_MAX(tp_fact_count(run, key), least), most);
}

static void set_caches(struct tp_machine *machine, const struct tp_run *run)
{
	for (int level = 1; level <= TP_FACT_LEVELS; level++) {
		struct tp_cache *c = &machine->cache[level];

		c->size_bytes = tp_fact_cache(run, level, "size_bytes");
		c->reported_bytes = tp_fact_cache(run, level, "reported_bytes");
		c->line_bytes = (unsigned)TP_MIN(tp_fact_cache(run, level, "line_bytes"), 4096);
		c->sharing_cores = (unsigned)TP_MAX(
			TP_MIN(tp_fact_cache(run, level, "sharing_cores"), PUS_MAX), 1);
		c->instances = (unsigned)TP_MAX(
			TP_MIN(tp_fact_cache(run, level, "instances"), PUS_MAX), 1);
	}
}

/* Cores one after the other, as they share caches. */
static void set_pus(struct tp_machine *machine, struct tp_pu *pus, unsigned n, unsigned cores,
		    unsigned packages)
{
	unsigned smt = TP_MAX(n / cores, 1u);

	for (unsigned i = 0; i < n; i++) {
		unsigned core = i / smt;

		pus[i] = (struct tp_pu){ .os_index = i,
					 .core = core,
					 .smt_rank = i % smt,
					 .package = (unsigned)((uint64_t)core * packages / cores),
					 .allowed = true };
		for (int level = 1; level <= TP_FACT_LEVELS; level++)
			pus[i].cache[level] = core / machine->cache[level].sharing_cores;
	}
	for (int level = 1; level <= TP_FACT_LEVELS; level++)
		machine->cache[level].sharing_pus = machine->cache[level].sharing_cores * smt;
	machine->pus = pus;
	machine->n_pus = machine->n_allowed = n;
	machine->n_cores = cores;
	machine->n_packages = packages;
}

static void reduce_points(struct tp_run *run)
{
	TP_FREE struct tp_machine *machine = tp_alloc(1, sizeof(*machine));
	unsigned n = count_of(run, "machine.cpus", 1, PUS_MAX);
	unsigned cores = count_of(run, "machine.cores", 1, n);
	TP_FREE struct tp_pu *pus = tp_alloc(n, sizeof(*pus));

	set_caches(machine, run);
	set_pus(machine, pus, n, cores, count_of(run, "machine.packages", 1, cores));
	tp_run_reduce(machine, run, true);
}

/*
 * --- the run of a group ---
 *
 * Each of its points is a copy of the point of the node in the middle, so that its columns are
 * consistent; its interval covers 90 % of the nodes that are not outliers. The points are read
 * again from the directories of these nodes, at most one for each point.
 */

/* What is merged. */
struct merging {
	const struct tp_cluster *cluster;
	const struct tp_node_groups *groups;
	const struct tp_diag *why; /* of each node of the cluster; `what` may be empty */
};

/* Results for a group. */
struct making {
	const struct merging *at;
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
static void find_clocks(struct making *m)
{
	const struct tp_node_group *g = m->group;
	size_t room = TP_MAX(g->n_nodes, g->n_slots) + 1;
	TP_FREE double *middle = tp_alloc(g->n_slots + 1, sizeof(*middle));
	TP_FREE double *x = tp_alloc(room, sizeof(*x));

	m->clock = tp_alloc(g->n_nodes + 1, sizeof(*m->clock));
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
static void set_point(const struct making *m, size_t slot, struct tp_point *point)
{
	const struct tp_outliers *o = &m->judged.found;
	const struct tp_outlier_point *over = &o->points[slot];
	TP_FREE double *x = tp_alloc(2 * o->n_nodes + 1, sizeof(*x));
	struct tp_summary s;
	size_t n = 0;

	for (size_t i = 0; i < o->n_nodes; i++)
		if (isfinite(o->values[i * o->n_points + slot]))
			x[n++] = o->values[i * o->n_points + slot];
	tp_summarise(x, n, 0.95, x + o->n_nodes, &s);
	point->point = (unsigned)slot;
	point->mean = s.mean;
	point->stddev = s.stddev;
	point->mad = s.mad;
	point->ci_low = isfinite(over->low) ? fmin(over->low, point->median) : 0;
	point->ci_high = isfinite(over->high) ? fmax(over->high, point->median) : 0;
	point->kept = point->invocations = (unsigned)n;
}

/* The points of one node that are those in the middle. */
static void take_points(struct making *m, size_t node, const size_t *middle)
{
	char directory[TP_PATH_MAX];
	struct tp_node_run from;
	struct tp_diag diag;

	tp_node_path(m->at->cluster, m->group->nodes[node].node, "", directory);
	/* It existed a moment ago: whoever removed it loses the points. */
	if (tp_node_run_load(&from, directory, &diag) != TP_OK)
		return;
	TP_FREE size_t *slots = tp_node_slots(m->group, from.points, false);

	for (size_t i = 0; i < from.points->n_points; i++) {
		size_t slot = slots[i];

		if (slot >= m->judged.found.n_points || middle[slot] != node)
			continue;
		tp_point_take(&m->run->points[slot], &from.points->points[i], &m->run->arena);
		set_point(m, slot, &m->run->points[slot]);
	}
	tp_node_run_release(&from);
}

static void make_points(struct making *m)
{
	size_t n = m->judged.found.n_points;
	TP_FREE size_t *middle = tp_alloc(n + 1, sizeof(*middle));
	TP_FREE bool *wanted = tp_alloc(m->group->n_nodes + 1, sizeof(*wanted));

	TP_RESERVE(m->run->points, m->run->cap_points, n);
	for (size_t j = 0; j < n; j++) {
		m->run->points[j] = (struct tp_point){ .point = (unsigned)j,
						       .run = m->group->slots[j].run,
						       .state = TP_POINT_SKIPPED };
		m->run->n_points++;
		middle[j] = middle_node(m, j);
		if (middle[j] != SIZE_MAX)
			wanted[middle[j]] = true;
	}
	for (size_t i = 0; i < m->group->n_nodes; i++)
		if (wanted[i])
			take_points(m, i, middle);
}

/* --- tables --- */

static unsigned group_number(const struct making *m)
{
	return (unsigned)(m->group - m->at->groups->groups) + 1;
}

/* Nodes of a group in the order of the cluster; the first run has the facts of all groups. */
static void add_nodes(struct making *m)
{
	const struct tp_cluster *cluster = m->at->cluster;
	TP_FREE struct tp_node_row *all = tp_alloc(cluster->n_nodes + 1, sizeof(*all));

	for (size_t i = 0; i < cluster->n_nodes; i++) {
		struct tp_node_row *row = &all[i];

		tp_copy(row->node, sizeof(row->node), cluster->nodes[i].name);
		row->state = cluster->nodes[i].state;
		row->speed = row->spread = row->z = row->p = NAN;
		tp_copy(row->why, sizeof(row->why), m->at->why[i].what);
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
	for (size_t i = 0; i < cluster->n_nodes; i++) {
		if (group_number(m) > 1 && all[i].group != group_number(m))
			continue;
		struct tp_node_row *row = tp_run_add_row(m->run, &tp_node_part);

		*row = all[i];
	}
}

static void add_values(struct making *m)
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
			      "the directories of the nodes have all of them",
			      n_cells(m));
}

static enum tp_status add_facts(struct making *m)
{
	const struct tp_cluster *cluster = m->at->cluster;
	const struct tp_outliers *found = &m->judged.found;
	struct tp_run *run = m->run;
	char apart[256];
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
		status = tp_run_fact_number(run, TP_FACT_CLUSTER_UPPER, (double)found->n_upper);
	if (status == TP_OK && found->n_upper)
		status = tp_run_fact_number(run, TP_FACT_CLUSTER_GAP, found->gap);
	if (status == TP_OK && tp_node_group_apart(m->group, found, apart, sizeof(apart)))
		status = tp_run_fact_text(run, TP_FACT_CLUSTER_APART, "%s", apart);
	if (status == TP_OK && isfinite(found->smallest))
		status = tp_run_fact_number(run, TP_FACT_CLUSTER_SMALLEST, found->smallest);
	if (status == TP_OK)
		status = tp_run_fact_text(run, TP_FACT_CLUSTER_NAME, "%s", cluster->name);
	if (status == TP_OK && *cluster->started)
		status = tp_run_fact_text(run, "started", "%s", cluster->started);
	return status;
}

static enum tp_status make_run(const struct merging *at, struct tp_node_group *group,
			       struct tp_run *run, struct tp_diag *diag)
{
	struct making m = { .at = at, .group = group, .run = run };
	tp_node_group_judge(group, &m.judged);
	enum tp_status status = add_facts(&m);
	if (status == TP_OK) {
		find_clocks(&m);
		make_points(&m);
		add_nodes(&m);
		add_values(&m);
		bool complete = true;
		for (size_t i = 0; i < m.group->n_nodes; i++) {
			complete &= m.group->nodes[i].complete;
			m.run->wall_seconds =
				fmax(m.run->wall_seconds, m.group->nodes[i].wall_seconds);
		}
		tp_copy(m.run->state, sizeof(m.run->state), complete ? "complete" : "interrupted");
		reduce_points(run);
	}
	tp_judged_release(&m.judged);
	free(m.clock);
	return status ? tp_fail(diag, status, "merge", NULL, "%s", tp_status_name(status)) : TP_OK;
}

/* --- all groups --- */

/* A clock that is this far off is reported: times of nodes are shown side by side. */
enum { SKEW_SECONDS = 120 };

/* A run cannot have begun before the cluster run did, nor later than now. */
static void remark_clock(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
			 const struct tp_run *facts, struct tp_diags *remarks)
{
	const struct tp_fact *started = tp_run_fact(facts, "started");
	time_t then, first;

	if (!started || !tp_utc_read(started->text, &then))
		return;
	double ahead = difftime(then, time(NULL));
	double behind = tp_utc_read(cluster->started, &first) ? difftime(first, then) : 0;

	if (ahead > SKEW_SECONDS || behind > SKEW_SECONDS)
		tp_diags_note(
			remarks, node->name,
			"set the clocks of the nodes, for instance with chrony; results do not "
			"depend on them",
			"its clock is %.0f s or more %s", ahead > 0 ? ahead : behind,
			ahead > 0 ? "ahead" : "behind");
}

/* Reads a node into the groups; *why is the remark on it. */
static void read_node(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
		      struct tp_node_groups *groups, struct tp_diags *remarks, struct tp_diag *why)
{
	char directory[TP_PATH_MAX];
	struct tp_node_run run;

	if (!tp_node_name_is_good(node->name)) {
		tp_fail(why, TP_USAGE, "nodes", NULL,
			"has a name that is not possible for a directory");
		return;
	}
	if (!tp_is_folder(tp_node_path(cluster, node, "", directory))) {
		bool gone = node->n_done > 0 && !*node->why;

		tp_fail(why, TP_NOTFOUND, node->name, NULL, "%.250s",
			gone	     ? "its directory is gone"
			: *node->why ? node->why
				     : "has not begun");
		if (gone)
			tp_diags_add(remarks, why);
		return;
	}
	enum tp_status status = tp_node_run_load(&run, directory, why);

	if (status == TP_NOTFOUND)
		tp_fail(why, status, node->name, NULL, "%.250s",
			*node->why ? node->why : "has not begun");
	else if (status != TP_OK)
		tp_diags_add(remarks, why);
	if (status != TP_OK)
		return;
	if (*run.damage.what)
		tp_diags_add(remarks, &run.damage);
	remark_clock(cluster, node, &run.facts, remarks);
	if (tp_run_n_done(run.points) > 0)
		tp_node_groups_add(groups, node, &run);
	else
		tp_fail(why, TP_NOTFOUND, node->name, NULL, "%.250s",
			*node->why ? node->why : "has no finished point");
	tp_node_run_release(&run);
}

static enum tp_status make_runs(const struct merging *at, struct tp_node_groups *groups,
				struct tp_run **runs, size_t *n, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;

	*runs = tp_alloc(groups->n, sizeof(**runs));
	for (*n = 0; *n < groups->n && status == TP_OK; ++*n)
		status = make_run(at, &groups->groups[*n], &(*runs)[*n], diag);
	if (status != TP_OK) {
		for (size_t i = 0; i < *n; i++)
			tp_run_release(&(*runs)[i]);
		free(*runs);
		*runs = NULL;
		*n = 0;
	}
	return status;
}

enum tp_status tp_cluster_merge(const struct tp_cluster *cluster, struct tp_run **runs, size_t *n,
				struct tp_diags *remarks, struct tp_diag *diag)
{
	TP_CLEANUP(tp_node_groups_release) struct tp_node_groups groups = { 0 };
	TP_FREE struct tp_diag *why = tp_alloc(cluster->n_nodes + 1, sizeof(*why));
	enum tp_status status = TP_OK;

	*runs = NULL;
	*n = 0;
	for (size_t i = 0; i < cluster->n_nodes && status == TP_OK; i++) {
		if (cluster->go_on && !cluster->go_on(cluster->context))
			status = TP_CANCELLED;
		else
			read_node(cluster, &cluster->nodes[i], &groups, remarks, &why[i]);
	}
	if (status != TP_OK)
		tp_fail(diag, status, "merge", NULL, "%s", tp_status_name(status));
	else if (groups.n == 0)
		status = tp_fail(diag, TP_NOTFOUND, cluster->directory,
				 "wait for the first points: tprof --cluster status",
				 "no node has a finished point");
	tp_node_groups_sort(&groups);
	for (size_t g = 0; g < groups.n && status == TP_OK; g++)
		tp_node_group_remarks(&groups, g, remarks);
	struct merging at = { cluster, &groups, why };

	if (status == TP_OK)
		status = make_runs(&at, &groups, runs, n, diag);
	return status;
}

/*
 * --- the merged runs as directories ---
 *
 * merged/, merged-2/, ... Each is written under another name and then renamed, so that a reader
 * finds the old or the new results, never a mixture.
 */

enum { TEMPORARY_BYTES = 16 };

const char *tp_cluster_merged_path(const struct tp_cluster *cluster, size_t i,
				   char out[TP_PATH_MAX])
{
	snprintf(out, TP_PATH_MAX, i ? "%s/merged-%zu" : "%s/merged", cluster->directory, i + 1);
	return out;
}

/* Whether tprof has written it there. */
static bool is_ours(const char *name)
{
	static const char *const files[] = { "run.json", "points.csv", "nodes.csv",
					     "node_values.csv" };

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (strcmp(files[i], name) == 0)
			return true;
	return false;
}

/* Removes a merged run. Foreign files there move to `heir`, or stay if it is NULL. */
static void remove_merged(const char *path, const char *heir)
{
	int from = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int to = heir ? open(heir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	DIR *dir = from >= 0 ? fdopendir(from) : NULL;

	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		const char *name = entry->d_name;

		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
			continue;
		if (is_ours(name))
			unlinkat(from, name, 0);
		else if (to >= 0)
			renameat2(from, name, to, name, RENAME_NOREPLACE);
	}
	if (dir)
		closedir(dir);
	else if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	/* It may have been a link to a directory. */
	if (rmdir(path) != 0 && errno == ENOTDIR)
		unlink(path);
}

/* The directory `made` gets the name `path`; the old one is removed. */
static bool take_place(const char *made, const char *path)
{
	char old[TP_PATH_MAX + 2 * TEMPORARY_BYTES];

	if (rename(made, path) == 0)
		return true;
	if (renameat2(AT_FDCWD, made, AT_FDCWD, path, RENAME_EXCHANGE) == 0) {
		remove_merged(made, path);
		return true;
	}
	/* Some file systems cannot exchange folders: for a moment there is none. */
	snprintf(old, sizeof(old), "%s.old", made);
	if (rename(path, old) != 0)
		return false;
	if (rename(made, path) != 0) {
		int error = errno;

		rename(old, path);
		errno = error;
		return false;
	}
	remove_merged(old, path);
	return true;
}

static enum tp_status write_one(const struct tp_cluster *cluster, size_t i,
				const struct tp_run *run, struct tp_diag *diag)
{
	char path[TP_PATH_MAX], made[TP_PATH_MAX + TEMPORARY_BYTES];
	mode_t mask = umask(0);

	umask(mask);
	tp_cluster_merged_path(cluster, i, path);
	snprintf(made, sizeof(made), "%s.XXXXXX", path);
	if (!mkdtemp(made))
		return tp_fail(diag, errno == EACCES || errno == EROFS ? TP_PERM : TP_IO, path,
			       NULL, "cannot make the directory: %s", strerror(errno));
	chmod(made, 0777 & ~mask);
	enum tp_status status = tp_rundir_write(TP_TYPED_NOTHING, made, run, diag);

	if (status == TP_OK && !take_place(made, path))
		status = tp_fail(diag, TP_IO, path, "is it a directory of yours?",
				 "cannot be replaced: %s", strerror(errno));
	if (status != TP_OK)
		remove_merged(made, NULL);
	return status;
}

enum tp_status tp_cluster_write_merged(const struct tp_cluster *cluster, struct tp_diags *remarks,
				       struct tp_diag *diag)
{
	TP_FREE struct tp_run *runs = NULL;
	char path[TP_PATH_MAX];
	size_t n = 0, before = remarks->n;
	enum tp_status status = tp_cluster_merge(cluster, &runs, &n, remarks, diag);
	bool merged = status == TP_OK;

	/* Later readers of the run see them, too. */
	for (size_t i = before; merged && i < remarks->n; i++)
		tp_run_remark(&runs[0], &remarks->items[i]);
	for (size_t i = 0; i < n && status == TP_OK; i++)
		status = write_one(cluster, i, &runs[i], diag);
	/*
	 * Groups of an earlier merge that no longer exist: their results would be taken for current
	 * ones.
	 */
	for (size_t i = n; merged && status == TP_OK; i++) {
		if (!tp_is_folder(tp_cluster_merged_path(cluster, i, path)))
			break;
		remove_merged(path, NULL);
	}
	for (size_t i = 0; i < n; i++)
		tp_run_release(&runs[i]);
	return status;
}
