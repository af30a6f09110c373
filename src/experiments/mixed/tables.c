/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/dot.h"
#include "experiments/windows/quality.h"
#include "record/kernel_row.h"
#include "record/roof.h"

static const struct tp_part *const parts[] = { &tp_roof_part, &tp_dot_part };

const struct tp_schema_row tp_schema_mixed = {
	.points = { "mixed", &tp_kernel_table, tp_kernel_headline, tp_window_judge },
	.parts = parts,
	.n_parts = 2,
};
