/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runs of many nodes as one: what is like, what differs, and what is damaged. */
#include "experiments/experiment.h"
#include "tests/unit/files.h"
#include "tests/unit/node_runs.h"

#include <dirent.h>
#include <unistd.h>

#include "analysis/outliers.h"
#include "cluster/merge.h"
#include "cluster/tables.h"
#include "record/load.h"
#include "record/roof.h"
#include "tests/unit/printed.h"
#include "report/report.h"

enum { POINTS = 20, WINDOWS = 3, NODES_MAX = 16 };

static struct tp_cluster cluster;
static char folder[64]; /* its directory */
static struct tp_cluster_node nodes[NODES_MAX];

static void add(const char *name)
{
	struct tp_cluster_node *node = &nodes[cluster.n_nodes++];

	memset(node, 0, sizeof(*node));
	snprintf(node->name, sizeof(node->name), "%s", name);
	node->state = TP_NODE_DONE;
}

static void path_of(const char *name, const char *file, char out[TP_PATH_MAX])
{
	snprintf(out, TP_PATH_MAX, "%.2000s/nodes/%s%s%s", cluster.directory, name,
		 *file ? "/" : "", file);
}

static void put_node(const char *name, const struct made_node *node)
{
	char path[TP_PATH_MAX];
	struct tp_run run;
	struct tp_diag diag = { 0 };

	path_of(name, "", path);
	assert_int_equal(tp_dir_make(path, &diag), TP_OK);
	assert_true(made_run(&run, name, node));
	assert_int_equal(tp_rundir_write(TP_TYPED_NOTHING, path, &run, &diag), TP_OK);
	tp_run_release(&run);
	add(name);
}

/* node-00 and so on, alike. */
static void put_nodes(unsigned from, unsigned n, const char *cpu)
{
	for (unsigned i = from; i < from + n; i++) {
		char name[32];
		const struct made_node node = { .cpu = cpu,
						.speed = 1,
						.seed = i + 1,
						.n_points = POINTS,
						.n_windows = WINDOWS };

		snprintf(name, sizeof(name), "node-%02u", i);
		put_node(name, &node);
	}
}

static int setup(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/tprof-merge-XXXXXX");
	memset(&cluster, 0, sizeof(cluster));
	cluster.nodes = nodes;
	if (!mkdtemp(folder))
		return -1;
	snprintf(cluster.directory, sizeof(cluster.directory), "%s", folder);
	snprintf(cluster.name, sizeof(cluster.name), "test");
	snprintf(cluster.started, sizeof(cluster.started), "2026-01-24T00:59:30Z");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return remove_tree(cluster.directory);
}

struct merged {
	struct tp_run *runs;
	size_t n;
	struct tp_diags remarks;
};

static void merge(struct merged *m)
{
	struct tp_diag diag = { 0 };

	*m = (struct merged){ 0 };
	assert_int_equal(tp_cluster_merge(&cluster, &m->runs, &m->n, &m->remarks, &diag), TP_OK);
	assert_true(m->n > 0);
}

static void release(struct merged *m)
{
	for (size_t i = 0; i < m->n; i++)
		tp_run_release(&m->runs[i]);
	free(m->runs);
	tp_diags_release(&m->remarks);
}

static bool remarked(const struct merged *m, const char *words)
{
	for (size_t i = 0; i < m->remarks.n; i++)
		if (strstr(m->remarks.items[i].what, words))
			return true;
	return false;
}

static const struct tp_node_row *row_of(const struct tp_run *run, const char *name)
{
	for (size_t i = 0; i < tp_run_n_nodes(run); i++)
		if (strcmp(tp_run_nodes(run)[i].node, name) == 0)
			return &tp_run_nodes(run)[i];
	return NULL;
}

static size_t count_named(const struct tp_run *run)
{
	size_t n = 0;

	for (size_t i = 0; i < tp_run_n_nodes(run); i++)
		n += tp_run_nodes(run)[i].outlier != TP_OUTLIER_NONE;
	return n;
}

