/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a race knows, and how it is judged between rounds. Private to tuning_race.c (turns and
 * rounds) and tuning_judge.c.
 */
#ifndef TPROF_EXPERIMENT_TUNING_RACE_H
#define TPROF_EXPERIMENT_TUNING_RACE_H

#include "experiments/autotune/tuning_parts.h"

struct tp_racer {
	struct tp_configuration c;
	bool in, told_dropped, looked;
	bool behind; /* by its interval: another short turn at most */
	bool disturbed; /* its last invocation was of no use: the next one is short again */
	bool grew; /* its last invocation was clearly faster at its end than as a whole */
	unsigned least; /* iterations of each further invocation */
	unsigned in_invocations, in_iterations; /* those that c.outer is of */
};

struct tp_race {
	struct tp_search *s;
	struct tp_racer *racers; /* by position */
	size_t n;
	struct tp_racer *leader;
	double spread; /* relative standard deviation of invocations, all together */
	size_t weight; /* its degrees of freedom */
	double begun;
	double first_seconds, first_waited_seconds; /* of the first round; of these, disturbed */
	unsigned rounds; /* that were run */
};

/*
 * Who leads, and who can still win, from what is known of all; tells who dropped out and who leads.
 */
enum tp_status tp_race_judge(struct tp_race *race, struct tp_diag *diag);
/* The leader is known well enough, and nobody can be better by more than the error. */
bool tp_race_is_decided(const struct tp_race *race);
/* False once it failed, or had all that the rules give it. */
bool tp_race_can_advance(const struct tp_race *race, const struct tp_racer *racer);
/* Half the interval of its value, relative; and the lower end of that interval. */
double tp_race_reach(const struct tp_race *race, const struct tp_racer *racer);
double tp_race_lower_end(const struct tp_race *race, const struct tp_racer *racer);

#endif
