/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * As blocked.c, and `restrict` promises the compiler that the grids do not overlap: it makes
 * vector instructions of the inner loop.
 */
#include "stencil.h"

static void step_line(double *restrict to, const double *restrict from, size_t n)
{
	for (size_t x = 1; x < n - 1; x++)
		to[x] = stencil_point(from + x, n);
}

void step_vector(double *to, const double *from, size_t n, size_t block)
{
	for (size_t first = 1; first < n - 1; first += block) {
		const size_t end = first + block < n - 1 ? first + block : n - 1;

		for (size_t z = 1; z < n - 1; z++) {
			for (size_t y = first; y < end; y++)
				step_line(to + (z * n + y) * n, from + (z * n + y) * n, n);
		}
	}
}
