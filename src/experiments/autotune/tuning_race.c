/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Racing: in each round every configuration that is still in the race gets one invocation with the
 * same small amount of time. Who is in is decided only between rounds, from what is known of all
 * (tuning_judge.c), so the order in which they are tried does not matter.
 *
 * Some configurations become faster only after many iterations. Inside an invocation the budget may
 * be exceeded while the values rise, and what was faster at the end of it gets a whole invocation
 * next, as the fixed-size search would make. Of those that show nothing for long, some get such an
 * invocation when the race is decided: who came nearest to the leader and is cheap to look at,
 * within a quarter of the time that the race took. racing/N gives each N iterations from the start.
 */
#include "experiments/autotune/tuning_race.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/*
 * Of one configuration in the first round, in each of the others, and of a look; share of the
 * race's time that looks may take.
 */
static const double first_seconds = 4e-3, round_seconds = 20e-3, look_seconds_max = 80e-3,
		    look_share = 0.25;
enum {
	FIRST_ITERATIONS_MAX = 128, /* of the first round */
	PART_MIN = 8, /* iterations from which on the end of an invocation says something */
	PART_MAX = 64
};

/* --- one step --- */

static double median_of(const double *x, size_t n)
{
	double sorted[PART_MAX];

	memcpy(sorted, x, n * sizeof(*x));
	tp_sort_doubles(sorted, n);
	return tp_median_sorted(sorted, n);
}

/*
 * What became faster inside its last invocation needs at least as many iterations again, and a
 * whole invocation if its value is still that of the beginning.
 */
static void note_growth(struct tp_race *race, struct tp_racer *r)
{
	const struct tp_stop_state *inner = &race->s->inner;
	size_t part = TP_MIN(inner->n / 2, (size_t)PART_MAX);
	double end, much = 1 + 3 * race->s->rules.error;

	r->grew = false;
	if (part < PART_MIN || r->c.failure)
		return;
	end = median_of(&inner->x[inner->n - part], part);
	if (end > much * median_of(inner->x, part))
		r->least = TP_MAX(r->least, (unsigned)inner->n);
	r->grew = !r->looked && end > much * r->c.trial.value;
}

static enum tp_status step(struct tp_race *race, struct tp_racer *r,
			   const struct tp_invocation *invocation, struct tp_diag *diag)
{
	unsigned iterations = r->c.trial.iterations;
	enum tp_stop_reason reason;
	enum tp_status status = tp_search_invoke(race->s, &r->c, invocation, &reason, diag);

	r->disturbed = race->s->takes_all;
	r->in_invocations++;
	r->in_iterations += r->c.trial.iterations - iterations;
	note_growth(race, r);
	if (r->c.failure) {
		r->in = false;
		tp_search_finish(race->s, &r->c, "failed", false);
	} else if (r->c.trial.invocations > 0) {
		r->c.trial.finished = r->told_dropped = false;
		r->c.trial.stopped[0] = '\0';
		tp_search_tell(race->s, &r->c.trial);
	}
	return status;
}

/* The best so far, for the case that nobody waits for a judgement. */
static void remember(struct tp_race *race, const struct tp_racer *r)
{
	struct tp_search *s = race->s;

	if (r->c.failure || r->c.outer.n == 0 || (s->has_best && s->best.value >= r->c.trial.value))
		return;
	s->best = r->c.trial;
	s->has_best = true;
}

/*
 * The first round has no leader to be measured against: every configuration gets the same, whatever
 * came before it. Where nobody can tell what others disturbed, it gets that twice, the second time
 * from the other end: what is slow for a moment is rarely slow again.
 */
static enum tp_status first_round(struct tp_race *race, unsigned *round, struct tp_diag *diag)
{
	struct tp_invocation invocation = { .rule = tp_search_inner_rule(race->s),
					    .budget_seconds = first_seconds };
	bool is_once = race->s->tuned->knows_shares || race->s->technique->min_count > 0;
	enum tp_status status = TP_OK;

	invocation.least = TP_MAX(race->s->technique->min_count, 2u);
	invocation.rule.min_count = SIZE_MAX;
	if (invocation.least < FIRST_ITERATIONS_MAX)
		invocation.rule.max_samples =
			TP_MIN(invocation.rule.max_samples, (size_t)FIRST_ITERATIONS_MAX);
	for (size_t i = 0; i < race->n && status == TP_OK; i++) {
		race->racers[i].least = (unsigned)invocation.least;
		status = step(race, &race->racers[i], &invocation, diag);
		/*
		 * No later turn is shorter: what becomes faster within this one does so within the
		 * others.
		 */
		race->racers[i].least = TP_MAX(race->racers[i].least, race->racers[i].c.longest);
		remember(race, &race->racers[i]);
	}
	if (is_once)
		return status;
	invocation.number = ++*round;
	for (size_t i = race->n; i-- > 0 && status == TP_OK;)
		if (tp_race_can_advance(race, &race->racers[i]))
			status = step(race, &race->racers[i], &invocation, diag);
	return status;
}

/*
 * Values of short invocations say nothing about one that becomes faster later: they go, though what
 * they cost stays.
 */
static enum tp_status look(struct tp_race *race, struct tp_racer *r, unsigned round,
			   struct tp_diag *diag)
{
	struct tp_invocation invocation = { .number = round,
					    .rule = tp_search_inner_rule(race->s) };
	double before = r->c.trial.value, whole;
	enum tp_status status;

