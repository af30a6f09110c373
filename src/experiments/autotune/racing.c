/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Racing: in each round every configuration that is still in the race gets one invocation with the
 * same small amount of time. Places are decided only between rounds, from the state of all
 * (judge_race), so the order in which they are tried does not matter.
 *
 * Some configurations become faster only after many iterations. Inside an invocation the budget may
 * be exceeded while the values rise, and what was faster at the end of it gets a whole invocation
 * next, as the fixed-size search would make. Some configurations never show improvement; when the
 * race is decided, those nearest to the leader that are cheap to try get such an invocation, within
 * a quarter of the time of the race. racing/N gives each N iterations from the start.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "experiments/autotune/row.h"
#include "experiments/autotune/search.h"

struct tp_racer {
	struct tp_configuration c;
	bool in, told_dropped, looked;
	bool behind; /* beaten by its interval: at most another short turn */
	bool disturbed; /* its last invocation was useless: the next one is short again */
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
	enum { FIRST, FIRST_BACK, ROUNDS, LOOKS, LAST_ROUNDS } phase;
	size_t at; /* turns of the phase, or of its round, so far */
	unsigned number; /* of the process that serves it */
	double low; /* lower end of the leader, of the round */
	double looks_begun, looks_limit_seconds;
};

/* --- between rounds --- */

/*
 * A race between its rounds: the potential of a configuration, the places in the next round, the
 * end.
 *
 * The spread of invocations is taken from all configurations together (relative to their values),
 * because one alone has too few: with pooled degrees of freedom a Student interval is usable after
 * one or two invocations. Until there are enough, the spread seen inside the invocations, and at
 * least the error that is asked for, counts as much as eight invocations would. What a
 * configuration may still turn out to do is that bound above its value, or above its fastest call
 * while it had few. It drops out when this is below the lower end of the leader, but not after a
 * single turn, which may have been disturbed unnoticed. Where intervals are wide there are places
 * for a quarter of them after each round, by the fastest invocation of each. Dropping out is not
 * final: if the spread turns out larger than estimated, those within its reach come back.
 *
 * A configuration whose core was never wholly its own (tp_tuned.iterate) may be as fast as those
 * that were seen both ways make it, and a little more. It gets short turns in separate places until
 * it has had the core to itself, or until waiting took as long as the first round.
 */
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

/* Over the configurations for which `of` is a number; 0 if none. */
static double median_over(const struct tp_race *race, double (*of)(const struct tp_racer *r))
{
	TP_FREE double *x = tp_alloc(race->n, sizeof(*x));
	size_t n = 0;

	for (size_t i = 0; i < race->n; i++) {
		x[n] = of(&race->racers[i]);
		n += isnan(x[n]) ? 0 : 1;
	}
	return tp_median(x, n);
}

/* Of the invocations, relative, squared. Disturbed ones are estimated from these. */
static double variance_of(const struct tp_racer *r)
{
	const struct tp_welford *w = &r->c.outer.w;

	return r->c.calm && w->n > 1 && w->mean > 0 ? tp_welford_variance(w) / (w->mean * w->mean)
						    : NAN;
}

/* Half the interval of a mean of n values, relative. Its own spread counts where it is larger. */
static double reach_of(const struct tp_race *race, const struct tp_racer *r)
{
	const struct tp_welford *w = &r->c.outer.w;
	double spread = race->spread, scale = (double)race->weight + 1;
	struct tp_welford pooled = { .n = race->weight + 1 };

	if (w->n > 1 && w->mean > 0)
		spread = fmax(spread, sqrt(tp_welford_variance(w)) / w->mean);
	pooled.c = spread * spread * (double)race->weight;
	/* The interval is that of race->weight + 1 values: widened to n values. */
	return tp_mean_interval(&pooled, race->s->rules.confidence).high * sqrt(scale) /
	       sqrt((double)w->n);
}

static double lower_end(const struct tp_race *race, const struct tp_racer *r)
{
	return r->c.trial.value * (1 - reach_of(race, r));
}

/* A disturbance of the whole machine does not go away: it has to do with what it gets. */
static bool is_tired(const struct tp_race *race)
{
	return race->s->waited_seconds - race->first_waited_seconds >
	       wait_share * race->first_seconds;
}

/* Others used the core in all its turns: another short one may find the core free. */
static bool is_unseen(const struct tp_race *race, const struct tp_racer *r)
{
	return !r->c.calm && !is_tired(race);
}

