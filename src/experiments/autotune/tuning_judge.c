/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A race between its rounds: what a configuration may still turn out to do, who has a place in the
 * next round, when it is over.
 *
 * The spread of invocations is taken from all configurations together (relative to their values),
 * because one alone has too few: with pooled degrees of freedom a Student interval is usable after
 * one or two invocations. Until there are enough, the spread seen inside the invocations, and at
 * least the error that is asked for, counts as much as eight invocations would. What a
 * configuration may still turn out to do is that bound above its value, or above its fastest call
 * while it had few. It drops out when this is below the lower end of the leader, but not after a
 * single turn: that may have met something that nobody saw. Where intervals are wide there are
 * places for a quarter of them after each round, by the fastest invocation of each. Nobody drops
 * out for good: when the spread turns out larger than it seemed, those who are in its reach come
 * back.
 *
 * A configuration whose core was never wholly its own (tp_tuned.iterate) may be as fast as those
 * that were seen both ways make it, and a little more. It gets short turns and places of its own
 * until it was seen, or until waiting took as long as the first round.
 */
#include "experiments/autotune/tuning_race.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "experiments/autotune/trial.h"

/* Share of the first round's time to wait for turns that others do not disturb. */
static const double wait_share = 1;
enum {
	FEW_ITERATIONS = 8, /* of an invocation: below, the fastest call is the better guess */
	PRIOR_WEIGHT = 8, /* degrees of freedom of what is assumed of the spread */
	ODD = 9, /* times the usual variance that one configuration may add */
	WIDE = 4, /* times the error: invocations that differ by more do not differ by nature */
	PLACES_SHARE = 4,
	FINALISTS = 4
};

/* --- bounds --- */

/*
 * From the typical call up to the fastest one, relative: inside an invocation noise only slows
 * down.
 */
static double gap_of(const struct tp_racer *r)
{
	const struct tp_trial *t = &r->c.trial;

	return t->value > 0 && r->in_iterations > 1 ? t->best / t->value - 1 : NAN;
}

/* Over the configurations where `of` is a number; `none` if there is no such. */
static enum tp_status median_over(const struct tp_race *race,
				  double (*of)(const struct tp_racer *r), double none,
				  double *median)
{
	double *x = malloc(race->n * sizeof(*x));
	size_t n = 0;

	if (!x)
		return TP_NOMEM;
	for (size_t i = 0; i < race->n; i++) {
		x[n] = of(&race->racers[i]);
		n += isnan(x[n]) ? 0 : 1;
	}
	tp_sort_doubles(x, n);
	*median = n > 0 ? tp_median_sorted(x, n) : none;
	free(x);
	return TP_OK;
}

/* Of the invocations, relative, squared. Those that others disturbed tell about these. */
static double variance_of(const struct tp_racer *r)
{
	const struct tp_welford *w = &r->c.outer.w;

	return r->c.calm && w->n > 1 && w->mean > 0 ? tp_welford_variance(w) / (w->mean * w->mean)
						    : NAN;
}

/*
 * One configuration with an odd invocation does not speak for all: its variance counts up to some
 * times the usual one.
 */
static enum tp_status pool_spread(struct tp_race *race)
{
	double seen = 0, usual = 0, squares;
	enum tp_status status = median_over(race, gap_of, 0, &seen);

	if (status == TP_OK)
		status = median_over(race, variance_of, 0, &usual);
	seen = fmax(seen, race->s->rules.error);
	squares = PRIOR_WEIGHT * seen * seen;
	race->weight = PRIOR_WEIGHT;
	usual = ODD * fmax(usual, seen * seen);
	for (size_t i = 0; i < race->n && status == TP_OK; i++) {
		size_t freedom = race->racers[i].c.outer.n - 1;
		double variance = variance_of(&race->racers[i]);

		if (isnan(variance))
			continue;
		squares += fmin(variance, usual) * (double)freedom;
		race->weight += freedom;
	}
	race->spread = sqrt(squares / (double)race->weight);
	return status;
}

