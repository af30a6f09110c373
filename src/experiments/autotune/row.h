/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Points that are searches for the fastest configuration of a routine, as data: what was tried,
 * what came out, and how the techniques compare.
 */
#ifndef TPROF_EXPERIMENTS_AUTOTUNE_ROW_H
#define TPROF_EXPERIMENTS_AUTOTUNE_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preset/options.h"
#include "record/point.h"
#include "record/run.h"

struct tp_search_row {
	struct tp_kernel_row kernel; /* level, precision, rates of the winner */
	/*
	 * how it is searched, over which part of the machine ("core", "socket", "machine"), and
	 * with which library
	 */
	char technique[16], scope[12], library[96];
	unsigned configurations; /* that the search goes through */
	char configuration[64]; /* the winner: "n 1024 m 512 k 128" */
};

/* One of zeros if the point is not a search. Never NULL. */
const struct tp_search_row *tp_search_row(const struct tp_point *point);

/* Both search the same space in the same way, except for the technique. */
bool tp_search_alike(const struct tp_point *a, const struct tp_point *b);

/* --- trials and studies --- */

enum { TP_TRIAL_DIMENSIONS = 3, TP_TRIAL_NAME_MAX = 80 };

/*
 * One configuration under one technique. Events carry it as it grows; the last one with the same
 * point and index counts.
 */
struct tp_trial {
	unsigned run, point; /* the search it belongs to: a point of the experiment autotune */
	unsigned index; /* of the configuration in the space, the same under every technique */
	unsigned position; /* when it was tried: 0-based */
	uint64_t size[TP_TRIAL_DIMENSIONS]; /* n, m, k; 0 = the routine has no such */
	unsigned invocations, iterations; /* processes; timed calls in all */
	/*
	 * of the iterations: others used the core during them; they do not count in the value if
	 * there are better ones
	 */
	unsigned disturbed;
	/*
	 * GFLOP/s (gemm) or GB/s (triad): estimate by the rule's basis over the invocations,
	 * fastest call
	 */
	double value, best;
	double ci_low, ci_high;
	double seconds; /* spent on it, with starting its processes */
	/* "samples", "time", "confident", "beaten", "dropped" (of a race), "failed" */
	char stopped[16];
	bool finished;
	/* the best of its search; of several, the one with the largest value is the winner */
	bool incumbent;
	size_t came; /* order of arrival of trials that are not sorted yet */
};

/* One row of a study: a technique's search against the fixed-size baseline over the same space. */
struct tp_study_row {
	unsigned run, point;
	/*
	 * "default", "single", "hand-time", "hand-accuracy", "confidence", "c+i", "c+i+r", "c+i+o",
	 * "c+i+o+r", "racing", ...; with "/100" for a minimum count
	 */
	char technique[16];
	char routine[16], scope[24]; /* "dgemm", "L3", "core", "socket", "machine" ... */
	char library[96];
	unsigned index; /* the configuration it chose */
	uint64_t size[TP_TRIAL_DIMENSIONS];
	double best; /* what it measured of it: GFLOP/s or GB/s */
	/*
	 * what the baseline measured of that configuration; loss is from these: 1 - baseline_value
	 * / best of the baseline. 0 = no baseline
	 */
	double baseline_value;
	double seconds; /* of all its trials */
	double speedup; /* seconds of the baseline over its own; 0 = no baseline */
	/*
	 * Relative, 0.01 = 1 %; NaN without a baseline. Did it choose well? And is its figure
	 * right: how far `best` is above the best of the baseline.
	 */
	double loss, error;
	unsigned configurations, invocations,
		iterations; /* tried; processes and timed calls in all */
};

/* "n 1024 m 512 k 128", "n 32768"; returns out. */
const char *tp_trial_name(const uint64_t size[TP_TRIAL_DIMENSIONS], char out[TP_TRIAL_NAME_MAX]);

/*
 * The trials of a run are sorted by point and index. Adds, or takes the place of what was known of
 * the same configuration of the same point. Pointers to trials last until the next one is added.
 * TP_RESOURCE beyond TP_RUN_TRIALS_MAX.
 */
enum tp_status tp_trials_put(struct tp_run *run, const struct tp_trial *trial);
/* The trials of one point; NULL and 0 if none. Borrowed. */
const struct tp_trial *tp_trials_of(const struct tp_run *run, unsigned point, size_t *n);
/* The winner of a search, or the best so far while it goes on; NULL if none. Borrowed. */
const struct tp_trial *tp_trials_best(const struct tp_run *run, unsigned point);

extern const struct tp_part tp_trial_part, tp_study_part; /* trials.csv and "trials"; "study" */
extern const struct tp_row_event tp_trial_event;
#define tp_run_trials(run)   TP_ROWS(run, tp_trial_part, tp_trial)
#define tp_run_n_trials(run) TP_N(run, tp_trial_part)
#define tp_run_study(run)    TP_ROWS(run, tp_study_part, tp_study_row)
#define tp_run_n_study(run)  TP_N(run, tp_study_part)

