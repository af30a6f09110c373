/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/team.h"
#include "measure/gauge.h"
#include "base/vec.h"
#include "machine/machine.h"
#include "record/point.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CACHE_LINE = 64, SPIN_ROUNDS = 20000, CHAIN_PASSES = 16, WIDTH_PASSES = 64 };

enum order { ORDER_WINDOW, ORDER_BUFFER, ORDER_DROP_BUFFER, ORDER_CONTENTS, ORDER_QUIT };

/* What one thread saw of a window. */
struct reading {
	uint64_t begin, end; /* ticks */
	uint64_t slices; /* that the thread streamed */
	double ghz_before,
		ghz_after; /* dependent-add chains right beside the window; 0 = unknown */
	double width_before,
		width_after; /* additions a cycle that the core gave, beside the window; 0 = unknown */
	long switches,
		faults; /* involuntary context switches and minor + major page faults since before the first chain */
	bool migrated;
};

struct member {
	struct tp_team *team;
	unsigned index, cpu;
	pthread_t thread;
	bool started;
	struct tp_buffer buffer;
	struct tp_chase chase; /* that the buffer holds; 0 bytes: numbers only */
	size_t stream_at; /* where the next slice begins */
	enum tp_status status; /* of the last order */
	struct tp_diag diag;
	struct reading window;
	struct tp_core_width width;
	_Alignas(CACHE_LINE) void *cell; /* where the chase goes on */
} __attribute__((aligned(CACHE_LINE)));

struct tp_team {
	const struct tp_clock *clock;
	struct member *members;
	unsigned n;

	struct tp_gauge chain, width;

	/* The order of the day: written by thread 0, then published by `round`. */
	enum order order;
	struct tp_window_work work;
	size_t buffer_bytes;
	enum tp_pages pages;
	unsigned chasers;
	struct tp_chase chase;

	_Alignas(CACHE_LINE) atomic_uint round; /* futex: a new order */
	_Alignas(CACHE_LINE) atomic_uint arrived; /* barrier inside a window */
	_Alignas(CACHE_LINE) atomic_uint gate;
	_Alignas(CACHE_LINE) atomic_uint finished; /* threads that carried the order out */
	_Alignas(CACHE_LINE)
		atomic_bool streaming; /* until the first thread has ended its window */
};

static void relax(const struct tp_team *team)
{
	if (team->clock->arch && team->clock->arch->relax)
		team->clock->arch->relax();
}

/* All threads leave together; the last one to come opens the gate. Spinning only: windows must not start with a wake-up. */
static void barrier(struct tp_team *team)
{
	if (team->n == 1)
		return;
	unsigned gate = atomic_load_explicit(&team->gate, memory_order_relaxed);
	if (atomic_fetch_add_explicit(&team->arrived, 1, memory_order_acq_rel) + 1 == team->n) {
		atomic_store_explicit(&team->arrived, 0, memory_order_relaxed);
		atomic_store_explicit(&team->gate, gate + 1, memory_order_release);
		return;
	}
	while (atomic_load_explicit(&team->gate, memory_order_acquire) == gate)
		relax(team);
}

/*
 * Additions a cycle that the calling thread's core gives, from two readings in additions a nanosecond and the chains beside them. A
 * chain reads low when something disturbs it, never high, and a frequency that is too low makes the core look too wide: the higher of the
 * two counts.
 */
static void judge_width(struct member *m, double before, double after, double ghz,
			struct reading *w)
{
	w->width_before = ghz > 0 ? before / ghz : 0;
	w->width_after = ghz > 0 ? after / ghz : 0;
	tp_core_width_learn(&m->width, TP_MAX(w->width_before, w->width_after));
}

/* Slices until the first thread is done. */
static void stream(struct member *m)
{
	struct tp_team *team = m->team;
	const struct tp_window_stream *s = team->work.stream;
	struct reading *w = &m->window;
	/* Not all at once: streams with long pauses would come in bursts. */
	uint64_t stagger = s->pause ? s->pause_passes * m->index / team->n : 0;
	if (stagger)
		s->pause(NULL, stagger);
	w->begin = tp_clock_begin(team->clock);
	while (atomic_load_explicit(&team->streaming, memory_order_relaxed)) {
		if (m->stream_at + s->slice_bytes > s->bytes)
			m->stream_at = 0;
		s->slice(m->buffer.data + m->stream_at, 1);
		m->stream_at += s->slice_bytes;
		w->slices++;
		if (s->pause)
			s->pause(NULL, s->pause_passes);
	}
	w->end = tp_clock_end(team->clock);
}

