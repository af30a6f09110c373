/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Searching a space of configurations for the fastest one, and stopping hopeless ones early. An
 * interface hides the evaluation: workers of routines, or numbers of a test. Two nested levels:
 * iterations inside an invocation, invocations of fresh processes.
 *
 *   default          every configuration: 10 invocations x 200 iterations (or the time limit): the
 *                    baseline
 *   single           one invocation of one iteration after the warm-up call
 *   hand-time, hand-accuracy   fixed numbers that a person would choose for speed, or for accuracy
 *                    (these four go in rounds: one invocation of each configuration, then the next
 *                    of each)
 *   confidence       inner and outer loop end when the interval is within +-e
 *   c+i              and an invocation ends once its upper end is below the best so far
 *   c+i+o            and so does the outer loop: what is beaten inside its invocation is over at
 *                    once
 *   ...+r            the same in reverse order
 *   .../N            neither interval nor incumbent rule before N iterations of an invocation (late
 *                    bloomers)
 *   racing           all configurations advance a little in turn; those whose upper end is below
 *                    the best lower end drop out
 *   racing/N         none drops out before N iterations
 */
#ifndef TPROF_EXPERIMENTS_AUTOTUNE_TUNING_H
#define TPROF_EXPERIMENTS_AUTOTUNE_TUNING_H

#include "experiments/autotune/row.h"
#include "measure/stop.h"
#include "record/run.h"

enum { TP_TUNING_BATCH_MAX = 256 /* iterations asked for at once */ };

struct tp_technique {
	const char *name, *summary;
	unsigned invocations, iterations; /* most; 0 = as in the rules */
	bool confidence; /* rule 3 at both levels */
	bool inner, outer; /* rule 4 inside an invocation, and over invocations */
	bool reverse;
	bool race;
	unsigned min_count; /* of the incumbent rule; 0 = 2 */
};
extern const struct tp_technique tp_technique_table[];
extern const size_t tp_technique_count;
/*
 * A row of the table, "c+i/100" with its minimum count (2 to 1000000; only with an incumbent rule).
 * `technique` gets a copy with the name of the row, without the count. False if there is no such
 * row.
 */
bool tp_technique_find(const char *name, struct tp_technique *technique);

/*
 * What a search evaluates. Larger numbers are better. At any time at most one invocation is open.
 *
 * Errors of begin and iterate concern the one configuration: it is reported as "failed", and the
 * search goes on with the next. TP_CANCELLED ends the search.
 */
struct tp_tuned {
	void *context;
	size_t n; /* configurations */
	/*
	 * A fresh process (or another state) for the configuration, with its warm-up call. A race
	 * begins all its configurations with the same `invocation` number one after another, ends
	 * each before it begins the next, and comes back with the next number: there an evaluator
	 * may serve all that have the same number from one process, and start a new one when the
	 * number changes. The cost of starting is then paid once a round, not once a configuration.
	 * All other techniques need a separate process for each call.
	 */
	enum tp_status (*begin)(void *context, size_t index, unsigned invocation,
				void **invocation_state, struct tp_diag *diag);
	/*
	 * `count` more iterations: values (GFLOP/s, GB/s) in the order they were taken, and the
	 * share of the core that each of them had: 1 = whole, or unknown, as set before the call;
	 * less: something else ran there. Those count only if there is nothing better, as value /
	 * share at most.
	 */
	enum tp_status (*iterate)(void *context, void *invocation_state, unsigned count,
				  double *values, double *shares, struct tp_diag *diag);
	bool knows_shares;
	void (*end)(void *context, void *invocation_state);
	double (*now)(void *context); /* seconds; a test's own clock */
	bool (*go_on)(void *context); /* NULL = always */
	/*
	 * Called for each change of a configuration, and at its end; may be NULL. It fills index,
	 * position, and the result; the caller fills run, point and size. A race may take up a
	 * configuration again that was reported as dropped.
	 */
	void (*tried)(void *context, const struct tp_trial *trial);
};

struct tp_tuning_rules {
	double confidence, error; /* 99 %, 1 % */
	double max_seconds; /* of a configuration, 10 */
	enum tp_stop_basis basis; /* of the iterations; invocations are few, see tuning.c */
	unsigned invocations, iterations; /* most: 10, 200 */
	const size_t *order; /* n indexes; NULL = as stored */
};

/*
 * A search in progress. Its inputs are borrowed until it ends. Several may take turns: the clock of
 * each counts only its own turns.
 */
struct tp_search;
struct tp_search *tp_tuning_begin(const struct tp_technique *technique,
				  const struct tp_tuned *tuned,
				  const struct tp_tuning_rules *rules);
/* One turn: an invocation of a configuration, or all of it. False once the search is over. */
bool tp_tuning_step(struct tp_search *search);
/*
 * Which of them goes next: the one with the least progress. So all are spread over the same time,
 * and changes of the machine affect each. NULL stands for one that is over; `n` if all are.
 */
size_t tp_tuning_next(struct tp_search *const *searches, size_t n);
/*
 * The winner: index, value, and its whole state; every configuration's trial went through
 * tuned->tried. Zero in the rules means the default noted beside it. TP_USAGE: no configuration.
 * TP_CANCELLED: `best` is the best so far, best->finished shows whether there was one. If every
 * configuration failed: status and words of the first failure. Frees the search.
 */
enum tp_status tp_tuning_end(struct tp_search *search, struct tp_trial *best, struct tp_diag *diag);

#endif
