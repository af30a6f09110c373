/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/traffic/options.h"
#include "preset/shared_options.h"

TP_TRAFFIC_OPTIONS(TP_OPTION_DEFINE)

const struct tp_option_group tp_options_traffic = {
	.experiment = "traffic",
	.heading = "Memory traffic",
	.uses = "threads",
	.place = 52,
	.rows = { TP_TRAFFIC_OPTIONS(TP_OPTION_ROW) NULL },
};
