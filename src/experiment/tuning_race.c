/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Racing: in each round every configuration that is still in the race gets one invocation with the same small amount of time. Who is in is decided
 * only between rounds, from what is known of all, so the order in which they are tried does not matter.
 *
 * The spread of invocations is taken from all configurations together (relative to their values), because one alone has too few: with
 * pooled degrees of freedom a Student interval is usable after one or two invocations. Until there are enough, the spread seen inside the
 * invocations, and at least the error that is asked for, counts as much as eight invocations would. What a configuration may still turn out
 * to do is that bound above its value, or above its fastest call while it had few. It drops out when this is below the lower end of the leader.
 * Where invocations differ by far more than the error, as beside neighbours, there are places for a quarter of them after each round, by the
 * fastest invocation of each.
 * Nobody drops out for good: when the spread turns out larger than it seemed, those who are in its reach come back.
 *
 * Some configurations become faster only after many iterations. Inside an invocation the budget may be exceeded while the values rise, and what was
 * faster at the end of it gets a whole invocation next, as the fixed-size search would make. Of those that show nothing for long, some get
 * such an invocation when the race is decided: who came nearest to the leader and is cheap to look at, within a quarter of the time that
 * the race took. racing/N gives each N iterations from the start.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "experiment/tuning_parts.h"

/* Of one configuration in the first round, in each of the others, and of a look; share of the race's time that looks may take. */
static const double first_seconds = 3e-3, round_seconds = 20e-3, look_seconds_max = 80e-3,
		    look_share = 0.25;
enum {
	FIRST_ITERATIONS_MAX = 128, /* of the first round */
	FEW_ITERATIONS = 8, /* of an invocation: below, the fastest call is the better guess */
	PRIOR_WEIGHT = 8, /* degrees of freedom of what is assumed of the spread */
	PART_MIN = 8, /* iterations from which on the end of an invocation says something */
	PART_MAX = 64,
	WIDE = 4, /* times the error: invocations that differ by more do not differ by nature */
	PLACES_SHARE = 4,
	FINALISTS = 4
};

struct racer {
	struct tp_candidate c;
	bool in, told_dropped, looked;
	bool grew; /* its last invocation was clearly faster at its end than as a whole */
	unsigned least; /* iterations of each further invocation */
	unsigned in_invocations, in_iterations; /* those that c.outer is of */
};

struct race {
	struct tp_search *s;
	struct racer *racers; /* by position */
	size_t n;
	struct racer *leader;
	double spread; /* relative standard deviation of invocations, all together */
	size_t weight; /* its degrees of freedom */
	double begun;
	unsigned rounds; /* that were run */
};

/* --- bounds --- */

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Inside an invocation noise only slows down: from the typical call up to the fastest one, relative; median over the configurations. */
static enum tp_status inner_spread(const struct race *race, double *spread)
{
	double *gaps = malloc(race->n * sizeof(*gaps));
	size_t n = 0;

	if (!gaps)
		return TP_NOMEM;
	for (size_t i = 0; i < race->n; i++) {
		const struct tp_trial *t = &race->racers[i].c.trial;

		if (t->value > 0 && race->racers[i].in_iterations > 1)
			gaps[n++] = t->best / t->value - 1;
	}
	if (n > 0)
		qsort(gaps, n, sizeof(*gaps), by_size);
	*spread = n > 0 ? gaps[n / 2] : 0;
	free(gaps);
	return TP_OK;
}

static enum tp_status pool_spread(struct race *race)
{
	double seen = 0, squares;
	enum tp_status status = inner_spread(race, &seen);

	seen = fmax(seen, race->s->rules.error);
	squares = PRIOR_WEIGHT * seen * seen;
	race->weight = PRIOR_WEIGHT;
	for (size_t i = 0; i < race->n && status == TP_OK; i++) {
		const struct tp_welford *w = &race->racers[i].c.outer.w;

		if (w->n < 2 || !(w->mean > 0))
			continue;
		squares += w->c / (w->mean * w->mean);
		race->weight += w->n - 1;
	}
	race->spread = sqrt(squares / (double)race->weight);
	return status;
}

/* Half the interval of a mean of n values, relative. Its own spread counts where it is larger. */
static double reach(const struct race *race, const struct racer *r)
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

static double lower_end(const struct race *race, const struct racer *r)
{
	return r->c.trial.value * (1 - reach(race, r));
}

static double upper_end(const struct race *race, const struct racer *r)
{
	bool few = r->grew || r->in_iterations < FEW_ITERATIONS * r->in_invocations;
	double value = few ? fmax(r->c.trial.value, r->c.trial.best) : r->c.trial.value;

	return value * (1 + reach(race, r));
}

static bool can_advance(const struct race *race, const struct racer *r)
{
	struct tp_stop_rule rule = tp_search_outer_rule(race->s, &r->c);

	return r->c.failure == TP_OK && r->c.trial.invocations < rule.max_samples &&
	       r->c.trial.seconds < rule.max_seconds;
}

