/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regions over time, made few enough to be kept. Private to this folder. */
#ifndef TPROF_EXPERIMENTS_PROFILE_REGIONS_H
#define TPROF_EXPERIMENTS_PROFILE_REGIONS_H

#include "app/app.h"
#include "experiments/profile/profile_row.h"

/*
 * Rows of the spans of a run, by their starts; at most TP_PROFILE_REGIONS_MAX: of more, those of
 * one thread and region with the least time between them become one. `started`: of the program, in
 * seconds of CLOCK_MONOTONIC. Free *rows; NULL without spans. TP_NOMEM.
 */
enum tp_status tp_profile_regions_make(const struct tp_app_time *time, double started,
				       struct tp_profile_region **rows, size_t *n);

#endif
