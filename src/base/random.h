/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random numbers: a seed gives the same ones on every machine. */
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

/* In [0, 1). */
static inline double tp_random_uniform(uint64_t *state)
{
	return (double)(tp_splitmix64(state) >> 11) * 0x1p-53;
}

/* A whole number below n < 2^32, by the upper half of a product (Lemire 2019), without its
 * rejection. */
static inline uint64_t tp_random_below(uint64_t *state, uint64_t n)
{
	return (tp_splitmix64(state) >> 32) * n >> 32;
}

/*
 * Shuffles `n` items of `item_bytes` (Fisher-Yates with splitmix64). A run that is resumed repeats
 * the order of its seed, so this order never changes.
 */
void tp_shuffle(void *items, size_t n, size_t item_bytes, uint64_t seed);

#endif
