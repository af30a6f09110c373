/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <limits.h>
#include <linux/futex.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/process.h"
#include "base/str.h"
#include "base/memory.h"
#include "machine/machine.h"
#include "measure/gauge.h"
#include "measure/team_parts.h"

enum { CACHE_LINE = 64 };

enum order {
	ORDER_WINDOW,
	ORDER_RESERVE,
	ORDER_TOUCH,
	ORDER_DROP_BUFFER,
	ORDER_CONTENTS,
	ORDER_QUIT
};

struct threads;

struct member {
	struct threads *team;
	unsigned index, cpu;
	pthread_t thread;
	bool started;
	struct tp_buffer buffer;
	struct tp_chase chase; /* that the buffer holds; 0 bytes: numbers only */
	size_t stream_at; /* where the next slice begins */
	enum tp_status status; /* of the last order */
	struct tp_diag diag;
	struct tp_window_reading *window;
	_Alignas(CACHE_LINE) void *cell; /* where the chase goes on */
} __attribute__((aligned(CACHE_LINE)));

struct threads {
	struct tp_team base;
	struct member *members;
	struct tp_gauge gauge;
	bool openmp; /* its threads belong to OpenMP, not to us */
	size_t looked_bytes; /* of a buffer when `obtained` was found */
	char obtained[16];

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

static inline void tp_threads_relax(const struct threads *team)
{
	if (team->base.clock->arch && team->base.clock->arch->relax)
		team->base.clock->arch->relax();
}

/* Between two checks whether the process was asked to end. */
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

/* The slices that the window will walk through. */
static void flush_walk(const struct member *m, const char *data, const struct tp_arch *arch)
{
	const struct tp_window_walk *walk = &m->team->work.walk;
	size_t at = walk->from;
	for (uint64_t i = 0; i < m->team->work.passes && !tp_stop_asked; i++) {
		if (at + walk->slice_bytes > walk->bytes)
			at = 0;
		arch->flush(data + at, walk->slice_bytes);
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

/* The data of a chase, and of a stream during it, are the buffer; waiting threads have none. */
static void evict(const struct member *m, const void *data)
{
	const struct tp_window_work *work = &m->team->work;
	const struct tp_arch *arch = m->team->base.clock->arch;
	size_t bytes = work->evict_bytes;
	if (work->described && work->described->kind == TP_KERNEL_CHASE)
		data = m->chase.bytes ? m->buffer.data : NULL;
	if (work->stream && work->stream->flushed && m->index > 0) {
		data = m->buffer.data;
		bytes = work->stream->bytes;
	}
	if (!data || !arch || !arch->flush)
		return;
	if (work->walk.flushed) {
		flush_walk(m, data, arch);
		return;
	}
	if (work->evict_places) {
		evict_places(m, arch);
		return;
	}
	for (size_t at = 0; at < bytes && !tp_stop_asked; at += EVICT_STEP_BYTES)
		arch->flush((const char *)data + at, TP_MIN(EVICT_STEP_BYTES, bytes - at));
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

/* A window, on the member's own thread: fills its reading. */
static void tp_threads_window(struct member *m)
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

enum { SPIN_ROUNDS = 20000 };

static void change_contents(struct member *m)
{
	struct threads *team = m->team;
	const struct tp_chase wanted = tp_chase_of(&team->chase, team->chasers, m->index);
	if (tp_chase_equal(&wanted, &m->chase))
		return;
	/* No pointer of the last chase is left where the next one does not write. */
	if (m->chase.bytes)
		tp_buffer_fill(&m->buffer, m->chase.bytes);
	m->chase = wanted;
	if (wanted.bytes)
		m->status = tp_chase_write(m->buffer.data, &wanted, &m->cell, &m->diag);
}

/* An earlier buffer that is usable, such as an earlier team's; it releases the excess. */
static bool keep_buffer(struct member *m)
{
	const struct threads *team = m->team;
	if (m->buffer.pages != team->pages || m->buffer.most_bytes < team->buffer_bytes)
		return false;
	tp_buffer_trim(&m->buffer, team->buffer_bytes);
	return true;
}

static void carry_out(struct member *m)
{
	struct threads *team = m->team;
	m->status = TP_OK;
	switch (team->order) {
	case ORDER_WINDOW:
		tp_threads_window(m);
		break;
	case ORDER_RESERVE:
		if (keep_buffer(m))
			break;
		tp_buffer_release(&m->buffer);
		m->status = tp_buffer_init(&m->buffer, team->buffer_bytes, team->pages, &m->diag);
		m->chase = (struct tp_chase){ 0 };
		m->stream_at = 0;
		break;
	case ORDER_TOUCH:
		m->status = tp_buffer_grow(&m->buffer, team->buffer_bytes, &m->diag);
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

static void carry_out_one(void *context, unsigned i)
{
	struct threads *team = context;
	carry_out(&team->members[i]);
}

static void *member_main(void *argument)
{
	struct member *m = argument;
	struct threads *team = m->team;
	m->status = tp_machine_pin(m->cpu, &m->diag);
	atomic_fetch_add_explicit(&team->finished, 1, memory_order_acq_rel);
	for (unsigned seen = 0;;) {
		unsigned round, spins = 0;
		while ((round = atomic_load_explicit(&team->round, memory_order_acquire)) == seen) {
			if (++spins < SPIN_ROUNDS)
				tp_threads_relax(team);
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

static void wait_finished(struct threads *team, unsigned n)
{
	while (atomic_load_explicit(&team->finished, memory_order_acquire) < n)
		tp_threads_relax(team);
}

/* Every thread carries out team->order; returns when all have. */
static void command(struct threads *team, enum order order)
{
	team->order = order;
	if (team->openmp) {
		(void)tp_openmp_each(team->base.n, carry_out_one, team);
		return;
	}
	atomic_store_explicit(&team->finished, 0, memory_order_relaxed);
	if (team->base.n > 1) {
		atomic_fetch_add_explicit(&team->round, 1, memory_order_acq_rel);
		syscall(SYS_futex, &team->round, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
	}
	carry_out(&team->members[0]);
	wait_finished(team, team->base.n - 1);
}

/* The first member whose last order failed. */
static enum tp_status first_failure(const struct threads *team, struct tp_diag *diag)
{
	for (unsigned i = 0; i < team->base.n; i++)
		if (team->members[i].status != TP_OK) {
			if (diag)
				*diag = team->members[i].diag;
			return team->members[i].status;
		}
	return TP_OK;
}

static struct threads *threads_of(const struct tp_team *team)
{
	return (struct threads *)team; /* base is its first member */
}

static void threads_free(struct tp_team *base)
{
	struct threads *team = threads_of(base);
	if (team->members) {
		unsigned started = 0;
		for (unsigned i = 1; i < base->n; i++)
			started += team->members[i].started;
		if (started) {
			wait_finished(team, started);
			command(team, ORDER_QUIT);
		}
		for (unsigned i = 0; i < base->n; i++) {
			if (team->members[i].started)
				pthread_join(team->members[i].thread, NULL);
			tp_buffer_release(&team->members[i].buffer);
		}
	}
	tp_gauge_release(&team->gauge);
	tp_team_parts_release(base);
	free(team->members);
	free(team);
}

static enum tp_status threads_check(struct tp_team *base, struct tp_diag *diag)
{
	const struct threads *team = threads_of(base);
	for (unsigned i = 0; i < base->n; i++) {
		const struct member *m = &team->members[i];
		size_t bytes;
		cpu_set_t *set = tp_process_cpus(&m->cpu, 1, &bytes);
		/*
		 * The kernel refuses a CPU that is offline or outside the cpuset; nothing changes
		 * where the pin still holds.
		 */
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

static enum tp_status threads_reserve(struct tp_team *base, size_t most_bytes, enum tp_pages pages,
				      struct tp_diag *diag)
{
	struct threads *team = threads_of(base);
	team->buffer_bytes = most_bytes;
	team->pages = pages;
	team->looked_bytes = 0;
	command(team, ORDER_RESERVE);
	enum tp_status status = first_failure(team, diag);
	if (status != TP_OK)
		command(team, ORDER_DROP_BUFFER);
	base->touched_bytes = team->members[0].buffer.bytes;
	for (unsigned i = 1; i < base->n; i++)
		base->touched_bytes = TP_MIN(base->touched_bytes, team->members[i].buffer.bytes);
	return status;
}

/* Memory stays on the CPU that touched it. */
static void threads_inherit(struct tp_team *base, struct tp_team *from)
{
	struct threads *team = threads_of(base), *before = threads_of(from);
	for (unsigned i = 0; i < base->n; i++)
		for (unsigned k = 0; k < from->n; k++) {
			struct member *m = &team->members[i], *old = &before->members[k];
			if (m->cpu != old->cpu)
				continue;
			m->buffer = old->buffer;
			m->chase = old->chase;
			m->cell = old->cell;
			old->buffer = (struct tp_buffer){ 0 };
		}
	from->reserved_bytes = from->touched_bytes = 0;
}

static enum tp_status threads_touch(struct tp_team *base, size_t bytes, struct tp_diag *diag)
{
	struct threads *team = threads_of(base);
	team->buffer_bytes = bytes;
	command(team, ORDER_TOUCH);
	return first_failure(team, diag);
}

static char *threads_data(const struct tp_team *team, unsigned thread)
{
	return threads_of(team)->members[thread].buffer.data;
}

static enum tp_status threads_contents(struct tp_team *base, unsigned chasers,
				       const struct tp_chase *chase, struct tp_diag *diag)
{
	struct threads *team = threads_of(base);
	bool any = chasers > 0;
	for (unsigned i = 0; i < base->n && !any; i++)
		any = team->members[i].chase.bytes > 0;
	if (!any)
		return TP_OK;
	team->chasers = chasers;
	if (chasers)
		team->chase = *chase;
	command(team, ORDER_CONTENTS);
	return first_failure(team, diag);
}

static void *threads_cell(struct tp_team *team, unsigned thread)
{
	return &threads_of(team)->members[thread].cell;
}

static bool threads_evicts(const struct tp_team *team)
{
	return team->clock->arch && team->clock->arch->flush;
}

static const char *threads_pages(const struct tp_team *base)
{
	struct threads *team = threads_of(base);
	if (team->looked_bytes == base->touched_bytes)
		return team->obtained;
	team->looked_bytes = base->touched_bytes;
	for (unsigned i = 0; i < base->n; i++) {
		char here[sizeof(team->obtained)];
		tp_buffer_obtained(&team->members[i].buffer, here, sizeof(here));
		if (i == 0)
			tp_copy(team->obtained, sizeof(team->obtained), here);
		else if (strcmp(here, team->obtained) != 0)
			tp_copy(team->obtained, sizeof(team->obtained), "mixed");
	}
	return team->obtained;
}

static void threads_window(struct tp_team *base, const struct tp_window_work *work)
{
	struct threads *team = threads_of(base);
	team->work = *work;
	atomic_store_explicit(&team->streaming, work->stream != NULL, memory_order_relaxed);
	command(team, ORDER_WINDOW);
}

static double threads_now(const struct tp_team *team __attribute__((unused)))
{
	return tp_now_seconds();
}

static void threads_rest(struct tp_team *team __attribute__((unused)), double seconds)
{
	nanosleep(&(struct timespec){ (time_t)seconds, (long)(fmod(seconds, 1) * 1e9) }, NULL);
}

static const struct tp_team_kind threads_kind = {
	.free = threads_free,
	.check = threads_check,
	.reserve = threads_reserve,
	.inherit = threads_inherit,
	.touch = threads_touch,
	.data = threads_data,
	.pages = threads_pages,
	.contents = threads_contents,
	.cell = threads_cell,
	.evicts = threads_evicts,
	.emit = tp_kernel_emit,
	.window = threads_window,
	.now = threads_now,
	.rest = threads_rest,
};

static void pin_one(void *context, unsigned i)
{
	struct threads *team = context;
	struct member *m = &team->members[i];
	m->thread = pthread_self();
	m->status = tp_machine_pin(m->cpu, &m->diag);
}

/* OpenMP keeps its threads from one parallel region to the next, and their CPUs with them. */
static enum tp_status start_openmp(struct threads *team, struct tp_diag *diag)
{
	unsigned got = tp_openmp_each(team->base.n, pin_one, team);
	if (got == 0)
		return tp_fail(diag, TP_UNSUPPORTED, "team",
			       "install a compiler with OpenMP and build tprof again",
			       "this tprof was built without OpenMP");
	if (got < team->base.n)
		return tp_fail(diag, TP_RESOURCE, "team",
			       "unset OMP_THREAD_LIMIT, or raise the limit on processes (ulimit "
			       "-u)",
			       "OpenMP gives %u threads instead of %u", got, team->base.n);
	return first_failure(team, diag);
}

static enum tp_status start(struct threads *team, const struct tp_cpu *cpu, const unsigned *cpus,
			    struct tp_diag *diag)
{
	unsigned n = team->base.n;
	team->members = aligned_alloc(CACHE_LINE, n * sizeof(*team->members));
	if (!team->members)
		tp_out_of_memory();
	memset(team->members, 0, n * sizeof(*team->members));
	for (unsigned i = 0; i < n; i++)
		team->members[i] = (struct member){
			.team = team, .index = i, .cpu = cpus[i], .window = &team->base.readings[i]
		};
	enum tp_status status = tp_machine_pin(cpus[0], diag);
	if (status == TP_OK)
		status = tp_gauge_init(&team->gauge, team->base.clock, cpu, diag);
	if (status != TP_OK)
		return status;
	team->base.chain_additions = team->gauge.unit.chain_additions;
	team->base.width_additions = team->gauge.unit.width_additions;
	if (team->openmp)
		return start_openmp(team, diag);
	for (unsigned i = 1; i < n; i++) {
		int error = pthread_create(&team->members[i].thread, NULL, member_main,
					   &team->members[i]);
		if (error) {
			team->base.n = i; /* the threads that did start must be told to quit */
			return tp_fail(diag, TP_RESOURCE, "team",
				       "raise the limit on processes (ulimit -u)",
				       "cannot start thread %u of %u: %s", i, n, strerror(error));
		}
		team->members[i].started = true;
	}
	wait_finished(team, n - 1);
	return first_failure(team, diag);
}

static enum tp_status new_team(struct tp_team **out, bool openmp, const struct tp_clock *clock,
			       const struct tp_cpu *cpu, const unsigned *cpus, unsigned n,
			       struct tp_diag *diag)
{
	struct threads *team = aligned_alloc(CACHE_LINE, sizeof(*team));
	if (!team)
		tp_out_of_memory();
	memset(team, 0, sizeof(*team));
	team->openmp = openmp;
	tp_team_parts_init(&team->base, &threads_kind, clock, n);
	enum tp_status status = start(team, cpu, cpus, diag);
	if (status != TP_OK) {
		threads_free(&team->base);
		return status;
	}
	tp_team_learn(&team->base);
	*out = &team->base;
	return TP_OK;
}

enum tp_status tp_team_new(struct tp_team **team, const struct tp_clock *clock,
			   const struct tp_cpu *cpu, const unsigned *cpus, unsigned n,
			   struct tp_diag *diag)
{
	return new_team(team, false, clock, cpu, cpus, n, diag);
}

enum tp_status tp_openmp_team_new(struct tp_team **team, const struct tp_clock *clock,
				  const struct tp_cpu *cpu, const unsigned *cpus, unsigned n,
				  struct tp_diag *diag)
{
	return new_team(team, true, clock, cpu, cpus, n, diag);
}
