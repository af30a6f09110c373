/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as the directory of a node of a cluster run. A line "== FILE" begins the text of that
 * file, one of run.json, points.csv and journal.ndjson. All nodes of the cluster are that
 * directory. Must not crash, must say what is wrong, and what is merged can be written, read and
 * told.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/outliers.h"
#include "base/memory.h"
#include "cluster/merge.h"
#include "cluster/tables.h"
#include "experiments/experiment.h"
#include "report/report.h"
#include "tests/unit/printed.h"
#include "tests/fuzz/promise.h"

enum { NODES = 4, POINTS_TOLD = 500 };

static const char *const files[] = { "run.json", "points.csv", "journal.ndjson" };
static char folder[64];
static struct tp_cluster cluster;
static struct tp_cluster_node nodes[NODES];

static void clean_up(void)
{
	char path[TP_PATH_MAX];

	for (size_t i = 0; i < TP_COUNT_OF(files); i++) {
		snprintf(path, sizeof(path), "%s/nodes/a/%s", folder, files[i]);
		unlink(path);
	}
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
	snprintf(path, sizeof(path), "%s/nodes/a", folder);
	must(tp_dir_make(path, NULL) == TP_OK, "and one of a node");
	for (size_t i = 0; i < NODES; i++) {
		snprintf(nodes[i].name, sizeof(nodes[i].name), "%c", (char)('a' + i));
		snprintf(path, sizeof(path), "%s/nodes/%s", folder, nodes[i].name);
		must(i == 0 || symlink("a", path) == 0, "and its links");
	}
	atexit(clean_up);
}

/* The number of the file that a line "== FILE" names; -1 = it is no such line. */
static int file_of(const char *line, size_t len)
{
	for (size_t i = 0; i < TP_COUNT_OF(files); i++)
		if (len == 3 + strlen(files[i]) && memcmp(line, "== ", 3) == 0 &&
		    memcmp(line + 3, files[i], len - 3) == 0)
			return (int)i;
	return -1;
}

static void put(int file, const char *text, size_t len)
{
	char path[TP_PATH_MAX];

	snprintf(path, sizeof(path), "%s/nodes/a/%s", folder, files[file]);
	FILE *out = fopen(path, "w");

	must(out && fwrite(text, 1, len, out) == len, "a file is written");
	must(fclose(out) == 0, "and closed");
}

static void put_files(const char *text, size_t len)
{
	const char *from = NULL, *end = text + len;
	char path[TP_PATH_MAX];
	int file = -1;

	for (size_t i = 0; i < TP_COUNT_OF(files); i++) {
		snprintf(path, sizeof(path), "%s/nodes/a/%s", folder, files[i]);
		unlink(path);
	}
	for (const char *line = text, *next; line < end; line = next) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));
		size_t n = (size_t)((stop ? stop : end) - line);
		int named = file_of(line, n);

		next = stop ? stop + 1 : end;
		if (named < 0)
			continue;
		if (file >= 0)
			put(file, from, (size_t)(line - from));
		file = named;
		from = next;
	}
	if (file >= 0)
		put(file, from, (size_t)(end - from));
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
	size_t n = 0;

	if (!*folder)
		set_up();
	put_files((const char *)data, size);
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
