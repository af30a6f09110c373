/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A space of made-up configurations with a clock of its own. The value of an iteration depends on
 * configuration, invocation and iteration alone, not on when it is asked for: searches in any order
 * see the same numbers.
 */
#ifndef TPROF_TESTS_UNIT_TUNING_SPACE_H
#define TPROF_TESTS_UNIT_TUNING_SPACE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "experiments/autotune/tuning.h"
#include "experiments/autotune/row.h"

enum { SPACE_MAX = 128 };

struct space_config {
	double rate; /* when nothing disturbs it */
	double call_seconds; /* at that rate */
	/*
	 * relative: an iteration is slower by up to 4 times this, by this on average; seldom much
	 * slower
	 */
	double noise;
	double spread; /* relative standard deviation of whole invocations */
	double cold; /* relative: slower by this at the first iteration, fading over `warm_after` */
	unsigned warm_after;
	double late; /* relative: slower by this before iteration `late_after` of an invocation */
	unsigned late_after;
	double second_mode; /* relative: every third iteration is slower by this */
	double drift; /* relative, an iteration */
	bool fails_to_begin;
	unsigned fails_at; /* iteration of an invocation, 1-based; 0 = never */
	double fails_with; /* 0: an error; else this value is returned: NAN, -1 */
};

struct space {
	struct space_config configs[SPACE_MAX];
	size_t n;
	double start_seconds, open_seconds; /* a fresh process; one more configuration in it */
	double ask_seconds;
	bool shares; /* one process for all that have the same number */
	bool knows_shares; /* and that is seen */
	double slow, slow_from, slow_until; /* relative: everything is slower by this for a while */
	double slow_period; /* and again after so many seconds; 0 = once */
	uint64_t seed;
	/* what happened */
	double now;
	unsigned begins, ends, iterations, disturbed, last_number, steps, cancel_at; /* 0 = never */
	bool has_process, is_open;
	size_t open_index;
	unsigned open_invocation, open_iterations;
	struct tp_trial trials[SPACE_MAX]; /* the last that was told of each */
	unsigned told[SPACE_MAX];
};

/* Evenly in [0, 1), by a mixing function of 64 bits. */
static inline double space_draw(const struct space *space, uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t x = space->seed * 0x9e3779b97f4a7c15u + a * 0xbf58476d1ce4e5b9u +
		     b * 0x94d049bb133111ebu + c * 0xd6e8feb86659fd93u;

	for (int i = 0; i < 3; i++) {
		x ^= x >> 31;
		x *= 0xbf58476d1ce4e5b9u;
		x ^= x >> 29;
	}
	return (double)(x >> 11) / 9007199254740992.0;
}

static inline double space_value(const struct space *space, size_t index, unsigned invocation,
				 unsigned iteration)
{
	const struct space_config *c = &space->configs[index];
	double value = c->rate, u = space_draw(space, index, invocation, iteration);
	/* Sum of four even draws: nearly normal, and bounded. */
	double z = 0;

	for (uint64_t i = 0; i < 4; i++)
		z += space_draw(space, index, invocation, 1000000 + i) - 0.5;
	value *= 1 + c->spread * z * sqrt(3);
	value *= 1 - c->noise * fmin(-log(1 - u), 4);
	if (iteration < c->warm_after)
		value *= 1 - c->cold * (1 - (double)iteration / c->warm_after);
	if (iteration < c->late_after)
		value *= 1 - c->late;
	if (iteration % 3 == 2)
		value *= 1 - c->second_mode;
	return value * (1 + c->drift * iteration);
}

static inline bool space_step(struct space *space)
{
	space->steps++;
	return space->cancel_at == 0 || space->steps < space->cancel_at;
}

static inline enum tp_status space_begin(void *context, size_t index, unsigned invocation,
					 void **state, struct tp_diag *diag)
{
	struct space *space = context;
	bool shared = space->shares && space->has_process && space->last_number == invocation;

	space->now += shared ? space->open_seconds : space->start_seconds + space->open_seconds;
	space->has_process = true;
	space->last_number = invocation;
	space->begins++;
	if (!space_step(space)) {
		space->begins--; /* never began */
		return tp_fail(diag, TP_CANCELLED, "space", NULL, "cancelled");
	}
	if (space->configs[index].fails_to_begin) {
		space->has_process = false;
		return tp_fail(diag, TP_RESOURCE, "space", NULL, "configuration %zu does not fit",
			       index);
	}
	if (space->is_open)
		return tp_fail(diag, TP_INTERNAL, "space", NULL, "two are open");
	space->is_open = true;
	space->open_index = index;
	space->open_invocation = invocation;
	space->open_iterations = 0;
	*state = &space->open_index;
	return TP_OK;
}

