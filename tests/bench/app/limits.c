/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs whose limit is known by construction, for verdicts.sh: limits NAME. Each takes about
 * half a second on a core of 3 GHz; what it computes goes to a volatile, so that nothing is left
 * out. Compiled without automatic vectors: vectorised code is marked.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef double vector __attribute__((vector_size(8 * sizeof(double)), aligned(64)));

enum { KIB = 1024, MIB = 1024 * 1024, ACCUMULATORS = 8 };

static volatile double kept;
static volatile uint64_t kept_number;

static void die(const char *what)
{
	perror(what);
	exit(2);
}

/* Memory that is there already. */
static void *touched(size_t bytes)
{
	void *p = aligned_alloc(4096, bytes);
	if (!p)
		die("memory");
	memset(p, 0, bytes);
	return p;
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* --- the kernel of the system --- */

static void page_faults(void)
{
	for (int i = 0; i < 6; i++) {
		size_t bytes = 256u * MIB;
		char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			       0);
		if (p == MAP_FAILED)
			die("mmap");
		/* Large pages would make it 512 times fewer. */
		madvise(p, bytes, MADV_NOHUGEPAGE);
		for (size_t at = 0; at < bytes; at += 4096)
			p[at] = 1;
		munmap(p, bytes);
	}
}

static void fork_storm(void)
{
	for (int i = 0; i < 1500; i++) {
		pid_t pid = fork();
		if (pid == 0)
			_exit(0);
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			die("fork");
	}
}

static void file_reading(void)
{
	char name[] = "/tmp/limits-XXXXXX";
	size_t bytes = 64u * MIB;
	char *buffer = touched(MIB);
	int fd = mkstemp(name);
	if (fd < 0)
		die(name);
	unlink(name);
	for (size_t at = 0; at < bytes; at += MIB)
		if (write(fd, buffer, MIB) != MIB)
			die("write");
	for (int i = 0; i < 60; i++)
		for (size_t at = 0; at < bytes; at += 64 * KIB)
			if (pread(fd, buffer, 64 * KIB, (off_t)at) != 64 * KIB)
				die("pread");
	close(fd);
	kept_number = (uint64_t)buffer[MIB / 2];
}

/* --- waiting --- */

static void pause_for(double seconds)
{
	struct timespec t = { (time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds)) };
	nanosleep(&t, NULL);
}

static void sleeping(void)
{
	pause_for(0.5);
}

/* The producer is a device that has a number every few milliseconds. */
static void *produce(void *argument)
{
	int fd = *(int *)argument;
	for (uint64_t i = 0; i < 100; i++) {
		pause_for(0.005);
		if (write(fd, &i, sizeof(i)) != sizeof(i))
			die("write");
	}
	close(fd);
	return NULL;
}

static void pipe_waits(void)
{
	int ends[2];
	pthread_t thread;
	uint64_t number, sum = 0;
	if (pipe(ends) != 0 || pthread_create(&thread, NULL, produce, &ends[1]) != 0)
		die("pipe");
	while (read(ends[0], &number, sizeof(number)) == sizeof(number))
		for (int i = 0; i < 100; i++)
			sum += next_random(&number);
	pthread_join(thread, NULL);
	kept_number = sum;
}

/* --- integers --- */

/* Half of the branches go another way than the last time; neither way has a store. */
static void branches(void)
{
	uint64_t state = 88172645463325252u, a = 1, b = 1;
	for (long i = 0; i < 60000000; i++) {
		uint64_t x = next_random(&state);
		if (x & 1)
			__asm__ volatile("add $3, %0" : "+r"(a));
		else
			__asm__ volatile("xor $5, %0" : "+r"(b));
		if (x & 2)
			__asm__ volatile("add $7, %0" : "+r"(b));
	}
	kept_number = a + b;
}

/* One cycle through all lines of 128 MiB: a random number generator of full period goes from each
 * to the next, and no prefetcher follows it. */
static void pointer_chase(void)
{
	enum { LINE = 64 / sizeof(void *) };
	size_t n = 128u * MIB / 64;
	void **lines = touched(n * 64);
	for (size_t i = 0; i < n; i++)
		lines[i * LINE] = &lines[(i * 1664525 + 1013904223) % n * LINE];
	void **at = lines;
	for (long i = 0; i < 6000000; i++)
		at = *at;
	kept_number = (uint64_t)(uintptr_t)at;
}

/* --- memory: products of two vectors, with their size in bytes --- */

static void product_of(size_t bytes, double gigabytes)
{
	size_t n = bytes / 2 / sizeof(vector) / ACCUMULATORS * ACCUMULATORS;
	vector *x = touched(bytes), *y = x + n, sum[ACCUMULATORS] = { 0 };
	long passes = (long)(1e9 * gigabytes / (double)bytes) + 1;
	for (long pass = 0; pass < passes; pass++)
		for (size_t i = 0; i < n; i += ACCUMULATORS)
#pragma GCC unroll 8
			for (int k = 0; k < ACCUMULATORS; k++)
				sum[k] += x[i + (size_t)k] * y[i + (size_t)k];
	for (int k = 0; k < ACCUMULATORS; k++)
		kept += sum[k][0];
}

/* Sizes of this machine; without them those of many. */
static size_t cache_bytes(int level)
{
	static const int names[] = { _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE,
				     _SC_LEVEL3_CACHE_SIZE };
	static const size_t usual[] = { 32 * KIB, MIB, 32u * MIB };
	long bytes = sysconf(names[level]);
	return bytes > 0 ? (size_t)bytes : usual[level];
}

