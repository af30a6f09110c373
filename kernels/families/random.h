/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers that fill data. The same seed gives the same numbers on every machine. */
#ifndef TPROF_KERNELS_FAMILIES_RANDOM_H
#define TPROF_KERNELS_FAMILIES_RANDOM_H

#include <stdint.h>

#include "base/random.h"

struct tp_random {
	uint64_t state;
};

static inline void tp_random_init(struct tp_random *random, uint64_t seed)
{
	random->state = seed;
}

static inline uint64_t tp_random_next(struct tp_random *random)
{
	return tp_splitmix64(&random->state);
}

/* In [0, n), n below 2^32. */
static inline uint64_t tp_random_below(struct tp_random *random, uint64_t n)
{
	return (tp_random_next(random) >> 32) * n >> 32;
}

/* In [0, 1). */
static inline double tp_random_unit(struct tp_random *random)
{
	return (double)(tp_random_next(random) >> 11) * 0x1p-53;
}

#endif