static void check_slow(const struct tp_run *run)
{
	const struct tp_node_row *slow = row_of(run, "slow");

	assert_int_equal(tp_run_n_nodes(run), 13);
	assert_int_equal(count_named(run), 1);
	assert_int_equal(slow->outlier, TP_OUTLIER_SLOW);
	assert_true(fabs(slow->speed - 0.9) < 0.02);
	assert_true(slow->p < 0.001 && slow->z < -3);
	assert_int_equal(slow->points, POINTS);
	assert_true(fabs(slow->clock - 1) < 0.001);
	assert_int_equal(tp_run_n_node_values(run), 13 * POINTS);
	assert_int_equal(run->n_points, POINTS);
	assert_string_equal(run->state, "complete");
}

static void test_slow_node(void **state)
{
	const struct made_node slow = {
		.speed = 0.9, .seed = 77, .n_points = POINTS, .n_windows = WINDOWS
	};
	struct tp_diag diag = { 0 };
	struct tp_look look = { .columns = 100, .utf8 = true };
	struct tp_str text = { 0 };
	struct tp_run stored;
	char path[TP_PATH_MAX];
	struct merged m;

	(void)state;
	put_nodes(0, 12, NULL);
	put_node("slow", &slow);
	merge(&m);
	assert_int_equal(m.n, 1);
	assert_int_equal(m.remarks.n, 0);
	check_slow(&m.runs[0]);
	for (size_t i = 0; i < POINTS; i++) {
		const struct tp_point *p = &m.runs[0].points[i];

		assert_int_equal(p->state, TP_POINT_DONE);
		assert_int_equal(p->point, i);
		assert_int_equal(p->n_samples, 0);
		assert_int_equal(p->kept, 13);
		assert_true(p->ci_low <= p->median && p->median <= p->ci_high);
		/* What the row says is of the same node. */
		assert_true(fabs((tp_point_is_fp(p) ? tp_kernel_row(p)->median_gflops
						    : tp_kernel_row(p)->median_gbps) -
				 p->median) < 1e-9 * p->median);
	}
	/* Rooflines work: a roof for each point, and ridges. */
	assert_int_equal(tp_run_n_roofs(&m.runs[0]), POINTS);
	assert_true(tp_run_roofs(&m.runs[0])[0].ridge_flop_per_byte > 0);
	/* Facts that all nodes share stay, others do not. */
	assert_non_null(tp_run_fact(&m.runs[0], "machine.cpu"));
	assert_null(tp_run_fact(&m.runs[0], "machine.hostname"));
	release(&m);

	/* Written, and read as any run. */
	struct tp_diags remarks = { 0 };

	assert_int_equal(tp_cluster_write_merged(&cluster, &remarks, &diag), TP_OK);
	tp_diags_release(&remarks);
	snprintf(path, sizeof(path), "%.2000s/merged", cluster.directory);
	assert_int_equal(tp_run_load(&stored, path, &diag), TP_OK);
	check_slow(&stored);
	PRINTED(&look, &text, tp_report_text(&stored, doc));
	assert_non_null(strstr(tp_str_text(&text), "12 of 13 nodes are equally fast, within "));
	assert_non_null(strstr(tp_str_text(&text), "1 is slow: slow by 10."));
	assert_non_null(strstr(tp_str_text(&text), " % or more is named."));
	assert_non_null(strstr(tp_str_text(&text), "slow  "));
	tp_str_clear(&text);
	tp_report_svg(&stored, TP_SVG_LIGHT, &text);
	assert_non_null(strstr(tp_str_text(&text), "Speed of each node at each roof"));
	assert_non_null(strstr(tp_str_text(&text), "90 % of the nodes"));
	tp_str_release(&text);
	tp_run_release(&stored);
}

