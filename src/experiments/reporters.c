/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all experiments say of their results. */
#include "report/reporter.h"
#include "experiments/list.h"

#define DECLARE(name) extern const struct tp_reporter tp_reporter_##name;
TP_EXPERIMENT_LIST(DECLARE)

/* What is learned from the points of any experiment, and how nodes of a cluster differ in them. */
extern const struct tp_reporter tp_reporter_mining, tp_reporter_cluster;

#define ROW(name) &tp_reporter_##name,
static const struct tp_reporter *const rows[] = { TP_EXPERIMENT_LIST(ROW) ROW(mining)
							  ROW(cluster) };

const struct tp_reporters tp_reporters = { rows, sizeof(rows) / sizeof(rows[0]) };
