/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples of all meters at fixed times while a program runs. A thread of its own wakes at absolute
 * times, so that it never drifts; a tick that it misses is counted, not made up for. When the room
 * for samples is full, neighbours become one and the interval doubles.
 */
#ifndef TPROF_PROFILE_SAMPLER_H
#define TPROF_PROFILE_SAMPLER_H

#include "profile/code.h"
#include "profile/meters.h"

enum { TP_SAMPLES_MAX = 65536 };

/* One sample: what happened in the `seconds` before `at`, from the program's start on. */
struct tp_profile_tick {
	double at, seconds;
	double values[TP_METERS]; /* NaN = unknown */
};

struct tp_sampling_wishes {
	double interval_seconds;
	size_t most; /* samples, at least 16; TP_SAMPLES_MAX at most */
	const char *events[TP_METER_EVENTS];
	bool unwanted[TP_METERS]; /* not read */
	const struct tp_meter_others *others; /* NULL = none */
	const struct tp_meter_places *places;
	/*
	 * Called by the sampler's thread at most ten times a second, with what happened since the
	 * last call; may be NULL.
	 */
	void (*told)(void *context, const struct tp_profile_tick *tick);
	void *context;
};

/* What the sampler found. Release with tp_sampled_release. */
struct tp_sampled {
	struct tp_profile_tick *ticks;
	size_t n;
	double started; /* the program, in seconds of CLOCK_MONOTONIC */
	double interval_seconds; /* at the end */
	unsigned thinned; /* how often it doubled */
	unsigned late; /* ticks that came more than half an interval late, or not at all */
	double own_cpu_seconds; /* of the sampler itself */
	unsigned lost; /* processes and threads without room */
	bool there[TP_METERS];
	struct tp_diag why[TP_METERS]; /* of the missing ones */
	struct tp_code_function functions[TP_METER_CODES];
	size_t n_functions;
	uint64_t code_taken, code_lost;
};

struct tp_profiler;
/*
 * Starts the thread, which waits until *pid is not 0: the number of the program, written by its
 * start. TP_RESOURCE.
 */
enum tp_status tp_profiler_start(struct tp_profiler **profiler,
				 const struct tp_sampling_wishes *wishes,
				 const volatile uint32_t *pid, struct tp_diag *diag);
/* When the program started, in seconds of CLOCK_MONOTONIC; 0 = not known yet. */
double tp_profiler_started(const struct tp_profiler *profiler);
/* After the program has ended: what was sampled, and the thread is gone. */
void tp_profiler_end(struct tp_profiler *profiler, struct tp_sampled *sampled);
void tp_sampled_release(struct tp_sampled *sampled);

/* Two neighbours as one sample: rates and gauges weighted by their times. Pure; for tests. */
struct tp_profile_tick tp_tick_join(const struct tp_profile_tick *a,
				    const struct tp_profile_tick *b);

#endif
