/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which point of one run is which of another: by what was measured, not by its number. */
#ifndef TPROF_REPORT_PAIRING_H
#define TPROF_REPORT_PAIRING_H

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
/* False if there is no such dimension; `hint` then tells which there are. */
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
 * threads, level, working set, ratio (not the outcome of a search for the best one), FP operation,
 * intensity, kind of stores, pages that were asked for, pause. The first of several alike is paired
 * with the first, and so on. With a dimension, points of b that are left are paired with the first
 * point of a that differs in nothing but that; for a run with itself (a == b) that is all. TP_NOMEM
 * leaves nothing to release.
 */
enum tp_status tp_pairing_find(struct tp_pairing *pairing, const struct tp_run *a,
			       const struct tp_run *b, enum tp_dimension across);
void tp_pairing_release(struct tp_pairing *pairing);

#endif
