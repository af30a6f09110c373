/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * For C templates of tprof: one source file that tprof compiles once for each combination of its
 * parameters, and whose marked regions it measures. See tprof-sweep(5).
 *
 *	#include <tprof_bench.h>
 *
 *	#ifndef N
 *	#define N 256
 *	#endif
 *	TPROF_ARRAY_2D(double, a, N, N);
 *
 *	TPROF_BENCH
 *	{
 *		TPROF_FILL_2D(a, i + j);
 *		TPROF_BENCH_BEGIN(scale);
 *		for (int i = 0; i < N; i++)
 *			for (int j = 0; j < N; j++)
 *				a[i][j] *= 1.5;
 *		TPROF_BENCH_END(scale);
 *		TPROF_BENCH_COUNTS(scale, 1.0 * N * N, 16.0 * N * N);
 *	}
 *
 * tprof calls TPROF_BENCH for each window, and repeats the region that it measures as often as a
 * window needs; other regions run once. So what a region reads must still be there when it has run.
 *
 * For a look without tprof: gcc -O3 -DTPROF_BENCH_MAIN file.c; ./a.out prints times.
 *
 * C11 with GNU extensions, for gcc and clang.
 */
#ifndef TPROF_BENCH_H
#define TPROF_BENCH_H

#include <stddef.h>
#include <stdint.h>

/* --- between tprof and a template --- */

enum { TPROF_BENCH_VERSION = 1 };

/* What tprof gives each thread. */
struct tprof_bench_caller {
	/* How often a region runs now; the clock of the one that is measured starts. */
	uint64_t (*begin)(struct tprof_bench_caller *caller, const char *region);
	void (*end)(struct tprof_bench_caller *caller, const char *region);
	void (*counts)(struct tprof_bench_caller *caller, const char *region, double flop,
		       double bytes);
	void (*flush)(struct tprof_bench_caller *caller, const void *data, size_t bytes);
	uint64_t passes;
	unsigned thread, threads;
};

/* An array that was declared with one of the macros below. */
struct tprof_bench_array {
	void *data;
	size_t bytes;
	const char *name;
};

#ifndef TPROF_BENCH_SHAPES_ONLY

#define TPROF_BENCH_EXPORT __attribute__((visibility("default"), used))
#define TPROF_BENCH_UNUSED __attribute__((unused))

/* The linker gathers pointers to all arrays, and names the first and the end. */
extern const struct tprof_bench_array *const __start_tprof_arrays[]
	__attribute__((weak, visibility("hidden")));
extern const struct tprof_bench_array *const __stop_tprof_arrays[]
	__attribute__((weak, visibility("hidden")));

static _Thread_local struct tprof_bench_caller *tprof_bench_caller;

void tprof_bench_body(void);
void tprof_bench_setup(void) __attribute__((weak));
void tprof_bench_start(void *data, uint64_t passes);
void tprof_bench_run(void *data, uint64_t passes);
const struct tprof_bench_array *const *tprof_bench_arrays(size_t *n);

TPROF_BENCH_EXPORT const int tprof_bench_version = TPROF_BENCH_VERSION;

/* Before the first window, on every thread. */
TPROF_BENCH_EXPORT void tprof_bench_start(void *data, uint64_t passes)
{
	(void)passes;
	tprof_bench_caller = data;
	if (tprof_bench_setup && tprof_bench_caller->thread == 0)
		tprof_bench_setup();
}

TPROF_BENCH_EXPORT void tprof_bench_run(void *data, uint64_t passes)
{
	tprof_bench_caller = data;
	tprof_bench_caller->passes = passes;
	tprof_bench_body();
}

TPROF_BENCH_EXPORT const struct tprof_bench_array *const *tprof_bench_arrays(size_t *n)
{
	*n = (size_t)(__stop_tprof_arrays - __start_tprof_arrays);
	return __start_tprof_arrays;
}

/* --- what a template has --- */

/* The body: TPROF_BENCH { ... }. It runs for each window. */
#define TPROF_BENCH TPROF_BENCH_EXPORT void tprof_bench_body(void)

/* What is done once, before the first window; may be left out: TPROF_BENCH_SETUP { ... }. */
#define TPROF_BENCH_SETUP TPROF_BENCH_EXPORT void tprof_bench_setup(void)

/*
 * A region, in a function of the file. What stands in between is timed; it may not be left by
 * goto, return or a break of its own. Each pass is a step.
 */
