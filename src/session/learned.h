/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the points of earlier runs took on this machine, in a small file beside the runs. It
 * corrects the estimates of a plan: a point that was measured before takes what it took (the median
 * of the last runs), another one of its kind takes longer than its model by as much as those of
 * that kind did. A kind is an experiment, a level, a number of threads, and the options that decide
 * how much is measured.
 *
 * The file is a help only: what is damaged or foreign in it is left out, and where it cannot be
 * written, nothing is learned.
 */
#ifndef TPROF_SESSION_LEARNED_H
#define TPROF_SESSION_LEARNED_H

#include "experiments/experiment.h"

/* Corrects a plan whose estimates are those of tp_plan_estimate, and says in it from how many runs.
 */
void tp_learned_correct(struct tp_plan *plan, const struct tp_machine *machine);

/*
 * Learns from a run of that plan. `old`: true for each point that an earlier part of the run had
 * finished, which is no news; NULL: it is a whole run, which took run->wall_seconds.
 */
void tp_learned_take(const struct tp_plan *plan, const struct tp_machine *machine,
		     const struct tp_run *run, const bool *old);

#endif
