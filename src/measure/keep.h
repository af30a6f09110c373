/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to src/measure: which windows of a point count. */
#ifndef TPROF_MEASURE_KEEP_H
#define TPROF_MEASURE_KEEP_H

#include "measure/sampler.h"

/*
 * Points that keep windows this close to their fast mode are those whose time only the core
 * decides. Their windows are compared by what they do in a cycle.
 */
#define KEEP_TIGHT 0.03

/*
 * The rate that the faster windows share: where x[n], ascending, is densest near its upper end.
 * `region`: how far below its upper end that may be, relative. *top: the upper end, which a few odd
 * values may exceed.
 */
double tp_keep_mode(const double *sorted, size_t n, double region, double *top);

/*
 * Rates of windows as they would be at the usual clock of the point: rate over the window's own
 * clock, times the median of all clocks. A window whose clock is unknown keeps its rate.
 */
double tp_keep_at_usual_clock(const struct tp_sample *samples, size_t n, double *rates);

/*
 * Feeds the windows that count to the stop rules, afresh: what counts changes as more windows
 * arrive. Marks the windows of the point; flags[n_samples] get 0 for the kept ones.
 */
enum tp_status tp_keep_refill(struct tp_stop_state *state, struct tp_point *point,
			      double keep_within, uint32_t *flags);

#endif
