/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The inner loop goes along x, and y is cut into blocks: three planes of a block stay in the L2
 * cache, so each number comes from memory once a step. Still one number an instruction: the
 * Makefile forbids the compiler to vectorise this file.
 */
#include "stencil.h"

void step_blocked(double *to, const double *from, size_t n, size_t block)
{
	for (size_t first = 1; first < n - 1; first += block) {
		const size_t end = first + block < n - 1 ? first + block : n - 1;

		for (size_t z = 1; z < n - 1; z++) {
			for (size_t y = first; y < end; y++) {
				for (size_t x = 1; x < n - 1; x++) {
					const size_t at = (z * n + y) * n + x;

					to[at] = stencil_point(from + at, n);
				}
			}
		}
	}
}
