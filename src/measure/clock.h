/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clock of the windows: the CPU's cycle counter if it is reliable, else clock_gettime. */
#ifndef TPROF_MEASURE_CLOCK_H
#define TPROF_MEASURE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cpu.h"
#include "base/now.h"
#include "kernels/arch.h"

struct tp_clock {
	const struct tp_arch *arch; /* may be NULL */
	bool counter; /* ticks come from the cycle counter */
	double hz; /* ticks per second */
	/* what an empty begin/end pair costs: subtracted from every window */
	double overhead_ticks;
	double resolution_seconds; /* smallest difference worth believing */
};

/*
 * `known_hz`: an earlier calibration of the same boot, or 0 to calibrate against
 * CLOCK_MONOTONIC_RAW (takes 20 ms). A counter that is not invariant is not used.
 */
void tp_clock_init(struct tp_clock *clock, const struct tp_cpu *cpu, double known_hz);
uint64_t tp_clock_begin(const struct tp_clock *clock);
uint64_t tp_clock_end(const struct tp_clock *clock);

/* Seconds between two readings, without the overhead of reading. Never negative. */
double tp_clock_seconds(const struct tp_clock *clock, uint64_t begin, uint64_t end);

/*
 * Code that times a part of itself: a window is then what it marks, and not what it does before and
 * after.
 */

/* Only its thread writes it. On a separate cache line. */
struct tp_window_mark {
	uint64_t begin, end; /* ticks of the team's clock; end 0 = nothing was marked */
	/* involuntary context switches, minor and major page faults in between */
	long switches, faults;
} __attribute__((aligned(64)));

void tp_window_mark_begin(struct tp_window_mark *mark, const struct tp_clock *clock);
void tp_window_mark_end(struct tp_window_mark *mark, const struct tp_clock *clock);

#endif
