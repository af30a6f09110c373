/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as a cluster.json: must not crash, must say why it fails; names that are read are fit
 * for a path, jobs for a word of a command, and all of it survives writing and reading again. What
 * it would start, reach or end is on the list that the user sees; what would be submitted again is
 * refused in words or described.
 */
#include <string.h>

#include "base/text.h"
#include "cluster/actions.h"
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

static void act(struct tp_cluster *c)
{
	char preset[TP_PATH_MAX];
	struct tp_cluster_wish wish;
	struct tp_diag diag = { 0 };
	TP_STR text = { 0 };
	snprintf(c->name, sizeof(c->name), "stored");
	snprintf(c->directory, sizeof(c->directory), "/nonexistent");
	for (unsigned i = TP_ACT_RESUME; i <= TP_ACT_CANCEL; i++) {
		TP_CLEANUP(tp_consent_release) struct tp_consent consent = { .n = 0 };
		bool acts = tp_cluster_acts(c, (enum tp_cluster_act)i, &consent);
		must(acts == (consent.n > 0), "what acts is on the list");
		must(acts == (tp_cluster_may(c, (enum tp_cluster_act)i, &diag) != TP_OK),
		     "and needs the user's word");
		for (size_t k = 0; k < consent.n; k++)
			must(!tp_text_fault(tp_str_text(&consent.acts[k].what),
					    consent.acts[k].what.len, ""),
			     "in words that can be printed");
	}
	const struct tp_launcher *launcher = tp_launcher_find(c->launcher);
	tp_cluster_wish_again(c, preset, &wish);
	if (!launcher)
		return;
	diag = (struct tp_diag){ 0 };
	if (launcher->describe(c, &wish, &text, &diag) != TP_OK)
		must(diag.what[0], "what cannot be submitted has words");
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
	act(&cluster);
	tp_cluster_release(&cluster);
	tp_cluster_release(&again);
	tp_str_release(&text);
	return 0;
}