/* The fastest of its invocations: what disturbs one only slows it down. */
static double score(const struct racer *r)
{
	double most = 0;

	for (size_t i = 0; i < r->c.outer.n; i++)
		most = fmax(most, r->c.outer.x[i]);
	return most;
}

static bool is_disturbed(const struct race *race)
{
	return race->spread > WIDE * race->s->rules.error;
}

/* How many may be in after so many rounds: a quarter of them each time, down to a few. */
static size_t places(const struct race *race)
{
	size_t n = race->n;

	for (unsigned i = 0; i < race->rounds && n > FINALISTS; i++)
		n = (n + PLACES_SHARE - 1) / PLACES_SHARE;
	return TP_MAX(n, (size_t)FINALISTS);
}

/*
 * Where intervals are wide, as on a machine that others use too, nearly everybody could still win. Those with the slowest best
 * invocation go then, as many as there are no places for, except who became faster towards its end.
 */
static void take_places(struct race *race)
{
	size_t n = 0, kept = places(race);

	for (size_t i = 0; i < race->n; i++)
		n += race->racers[i].in;
	while (n > kept) {
		struct racer *last = NULL;

		for (size_t i = 0; i < race->n; i++) {
			struct racer *r = &race->racers[i];

			if (r->in && r != race->leader && !r->grew &&
			    (!last || score(r) < score(last)))
				last = r;
		}
		if (!last)
			return;
		last->in = false;
		n--;
	}
}

/* --- one step --- */

static double median_of(const double *x, size_t n)
{
	double sorted[PART_MAX];

	memcpy(sorted, x, n * sizeof(*x));
	tp_sort_doubles(sorted, n);
	return tp_median_sorted(sorted, n);
}

/* What became faster inside its last invocation needs at least as many iterations again, and a whole invocation if its value is still that of the beginning. */
static void note_growth(struct race *race, struct racer *r)
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