static void test_unlike_nodes(void **state)
{
	struct tp_diags remarks = { 0 };
	struct tp_diag diag = { 0 };
	char path[TP_PATH_MAX];
	struct merged m;

	(void)state;
	put_nodes(0, 4, "Old CPU");
	put_nodes(4, 6, "New CPU");
	merge(&m);
	assert_int_equal(m.n, 2);
	assert_string_equal(tp_run_fact(&m.runs[0], "machine.cpu")->text, "New CPU");
	assert_string_equal(tp_run_fact(&m.runs[1], "machine.cpu")->text, "Old CPU");
	/* The first tells of all nodes, the others of their own; speeds are of a group's own. */
	assert_int_equal(tp_run_n_nodes(&m.runs[0]), 10);
	assert_int_equal(tp_run_n_nodes(&m.runs[1]), 4);
	assert_int_equal(row_of(&m.runs[0], "node-01")->group, 2);
	assert_true(isnan(row_of(&m.runs[0], "node-01")->speed));
	assert_true(row_of(&m.runs[1], "node-01")->speed > 0);
	release(&m);

	assert_int_equal(tp_cluster_write_merged(&cluster, &remarks, &diag), TP_OK);
	snprintf(path, sizeof(path), "%.2000s/merged-2", cluster.directory);
	assert_true(tp_is_folder(path));
	/* Without the old nodes their run goes. */
	for (size_t i = 0; i < 4; i++)
		nodes[i] = nodes[i + 4];
	cluster.n_nodes = 4;
	assert_int_equal(tp_cluster_write_merged(&cluster, &remarks, &diag), TP_OK);
	assert_false(tp_is_folder(path));
	tp_diags_release(&remarks);
}

static void truncate_file(const char *node, const char *file, long bytes)
{
	char path[TP_PATH_MAX];

	path_of(node, file, path);
	assert_int_equal(truncate(path, bytes), 0);
}

static void test_damage(void **state)
{
	char path[TP_PATH_MAX];
	struct merged m;

	(void)state;
	put_nodes(0, 8, NULL);
	truncate_file("node-01", "points.csv", 3000); /* run.json has the points */
	truncate_file("node-02", "run.json", 700); /* nothing else has the facts */
	truncate_file("node-04", "run.json", 9000); /* facts are whole, points.csv too */
	path_of("node-03", "points.csv", path);
	unlink(path);
	path_of("empty", "", path);
	assert_int_equal(tp_dir_make(path, NULL), TP_OK);
	add("empty");
	add("absent");
	/* Killed: run.json says running, and the journal has no point. */

	put_file(folder, "nodes/killed/run.json",
		 "{\n\"format\": \"tprof-run\",\n\"version\": 1,\n\"state\": \"running\",\n"
		 "\"points\": []\n}\n");
	put_file(
		folder, "nodes/killed/journal.ndjson",
		"{\"v\":1,\"ev\":\"hello\",\"t\":0,\"pid\":1,\"version\":\"9.9\",\"counter_ghz\":0,"
		"\"invocation\":0}\n{\"v\":1,\"ev\":\"pla");
	add("killed");
	merge(&m);
	assert_int_equal(m.n, 1);
	assert_int_equal(row_of(&m.runs[0], "node-01")->points, POINTS);
	assert_int_equal(row_of(&m.runs[0], "node-03")->points, POINTS);
	assert_int_equal(row_of(&m.runs[0], "node-04")->points, POINTS);
	assert_int_equal(row_of(&m.runs[0], "node-02")->group, 0);
	assert_true(*row_of(&m.runs[0], "node-02")->why);
	assert_int_equal(row_of(&m.runs[0], "empty")->group, 0);
	assert_string_equal(row_of(&m.runs[0], "absent")->why, "has not begun");
	assert_string_equal(row_of(&m.runs[0], "killed")->why, "has no finished point");
	assert_true(tp_run_fact(&m.runs[0], TP_FACT_CLUSTER_NODES)->number == 7);
	release(&m);
}

