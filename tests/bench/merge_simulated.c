/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is a slow node found, and no other one? Groups of simulated nodes, each node with its own
 * disturbances: every machine under every regime. Each group is judged as it is, and then with one
 * or two nodes made slow. Ends with 1 if a bar is missed:
 *
 *   - of healthy groups, at most 1 % have a node that is named: no more than chance allows in so
 *     many groups, over all and for each line
 *   - where the group can detect 10 %, a node that is 10 % slower is named, except 1 % - no other
 *   node than the slow one is named, except in 1 % of the groups
 *
 *     merge_simulated [-s SEEDS] [-n NODES] [-r REGIME] [-m MODEL] [-v]     -v: names nodes
 *
 * A seed of all machines and regimes takes a minute; 20 are the default.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/now.h"
#include "experiments/experiment.h"
#include "tests/unit/simulated_nodes.h"

#define SLOW	    0.9
#define RATE	    0.01 /* of false ones, and of missed ones */
#define BY_CHANCE   0.999 /* a bar is missed by chance once in a thousand times */
#define VALUES_SEEN 0.5 /* of the points of memory, to say that a slow channel shows */

static bool verbose;

/* Of a machine under a regime, over seeds. */
struct count {
	unsigned groups, healthy; /* all, and those with a healthy node that is named */
	unsigned told, told_named; /* that can detect 10 %, and in which the slow one is named */
	unsigned named, others; /* with one slow node: it, and groups with another one */
	unsigned clock, memory, two; /* slow clock named, slow memory shows, both of two named */
	size_t values, all_values; /* of healthy groups: named, and all */
	double smallest; /* sum */
};

static void add(struct count *to, const struct count *from)
{
	to->groups += from->groups;
	to->healthy += from->healthy;
	to->told += from->told;
	to->told_named += from->told_named;
	to->named += from->named;
	to->others += from->others;
	to->clock += from->clock;
	to->memory += from->memory;
	to->two += from->two;
	to->values += from->values;
	to->all_values += from->all_values;
	to->smallest += from->smallest;
}

static void tell(const struct simulated_nodes *s, const struct tp_judged *judged, const char *what)
{
	const struct tp_outliers *o = &judged->found;

	for (size_t i = 0; i < o->n_nodes && verbose; i++)
		if (o->nodes[i].outlier)
			printf("    %s: %s speed %.4f, spread %.4f, z %.2f, p %.2g; told %.3f\n",
			       what, s->nodes[i].name, o->nodes[i].speed, o->nodes[i].spread,
			       o->nodes[i].z, o->nodes[i].p, o->smallest);
}

/* Nodes that are named, without `but` (SIZE_MAX: none). */
static unsigned count_named(const struct tp_outliers *o, size_t but)
{
	unsigned n = 0;

	for (size_t i = 0; i < o->n_nodes; i++)
		n += i != but && o->nodes[i].outlier != TP_OUTLIER_NONE;
	return n;
}

static bool is_slow(const struct tp_outliers *o, size_t node)
{
	return o->nodes[node].outlier == TP_OUTLIER_SLOW;
}

static size_t count_values(const struct tp_outliers *o, size_t from, size_t to)
{
	size_t n = 0;

	for (size_t k = from * o->n_points; k < to * o->n_points; k++)
		n += o->cells[k].outlier != TP_OUTLIER_NONE;
	return n;
}

static void judge_healthy(const struct simulated_nodes *s, struct count *count)
{
	struct tp_judged judged = { 0 };
	const struct tp_outliers *o = &judged.found;
	tp_node_group_judge(simulated_nodes_group(s), &judged);

	tell(s, &judged, "healthy");
	count->groups++;
	count->healthy += count_named(o, SIZE_MAX) > 0;
	count->values += count_values(o, 0, o->n_nodes);
	count->all_values += o->n_nodes * o->n_points;
	count->smallest += o->smallest;
	tp_judged_release(&judged);
}

static size_t count_memory(const struct simulated_nodes *s)
{
	size_t n = 0;

	for (size_t j = 0; j < s->n_points; j++)
		n += s->levels[j] == LEVEL_MEMORY;
	return n;
}

/* Makes `node` slow, judges, and takes that back. */
static void judge_slow(struct simulated_nodes *s, size_t node, enum simulated_plant plant,
		       struct count *count)
{
	struct tp_judged judged = { 0 };
	const struct tp_outliers *o = &judged.found;

	simulated_nodes_plant(s, node, plant, SLOW);
	tp_node_group_judge(simulated_nodes_group(s), &judged);

	simulated_nodes_plant(s, node, plant, 1 / SLOW);
	if (plant == PLANT_ALL) {
		bool told = o->smallest <= 1 - SLOW;

		tell(s, &judged, "one slow");
		count->named += is_slow(o, node);
		count->told += told;
		count->told_named += told && is_slow(o, node);
		count->others += count_named(o, node) > 0;
	} else if (plant == PLANT_CLOCK) {
		count->clock += is_slow(o, node);
	} else {
		count->memory += (double)count_values(o, node, node + 1) >=
				 VALUES_SEEN * (double)count_memory(s);
	}
	tp_judged_release(&judged);
}

