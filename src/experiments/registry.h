/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of the experiment table, one file each. Private to this room. */
#ifndef TPROF_EXPERIMENT_ROWS_H
#define TPROF_EXPERIMENT_ROWS_H

#include "experiments/experiment.h"
#include "experiments/list.h"

#define DECLARE(name) extern const struct tp_experiment tp_experiment_##name;
TP_EXPERIMENT_LIST(DECLARE)
#undef DECLARE

/* Every machine that kernels exist for can run these. */
enum tp_status tp_experiment_supported_anywhere(const struct tp_machine *machine,
						struct tp_diag *diag);

#endif
