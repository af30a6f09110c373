/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/windows/quality.h"
#include "record/point.h"

const struct tp_schema_row tp_schema_loaded_latency = {
	.points = { "loaded-latency", &tp_kernel_table, tp_kernel_time_headline, tp_window_judge },
};
