/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Many simulated machines of one kind, each with its own seed and disturbances, as a group of nodes
 * in memory; and nodes among them that are made slow. For a test and for a bench.
 */
#ifndef TPROF_TESTS_SIMULATED_NODES_H
#define TPROF_TESTS_SIMULATED_NODES_H

#include "cluster/groups.h"
#include "tests/unit/simulated_run.h"

enum { SIMULATED_NODES = 16 };

/* What a slow node is slow at. */
enum simulated_plant {
	PLANT_ALL, /* its clock, and all it measures */
	PLANT_CLOCK, /* its clock: what the core does; L3 and memory stay as they are */
	PLANT_MEMORY, /* memory alone: a slow channel */
};

struct simulated_nodes {
	struct simulated_run machine;
	struct tp_cluster_node nodes[SIMULATED_NODES];
	struct tp_node_groups groups;
	enum simulated_level { LEVEL_CORE, LEVEL_L3, LEVEL_MEMORY } * levels; /* of slots */
	size_t n_points;
};

/* Options "key=value" beside those of the machine. Close it in any case. */
enum tp_status simulated_nodes_open(struct simulated_nodes *s,
				    const struct simulated_machine *machine,
				    const char *const *sets, size_t n, struct tp_diags *diags);
/* Measures the first n nodes; what was measured before is dropped. */
enum tp_status simulated_nodes_measure(struct simulated_nodes *s, const struct tp_regime *regime,
				       size_t n, uint64_t seed, struct tp_diag *diag);
/* Multiplies the rates of a node. */
void simulated_nodes_plant(struct simulated_nodes *s, size_t node, enum simulated_plant plant,
			   double speed);
/* Their group. */
static inline struct tp_node_group *simulated_nodes_group(const struct simulated_nodes *s)
{
	return &s->groups.groups[0];
}
void simulated_nodes_close(struct simulated_nodes *s);

#endif
