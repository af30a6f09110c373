/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/app/options.h"
#include "preset/shared_options.h"

TP_APP_OPTIONS(TP_OPTION_DEFINE)

const struct tp_option_group tp_options_app = {
	.experiment = "app",
	.uses = TP_USES_WINDOWS " level",
	.place = 36,
	.rows = { TP_APP_OPTIONS(TP_OPTION_ROW) NULL },
};
