/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers by lot: a seed means the same ones on every machine. */
#ifndef TPROF_BASE_RANDOM_H
#define TPROF_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* One step of splitmix64 (Steele, Lea, Flood 2014). */
static inline uint64_t tp_splitmix64(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/*
 * Puts `n` items of `item_bytes` into an order that the seed decides (Fisher-Yates with splitmix64), whatever the items are. Runs that were
 * recorded with a seed are gone on with in its order, so what a seed means never changes.
 */
void tp_shuffle(void *items, size_t n, size_t item_bytes, uint64_t seed);

#endif
