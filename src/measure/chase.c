/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/chase.h"

#include <stdlib.h>

/* How far ahead lines are asked for; both passes know their order, unlike the chase. */
enum { AHEAD = 24, WORDS = TP_CHASE_LINE_BYTES / sizeof(void *) };

/* One step of splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* Fisher-Yates: the lines in the order of the cycle. Every cycle is as likely as any other. */
static void shuffle(uint32_t *order, size_t n, uint64_t seed)
{
	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	for (size_t i = n; i > 1; i--) {
		size_t k = (size_t)((next_random(&seed) >> 32) * i >> 32);
		uint32_t kept = order[i - 1];
		order[i - 1] = order[k];
		order[k] = kept;
	}
}

/* The pointer of a line: at a word of it that only seed and line decide. */
static void **slot(char *data, uint32_t line, uint64_t seed)
{
	uint64_t state = seed ^ line;
	return (void **)(void *)(data + (size_t)line * TP_CHASE_LINE_BYTES) +
	       next_random(&state) % WORDS;
}

enum tp_status tp_chase_write(void *data, size_t bytes, uint64_t seed, void **first,
			      struct tp_diag *diag)
{
	size_t n = bytes / TP_CHASE_LINE_BYTES;
	if (n == 0 || bytes % TP_CHASE_LINE_BYTES || n - 1 > UINT32_MAX)
		return tp_fail(diag, TP_USAGE, "chase", "whole cache lines, at most 256 GiB",
			       "no chain of pointers through %zu bytes", bytes);
	uint32_t *order = malloc(n * sizeof(*order));
	if (!order)
		return tp_fail(diag, TP_NOMEM, "chase", NULL, "out of memory for %zu lines", n);
	shuffle(order, n, seed);

	void **from = slot(data, order[0], seed);
	*first = from;
	for (size_t i = 0; i < n; i++) {
		if (i + AHEAD < n)
			__builtin_prefetch(slot(data, order[i + AHEAD], seed), 1);
		void **to = slot(data, order[(i + 1) % n], seed);
		*from = to;
		from = to;
	}
	/* Read as well: lines that were just written would have to be written back while others are timed. */
	void *volatile seen;
	for (size_t i = 0; i < n; i++)
		seen = *slot(data, order[i], seed);
	(void)seen;
	free(order);
	return TP_OK;
}