static void l1_loop(void)
{
	product_of(cache_bytes(0) / 2, 40);
}

static void l2_loop(void)
{
	product_of(cache_bytes(1) / 2, 30);
}

/* Beyond the second cache, and less than its share of a third one that neighbours use, too. */
static void l3_loop(void)
{
	size_t second = cache_bytes(1), third = cache_bytes(2);
	product_of(4 * second < third / 2 ? 4 * second : third / 2, 15);
}

static void dram_loop(void)
{
	size_t third = cache_bytes(2);
	product_of(8 * third > 512u * MIB ? 512u * MIB : 8 * third, 12);
}

/* --- floating point --- */

static void fp_chain(void)
{
	double x = 1, y = 1e-9;
	for (long i = 0; i < 50000000; i++) {
		x += y;
		x += y;
		x += y;
		x += y;
		__asm__ volatile("" : "+x"(x), "+x"(y));
	}
	kept = x;
}

/* Numbers in registers: more chains than results that are under way. */
#define TWELVE(X) X(a) X(b) X(c) X(d) X(e) X(f) X(g) X(h) X(i) X(j) X(k) X(l)
#define NUMBER(x) double x = 1 + 1e-9 * __LINE__;
#define STAYS(x)  __asm__ volatile("" : "+x"(x));
#define SCALE(x)                                                                                   \
	x *= y;                                                                                    \
	STAYS(x)
#define KEEP(x) sum += x;

static double scale(long n)
{
	double y = 1 - 1e-12, sum = 0;
	TWELVE(NUMBER)
	for (long left = n; left > 0; left--) {
		TWELVE(SCALE)
	}
	TWELVE(KEEP)
	return sum;
}

static void fp_scalar(void)
{
	kept = scale(100000000);
}

#define DIVIDE(x)                                                                                  \
	x /= y;                                                                                    \
	STAYS(x)

static void fp_divide(void)
{
	double y = 1 + 1e-12, sum = 0;
	TWELVE(NUMBER)
	for (long left = 16000000; left > 0; left--) {
		TWELVE(DIVIDE)
	}
	TWELVE(KEEP)
	kept = sum;
}

/* Products of vectors on registers: as much as the units do. */
static void fp_peak(void)
{
	vector x[12], a = { 0 }, b = { 0 };
	for (int k = 0; k < 12; k++)
		x[k] = a + k;
	a += 0.999;
	b += 0.001;
	for (long i = 0; i < 100000000; i++) {
#pragma GCC unroll 12
		for (int k = 0; k < 12; k++)
			x[k] = x[k] * a + b;
		__asm__ volatile("" : "+x"(a), "+x"(b));
	}
	for (int k = 0; k < 12; k++)
		kept += x[k][0];
}

/* --- threads --- */

static void *multiply(void *argument)
{
	kept = scale(*(long *)argument);
	return NULL;
}

static void in_two_threads(void *(*function)(void *), void *first, void *second)
{
	pthread_t threads[2];
	if (pthread_create(&threads[0], NULL, function, first) != 0 ||
	    pthread_create(&threads[1], NULL, function, second) != 0)
		die("pthread_create");
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
}

static void imbalance(void)
{
	long most = 150000000, little = 15000000;
	in_two_threads(multiply, &most, &little);
}

/* What only the first thread does. */
static double prepare(long n)
{
	double y = 1 + 1e-12, sum = 0;
	TWELVE(NUMBER)
	for (long left = n; left > 0; left--) {
		TWELVE(SCALE)
	}
	TWELVE(KEEP)
	return sum;
}

static void serial_phase(void)
{
	long each = 15000000;
	kept = prepare(130000000);
	in_two_threads(multiply, &each, &each);
}

/* Two numbers of one line, each written by one thread. */
static struct {
	_Alignas(64) volatile uint64_t number[2];
} line;

static void *count_up(void *argument)
{
	volatile uint64_t *number = argument;
	for (long i = 0; i < 30000000; i++)
		(*number)++;
	return NULL;
}

static void false_sharing(void)
{
	in_two_threads(count_up, (void *)&line.number[0], (void *)&line.number[1]);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t locked_number;

static void *lock_and_count(void *argument)
{
	(void)argument;
	for (long i = 0; i < 6000000; i++) {
		pthread_mutex_lock(&lock);
		locked_number = locked_number * 3 + 1;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void lock_contention(void)
{
	in_two_threads(lock_and_count, NULL, NULL);
	kept_number = locked_number;
}

static const struct {
	const char *name;
	void (*run)(void);
} programs[] = {
	{ "page-faults", page_faults },
	{ "fork-storm", fork_storm },
	{ "pipe-waits", pipe_waits },
	{ "sleep", sleeping },
	{ "branches", branches },
	{ "pointer-chase", pointer_chase },
	{ "l1-loop", l1_loop },
	{ "l2-loop", l2_loop },
	{ "l3-loop", l3_loop },
	{ "dram-loop", dram_loop },
	{ "fp-chain", fp_chain },
	{ "fp-scalar", fp_scalar },
	{ "fp-divide", fp_divide },
	{ "fp-peak", fp_peak },
	{ "imbalance", imbalance },
	{ "serial-phase", serial_phase },
	{ "false-sharing", false_sharing },
	{ "lock-contention", lock_contention },
	{ "file-reading", file_reading },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof(programs) / sizeof(programs[0]); i++)
		if (strcmp(argv[1], programs[i].name) == 0) {
			programs[i].run();
			return 0;
		}
	fprintf(stderr, "usage: limits NAME\n");
	return 2;
}
