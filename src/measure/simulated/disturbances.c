/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What disturbs a CPU, as processes that are constant between their events. */
#include "measure/simulated/simulated_parts.h"
#include "base/random.h"

#include <math.h>

/* Events that a CPU may have slept through before a process without memory is drawn anew. */
#define SLEPT_EVENTS 2000
/* Most that neighbours leave no slots for. */
#define NEIGHBOURS_MAX 0.9
enum { DRIFT_STEPS = 200 };

double tp_random_unit(uint64_t *state)
{
	return (double)((tp_splitmix64(state) >> 11) + 1) * 0x1p-53;
}

double tp_random_exponential(uint64_t *state, double mean)
{
	return -mean * log(tp_random_unit(state));
}

double tp_random_normal(uint64_t *state)
{
	/* Four uniform numbers of 16 bits, centred: near enough, and one step of the generator. */
	uint64_t bits = tp_splitmix64(state);
	double sum = 0;
	for (int i = 0; i < 4; i++)
		sum += (double)(bits >> 16 * i & 0xffff);
	return (sum / 65535 - 2) * sqrt(3);
}

/*
 * least + (most - least) u^k for u uniform in (0, 1], which has the mean that is asked for if
 * k = (most - least) / (mean - least) - 1.
 */
static double pause_seconds(const struct tp_regime_pauses *p, uint64_t *state)
{
	double span = p->most_seconds - p->least_seconds, mean = p->mean_seconds - p->least_seconds;
	if (!(mean > 0) || !(span > mean))
		return p->mean_seconds;
	return p->least_seconds + span * pow(tp_random_unit(state), span / mean - 1);
}

static void step_pauses(const struct tp_regime_pauses *p, struct tp_simulated_process *x, double at)
{
	double gap = fmax(1 / p->per_second - p->mean_seconds, 0.01 * p->mean_seconds);
	if (at - x->until > SLEPT_EVENTS / p->per_second) {
		x->state = 0;
		x->until = at + tp_random_exponential(&x->random, gap);
	}
	while (x->until <= at) {
		x->state = !x->state;
		x->until += x->state ? pause_seconds(p, &x->random)
				     : tp_random_exponential(&x->random, gap);
	}
}

/* On and off in turn, with exponential times; off 0: always on. */
static void step_switch(struct tp_simulated_process *x, double on, double off, double at,
			bool may_jump)
{
	if (!(off > 0)) {
		*x = (struct tp_simulated_process){ .until = INFINITY, .state = 1 };
		return;
	}
	if (may_jump && at - x->until > SLEPT_EVENTS * (on + off)) {
		x->state = tp_random_unit(&x->random) * (on + off) < on;
		x->until = at + tp_random_exponential(&x->random, x->state ? on : off);
	}
	while (x->until <= at) {
		x->state = !x->state;
		x->until += tp_random_exponential(&x->random, x->state ? on : off);
	}
}

/* A new number of 16 bits at each event. */
static void step_level(struct tp_simulated_process *x, double mean_seconds, double at)
{
	while (x->until <= at) {
		x->state = (unsigned)(tp_splitmix64(&x->random) >> 48);
		x->until += tp_random_exponential(&x->random, mean_seconds);
	}
}

static uint64_t seed_of(uint64_t seed, unsigned what, unsigned who)
{
	uint64_t state = seed ^ ((uint64_t)(what + 1) << 32) ^ (who + 1);
	tp_splitmix64(&state);
	return tp_splitmix64(&state);
}

enum what { PAUSES, NEIGHBOURS = 8, TURBO = 16, MEMORY, SHARED, NOISE };

void tp_disturb_init(uint64_t seed, unsigned cpu, struct tp_simulated_cpu *c)
{
	*c = (struct tp_simulated_cpu){ .noise = seed_of(seed, NOISE, cpu) };
	for (unsigned i = 0; i < TP_REGIME_KINDS; i++) {
		c->pauses[i].random = seed_of(seed, PAUSES + i, cpu);
		c->neighbours[i].random = seed_of(seed, NEIGHBOURS + i, cpu);
	}
	/* The same for all: every CPU follows them with the same numbers. */
	c->turbo.random = seed_of(seed, TURBO, 0);
	c->memory.random = seed_of(seed, MEMORY, 0);
	c->shared.random = seed_of(seed, SHARED, cpu / 2);
}

static void find_clock(const struct tp_regime *r, struct tp_simulated_cpu *c,
		       struct tp_conditions *now)
{
	unsigned n = 0;
	while (n < TP_REGIME_STATES && r->turbo.factors[n] > 0)
		n++;
	if (n > 1) {
		step_level(&c->turbo, r->turbo.seconds, c->at);
		now->until = fmin(now->until, c->turbo.until);
	}
	if (n)
		now->clock_factor = r->turbo.factors[n > 1 ? c->turbo.state * n >> 16 : 0];
	if (r->drift.depth > 0) {
		double slot = r->drift.period_seconds / DRIFT_STEPS, at = floor(c->at / slot);
		double angle = 2 * M_PI * at / DRIFT_STEPS;
		now->clock_factor *= 1 - r->drift.depth * (1 - cos(angle)) / 2;
		/* Rounding must not leave an event that has passed. */
		double until = (at + 1) * slot;
		now->until = fmin(now->until, until > c->at ? until : c->at + slot);
	}
}

static void find_memory(const struct tp_regime *r, struct tp_simulated_cpu *c,
			struct tp_conditions *now)
{
	if (!(r->memory.share > 0))
		return;
	step_level(&c->memory, r->memory.seconds, c->at);
	now->until = fmin(now->until, c->memory.until);
	double taken = r->memory.share + r->memory.spread * (2.0 * c->memory.state / 65536 - 1);
	taken = fmin(fmax(taken, 0), NEIGHBOURS_MAX);
	now->memory_share = 1 - taken;
	now->memory_latency = 1 + r->memory.latency * taken / r->memory.share;
}

const struct tp_conditions *tp_disturb_now(const struct tp_regime *r, struct tp_simulated_cpu *c)
{
	struct tp_conditions *now = &c->now;
	if (c->at < now->until)
		return now;
	*now = (struct tp_conditions){
		.until = INFINITY, .clock_factor = 1, .memory_share = 1, .memory_latency = 1
	};
	for (int i = 0; i < TP_REGIME_KINDS; i++) {
		const struct tp_regime_neighbour *n = &r->neighbours[i];
		if (r->pauses[i].per_second > 0) {
			step_pauses(&r->pauses[i], &c->pauses[i], c->at);
			now->paused |= c->pauses[i].state;
			now->switches |= c->pauses[i].state && r->pauses[i].switches;
			now->until = fmin(now->until, c->pauses[i].until);
		}
		if (n->share > 0) {
			step_switch(&c->neighbours[i], n->on_seconds, n->off_seconds, c->at, true);
			now->neighbour += c->neighbours[i].state ? n->share : 0;
			now->until = fmin(now->until, c->neighbours[i].until);
		}
	}
	now->neighbour = fmin(now->neighbour, NEIGHBOURS_MAX);
	if (r->shared_cores.on_seconds > 0) {
		step_switch(&c->shared, r->shared_cores.on_seconds, r->shared_cores.off_seconds,
			    c->at, false);
		now->shared = c->shared.state;
		now->until = fmin(now->until, c->shared.until);
	}
	find_clock(r, c, now);
	find_memory(r, c, now);
	return now;
}
