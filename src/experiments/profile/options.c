/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/profile/options.h"
#include "preset/shared_options.h"

TP_PROFILE_OPTIONS(TP_OPTION_DEFINE)

const struct tp_option_group tp_options_profile = {
	.experiment = "profile",
	.uses = "",
	.place = 37,
	.rows = { TP_PROFILE_OPTIONS(TP_OPTION_ROW) NULL },
};
