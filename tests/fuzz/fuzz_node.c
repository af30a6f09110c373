/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as the directory of a node of a cluster run, and as the files beside it that say how it
 * ended (see folder.h). All nodes of the cluster are that directory. Must not crash, must say what
 * is wrong, and what is merged can be written, read and told.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/outliers.h"
#include "base/memory.h"
#include "base/text.h"
#include "cluster/detached.h"
#include "cluster/merge.h"
#include "cluster/tables.h"
#include "experiments/experiment.h"
#include "report/report.h"
#include "tests/unit/printed.h"
#include "tests/fuzz/folder.h"

enum { NODES = 4, POINTS_TOLD = 500 };

/* Beside the folder of the node: how it ended, and what it said. */
static const char *const files[] = { "run.json", "points.csv", "journal.ndjson", "../a.end",
				     "../a.txt" };
static char folder[64], folder_of_a[80];
static const struct fuzz_folder node_folder = { folder_of_a, files, TP_COUNT_OF(files) };
static struct tp_cluster cluster;
static struct tp_cluster_node nodes[NODES];

static void clean_up(void)
{
	char path[TP_PATH_MAX];

	folder_clear(&node_folder);
	for (size_t i = 1; i < NODES; i++) {
		snprintf(path, sizeof(path), "%s/nodes/%s", folder, nodes[i].name);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/nodes/a", folder);
	rmdir(path);
	snprintf(path, sizeof(path), "%s/nodes", folder);
	rmdir(path);
	rmdir(folder);
}

/* A directory "a", and links to it. */
static void set_up(void)
{
	char path[TP_PATH_MAX];

	snprintf(folder, sizeof(folder), "/tmp/tprof-fuzz-node-XXXXXX");
	must(mkdtemp(folder), "there is a folder");
	cluster = (struct tp_cluster){ .name = "fuzz", .nodes = nodes, .n_nodes = NODES };
	snprintf(cluster.directory, sizeof(cluster.directory), "%s", folder);
	snprintf(cluster.started, sizeof(cluster.started), "2026-11-24T00:00:00Z");
	snprintf(folder_of_a, sizeof(folder_of_a), "%s/nodes/a", folder);
	must(tp_dir_make(folder_of_a, NULL) == TP_OK, "and one of a node");
	for (size_t i = 0; i < NODES; i++) {
		snprintf(nodes[i].name, sizeof(nodes[i].name), "%c", (char)('a' + i));
		snprintf(path, sizeof(path), "%s/nodes/%s", folder, nodes[i].name);
		must(i == 0 || symlink("a", path) == 0, "and its links");
	}
	atexit(clean_up);
}

static void check_nodes(const struct tp_run *run)
{
	for (size_t i = 0; i < tp_run_n_nodes(run); i++) {
		const struct tp_node_row *row = &tp_run_nodes(run)[i];

		must(strlen(row->node) == 1, "a node is one of the cluster");
		must(row->points <= run->n_points || row->group != 1, "with points of the run");
		must(row->outlier == TP_OUTLIER_NONE, "equal nodes are alike");
	}
	for (size_t i = 0; i < tp_run_n_node_values(run); i++)
		must(tp_run_node_values(run)[i].point < run->n_points, "a value has a point");
}

static void check_run(const struct tp_run *run)
{
	struct tp_look look = { .columns = 80 };
	struct tp_str text = { 0 }, told = { 0 };
	struct tp_diag diag = { 0 };
	struct tp_run again = { 0 };

	check_nodes(run);
	/* The number of a point makes all before it. */
	if (run->n_points > POINTS_TOLD)
		return;
	tp_run_json(run, &text);
	must(tp_run_parse(&again, "again", text.s, text.len, &diag) == TP_OK, "and read");
	must(again.n_points == run->n_points, "with its points");
	must(tp_run_n_nodes(&again) == tp_run_n_nodes(run), "and its nodes");
	PRINTED(&look, &told, tp_report_text(&again, doc));
	PRINTED(&look, &told, tp_report_plots(&again, doc));
	must(told.len > 0, "and told");
	tp_run_release(&again);
	tp_str_release(&text);
	tp_str_release(&told);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	tp_experiments_begin();
	struct tp_diags remarks = { 0 };
	struct tp_diag diag = { 0 };
	struct tp_run *runs = NULL;
	char said[200];
	size_t n = 0;

	if (!*folder)
		set_up();
	folder_fill(&node_folder, (const char *)data, size);
	nodes[0].state = TP_NODE_RUNNING;
	tp_detached_end(&cluster, &nodes[0], "it ended");
	must(nodes[0].state < TP_NODE_STATE_COUNT, "a node that ended is in a state");
	must(tp_node_ended_words(&cluster, &nodes[0], said, sizeof(said))[0], "and said how");
	must(!tp_text_fault(said, strlen(said), ""), "in words that can be printed");
	tp_cluster_look(&cluster);
	for (size_t i = 0; i < NODES; i++)
		must(nodes[i].n_done <= TP_RUN_POINTS_MAX && nodes[i].n_points <= TP_RUN_POINTS_MAX,
		     "a node has no more points than a run");
	if (tp_cluster_merge(&cluster, &runs, &n, &remarks, &diag) == TP_OK)
		must(n > 0, "what is merged is a run");
	else
		must(n == 0 && diag.where[0] && diag.what[0], "a failure has a place and words");
	for (size_t i = 0; i < remarks.n; i++)
		must(remarks.items[i].what[0], "a remark has words");
	for (size_t i = 0; i < n; i++) {
		check_run(&runs[i]);
		tp_run_release(&runs[i]);
	}
	free(runs);
	tp_diags_release(&remarks);
	for (size_t i = 0; i < NODES; i++)
		tp_node_forget(&nodes[i]);
	return 0;
}
