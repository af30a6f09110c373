/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Roofs that a run of an experiment measured: derived from its points. */
#ifndef TPROF_EXPERIMENTS_WINDOWS_ROOFS_H
#define TPROF_EXPERIMENTS_WINDOWS_ROOFS_H

#include "experiments/experiment.h"

/* Same run, ISA, precision and thread count: points that belong into one picture. */
bool tp_reduce_same_series(const struct tp_point *a, const struct tp_point *b);

/*
 * Highest measured FP peak (GFLOP/s) of the series that `like` belongs to; fp_op NULL: of any
 * instruction. 0 = none.
 */
double tp_reduce_peak(const struct tp_run *run, const struct tp_point *like, const char *fp_op);

/* Roofs of all finished memory and FP points of run `index`. */
void tp_reduce_roofs(const struct tp_machine *machine, struct tp_run *run, unsigned index);

/* Roofs of run `index` that lie below the roof of the next level. */
void tp_doubt_roofs(const struct tp_run *run, unsigned index, unsigned char *again);

#endif
