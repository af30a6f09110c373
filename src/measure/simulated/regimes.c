/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The named regimes. Figures of both virtual machines: measured there; the others: made up. */
#include "measure/simulation.h"
#include "base/vec.h"

#include <string.h>

/* A warm chase was 3 times too fast at first, and right after some ten windows of 1 ms. */
#define WARM_CHASE                                                                                 \
	{                                                                                          \
		.factor = 3, .laps = 1                                                             \
	}
#define COUNTER_JITTER                                                                             \
	{                                                                                          \
		.jitter_seconds = 0.7e-9                                                           \
	}
#define NEW_MEMORY                                                                                 \
	{                                                                                          \
		.cold_seconds = 0.25, .warm_seconds = 0.05                                         \
	}

const struct tp_regime tp_regime_table[] = {
	{
		.name = "quiet",
		.summary = "nothing disturbs: a machine of one's own, with a fixed clock",
		.clock = COUNTER_JITTER,
	},
	{
		.name = "zen4-vm",
		.summary = "a virtual machine whose neighbours come in bursts; it reports no "
			   "steal time",
		.pauses = { { 6, 1e-3, 4e-3, 12e-3 } },
		.neighbours = { { 0.4, 120e-6, 1.5e-3 } },
		.memory = { .share = 0.02, .spread = 0.02, .latency = 0.02, .seconds = 20e-3 },
		.clock = COUNTER_JITTER,
		.warm_chase = WARM_CHASE,
		.page_in = NEW_MEMORY,
	},
	{
		.name = "gnr-vm",
		.summary =
			"a virtual machine that is paused 14,000 times a second, beside an SMT "
			"neighbour, with a stepping clock and a last-level cache shared with many",
		.pauses = { { 14000, 2e-6, 6e-6, 15e-6 } },
		.neighbours = { { 0.3, 200e-6, 600e-6, 0.3 } },
		.turbo = { { 0.9473, 0.9736, 1 }, 30e-3 },
		.memory = { .share = 0.02, .spread = 0.02, .latency = 0.02, .seconds = 30e-3 },
		.last_level = { .share = 0.2, .slope = 2 },
		.clock = COUNTER_JITTER,
		.warm_chase = WARM_CHASE,
		.page_in = { .cold_seconds = 2.6, .warm_seconds = 0.13 },
	},
	{
		.name = "smt-neighbour-half",
		.summary = "half of every core is taken all the time: a point must never be called "
			   "good",
		.neighbours = { { 0.5, 1, 0 } },
		.clock = COUNTER_JITTER,
	},
	{
		.name = "smt-neighbour-bursts",
		.summary =
			"the other hardware thread works in bursts of 10 to 300 us and longer ones",
		.neighbours = { { 0.5, 100e-6, 250e-6 }, { 0.3, 20e-3, 100e-3 } },
		.clock = COUNTER_JITTER,
	},
	{
		.name = "turbo-steps",
		.summary = "the clock steps between four states some ten times a second",
		.turbo = { { 0.88, 0.92, 0.96, 1 }, 80e-3 },
		.clock = COUNTER_JITTER,
	},
	{
		.name = "avx-licence",
		.summary = "wide vectors lower the clock of their core",
		.licence = { .factor_256 = 0.94, .factor_512 = 0.84, .hold_seconds = 0.7e-3 },
		.clock = COUNTER_JITTER,
	},
	{
		.name = "drift",
		.summary = "the clock falls slowly by 8 % and comes back, as of a machine that "
			   "gets hot",
		.drift = { .depth = 0.08, .period_seconds = 20 },
		.clock = COUNTER_JITTER,
	},
	{
		.name = "preempted",
		.summary = "other processes of this machine take the CPU 40 times a second, 1 to 4 "
			   "ms each",
		.pauses = { { 40, 1e-3, 2.5e-3, 4e-3, .switches = true } },
		.clock = COUNTER_JITTER,
	},
	{
		.name = "shared-vcpus",
		.summary = "pairs of CPUs sit on one core: both are halved when both run",
		.shared_cores = { .on_seconds = 1 },
		.clock = COUNTER_JITTER,
	},
	{
		.name = "coarse-clock",
		.summary = "a clock that steps by 1/24 us, as the counter of some ARM machines",
		.clock = { .step_seconds = 1e-6 / 24 },
	},
	{
		.name = "microsecond-clock",
		.summary = "a clock that steps by 1 us, as of a machine without a usable cycle "
			   "counter",
		.clock = { .step_seconds = 1e-6 },
	},
	{
		.name = "noisy-memory",
		.summary = "neighbours take a third of L3 and memory, now more, now less",
		.memory = { .share = 0.3, .spread = 0.25, .latency = 0.3, .seconds = 4e-3 },
		.clock = COUNTER_JITTER,
		.warm_chase = WARM_CHASE,
	},
	{
		.name = "huge-llc",
		.summary = "one gets an eighth of the last-level cache that the machine reports",
		.last_level = { .share = 0.125, .slope = 2.5 },
		.clock = COUNTER_JITTER,
		.warm_chase = WARM_CHASE,
	},
	{
		.name = "page-in",
		.summary = "fresh memory costs seconds per GiB, and some of it only inside windows",
		.page_in = { .cold_seconds = 2.6, .warm_seconds = 0.13, .late_share = 0.02 },
		.clock = COUNTER_JITTER,
	},
	{
		.name = "everything",
		.summary =
			"pauses, preemptions, bursts, a stepping clock and noisy memory together",
		.pauses = { { 3000, 2e-6, 8e-6, 30e-6 },
			    { 10, 1e-3, 2e-3, 4e-3, .switches = true } },
		.neighbours = { { 0.4, 150e-6, 600e-6 }, { 0.3, 30e-3, 200e-3 } },
		.turbo = { { 0.95, 1 }, 50e-3 },
		.licence = { .factor_512 = 0.93, .hold_seconds = 0.7e-3 },
		.memory = { .share = 0.15, .spread = 0.1, .latency = 0.15, .seconds = 5e-3 },
		.last_level = { .share = 0.5, .slope = 4 },
		.clock = COUNTER_JITTER,
		.warm_chase = WARM_CHASE,
		.page_in = NEW_MEMORY,
	},
};
const size_t tp_regime_count = TP_COUNT_OF(tp_regime_table);

const struct tp_regime *tp_regime_find(const char *name)
{
	for (size_t i = 0; i < tp_regime_count; i++)
		if (strcmp(tp_regime_table[i].name, name) == 0)
			return &tp_regime_table[i];
	return NULL;
}
