/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * TRIAD with OpenMP, static schedule: thread t has the t-th part of a, b and c in every pass. The
 * parts of a thread lie one after another in its own memory, which it touched first, so they use
 * all sets of a cache evenly at any size. The passes are counted inside the parallel region, so the
 * cost of starting and ending a region does not matter, even where the parts fit in the first
 * cache.
 */

#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "routines/parts.h"
#include "base/memory.h"
#include "base/process.h"

/*
 * Parts with the same page offset disturb each other least. Arrays that fit in a first cache stay
 * close together, unless they are whole pages: there gaps would leave some sets empty and overfill
 * others.
 */
enum { CLOSE_BYTES = 24 << 10 };

/*
 * From this size on the parts of a thread get the requested pages. Huge pages suit larger caches:
 * small pages lie anywhere, so some sets of the cache get too many of them.
 */
enum { LARGE_BYTES = 64 << 10, PAGE_BYTES = 4096, HUGE_BYTES = 2 << 20 };

/*
 * Loops are compared at the size that is measured: wide vectors are best in the first cache and
 * often worst in memory. There are many short heats, because a disturbance hits all loops alike and
 * the best heat of each counts; fewer where each takes long.
 */
#define HEAT_SECONDS 100e-6
#define LONG_SECONDS 5e-3

enum { HEATS = 9, LONG_HEATS = 3, CHECKS = 64 };

/* Each stamp fills a cache line, so that the threads do not share one. */
struct stamp {
	double start, end;
	double unused[6];
};

struct triad {
	struct tp_routine_config config;
	struct tp_buffer block;
	struct stamp *stamps; /* one a thread */
	uint64_t n; /* elements in all */
	enum tp_pages pages;
	uint64_t stride_bytes; /* distance from one thread's memory to the next */
	double g;
	tp_triad_fn *loop;
};

/* What one thread works on: elements `from` and up. */
struct part {
	double *a, *b, *c;
	uint64_t from, n;
};

