/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program whose phases are known: it copies memory and computes in turn, half a second each, or
 * copies a file through its own pipe instead. It prints the seconds since its start at which a
 * phase ended. usage: profile_phases memory|pipe [PHASES]
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BYTES = 8 << 20, PIECE = 65536 };

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double __attribute__((noinline)) compute(double until)
{
	double x = 1, y = 1;
	while (now() < until)
		for (int i = 0; i < 20000; i++) {
			x = x * 1.0000001 + 1e-9;
			y = y * 0.9999999 + 1e-9;
		}
	return x + y;
}

static void __attribute__((noinline)) copy_memory(char *a, char *b, double until)
{
	while (now() < until) {
		memcpy(a, b, BYTES);
		char *swap = a;
		a = b;
		b = swap;
	}
}

static void __attribute__((noinline)) copy_pipe(char *buffer, double until)
{
	int ends[2];
	if (pipe(ends) != 0)
		exit(1);
	while (now() < until)
		for (int i = 0; i < 16; i++)
			if (write(ends[1], buffer, PIECE / 2) < 0 ||
			    read(ends[0], buffer, PIECE / 2) < 0)
				exit(1);
	close(ends[0]);
	close(ends[1]);
}

int main(int argc, char **argv)
{
	int pipes = argc > 1 && strcmp(argv[1], "pipe") == 0, n = argc > 2 ? atoi(argv[2]) : 8;
	char *a = malloc(BYTES), *b = malloc(BYTES);
	double start = now(), result = 0;
	if (!a || !b)
		return 1;
	memset(a, 1, BYTES);
	memset(b, 2, BYTES);
	for (int i = 0; i < n; i++) {
		double until = start + 0.5 * (i + 1);
		if (i % 2)
			result += compute(until);
		else if (pipes)
			copy_pipe(a, until);
		else
			copy_memory(a, b, until);
		printf("%.4f\n", now() - start);
	}
	return result == 0 && n > 1;
}
