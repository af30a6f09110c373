/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/autotune/options.h"
#include "preset/shared_options.h"

TP_AUTOTUNE_OPTIONS(TP_OPTION_DEFINE)

const struct tp_option_group tp_options_autotune = {
	.experiment = "autotune",
	.heading = "Searching",
	.uses = "level pages stop.confidence stop.error stop.basis",
	.place = 60,
	.rows = { TP_AUTOTUNE_OPTIONS(TP_OPTION_ROW) NULL },
};