static void run_window(struct member *m)
{
	struct tp_team *team = m->team;
	const struct tp_window_work *work = &team->work;
	struct reading *w = &m->window;
	void *data = work->data ? work->data[m->index] : NULL;
	if (work->evict_bytes && team->clock->arch && team->clock->arch->flush)
		team->clock->arch->flush(data, work->evict_bytes);

	struct rusage before, after;
	getrusage(RUSAGE_THREAD, &before);
	barrier(team);
	/* The width is read next to the window on both sides: it vouches for what lies between. */
	w->ghz_before = tp_gauge_read(&team->chain);
	double before_gauge = tp_gauge_read(&team->width);
	barrier(team);
	w->slices = 0;
	if (work->stream && m->index > 0) {
		stream(m);
	} else {
		if (work->stream)
			work->kernel(data, work->stream->lead_passes);
		w->begin = tp_clock_begin(team->clock);
		if (!work->alone || m->index == 0)
			work->kernel(data, work->passes);
		w->end = tp_clock_end(team->clock);
		if (work->stream)
			atomic_store_explicit(&team->streaming, false, memory_order_relaxed);
	}
	/* The gauges wait for the others, or they would be read on a half idle machine. */
	barrier(team);
	double after_gauge = tp_gauge_read(&team->width);
	w->ghz_after = tp_gauge_read(&team->chain);
	judge_width(m, before_gauge, after_gauge, TP_MAX(w->ghz_before, w->ghz_after), w);
	getrusage(RUSAGE_THREAD, &after);

	w->switches = after.ru_nivcsw - before.ru_nivcsw;
	w->faults = after.ru_minflt - before.ru_minflt + after.ru_majflt - before.ru_majflt;
	w->migrated = sched_getcpu() != (int)m->cpu;
}

static void change_contents(struct member *m)
{
	struct tp_team *team = m->team;
	struct tp_chase wanted = { .bytes = 0 };
	if (m->index < team->chasers) {
		wanted = team->chase;
		wanted.seed += m->index;
	}
	if (wanted.bytes == m->chase.bytes &&
	    (wanted.bytes == 0 || tp_chase_equal(&wanted, &m->chase)))
		return;
	/* No pointer of the last chase is left where the next one does not write. */
	if (m->chase.bytes)
		tp_buffer_fill(&m->buffer, m->chase.bytes);
	m->chase = wanted;
	if (wanted.bytes)
		m->status = tp_chase_write(m->buffer.data, &wanted, &m->cell, &m->diag);
}

static void carry_out(struct member *m)
{
	struct tp_team *team = m->team;
	m->status = TP_OK;
	switch (team->order) {
	case ORDER_WINDOW:
		run_window(m);
		break;
	case ORDER_BUFFER:
		m->status = tp_buffer_init(&m->buffer, team->buffer_bytes, team->pages, &m->diag);
		m->chase.bytes = 0;
		m->stream_at = 0;
		break;
	case ORDER_DROP_BUFFER:
		tp_buffer_release(&m->buffer);
		break;
	case ORDER_CONTENTS:
		change_contents(m);
		break;
	case ORDER_QUIT:
		break;
	}
}

/* A first idea of how wide the core is, also when a neighbour leaves it to us only now and then. */
static void learn_width(struct member *m)
{
	enum { READINGS = 40 };
	for (int i = 0; i < READINGS; i++) {
		struct reading w;
		double before = tp_gauge_read(&m->team->chain);
		double width = tp_gauge_read(&m->team->width);
		double after = tp_gauge_read(&m->team->chain);
		judge_width(m, width, width, TP_MAX(before, after), &w);
	}
}

static void *member_main(void *argument)
{
	struct member *m = argument;
	struct tp_team *team = m->team;
	m->status = tp_machine_pin(m->cpu, &m->diag);
	if (m->status == TP_OK)
		learn_width(m);
	atomic_fetch_add_explicit(&team->finished, 1, memory_order_acq_rel);
	for (unsigned seen = 0;;) {
		unsigned round, spins = 0;
		while ((round = atomic_load_explicit(&team->round, memory_order_acquire)) == seen) {
			if (++spins < SPIN_ROUNDS)
				relax(team);
			else
				syscall(SYS_futex, &team->round, FUTEX_WAIT_PRIVATE, seen, NULL,
					NULL, 0);
		}
		seen = round;
		enum order order = team->order;
		carry_out(m);
		atomic_fetch_add_explicit(&team->finished, 1, memory_order_acq_rel);
		if (order == ORDER_QUIT)
			return NULL;
	}
}

