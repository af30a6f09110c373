/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Virtual time: work goes on from event to event. */
#include "measure/simulated/simulated_parts.h"

#include <math.h>
#include <string.h>

/* A dependent chain hardly notices what else the core does. */
#define CHAIN_LOSS   0.02
#define SHARED_CHAIN 1.05
#define SHARED_SLOTS 2

/* Cycle counters; x86 counts near its nominal clock, others in ns. */
#define X86_COUNTER_HZ 2.6e9
#define COUNTER_HZ     1e9
#define READ_SECONDS   12e-9

void tp_simulated_clock(struct tp_simulation *s)
{
	double step = s->regime->clock.step_seconds;
	bool x86 = strcmp(s->truth.machine->cpu.arch, "x86_64") == 0;
	double hz = step > 0 ? 1 / step : x86 ? X86_COUNTER_HZ : COUNTER_HZ;
	s->clock = (struct tp_clock){
		.hz = hz,
		.overhead_ticks = step > 0 ? 0 : floor(READ_SECONDS * hz),
		.resolution_seconds = fmax(step, READ_SECONDS),
	};
}

uint64_t tp_simulated_ticks(const struct tp_simulation *s, struct tp_simulated_cpu *c)
{
	double at = c->at;
	if (s->regime->clock.jitter_seconds > 0)
		at += s->regime->clock.jitter_seconds * tp_random_normal(&c->noise);
	/* Never before its beginning. */
	return at > 0 ? (uint64_t)(at * s->clock.hz) : 0;
}

static double licence(const struct tp_simulation *s, struct tp_simulated_cpu *c,
		      unsigned vector_bytes, double *until)
{
	const double factors[] = { s->regime->licence.factor_256, s->regime->licence.factor_512 };
	const unsigned widths[] = { 32, 64 };
	double factor = 1;
	for (int i = 0; i < 2; i++) {
		bool uses = vector_bytes >= widths[i];
		if (!(factors[i] > 0) || (!uses && c->at >= c->licence_until[i]))
			continue;
		factor = fmin(factor, factors[i]);
		if (!uses)
			*until = fmin(*until, c->licence_until[i]);
	}
	return factor;
}

static double seconds_of_pass(const struct tp_demand *d, const struct tp_conditions *now,
			      double ghz, bool shared)
{
	double slots = d->slot_cycles / (1 - now->neighbour),
	       chain = d->chain_cycles * (1 + CHAIN_LOSS * now->neighbour);
	if (shared) {
		slots *= SHARED_SLOTS;
		chain *= SHARED_CHAIN;
	}
	double far = d->l3_seconds + d->memory_seconds;
	far = d->dependent ? far * now->memory_latency : far / now->memory_share;
	return (slots + chain) / ghz * 1e-9 + far;
}

double tp_live(struct tp_simulation *s, struct tp_simulated_cpu *c, const struct tp_stint *stint,
	       struct tp_lived *lived)
{
	double left = stint->passes, until = stint->until > 0 ? stint->until : INFINITY;
	bool was_paused = false;
	while (left > 0 && c->at < until) {
		const struct tp_conditions *now = tp_disturb_now(s->regime, c);
		double end = fmin(now->until, until), from = c->at;
		if (now->paused) {
			lived->pauses += !was_paused;
			lived->switches += !was_paused && now->switches;
			was_paused = true;
			c->at = end;
			lived->paused_seconds += c->at - from;
			continue;
		}
		was_paused = false;
		bool shared = stint->busy_pair && now->shared;
		const struct tp_demand *d =
			now->neighbour > 0 && stint->beside ? stint->beside : stint->demand;
		double ghz = s->truth.figures->ghz * now->clock_factor *
			     licence(s, c, stint->vector_bytes, &end);
		double one = seconds_of_pass(d, now, ghz, shared), all = left * one;
		if (c->at + all <= end || !(one > 0)) {
			c->at += all;
			left = 0;
		} else {
			left -= (end - c->at) / one;
			c->at = end;
		}
		double spent = c->at - from;
		lived->ghz_seconds += spent * ghz;
		lived->neighbour_seconds += now->neighbour > 0 ? spent : 0;
		lived->shared_seconds += shared ? spent : 0;
	}
	for (int i = 0; i < 2; i++)
		if (stint->vector_bytes >= (i ? 64u : 32u))
			c->licence_until[i] = c->at + s->regime->licence.hold_seconds;
	return stint->passes - fmax(left, 0);
}
