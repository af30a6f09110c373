/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/windows/quality.h"
#include "record/point.h"
#include "record/roof.h"

static const struct tp_part *const parts[] = { &tp_plateau_part, &tp_slope_part };

const struct tp_schema_row tp_schema_memcurve = {
	.points = { "memcurve", &tp_kernel_table, tp_kernel_headline, tp_window_judge },
	.parts = parts,
	.n_parts = 2,
};
