/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program with regions, for tests of tprof --app: its first word selects the case. It prints its
 * results, so that a test sees disturbances.
 */
#include <tprof_roi.h>

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static jmp_buf far;
static volatile double sink;
static long (*volatile again)(long n);

__attribute__((noinline)) double solve(double *a, int n)
{
	double sum = 0;
	int i;

	for (i = 0; i < n; i++)
		sum += a[i] * 1.5;
	sink = sum;
	return sum;
}

__attribute__((noinline)) long factorial(long n)
{
	return n <= 1 ? 1 : n * again(n - 1);
}

__attribute__((noinline)) int jumps(int n)
{
	if (n % 2)
		longjmp(far, n);
	printf("%d", n);
	return n + 1;
}

__attribute__((noinline)) int chosen(int n)
{
	switch (n) {
	case 0:
		return (int)strlen("zero");
	case 1:
		return getpid() > 0;
	case 2:
		return puts("two");
	case 3:
		return rand() >= 0;
	case 4:
		return abs(-n);
	case 5:
		return atoi("5");
	default:
		return n;
	}
}

static double with_numbers(int n)
{
	double a[100];
	int i;

	for (i = 0; i < n; i++)
		a[i] = i;
	return solve(a, n);
}

static void nested(void)
{
	int i;

	tprof_roi_begin("outer");
	for (i = 0; i < 5000; i++) {
		tprof_roi_begin("inner");
		with_numbers(10);
		tprof_roi_end("inner");
	}
	tprof_roi_end("outer");
}

/* The outer region does nothing itself. */
static void sleeps(void)
{
	int i;

	tprof_roi_begin("outer");
	for (i = 0; i < 5; i++) {
		tprof_roi_begin("inner");
		with_numbers(10);
		usleep(10000);
		/* The clock of a region goes on inside it. */
		tprof_roi_begin("inner");
		usleep(10000);
		tprof_roi_end("inner");
		tprof_roi_end("inner");
	}
	tprof_roi_end("outer");
}

static void *on_thread(void *name)
{
	int i;

	for (i = 0; i < 100; i++) {
		tprof_roi_begin((const char *)name);
		with_numbers(100);
		tprof_roi_end((const char *)name);
	}
	return NULL;
}

static void *ends_only(void *unused)
{
	tprof_roi_end("elsewhere");
	return unused;
}

static void run_thread(void *(*what)(void *), const char *name)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, what, (void *)name) == 0)
		pthread_join(thread, NULL);
}

static void threads(void)
{
	pthread_t all[4];
	int i;

	for (i = 0; i < 4; i++)
		pthread_create(&all[i], NULL, on_thread, (void *)"work");
	for (i = 0; i < 4; i++)
		pthread_join(all[i], NULL);
	/* More than there are at any time. */
	for (i = 0; i < 300; i++)
		run_thread(on_thread, "work");
}

static void wrong(void)
{
	char name[32] = "first name";

	tprof_roi_begin("twice");
	tprof_roi_begin("twice");
	tprof_roi_end("twice");
	tprof_roi_end("twice");
	tprof_roi_end("twice");
	tprof_roi_begin("elsewhere");
	run_thread(ends_only, NULL);
	tprof_roi_begin("crossed a");
	tprof_roi_begin("crossed b");
	tprof_roi_end("crossed a");
	tprof_roi_end("crossed b");
	/* Two names in one place. */
	tprof_roi_begin(name);
	tprof_roi_end(name);
	strcpy(name, "second name");
	tprof_roi_begin(name);
	tprof_roi_end(name);
	tprof_roi_begin("never ends");
}

static void forks(void)
{
	int status = 0;
	pid_t child;

	tprof_roi_begin("parent");
	child = fork();
	if (child == 0) {
		tprof_roi_begin("child");
		with_numbers(10);
		tprof_roi_end("child");
		_exit(0);
	}
	waitpid(child, &status, 0);
	tprof_roi_end("parent");
}

static void functions(void)
{
	volatile int i = 0;
	int code, n = 0;

	again = factorial;
	for (i = 0; i < 1000; i++)
		with_numbers(50);
	printf("%ld\n", factorial(10));
	for (i = 0; i < 20; i++) {
		code = setjmp(far);
		if (code == 0)
			n += jumps(i);
	}
	printf("\n%d\n", n);
	for (i = 0; i < 8; i++)
		n += chosen(i);
	printf("%d\n", n);
}

/* Twice: an unloaded module comes back with pointers that are not set yet. */
static void loads(const char *path)
{
	int i;

	for (i = 0; i < 2; i++) {
		void *library = dlopen(path, RTLD_NOW);
		double (*plugged)(int) = library ? (double (*)(int))dlsym(library, "plugged") : 0;

		if (plugged)
			printf("%.1f\n", plugged(10));
		if (library)
			dlclose(library);
	}
}

static void closes(void)
{
	int fd;

	tprof_roi_begin("before");
	tprof_roi_end("before");
	fflush(stdout);
	for (fd = 3; fd < 1024; fd++)
		close(fd);
	tprof_roi_begin("after");
	tprof_roi_end("after");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	printf("%s %.1f\n", what, with_numbers(100));
	if (strcmp(what, "nested") == 0)
		nested();
	else if (strcmp(what, "sleeps") == 0)
		sleeps();
	else if (strcmp(what, "threads") == 0)
		threads();
	else if (strcmp(what, "wrong") == 0)
		wrong();
	else if (strcmp(what, "forks") == 0)
		forks();
	else if (strcmp(what, "functions") == 0)
		functions();
	else if (strcmp(what, "loads") == 0)
		loads(argc > 2 ? argv[2] : "");
	else if (strcmp(what, "closes") == 0)
		closes();
	else if (strcmp(what, "crashes") == 0) {
		tprof_roi_begin("crash");
		fflush(stdout);
		abort();
	} else if (strcmp(what, "executes") == 0) {
		execl(argv[0], argv[0], "nested", (char *)NULL);
	}
	printf("%s\n", getenv("LD_PRELOAD") ? getenv("LD_PRELOAD") : "nothing is preloaded");
	return 3;
}
