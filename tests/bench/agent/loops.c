/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loops NAME: small programs whose time under the agent is compared with their own. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double *numbers(size_t n)
{
	double *x = malloc(n * sizeof(*x));

	for (size_t i = 0; x && i < n; i++)
		x[i] = (double)(i % 17) + 0.5;
	if (!x)
		exit(1);
	return x;
}

static double triad(void)
{
	enum { N = 1 << 20 };
	double *a = numbers(N), *b = numbers(N), *c = numbers(N);

	for (int round = 0; round < 400; round++) {
		for (size_t i = 0; i < N; i++)
			a[i] = b[i] + 0.3 * c[i];
		b[round] = a[round + 1] * 0.001;
	}
	return a[5] + a[N - 1];
}

static double dgemm(void)
{
	enum { N = 512 };
	double *a = numbers(N * N), *b = numbers(N * N), *c = numbers(N * N);

	for (int i = 0; i < N; i++)
		for (int k = 0; k < N; k++)
			for (int j = 0; j < N; j++)
				c[i * N + j] += a[i * N + k] * b[k * N + j];
	return c[77] + c[N * N - 1];
}

static double spmv(void)
{
	enum { N = 200000, ROW = 7 };
	double *values = numbers(N * ROW), *x = numbers(N), *y = numbers(N);
	int *columns = malloc(sizeof(int) * N * ROW), *rows = malloc(sizeof(int) * (N + 1));
	uint32_t seed = 1;

	if (!columns || !rows)
		exit(1);
	for (int i = 0; i < N * ROW; i++) {
		seed = seed * 1664525u + 1013904223u;
		columns[i] = (int)((unsigned)(i / ROW + (int)(seed >> 20)) % N);
	}
	for (int i = 0; i <= N; i++)
		rows[i] = i * ROW;
	for (int round = 0; round < 150; round++)
		for (int i = 0; i < N; i++) {
			double sum = 0;

			for (int k = rows[i]; k < rows[i + 1]; k++)
				sum += values[k] * x[columns[k]];
			y[i] = sum;
		}
	return y[3] + y[N - 1];
}

static double stencil(void)
{
	enum { N = 128 };
	double *a = numbers(N * N * N), *b = numbers(N * N * N);

	for (int round = 0; round < 60; round++) {
		for (int z = 1; z < N - 1; z++)
			for (int y = 1; y < N - 1; y++)
				for (int x = 1; x < N - 1; x++) {
					int i = (z * N + y) * N + x;

					b[i] = 0.4 * a[i] +
					       0.1 * (a[i - 1] + a[i + 1] + a[i - N] + a[i + N] +
						      a[i - N * N] + a[i + N * N]);
				}
		double *t = a;

		a = b;
		b = t;
	}
	return a[N * N * N / 2 + 7];
}

static double chase(void)
{
	enum { N = 1 << 15 };
	uint32_t *next = malloc(sizeof(*next) * N), at = 0;

	if (!next)
		exit(1);
	for (uint32_t i = 0; i < N; i++)
		next[i] = (i * 5 + 12345) % N;
	for (int i = 0; i < 100000000; i++)
		at = next[at];
	return at;
}

static int less(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double sorts(void)
{
	enum { N = 2000000 };
	double *x = numbers(N);

	for (size_t i = 0; i < N; i++)
		x[i] = (double)(i * 2654435761u % 1000003);
	qsort(x, N, sizeof(*x), less);
	return x[N / 3];
}

static double __attribute__((noinline)) one(double x)
{
	return x * 1.0000001;
}

static double __attribute__((noinline)) two(double x)
{
	return one(x) + 1e-9;
}

static double calls(void)
{
	static double (*const through[])(double) = { one, two, sqrt, two, fabs };
	double x = 1;

	for (unsigned i = 0; i < 60000000; i++)
		x = through[i % 5](two(x));
	return x;
}

static int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static double recursion(void)
{
	return fibonacci(40);
}

static double parallel(void)
{
	enum { N = 1 << 20 };
	double *a = numbers(N), *b = numbers(N), sum = 0;

	for (int round = 0; round < 200; round++) {
#pragma omp parallel for
		for (size_t i = 0; i < N; i++)
			a[i] = a[i] * 0.999 + b[i];
		sum = a[round];
	}
	return sum;
}

#ifdef BLAS
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *,
	    const double *, const int *, const double *, const int *, const double *, double *,
	    const int *);

static double blas(void)
{
	const int n = 1024;
	const double one_ = 1, zero = 0;
	double *a = numbers(1024 * 1024), *b = numbers(1024 * 1024), *c = numbers(1024 * 1024);

	for (int i = 0; i < 10; i++)
		dgemm_("N", "N", &n, &n, &n, &one_, a, &n, b, &n, &zero, c, &n);
	return c[99];
}
#endif

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		double (*run)(void);
	} loops[] = {
		{ "triad", triad },	{ "dgemm", dgemm },	    { "spmv", spmv },
		{ "stencil", stencil }, { "chase", chase },	    { "sort", sorts },
		{ "calls", calls },	{ "recursion", recursion }, { "parallel", parallel },
#ifdef BLAS
		{ "blas", blas },
#endif
	};

	for (size_t i = 0; argc > 1 && i < sizeof(loops) / sizeof(loops[0]); i++)
		if (!strcmp(argv[1], loops[i].name)) {
			printf("%s %.17g\n", argv[1], loops[i].run());
			return 0;
		}
	return 2;
}
