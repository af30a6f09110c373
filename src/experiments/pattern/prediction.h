/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What models predict for a point of a pattern, beside what was measured: a table of results. */
#ifndef TPROF_EXPERIMENTS_PATTERN_PREDICTION_H
#define TPROF_EXPERIMENTS_PATTERN_PREDICTION_H

#include "record/run.h"

/*
 * Times of an element on the whole team, from the bandwidths and the peak that another run of the
 * same preset measured (roofline), and from the layer conditions of the point.
 */
struct tp_prediction {
	unsigned run, point;
	char limit[8]; /* "L1" ... "DRAM", "FP": what takes the longest of all alone */
	double roofline_ns; /* what that takes */
	double fp_ns, l1_ns, l2_ns, l3_ns, dram_ns; /* arithmetic, and the terms of ECM */
	double ecm_ns; /* the arithmetic, or the sum of the other terms */
	double element_ns; /* as measured */
	double measured_to_ecm;
};

extern const struct tp_part tp_prediction_part;

#define tp_run_predictions(run)	  TP_ROWS(run, tp_prediction_part, tp_prediction)
#define tp_run_n_predictions(run) TP_N(run, tp_prediction_part)

#endif
