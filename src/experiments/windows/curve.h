/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What curves over the working set share, of bandwidth or of latency: their sizes and their
 * plateaus.
 */
#ifndef TPROF_EXPERIMENT_CURVE_H
#define TPROF_EXPERIMENT_CURVE_H

#include "experiments/windows/planner.h"

enum { TP_CURVE_SIZES_MAX = 2048 };

/* TP_USAGE and a diagnosis if the ends of the curve make no sense. */
enum tp_status tp_curve_check(struct tp_plan_context *context, struct tp_diags *diags);

/*
 * The working sets per thread that the options sizes, or size_min, size_max and points_per_octave,
 * ask for: ascending and all different, denser around the capacities that a thread gets. In the
 * plan's arena.
 */
const uint64_t *tp_curve_sizes(struct tp_plan_context *context, unsigned threads, size_t *n);

/*
 * Plateaus of all curves of run `index`: points alike in kernel, ISA, precision, threads and wanted
 * pages.
 */
void tp_curve_reduce(const struct tp_machine *machine, struct tp_run *run, unsigned index);
/*
 * Points of run `index` on plateaus that are slower than the next one of their curve, and some that
 * decide where a level ends.
 */
void tp_curve_doubt(const struct tp_run *run, unsigned index, unsigned char *again);

#endif