/* From one array of a part to the next. */
static uint64_t spacing_bytes(uint64_t elements)
{
	uint64_t bytes = (elements + 7) / 8 * 64;
	return bytes < CLOSE_BYTES ? bytes : (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

static struct part part_of(const struct triad *t, unsigned thread)
{
	struct part p = { .from = tp_part_begin(t->n, thread, t->config.n_cpus) };
	p.n = tp_part_begin(t->n, thread + 1, t->config.n_cpus) - p.from;
	uint64_t spacing = spacing_bytes(p.n) / sizeof(double);
	p.a = (double *)(void *)(t->block.data + thread * t->stride_bytes);
	p.b = p.a + spacing;
	p.c = p.b + spacing;
	return p;
}

static double value_a(uint64_t i)
{
	return (double)(i % 8 + 1);
}

/*
 * With g = 3 every result is a small integer, so it does not matter whether product and sum are
 * rounded once or twice.
 */
static double value_b(uint64_t i)
{
	return (double)(i % 5 + 1);
}

/* Every thread to its CPU. */
static bool bind(struct triad *t)
{
	unsigned bound = 0, got = 0;
#pragma omp parallel num_threads((int)t->config.n_cpus) reduction(+ : bound)
	{
		unsigned me = (unsigned)omp_get_thread_num();
		bound += tp_process_bind(0, &t->config.cpus[me], 1);
#pragma omp master
		got = (unsigned)omp_get_num_threads();
	}
	return got == t->config.n_cpus && bound == got;
}

static void settle(void *state)
{
	(void)bind(state);
}

static void touch(struct triad *t)
{
#pragma omp parallel num_threads((int)t->config.n_cpus)
	{
		struct part p = part_of(t, (unsigned)omp_get_thread_num());
		for (uint64_t i = 0; i < p.n; i++) {
			p.a[i] = value_a(p.from + i);
			p.b[i] = value_b(p.from + i);
			p.c[i] = (double)NAN;
		}
	}
}

static double run(void *state, uint64_t calls)
{
	struct triad *t = state;
	unsigned n = t->config.n_cpus;
#pragma omp parallel num_threads((int)n)
	{
		unsigned me = (unsigned)omp_get_thread_num();
		struct stamp *stamp = &t->stamps[me];
		struct part p = part_of(t, me);
#pragma omp barrier
		stamp->start = tp_routine_now_seconds();
		t->loop(p.c, p.a, p.b, t->g, p.n, calls);
		stamp->end = tp_routine_now_seconds();
	}
	double start = t->stamps[0].start, end = t->stamps[0].end;
	for (unsigned i = 1; i < n; i++) {
		start = fmin(start, t->stamps[i].start);
		end = fmax(end, t->stamps[i].end);
	}
	return end - start;
}

/* The fastest loop for this size on this core. */
static void choose_loop(struct triad *t, double first_seconds)
{
	struct tp_triad_loop loops[TP_TRIAD_LOOPS_MAX];
	unsigned n = tp_triad_loops(loops);
	double best[TP_TRIAD_LOOPS_MAX];
	uint64_t calls = 1;
	unsigned heats = first_seconds > LONG_SECONDS ? LONG_HEATS : HEATS;
	while (run(t, calls) < HEAT_SECONDS / 2)
		calls *= 2;
	for (unsigned heat = 0; heat < heats; heat++)
		for (unsigned i = 0; i < n; i++) {
			t->loop = loops[i].run;
			double seconds = run(t, calls);
			best[i] = heat ? fmin(best[i], seconds) : seconds;
		}
	unsigned winner = n - 1;
	for (unsigned i = 0; i < n; i++)
		if (best[i] < best[winner])
			winner = i;
	t->loop = loops[winner].run;
}

static enum tp_status map_all(struct triad *t, struct tp_diag *diag)
{
	uint64_t threads = t->config.n_cpus, bytes = UINT64_MAX;
	if (t->n < UINT64_MAX / 64 / threads) {
		uint64_t lines = (t->n + 7) / 8 / threads + 1; /* of the largest part */
		uint64_t own_bytes = 3 * spacing_bytes(8 * lines);
		t->pages = own_bytes < LARGE_BYTES ? TP_PAGES_SMALL : t->config.pages;
		uint64_t align = t->pages == TP_PAGES_SMALL ? PAGE_BYTES : HUGE_BYTES;
		t->stride_bytes = (own_bytes + align - 1) / align * align;
		bytes = threads * t->stride_bytes;
	}
	enum tp_status status = tp_routine_fits(bytes, "triad", diag);
	if (status == TP_OK)
		status = tp_routine_map(&t->block, bytes, t->pages, diag);
	if (status != TP_OK)
		return status;
	t->stamps = aligned_alloc(64, t->config.n_cpus * sizeof(*t->stamps));
	if (!t->stamps)
		tp_out_of_memory();
	return TP_OK;
}

static enum tp_status open_triad(void **state, const struct tp_routine_config *config,
				 double *first_seconds, struct tp_diag *diag)
{
	struct tp_triad_loop loops[TP_TRIAD_LOOPS_MAX];
	struct triad *t = *state = tp_alloc(1, sizeof(*t));
	t->config = *config;
	t->n = config->size[0];
	t->g = 3;
	t->loop = loops[tp_triad_loops(loops) - 1].run;
	enum tp_status status = map_all(t, diag);
	if (status == TP_OK)
		status = tp_bind_self(config, diag);
	if (status != TP_OK)
		return status;
	omp_set_dynamic(0);
	if (!bind(t))
		return tp_fail(
			diag, TP_RESOURCE, "triad",
			"unset OMP_THREAD_LIMIT, or raise the limit on processes (ulimit -u)",
			"OpenMP does not give %u threads, each on its CPU", config->n_cpus);
	touch(t);
	*first_seconds = run(t, 1);
	choose_loop(t, *first_seconds);
	/* The ends of each part, and scattered elements. */
	for (unsigned thread = 0; thread < t->config.n_cpus; thread++) {
		struct part p = part_of(t, thread);
		for (uint64_t i = 0; p.n && i < CHECKS; i++) {
			uint64_t at = i + 1 < CHECKS ? p.n / CHECKS * i + i : p.n - 1;
			at = at < p.n ? at : p.n - 1;
			double want = value_a(p.from + at) + t->g * value_b(p.from + at);
			if (p.c[at] != want)
				return tp_fail(diag, TP_FAILED, "triad", NULL,
					       "wrong result: element %llu is %g and should be %g",
					       (unsigned long long)(p.from + at), p.c[at], want);
		}
	}
	return TP_OK;
}

static void free_triad(void *state)
{
	struct triad *t = state;
	tp_buffer_release(&t->block);
	free(t->stamps);
	free(t);
}

const struct tp_routine_kind tp_routine_triad = {
	.open = open_triad,
	.settle = settle,
	.run = run,
	.free = free_triad,
};

/* Fixed, so that the loop does not depend on the flags of the build. */
#pragma GCC optimize("O3")

/*
 * The passes are inside the function, so that no call and no loop end that is hard to predict
 * stands between two passes over a small array. The compiler writes out a block of 64 elements;
 * with fewer, counting the loop costs more than the loads and stores leave free. Because all passes
 * are alike, only the barrier makes the compiler repeat them.
 */
#define TRIAD_LOOP(name, attributes)                                                               \
	attributes static void name(double *restrict c, const double *restrict a,                  \
				    const double *restrict b, double g, size_t n, size_t passes)   \
	{                                                                                          \
		enum { BLOCK = 64 };                                                               \
		c = __builtin_assume_aligned(c, 64);                                               \
		a = __builtin_assume_aligned(a, 64);                                               \
		b = __builtin_assume_aligned(b, 64);                                               \
		for (; passes; passes--) {                                                         \
			size_t i = 0;                                                              \
			for (; i + BLOCK <= n; i += BLOCK) {                                       \
				_Pragma("omp simd") for (size_t j = i; j < i + BLOCK; j++) c[j] =  \
					a[j] + g * b[j];                                           \
			}                                                                          \
			for (; i < n; i++)                                                         \
				c[i] = a[i] + g * b[i];                                            \
			__asm__ volatile("" : : : "memory");                                       \
		}                                                                                  \
	}

TRIAD_LOOP(plain, )
#ifdef TP_TRIAD_TARGETS
#define TARGET(text) __attribute__((target(text)))
TRIAD_LOOP(avx2, TARGET("avx2,fma"))
/*
 * Vectors of 32 bytes with the larger set of registers, and vectors of 64 bytes: which is faster
 * depends on the core.
 */
TRIAD_LOOP(avx512_256, TARGET("avx512f,avx512vl,avx512dq,avx2,fma,prefer-vector-width=256"))
TRIAD_LOOP(avx512_512, TARGET("avx512f,avx512vl,avx512dq,avx2,fma,prefer-vector-width=512"))
#endif

unsigned tp_triad_loops(struct tp_triad_loop loops[TP_TRIAD_LOOPS_MAX])
{
	unsigned n = 0;
	loops[n++] = (struct tp_triad_loop){ "plain", plain };
#ifdef TP_TRIAD_TARGETS
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		loops[n++] = (struct tp_triad_loop){ "avx2", avx2 };
	if (n > 1 && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
		loops[n++] = (struct tp_triad_loop){ "avx512/256", avx512_256 };
		loops[n++] = (struct tp_triad_loop){ "avx512/512", avx512_512 };
	}
#endif
	return n;
}
