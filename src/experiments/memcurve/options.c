/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/memcurve/options.h"
#include "preset/shared_options.h"

TP_MEMCURVE_OPTIONS(TP_OPTION_DEFINE)

const struct tp_option_group tp_options_memcurve = {
	.experiment = "memcurve",
	.uses = TP_USES_WINDOWS " kernel sizes size_min size_max points_per_octave stores cache",
	.place = 30,
	.rows = { TP_MEMCURVE_OPTIONS(TP_OPTION_ROW) NULL },
};
