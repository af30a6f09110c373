/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Three routines whose FLOPs are known, each in a separate region: a DGEMM of OpenBLAS (2 n^3), a
 * complex transform of FFTW (its own estimate, fftw_flops; it counts SIMD operations, so the plan
 * has none), and a sparse matrix times a vector (2 for each non-zero). Prints "REGION FLOPS" lines.
 *
 * cc -O2 -Iinclude known_flops.c -lopenblas -lfftw3 -lm
 */
#include <cblas.h>
#include <fftw3.h>
#include <stdio.h>
#include <stdlib.h>

#include "tprof_roi.h"

enum { DGEMM_N = 512, FFT_N = 1 << 16, ROWS = 200000, ROW_ENTRIES = 7 };

static double *random_vector(size_t n)
{
	double *x = malloc(n * sizeof(*x));
	if (!x)
		exit(1);
	for (size_t i = 0; i < n; i++)
		x[i] = (double)rand() / RAND_MAX - 0.5;
	return x;
}

static void dgemm(void)
{
	const size_t n = (size_t)DGEMM_N * DGEMM_N;
	double *a = random_vector(n), *b = random_vector(n), *c = random_vector(n);
	tprof_roi_begin("dgemm");
	cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, DGEMM_N, DGEMM_N, DGEMM_N, 1, a,
		    DGEMM_N, b, DGEMM_N, 0, c, DGEMM_N);
	tprof_roi_end("dgemm");
	printf("dgemm %.0f\n", 2.0 * DGEMM_N * DGEMM_N * DGEMM_N);
	free(a);
	free(b);
	free(c);
}

static void fft(void)
{
	double add, multiply, fused, *data = random_vector(2 * FFT_N);
	fftw_plan plan = fftw_plan_dft_1d(FFT_N, (fftw_complex *)data, (fftw_complex *)data,
					  FFTW_FORWARD, FFTW_ESTIMATE | FFTW_NO_SIMD);
	tprof_roi_begin("fft");
	fftw_execute(plan);
	tprof_roi_end("fft");
	fftw_flops(plan, &add, &multiply, &fused);
	printf("fft %.0f\n", add + multiply + 2 * fused);
	fftw_destroy_plan(plan);
	free(data);
}

static void spmv(void)
{
	double *values = random_vector((size_t)ROWS * ROW_ENTRIES), *x = random_vector(ROWS);
	double *y = random_vector(ROWS);
	int *columns = malloc((size_t)ROWS * ROW_ENTRIES * sizeof(*columns));
	if (!columns)
		exit(1);
	for (int i = 0; i < ROWS * ROW_ENTRIES; i++)
		columns[i] = rand() % ROWS;
	tprof_roi_begin("spmv");
	for (int row = 0; row < ROWS; row++) {
		double sum = 0;
		for (int i = row * ROW_ENTRIES; i < (row + 1) * ROW_ENTRIES; i++)
			sum += values[i] * x[columns[i]];
		y[row] = sum;
	}
	tprof_roi_end("spmv");
	printf("spmv %.0f\n", 2.0 * ROWS * ROW_ENTRIES);
	fprintf(stderr, "%g\n", y[ROWS / 2]);
	free(values);
	free(x);
	free(y);
	free(columns);
}

int main(void)
{
	dgemm();
	fft();
	spmv();
	return 0;
}
