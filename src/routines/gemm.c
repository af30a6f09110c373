/* SPDX-License-Identifier: GPL-3.0-or-later */
/* C = A * B by a BLAS: C is m x n, A m x k, B k x n, all column-major. */
#include "routines/blas.h"
#include "base/random.h"
#include "routines/parts.h"
#include "base/memory.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Entries of C that are computed again. */
enum { CHECKS = 24, FILL_PERIOD = 4093 /* no divisor of any size that people take */ };

/* Matrices as large as a huge page get the pages that are asked for. */
enum { LARGE_BYTES = 2 << 20 };

struct gemm {
	struct tp_routine_config config;
	struct tp_blas_library library;
	struct tp_gemm_call call;
	struct tp_block a, b, c;
	bool each; /* its threads live on after a call, so each gets its own CPU */
};

/* --- data --- */

struct filler {
	struct gemm *gemm;
	unsigned index;
	pthread_t thread;
	bool started;
};

/* The next of a sequence, as a number in [-0.5, 0.5). */
static double random_number(uint64_t *state)
{
	return (double)(tp_splitmix64(state) >> 11) * 0x1p-53 - 0.5;
}

/* `nan`: entries that the library does not write cannot be mistaken for results. */
static void fill_part(const struct filler *f, struct tp_block *block, uint64_t elements, bool nan)
{
	unsigned n = f->gemm->config.n_cpus;
	uint64_t from = tp_part_begin(elements, f->index, n),
		 to = tp_part_begin(elements, f->index + 1, n),
		 state = from + (uint64_t)(uintptr_t)block->base % 4093;
	double *doubles = (double *)(void *)block->base;
	float *floats = (float *)(void *)block->base;
	/* Repeating a page of numbers is much faster and works as well. */
	for (uint64_t i = from; i < to; i++) {
		if (i >= from + FILL_PERIOD) {
			if (f->gemm->call.single)
				floats[i] = floats[i - FILL_PERIOD];
			else
				doubles[i] = doubles[i - FILL_PERIOD];
			continue;
		}
		double value = nan ? (double)NAN : random_number(&state);
		if (f->gemm->call.single)
			floats[i] = (float)value;
		else
			doubles[i] = value;
	}
}

static void *fill(void *context)
{
	struct filler *f = context;
	const struct tp_gemm_call *call = &f->gemm->call;
	(void)tp_bind_thread(0, &f->gemm->config.cpus[f->index], 1);
	fill_part(f, &f->gemm->a, call->m * call->k, false);
	fill_part(f, &f->gemm->b, call->k * call->n, false);
	fill_part(f, &f->gemm->c, call->m * call->n, true);
	return NULL;
}

/* Each part is touched first on one of the CPUs, so it lies in the memory near that CPU. */
static enum tp_status fill_all(struct gemm *g, struct tp_diag *diag)
{
	unsigned n = g->config.n_cpus;
	struct filler *fillers = calloc(n, sizeof(*fillers));
	if (!fillers)
		return tp_fail(diag, TP_NOMEM, "gemm", NULL, "out of memory");
	for (unsigned i = 0; i < n; i++) {
		fillers[i] = (struct filler){ .gemm = g, .index = i };
		fillers[i].started =
			pthread_create(&fillers[i].thread, NULL, fill, &fillers[i]) == 0;
	}
	bool all = true;
	for (unsigned i = 0; i < n; i++) {
		all &= fillers[i].started;
		if (fillers[i].started)
			pthread_join(fillers[i].thread, NULL);
	}
	free(fillers);
	return all ? TP_OK
		   : tp_fail(diag, TP_RESOURCE, "gemm", "raise the limit on processes (ulimit -u)",
			     "cannot make %u threads", n);
}

static double entry(const struct gemm *g, const void *matrix, uint64_t at)
{
	return g->call.single ? (double)((const float *)matrix)[at] : ((const double *)matrix)[at];
}

/* Corners and scattered entries against the plain sum. */
static enum tp_status check(const struct gemm *g, struct tp_diag *diag)
{
	const struct tp_gemm_call *c = &g->call;
	uint64_t state = 1;
	/*
	 * k products of at most 1/4, each rounded as often as there are terms, whatever the order.
	 */
	double epsilon = c->single ? (double)FLT_EPSILON : DBL_EPSILON;
	double tolerance = fmin(epsilon * (double)c->k * (0.25 * (double)c->k + 1), 0.01);
	for (unsigned i = 0; i < CHECKS; i++) {
		uint64_t row = i & 1 ? c->m - 1 : 0, column = i & 2 ? c->n - 1 : 0;
		if (i >= 4) {
			row = (uint64_t)((random_number(&state) + 0.5) * (double)c->m);
			column = (uint64_t)((random_number(&state) + 0.5) * (double)c->n);
		}
		double sum = 0, got = entry(g, c->c, row + column * c->m);
		for (uint64_t l = 0; l < c->k; l++)
			sum += entry(g, c->a, row + l * c->m) * entry(g, c->b, l + column * c->k);
		if (!(fabs(got - sum) <= tolerance))
			return tp_fail(diag, TP_FAILED, g->library.name.path,
				       "do not trust this library on this machine",
				       "wrong result: C(%llu, %llu) is %g and should be %g",
				       (unsigned long long)row + 1, (unsigned long long)column + 1,
				       got, sum);
	}
	return TP_OK;
}

