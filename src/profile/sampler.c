/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/sampler.h"
#include "base/memory.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS 1000000000ll
/* Until the program has a number, and then until it is no longer a copy of this process. */
enum { WAIT_NS = 200000, LEAST_SAMPLES = 16 };
static const double TELL_SECONDS = 0.1, LEAST_SHARE = 0.01;

struct tp_profiler {
	struct tp_sampling_wishes wishes;
	const volatile uint32_t *pid;
	pthread_t thread;
	atomic_bool over;
	_Atomic int64_t started_ns; /* 0 = not yet */
	struct tp_meters *meters;
	struct tp_code_samples *code;
	struct tp_sampled sampled;
	size_t cap, most;
	struct tp_profile_tick
		joined; /* ticks that are to become one, since the interval doubled */
	struct tp_profile_tick told; /* since the last report */
};

struct tp_profile_tick tp_tick_join(const struct tp_profile_tick *a,
				    const struct tp_profile_tick *b)
{
	struct tp_profile_tick joined = *b;
	joined.seconds = a->seconds + b->seconds;
	for (int i = 0; i < TP_METERS && joined.seconds > 0; i++) {
		double x = a->values[i], y = b->values[i];
		joined.values[i] = isnan(y)   ? x
				   : isnan(x) ? y
					      : (x * a->seconds + y * b->seconds) / joined.seconds;
	}
	return joined;
}

static void pause_ns(long ns)
{
	const struct timespec t = { 0, ns };
	nanosleep(&t, NULL);
}

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * NS + t.tv_nsec;
}

/* False when it is over before. In slices, so that the end of the program is soon seen. */
static bool sleep_until(struct tp_profiler *p, int64_t at)
{
	static const int64_t slice = NS / 20;
	while (!atomic_load(&p->over)) {
		int64_t now = now_ns(), next = at - now > slice ? now + slice : at;
		struct timespec t = { next / NS, next % NS };
		if (now >= at)
			return true;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
	}
	return false;
}

static void thin(struct tp_profiler *p)
{
	struct tp_sampled *s = &p->sampled;
	for (size_t i = 0; i < s->n / 2; i++)
		s->ticks[i] = tp_tick_join(&s->ticks[2 * i], &s->ticks[2 * i + 1]);
	s->n /= 2;
	s->interval_seconds *= 2;
	s->thinned++;
	if (p->code)
		tp_code_halve(p->code);
}

static void keep(struct tp_profiler *p, const struct tp_profile_tick *tick)
{
	struct tp_sampled *s = &p->sampled;
	if (s->n == p->most)
		thin(p);
	TP_RESERVE(s->ticks, p->cap, s->n + 1);
	s->ticks[s->n++] = *tick;
}

static void tell(struct tp_profiler *p, const struct tp_profile_tick *tick)
{
	if (!p->wishes.told)
		return;
	p->told = p->told.seconds > 0 ? tp_tick_join(&p->told, tick) : *tick;
	if (p->told.seconds < TELL_SECONDS)
		return;
	p->wishes.told(p->wishes.context, &p->told);
	p->told.seconds = 0;
}

static void open_all(struct tp_profiler *p)
{
	struct tp_sampled *s = &p->sampled;
	pid_t pid = (pid_t)*p->pid;
	struct tp_diag why = { 0 };
	bool samples = false;
	for (int i = TP_METER_CODE_1; i < TP_METER_CODE_1 + TP_METER_CODES; i++)
		samples |= !p->wishes.unwanted[i];
	samples = samples && tp_code_open(&p->code, pid, &why) == TP_OK;
	p->meters = tp_meters_new(pid, p->wishes.places, p->wishes.events, p->wishes.unwanted,
				  p->wishes.others);
	for (int i = 0; i < TP_METERS && p->meters; i++) {
		const struct tp_diag *missing = tp_meters_missing(p->meters, (enum tp_meter_id)i);
		bool is_code = i >= TP_METER_CODE_1 && i < TP_METER_CODE_1 + TP_METER_CODES;
		s->there[i] = is_code ? samples && !p->wishes.unwanted[i] : !missing;
		if (!s->there[i])
			s->why[i] = is_code ? why : *missing;
	}
}

