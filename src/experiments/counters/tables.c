/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/counters/classes.h"
#include "experiments/counters/count_row.h"
#include "experiments/counters/readings.h"

static const struct tp_part *const parts[] = { &tp_class_part, &tp_readings_part };
static const struct tp_row_event *const events[] = { &tp_counts_event };

const struct tp_schema_row tp_schema_counters = {
	.points = { "counters", &tp_count_table, NULL, NULL },
	.parts = parts,
	.n_parts = 2,
	.events = events,
	.n_events = 1,
};
