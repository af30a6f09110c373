/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What both kinds of search share: one configuration's evaluation, invocation by invocation.
 */
#ifndef TPROF_EXPERIMENTS_AUTOTUNE_SEARCH_H
#define TPROF_EXPERIMENTS_AUTOTUNE_SEARCH_H

#include "experiments/autotune/row.h"
#include "experiments/autotune/tuning.h"

enum {
	TP_TUNING_LEAST_INVOCATIONS = 3 /* before an interval over them counts */
};

/* What a configuration that was seen disturbed only may have lost more by it than others did. */
#define TP_UNDISTURBED_MARGIN 1.1

struct tp_configuration {
	struct tp_trial trial;
	struct tp_stop_state outer; /* the values of its invocations */
	enum tp_status failure; /* why it was given up, TP_OK = it was not */
	/*
	 * outer holds only invocations with a whole core; before the first such, the existing ones
	 */
	bool calm;
	double ceiling; /* while it is not calm: what its best call would be with a whole core */
	/*
	 * of its iterations without a whole core: the best invocation's median; 0 = there were none
	 */
	double disturbed_value;
	unsigned longest; /* iterations of its longest invocation */
	double call_seconds; /* of an iteration of its last invocation */
	bool late; /* in rounds: its invocations did not all have the time that they wanted */
};

struct tp_race;

struct tp_search {
	const struct tp_technique *technique;
	const struct tp_tuned *tuned;
	struct tp_tuning_rules rules; /* complete */
	struct tp_stop_state
		inner; /* of the invocation that is open: its iterations with a whole core */
	struct tp_stop_state disturbed; /* and the others */
	double ceiling; /* of those: the largest value / share */
	struct tp_stop_state
		slowdowns; /* disturbed against undisturbed, of configurations that were both */
	bool has_company; /* others use the core now and then */
	bool puts_off; /* an invocation that is mostly disturbed is given up, to be tried again */
	bool was_put_off; /* the last invocation */
	bool takes_all; /* there was no more time to wait for a whole core */
	double begun,
		/* of the search; with what was put off, or in a race disturbed, for better turns */
		waited_seconds;
	double values[TP_TUNING_BATCH_MAX], shares[TP_TUNING_BATCH_MAX];
	struct tp_trial best;
	double best_merit; /* what others are compared with */
	bool has_best;
	enum tp_status first_failure;
	struct tp_diag failure_diag;
	double told_at; /* time of the last report */
	struct tp_configuration *candidates; /* by position; a race has its own */
	size_t at; /* turns so far */
	size_t leader; /* in rounds; SIZE_MAX = none yet */
	struct tp_race *race; /* NULL = it is none */
	/* between its turns others may search: that is not a time of it, and when the last ended */
	double away_seconds, left_at;
	enum tp_status status; /* why it ended */
	struct tp_diag diag;
	bool is_over;
};

/* What one invocation may take; what ends it otherwise is the rule. */
struct tp_invocation {
	unsigned number; /* for tuned->begin */
	struct tp_stop_rule rule;
	size_t least; /* iterations before `budget_seconds` counts */
	/* after the start; 0 = none. May be exceeded while the values still rise */
	double budget_seconds;
};

/* Stops only by numbers and time. */
bool tp_search_is_fixed(const struct tp_technique *technique);
/* The rule inside an invocation and over invocations, without an incumbent. */
struct tp_stop_rule tp_search_inner_rule(const struct tp_search *search);
struct tp_stop_rule tp_search_outer_rule(const struct tp_search *search,
					 const struct tp_configuration *candidate);

/* The configuration to be tried next at this position, about which nothing is known yet. */
void tp_search_place(const struct tp_search *search, struct tp_configuration *candidate,
		     size_t position);
/*
 * One invocation from begin to end, if the search goes on. Its value goes into candidate->outer,
 * and all that is known into candidate->trial; both count what was taken also if it fails. TP_OK
 * with candidate->failure set: this configuration cannot be measured. Else a reason why it ended.
 */
enum tp_status tp_search_invoke(struct tp_search *search, struct tp_configuration *candidate,
				const struct tp_invocation *invocation, enum tp_stop_reason *reason,
				struct tp_diag *diag);
/*
 * What disturbance costs: disturbed against undisturbed, median of the configurations that were
 * both; 1 while too few were.
 */
double tp_search_slowdown(const struct tp_search *search);
/* Its value in comparisons: measured, or, if it was disturbed each time, corrected for that. */
double tp_search_merit(const struct tp_search *search, const struct tp_configuration *candidate);
/* Value and interval of the trial from the candidate's invocations. */
void tp_search_summarise(const struct tp_search *search, struct tp_configuration *candidate);
/* For undisturbed iterations a search waits up to a share of its time. */
bool tp_search_may_wait(const struct tp_search *search);
void tp_search_tell(struct tp_search *search, const struct tp_trial *trial);

/* Ends the candidate; a new best is remembered. */
void tp_search_finish(struct tp_search *search, struct tp_configuration *candidate,
		      const char *stopped, bool can_win);
/* Seconds by its own clock, which stands still while others search. */
double tp_search_now(const struct tp_search *search);

/* All configurations advance a little in turn (racing.c): one turn of one, and how much is done. */
void tp_search_begin_race(struct tp_search *search);
enum tp_status tp_search_step_race(struct tp_search *search, struct tp_diag *diag);
double tp_search_share_of_race(const struct tp_search *search);
void tp_search_end_race(struct tp_search *search);

#endif
