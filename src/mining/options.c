/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mining/options.h"

TP_MINING_OPTIONS(TP_OPTION_DEFINE)

const struct tp_option_group tp_options_mining = {
	.heading = "Mining",
	.place = 1100,
	.rows = { TP_MINING_OPTIONS(TP_OPTION_ROW) NULL },
};
