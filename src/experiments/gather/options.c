/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/gather/options.h"
#include "preset/shared_options.h"

TP_GATHER_OPTIONS(TP_OPTION_DEFINE)

/* All have one body: there is nothing to race. */
const struct tp_option_group tp_options_gather = {
	.experiment = "gather",
	.uses = "isa precision threads pages cache window stop.confidence stop.error "
		"stop.error_dram stop.basis stop.max_time stop.max_samples stop.min_count "
		"stop.trim_samples stop.trim_tolerance invocations measure_again",
	.place = 55,
	.rows = { TP_GATHER_OPTIONS(TP_OPTION_ROW) NULL },
};