#define TP_AUTOTUNE_OPTIONS(X)                                                                     \
	X(ROUTINE, "routine", WORD, true, 0, 0, "dgemm", "dgemm sgemm triad",                      \
	  "Routines whose fastest configuration is searched for: matrix products of a "            \
	  "BLAS (dgemm, sgemm), or TRIAD.",                                                        \
	  TP_FORM(WHAT, 80), .form_tells = true)                                                   \
	X(BLAS, "blas", WORD, true, 0, 0, "", "",                                                  \
	  "BLAS libraries, one search each: openblas, blis, mkl, a soname, or a path; "            \
	  "without it the first that is found.",                                                   \
	  .offers = "openblas blis mkl", .code = true, TP_FORM_MORE(WHAT, 90))                     \
	X(TECHNIQUE, "technique", WORD, true, 0, 0, "racing", "",                                  \
	  "How to search, one search each: default (fixed numbers of calls), single, "             \
	  "hand-time, hand-accuracy, confidence, c+i, c+i+r, c+i+o, c+i+o+r, racing; "             \
	  "c+i/100 with a minimum count.",                                                         \
	  TP_FORM(WHAT, 100), .form_tells = true)                                                  \
	X(SCOPE, "scope", WORD, true, 0, 0, "core", "core socket machine",                         \
	  "Parts of the machine that work, one search each: one core, the cores of one "           \
	  "package, all cores.",                                                                   \
	  .meanings = "core\tone core\n"                                                           \
		      "socket\tthe cores of one package\n"                                         \
		      "machine\tall cores\n",                                                      \
	  TP_FORM(WHERE, 20), .form_tells = true)                                                  \
	X(AUTOTUNE_SPACE, "autotune.space", WORD, false, 0, 0, "default",                          \
	  "default wide paper small",                                                              \
	  "Sizes of the matrices: default (n and m 500 to 4096, k 64 to 2048), wide (64 "          \
	  "to 4096, k from 2), paper (n 500, 1000, 2000, 4000; m 512 to 4096 and k 64 to "         \
	  "2048 in powers of two: the 96 configurations of the published study), small "           \
	  "(128 to 500, k from 16: 96 configurations with short calls).",                          \
	  .meanings = "default\tn and m from 500 to 4096, k from 64 to 2048: minutes\n"            \
		      "wide\tn and m from 64 to 4096, k from 2 to 2048\n"                          \
		      "paper\tn 500 to 4000, m 512 to 4096, k 64 to 2048: as published\n"          \
		      "small\tn and m from 128 to 500, k from 16 to 500: seconds\n",               \
	  TP_FORM(WHAT, 110), .form_tells = true)                                                  \
	X(AUTOTUNE_N, "autotune.n", COUNT, true, 1, 1000000, "", "",                               \
	  "Columns of the product, instead of the ones in the space.", TP_FORM_MORE(WHAT, 120))    \
	X(AUTOTUNE_M, "autotune.m", COUNT, true, 1, 1000000, "", "",                               \
	  "Rows of the product, instead of the ones in the space.", TP_FORM_MORE(WHAT, 130))       \
	X(AUTOTUNE_K, "autotune.k", COUNT, true, 1, 1000000, "", "",                               \
	  "Inner sizes of the product, instead of the ones in the space.",                         \
	  TP_FORM_MORE(WHAT, 140))                                                                 \
	X(AUTOTUNE_ELEMENTS, "autotune.elements", COUNT, true, 1, 1e12, "", "",                    \
	  "Elements of each of the three arrays of TRIAD, all threads together; without "          \
	  "it several sizes inside each level.",                                                   \
	  TP_FORM_MORE(WHAT, 160))                                                                 \
	X(AUTOTUNE_SQUARE, "autotune.square", BOOL, false, 0, 0, "false", "",                      \
	  "Only square products: configurations with m = n.", TP_FORM_MORE(WHAT, 150))             \
	X(AUTOTUNE_ORDER, "autotune.order", WORD, false, 0, 0, "as-is", "as-is reversed random",   \
	  "Order in which configurations are tried; random is drawn from seed.")                   \
	X(AUTOTUNE_INVOCATIONS, "autotune.invocations", COUNT, false, 1, 1000, "10", "",           \
	  "Largest number of fresh processes for one configuration; a race does not count "        \
	  "disturbed ones while it waits for undisturbed ones.",                                   \
	  .offers = "1 3 5 10", TP_FORM(HOW_LONG, 40))                                             \
	X(AUTOTUNE_ITERATIONS, "autotune.iterations", COUNT, false, 1, 1000000, "200", "",         \
	  "Largest number of timed calls in one process.", .offers = "10 50 100 200 500",          \
	  TP_FORM(HOW_LONG, 50))                                                                   \
	X(AUTOTUNE_MAX_TIME, "autotune.max_time", SECONDS, false, 0.001, 86400, "10s", "",         \
	  "Longest time for one configuration.", .offers = "500ms 1s 2s 5s 10s 30s",               \
	  TP_FORM(HOW_LONG, 30))                                                                   \
	X(AUTOTUNE_MIN_COUNT, "autotune.min_count", COUNT, false, 2, 1000000, "2", "",             \
	  "A configuration may be stopped as beaten after this many calls; routines that "         \
	  "take long to warm up need about 100.")

TP_AUTOTUNE_OPTIONS(TP_OPTION_DECLARE)

#endif
