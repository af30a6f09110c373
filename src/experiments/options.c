/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of the program: one group an experiment, between those that they share; mining. */
#include "experiments/list.h"
#include "preset/options.h"

extern const struct tp_option_group tp_options_first, tp_options_last, tp_options_mining;

#define DECLARE(name) extern const struct tp_option_group tp_options_##name;
TP_EXPERIMENT_LIST(DECLARE)
#undef DECLARE

#define ROW(name) &tp_options_##name,
const struct tp_option_group *const tp_option_groups[] = { &tp_options_first, &tp_options_last,
							   &tp_options_mining,
							   TP_EXPERIMENT_LIST(ROW) NULL };