static void test_odd_names(void **state)
{
	struct merged m;

	(void)state;
	put_nodes(0, 4, NULL);
	add("../../etc");
	add("");
	add("a b; rm -rf");
	add(".hidden");
	merge(&m);
	assert_int_equal(tp_run_n_nodes(&m.runs[0]), 8);
	for (size_t i = 4; i < 8; i++) {
		assert_int_equal(tp_run_nodes(&m.runs[0])[i].group, 0);
		assert_string_equal(tp_run_nodes(&m.runs[0])[i].why,
				    "has a name that is not possible for a directory");
	}
	release(&m);
}

static void test_remarks(void **state)
{
	const struct made_node old = {
		.version = "1.0", .speed = 1, .seed = 50, .n_points = POINTS, .n_windows = WINDOWS
	};
	const struct made_node early = { .started = "2026-01-23T22:00:00Z",
					 .speed = 1,
					 .seed = 51,
					 .n_points = POINTS,
					 .n_windows = WINDOWS };
	struct merged m;

	(void)state;
	put_nodes(0, 6, NULL);
	put_node("old", &old);
	put_node("early", &early);
	merge(&m);
	assert_true(remarked(&m, "1 of 8 nodes have another version of tprof than most: 1.0, not "
				 "9.9 (old)"));
	assert_true(remarked(&m, "its clock is 10770 s or more behind"));
	assert_int_equal(m.remarks.n, 2);
	release(&m);
}

static void put_with(const char *microcode, double speed, unsigned from, unsigned n)
{
	for (unsigned i = from; i < from + n; i++) {
		char name[32];
		const struct made_node node = { .microcode = microcode,
						.speed = speed,
						.seed = i + 1,
						.n_points = POINTS,
						.n_windows = WINDOWS };

		snprintf(name, sizeof(name), "node-%02u", i);
		put_node(name, &node);
	}
}

static bool tells(const struct tp_run *run, const char *words)
{
	struct tp_look look = { .columns = 400, .utf8 = true };
	struct tp_str text = { 0 };

	PRINTED(&look, &text, tp_report_text(run, doc));
	bool told = strstr(tp_str_text(&text), words);

	tp_str_release(&text);
	return told;
}

/* Nodes with another microcode stay with the others: one that was left behind can be named. */
static void test_microcode(void **state)
{
	struct merged m;

	(void)state;
	put_with("0x2b", 1, 0, 8);
	put_with("0x1a", 0.9, 8, 1);
	merge(&m);
	assert_int_equal(m.n, 1);
	assert_int_equal(row_of(&m.runs[0], "node-08")->outlier, TP_OUTLIER_SLOW);
	assert_int_equal(count_named(&m.runs[0]), 1);
	assert_true(remarked(&m, "1 of 9 nodes have another microcode than most: 0x1a, not 0x2b "
				 "(node-08)"));
	release(&m);
	/* Half and half: two speeds, and why. */
	put_with("0x1a", 0.9, 9, 6);
	merge(&m);
	assert_int_equal(count_named(&m.runs[0]), 0);
	assert_true(tells(&m.runs[0], "They have another microcode: 0x2b, not 0x1a."));
	release(&m);
	put_with("0x2b", 0.9, 15, 1); /* slow with the microcode of the fast ones */
	merge(&m);
	assert_null(tp_run_fact(&m.runs[0], TP_FACT_CLUSTER_APART));
	assert_true(tells(&m.runs[0], "Their facts are the same."));
	release(&m);
}

