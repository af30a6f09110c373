/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads under the agent: each case prints the same as natively. threads CASE */
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

static atomic_long sum;

static void *add(void *argument)
{
	sum += (long)argument;
	return argument;
}

/* Hundreds, one after the other. */
static void one_by_one(void)
{
	for (long i = 0; i < 600; i++) {
		pthread_t thread;
		void *result;

		if (pthread_create(&thread, NULL, add, (void *)i) ||
		    pthread_join(thread, &result) || result != (void *)i)
			printf("thread %ld failed\n", i);
	}
	printf("sum %ld\n", sum);
}

/* More at a time than there are slots. */
static void at_once(void)
{
	enum { N = 300 };
	pthread_t threads[N];
	pthread_attr_t attributes;
	long n = 0;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 64 * 1024);
	for (long i = 0; i < N; i++)
		n += !pthread_create(&threads[i], &attributes, add, (void *)i);
	for (long i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	printf("%ld threads, sum %ld\n", n, sum);
}

static void *work(void *argument)
{
	double x = (double)(long)argument;

	for (int i = 0; i < 20000; i++)
		x = sqrt(x + i);
	sum += lrint(x * 1000);
	return NULL;
}

static void detached(void)
{
	pthread_attr_t attributes;
	long before;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	for (long i = 0; i < 50; i++) {
		pthread_t thread;

		pthread_create(&thread, &attributes, add, (void *)1);
	}
	do {
		before = sum;
		usleep(1000);
	} while (before < 50);
	printf("sum %ld\n", sum);
}

static void workers(void)
{
	pthread_t threads[8];

	for (long i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (long i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	printf("sum %ld\n", sum);
}

static __thread long mine;
static pthread_key_t key;

static void at_end(void *value)
{
	sum += (long)value;
}

static void *locals(void *argument)
{
	mine = (long)argument;
	pthread_setspecific(key, argument);
	sched_yield();
	if (mine != (long)argument)
		puts("thread-local storage is wrong");
	pthread_exit(NULL);
}

static void local(void)
{
	pthread_t threads[20];

	pthread_key_create(&key, at_end);
	for (long i = 0; i < 20; i++)
		pthread_create(&threads[i], NULL, locals, (void *)(i + 1));
	for (long i = 0; i < 20; i++)
		pthread_join(threads[i], NULL);
	printf("sum %ld\n", sum);
}

static void *wait_for_ever(void *argument)
{
	(void)argument;
	for (;;)
		pause();
	return NULL;
}

static void *spin_for_ever(void *argument)
{
	(void)argument;
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	for (volatile long i = 0;; i++)
		;
	return NULL;
}

static void cancelled(void)
{
	pthread_t waits, spins;
	void *a, *b;

	pthread_create(&waits, NULL, wait_for_ever, NULL);
	pthread_create(&spins, NULL, spin_for_ever, NULL);
	usleep(10000);
	pthread_cancel(waits);
	pthread_cancel(spins);
	pthread_join(waits, &a);
	pthread_join(spins, &b);
	printf("%d %d\n", a == PTHREAD_CANCELED, b == PTHREAD_CANCELED);
}

static void *leave(void *argument)
{
	(void)argument;
	puts("the thread leaves");
	fflush(stdout);
	_exit(3);
}

static void exit_in_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, leave, NULL);
	pthread_join(thread, NULL);
	puts("never");
}

static void *after_main(void *argument)
{
	(void)argument;
	usleep(20000);
	puts("main has gone");
	return NULL;
}

static void main_ends(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, after_main, NULL);
	pthread_exit(NULL);
}

static void *load(void *argument)
{
	for (int i = 0; i < 30; i++) {
		void *library = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
		void *other = dlopen("libresolv.so.2", RTLD_NOW | RTLD_LOCAL);
		double (*cosine)(double) = NULL;

		if (!library)
			continue;
		*(void **)&cosine = dlsym(library, "cos");
		sum += lrint(cosine((double)i) * 1000);
		if (other)
			dlclose(other);
		dlclose(library);
	}
	return argument;
}

static void libraries(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, load, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("sum %ld\n", sum);
}

static ucontext_t here, there;

static void other_stack(int n)
{
	for (int i = 0; i < n; i++) {
		printf("there %d\n", i);
		swapcontext(&there, &here);
	}
}

static void contexts(void)
{
	static char stack[64 * 1024];

	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof(stack);
	there.uc_link = &here;
	makecontext(&there, (void (*)(void))other_stack, 1, 5);
	for (int i = 0; i < 6; i++) {
		swapcontext(&here, &there);
		printf("here %d\n", i);
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "one_by_one", one_by_one }, { "at_once", at_once },
	{ "detached", detached },     { "workers", workers },
	{ "local", local },	      { "cancelled", cancelled },
	{ "main_ends", main_ends },   { "libraries", libraries },
	{ "contexts", contexts },     { "exit_in_thread", exit_in_thread },
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
