/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The registries: what every experiment hands to the rooms that work on it, and the rows of mining
 * and of clusters. Code that experiments use must not call this.
 */
#include "experiments/experiment.h"
#include "experiments/list.h"
#include "preset/options.h"
#include "record/schema.h"
#include "report/reporter.h"

#define DECLARE(name)                                                                              \
	extern const struct tp_experiment tp_experiment_##name;                                    \
	extern const struct tp_option_group tp_options_##name;                                     \
	extern const struct tp_schema_row tp_schema_##name;                                        \
	extern const struct tp_reporter tp_reporter_##name;
TP_EXPERIMENT_LIST(DECLARE)
extern const struct tp_option_group tp_options_first, tp_options_last, tp_options_mining;
extern const struct tp_schema_row tp_schema_cluster;
extern const struct tp_reporter tp_reporter_mining, tp_reporter_cluster;

#define EXPERIMENT(name) &tp_experiment_##name,
static const struct tp_experiment *const experiments[] = { TP_EXPERIMENT_LIST(EXPERIMENT) NULL };

#define OPTIONS(name) &tp_options_##name,
static const struct tp_option_group *const options[] = { &tp_options_first, &tp_options_last,
							 &tp_options_mining,
							 TP_EXPERIMENT_LIST(OPTIONS) NULL };

#define SCHEMA(name) &tp_schema_##name,
static const struct tp_schema_row *const rows[] = { TP_EXPERIMENT_LIST(SCHEMA) SCHEMA(cluster) };
static const struct tp_schema schema = { rows, TP_COUNT_OF(rows) };

#define REPORTER(name) &tp_reporter_##name,
static const struct tp_reporter *const reporters[] = { TP_EXPERIMENT_LIST(REPORTER) REPORTER(mining)
							       REPORTER(cluster) NULL };

void tp_experiments_begin(void)
{
	tp_experiments_use(experiments);
	tp_preset_use(options);
	tp_record_use(&schema);
	tp_report_use(reporters);
}
