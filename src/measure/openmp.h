/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to src/measure: threads of OpenMP. */
#ifndef TPROF_MEASURE_OPENMP_H
#define TPROF_MEASURE_OPENMP_H

/*
 * Calls each(context, i) on n threads of OpenMP, thread i on the i-th, in one parallel region.
 * Returns how many threads there were: fewer than n if OpenMP has no more; 0, and nothing is
 * called, in a program built without OpenMP.
 */
unsigned tp_openmp_each(unsigned n, void (*each)(void *context, unsigned i), void *context);

#endif
