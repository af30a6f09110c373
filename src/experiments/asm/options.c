/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/asm/options.h"
#include "preset/shared_options.h"

TP_ASM_OPTIONS(TP_OPTION_DEFINE)

const struct tp_option_group tp_options_asm = {
	.experiment = "asm",
	.uses = "threads stop.confidence stop.error stop.error_dram stop.basis stop.max_time "
		"stop.max_samples stop.min_count stop.trim_samples stop.trim_tolerance "
		"invocations measure_again window events",
	.place = 58,
	.rows = { TP_ASM_OPTIONS(TP_OPTION_ROW) NULL },
};
