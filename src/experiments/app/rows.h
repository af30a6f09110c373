/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was counted and timed, as rows of the tables. Private to this folder. */
#ifndef TPROF_EXPERIMENTS_APP_ROWS_H
#define TPROF_EXPERIMENTS_APP_ROWS_H

#include "analysis/stats.h"
#include "app/app.h"
#include "experiments/app/app_row.h"
#include "measure/sampler.h"

/* The times of one region, a number for each run without instrumentation. Zero-initialise. */
struct tp_app_times {
	struct tp_app_timed {
		char name[TP_APP_NAME];
		unsigned thread;
		uint64_t entries;
		double *x;
		size_t n, cap;
	} * items;
	size_t n, cap;
	double confidence;
};
/* Takes the regions of a run. TP_NOMEM. */
enum tp_status tp_app_times_add(struct tp_app_times *times, const struct tp_app_time *run);
void tp_app_times_release(struct tp_app_times *times);

/* What one way of counting found, and what rows of it have in common. */
struct tp_app_told {
	const struct tp_point *point;
	const char *source;
	const struct tp_app_counts *counts;
	const struct tp_app_counts *levels; /* with bytes by level; NULL = not followed */
	struct tp_app_times *times; /* sorted by this */
	double seconds, seconds_low, seconds_high; /* of the whole program */
	unsigned timed_runs;
};
/* Sends regions, classes and functions. False: nobody wants them. */
bool tp_app_tell(const struct tp_app_told *told, const struct tp_watch *watch);

#endif
