/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A search for the fastest configuration, as data: what was tried, what came out. Every room may read it. */
#ifndef TPROF_RECORD_TRIAL_H
#define TPROF_RECORD_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

enum { TP_TRIAL_DIMENSIONS = 3 };

/* One configuration under one technique. Events carry it as it grows; the last one with the same point and index counts. */
struct tp_trial {
	unsigned run, point; /* the search it belongs to: a point of the experiment autotune */
	unsigned index; /* of the configuration in the space, the same under every technique */
	unsigned position; /* when it was tried: 0-based */
	uint64_t size[TP_TRIAL_DIMENSIONS]; /* n, m, k; 0 = the routine has no such */
	unsigned invocations, iterations; /* processes; timed calls in all */
	double value,
		best; /* GFLOP/s (gemm) or GB/s (triad): estimate by the rule's basis over the invocations, fastest call */
	double ci_low, ci_high;
	double seconds; /* spent on it, with starting its processes */
	char stopped
		[16]; /* "samples", "time", "confident", "beaten", "dropped" (of a race), "failed" */
	bool finished;
	bool incumbent; /* the best when it was finished */
};

/* One row of a study: a technique's search against the fixed-size baseline over the same space. */
struct tp_study_row {
	unsigned run, point;
	char technique
		[16]; /* "default", "single", "hand-time", "hand-accuracy", "confidence", "c+i", "c+i+r", "c+i+o", "c+i+o+r", "racing", ...; with "/100" for a minimum count */
	char routine[16], scope[24]; /* "dgemm", "L3", "core", "socket", "machine" ... */
	char library[96];
	unsigned index; /* the configuration it chose */
	uint64_t size[TP_TRIAL_DIMENSIONS];
	double best; /* what it measured of it: GFLOP/s or GB/s */
	double baseline_value; /* what the baseline measured of that configuration; loss is from these: 1 - baseline_value / best of the baseline */
	double seconds, speedup, loss; /* loss relative, 0.01 = 1 %; NaN without a baseline */
	unsigned configurations, invocations, iterations;
};

#endif