static void *sample(void *context)
{
	struct tp_profiler *p = context;
	struct tp_sampled *s = &p->sampled;
	struct timespec cpu;
	while (!*p->pid && !atomic_load(&p->over))
		pause_ns(WAIT_NS);
	int64_t start = now_ns(), before = start, next = start;
	s->started = (double)start / (double)NS;
	atomic_store(&p->started_ns, *p->pid ? start : 0);
	if (*p->pid) {
		pause_ns(WAIT_NS);
		open_all(p);
	}
	while (p->meters) {
		int64_t step = (int64_t)(s->interval_seconds * (double)NS);
		next += step;
		if (!sleep_until(p, next))
			break;
		struct tp_profile_tick tick = { 0 };
		int64_t now = now_ns();
		tick.at = (double)(now - start) / (double)NS;
		tick.seconds = (double)(now - before) / (double)NS;
		/* The first number of a sample is its place's. */
		if (p->code)
			tp_code_read(p->code, (uint32_t)s->n);
		tp_meters_read(p->meters, (double)now / (double)NS, tick.seconds, tick.values);
		before = now;
		if (now - next > step / 2)
			s->late += 1 + (unsigned)((now - next) / step);
		next += (now - next) / step * step;
		/* The program has ended, and this has not been handled yet. */
		if (tp_meters_gone(p->meters))
			break;
		keep(p, &tick);
		tell(p, &tick);
	}
	if (p->meters)
		tp_meters_stop(p->meters);
	if (p->code)
		tp_code_read(p->code, s->n ? (uint32_t)s->n - 1 : 0);
	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu) == 0)
		s->own_cpu_seconds = (double)cpu.tv_sec + 1e-9 * (double)cpu.tv_nsec;
	return NULL;
}

enum tp_status tp_profiler_start(struct tp_profiler **out, const struct tp_sampling_wishes *wishes,
				 const volatile uint32_t *pid, struct tp_diag *diag)
{
	struct tp_profiler *p = tp_alloc(1, sizeof(*p));
	*out = NULL;
	p->wishes = *wishes;
	p->pid = pid;
	p->most =
		TP_MAX(TP_MIN(wishes->most, (size_t)TP_SAMPLES_MAX), (size_t)LEAST_SAMPLES) / 2 * 2;
	p->sampled.interval_seconds = wishes->interval_seconds;
	int error = pthread_create(&p->thread, NULL, sample, p);
	if (error) {
		free(p);
		return tp_fail(diag, TP_RESOURCE, "profile",
			       "raise the limit on processes (ulimit -u)",
			       "cannot start a thread: %s", strerror(error));
	}
	*out = p;
	return TP_OK;
}

double tp_profiler_started(const struct tp_profiler *p)
{
	return (double)atomic_load(&p->started_ns) / (double)NS;
}

void tp_profiler_end(struct tp_profiler *p, struct tp_sampled *sampled)
{
	atomic_store(&p->over, true);
	pthread_join(p->thread, NULL);
	if (p->meters)
		p->sampled.lost = tp_meters_lost(p->meters);
	/* CPUs in each of the functions with most samples, for every tick. */
	if (p->code && p->sampled.n) {
		struct tp_sampled *s = &p->sampled;
		TP_FREE double *counts = tp_alloc(s->n, sizeof(*counts));

		s->n_functions = tp_code_functions(p->code, s->functions, TP_METER_CODES);
		tp_code_totals(p->code, &s->code_taken, &s->code_lost);
		/* A handful of samples is not a meter. */
		while (s->n_functions > 1 && (double)s->functions[s->n_functions - 1].samples <
						     LEAST_SHARE * (double)s->code_taken)
			s->n_functions--;
		for (size_t f = 0; f < s->n_functions; f++) {
			memset(counts, 0, s->n * sizeof(*counts));
			tp_code_series(p->code, f, counts, s->n);
			for (size_t i = 0; i < s->n; i++)
				s->ticks[i].values[TP_METER_CODE_1 + f] =
					1e-6 * TP_CODE_PERIOD_US * counts[i] / s->ticks[i].seconds;
		}
		for (size_t f = s->n_functions; f < TP_METER_CODES; f++) {
			s->there[TP_METER_CODE_1 + f] = false;
			tp_fail(&s->why[TP_METER_CODE_1 + f], TP_NOTFOUND, "code", NULL,
				"the program spent time in fewer functions");
		}
	}
	tp_meters_free(p->meters);
	tp_code_free(p->code);
	*sampled = p->sampled;
	free(p);
}

void tp_sampled_release(struct tp_sampled *s)
{
	free(s->ticks);
	s->ticks = NULL;
	s->n = 0;
}
