/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A pointer chase written by hand, with nothing of tprof in it: what tests/bench/latency.sh holds
 * tprof's latencies against. One random cycle through all cache lines of BYTES; walked for a while,
 * so that caches are as the walk itself leaves them; then timed in short slices. Prints ns a load:
 * the median of the slices, and the fastest one of a thousand. The second is the one to take for
 * sizes within L1 and L2, where nothing but disturbances makes slices differ. Usage: hand_chase
 * BYTES small|thp [SECONDS]
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { LINE = 64, HUGE_PAGE = 2 << 20, UNROLL = 16, SLICES_MOST = 1 << 16 };
#define SLICE_SECONDS 20e-6 /* between the pauses of a hypervisor */
#define SETTLE_SHARE  2 /* walked before, in units of the time that is timed */

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint64_t random_below(uint64_t *state, uint64_t n)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state % n;
}

/* Sattolo's shuffle: a permutation that is one cycle. */
static void **build(char *data, size_t lines)
{
	uint32_t *next = malloc(lines * sizeof(*next));
	uint64_t state = 88172645463325252u;
	if (!next)
		return NULL;
	for (size_t i = 0; i < lines; i++)
		next[i] = (uint32_t)i;
	for (size_t i = lines - 1; i > 0; i--) {
		size_t k = random_below(&state, i);
		uint32_t kept = next[i];
		next[i] = next[k];
		next[k] = kept;
	}
	for (size_t i = 0; i < lines; i++)
		*(void **)(void *)(data + i * LINE) = data + (size_t)next[i] * LINE;
	free(next);
	return (void **)(void *)data;
}

static void **follow(void **p, size_t loads)
{
	for (size_t i = 0; i < loads; i += UNROLL)
#pragma GCC unroll 16
		for (int k = 0; k < UNROLL; k++)
			p = *(void **volatile *)p;
	return p;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	static double slices[SLICES_MOST];
	size_t bytes = argc > 2 ? strtoull(argv[1], NULL, 0) / LINE * LINE : 0;
	double seconds = argc > 3 ? strtod(argv[3], NULL) : 0.3;
	if (bytes < LINE * 2) {
		fprintf(stderr, "usage: hand_chase BYTES small|thp [SECONDS]\n");
		return 2;
	}
	char *room = mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (room == MAP_FAILED) {
		perror("hand_chase");
		return 1;
	}
	char *data = room + (HUGE_PAGE - (uintptr_t)room % HUGE_PAGE) % HUGE_PAGE;
	madvise(data, bytes, strcmp(argv[2], "thp") == 0 ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	memset(data, 1, bytes);
	void **p = build(data, bytes / LINE);
	if (!p)
		return 1;

	/* How many loads a slice has, from the fastest of the walk; a whole lap at least. */
	size_t loads = 64 * UNROLL, walked = 0;
	double began = now(), last = began, per_load = 1;
	while (walked < bytes / LINE || last - began < SETTLE_SHARE * seconds) {
		p = follow(p, loads);
		walked += loads;
		double t = now();
		if (t - last < per_load * (double)loads)
			per_load = (t - last) / (double)loads;
		last = t;
	}
	loads = ((size_t)(SLICE_SECONDS / per_load) / UNROLL + 1) * UNROLL;
	size_t n = 0;
	began = now();
	for (last = began; n < SLICES_MOST && last - began < seconds; n++) {
		p = follow(p, loads);
		double t = now();
		slices[n] = (t - last) / (double)loads * 1e9;
		last = t;
	}
	qsort(slices, n, sizeof(*slices), by_value);
	printf("%.4f %.4f\n", p ? slices[n / 2] : 0, slices[n / 1000]);
	return 0;
}
