/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/dot.h"
#include "experiments/spmv/spmv_row.h"
#include "experiments/windows/quality.h"
#include "record/roof.h"

static const struct tp_part *const parts[] = { &tp_roof_part, &tp_dot_part, &tp_matrix_part };
static const struct tp_row_event *const events[] = { &tp_matrix_event };

const struct tp_schema_row tp_schema_spmv = {
	.points = { "spmv", &tp_spmv_table, tp_kernel_headline, tp_window_judge },
	.parts = parts,
	.n_parts = 3,
	.events = events,
	.n_events = 1,
};
