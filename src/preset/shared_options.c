/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "preset/shared_options.h"

TP_OPTIONS_FIRST(TP_OPTION_DEFINE)
TP_OPTIONS_LAST(TP_OPTION_DEFINE)

const struct tp_option_group tp_options_first = {
	.place = 0,
	.rows = { TP_OPTIONS_FIRST(TP_OPTION_ROW) NULL },
};

const struct tp_option_group tp_options_last = {
	.place = 1000,
	.rows = { TP_OPTIONS_LAST(TP_OPTION_ROW) NULL },
};