/* Half the interval of a mean of n values, relative. Its own spread counts where it is larger. */
double tp_race_reach(const struct tp_race *race, const struct tp_racer *r)
{
	const struct tp_welford *w = &r->c.outer.w;
	double spread = race->spread, scale = (double)race->weight + 1;
	struct tp_welford pooled = { .n = race->weight + 1 };

	if (w->n > 1 && w->mean > 0)
		spread = fmax(spread, sqrt(tp_welford_variance(w)) / w->mean);
	pooled.c = spread * spread * (double)race->weight;
	/* The interval is that of race->weight + 1 values: widened to that of n. */
	return tp_mean_interval(&pooled, race->s->rules.confidence).high * sqrt(scale) /
	       sqrt((double)w->n);
}

double tp_race_lower_end(const struct tp_race *race, const struct tp_racer *r)
{
	return r->c.trial.value * (1 - tp_race_reach(race, r));
}

/* Whoever slows the machine down does not go away: it has to do with what there is. */
static bool is_tired(const struct tp_race *race)
{
	return race->s->waited_seconds - race->first_waited_seconds >
	       wait_share * race->first_seconds;
}

/* Others used the core in all its turns: another short one may meet it alone. */
static bool is_unseen(const struct tp_race *race, const struct tp_racer *r)
{
	return !r->c.calm && !is_tired(race);
}

static double upper_end(const struct tp_race *race, const struct tp_racer *r)
{
	bool few = r->grew || r->in_iterations < FEW_ITERATIONS * r->in_invocations;
	double value = few ? fmax(r->c.trial.value, r->c.trial.best) : r->c.trial.value;

	value *= 1 + tp_race_reach(race, r);
	if (is_unseen(race, r))
		value = fmax(value, fmin(r->c.ceiling,
					 TP_UNDISTURBED_MARGIN * tp_search_merit(race->s, &r->c)));
	return value;
}

bool tp_race_can_advance(const struct tp_race *race, const struct tp_racer *r)
{
	struct tp_stop_rule rule = tp_search_outer_rule(race->s, &r->c);

	/* What others disturbed does not count, as long as it waits for better. */
	return r->c.failure == TP_OK && r->c.trial.seconds < rule.max_seconds &&
	       (is_unseen(race, r) || r->c.outer.n < rule.max_samples);
}

/* The fastest of its invocations: what disturbs one only slows it down. */
static double score(const struct tp_race *race, const struct tp_racer *r)
{
	double most = 0;

	if (is_unseen(race, r))
		most = tp_search_merit(race->s, &r->c);
	for (size_t i = 0; i < r->c.outer.n; i++)
		most = fmax(most, r->c.outer.x[i]);
	return most;
}

static bool is_disturbed(const struct tp_race *race)
{
	return race->spread > WIDE * race->s->rules.error;
}

/* How many may be in after so many rounds: a quarter of them each time, down to a few. */
static size_t places(const struct tp_race *race)
{
	size_t n = race->n;

	for (unsigned i = 0; i < race->rounds && n > FINALISTS; i++)
		n = (n + PLACES_SHARE - 1) / PLACES_SHARE;
	return TP_MAX(n, (size_t)FINALISTS);
}

static size_t count_in(const struct tp_race *race, bool unseen)
{
	size_t n = 0;

	for (size_t i = 0; i < race->n; i++)
		n += race->racers[i].in && is_unseen(race, &race->racers[i]) == unseen;
	return n;
}

/*
 * Where intervals are wide, nearly everybody could still win. Those with the slowest best
 * invocation go then, as many as there are no places for, except who became faster towards its end.
 * What was never seen undisturbed has places of its own: what it would be is only a guess.
 */
