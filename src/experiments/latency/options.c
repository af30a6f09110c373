/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/latency/options.h"
#include "preset/shared_options.h"

TP_LATENCY_OPTIONS(TP_OPTION_DEFINE)

const struct tp_option_group tp_options_latency = {
	.experiment = "latency",
	.uses = TP_USES_WINDOWS " sizes size_min size_max points_per_octave",
	.place = 20,
	.rows = { TP_LATENCY_OPTIONS(TP_OPTION_ROW) NULL },
};
