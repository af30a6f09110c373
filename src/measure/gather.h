/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where gathers find their elements: one place in each page of a thread's buffer, at a random pair
 * of lines in it, all places in random order. Prefetchers do not cross pages, so none of them
 * brings the lines of a later gather. A pass visits each place once. To make it meet cold lines,
 * the lines of all places are evicted before (tp_window_work.evict): that is not timed, and the
 * buffer may be small enough for the TLB.
 */
#ifndef TPROF_MEASURE_GATHER_H
#define TPROF_MEASURE_GATHER_H

#include "kernels/kernel.h"

struct tp_team;

struct tp_gather_places {
	struct tp_gather_data *data; /* of each thread */
	const void **bases; /* of the first thread, then of the next: gathers of a pass each */
	size_t evict_bytes; /* at each place */
};

/* Bytes of each thread's buffer that the places of a gather kernel need. */
uint64_t tp_gather_buffer_bytes(const struct tp_kernel *kernel);
/* The team has its buffers; `seed` alone decides the order. TP_NOMEM. */
enum tp_status tp_gather_places_init(struct tp_gather_places *places, const struct tp_team *team,
				     const struct tp_kernel *kernel, uint64_t seed,
				     struct tp_diag *diag);
void tp_gather_places_release(struct tp_gather_places *places);

#endif