static inline bool space_is_slow(const struct space *space)
{
	double at = space->slow_period > 0 ? fmod(space->now, space->slow_period) : space->now;

	return at >= space->slow_from && at < space->slow_until;
}

static inline enum tp_status space_iterate(void *context, void *state, unsigned count,
					   double *values, double *shares, struct tp_diag *diag)
{
	struct space *space = context;
	const struct space_config *c = &space->configs[space->open_index];

	if (state != &space->open_index || !space->is_open || count == 0)
		return tp_fail(diag, TP_INTERNAL, "space", NULL, "asked for nothing that is open");
	if (!space_step(space))
		return tp_fail(diag, TP_CANCELLED, "space", NULL, "cancelled");
	space->now += space->ask_seconds;
	for (unsigned i = 0; i < count; i++) {
		double value = space_value(space, space->open_index, space->open_invocation,
					   space->open_iterations++);

		if (space_is_slow(space)) {
			value *= 1 - space->slow;
			shares[i] = space->knows_shares ? 1 - space->slow : 1;
			space->disturbed++;
		}
		space->now += c->call_seconds * c->rate / value;
		if (c->fails_at == space->open_iterations) {
			if (c->fails_with == 0)
				return tp_fail(diag, TP_CRASHED, "space", NULL, "crashed");
			value = c->fails_with;
		}
		values[i] = value;
	}
	space->iterations += count;
	return TP_OK;
}

static inline void space_end(void *context, void *state)
{
	struct space *space = context;

	(void)state;
	space->ends++;
	space->is_open = false;
}

static inline double space_now(void *context)
{
	return ((struct space *)context)->now;
}

static inline bool space_goes_on(void *context)
{
	return space_step(context);
}

static inline void space_tried(void *context, const struct tp_trial *trial)
{
	struct space *space = context;

	space->trials[trial->index] = *trial;
	space->told[trial->index]++;
}

/* Forgets what happened. */
static inline void space_reset(struct space *space)
{
	space->now = 0;
	space->disturbed = 0;
	space->begins = space->ends = space->iterations = space->last_number = space->steps = 0;
	space->has_process = space->is_open = false;
	memset(space->trials, 0, sizeof(space->trials));
	memset(space->told, 0, sizeof(space->told));
}

static inline struct tp_tuned space_tuned(struct space *space)
{
	return (struct tp_tuned){ .context = space,
				  .n = space->n,
				  .begin = space_begin,
				  .iterate = space_iterate,
				  .knows_shares = space->knows_shares,
				  .end = space_end,
				  .now = space_now,
				  .go_on = space_goes_on,
				  .tried = space_tried };
}

/* A search from beginning to end. */
static inline enum tp_status space_search(const struct tp_technique *technique,
					  const struct tp_tuned *tuned,
					  const struct tp_tuning_rules *rules,
					  struct tp_trial *best, struct tp_diag *diag)
{
	struct tp_search *s = tp_tuning_begin(technique, tuned, rules);

	while (tp_tuning_step(s))
		continue;
	return tp_tuning_end(s, best, diag);
}

/* An order by lot. */
static inline void space_shuffle(const struct space *space, uint64_t lot, size_t *order)
{
	for (size_t i = 0; i < space->n; i++)
		order[i] = i;
	for (size_t i = space->n; i > 1; i--) {
		size_t k = (size_t)(space_draw(space, lot, i, 77) * (double)i), keep = order[i - 1];

		order[i - 1] = order[k];
		order[k] = keep;
	}
}

/*
 * Like a matrix product: rates grow with the sizes towards a flat top, calls take the longer the
 * more there is to do. `call_seconds` is that of the median configuration.
 */
static inline void space_make(struct space *space, size_t n, double call_seconds, double noise,
			      double spread, uint64_t seed)
{
	memset(space, 0, sizeof(*space));
	space->n = n;
	space->start_seconds = 20e-3;
	space->open_seconds = 2e-3;
	space->ask_seconds = 40e-6;
	space->seed = seed;
	for (size_t i = 0; i < n; i++) {
		double size = pow(16, space_draw(space, i, 1, 2) - 0.5);
		double luck = space_draw(space, i, 3, 4);

		space->configs[i] = (struct space_config){
			.rate = 60 * (1 - 0.15 * pow(luck, 1.5)) * size / (size + 0.1),
			.call_seconds = call_seconds * size,
			.noise = noise,
			.spread = spread,
		};
	}
}

static inline size_t space_best(const struct space *space)
{
	size_t best = 0;

	for (size_t i = 1; i < space->n; i++)
		if (space->configs[i].rate > space->configs[best].rate)
			best = i;
	return best;
}

#endif
