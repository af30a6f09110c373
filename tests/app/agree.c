/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of known work for two ways of counting: loops, string instructions, masks, gathers,
 * x87, recursion, threads, a child, marked regions. All but `vector`, `masks` and `gathers` run on
 * any x86-64 processor; these are left out with the argument `plain`.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tprof_roi.h"

#define APART	__attribute__((noinline, noclone))
#define WITH(x) __attribute__((target(x), optimize("O3,fast-math,tree-vectorize")))

enum { N = 1000, TIMES = 50, THREADS = 3 };
static double a[N + 8], b[N + 8], c[N + 8];

APART double scalar(double *to, const double *x, const double *y)
{
	for (int i = 0; i < N; i++)
		to[i] = x[i] + 3.0 * y[i];
	return to[N / 2];
}

APART WITH("avx2,fma") double vector(const double *x, const double *y)
{
	double sum = 0;
	for (int i = 0; i < N; i++)
		sum += x[i] * y[i];
	return sum;
}

APART void strings(char *to, char *from, unsigned long n)
{
	char *t = to, *f = from;
	unsigned long left = n;
	__asm__ volatile("rep movsb" : "+D"(t), "+S"(f), "+c"(left)::"memory");
	t = to;
	left = n / 8;
	__asm__ volatile("rep stosq" : "+D"(t), "+c"(left) : "a"(0x0101010101010101) : "memory");
	t = to;
	f = from;
	left = n;
	__asm__ volatile("cmp %%rax, %%rax; repe cmpsb"
			 : "+D"(t), "+S"(f), "+c"(left)::"memory", "cc");
	t = from;
	left = n;
	__asm__ volatile("repne scasb" : "+D"(t), "+c"(left) : "a"(0) : "memory", "cc");
}

APART void masks(float *to, const float *from, const int *mask)
{
	__asm__ volatile("vmovdqu (%2), %%ymm1\n\t"
			 "vmaskmovps (%1), %%ymm1, %%ymm0\n\t"
			 "vpmaskmovq (%1), %%ymm1, %%ymm2\n\t"
			 "vmaskmovps %%ymm0, %%ymm1, (%0)\n\t"
			 "vzeroupper"
			 :
			 : "r"(to), "r"(from), "r"(mask)
			 : "xmm0", "xmm1", "xmm2", "memory");
}

APART void gathers(const float *from, const int *mask, const int *index)
{
	__asm__ volatile("vmovdqu (%1), %%ymm1\n\t"
			 "vmovdqu (%2), %%ymm2\n\t"
			 "vgatherdps %%ymm1, (%0, %%ymm2, 4), %%ymm0\n\t"
			 "vzeroupper"
			 :
			 : "r"(from), "r"(mask), "r"(index)
			 : "xmm0", "xmm1", "xmm2", "memory");
}

APART long double old(long double x)
{
	for (int i = 0; i < 10; i++)
		x = x * 1.5L + 0.25L;
	return x;
}

APART int recursion(int n)
{
	return n < 2 ? n : recursion(n - 1) + recursion(n - 2);
}

static void *thread(void *to)
{
	for (int i = 0; i < TIMES * 10; i++)
		scalar(to, b, c);
	for (int i = 0; i < N; i++)
		((volatile double *)to)[i] += 1;
	return NULL;
}

static void vectors(void)
{
	static float to[8], from[16];
	static const int mask[8] = { -1, 0, -1, -1, 0, 0, 0, -1 };
	static const int index[8] = { 0, 2, 4, 6, 8, 10, 12, 14 };
	a[0] += vector(b, c);
	masks(to, from, mask);
	gathers(from, mask, index);
}

int main(int argc, char **argv)
{
	static double own[THREADS][N];
	static char to[256], from[256] = "some text";
	pthread_t threads[THREADS];
	int plain = argc > 1 && strcmp(argv[1], "plain") == 0, status;
	/* Work of its threads outside regions counts for this one. */
	tprof_roi_begin("team");
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, thread, own[i]) != 0)
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	tprof_roi_end("team");
	for (int i = 0; i < TIMES; i++) {
		a[1] += scalar(a, b, c);
		if (!plain)
			vectors();
		strings(to, from, sizeof(to));
		strings(to, from, 0);
		a[2] += (double)old(i);
		tprof_roi_begin("outer");
		a[3] += recursion(10);
		tprof_roi_begin("inner");
		a[4] += recursion(3);
		tprof_roi_end("inner");
		tprof_roi_end("outer");
	}
	pid_t child = fork();
	if (child == 0) {
		scalar(a, b, c);
		_exit(0);
	}
	waitpid(child, &status, 0);
	printf("%g\n", a[1] + a[2] + a[3] + a[4]);
	return 0;
}
