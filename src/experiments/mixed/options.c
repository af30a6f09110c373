/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/mixed/options.h"
#include "preset/shared_options.h"

TP_MIXED_OPTIONS(TP_OPTION_DEFINE)

const struct tp_option_group tp_options_mixed = {
	.experiment = "mixed",
	.uses = TP_USES_WINDOWS " fp_op level",
	.place = 40,
	.rows = { TP_MIXED_OPTIONS(TP_OPTION_ROW) NULL },
};
