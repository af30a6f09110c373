/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/clock.h"

#include <sys/resource.h>
#include <time.h>

enum { CALIBRATION_MS = 20, OVERHEAD_TRIES = 200, STEP_TRIES = 1000000 };

static uint64_t raw_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t tp_clock_begin(const struct tp_clock *clock)
{
	return clock->counter ? clock->arch->ticks_begin() : raw_ns();
}

uint64_t tp_clock_end(const struct tp_clock *clock)
{
	return clock->counter ? clock->arch->ticks_end() : raw_ns();
}

/* A reading of both clocks at one moment: the pair with the shortest gap of several. */
static void pair(const struct tp_clock *clock, uint64_t *ticks, uint64_t *ns)
{
	uint64_t shortest = UINT64_MAX;
	for (int i = 0; i < 9; i++) {
		uint64_t before = tp_clock_begin(clock), at = raw_ns(),
			 after = tp_clock_begin(clock);
		if (after - before >= shortest)
			continue;
		shortest = after - before;
		*ticks = before + (after - before) / 2;
		*ns = at;
	}
}

static void calibrate(struct tp_clock *clock)
{
	uint64_t ticks0 = 0, ns0 = 0, ticks1 = 0, ns1 = 0;
	pair(clock, &ticks0, &ns0);
	while (raw_ns() - ns0 < (uint64_t)CALIBRATION_MS * 1000000u)
		;
	pair(clock, &ticks1, &ns1);
	clock->hz = (double)(ticks1 - ticks0) / ((double)(ns1 - ns0) * 1e-9);
}

void tp_clock_init(struct tp_clock *clock, const struct tp_cpu *cpu, double known_hz)
{
	*clock = (struct tp_clock){ .arch = tp_arch_host(), .hz = 1e9 };
	clock->counter = clock->arch && clock->arch->ticks_begin && cpu->invariant_counter;
	if (clock->counter) {
		clock->hz = known_hz;
		if (!(known_hz > 0))
			calibrate(clock);
	}
	uint64_t least = UINT64_MAX, step = UINT64_MAX;
	for (int i = 0; i < OVERHEAD_TRIES || (step == UINT64_MAX && i < STEP_TRIES); i++) {
		uint64_t begin = tp_clock_begin(clock), end = tp_clock_end(clock);
		if (end - begin < least)
			least = end - begin;
		if (end != begin && end - begin < step)
			step = end - begin;
	}
	clock->overhead_ticks = (double)least;
	clock->resolution_seconds = (double)(step < UINT64_MAX ? step : 1) / clock->hz;
}

double tp_clock_seconds(const struct tp_clock *clock, uint64_t begin, uint64_t end)
{
	double ticks = (double)(int64_t)(end - begin) - clock->overhead_ticks;
	return ticks > 0 ? ticks / clock->hz : 0;
}

/* The clock is read last, and first at the end: nothing else comes between. */
void tp_window_mark_begin(struct tp_window_mark *mark, const struct tp_clock *clock)
{
	struct rusage before;
	getrusage(RUSAGE_THREAD, &before);
	mark->switches = before.ru_nivcsw;
	mark->faults = before.ru_minflt + before.ru_majflt;
	mark->begin = tp_clock_begin(clock);
}

void tp_window_mark_end(struct tp_window_mark *mark, const struct tp_clock *clock)
{
	struct rusage after;
	mark->end = tp_clock_end(clock);
	getrusage(RUSAGE_THREAD, &after);
	mark->switches = after.ru_nivcsw - mark->switches;
	mark->faults = after.ru_minflt + after.ru_majflt - mark->faults;
}
