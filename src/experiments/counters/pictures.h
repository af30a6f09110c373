/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events of a family as pictures: their noise, and their counts beside the expected ones. */
#ifndef TPROF_EXPERIMENTS_COUNTERS_PICTURES_H
#define TPROF_EXPERIMENTS_COUNTERS_PICTURES_H

#include "experiments/counters/classes.h"
#include "experiments/counters/readings.h"
#include "record/run.h"
#include "report/pictures.h"

/* What the class was made from: its readings in the run; NULL if they are not there. */
const struct tp_reading_family *tp_report_readings(const struct tp_run *run,
						   const struct tp_class *class);
/*
 * Count per iteration in the class's n-th used row as the representation expects it, E x; NaN where
 * the event has none.
 */
double tp_report_expected(const struct tp_class *class, size_t event, size_t used);

/*
 * Pictures (report/pictures.h). Noise: events with a noise, by rising noise, against tau; `ranks`
 * has room for n_events and gets their numbers in that order, or is NULL. Returns how many; 0 =
 * nothing to draw.
 */
size_t tp_picture_noise(struct tp_picture *picture, const struct tp_class *class, size_t *ranks);
/*
 * Counts of some events (at most TP_PICTURE_EVENTS) over the rows: dots as measured, lines as
 * expected. x is the row's own (buffer size, N) where that rises from row to row, else its number,
 * with a mark where a kernel begins. `x` (n_used) gets it, or is NULL. False: nothing to draw.
 */
enum { TP_PICTURE_EVENTS = 12 };
bool tp_picture_counts(struct tp_picture *picture, const struct tp_class *class,
		       const struct tp_reading_family *readings, const size_t *events, size_t n,
		       double *x);

/* As in tp_reporter.pictures: pictures of every family of the run. */
struct tp_gallery;
void tp_counters_pictures(const struct tp_run *run, const struct tp_gallery *gallery);

#endif
