/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is a slow node found, and no other one? 16 simulated nodes a seed, each with a seed and so with
 * disturbances of its own, all their rates of one of them x 0.9; then the same without. The runs
 * are written, merged and counted. With a folder the last cluster stays there.
 *
 * build/tests/bench/merge_simulated [REGIME [SEEDS [FOLDER]]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/outliers.h"
#include "base/now.h"
#include "base/vec.h"
#include "cluster/merge.h"
#include "cluster/tables.h"
#include "record/kernel_row.h"
#include "session/facts.h"
#include "tests/unit/simulated_run.h"

enum { NODES = 16 };

static const char *const sets[] = {
	"topology=synthetic:pack:1 l3:1(size=33554432) l2:2(size=1048576) "
	"l1d:1(size=32768) core:1 pu:1",
	"machine=zen4", "experiment=roofline", "threads=1", "stop.max_time=300ms"
};

/* As if the whole machine were slower: clock and all. */
static void slow_down(struct tp_run *run, double speed)
{
	for (size_t i = 0; i < run->n_points; i++) {
		struct tp_point *p = &run->points[i];
		struct tp_kernel_row *k = tp_kernel_row_of(p);
		double *const values[] = { &p->median,	  &p->best,	     &p->mean,
					   &p->ci_low,	  &p->ci_high,	     &k->median_gbps,
					   &k->best_gbps, &k->median_gflops, &k->best_gflops,
					   &p->core_ghz };

		for (size_t v = 0; v < TP_COUNT_OF(values); v++)
			*values[v] *= speed;
	}
}

static enum tp_status put_node(struct simulated_run *s, const char *folder,
			       const struct tp_regime *regime, uint64_t seed, double speed,
			       struct tp_diag *diag)
{
	enum tp_status status = simulated_measure(s, regime, seed, diag);

	if (status != TP_OK)
		return status;
	tp_facts_collect(&s->run, &s->session);
	snprintf(s->run.state, sizeof(s->run.state), "complete");
	slow_down(&s->run, speed);
	mkdir(folder, 0777);
	return tp_rundir_write(folder, &s->run, diag);
}

struct count {
	unsigned found, healthy, groups, values;
	double speed; /* of the slow node */
};

/* A cluster of one seed; `slow` NODES: none is. */
static enum tp_status one_seed(struct tp_cluster *cluster, struct simulated_run *s,
			       const struct tp_regime *regime, uint64_t seed, size_t slow,
			       struct count *count, struct tp_diag *diag)
{
	struct tp_diags remarks = { 0 };
	struct tp_run *runs = NULL;
	enum tp_status status = TP_OK;
	size_t n = 0;

	for (size_t i = 0; i < NODES && status == TP_OK; i++) {
		char path[TP_PATH_MAX + 96];

		snprintf(path, sizeof(path), "%.3000s/nodes/%s", cluster->directory,
			 cluster->nodes[i].name);
		status = put_node(s, path, regime, seed * NODES + i, i == slow ? 0.9 : 1, diag);
	}
	if (status == TP_OK)
		status = tp_cluster_merge(cluster, &runs, &n, &remarks, diag);
	if (status == TP_OK)
		status = tp_cluster_write_merged(cluster, &remarks, diag);
	tp_diags_release(&remarks);
	for (size_t i = 0; n > 0 && i < tp_run_n_nodes(&runs[0]); i++) {
		const struct tp_node_row *row = &tp_run_nodes(&runs[0])[i];

		if (i == slow) {
			count->found += row->outlier == TP_OUTLIER_SLOW;
			count->speed = row->speed;
		} else {
			count->healthy += row->outlier != TP_OUTLIER_NONE;
		}
	}
	for (size_t i = 0; n > 0 && i < tp_run_n_node_values(&runs[0]); i++)
		count->values += tp_run_node_values(&runs[0])[i].outlier != TP_OUTLIER_NONE;
	count->groups += n > 0 && tp_run_fact(&runs[0], TP_FACT_CLUSTER_UPPER);
	for (size_t i = 0; i < n; i++)
		tp_run_release(&runs[i]);
	free(runs);
	return status;
}

int main(int argc, char **argv)
{
	const struct tp_regime *regime = tp_regime_find(argc > 1 ? argv[1] : "zen4-vm");
	unsigned seeds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 20;
	struct tp_cluster_node nodes[NODES] = { 0 };
	struct tp_cluster cluster = { .name = "simulated", .nodes = nodes, .n_nodes = NODES };
	struct count with = { 0 }, without = { 0 };
	char path[TP_PATH_MAX + 16], command[TP_PATH_MAX + 32];
	struct tp_diags diags = { 0 };
	struct tp_diag diag = { 0 };
	struct simulated_run s;

	snprintf(cluster.directory, sizeof(cluster.directory), "%.3000s",
		 argc > 3 ? argv[3] : "/tmp/merge_simulated");
	snprintf(path, sizeof(path), "%s/nodes", cluster.directory);
	for (size_t i = 0; i < NODES; i++) {
		snprintf(nodes[i].name, sizeof(nodes[i].name), "node-%02zu", i + 1);
		nodes[i].state = TP_NODE_DONE;
	}
	if (!regime || tp_dir_make(path, &diag) != TP_OK ||
	    simulated_open(&s, sets, TP_COUNT_OF(sets), &diags) != TP_OK)
		return fprintf(stderr, "no such regime, or no such folder\n"), 2;
	double start = tp_now_seconds();
	enum tp_status status = TP_OK;

	for (unsigned seed = 1; seed <= seeds && status == TP_OK; seed++) {
		status = one_seed(&cluster, &s, regime, seed, NODES, &without, &diag);
		if (status == TP_OK)
			status = one_seed(&cluster, &s, regime, seed, seed % NODES, &with, &diag);
	}
	if (status != TP_OK)
		fprintf(stderr, "%s: %s\n", diag.where, diag.what);
	printf("%s, %u seeds of %d nodes, %zu points, %.1f s:\n", regime->name, seeds, NODES,
	       s.session.plan.n, tp_now_seconds() - start);
	printf("  one node x 0.9: named in %u, last speed %.3f; healthy ones named: %u; two "
	       "groups: %u\n",
	       with.found, with.speed, with.healthy, with.groups);
	printf("  all healthy: named %u, values named %u of %zu, two groups: %u\n", without.healthy,
	       without.values, seeds * NODES * s.session.plan.n, without.groups);
	simulated_close(&s);
	snprintf(command, sizeof(command), "rm -rf '%s'", cluster.directory);
	if (argc <= 3 && system(command) != 0)
		perror(command);
	return status != TP_OK;
}
