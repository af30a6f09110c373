/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A team of pinned threads that run timed windows together. Thread 0 is the caller's own thread, so a team of one needs no other. Between
 * windows the others spin for a moment, then sleep.
 */
#ifndef TPROF_MEASURE_TEAM_H
#define TPROF_MEASURE_TEAM_H

#include <stdint.h>

#include "kernels/code.h"
#include "measure/buffer.h"
#include "measure/clock.h"

struct tp_team;

/* Pins the caller to cpus[0] and starts n - 1 threads on the others; every pin is read back. */
enum tp_status tp_team_new(struct tp_team **team, const struct tp_clock *clock,
			   const struct tp_cpu *cpu, const unsigned *cpus, unsigned n,
			   struct tp_diag *diag);
void tp_team_free(struct tp_team *team);
unsigned tp_team_size(const struct tp_team *team);
const struct tp_clock *tp_team_clock(const struct tp_team *team);

/*
 * Gives every thread a buffer of at least `bytes`, allocated and first touched by itself; keeps what is there if it is large
 * enough and of that policy. TP_RESOURCE when memory is short; buffers are then gone.
 */
enum tp_status tp_team_buffers(struct tp_team *team, size_t bytes, enum tp_pages pages,
			       struct tp_diag *diag);
char *tp_team_data(const struct tp_team *team, unsigned thread); /* NULL before tp_team_buffers */
/* What pages the buffers got: "thp", "4K", "hugetlb", or "mixed" when threads differ. */
const char *tp_team_pages(const struct tp_team *team);

/* What each thread does in a window. */
struct tp_window_work {
	tp_kernel_function kernel;
	void *const *data; /* one pointer a thread */
	uint64_t passes;
	bool alone; /* only thread 0 runs the kernel, the others wait */
	size_t evict_bytes; /* cold: flush that many bytes of data before the window; 0 = hot */
};

struct tp_window {
	double seconds; /* last end - first start */
	double ghz; /* mean over threads and both chains; 0 = unknown */
	uint32_t flags; /* TP_FLAG(CTX_SWITCH), (MIGRATED), (PAGE_FAULT), (SIBLING) */
};

void tp_team_window(struct tp_team *team, const struct tp_window_work *work, struct tp_window *out);

#endif
