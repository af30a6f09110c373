/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/template/options.h"
#include "preset/shared_options.h"

TP_TEMPLATE_OPTIONS(TP_OPTION_DEFINE)

const struct tp_option_group tp_options_template = {
	.experiment = "template",
	.uses = "threads cache window stop.confidence stop.error stop.error_dram stop.basis "
		"stop.max_time stop.max_samples stop.min_count stop.trim_samples "
		"stop.trim_tolerance invocations measure_again events",
	.place = 33,
	.rows = { TP_TEMPLATE_OPTIONS(TP_OPTION_ROW) NULL },
};