static double upper_end(const struct tp_race *race, const struct tp_racer *r)
{
	bool few = r->grew || r->in_iterations < FEW_ITERATIONS * r->in_invocations;
	double value = few ? fmax(r->c.trial.value, r->c.trial.best) : r->c.trial.value;

	value *= 1 + reach_of(race, r);
	if (is_unseen(race, r))
		value = fmax(value, fmin(r->c.ceiling,
					 TP_UNDISTURBED_MARGIN * tp_search_merit(race->s, &r->c)));
	return value;
}

/* False once it failed, or had all that the rules give it. */
static bool can_advance(const struct tp_race *race, const struct tp_racer *r)
{
	struct tp_stop_rule rule = tp_search_outer_rule(race->s, &r->c);

	/* Disturbed invocations do not count, as long as better ones are possible. */
	return r->c.failure == TP_OK && r->c.trial.seconds < rule.max_seconds &&
	       (is_unseen(race, r) || r->c.outer.n < rule.max_samples);
}

/* The fastest of its invocations: what disturbs one only slows it down. */
static double score_of(const struct tp_race *race, const struct tp_racer *r)
{
	double most = 0;

	if (is_unseen(race, r))
		most = tp_search_merit(race->s, &r->c);
	for (size_t i = 0; i < r->c.outer.n; i++)
		most = fmax(most, r->c.outer.x[i]);
	return most;
}

/* How many places there are after this many rounds: a quarter each time, down to a few. */
static size_t places_after(const struct tp_race *race)
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
 * With wide intervals, nearly all could still win. Then those with the slowest best invocation drop
 * out until the places suffice, except configurations that became faster towards the end of theirs.
 * Configurations never seen undisturbed have separate places: their speed is only a guess.
 */
static void take_places(struct tp_race *race, bool unseen)
{
	size_t kept = places_after(race);

	for (size_t n = count_in(race, unseen); n > kept; n--) {
		struct tp_racer *last = NULL;

		for (size_t i = 0; i < race->n; i++) {
			struct tp_racer *r = &race->racers[i];

			if (r->in && r != race->leader && !r->grew &&
			    is_unseen(race, r) == unseen &&
			    (!last || score_of(race, r) < score_of(race, last)))
				last = r;
		}
		if (!last)
			return;
		last->in = false;
	}
}

/* --- judging --- */

/*
 * Determines the leader and those who can still win, from the state of all; reports who dropped out
 * and who leads.
 */
