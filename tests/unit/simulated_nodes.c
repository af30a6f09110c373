/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/simulated_nodes.h"

#include <stdlib.h>
#include <string.h>

#include "record/point.h"
#include "session/facts.h"

enum { SETS_MAX = 8 };

enum tp_status simulated_nodes_open(struct simulated_nodes *s,
				    const struct simulated_machine *machine,
				    const char *const *sets, size_t n, struct tp_diags *diags)
{
	char model[64], topology[256];
	const char *all[SETS_MAX] = { model, topology, "experiment=roofline", "threads=1" };

	*s = (struct simulated_nodes){ 0 };
	snprintf(model, sizeof(model), "machine=%s", machine->model);
	snprintf(topology, sizeof(topology), "topology=synthetic:%s", machine->topology);
	for (size_t i = 0; i < n && i + 4 < SETS_MAX; i++)
		all[i + 4] = sets[i];
	for (size_t i = 0; i < SIMULATED_NODES; i++) {
		snprintf(s->nodes[i].name, sizeof(s->nodes[i].name), "node-%02zu", i + 1);
		s->nodes[i].state = TP_NODE_DONE;
	}
	return simulated_open(&s->machine, all, n + 4, diags);
}

static void forget(struct simulated_nodes *s)
{
	tp_node_groups_release(&s->groups);
	free(s->levels);
	s->levels = NULL;
}

void simulated_nodes_close(struct simulated_nodes *s)
{
	forget(s);
	simulated_close(&s->machine);
}

/* Every node has the slots of the first one, in the order of its points. */
static void find_levels(struct simulated_nodes *s)
{
	struct tp_node_group *group = simulated_nodes_group(s);
	const struct tp_run *run = &s->machine.run;
	size_t *slots = tp_node_slots(group, run, false);

	s->n_points = group->n_slots;
	s->levels = tp_alloc(s->n_points + 1, sizeof(*s->levels));
	for (size_t i = 0; i < run->n_points; i++) {
		const char *level = tp_kernel_row(&run->points[i])->level;

		if (slots[i] < s->n_points)
			s->levels[slots[i]] = strcmp(level, "DRAM") == 0 ? LEVEL_MEMORY
					      : strcmp(level, "L3") == 0 ? LEVEL_L3
									 : LEVEL_CORE;
	}
	free(slots);
}

enum tp_status simulated_nodes_measure(struct simulated_nodes *s, const struct tp_regime *regime,
				       size_t n, uint64_t seed, struct tp_diag *diag)
{
	struct tp_run *run = &s->machine.run;
	enum tp_status status = TP_OK;

	forget(s);
	for (size_t i = 0; i < n && status == TP_OK; i++) {
		struct tp_node_run node = { 0 };

		status = simulated_measure(&s->machine, regime, seed * SIMULATED_NODES + i, diag);
		if (status != TP_OK)
			break;
		tp_facts_collect(run, &s->machine.session);
		snprintf(run->state, sizeof(run->state), "complete");
		/* Its facts are lent, as they would be by a run that was read. */
		node.facts = *run;
		node.points = run;
		tp_node_groups_add(&s->groups, &s->nodes[i], &node);
		if (i == 0)
			find_levels(s);
	}
	return status;
}

void simulated_nodes_plant(struct simulated_nodes *s, size_t node, enum simulated_plant plant,
			   double speed)
{
	struct tp_merged_node *merged = &simulated_nodes_group(s)->nodes[node];

	for (size_t j = 0; j < merged->n; j++) {
		bool less = simulated_nodes_group(s)->slots[j].less_is_better;
		bool slow = plant == PLANT_ALL ||
			    s->levels[j] == (plant == PLANT_CLOCK ? LEVEL_CORE : LEVEL_MEMORY);

		if (slow)
			merged->values[j] *= less ? 1 / speed : speed;
		if (plant != PLANT_MEMORY)
			merged->clocks[j] *= speed;
	}
}
