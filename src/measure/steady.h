/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Steady state: does a sequence of readings still change on the whole, and where did its beginning
 * end? What a working set left in the caches when it was built makes the first windows faster, a
 * cold cache makes them slower; neither says how the machine goes on. Pure functions on numbers.
 */
#ifndef TPROF_MEASURE_STEADY_H
#define TPROF_MEASURE_STEADY_H

#include <stdbool.h>
#include <stddef.h>

/* Fewer readings than that cannot show a trend. */
enum { TP_STEADY_LEAST = 24 };
/* Below this share of the value a change is not worth a longer measurement. */
#define TP_STEADY_TOLERANCE 0.02

struct tp_steadiness {
	size_t from; /* the readings before this one belong to the beginning */
	/* the readings from there on are many enough, and show no trend */
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
