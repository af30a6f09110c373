/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/counters/options.h"
#include "preset/shared_options.h"

TP_COUNTERS_OPTIONS(TP_OPTION_DEFINE)

const struct tp_option_group tp_options_counters = {
	.experiment = "counters",
	.heading = "Counters",
	.uses = "threads",
	.place = 50,
	.rows = { TP_COUNTERS_OPTIONS(TP_OPTION_ROW) NULL },
};
