/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * TRIAD by OpenMP, static schedule: thread t has the t-th part of each array in every pass, and touched it first. The passes are counted inside
 * the parallel region, so that what a region costs to begin and to end does not matter even where the arrays lie in the first cache.
 */
#include "routines/parts.h"
#include "routines/triad_loop.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

/* b and c begin so far from the same place in a page as a: no store has the page offset of a load that comes soon after it. */
enum { B_OFFSET_BYTES = 1024, C_OFFSET_BYTES = 2048, PAGE_BYTES = 4096 };

/* Loops are compared where a pass is shorter than this; a longer one waits for memory in whatever loop. */
#define RACE_SECONDS 500e-6
enum { RACE_ROUNDS = 3, CHECKS = 64 };

/* A line of its own, so that the threads' clocks do not meet in a cache. */
struct stamp {
	double start, end;
	double unused[6];
};

struct triad {
	struct tp_routine_config config;
	struct tp_block block;
	struct stamp *stamps; /* one a thread */
	double *a, *b, *c;
	uint64_t n;
	double g;
	tp_triad_fn *loop;
};

static double value_a(uint64_t i)
{
	return (double)(i % 8 + 1);
}

/* With g = 3 every result is a small integer: whether product and sum are rounded once or twice does not matter. */
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
		bound += tp_bind_thread(0, &t->config.cpus[me], 1);
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
		unsigned me = (unsigned)omp_get_thread_num();
		uint64_t from = tp_part_begin(t->n, me, t->config.n_cpus),
			 to = tp_part_begin(t->n, me + 1, t->config.n_cpus);
		for (uint64_t i = from; i < to; i++) {
			t->a[i] = value_a(i);
			t->b[i] = value_b(i);
			t->c[i] = (double)NAN;
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
		uint64_t from = tp_part_begin(t->n, me, n), to = tp_part_begin(t->n, me + 1, n);
#pragma omp barrier
		stamp->start = tp_routine_now_seconds();
		t->loop(t->c + from, t->a + from, t->b + from, t->g, to - from, calls);
		stamp->end = tp_routine_now_seconds();
	}
	double start = t->stamps[0].start, end = t->stamps[0].end;
	for (unsigned i = 1; i < n; i++) {
		start = fmin(start, t->stamps[i].start);
		end = fmax(end, t->stamps[i].end);
	}
	return end - start;
}

/* The ends of the parts, and scattered elements. */
static enum tp_status check(const struct triad *t, struct tp_diag *diag)
{
	unsigned n = t->config.n_cpus;
	for (unsigned i = 0; i < CHECKS + 2 * n; i++) {
		uint64_t at = t->n / CHECKS * i + i % (t->n / CHECKS + 1);
		if (i >= CHECKS)
			at = tp_part_begin(t->n, (i - CHECKS) / 2, n) - i % 2;
		if (at >= t->n)
			at = t->n - 1;
		double want = value_a(at) + 3 * value_b(at);
		if (t->c[at] != want)
			return tp_fail(diag, TP_FAILED, "triad", NULL,
				       "wrong result: element %llu is %g and should be %g",
				       (unsigned long long)at, t->c[at], want);
	}
	return TP_OK;
}

/* The fastest loop for this size on this core; the widest where a pass takes long. */
static void choose_loop(struct triad *t, double first_seconds)
{
	struct tp_triad_loop loops[TP_TRIAD_LOOPS_MAX];
	unsigned n = tp_triad_loops(loops);
	double best[TP_TRIAD_LOOPS_MAX];
	if (first_seconds > RACE_SECONDS)
		return;
	uint64_t calls = 1 + (uint64_t)(RACE_SECONDS / 4 / (first_seconds + 1e-9));
	for (unsigned round = 0; round < RACE_ROUNDS; round++)
		for (unsigned i = 0; i < n; i++) {
			t->loop = loops[i].run;
			double seconds = run(t, calls);
			best[i] = round ? fmin(best[i], seconds) : seconds;
		}
	unsigned winner = n - 1;
	for (unsigned i = 0; i < n; i++)
		if (best[i] < best[winner])
			winner = i;
	t->loop = loops[winner].run;
}

static enum tp_status map_all(struct triad *t, struct tp_diag *diag)
{
	/* Pages, so that only the offsets decide where in a page the arrays begin. */
	uint64_t array_bytes = (t->n + 7) / 8 * 64, bytes;
	array_bytes = (array_bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	bytes = t->n > UINT64_MAX / 64 ? UINT64_MAX : 3 * array_bytes + PAGE_BYTES;
	enum tp_status status = tp_block_map(&t->block, bytes, "triad", diag);
	if (status != TP_OK)
		return status;
	t->a = (double *)(void *)t->block.base;
	t->b = (double *)(void *)(t->block.base + array_bytes + B_OFFSET_BYTES);
	t->c = (double *)(void *)(t->block.base + 2 * array_bytes + C_OFFSET_BYTES);
	t->stamps = aligned_alloc(64, t->config.n_cpus * sizeof(*t->stamps));
	return t->stamps ? TP_OK : tp_fail(diag, TP_NOMEM, "triad", NULL, "out of memory");
}

static enum tp_status open_triad(void **state, const struct tp_routine_config *config,
				 double *first_seconds, struct tp_diag *diag)
{
	struct tp_triad_loop loops[TP_TRIAD_LOOPS_MAX];
	struct triad *t = *state = calloc(1, sizeof(*t));
	if (!t)
		return tp_fail(diag, TP_NOMEM, "triad", NULL, "out of memory");
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
	return check(t, diag);
}

static void free_triad(void *state)
{
	struct triad *t = state;
	tp_block_release(&t->block);
	free(t->stamps);
	free(t);
}

const struct tp_routine_kind tp_routine_triad = {
	.open = open_triad,
	.settle = settle,
	.run = run,
	.free = free_triad,
};
