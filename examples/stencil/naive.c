/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The loops in the order of the letters: the inner one goes along z, so each access is on another
 * page, and of each cache line one number is used before the line has gone.
 */
#include "stencil.h"

void step_naive(double *to, const double *from, size_t n, size_t block)
{
	(void)block;
	for (size_t x = 1; x < n - 1; x++) {
		for (size_t y = 1; y < n - 1; y++) {
			for (size_t z = 1; z < n - 1; z++) {
				const size_t at = (z * n + y) * n + x;

				to[at] = stencil_point(from + at, n);
			}
		}
	}
}
