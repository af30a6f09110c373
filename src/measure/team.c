/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/team.h"
#include "kernels/kernel.h"
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

enum { CACHE_LINE = 64, SPIN_ROUNDS = 20000, CHAIN_PASSES = 16 };

enum order { ORDER_WINDOW, ORDER_BUFFER, ORDER_DROP_BUFFER, ORDER_QUIT };

struct member {
	struct tp_team *team;
	unsigned index, cpu;
	pthread_t thread;
	bool started;
	struct tp_buffer buffer;
	enum tp_status status; /* of the last order */
	struct tp_diag diag;
	struct tp_window_thread window;
} __attribute__((aligned(CACHE_LINE)));

struct tp_team {
	const struct tp_clock *clock;
	struct member *members;
	unsigned n;
	struct tp_window_thread *results;

	/* The dependent-add chain that tells the core frequency. */
	struct tp_code chain;
	double chain_additions; /* per pass; 0 = no chain on this architecture */
	double chain_overhead_seconds;

	/* The order of the day: written by thread 0, then published by `round`. */
	enum order order;
	struct tp_window_work work;
	size_t buffer_bytes;
	enum tp_pages pages;

	_Alignas(CACHE_LINE) atomic_uint round; /* futex: a new order */
	_Alignas(CACHE_LINE) atomic_uint arrived; /* barrier inside a window */
	_Alignas(CACHE_LINE) atomic_uint gate;
	_Alignas(CACHE_LINE) atomic_uint finished; /* threads that carried the order out */
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

static double chain_seconds(const struct tp_team *team, uint64_t passes)
{
	tp_kernel_function chain = tp_code_function(&team->chain);
	uint64_t begin = tp_clock_begin(team->clock);
	chain(NULL, passes);
	return tp_clock_seconds(team->clock, begin, tp_clock_end(team->clock));
}

/* Core frequency now: every addition of the chain takes one core cycle by construction. */
static double chain_ghz(const struct tp_team *team)
{
	if (!(team->chain_additions > 0))
		return 0;
	/* A streaming kernel has thrown the chain's code out of the caches: fetch it before the clock starts. */
	chain_seconds(team, 1);
	double seconds = chain_seconds(team, CHAIN_PASSES) - team->chain_overhead_seconds;
	return seconds > 0 ? CHAIN_PASSES * team->chain_additions / seconds * 1e-9 : 0;
}

static void run_window(struct member *m)
{
	struct tp_team *team = m->team;
	const struct tp_window_work *work = &team->work;
	struct tp_window_thread *w = &m->window;
	void *data = work->data ? work->data[m->index] : NULL;
	if (work->evict_bytes && team->clock->arch && team->clock->arch->flush)
		team->clock->arch->flush(data, work->evict_bytes);

	struct rusage before, after;
	getrusage(RUSAGE_THREAD, &before);
	barrier(team);
	w->ghz_before = chain_ghz(team);
	barrier(team);
	w->begin = tp_clock_begin(team->clock);
	if (!work->alone || m->index == 0)
		work->kernel(data, work->passes);
	w->end = tp_clock_end(team->clock);
	/* The chain waits for the others, or it would be measured on a half idle machine. */
	barrier(team);
	w->ghz_after = chain_ghz(team);
	getrusage(RUSAGE_THREAD, &after);

	w->seconds = tp_clock_seconds(team->clock, w->begin, w->end);
	w->switches = after.ru_nivcsw - before.ru_nivcsw;
	w->faults = after.ru_minflt - before.ru_minflt + after.ru_majflt - before.ru_majflt;
	w->migrated = sched_getcpu() != (int)m->cpu;
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
		break;
	case ORDER_DROP_BUFFER:
		tp_buffer_release(&m->buffer);
		break;
	case ORDER_QUIT:
		break;
	}
}

static void *member_main(void *argument)
{
	struct member *m = argument;
	struct tp_team *team = m->team;
	m->status = tp_machine_pin(m->cpu, &m->diag);
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

/* Emits the chain and finds what one call costs beside its additions: from the shortest of many short and long runs. */
static enum tp_status prepare_chain(struct tp_team *team, const struct tp_cpu *cpu,
				    struct tp_diag *diag)
{
	enum { TRIES = 25 };
	const struct tp_isa *isa = NULL;
	for (size_t i = 0; i < tp_isa_count && !isa; i++)
		if (tp_isa_supported(tp_isa_table[i], cpu, NULL) == TP_OK)
			isa = tp_isa_table[i];
	if (!isa)
		return TP_OK; /* frequency stays unknown, which every point says */
	struct tp_kernel kernel = { .kind = TP_KERNEL_CHAIN, .isa = isa, .element_bytes = 8 };
	enum tp_status status = tp_kernel_emit(&kernel, cpu, &team->chain, diag);
	if (status != TP_OK)
		return status;
	struct tp_kernel_counts counts;
	tp_kernel_count(&kernel, cpu, &counts);
	team->chain_additions = (double)counts.other;
	double one = 1, many = 1;
	for (int i = 0; i < TRIES; i++) {
		double a = chain_seconds(team, 1), b = chain_seconds(team, 1 + CHAIN_PASSES);
		one = a < one ? a : one;
		many = b < many ? b : many;
	}
	double overhead = one - (many - one) / CHAIN_PASSES;
	team->chain_overhead_seconds = overhead > 0 ? overhead : 0;
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
	team->results = calloc(n, sizeof(*team->results));
	enum tp_status status = TP_NOMEM;
	if (!team->members || !team->results) {
		tp_fail(diag, TP_NOMEM, "team", NULL, "out of memory");
		goto fail;
	}
	memset(team->members, 0, n * sizeof(*team->members));
	for (unsigned i = 0; i < n; i++)
		team->members[i] = (struct member){ .team = team, .index = i, .cpu = cpus[i] };
	status = tp_machine_pin(cpus[0], diag);
	if (status == TP_OK)
		status = prepare_chain(team, cpu, diag);
	if (status != TP_OK)
		goto fail;
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
	tp_code_release(&team->chain);
	free(team->members);
	free(team->results);
	free(team);
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

const char *tp_team_pages(const struct tp_team *team)
{
	const char *first = team->members[0].buffer.obtained;
	for (unsigned i = 1; i < team->n; i++)
		if (strcmp(team->members[i].buffer.obtained, first) != 0)
			return "mixed";
	return first;
}

void tp_team_window(struct tp_team *team, const struct tp_window_work *work, struct tp_window *out)
{
	team->work = *work;
	command(team, ORDER_WINDOW);
	*out = (struct tp_window){ .threads = team->results };
	uint64_t begin = team->members[0].window.begin, end = team->members[0].window.end;
	double chains = 0;
	for (unsigned i = 0; i < team->n; i++) {
		const struct tp_window_thread *w = &team->members[i].window;
		team->results[i] = *w;
		begin = (int64_t)(w->begin - begin) < 0 ? w->begin : begin;
		end = (int64_t)(w->end - end) > 0 ? w->end : end;
		chains += (w->ghz_before + w->ghz_after) / 2;
		double slow = w->ghz_before < w->ghz_after ? w->ghz_before : w->ghz_after;
		if (i == 0 || slow < out->slowest_ghz)
			out->slowest_ghz = slow;
		out->flags |= w->switches > 0 ? TP_FLAG(CTX_SWITCH) : 0;
		out->flags |= w->faults > 0 ? TP_FLAG(PAGE_FAULT) : 0;
		out->flags |= w->migrated ? TP_FLAG(MIGRATED) : 0;
	}
	out->seconds = tp_clock_seconds(team->clock, begin, end);
	out->ghz = chains / team->n;
}
