/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/loaded/options.h"
#include "preset/shared_options.h"

TP_LOADED_OPTIONS(TP_OPTION_DEFINE)

const struct tp_option_group tp_options_loaded_latency = {
	.experiment = "loaded-latency",
	.uses = TP_USES_WINDOWS " level stores",
	.place = 10,
	.rows = { TP_LOADED_OPTIONS(TP_OPTION_ROW) NULL },
};
