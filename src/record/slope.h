/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slopes of curves of bandwidth: ways between two levels on which there is no plateau. */
#ifndef TPROF_RECORD_SLOPE_H
#define TPROF_RECORD_SLOPE_H

#include "record/run.h"

struct tp_slope {
	unsigned run;
	char isa[16], precision[8], kernel[48]; /* the curve, as of its plateaus */
	unsigned threads;
	char pages_wanted[16];
	char level[8]; /* of the plateau before it */
	uint64_t from_bytes, to_bytes; /* where it begins and ends */
	double from_gbps, to_gbps; /* the bandwidth there */
	bool open; /* the curve ends on it */
};

extern const struct tp_part tp_slope_part;

#define tp_run_slopes(run)   TP_ROWS(run, tp_slope_part, tp_slope)
#define tp_run_n_slopes(run) TP_N(run, tp_slope_part)

#endif
