/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of all experiments: what the record knows of them. */
#include "record/schema.h"
#include "experiments/list.h"

#define DECLARE(name) extern const struct tp_schema_row tp_schema_##name;
TP_EXPERIMENT_LIST(DECLARE)

/* What the merged run of many nodes has besides. */
extern const struct tp_schema_row tp_schema_cluster;

#define ROW(name) &tp_schema_##name,
static const struct tp_schema_row *const rows[] = { TP_EXPERIMENT_LIST(ROW) ROW(cluster) };

const struct tp_schema tp_schema = { rows, sizeof(rows) / sizeof(rows[0]) };
