/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long the runs of many nodes take to be merged and written, and how much memory that needs:
 * 100 points a node with 30 windows each, as a run of half an hour leaves them. Beyond 500 nodes
 * directories are links to those of earlier nodes, so that the disk is not measured; their text is
 * still read and parsed. Each line is a separate process.
 *
 * build/tests/bench/merge_scale [FOLDER [NODES]...]
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/now.h"
#include "cluster/merge.h"
#include "cluster/tables.h"
#include "experiments/experiment.h"
#include "tests/unit/node_runs.h"

enum { POINTS = 100, WINDOWS = 30, OWN_MAX = 500, SLOW = 7 };

static bool put_text(const char *folder, const char *name, const struct tp_str *text)
{
	char path[TP_PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "w");

	if (!file)
		return false;
	fwrite(tp_str_text(text), 1, text->len, file);
	return fclose(file) == 0;
}

/* Without the syncs of tp_rundir_write. */
static bool put_node(const char *folder, const char *name, unsigned i)
{
	const struct made_node node = { .speed = i == SLOW ? 0.9 : 1,
					.seed = i + 1,
					.n_points = POINTS,
					.n_windows = WINDOWS };
	struct tp_str json = { 0 }, csv = { 0 };
	struct tp_run run;
	bool good = mkdir(folder, 0777) == 0 && made_run(&run, name, &node);

	if (good) {
		tp_run_json(&run, &json);
		tp_run_csv(&run, true, &csv);
		good = put_text(folder, "run.json", &json) && put_text(folder, "points.csv", &csv);
	}
	tp_run_release(&run);
	tp_str_release(&json);
	tp_str_release(&csv);
	return good;
}

static bool put_nodes(struct tp_cluster *cluster, size_t n)
{
	char path[TP_PATH_MAX + 64], to[64];

	for (size_t i = cluster->n_nodes; i < n; i++) {
		struct tp_cluster_node *node = &cluster->nodes[i];

		snprintf(node->name, sizeof(node->name), "node-%05zu", i);
		node->state = TP_NODE_DONE;
		snprintf(path, sizeof(path), "%.3000s/nodes/%s", cluster->directory, node->name);
		snprintf(to, sizeof(to), "node-%05zu", 100 + i % (OWN_MAX - 100));
		if (i < OWN_MAX ? !put_node(path, node->name, (unsigned)i) : symlink(to, path) != 0)
			return false;
	}
	cluster->n_nodes = n;
	return true;
}

/* Names as a scheduler may give them, from the last to the first, and every one found again. */
static double add_seconds(const struct tp_cluster *cluster)
{
	struct tp_cluster made = { 0 };
	double start = tp_now_seconds();

	for (size_t i = cluster->n_nodes; i-- > 0;)
		if (tp_cluster_add(&made, cluster->nodes[i].name, NULL) != TP_OK ||
		    !tp_cluster_node(&made, cluster->nodes[i].name))
			return 0;
	tp_cluster_sort(&made);
	tp_cluster_release(&made);
	return tp_now_seconds() - start;
}

static int merge(const struct tp_cluster *cluster)
{
	struct tp_diags remarks = { 0 };
	struct tp_diag diag = { 0 };
	struct tp_run *runs = NULL;
	struct rusage used;
	size_t n = 0, named = 0;
	double added = add_seconds(cluster), start = tp_now_seconds();

	if (tp_cluster_merge(cluster, &runs, &n, &remarks, &diag) != TP_OK)
		return fprintf(stderr, "%s: %s\n", diag.where, diag.what), 1;
	double merged = tp_now_seconds() - start, busy;

	/* Other load on the machine does not count here. */
	getrusage(RUSAGE_SELF, &used);
	busy = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
	       1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);

	for (size_t i = 0; i < tp_run_n_nodes(&runs[0]); i++)
		named += tp_run_nodes(&runs[0])[i].outlier != 0;
	for (size_t i = 0; i < n; i++)
		tp_run_release(&runs[i]);
	free(runs);
	start = tp_now_seconds();
	if (tp_cluster_write_merged(cluster, &remarks, &diag) != TP_OK)
		return fprintf(stderr, "%s: %s\n", diag.where, diag.what), 1;
	double written = tp_now_seconds() - start;

	tp_diags_release(&remarks);
	getrusage(RUSAGE_SELF, &used);
	printf("%7zu %8.3f %9.2f %8.2f %14.2f %9.3f %9.0f %7zu %6zu\n", cluster->n_nodes, added,
	       merged, busy, written, 1e3 * merged / (double)cluster->n_nodes,
	       (double)used.ru_maxrss / 1024, n, named);
	fflush(stdout);
	return 0;
}

static int measure(struct tp_cluster *cluster, size_t n)
{
	int status = 1;

	if (n > TP_CLUSTER_NODES_MAX || n < cluster->n_nodes || !put_nodes(cluster, n))
		return fprintf(stderr, "cannot make %zu nodes\n", n), 1;
	pid_t child = fork();

	if (child == 0)
		_exit(merge(cluster));
	if (child < 0 || waitpid(child, &status, 0) < 0)
		perror("child");
	return status;
}

int main(int argc, char **argv)
{
	tp_experiments_begin();
	struct tp_cluster cluster = { .name = "bench" };
	char path[TP_PATH_MAX + 16], command[TP_PATH_MAX + 32];
	int status = 0;

	snprintf(cluster.directory, sizeof(cluster.directory), "%.3000s/merge_scale.%ld",
		 argc > 1 ? argv[1] : "/tmp", (long)getpid());
	snprintf(path, sizeof(path), "%s/nodes", cluster.directory);
	cluster.nodes = calloc(TP_CLUSTER_NODES_MAX, sizeof(*cluster.nodes));
	if (!cluster.nodes || tp_dir_make(path, NULL) != TP_OK)
		return perror(path), 1;
	printf("%7s %8s %9s %8s %14s %9s %9s %7s %6s\n", "nodes", "add s", "merge s", "CPU s",
	       "and written s", "ms/node", "peak MB", "groups", "named");
	fflush(stdout);
	for (int i = 2; i < argc && !status; i++)
		status = measure(&cluster, strtoul(argv[i], NULL, 10));
	for (size_t n = 100; argc <= 2 && n <= 10000 && !status; n *= 10)
		status = measure(&cluster, n);
	snprintf(command, sizeof(command), "rm -rf '%s'", cluster.directory);
	if (system(command) != 0)
		perror(command);
	free(cluster.nodes);
	return status != 0;
}