/* Of two or three nodes nobody can say which is odd: words, and how fast each is. */
static void test_few_nodes(void **state)
{
	struct merged m;

	(void)state;
	put_with("0x2b", 1, 0, 1);
	put_with("0x2b", 0.8, 1, 1);
	for (unsigned n = 2; n <= 3; n++) {
		char words[96];

		merge(&m);
		assert_int_equal(count_named(&m.runs[0]), 0);
		assert_null(tp_run_fact(&m.runs[0], TP_FACT_CLUSTER_SMALLEST));
		snprintf(words, sizeof(words), "%u nodes, each within ", n);
		assert_true(tells(&m.runs[0], words));
		assert_true(tells(&m.runs[0],
				  "With fewer than 4 the one that differs cannot be named"));
		assert_true(tells(&m.runs[0], "node-01"));
		assert_true(row_of(&m.runs[0], "node-01")->speed < 0.95);
		release(&m);
		put_with("0x2b", 1, 2, 1);
	}
}

/* A node whose plan lacks points: the others are the same points, whatever their numbers. */
static void test_fewer_points(void **state)
{
	const struct made_node less = {
		.speed = 1, .seed = 60, .n_points = POINTS, .n_windows = WINDOWS, .skip = 7
	};
	struct merged m;

	(void)state;
	put_nodes(0, 5, NULL);
	put_node("less", &less);
	merge(&m);
	assert_int_equal(m.n, 1);
	assert_int_equal(m.runs[0].n_points, POINTS);
	assert_int_equal(row_of(&m.runs[0], "less")->points, POINTS - 7);
	assert_true(fabs(row_of(&m.runs[0], "less")->speed - 1) < 0.03);
	assert_int_equal(count_named(&m.runs[0]), 0);
	assert_int_equal(m.runs[0].points[3].kept, 5);
	assert_int_equal(m.runs[0].points[9].kept, 6);
	release(&m);
}

static void test_nothing(void **state)
{
	struct tp_diags remarks = { 0 };
	struct tp_diag diag = { 0 };
	struct tp_run *runs = NULL;
	size_t n = 0;

	(void)state;
	add("absent");
	assert_int_equal(tp_cluster_merge(&cluster, &runs, &n, &remarks, &diag), TP_NOTFOUND);
	assert_string_equal(diag.what, "no node has a finished point");
	assert_null(runs);
	assert_int_equal(n, 0);
	tp_diags_release(&remarks);
}

/* In any order: each is found at once, none is there twice, and in the end they are sorted. */
static void test_add(void **state)
{
	enum { MANY = 1000, STEP = 387 }; /* no common factor */
	struct tp_cluster many = { 0 };
	struct tp_diag diag = { 0 };
	char name[TP_NODE_NAME_BYTES];

	(void)state;
	assert_null(tp_cluster_node(&many, "n0000"));
	for (unsigned i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "n%04u", i * STEP % MANY);
		assert_int_equal(tp_cluster_add(&many, name, &diag), TP_OK);
		tp_cluster_node(&many, name)->n_points = i * STEP % MANY;
		assert_int_equal(tp_cluster_add(&many, name, &diag), TP_USAGE);
		assert_string_equal(diag.what, "this node is there twice");
	}
	tp_cluster_sort(&many);
	/* A list goes on behind its end, too. */
	assert_int_equal(tp_cluster_add(&many, "n0500", &diag), TP_USAGE);
	assert_int_equal(tp_cluster_add(&many, "a", &diag), TP_OK);
	assert_int_equal(tp_cluster_node(&many, "n0007")->n_points, 7);
	tp_cluster_sort(&many);
	assert_int_equal(many.n_nodes, MANY + 1);
	assert_string_equal(many.nodes[0].name, "a");
	for (unsigned i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "n%04u", i);
		assert_string_equal(many.nodes[i + 1].name, name);
		assert_int_equal(many.nodes[i + 1].n_points, i);
		assert_ptr_equal(tp_cluster_node(&many, name), &many.nodes[i + 1]);
	}
	assert_null(tp_cluster_node(&many, "n1000"));
	tp_cluster_release(&many);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_slow_node), CASE(test_unlike_nodes), CASE(test_damage),
		CASE(test_odd_names), CASE(test_remarks),      CASE(test_fewer_points),
		CASE(test_nothing),   CASE(test_add),	       CASE(test_microcode),
		CASE(test_few_nodes),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
