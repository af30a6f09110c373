/* SPDX-License-Identifier: GPL-3.0-or-later */
/* */
#ifndef TPROF_MEASURE_SIMULATED_TEAM_H
#define TPROF_MEASURE_SIMULATED_TEAM_H

#include "measure/simulated/simulated_parts.h"
#include "measure/team_parts.h"

struct tp_simulated_member {
	unsigned pu; /* index into the simulation's CPUs */
	bool busy_pair; /* the other CPU of its pair is in the team too */
	struct tp_chase chase; /* that the buffer holds; 0 bytes: numbers only */
	double chased_loads; /* since it was built */
	double cold_loads; /* that still miss, since it was evicted */
	bool evicted;
	double late_from; /* bytes of the buffer from here on were not walked through yet */
	double walk_bytes, walked_bytes; /* length of the last walk, and how far it has come */
};

struct tp_simulated_team {
	struct tp_team base;
	struct tp_simulation *s;
	struct tp_simulated_member *members;
	struct tp_lived *lived; /* of each thread, in the last window */
	struct tp_simulated_place *places; /* of each thread while all run */
	size_t buffer_bytes; /* touched */
	enum tp_pages pages;
	bool huge_pages;
};

static inline struct tp_simulated_cpu *tp_simulated_cpu_of(const struct tp_simulated_team *t,
							   unsigned i)
{
	return &t->s->cpus[t->members[i].pu];
}

void tp_simulated_window(struct tp_team *team, const struct tp_window_work *work);

#endif