static void judge_race(struct tp_race *race)
{
	struct tp_racer *before = race->leader;
	double low;
	double seen = fmax(median_over(race, gap_of), race->s->rules.error);
	double usual = ODD * fmax(median_over(race, variance_of), seen * seen);
	double squares = PRIOR_WEIGHT * seen * seen;

	/*
	 * One configuration with an odd invocation does not speak for all: its variance counts up
	 * to some times the usual one.
	 */
	race->weight = PRIOR_WEIGHT;
	for (size_t i = 0; i < race->n; i++) {
		size_t freedom = race->racers[i].c.outer.n - 1;
		double variance = variance_of(&race->racers[i]);

		if (isnan(variance))
			continue;
		squares += fmin(variance, usual) * (double)freedom;
		race->weight += freedom;
	}
	race->spread = sqrt(squares / (double)race->weight);
	race->leader = NULL;
	for (size_t i = 0; i < race->n; i++) {
		struct tp_racer *r = &race->racers[i];

		/* A single lucky invocation of a dropped configuration does not lead. */
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
		return;
	low = lower_end(race, race->leader);
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
}

/*
 * All that are left have run often enough, and the leader's best invocation is as fast as any, up
 * to the error.
 */
static bool is_settled(const struct tp_race *race)
{
	double enough = score_of(race, race->leader) * (1 + race->s->rules.error);

	if (race->leader->looked)
		return false; /* what became faster late differs by nature */
	for (size_t i = 0; i < race->n; i++) {
		const struct tp_racer *r = &race->racers[i];

		if (r->in &&
		    ((can_advance(race, r) && r->c.outer.n < TP_TUNING_LEAST_INVOCATIONS) ||
		     score_of(race, r) > enough))
			return false;
	}
	return true;
}

/* The leader is known well enough, and no other can be better by more than the error. */
static bool is_decided(const struct tp_race *race)
{
	const struct tp_racer *leader = race->leader;
	struct tp_configuration copy = leader->c; /* deciding reads the state only */
	struct tp_stop_rule rule = tp_search_outer_rule(race->s, &leader->c);
	double enough = leader->c.trial.value * (1 + race->s->rules.error);

	if (is_tired(race) || (race->spread > WIDE * race->s->rules.error && is_settled(race)))
		return true;
	if (can_advance(race, leader) &&
	    tp_stop_decide(&copy.outer, &rule, leader->c.trial.seconds) != TP_STOP_CONFIDENT)
		return false;
	for (size_t i = 0; i < race->n; i++) {
		const struct tp_racer *r = &race->racers[i];

		if (r->in && r != leader && can_advance(race, r) && upper_end(race, r) > enough)
			return false;
	}
	return true;
}

/*
 * Of one configuration in the first round, in each of the others, and of a look; share of the
 * race's time that looks may take.
 */
static const double first_seconds = 4e-3, round_seconds = 20e-3, look_seconds_max = 80e-3,
		    look_share = 0.25;
enum {
	FIRST_ITERATIONS_MAX = 128, /* of the first round */
	PART_MIN = 8, /* iterations from which on the end of an invocation is meaningful */
	PART_MAX = 64
};

/* --- one step --- */

static double median_of(const double *x, size_t n)
{
	double scratch[PART_MAX];
	return tp_median_of(x, n, scratch);
}

/*
 * A configuration that became faster inside its last invocation needs at least as many iterations
 * again, and a whole invocation if its value still comes from the beginning.
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

static enum tp_status take_step(struct tp_race *race, struct tp_racer *r,
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

/* The best so far, if the caller does not wait for a judgement. */
static void remember_best(struct tp_race *race, const struct tp_racer *r)
{
	struct tp_search *s = race->s;

	if (r->c.failure || r->c.outer.n == 0 || (s->has_best && s->best.value >= r->c.trial.value))
		return;
	s->best = r->c.trial;
	s->has_best = true;
}

/*
 * The first round has no leader to be measured against: every configuration gets the same. If
 * disturbances cannot be detected, it gets that twice, the second time in reverse order: a
 * momentary slowdown rarely repeats.
 */
static enum tp_status take_first_turn(struct tp_race *race, struct tp_racer *r,
				      struct tp_diag *diag)
{
	struct tp_invocation invocation = { .number = race->number,
					    .rule = tp_search_inner_rule(race->s),
					    .budget_seconds = first_seconds };

	invocation.least = TP_MAX(race->s->technique->min_count, 2u);
	invocation.rule.min_count = SIZE_MAX;
	if (invocation.least < FIRST_ITERATIONS_MAX)
		invocation.rule.max_samples =
			TP_MIN(invocation.rule.max_samples, (size_t)FIRST_ITERATIONS_MAX);
	if (race->phase == FIRST_BACK)
		return can_advance(race, r) ? take_step(race, r, &invocation, diag) : TP_OK;
	r->least = (unsigned)invocation.least;
	enum tp_status status = take_step(race, r, &invocation, diag);
	/* No later turn is shorter, so what speeds up during a turn does so in each. */
	r->least = TP_MAX(r->least, r->c.longest);
	remember_best(race, r);
	return status;
}

/*
 * Values of short invocations do not predict one that becomes faster later: they are dropped, but
 * their cost stays.
 */
static enum tp_status look_longer(struct tp_race *race, struct tp_racer *r, struct tp_diag *diag)
{
	struct tp_invocation invocation = { .number = race->number,
					    .rule = tp_search_inner_rule(race->s) };
	double before = r->c.trial.value, whole;
	enum tp_status status;

	invocation.rule.min_count = SIZE_MAX;
	r->looked = true;
	status = take_step(race, r, &invocation, diag);
	if (status || r->c.failure)
		return status;
	whole = r->c.outer.x[r->c.outer.n - 1];
	if (whole <= before * (1 + 2 * reach_of(race, r)))
		return TP_OK;
	tp_stop_reset(&r->c.outer);
	tp_stop_add(&r->c.outer, whole);
	r->least = (unsigned)race->s->inner.n;
	r->in_invocations = 1;
	r->in_iterations = r->least;
	tp_search_summarise(race->s, &r->c);
	return TP_OK;
}

/*
 * One invocation for a configuration in the race. It is cut short when it falls behind, as in the
 * other techniques.
 */
static enum tp_status take_turn(struct tp_race *race, struct tp_racer *r, struct tp_diag *diag)
{
	struct tp_invocation invocation = { .number = race->number,
					    .rule = tp_search_inner_rule(race->s) };

	invocation.budget_seconds = r->disturbed || r->behind ? first_seconds : round_seconds;
	invocation.least = r->least;
	/* The leader and its value stay the same until the round is over. */
	invocation.rule.incumbent = r == race->leader ? 0 : race->low;
	invocation.rule.race_count = r->least;
	invocation.rule.min_count = TP_MAX(r->least, 3u);
	return r->grew ? look_longer(race, r, diag) : take_step(race, r, &invocation, diag);
}

/* --- second look --- */

static struct tp_racer *nearest_to_leader(const struct tp_race *race, double seconds_left)
{
	struct tp_stop_rule rule = tp_search_inner_rule(race->s);
	struct tp_racer *found = NULL;

	for (size_t i = 0; i < race->n; i++) {
		struct tp_racer *r = &race->racers[i];
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

/* --- the race --- */

static void finish_race(struct tp_race *race)
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
	race->s->has_best = false; /* its report as the leader is outdated */
	tp_search_finish(race->s, &leader->c,
			 tp_stop_reason_name(reason == TP_GO_ON ? TP_STOP_SAMPLES : reason), true);
}

/* A round is over: decides who stays, and what comes next. */
static void end_round(struct tp_race *race)
{
	struct tp_search *s = race->s;

	race->rounds++;
	judge_race(race);
	race->at = 0;
	race->number++;
	s->is_over = !race->leader;
	if (race->leader && !is_decided(race)) {
		race->low = lower_end(race, race->leader);
	} else if (race->leader && race->phase == ROUNDS) {
		race->phase = LOOKS;
		race->looks_begun = tp_search_now(s);
		race->looks_limit_seconds = (race->looks_begun - race->begun) * look_share;
	} else if (race->leader) {
		finish_race(race);
		s->is_over = true;
	}
}

static bool is_first_once(const struct tp_race *race)
{
	return race->s->tuned->knows_shares || race->s->technique->min_count > 0;
}

static void end_first_round(struct tp_race *race)
{
	race->at = 0;
	if (race->phase == FIRST && !is_first_once(race)) {
		race->phase = FIRST_BACK;
		race->number++;
		return;
	}
	race->phase = ROUNDS;
	race->first_seconds = tp_search_now(race->s) - race->begun;
	race->first_waited_seconds = race->s->waited_seconds;
	end_round(race);
}

/* Whether it can win after that is judged again. */
static enum tp_status look_again(struct tp_race *race, struct tp_diag *diag)
{
	double spent = tp_search_now(race->s) - race->looks_begun;
	struct tp_racer *r =
		nearest_to_leader(race, fmin(race->looks_limit_seconds - spent, look_seconds_max));
	enum tp_status status;

	if (!r) {
		race->phase = LAST_ROUNDS;
		end_round(race);
		return TP_OK;
	}
	status = look_longer(race, r, diag);
	r->in = !r->c.failure;
	return status;
}

enum tp_status tp_search_step_race(struct tp_search *s, struct tp_diag *diag)
{
	struct tp_race *race = s->race;
	enum tp_status status = TP_OK;

	if (race->phase == LOOKS)
		return look_again(race, diag);
	if (race->phase == FIRST || race->phase == FIRST_BACK) {
		size_t i = race->phase == FIRST ? race->at : race->n - 1 - race->at;

		status = take_first_turn(race, &race->racers[i], diag);
		if (++race->at == race->n && status == TP_OK)
			end_first_round(race);
		return status;
	}
	while (race->at < race->n &&
	       (!race->racers[race->at].in || !can_advance(race, &race->racers[race->at])))
		race->at++;
	if (race->at < race->n)
		status = take_turn(race, &race->racers[race->at++], diag);
	else
		end_round(race);
	return status;
}

/* Half of it is the first round; how many follow is not known. */
double tp_search_share_of_race(const struct tp_search *s)
{
	const struct tp_race *race = s->race;
	size_t before = race->phase == FIRST_BACK ? race->n : 0;

	if (race->phase > FIRST_BACK)
		return 1 - pow(0.5, race->rounds);
	return 0.5 * (double)(before + race->at) / (double)race->n / (is_first_once(race) ? 1 : 2);
}

void tp_search_begin_race(struct tp_search *s)
{
	struct tp_race *race = s->race = tp_alloc(1, sizeof(*race));

	*race = (struct tp_race){ .s = s, .n = s->tuned->n, .begun = s->begun };
	race->racers = tp_alloc(race->n, sizeof(*race->racers));
	for (size_t i = 0; i < race->n; i++)
		tp_search_place(s, &race->racers[i].c, i);
}

void tp_search_end_race(struct tp_search *s)
{
	for (size_t i = 0; s->race && i < s->race->n; i++)
		tp_stop_release(&s->race->racers[i].c.outer);
	if (s->race)
		free(s->race->racers);
	free(s->race);
}
