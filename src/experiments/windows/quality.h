/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Quality of points that were measured in windows: observations from their record, judged by
 * analysis/quality.h.
 */
#ifndef TPROF_EXPERIMENT_QUALITY_H
#define TPROF_EXPERIMENT_QUALITY_H

#include "analysis/quality.h"
#include "record/run.h"

/* For a working set, by the last private cache of the core; 0 = unknown. */
enum tp_reach tp_window_reach(double bytes, double own_bytes);

/*
 * Sets the quality of a finished point and adds the flags that are its reasons. A point whose
 * windows are not known has none.
 */
void tp_window_quality(struct tp_point *point, enum tp_reach reach);

/* As tp_point_kind.judge: all points of the kind in a run that was read. */
void tp_window_judge(struct tp_run *run, const struct tp_point_kind *kind);

/*
 * As tp_repeated.judge_company. Neighbours who take an even share of caches and memory leave no
 * trace in the windows of a point. If three in four of these points of a run, and at least four,
 * are not good, none is.
 */
void tp_window_doubt_company(struct tp_run *run, unsigned index);

#endif