static enum tp_status step(struct race *race, struct racer *r,
			   const struct tp_invocation *invocation, struct tp_diag *diag)
{
	unsigned iterations = r->c.trial.iterations;
	enum tp_stop_reason reason;
	enum tp_status status =
		tp_search_goes_on(race->s)
			? tp_search_invoke(race->s, &r->c, invocation, &reason, diag)
			: tp_fail(diag, TP_CANCELLED, "search", NULL, "cancelled");

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

/*
 * The first round has no leader to be measured against: every configuration gets the same, whatever came before it. Twice, the second time in
 * reverse order: what is slow for a moment because of others is rarely slow again the other time.
 */
static enum tp_status first_round(struct race *race, unsigned *round, struct tp_diag *diag)
{
	struct tp_invocation invocation = { .rule = tp_search_inner_rule(race->s),
					    .budget_seconds = first_seconds };
	bool is_long;
	enum tp_status status = TP_OK;

	invocation.least = TP_MAX(race->s->technique->min_count, 2u);
	invocation.rule.min_count = SIZE_MAX;
	is_long = invocation.least >= FIRST_ITERATIONS_MAX;
	if (!is_long)
		invocation.rule.max_samples =
			TP_MIN(invocation.rule.max_samples, (size_t)FIRST_ITERATIONS_MAX);
	for (size_t i = 0; i < race->n && status == TP_OK; i++) {
		race->racers[i].least = (unsigned)invocation.least;
		status = step(race, &race->racers[i], &invocation, diag);
	}
	if (is_long)
		return status;
	invocation.number = ++*round;
	for (size_t i = race->n; i-- > 0 && status == TP_OK;)
		if (can_advance(race, &race->racers[i]))
			status = step(race, &race->racers[i], &invocation, diag);
	return status;
}

/* Who leads, and who can still win. */
static enum tp_status judge(struct race *race, struct tp_diag *diag)
{
	struct racer *before = race->leader;
	enum tp_status status = pool_spread(race);
	double low;

	if (status)
		return tp_fail(diag, status, "search", NULL, "out of memory");
	race->leader = NULL;
	for (size_t i = 0; i < race->n; i++) {
		struct racer *r = &race->racers[i];

		/* A single lucky invocation of one that is out does not lead. */
		if (!r->c.failure && (r->in || race->rounds <= 1 || !before) &&
		    (!race->leader || r->c.trial.value > race->leader->c.trial.value))
			race->leader = r;
	}
	if (!race->leader && before && !before->c.failure)
		race->leader = before;
	for (size_t i = 0; i < race->n && !race->leader; i++)
		if (!race->racers[i].c.failure)
			race->leader = &race->racers[i];
	if (!race->leader)
		return TP_OK;
	low = lower_end(race, race->leader);
	for (size_t i = 0; i < race->n; i++) {
		struct racer *r = &race->racers[i];

		r->c.trial.incumbent = r == race->leader;
		r->in = !r->c.failure && (r == race->leader || upper_end(race, r) >= low);
	}
	take_places(race);
	for (size_t i = 0; i < race->n; i++) {
		struct racer *r = &race->racers[i];

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
	race->s->has_best = true;
	return TP_OK;
}

/* All that are left have run often enough, and the leader's best invocation is as fast as anybody's, up to the error. */
static bool settled(const struct race *race)
{
	double enough = score(race->leader) * (1 + race->s->rules.error);

	if (race->leader->looked)
		return false; /* what became faster late differs by nature */
	for (size_t i = 0; i < race->n; i++) {
		const struct racer *r = &race->racers[i];

		if (r->in &&
		    ((can_advance(race, r) && r->c.outer.n < TP_TUNING_LEAST_INVOCATIONS) ||
		     score(r) > enough))
			return false;
	}
	return true;
}

/* The leader is known well enough, and nobody can be better by more than the error. */
static bool is_decided(const struct race *race)
{
	const struct racer *leader = race->leader;
	struct tp_candidate copy = leader->c; /* deciding reads the state only */
	struct tp_stop_rule rule = tp_search_outer_rule(race->s, &leader->c);
	double enough = leader->c.trial.value * (1 + race->s->rules.error);

	if (is_disturbed(race) && settled(race))
		return true;
	if (can_advance(race, leader) &&
	    tp_stop_decide(&copy.outer, &rule, leader->c.trial.seconds) != TP_STOP_CONFIDENT)
		return false;
	for (size_t i = 0; i < race->n; i++) {
		const struct racer *r = &race->racers[i];

		if (r->in && r != leader && can_advance(race, r) && upper_end(race, r) > enough)
			return false;
	}
	return true;
}

/* Values of short invocations say nothing about one that becomes faster later: they go, though what they cost stays. */
static enum tp_status look(struct race *race, struct racer *r, unsigned round, struct tp_diag *diag)
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
	if (whole <= before * (1 + 2 * reach(race, r)))
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

/* One invocation for everybody who is in. What falls behind inside it is cut short, as in the other techniques. */
static enum tp_status next_round(struct race *race, unsigned round, struct tp_diag *diag)
{
	struct tp_invocation invocation = { .number = round,
					    .rule = tp_search_inner_rule(race->s),
					    .budget_seconds = round_seconds };
	double low = lower_end(race, race->leader);
	enum tp_status status = TP_OK;

	for (size_t i = 0; i < race->n && status == TP_OK; i++) {
		struct racer *r = &race->racers[i];

		if (!r->in || !can_advance(race, r))
			continue;
		invocation.least = r->least;
		invocation.rule.incumbent = r == race->leader ? 0 : low;
		invocation.rule.race_count = r->least;
		invocation.rule.min_count = TP_MAX(r->least, 3u);
		status = r->grew ? look(race, r, round, diag) : step(race, r, &invocation, diag);
	}
	return status;
}

static enum tp_status run_rounds(struct race *race, unsigned *round, struct tp_diag *diag)
{
	enum tp_status status;

	race->rounds++;
	status = judge(race, diag);
	while (status == TP_OK && race->leader && !is_decided(race)) {
		status = next_round(race, ++*round, diag);
		race->rounds++;
		if (status == TP_OK)
			status = judge(race, diag);
	}
	return status;
}

/* --- second look --- */

static struct racer *nearest(const struct race *race, double seconds_left)
{
	struct tp_stop_rule rule = tp_search_inner_rule(race->s);
	struct racer *found = NULL;

	for (size_t i = 0; i < race->n; i++) {
		struct racer *r = &race->racers[i];
		double whole;

		if (r->in || r->looked || !can_advance(race, r) || r->in_iterations == 0 ||
		    2 * (size_t)r->c.longest > rule.max_samples)
			continue;
		whole = r->c.call_seconds * (double)rule.max_samples;
		if (whole <= seconds_left && (!found || r->c.trial.value > found->c.trial.value))
			found = r;
	}
	return found;
}

static enum tp_status look_again(struct race *race, unsigned round, struct tp_diag *diag)
{
	const struct tp_tuned *tuned = race->s->tuned;
	double begun = tuned->now(tuned->context), limit = (begun - race->begun) * look_share;
	double left;
	enum tp_status status = TP_OK;
	struct racer *r;

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

static void finish(struct race *race)
{
	struct racer *leader = race->leader;
	struct tp_stop_rule rule;
	enum tp_stop_reason reason;

	if (!leader)
		return;
	for (size_t i = 0; i < race->n; i++) {
		struct racer *r = &race->racers[i];

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

static enum tp_status run_race(struct race *race, struct tp_diag *diag)
{
	unsigned round = 0;
	enum tp_status status = first_round(race, &round, diag);

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
	struct race race = { .s = s, .n = s->tuned->n, .begun = s->tuned->now(s->tuned->context) };
	enum tp_status status;

	race.racers = calloc(race.n, sizeof(*race.racers));
	if (!race.racers)
		return tp_fail(diag, TP_NOMEM, "search", NULL, "out of memory");
	for (size_t i = 0; i < race.n; i++)
		race.racers[i].c.trial = (struct tp_trial){
			.index = (unsigned)(s->rules.order ? s->rules.order[i] : i),
			.position = (unsigned)i
		};
	status = run_race(&race, diag);
	for (size_t i = 0; i < race.n; i++)
		tp_stop_release(&race.racers[i].c.outer);
	free(race.racers);
	return status;
}
