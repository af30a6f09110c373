/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Product of two matrices: order of the loops, size of the tiles, unrolling */
#include <tprof_bench.h>

#ifndef N
#define N 256
#endif
#ifndef TILE /* of all three loops; N = none */
#define TILE N
#endif
#ifndef UNROLL /* of the innermost loop */
#define UNROLL 1
#endif
#ifndef ORDER /* the loops from the outermost on: IJK, IKJ, JIK, JKI, KIJ or KJI */
#define ORDER IKJ
#endif
#ifndef REAL
#define REAL double
#endif

TPROF_ARRAY_2D(REAL, a, N, N);
TPROF_ARRAY_2D(REAL, b, N, N);
TPROF_ARRAY_2D(REAL, c, N, N);

#define MIN(x, y) ((x) < (y) ? (x) : (y))
#define TILED(x)  for (int x##0 = 0; x##0 < N; x##0 += TILE)
#define WITHIN(x) for (int x = x##0; x < MIN(x##0 + TILE, N); x++)
#define TEXT_(x)  #x
#define TEXT(x)	  TEXT_(x)
#define UNROLLED  _Pragma(TEXT(GCC unroll UNROLL))

#define NEST(x, y, z)                                                                              \
	TILED(x)                                                                                   \
	TILED(y)                                                                                   \
	TILED(z)                                                                                   \
	WITHIN(x)                                                                                  \
	WITHIN(y)                                                                                  \
	UNROLLED WITHIN(z) c[i][j] += a[i][k] * b[k][j]

#define IJK NEST(i, j, k)
#define IKJ NEST(i, k, j)
#define JIK NEST(j, i, k)
#define JKI NEST(j, k, i)
#define KIJ NEST(k, i, j)
#define KJI NEST(k, j, i)

TPROF_BENCH_SETUP
{
	TPROF_FILL_2D(a, 1.0 / (REAL)(i + j + 1));
	TPROF_FILL_2D(b, 1.0 / (REAL)(i + 2 * j + 1));
}

TPROF_BENCH
{
	TPROF_BENCH_BEGIN(product);
	ORDER;
	TPROF_BENCH_END(product);
	TPROF_BENCH_COUNTS(product, 2.0 * N * N * N, 0);
}
