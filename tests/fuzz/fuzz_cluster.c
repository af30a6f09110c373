/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as a cluster.json: must not crash, must say why it fails; names that are read are fit
 * for a path, jobs for a word of a command, and all of it survives writing and reading again.
 */
#include <string.h>

#include "cluster/cluster.h"
#include "experiments/experiment.h"
#include "tests/fuzz/promise.h"

static void good(const struct tp_cluster *c)
{
	must(tp_cluster_job_is_good(c->job), "the job is a word");
	must(c->program[0], "the nodes have a program");
	for (size_t i = 0; i < c->n_nodes; i++) {
		must(tp_node_name_is_good(c->nodes[i].name), "a node's name is a name");
		must(tp_cluster_job_is_good(c->nodes[i].job), "a node's job is a word");
		must(c->nodes[i].state < TP_NODE_STATE_COUNT, "a node is in a state");
		must(i == 0 || strcmp(c->nodes[i - 1].name, c->nodes[i].name) < 0,
		     "nodes are sorted, each there once");
	}
}

static void same(const struct tp_cluster *a, const struct tp_cluster *b)
{
	must(a->n_nodes == b->n_nodes, "as many nodes");
	must(strcmp(a->launcher, b->launcher) == 0 && strcmp(a->job, b->job) == 0 &&
		     strcmp(a->program, b->program) == 0 && a->shared == b->shared,
	     "submitted in the same way");
	for (size_t i = 0; i < a->n_nodes; i++) {
		const struct tp_cluster_node *x = &a->nodes[i], *y = &b->nodes[i];
		must(strcmp(x->name, y->name) == 0 && strcmp(x->job, y->job) == 0 &&
			     strcmp(x->why, y->why) == 0 && x->state == y->state &&
			     x->n_done == y->n_done && x->n_points == y->n_points,
		     "a node as it was");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	tp_experiments_begin();
	struct tp_cluster cluster, again;
	struct tp_diag diag = { 0 };
	struct tp_str text = { 0 };
	if (tp_cluster_parse(&cluster, "input", (const char *)data, size, &diag) != TP_OK) {
		must(diag.where[0] && diag.what[0], "a failure has a place and words");
		must(!cluster.nodes, "a failure leaves nothing");
		return 0;
	}
	good(&cluster);
	tp_cluster_text(&cluster, &text);
	must(tp_cluster_parse(&again, "again", tp_str_text(&text), text.len, &diag) == TP_OK,
	     "and read again");
	same(&cluster, &again);
	tp_cluster_release(&cluster);
	tp_cluster_release(&again);
	tp_str_release(&text);
	return 0;
}
