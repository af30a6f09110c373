/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Brings a chase to its steady state before its windows count.
 *
 * Building a chase leaves a part of it in the caches, more than the chase itself would keep there
 * if others use the last level, too: the first laps are then too fast, by up to a factor of three,
 * and it may take many laps until that has gone. Out of empty caches the steady state comes sooner:
 * lines that miss at first either always miss, or hit a lap or two later.
 *
 *     1. Some windows right after the building, then the whole chase is evicted, then some windows
 *        more. If a long chase was no faster at first, the caches do not help it, and it is steady
 *        at once.
 *     2. Else whole laps, until a stretch of the chase takes as long as it took a lap before. After
 *        a change by a long lap, the next stretch may show it as well.
 *
 * If eviction is impossible there are only laps.
 */
#ifndef TPROF_MEASURE_SETTLE_H
#define TPROF_MEASURE_SETTLE_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/runner.h"

/*
 * Walks until the chase is steady (`*steady`), or for some seconds. The windows are added to
 * `point` with TP_FLAG(WARMING). Afterwards a window of the runner takes about `window_seconds`.
 * TP_CANCELLED when the watch stopped it.
 */
enum tp_status tp_settle_chase(struct tp_runner *runner, double window_seconds,
			       const struct tp_watch *watch, unsigned invocation,
			       struct tp_point *point, bool *steady, struct tp_diag *diag);

/*
 * Steady state: does a sequence of readings still change overall, and where did its beginning end?
 * Remains of building a working set in the caches make the first windows faster, a cold cache makes
 * them slower; neither predicts the later ones. Pure functions on numbers.
 */

/* Fewer readings than that cannot show a trend. */
enum { TP_STEADY_LEAST = 24 };

/* Below this share of the value a change is not worth a longer measurement. */
#define TP_STEADY_TOLERANCE 0.02

struct tp_steadiness {
	size_t from; /* the readings before this one belong to the beginning */
	/* the readings from here on are sufficient, and show no trend */
	bool steady;
	double change; /* relative, from the first to the last of those, by their slope */
};

/*
 * Cuts the beginning off where the standard error of the rest is least (MSER, White 1997), at most
 * half of all, and looks for a trend in the rest (Mann 1945, Kendall 1975, at 1 %; its size by the
 * slope of Theil 1950 and Sen 1968). Both work on medians of successive groups, so that single odd
 * readings decide nothing. A beginning or a trend smaller than `tolerance` (relative) is none.
 */
void tp_steady_judge(const double *x, size_t n, double tolerance, struct tp_steadiness *out);

/*
 * Are two stretches of readings alike? Their medians differ by no more than `tolerance`, or by what
 * the scatter of the readings explains (at 1 %), but never by more than twice the tolerance.
 */
bool tp_steady_alike(const double *a, size_t n_a, const double *b, size_t n_b, double tolerance);

#endif