	invocation.rule.min_count = SIZE_MAX;
	r->looked = true;
	status = step(race, r, &invocation, diag);
	if (status || r->c.failure)
		return status;
	whole = r->c.outer.x[r->c.outer.n - 1];
	if (whole <= before * (1 + 2 * tp_race_reach(race, r)))
		return TP_OK;
	tp_stop_reset(&r->c.outer);
	status = tp_stop_add(&r->c.outer, whole);
	if (status)
		return tp_fail(diag, status, "search", NULL, "out of memory");
	r->least = (unsigned)race->s->inner.n;
	r->in_invocations = 1;
	r->in_iterations = r->least;
	tp_search_summarise(race->s, &r->c);
	return TP_OK;
}

/*
 * One invocation for everybody who is in. What falls behind inside it is cut short, as in the other
 * techniques.
 */
static enum tp_status next_round(struct tp_race *race, unsigned round, struct tp_diag *diag)
{
	struct tp_invocation invocation = { .number = round,
					    .rule = tp_search_inner_rule(race->s) };
	double low = tp_race_lower_end(race, race->leader);
	enum tp_status status = TP_OK;

	for (size_t i = 0; i < race->n && status == TP_OK; i++) {
		struct tp_racer *r = &race->racers[i];

		if (!r->in || !tp_race_can_advance(race, r))
			continue;
		invocation.budget_seconds =
			r->disturbed || r->behind ? first_seconds : round_seconds;
		invocation.least = r->least;
		invocation.rule.incumbent = r == race->leader ? 0 : low;
		invocation.rule.race_count = r->least;
		invocation.rule.min_count = TP_MAX(r->least, 3u);
		status = r->grew ? look(race, r, round, diag) : step(race, r, &invocation, diag);
	}
	return status;
}

static enum tp_status run_rounds(struct tp_race *race, unsigned *round, struct tp_diag *diag)
{
	enum tp_status status;

	race->rounds++;
	status = tp_race_judge(race, diag);
	while (status == TP_OK && race->leader && !tp_race_is_decided(race)) {
		status = next_round(race, ++*round, diag);
		race->rounds++;
		if (status == TP_OK)
			status = tp_race_judge(race, diag);
	}
	return status;
}

/* --- second look --- */

static struct tp_racer *nearest(const struct tp_race *race, double seconds_left)
{
	struct tp_stop_rule rule = tp_search_inner_rule(race->s);
	struct tp_racer *found = NULL;

	for (size_t i = 0; i < race->n; i++) {
		struct tp_racer *r = &race->racers[i];
		double whole;

		if (r->in || r->looked || !tp_race_can_advance(race, r) || r->in_iterations == 0 ||
		    2 * (size_t)r->c.longest > rule.max_samples)
			continue;
		whole = r->c.call_seconds * (double)rule.max_samples;
		if (whole <= seconds_left && (!found || r->c.trial.value > found->c.trial.value))
			found = r;
	}
	return found;
}

static enum tp_status look_again(struct tp_race *race, unsigned round, struct tp_diag *diag)
{
	const struct tp_tuned *tuned = race->s->tuned;
	double begun = tuned->now(tuned->context), limit = (begun - race->begun) * look_share;
	double left;
	enum tp_status status = TP_OK;
	struct tp_racer *r;

	while (status == TP_OK) {
		left = limit - (tuned->now(tuned->context) - begun);
		r = nearest(race, fmin(left, look_seconds_max));
		if (!r)
			break;
		status = look(race, r, round, diag);
		r->in = !r->c.failure; /* whether it can win is judged anew */
	}
	return status;
}

/* --- the race --- */

static void finish(struct tp_race *race)
{
	struct tp_racer *leader = race->leader;
	struct tp_stop_rule rule;
	enum tp_stop_reason reason;

	if (!leader)
		return;
	for (size_t i = 0; i < race->n; i++) {
		struct tp_racer *r = &race->racers[i];

		if (r != leader && !r->c.failure && !r->told_dropped)
			tp_search_finish(race->s, &r->c, "dropped", false);
	}
	rule = tp_search_outer_rule(race->s, &leader->c);
	rule.max_samples = 0;
	reason = tp_stop_decide(&leader->c.outer, &rule, leader->c.trial.seconds);
	race->s->has_best = false; /* what was told of it while it led is old */
	tp_search_finish(race->s, &leader->c,
			 tp_stop_reason_name(reason == TP_GO_ON ? TP_STOP_SAMPLES : reason), true);
}

static enum tp_status run_race(struct tp_race *race, struct tp_diag *diag)
{
	unsigned round = 0;
	enum tp_status status = first_round(race, &round, diag);

	race->first_seconds = race->s->tuned->now(race->s->tuned->context) - race->begun;
	race->first_waited_seconds = race->s->waited_seconds;
	if (status == TP_OK)
		status = run_rounds(race, &round, diag);
	if (status == TP_OK && race->leader)
		status = look_again(race, ++round, diag);
	if (status == TP_OK && race->leader)
		status = run_rounds(race, &round, diag);
	if (status == TP_OK)
		finish(race);
	return status;
}

enum tp_status tp_search_race(struct tp_search *s, struct tp_diag *diag)
{
	struct tp_race race = { .s = s,
				.n = s->tuned->n,
				.begun = s->tuned->now(s->tuned->context) };
	enum tp_status status;

	race.racers = calloc(race.n, sizeof(*race.racers));
	if (!race.racers)
		return tp_fail(diag, TP_NOMEM, "search", NULL, "out of memory");
	for (size_t i = 0; i < race.n; i++)
		tp_search_place(s, &race.racers[i].c, i);
	status = run_race(&race, diag);
	for (size_t i = 0; i < race.n; i++)
		tp_stop_release(&race.racers[i].c.outer);
	free(race.racers);
	return status;
}
