/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "preset/shared_options.h"

const struct tp_option_group tp_options_roofline = {
	.experiment = "roofline",
	.uses = TP_USES_WINDOWS " kernel fp_op level stores",
};
