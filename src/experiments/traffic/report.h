/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the report of traffic shares with its screen. */
#ifndef TPROF_EXPERIMENTS_TRAFFIC_REPORT_H
#define TPROF_EXPERIMENTS_TRAFFIC_REPORT_H

#include "experiments/traffic/traffic.h"
#include "report/reporter.h"

/* Points of one operation, threads and run, by size. `first` is one of them. */
bool tp_traffic_same(const struct tp_point *a, const struct tp_point *b);

/* The first point of each operation: the i-th; NULL behind the last. */
const struct tp_point *tp_traffic_first(const struct tp_run *run, size_t i);

/* Of the operation of that point, from all points that are done. False: there is nothing. */
bool tp_traffic_picture(struct tp_picture *picture, const struct tp_run *run,
			const struct tp_point *like);

#endif
