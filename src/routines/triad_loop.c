/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "routines/triad_loop.h"

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
