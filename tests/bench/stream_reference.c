/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rules of the STREAM benchmark, for tests/bench/stream.sh: four kernels in turn on static
 * arrays of ELEMENTS doubles, NTIMES times; the first time does not count, the best of the others
 * does. Prints a line a kernel: name, best GB/s, median GB/s.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifndef ELEMENTS
#define ELEMENTS 20000000
#endif
#ifndef NTIMES
#define NTIMES 10
#endif

enum { COPY, SCALE, SUM, TRIAD, KERNELS };

static double a[ELEMENTS], b[ELEMENTS], c[ELEMENTS];
static double seconds[KERNELS][NTIMES];

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *x, const void *y)
{
	double p = *(const double *)x, q = *(const double *)y;
	return (p > q) - (p < q);
}

int main(void)
{
	static const char *const names[] = { "copy", "scale", "sum", "triad" };
	static const double arrays[] = { 2, 2, 3, 3 };
	const double s = 3.0;
#pragma omp parallel for
	for (long i = 0; i < ELEMENTS; i++) {
		a[i] = 1.0;
		b[i] = 2.0;
		c[i] = 0.0;
	}
	for (int k = 0; k < NTIMES; k++) {
		double begun = now();
#pragma omp parallel for
		for (long i = 0; i < ELEMENTS; i++)
			c[i] = a[i];
		double ended = now();
		seconds[COPY][k] = ended - begun;
		begun = ended;
#pragma omp parallel for
		for (long i = 0; i < ELEMENTS; i++)
			b[i] = s * c[i];
		ended = now();
		seconds[SCALE][k] = ended - begun;
		begun = ended;
#pragma omp parallel for
		for (long i = 0; i < ELEMENTS; i++)
			c[i] = a[i] + b[i];
		ended = now();
		seconds[SUM][k] = ended - begun;
		begun = ended;
#pragma omp parallel for
		for (long i = 0; i < ELEMENTS; i++)
			a[i] = b[i] + s * c[i];
		seconds[TRIAD][k] = now() - begun;
	}
	/* Small whole numbers grow by a factor of 15 a turn: exact for a while, finite for longer.
	 */
	double x = 1, y = 2, z = 0;
	for (int k = 0; k < NTIMES; k++) {
		z = x;
		y = s * z;
		z = x + y;
		x = y + s * z;
	}
	if (a[ELEMENTS / 2] != x || b[0] != y || c[ELEMENTS - 1] != z) {
		fprintf(stderr, "stream_reference: a wrong result\n");
		return EXIT_FAILURE;
	}
	for (int k = 0; k < KERNELS; k++) {
		double bytes = arrays[k] * 8e-9 * ELEMENTS;
		qsort(seconds[k] + 1, NTIMES - 1, sizeof(double), compare);
		printf("%s %.4f %.4f\n", names[k], bytes / seconds[k][1],
		       bytes / seconds[k][1 + (NTIMES - 1) / 2]);
	}
	return EXIT_SUCCESS;
}
