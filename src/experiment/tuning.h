/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Searching a space of configurations for the fastest one, and stopping hopeless ones early. What is evaluated is behind an interface: workers
 * of routines, or numbers of a test. Two nested levels: iterations inside an invocation, invocations of fresh processes.
 *
 *   default          every configuration: 10 invocations x 200 iterations (or the time limit): the baseline
 *   single           one invocation of one iteration after the warm-up call
 *   hand-time, hand-accuracy   fixed numbers that a person would choose for speed, or for accuracy
 *   confidence       inner and outer loop end when the interval is within +-e
 *   c+i              and an invocation ends once its upper end is below the best so far
 *   c+i+o            and so does the outer loop
 *   ...+r            the same in reverse order
 *   .../N            incumbent rule not before N iterations (late bloomers)
 *   racing           all configurations advance a little in turn; those whose upper end is below the best lower end drop out
 */
#ifndef TPROF_EXPERIMENT_TUNING_H
#define TPROF_EXPERIMENT_TUNING_H

#include "measure/stop.h"
#include "record/trial.h"

struct tp_technique {
	const char *name, *summary;
	unsigned invocations, iterations; /* most */
	bool confidence; /* rule 3 at both levels */
	bool inner, outer; /* rule 4 inside an invocation, and over invocations */
	bool reverse;
	bool race;
	unsigned min_count; /* of the incumbent rule; 0 = 2 */
};
extern const struct tp_technique tp_technique_table[];
extern const size_t tp_technique_count;
const struct tp_technique *tp_technique_find(
	const char *name); /* "c+i/100" too, through *storage of the caller */

/* What a search evaluates. Larger numbers are better. */
struct tp_tuned {
	void *context;
	size_t n; /* configurations */
	/* A fresh process (or another state) for the configuration. */
	enum tp_status (*begin)(void *context, size_t index, unsigned invocation,
				void **invocation_state, struct tp_diag *diag);
	/* `count` more iterations: values (GFLOP/s, GB/s) in the order they were taken. */
	enum tp_status (*iterate)(void *context, void *invocation_state, unsigned count,
				  double *values, struct tp_diag *diag);
	void (*end)(void *context, void *invocation_state);
	double (*now)(void *context); /* seconds; a test's own clock */
	bool (*go_on)(void *context);
	void (*tried)(
		void *context,
		const struct tp_trial *trial); /* each time something is known of a configuration */
};

struct tp_tuning_rules {
	double confidence, error; /* 99 %, 1 % */
	double max_seconds; /* of a configuration, 10 */
	enum tp_stop_basis basis;
	unsigned invocations, iterations;
	const size_t *order; /* n indexes; NULL = as they are */
};

/* The best index and its value; every configuration's trial through tuned->tried. */
enum tp_status tp_tuning_run(const struct tp_technique *technique, const struct tp_tuned *tuned,
			     const struct tp_tuning_rules *rules, struct tp_trial *best,
			     struct tp_diag *diag);

#endif
