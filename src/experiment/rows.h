/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of the experiment table, one file each. Private to this room. */
#ifndef TPROF_EXPERIMENT_ROWS_H
#define TPROF_EXPERIMENT_ROWS_H

#include "experiment/experiment.h"

extern const struct tp_experiment tp_experiment_memcurve, tp_experiment_latency,
	tp_experiment_loaded_latency, tp_experiment_roofline, tp_experiment_mixed,
	tp_experiment_counters, tp_experiment_autotune;

/* Every machine that kernels exist for can run these. */
enum tp_status tp_experiment_supported_anywhere(const struct tp_machine *machine,
						struct tp_diag *diag);

#endif
