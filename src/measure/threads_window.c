/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a thread of a team does in a window. */
#include "measure/threads_parts.h"
#include "base/stop.h"
#include "base/vec.h"

#include <sched.h>
#include <sys/resource.h>

/* Between two looks at whether the process was asked to end. */
#define EVICT_STEP_BYTES ((size_t)4 << 20)

/*
 * All threads leave together; the last one to come opens the gate. Spinning only: windows must not
 * start with a wake-up.
 */
static void barrier(struct threads *team)
{
	if (team->base.n == 1)
		return;
	unsigned gate = atomic_load_explicit(&team->gate, memory_order_relaxed);
	if (atomic_fetch_add_explicit(&team->arrived, 1, memory_order_acq_rel) + 1 ==
	    team->base.n) {
		atomic_store_explicit(&team->arrived, 0, memory_order_relaxed);
		atomic_store_explicit(&team->gate, gate + 1, memory_order_release);
		return;
	}
	while (atomic_load_explicit(&team->gate, memory_order_acquire) == gate)
		tp_threads_relax(team);
}

/* Slices until the first thread is done. */
static void stream(struct member *m)
{
	struct threads *team = m->team;
	const struct tp_window_stream *s = team->work.stream;
	struct tp_window_reading *w = m->window;
	/* Not all at once: streams with long pauses would come in bursts. */
	uint64_t stagger = s->pause ? s->pause_passes * m->index / team->base.n : 0;
	if (stagger)
		s->pause(NULL, stagger);
	w->begin = tp_clock_begin(team->base.clock);
	while (atomic_load_explicit(&team->streaming, memory_order_relaxed)) {
		if (m->stream_at + s->slice_bytes > s->bytes)
			m->stream_at = 0;
		s->slice(m->buffer.data + m->stream_at, 1);
		m->stream_at += s->slice_bytes;
		w->slices++;
		if (s->pause)
			s->pause(NULL, s->pause_passes);
	}
	w->end = tp_clock_end(team->base.clock);
}

static void run_kernel(const struct tp_window_work *work, char *data)
{
	const struct tp_window_walk *walk = &work->walk;
	if (!walk->slice_bytes) {
		work->kernel(data, work->passes);
		return;
	}
	size_t at = walk->from;
	for (uint64_t i = 0; i < work->passes; i++) {
		if (at + walk->slice_bytes > walk->bytes)
			at = 0;
		work->kernel(data + at, 1);
		at += walk->slice_bytes;
	}
}

static void evict_places(const struct member *m, const struct tp_arch *arch)
{
	const struct tp_window_work *work = &m->team->work;
	const void *const *places = &work->evict_places[m->index * work->n_evict_places];
	if (arch->flush_places) {
		arch->flush_places(places, work->n_evict_places, work->evict_bytes);
		return;
	}
	for (size_t i = 0; i < work->n_evict_places; i++)
		arch->flush(places[i], work->evict_bytes);
}

/* The data of a chase are the buffer; a thread that does not chase has none. */
static void evict(const struct member *m, const void *data)
{
	const struct tp_window_work *work = &m->team->work;
	const struct tp_arch *arch = m->team->base.clock->arch;
	if (work->described && work->described->kind == TP_KERNEL_CHASE)
		data = m->chase.bytes ? m->buffer.data : NULL;
	if (!data || !arch || !arch->flush)
		return;
	if (work->evict_places) {
		evict_places(m, arch);
		return;
	}
	for (size_t at = 0; at < work->evict_bytes && !tp_stop_asked; at += EVICT_STEP_BYTES)
		arch->flush((const char *)data + at,
			    TP_MIN(EVICT_STEP_BYTES, work->evict_bytes - at));
}

/* The window is what the kernel marked. */
static void take_mark(const struct tp_window_mark *mark, struct tp_window_reading *w)
{
	if (!mark->end)
		return;
	w->begin = mark->begin;
	w->end = mark->end;
	w->switches = mark->switches;
	w->faults = mark->faults;
}

void tp_threads_window(struct member *m)
{
	struct threads *team = m->team;
	const struct tp_window_work *work = &team->work;
	struct tp_window_reading *w = m->window;
	void *data = work->data ? work->data[m->index] : NULL;
	evict(m, data);
	if (work->marks)
		work->marks[m->index] = (struct tp_window_mark){ 0 };

	struct rusage before, after;
	getrusage(RUSAGE_THREAD, &before);
	barrier(team);
	tp_gauge_read(&team->gauge, &w->before);
	barrier(team);
	w->slices = 0;
	if (work->stream && m->index > 0) {
		stream(m);
	} else {
		bool runs = work->kernel && (!work->alone || m->index == 0);
		if (work->lead_passes && runs)
			work->kernel(data, work->lead_passes);
		if (work->lead_passes && !work->stream)
			barrier(team);
		w->begin = tp_clock_begin(team->base.clock);
		if (runs)
			run_kernel(work, data);
		w->end = tp_clock_end(team->base.clock);
		if (work->stream)
			atomic_store_explicit(&team->streaming, false, memory_order_relaxed);
	}
	/* The gauges wait for the others, or they would be read on a half idle machine. */
	barrier(team);
	tp_gauge_read(&team->gauge, &w->after);
	getrusage(RUSAGE_THREAD, &after);

	w->switches = after.ru_nivcsw - before.ru_nivcsw;
	w->faults = after.ru_minflt - before.ru_minflt + after.ru_majflt - before.ru_majflt;
	if (work->marks)
		take_mark(&work->marks[m->index], w);
	w->migrated = sched_getcpu() != (int)m->cpu;
}
