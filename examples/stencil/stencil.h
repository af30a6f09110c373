/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One step of the 3-D 7-point stencil: each inner point of `to` becomes a mean of the point and
 * its six neighbours in `from`. Grids are n x n x n with x fastest: point (x, y, z) lies at
 * (z * n + y) * n + x. All versions do the same operations on each point, in the same order.
 */
#ifndef STENCIL_H
#define STENCIL_H

#include <stddef.h>

enum { FLOPS_PER_POINT = 8 };

/*
 * Weights of 1/4 and 1/8 keep the sums exact for the first steps, so that no version differs in
 * a last digit.
 */
static inline double stencil_point(const double *at, size_t n)
{
	return 0.25 * at[0] + 0.125 * (at[-1] + at[1] + at[-(ptrdiff_t)n] + at[n] +
				       at[-(ptrdiff_t)(n * n)] + at[n * n]);
}

void step_naive(double *to, const double *from, size_t n, size_t block);
void step_blocked(double *to, const double *from, size_t n, size_t block);
void step_vector(double *to, const double *from, size_t n, size_t block);

#endif
