/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a chase walks along: pointers, each to another one, all of them one cycle in random order.
 * No prefetcher can predict the next one, and every load waits for the one before it.
 */
#ifndef TPROF_MEASURE_CHASE_H
#define TPROF_MEASURE_CHASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "kernels/kernel.h"

enum { TP_CHASE_LINE_BYTES = 64 };

struct tp_chase {
	size_t bytes; /* that the cycle leads through */
	size_t stride_bytes; /* one pointer in each; 0 = one a line */
	/*
	 * 0: the next pointer may be anywhere. Else all of a block are visited before the next
	 * block is: a TLB that reaches over a block is hardly missed.
	 */
	size_t block_bytes;
	uint64_t seed; /* decides the order, and where in its stride each pointer lies */
};

/*
 * Writes such a cycle from `data` on, which lies on a line; *first is one of its pointers. Sizes
 * are whole lines, blocks whole strides, and there are at most 2^32 pointers, else TP_USAGE. All
 * are written in the order of the cycle and read again up to *first, so that the caches are as
 * after a full round of the chase. Needs 4 bytes a pointer while it works: TP_NOMEM.
 */
enum tp_status tp_chase_write(void *data, const struct tp_chase *chase, void **first,
			      struct tp_diag *diag);
bool tp_chase_equal(const struct tp_chase *a, const struct tp_chase *b);

static inline size_t tp_chase_stride(const struct tp_chase *chase)
{
	return chase->stride_bytes ? chase->stride_bytes : TP_CHASE_LINE_BYTES;
}

/*
 * The chase of a thread of a team whose first `chasers` do it, each in another order; 0 bytes:
 * none.
 */
static inline struct tp_chase tp_chase_of(const struct tp_chase *chase, unsigned chasers,
					  unsigned thread)
{
	struct tp_chase own = { 0 };
	if (thread < chasers) {
		own = *chase;
		own.seed += thread;
	}
	return own;
}

/*
 * Where gathers find their elements: one place in each page of a thread's buffer, at a random pair
 * of lines in it, all places in random order. Prefetchers do not cross pages, so none of them
 * brings the lines of a later gather. A pass visits each place once. To make it meet cold lines,
 * the lines of all places are evicted before (tp_window_work.evict): that is not timed, and the
 * buffer may be small enough for the TLB.
 */

struct tp_team;

struct tp_gather_places {
	struct tp_gather_data *data; /* of each thread */
	const void **bases; /* of the first thread, then of the next: gathers of a pass each */
	size_t evict_bytes; /* at each place */
};

/* Bytes of each thread's buffer that the places of a gather kernel need. */
uint64_t tp_gather_buffer_bytes(const struct tp_kernel *kernel);

/* The team has its buffers; only `seed` decides the order. */
void tp_gather_places_init(struct tp_gather_places *p, const struct tp_team *team,
			   const struct tp_kernel *k, uint64_t seed);
void tp_gather_places_release(struct tp_gather_places *places);

#endif
