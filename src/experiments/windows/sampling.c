/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules that the windows of a point are sampled by. */
#include "base/memory.h"
#include "experiments/windows/bench.h"
#include "experiments/windows/planner.h"
#include "experiments/windows/quality.h"
#include "experiments/windows/repeat.h"

#include <string.h>

/*
 * How far below the fast mode an undisturbed window may be. Inside a core (registers, L1, L2)
 * everything is deterministic; beyond, the state of shared caches and of DRAM makes windows differ
 * by nature.
 */
#define KEEP_CORE	  0.02
#define KEEP_BEYOND	  0.10
#define RACE_WINDOW_SHARE 0.125

/* True if every thread has its core, by the topology, and the level belongs to one core. */
static bool private_cores(const struct tp_planned *p, const struct tp_machine *machine)
{
	if (tp_window_plan(p)->level > TP_CLASS_L2 ||
	    (tp_window_plan(p)->level == TP_CLASS_L2 && machine->cache[2].sharing_cores > 1))
		return false;
	for (unsigned i = 0; i < p->point.threads; i++)
		for (size_t k = 0; k < machine->n_pus; k++)
			if (machine->pus[k].os_index == p->cpus[i] && machine->pus[k].smt_rank > 0)
				return false;
	return true;
}

/* How far from the core a point reaches. */
enum tp_reach tp_window_reach_of(const struct tp_planned *p, const struct tp_machine *machine)
{
	const struct tp_window_plan *plan = tp_window_plan(p);
	return plan->level == TP_CLASS_FP ? TP_REACH_CORE
	       : plan->level > TP_CLASS_L2
		       ? TP_REACH_SHARED
		       : tp_window_reach((double)plan->kernel.working_set_bytes,
					 (double)tp_machine_share(machine, 2, p->point.threads));
}

void tp_window_sampling(const struct tp_planned *planned, const struct tp_machine *machine,
			struct tp_sampling *s)
{
	const struct tp_config *c = planned->config;
	/* There are thousands of gathers: what lasts longer shows in their neighbours. */
	bool gathers = tp_window_plan(planned)->kernel.kind == TP_KERNEL_GATHER;
	bool cold = strcmp(tp_config_text(c, TP_OPT_CACHE_STATE), "cold") == 0;
	bool beyond_caches = (gathers && cold) ||
			     tp_window_plan(planned)->kernel.working_set_bytes >
				     tp_machine_share(machine, tp_machine_last_level(machine),
						      planned->point.threads);
	*s = (struct tp_sampling){
		.window_seconds = tp_config_real(c, TP_OPT_WINDOW),
		.race_window_seconds = RACE_WINDOW_SHARE * tp_config_real(c, TP_OPT_WINDOW),
		.keep_within =
			tp_window_plan(planned)->level >= TP_CLASS_L3 ? KEEP_BEYOND : KEEP_CORE,
		.private_cores = private_cores(planned, machine),
		.shared = tp_window_reach_of(planned, machine) != TP_REACH_CORE && !gathers,
		.settle_bytes = tp_machine_share(machine, tp_machine_last_level(machine),
						 planned->point.threads),
		.cold = cold,
		.rule = tp_stop_rule_of(c, (size_t)tp_config_count(c, TP_OPT_STOP_MIN_COUNT)),
	};
	s->rule.max_seconds = tp_config_real(c, TP_OPT_STOP_MAX_TIME);
	s->rule.race_count = (size_t)tp_config_count(c, TP_OPT_STOP_RACE_COUNT);
	if (beyond_caches)
		s->rule.error = tp_config_real(c, TP_OPT_STOP_ERROR_DRAM);
}
