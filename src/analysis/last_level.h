/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the last cache ends and where memory begins, from bandwidths at a few sizes: what a machine
 * reports may be the cache of a host, of which a guest gets a part.
 */
#ifndef TPROF_ANALYSIS_LAST_LEVEL_H
#define TPROF_ANALYSIS_LAST_LEVEL_H

#include <stdbool.h>
#include <stddef.h>

struct tp_last_level {
	double cache_rate, memory_rate;
	double end_bytes; /* where the rate passes the (geometric) middle of both */
	/* so large that memory alone decides the rate: at least four times the end */
	double memory_bytes;
};

/*
 * `sizes` ascend, about an octave apart, from the first one inside the last cache. False as long as
 * memory does not show: a fall, and behind it two octaves that agree. Then a larger size is needed.
 */
bool tp_last_level_find(const double *sizes, const double *rates, size_t n,
			struct tp_last_level *found);

#endif