/* --- opening --- */

static enum tp_status choose_library(struct gemm *g, struct tp_diag *diag)
{
	const struct tp_routine_config *config = &g->config;
	enum tp_status status = tp_blas_open(&g->library, config->library, diag);
	if (status != TP_OK)
		return status;
	const char *path = g->library.name.path;
	if (g->call.single ? !g->library.sgemm : !g->library.dgemm)
		return tp_fail(diag, TP_NOTFOUND, path, "choose another library", "has no %s",
			       tp_routine_name(config->id));
	for (unsigned i = 0; i < TP_ROUTINE_DIMENSIONS; i++)
		if (!g->library.wide && config->size[i] > INT_MAX)
			return tp_fail(diag, TP_USAGE, path,
				       "choose smaller sizes, or a library with 64-bit integers",
				       "the size %c does not fit into its integers", "nmk"[i]);
	if (!g->library.set_threads && config->n_cpus > 1)
		return tp_fail(diag, TP_UNSUPPORTED, path,
			       "use one thread, or a library with threads, such as that of the "
			       "Debian package libopenblas0-pthread",
			       "it cannot be set to %u threads", config->n_cpus);
	return TP_OK;
}

static enum tp_status map_all(struct gemm *g, struct tp_diag *diag)
{
	const char *where = tp_routine_name(g->config.id);
	size_t element = g->call.single ? sizeof(float) : sizeof(double);
	uint64_t bytes = tp_routine_memory_bytes(&g->config);
	struct {
		struct tp_block *block;
		uint64_t bytes;
	} blocks[] = { { &g->a, g->call.m * g->call.k * element },
		       { &g->b, g->call.k * g->call.n * element },
		       { &g->c, g->call.m * g->call.n * element } };
	/* Map everything at once first: only the total shows whether it fits. */
	struct tp_block whole;
	enum tp_status status = tp_block_map(&whole, bytes, TP_PAGES_SMALL, where, diag);
	tp_block_release(&whole);
	for (size_t i = 0; i < TP_COUNT_OF(blocks) && status == TP_OK; i++)
		status = tp_block_map(blocks[i].block, blocks[i].bytes,
				      blocks[i].bytes >= LARGE_BYTES ? g->config.pages
								     : TP_PAGES_SMALL,
				      where, diag);
	g->call.a = g->a.base;
	g->call.b = g->b.base;
	g->call.c = g->c.base;
	return status;
}

/* True if the library's threads still exist a moment after a call. */
static bool threads_stay(unsigned wanted)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	if (wanted == 0 || tp_bind_others() != wanted)
		return false;
	nanosleep(&moment, NULL);
	return tp_bind_others() == wanted;
}

static void settle(void *state)
{
	struct gemm *g = state;
	tp_bind_all(&g->config, g->each);
	tp_blas_set_threads(&g->library, g->config.n_cpus);
}

static double run(void *state, uint64_t calls)
{
	struct gemm *g = state;
	double start = tp_routine_now_seconds();
	for (uint64_t i = 0; i < calls; i++)
		tp_blas_gemm(&g->library, &g->call);
	return tp_routine_now_seconds() - start;
}

static enum tp_status open_gemm(void **state, const struct tp_routine_config *config,
				double *first_seconds, struct tp_diag *diag)
{
	struct gemm *g = *state = calloc(1, sizeof(*g));
	if (!g)
		return tp_fail(diag, TP_NOMEM, tp_routine_name(config->id), NULL, "out of memory");
	g->config = *config;
	g->call = (struct tp_gemm_call){ .n = config->size[0],
					 .m = config->size[1],
					 .k = config->size[2],
					 .single = config->id == TP_ROUTINE_SGEMM };
	enum tp_status status = map_all(g, diag);
	if (status == TP_OK)
		status = tp_bind_self(config, diag);
	if (status == TP_OK)
		status = choose_library(g, diag);
	if (status == TP_OK)
		status = fill_all(g, diag);
	if (status != TP_OK)
		return status;
	settle(g);
	*first_seconds = run(g, 1);
	status = check(g, diag);
	g->each = threads_stay(config->n_cpus - 1);
	settle(g);
	return status;
}

static void free_gemm(void *state)
{
	struct gemm *g = state;
	tp_block_release(&g->a);
	tp_block_release(&g->b);
	tp_block_release(&g->c);
	free(g);
}

const struct tp_routine_kind tp_routine_gemm = {
	.open = open_gemm,
	.settle = settle,
	.run = run,
	.free = free_gemm,
};
