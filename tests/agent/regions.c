/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Regions whose work is known: regions CASE. Each turn of `work` is 4 FLOPs of DP, and nothing else
 * here is any.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <tprof_roi.h>

static jmp_buf back;

__attribute__((noinline)) static void work(long turns)
{
	__asm__ volatile("xorpd %%xmm0, %%xmm0\n"
			 "1:	addsd %%xmm0, %%xmm0\n\t"
			 "mulsd %%xmm0, %%xmm0\n\t"
			 "addpd %%xmm0, %%xmm0\n\t"
			 "dec %0\n\t"
			 "jnz 1b"
			 : "+r"(turns)
			 :
			 : "xmm0");
}

static void plain(void)
{
	work(10);
	for (int i = 0; i < 3000; i++) {
		tprof_roi_begin("a");
		work(100);
		tprof_roi_end("a");
	}
	tprof_roi_begin("b");
	work(1000);
	tprof_roi_end("b");
}

static void nested(void)
{
	for (int i = 0; i < 100; i++) {
		tprof_roi_begin("outer");
		work(10);
		tprof_roi_begin("inner");
		work(20);
		tprof_roi_begin("outer");
		work(3);
		tprof_roi_end("outer");
		tprof_roi_end("inner");
		work(5);
		tprof_roi_end("outer");
	}
	tprof_roi_end("outer"); /* once too often */
	tprof_roi_begin("open");
	work(7);
}

static void *worker(void *argument)
{
	work(1000);
	if (argument) {
		tprof_roi_begin("own");
		work(50);
		tprof_roi_end("own");
	}
	return NULL;
}

/* Threads without their own region count for the main thread's. */
static void parallel(void)
{
	pthread_t threads[4];

	for (int round = 0; round < 10; round++) {
		tprof_roi_begin("team");
		for (int i = 0; i < 4; i++)
			pthread_create(&threads[i], NULL, worker, i ? NULL : &threads);
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
		tprof_roi_end("team");
	}
	pthread_create(&threads[0], NULL, worker, NULL);
	pthread_join(threads[0], NULL);
}

/* Names for --region function=. */
__attribute__((noinline)) void leaf(int n)
{
	work(n);
}

int recursive(int n);
static int (*volatile again)(int) = recursive;

int recursive(int n)
{
	work(1);
	return n ? again(n - 1) + 1 : 0;
}

__attribute__((noinline)) void thrower(int n)
{
	work(2);
	if (n)
		longjmp(back, 1);
	work(2);
}

__attribute__((noinline)) void caller(void)
{
	work(1);
	leaf(4);
	work(1);
}

static void functions(void)
{
	volatile int sum = 0;

	for (int i = 0; i < 50; i++)
		caller();
	leaf(100);
	sum += again(30);
	for (int i = 0; i < 10; i++)
		if (!setjmp(back))
			thrower(i % 2 == 0); /* what a jump left ends at the next one */
	work(11);
	printf("%d\n", sum);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "plain", plain },
	{ "nested", nested },
	{ "parallel", parallel },
	{ "functions", functions },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (argc < 2)
			puts(cases[i].name);
		else if (!strcmp(argv[1], cases[i].name))
			cases[i].run();
	}
	return 0;
}
