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

/* One of zeros if the point is no search. Never NULL. */
const struct tp_search_row *tp_search_row(const struct tp_point *point);

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
	 * of the iterations: others used the core meanwhile, they do not count in the value if
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
	size_t came; /* order in which trials were put that are not in their places yet */
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
	double loss; /* relative, 0.01 = 1 %; NaN without a baseline */
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
/* Those of one point; NULL and 0 if there are none. Borrowed. */
const struct tp_trial *tp_trials_of(const struct tp_run *run, unsigned point, size_t *n);
/* The winner of a search, or the best so far while it goes on; NULL if there is none. Borrowed. */
const struct tp_trial *tp_trials_best(const struct tp_run *run, unsigned point);

extern const struct tp_part tp_trial_part, tp_study_part; /* trials.csv and "trials"; "study" */
extern const struct tp_row_event tp_trial_event;
#define tp_run_trials(run)   TP_ROWS(run, tp_trial_part, tp_trial)
#define tp_run_n_trials(run) TP_N(run, tp_trial_part)
#define tp_run_study(run)    TP_ROWS(run, tp_study_part, tp_study_row)
#define tp_run_n_study(run)  TP_N(run, tp_study_part)

#endif
