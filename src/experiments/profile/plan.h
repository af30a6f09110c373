/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program to be run once beside its meters. Private to this folder. */
#ifndef TPROF_EXPERIMENTS_PROFILE_PLAN_H
#define TPROF_EXPERIMENTS_PROFILE_PLAN_H

#include "experiments/experiment.h"

struct tp_profile_plan {
	char **words; /* up to NULL, in the plan's arena */
	char **functions; /* that are regions, likewise */
};

/* run.c, phases.c */
enum tp_status tp_profile_run(struct tp_bench *bench, const struct tp_planned *planned,
			      struct tp_point *point, struct tp_diag *diag);
enum tp_status tp_profile_reduce(const struct tp_machine *machine, struct tp_run *run,
				 unsigned index);

#endif
