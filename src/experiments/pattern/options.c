/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/pattern/options.h"
#include "preset/shared_options.h"

TP_PATTERN_OPTIONS(TP_OPTION_DEFINE)

const struct tp_option_group tp_options_pattern = {
	.experiment = "pattern",
	.uses = "threads pages level sizes size_min size_max points_per_octave stop.confidence "
		"stop.error stop.error_dram stop.basis stop.max_time stop.max_samples "
		"stop.min_count stop.trim_samples stop.trim_tolerance invocations measure_again "
		"window cache events",
	.place = 32,
	.rows = { TP_PATTERN_OPTIONS(TP_OPTION_ROW) NULL },
};
