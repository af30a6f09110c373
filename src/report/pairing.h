/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which point of one run is which of another: by what was measured, not by its number. */
#ifndef TPROF_REPORT_PAIRING_H
#define TPROF_REPORT_PAIRING_H

#include "analysis/difference.h"
#include "record/roof.h"
#include "record/run.h"

/* What points can be compared across, as --across names it. */
#define TP_DIMENSION_LIST(X)                                                                       \
	X(ISA, "isa")                                                                              \
	X(PRECISION, "precision")                                                                  \
	X(THREADS, "threads")                                                                      \
	X(LEVEL, "level")                                                                          \
	X(KERNEL, "kernel")                                                                        \
	X(FP_OP, "fp_op")                                                                          \
	X(STORES, "stores")                                                                        \
	X(PAGES, "pages")                                                                          \
	X(PAUSE, "pause_cycles")

enum tp_dimension {
	TP_ACROSS_NONE,
#define TP_DIMENSION_ENUM(id, name) TP_ACROSS_##id,
	TP_DIMENSION_LIST(TP_DIMENSION_ENUM)
#undef TP_DIMENSION_ENUM
		TP_DIMENSION_COUNT
};

const char *tp_dimension_name(enum tp_dimension dimension); /* "" for none */
/* False if the dimension is unknown; `hint` then lists those that exist. */
bool tp_dimension_parse(const char *name, enum tp_dimension *dimension, char *hint, size_t size);
/* The point's place in it: "avx2", "2 threads". Returns `out`. */
const char *tp_dimension_text(enum tp_dimension dimension, const struct tp_point *point, char *out,
			      size_t size);

struct tp_pair {
	size_t a, b; /* points of the first and of the second run */
};

struct tp_pairing {
	struct tp_pair *pairs; /* heap, in the order of the second run's points */
	size_t n, cap;
	size_t *only_a,
		*only_b; /* heap: points without a partner; only_a is empty for a run with itself */
	size_t n_only_a, n_only_b, cap_a, cap_b;
};

/*
 * Pairs the finished points of a and b that were the same work: experiment, kernel, ISA, precision,
 * threads, level, working set (of roofs the level says it), ratio (not the outcome of a search for
 * the best one), FP operation, intensity, kind of stores, pages that were asked for, pause. The
 * first of several equal ones is paired with the first, and so on. With a dimension, remaining
 * points of b are paired with the first point of a that differs only in that; for a run with itself
 * (a == b) that is all.
 */
void tp_pairing_find(struct tp_pairing *pairing, const struct tp_run *a, const struct tp_run *b,
		     enum tp_dimension across);
void tp_pairing_release(struct tp_pairing *pairing);

/*
 * A point or a plateau as a comparison uses it: its value, how well such a value repeats, and the
 * effect of its flags.
 */

/*
 * Confidence that intervals of points are taken to have: the default of stop.confidence, which
 * records do not hold.
 */
#define TP_ESTIMATE_CONFIDENCE 0.99

/* What a run records of its machine, apart from the points. */
struct tp_estimate_context {
	double size_bytes[4], sharing_cores[4]; /* caches by level 1..3; 0 = unknown */
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
 * The point as a speed: GB/s, GFLOP/s, or one over ns. Flags of slowed windows become a shortfall,
 * at most up to the point's own bound at the run's fastest clock; flags of a value that may not
 * repeat become scatter. Teams at shared levels repeat half as well again.
 */
void tp_estimate_point(const struct tp_point *point, enum tp_repeat repeat,
		       const struct tp_estimate_context *context, struct tp_estimate *estimate);
/* The same in a unit per cycle. `point`: whose scatter may be the clock's; NULL for a plateau. */
void tp_estimate_in_cycles(const struct tp_point *point, double per_cycle,
			   struct tp_estimate *estimate);
/* A plateau of the run: its shortfall is the median of its points'. */
void tp_estimate_plateau(const struct tp_run *run, const struct tp_plateau *plateau,
			 enum tp_repeat repeat, const struct tp_estimate_context *context,
			 struct tp_estimate *estimate);

#endif
