/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a point or a plateau is worth when runs are compared: its value, how well such a value
 * repeats, and what its flags cost it.
 */
#ifndef TPROF_REPORT_ESTIMATE_H
#define TPROF_REPORT_ESTIMATE_H

#include "analysis/difference.h"
#include "record/run.h"
#include "record/roof.h"

/*
 * Confidence that intervals of points are taken to have: the default of stop.confidence, which no
 * record tells.
 */
#define TP_ESTIMATE_CONFIDENCE 0.99

/* What a run tells of its machine, beside the points. */
struct tp_estimate_context {
	double size_bytes[4], sharing_cores[4]; /* caches by level 1..3; 0 = not told */
	bool known; /* any cache is */
	double fastest_ghz; /* of all its points; 0 = unknown */
};
void tp_estimate_context(const struct tp_run *run, struct tp_estimate_context *context);

/*
 * What limits the point: its level where it has one, else its working set against a thread's share
 * of the caches. Between three quarters (L3: two fifths) and three times the share it is an edge.
 * Without known caches every point of a curve is one.
 */
enum tp_repeat tp_estimate_repeat(const struct tp_point *point,
				  const struct tp_estimate_context *context);
enum tp_repeat tp_estimate_level(const char *level); /* TP_REPEAT_COUNT for no level */

/*
 * The point as a speed: GB/s, GFLOP/s, or one over ns. Flags of something that slowed windows down
 * become a shortfall, at most up to the point's own bound at the run's fastest clock; those of a
 * value that may not repeat become scatter. Teams at shared levels repeat half as well again.
 */
void tp_estimate_point(const struct tp_point *point, enum tp_repeat repeat,
		       const struct tp_estimate_context *context, struct tp_estimate *estimate);
/* A plateau of the run: its shortfall is the median of its points'. */
void tp_estimate_plateau(const struct tp_run *run, const struct tp_plateau *plateau,
			 enum tp_repeat repeat, const struct tp_estimate_context *context,
			 struct tp_estimate *estimate);

#endif