static void take_places(struct tp_race *race, bool unseen)
{
	size_t kept = places(race);

	for (size_t n = count_in(race, unseen); n > kept; n--) {
		struct tp_racer *last = NULL;

		for (size_t i = 0; i < race->n; i++) {
			struct tp_racer *r = &race->racers[i];

			if (r->in && r != race->leader && !r->grew &&
			    is_unseen(race, r) == unseen &&
			    (!last || score(race, r) < score(race, last)))
				last = r;
		}
		if (!last)
			return;
		last->in = false;
	}
}

/* --- judging --- */

/* Who leads, and who can still win. */
enum tp_status tp_race_judge(struct tp_race *race, struct tp_diag *diag)
{
	struct tp_racer *before = race->leader;
	enum tp_status status = pool_spread(race);
	double low;

	if (status)
		return tp_fail(diag, status, "search", NULL, "out of memory");
	race->leader = NULL;
	for (size_t i = 0; i < race->n; i++) {
		struct tp_racer *r = &race->racers[i];

		/* A single lucky invocation of one that is out does not lead. */
		if (!r->c.failure && (r->in || race->rounds <= 1 || !before) &&
		    (!race->leader ||
		     tp_search_merit(race->s, &r->c) > tp_search_merit(race->s, &race->leader->c)))
			race->leader = r;
	}
	if (!race->leader && before && !before->c.failure)
		race->leader = before;
	for (size_t i = 0; i < race->n && !race->leader; i++)
		if (!race->racers[i].c.failure)
			race->leader = &race->racers[i];
	race->s->has_best = race->leader != NULL;
	if (!race->leader)
		return TP_OK;
	low = tp_race_lower_end(race, race->leader);
	for (size_t i = 0; i < race->n; i++) {
		struct tp_racer *r = &race->racers[i];

		r->c.trial.incumbent = r == race->leader;
		r->behind = r != race->leader && upper_end(race, r) < low;
		r->in = !r->c.failure && (!r->behind || r->c.outer.n < 2);
	}
	take_places(race, false);
	take_places(race, true);
	for (size_t i = 0; i < race->n; i++) {
		struct tp_racer *r = &race->racers[i];

		if (!r->in && !r->c.failure && !r->told_dropped) {
			r->told_dropped = true;
			tp_search_finish(race->s, &r->c, "dropped", false);
		} else if (r == before && r != race->leader) {
			tp_search_tell(race->s, &r->c.trial);
		}
	}
	if (race->leader != before)
		tp_search_tell(race->s, &race->leader->c.trial);
	race->s->best = race->leader->c.trial;
	return TP_OK;
}

/*
 * All that are left have run often enough, and the leader's best invocation is as fast as
 * anybody's, up to the error.
 */
static bool settled(const struct tp_race *race)
{
	double enough = score(race, race->leader) * (1 + race->s->rules.error);

	if (race->leader->looked)
		return false; /* what became faster late differs by nature */
	for (size_t i = 0; i < race->n; i++) {
		const struct tp_racer *r = &race->racers[i];

		if (r->in &&
		    ((tp_race_can_advance(race, r) && r->c.outer.n < TP_TUNING_LEAST_INVOCATIONS) ||
		     score(race, r) > enough))
			return false;
	}
	return true;
}

/* The leader is known well enough, and nobody can be better by more than the error. */
bool tp_race_is_decided(const struct tp_race *race)
{
	const struct tp_racer *leader = race->leader;
	struct tp_configuration copy = leader->c; /* deciding reads the state only */
	struct tp_stop_rule rule = tp_search_outer_rule(race->s, &leader->c);
	double enough = leader->c.trial.value * (1 + race->s->rules.error);

	if (is_tired(race) || (is_disturbed(race) && settled(race)))
		return true;
	if (tp_race_can_advance(race, leader) &&
	    tp_stop_decide(&copy.outer, &rule, leader->c.trial.seconds) != TP_STOP_CONFIDENT)
		return false;
	for (size_t i = 0; i < race->n; i++) {
		const struct tp_racer *r = &race->racers[i];

		if (r->in && r != leader && tp_race_can_advance(race, r) &&
		    upper_end(race, r) > enough)
			return false;
	}
	return true;
}
