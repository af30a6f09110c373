/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A point that several ranks have measured at the same time. */
#ifndef TPROF_EXPERIMENT_TOGETHER_H
#define TPROF_EXPERIMENT_TOGETHER_H

#include "experiments/experiment.h"

/*
 * As tp_experiment.together, of emitted kernels: from windows at the same time
 * (measure/together.h), judged as those of one team. Not made where the ranks do not share what the
 * point measures, or where too few windows overlap.
 */
enum tp_status tp_window_together(const struct tp_planned *planned,
				  const struct tp_machine *machine,
				  const struct tp_point *const *points, size_t n,
				  struct tp_point *all, bool *made, struct tp_diag *diag);

#endif
