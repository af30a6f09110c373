/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/roof.h"
#include "experiments/autotune/search_row.h"
#include "experiments/autotune/trial.h"
#include "record/point.h"

static const struct tp_part *const parts[] = { &tp_roof_part, &tp_study_part, &tp_trial_part };
static const struct tp_row_event *const events[] = { &tp_trial_event };

const struct tp_schema_row tp_schema_autotune = {
	.points = { "autotune", &tp_search_table, tp_kernel_headline, NULL },
	.parts = parts,
	.n_parts = 3,
	.events = events,
	.n_events = 1,
};