static void judge_two(struct simulated_nodes *s, size_t a, size_t b, struct count *count)
{
	struct tp_judged judged = { 0 };

	simulated_nodes_plant(s, a, PLANT_ALL, SLOW);
	simulated_nodes_plant(s, b, PLANT_ALL, SLOW);
	tp_node_group_judge(simulated_nodes_group(s), &judged);

	simulated_nodes_plant(s, a, PLANT_ALL, 1 / SLOW);
	simulated_nodes_plant(s, b, PLANT_ALL, 1 / SLOW);
	count->two += is_slow(&judged.found, a) && is_slow(&judged.found, b);
	tp_judged_release(&judged);
}

static enum tp_status try_regime(struct simulated_nodes *s, const struct tp_regime *regime,
				 size_t nodes, unsigned seeds, struct count *count,
				 struct tp_diag *diag)
{
	enum tp_status status = TP_OK;

	for (unsigned seed = 1; seed <= seeds; seed++) {
		size_t slow = seed % nodes;

		status = simulated_nodes_measure(s, regime, nodes, seed, diag);
		if (status != TP_OK)
			break;
		judge_healthy(s, count);
		for (int plant = PLANT_ALL; plant <= PLANT_MEMORY; plant++)
			judge_slow(s, slow, (enum simulated_plant)plant, count);
		judge_two(s, slow, (slow + nodes / 2) % nodes, count);
	}
	return status;
}

/* Of n, with that rate of false ones each: more than by chance? */
static bool too_many(unsigned many, unsigned n)
{
	double less = 0; /* probability of fewer than that */

	for (unsigned k = 0; k < many; k++)
		less += exp(lgamma(n + 1.) - lgamma(k + 1.) - lgamma(n - k + 1.) + k * log(RATE) +
			    (n - k) * log1p(-RATE));
	return less > BY_CHANCE;
}

static bool show(const char *machine, const char *regime, const struct count *c)
{
	bool good = !too_many(c->healthy, c->groups) && !too_many(c->others, c->groups) &&
		    !too_many(c->told - c->told_named, c->told);

	printf("%-14s %-20s %4u %4u %6.1f %% %4u of %-4u %4u %4u %4u %4u %4u %7.2f %% %s\n",
	       machine, regime, c->groups, c->healthy, 100 * c->smallest / c->groups, c->told_named,
	       c->told, c->named, c->others, c->clock, c->two, c->memory,
	       100 * (double)c->values / (double)c->all_values, good ? "" : "MISSED");
	fflush(stdout);
	return good;
}

static bool try_machine(const struct simulated_machine *machine, const char *regime, size_t nodes,
			unsigned seeds, struct count *all)
{
	static const char *const sets[] = { "stop.max_time=300ms" };
	struct simulated_nodes s;
	struct tp_diags diags = { 0 };
	struct tp_diag diag = { 0 };
	bool good = true;

	if (simulated_nodes_open(&s, machine, sets, 1, &diags) != TP_OK) {
		fprintf(stderr, "%s: %s\n", machine->model, diags.n ? diags.items[0].what : "");
		good = false;
	}
	for (size_t r = 0; r < tp_regime_count && !diags.n; r++) {
		struct count count = { 0 };
		const char *name = tp_regime_table[r].name;

		if (regime && strcmp(regime, name) != 0)
			continue;
		if (try_regime(&s, &tp_regime_table[r], nodes, seeds, &count, &diag) == TP_OK) {
			good &= show(machine->model, name, &count);
			add(all, &count);
		} else {
			fprintf(stderr, "%s: %s\n", diag.where, diag.what);
			good = false;
		}
	}
	simulated_nodes_close(&s);
	tp_diags_release(&diags);
	return good;
}

int main(int argc, char **argv)
{
	tp_experiments_begin();
	const char *model = NULL, *regime = NULL;
	unsigned seeds = 20;
	size_t nodes = SIMULATED_NODES;
	struct count all = { 0 };
	bool good = true;
	int option;

	while ((option = getopt(argc, argv, "s:n:r:m:v")) != -1) {
		if (option == 's')
			seeds = (unsigned)strtoul(optarg, NULL, 10);
		else if (option == 'n')
			nodes = strtoul(optarg, NULL, 10);
		else if (option == 'r')
			regime = optarg;
		else if (option == 'm')
			model = optarg;
		else if (option == 'v')
			verbose = true;
		else
			return 2;
	}
	if (nodes < TP_OUTLIER_NODES_MIN || nodes > SIMULATED_NODES)
		return fprintf(stderr, "NODES: %d to %d\n", TP_OUTLIER_NODES_MIN, SIMULATED_NODES),
		       2;
	double start = tp_now_seconds();

	printf("%zu nodes; rates x %.1f. false: groups of healthy nodes with one that is named; "
	       "told: "
	       "smallest difference that\ncan be told, mean; named: the slow node, of groups that "
	       "can tell it, and of all; others: named beside it; clock: its clock\nis slow; two: "
	       "both of two; memory: of slow memory half of the points named; values: of healthy "
	       "groups\n\n",
	       nodes, SLOW);
	printf("%-14s %-20s %4s %4s %8s %12s %4s %4s %4s %4s %4s %9s\n", "machine", "regime", "all",
	       "fals", "told", "named", "all", "oth.", "clk.", "two", "mem.", "values");
	for (size_t m = 0; m < SIMULATED_MACHINES; m++)
		if (!model || strcmp(model, simulated_machines[m].model) == 0)
			good &= try_machine(&simulated_machines[m], regime, nodes, seeds, &all);
	if (!all.groups)
		return fprintf(stderr, "no such machine, or no such regime\n"), 2;
	good &= show("all", "", &all);
	printf("%.0f s\n", tp_now_seconds() - start);
	return good ? 0 : 1;
}