/* clang-format off */
#define TPROF_BENCH_BEGIN(name)                                                                    \
	do {                                                                                       \
		uint64_t tprof_left_##name = tprof_bench_caller->begin(tprof_bench_caller, #name); \
		do {                                                                               \
			TPROF_BENCH_BLOCK_BEGIN_(name)
#define TPROF_BENCH_END(name)                                                                      \
			TPROF_BENCH_BLOCK_END_(name)                                               \
			TPROF_CLOBBER();                                                           \
		} while (--tprof_left_##name);                                                     \
		tprof_bench_caller->end(tprof_bench_caller, #name);                                \
	} while (0)
/* clang-format on */

/* What a step of the region does, for GFLOP/s and GB/s; 0 = not known. Anywhere in the body. */
#define TPROF_BENCH_COUNTS(name, flop, bytes)                                                      \
	tprof_bench_caller->counts(tprof_bench_caller, #name, (double)(flop), (double)(bytes))

/* Marks in the assembly, by which the region is found there. They are not instructions. */
#define TPROF_BENCH_BLOCK_BEGIN_(name) __asm__ volatile("# LLVM-MCA-BEGIN " #name : : : "memory");
#define TPROF_BENCH_BLOCK_END_(name)   __asm__ volatile("# LLVM-MCA-END " #name : : : "memory");

/* Of a team of several threads: who runs this. Loops are shared out by "#pragma omp for". */
#define TPROF_THREAD()	(tprof_bench_caller->thread)
#define TPROF_THREADS() (tprof_bench_caller->threads)

/* --- arrays, at file scope: aligned to 64 bytes, zero at first --- */

#define TPROF_ARRAY_(declaration, name)                                                            \
	static declaration __attribute__((aligned(64)));                                           \
	static const struct tprof_bench_array tprof_array_##name = { (void *)&name, sizeof(name),  \
								     #name };                      \
	static const struct tprof_bench_array *const tprof_listed_##name                           \
		__attribute__((used, section("tprof_arrays"))) = &tprof_array_##name
#define TPROF_ARRAY_1D(type, name, n)	    TPROF_ARRAY_(type name[n], name)
#define TPROF_ARRAY_2D(type, name, n, m)    TPROF_ARRAY_(type name[n][m], name)
#define TPROF_ARRAY_3D(type, name, n, m, k) TPROF_ARRAY_(type name[n][m][k], name)

#define TPROF_LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* Each element becomes `value`, which may use the indices i, j, k. */
#define TPROF_FILL_1D(array, value)                                                                \
	do {                                                                                       \
		for (size_t i = 0; i < TPROF_LENGTH(array); i++)                                   \
			(array)[i] = (value);                                                      \
		TPROF_CLOBBER();                                                                   \
	} while (0)
#define TPROF_FILL_2D(array, value)                                                                \
	do {                                                                                       \
		for (size_t i = 0; i < TPROF_LENGTH(array); i++)                                   \
			for (size_t j = 0; j < TPROF_LENGTH((array)[0]); j++)                      \
				(array)[i][j] = (value);                                           \
		TPROF_CLOBBER();                                                                   \
	} while (0)
#define TPROF_FILL_3D(array, value)                                                                \
	do {                                                                                       \
		for (size_t i = 0; i < TPROF_LENGTH(array); i++)                                   \
			for (size_t j = 0; j < TPROF_LENGTH((array)[0]); j++)                      \
				for (size_t k = 0; k < TPROF_LENGTH((array)[0][0]); k++)           \
					(array)[i][j][k] = (value);                                \
		TPROF_CLOBBER();                                                                   \
	} while (0)

/* --- caches --- */

/* Writes an array, or `bytes` from `data` on, back to memory and takes it out of all caches. */
#define TPROF_FLUSH(array) TPROF_FLUSH_BYTES(&(array), sizeof(array))
#define TPROF_FLUSH_BYTES(data, bytes)                                                             \
	tprof_bench_caller->flush(tprof_bench_caller, (const void *)(data), (bytes))
/* Every array that was declared above. */
#define TPROF_FLUSH_ALL()                                                                          \
	do {                                                                                       \
		const struct tprof_bench_array *const *tprof_a = __start_tprof_arrays;             \
		for (; tprof_a < __stop_tprof_arrays; tprof_a++)                                   \
			TPROF_FLUSH_BYTES((*tprof_a)->data, (*tprof_a)->bytes);                    \
	} while (0)
/* Reads a byte of each line, so that what fits is in the caches. */
#define TPROF_WARM(array) TPROF_WARM_BYTES(&(array), sizeof(array))
#define TPROF_WARM_BYTES(data, bytes)                                                              \
	do {                                                                                       \
		const volatile char *tprof_line = (const volatile char *)(data);                   \
		for (size_t tprof_at = 0; tprof_at < (bytes); tprof_at += 64)                      \
			(void)tprof_line[tprof_at];                                                \
	} while (0)

/* --- against a compiler that knows too much; none of them is an instruction --- */

/* The value of an expression is used: what computes it stays. */
#define TPROF_KEEP(value)                                                                          \
	do {                                                                                       \
		__typeof__(value) tprof_kept = (value);                                            \
		__asm__ volatile("" : : "m"(tprof_kept));                                          \
	} while (0)
/* The variable may have any value now: nothing is computed in advance from what it was. */
#define TPROF_UNKNOWN(variable) __asm__ volatile("" : "+m"(variable))
/* All memory may have been read and written: what was stored stays, what is loaded is loaded. */
#define TPROF_CLOBBER() __asm__ volatile("" : : : "memory")

#ifdef TPROF_BENCH_MAIN

/* --- alone: each region runs for some 0.1 s, and its time is printed --- */

#include <stdio.h>
#include <string.h>
#include <time.h>

struct tprof_alone {
	struct tprof_bench_caller caller;
	const char *regions[64];
	size_t n_regions, chosen;
	double started, seconds, flop, bytes;
};

static double tprof_alone_now(void)
{
	struct timespec t;
	timespec_get(&t, TIME_UTC);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int tprof_alone_is_chosen(struct tprof_alone *alone, const char *region)
{
	size_t i = 0;
	while (i < alone->n_regions && strcmp(alone->regions[i], region) != 0)
		i++;
	if (i == alone->n_regions && i < TPROF_LENGTH(alone->regions))
		alone->regions[alone->n_regions++] = region;
	return i == alone->chosen;
}

static uint64_t tprof_alone_begin(struct tprof_bench_caller *caller, const char *region)
{
	struct tprof_alone *alone = (struct tprof_alone *)caller;
	int chosen = tprof_alone_is_chosen(alone, region);
	alone->started = tprof_alone_now();
	return chosen ? caller->passes : 1;
}

static void tprof_alone_end(struct tprof_bench_caller *caller, const char *region)
{
	struct tprof_alone *alone = (struct tprof_alone *)caller;
	if (tprof_alone_is_chosen(alone, region))
		alone->seconds = tprof_alone_now() - alone->started;
}

static void tprof_alone_counts(struct tprof_bench_caller *caller, const char *region, double flop,
			       double bytes)
{
	struct tprof_alone *alone = (struct tprof_alone *)caller;
	if (!tprof_alone_is_chosen(alone, region))
		return;
	alone->flop = flop;
	alone->bytes = bytes;
}

static void tprof_alone_flush(struct tprof_bench_caller *caller, const void *data, size_t bytes)
{
	const char *at = data;
	(void)caller;
	for (size_t i = 0; i < bytes; i += 64) {
#if defined(__x86_64__)
		__builtin_ia32_clflush(at + i);
#elif defined(__aarch64__)
		__asm__ volatile("dc civac, %0" : : "r"(at + i) : "memory");
#else
		(void)at; /* no instruction for it: the caches stay as they are */
#endif
	}
	__sync_synchronize();
}

int main(void)
{
	struct tprof_alone alone = {
		.caller = { tprof_alone_begin, tprof_alone_end, tprof_alone_counts,
			    tprof_alone_flush, 1, 0, 1 },
	};
	tprof_bench_start(&alone.caller, 0);
	tprof_bench_run(&alone.caller, 1);
	for (; alone.chosen < alone.n_regions; alone.chosen++) {
		uint64_t passes = 1;
		alone.seconds = alone.flop = alone.bytes = 0;
		for (;; passes *= 2) {
			tprof_bench_run(&alone.caller, passes);
			if (!(alone.seconds < 0.1) || passes > UINT64_C(1) << 40)
				break;
		}
		double step = alone.seconds / (double)passes;
		printf("%s: %.6g ns a step", alone.regions[alone.chosen], 1e9 * step);
		if (alone.flop > 0)
			printf(", %.4g GFLOP/s", 1e-9 * alone.flop / step);
		if (alone.bytes > 0)
			printf(", %.4g GB/s", 1e-9 * alone.bytes / step);
		printf("\n");
	}
	return alone.n_regions ? 0 : 1;
}

#endif /* TPROF_BENCH_MAIN */
#endif /* TPROF_BENCH_SHAPES_ONLY */
#endif