static void wait_finished(struct tp_team *team, unsigned n)
{
	while (atomic_load_explicit(&team->finished, memory_order_acquire) < n)
		relax(team);
}

/* Every thread carries out team->order; returns when all have. */
static void command(struct tp_team *team, enum order order)
{
	team->order = order;
	atomic_store_explicit(&team->finished, 0, memory_order_relaxed);
	if (team->n > 1) {
		atomic_fetch_add_explicit(&team->round, 1, memory_order_acq_rel);
		syscall(SYS_futex, &team->round, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
	}
	carry_out(&team->members[0]);
	wait_finished(team, team->n - 1);
}

/* The first member whose last order failed. */
static enum tp_status first_failure(const struct tp_team *team, struct tp_diag *diag)
{
	for (unsigned i = 0; i < team->n; i++)
		if (team->members[i].status != TP_OK) {
			if (diag)
				*diag = team->members[i].diag;
			return team->members[i].status;
		}
	return TP_OK;
}

enum tp_status tp_team_new(struct tp_team **out, const struct tp_clock *clock,
			   const struct tp_cpu *cpu, const unsigned *cpus, unsigned n,
			   struct tp_diag *diag)
{
	struct tp_team *team = aligned_alloc(CACHE_LINE, sizeof(*team));
	if (!team)
		return tp_fail(diag, TP_NOMEM, "team", NULL, "out of memory");
	memset(team, 0, sizeof(*team));
	team->clock = clock;
	team->n = n;
	team->members = aligned_alloc(CACHE_LINE, n * sizeof(*team->members));
	enum tp_status status = TP_NOMEM;
	if (!team->members) {
		tp_fail(diag, TP_NOMEM, "team", NULL, "out of memory");
		goto fail;
	}
	memset(team->members, 0, n * sizeof(*team->members));
	for (unsigned i = 0; i < n; i++)
		team->members[i] = (struct member){ .team = team, .index = i, .cpu = cpus[i] };
	status = tp_machine_pin(cpus[0], diag);
	if (status == TP_OK)
		status = tp_gauge_init(&team->chain, TP_KERNEL_CHAIN, CHAIN_PASSES, clock, cpu,
				       diag);
	if (status == TP_OK)
		status = tp_gauge_init(&team->width, TP_KERNEL_WIDTH, WIDTH_PASSES, clock, cpu,
				       diag);
	if (status != TP_OK)
		goto fail;
	learn_width(&team->members[0]);
	for (unsigned i = 1; i < n; i++) {
		int error = pthread_create(&team->members[i].thread, NULL, member_main,
					   &team->members[i]);
		if (error) {
			status = tp_fail(diag, TP_RESOURCE, "team",
					 "raise the limit on processes (ulimit -u)",
					 "cannot start thread %u of %u: %s", i, n, strerror(error));
			team->n = i; /* the threads that did start must be told to quit */
			goto fail;
		}
		team->members[i].started = true;
	}
	wait_finished(team, n - 1);
	status = first_failure(team, diag);
	if (status != TP_OK)
		goto fail;
	*out = team;
	return TP_OK;
fail:
	tp_team_free(team);
	return status;
}

void tp_team_free(struct tp_team *team)
{
	if (!team)
		return;
	if (team->members) {
		unsigned started = 0;
		for (unsigned i = 1; i < team->n; i++)
			started += team->members[i].started;
		if (started) {
			wait_finished(team, started);
			command(team, ORDER_QUIT);
		}
		for (unsigned i = 0; i < team->n; i++) {
			if (team->members[i].started)
				pthread_join(team->members[i].thread, NULL);
			tp_buffer_release(&team->members[i].buffer);
		}
	}
	tp_gauge_release(&team->chain);
	tp_gauge_release(&team->width);
	free(team->members);
	free(team);
}

enum tp_status tp_team_check(struct tp_team *team, struct tp_diag *diag)
{
	for (unsigned i = 0; i < team->n; i++) {
		const struct member *m = &team->members[i];
		cpu_set_t *set = CPU_ALLOC(m->cpu + 1);
		size_t bytes = CPU_ALLOC_SIZE(m->cpu + 1);
		if (!set)
			return tp_fail(diag, TP_NOMEM, "team", NULL, "out of memory");
		CPU_ZERO_S(bytes, set);
		CPU_SET_S(m->cpu, bytes, set);
		/* The kernel refuses a CPU that is offline or outside the cpuset; nothing changes where the pin still holds. */
		int error = pthread_setaffinity_np(i == 0 ? pthread_self() : m->thread, bytes, set);
		CPU_FREE(set);
		if (error)
			return tp_fail(
				diag, TP_PERM, "team",
				"it was taken offline, or the cpuset of this process shrank; "
				"--resume measures the rest when it is back",
				"CPU %u can no longer be used: %s", m->cpu, strerror(error));
	}
	return TP_OK;
}

unsigned tp_team_size(const struct tp_team *team)
{
	return team->n;
}

const struct tp_clock *tp_team_clock(const struct tp_team *team)
{
	return team->clock;
}

enum tp_status tp_team_buffers(struct tp_team *team, size_t bytes, enum tp_pages pages,
			       struct tp_diag *diag)
{
	if (team->members[0].buffer.data && team->buffer_bytes >= bytes && team->pages == pages)
		return TP_OK;
	command(team, ORDER_DROP_BUFFER);
	team->buffer_bytes = bytes;
	team->pages = pages;
	command(team, ORDER_BUFFER);
	enum tp_status status = first_failure(team, diag);
	if (status != TP_OK)
		command(team, ORDER_DROP_BUFFER);
	return status;
}

char *tp_team_data(const struct tp_team *team, unsigned thread)
{
	return team->members[thread].buffer.data;
}

enum tp_status tp_team_contents(struct tp_team *team, unsigned chasers,
				const struct tp_chase *chase, struct tp_diag *diag)
{
	bool any = chasers > 0;
	for (unsigned i = 0; i < team->n && !any; i++)
		any = team->members[i].chase.bytes > 0;
	if (!any)
		return TP_OK;
	team->chasers = chasers;
	if (chasers)
		team->chase = *chase;
	command(team, ORDER_CONTENTS);
	return first_failure(team, diag);
}

void *tp_team_cell(struct tp_team *team, unsigned thread)
{
	return &team->members[thread].cell;
}

const char *tp_team_pages(const struct tp_team *team)
{
	const char *first = team->members[0].buffer.obtained;
	for (unsigned i = 1; i < team->n; i++)
		if (strcmp(team->members[i].buffer.obtained, first) != 0)
			return "mixed";
	return first;
}

static double gbps_of_stream(const struct tp_team *team, const struct reading *w)
{
	double seconds = tp_clock_seconds(team->clock, w->begin, w->end);
	double bytes = (double)w->slices * (double)team->work.stream->slice_bytes;
	return seconds > 0 ? bytes / seconds * 1e-9 : 0;
}

void tp_team_window(struct tp_team *team, const struct tp_window_work *work, struct tp_window *out)
{
	team->work = *work;
	atomic_store_explicit(&team->streaming, work->stream != NULL, memory_order_relaxed);
	command(team, ORDER_WINDOW);
	*out = (struct tp_window){ 0 };
	uint64_t begin = team->members[0].window.begin, end = team->members[0].window.end;
	double chains = 0;
	for (unsigned i = 0; i < team->n; i++) {
		const struct reading *w = &team->members[i].window;
		if (work->stream) {
			out->stream_gbps += gbps_of_stream(team, w);
		} else {
			begin = (int64_t)(w->begin - begin) < 0 ? w->begin : begin;
			end = (int64_t)(w->end - end) > 0 ? w->end : end;
		}
		double narrow = TP_MIN(w->width_before, w->width_after);
		if (!tp_core_width_is_whole(&team->members[i].width, narrow))
			out->flags |= TP_FLAG(SIBLING);
		chains += (w->ghz_before + w->ghz_after) / 2;
		out->flags |= w->switches > 0 ? TP_FLAG(CTX_SWITCH) : 0;
		out->flags |= w->faults > 0 ? TP_FLAG(PAGE_FAULT) : 0;
		out->flags |= w->migrated ? TP_FLAG(MIGRATED) : 0;
	}
	out->seconds = tp_clock_seconds(team->clock, begin, end);
	out->ghz = chains / team->n;
}
