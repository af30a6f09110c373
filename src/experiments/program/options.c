/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/program/options.h"
#include "preset/shared_options.h"

TP_PROGRAM_OPTIONS(TP_OPTION_DEFINE)

const struct tp_option_group tp_options_program = {
	.experiment = "program",
	.uses = "threads stop.confidence stop.error stop.basis stop.max_samples stop.trim_samples "
		"stop.trim_tolerance",
	.place = 34,
	.rows = { TP_PROGRAM_OPTIONS(TP_OPTION_ROW) NULL },
};
