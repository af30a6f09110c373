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
#include "measure/chase.h"
#include "measure/clock.h"

struct tp_team;

/* Pins the caller to cpus[0] and starts n - 1 threads on the others; every pin is read back. */
enum tp_status tp_team_new(struct tp_team **team, const struct tp_clock *clock,
			   const struct tp_cpu *cpu, const unsigned *cpus, unsigned n,
			   struct tp_diag *diag);
void tp_team_free(struct tp_team *team);
/* Is every thread still where it was pinned? CPUs go offline and cpusets shrink while a run is under way. TP_PERM, naming the CPU. */
enum tp_status tp_team_check(struct tp_team *team, struct tp_diag *diag);
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

/*
 * Threads below `chasers` get the pointers of `chase` into their buffers, each an order of its own drawn from the seed; the others get
 * the numbers that a new buffer holds. What is there already stays. Every use of the buffers begins with this: pointers taken for
 * numbers would be denormal. `chase` may be NULL if there are no chasers.
 */
enum tp_status tp_team_contents(struct tp_team *team, unsigned chasers,
				const struct tp_chase *chase, struct tp_diag *diag);
/* The cell of a chaser, as a chase takes it (kernels/kernel.h): it goes on where the window before ended. */
void *tp_team_cell(struct tp_team *team, unsigned thread);

/*
 * What the threads behind the first do until that one has ended its window: walk upward through the first `bytes` of their buffers, a
 * slice a call, with a pause after each. They go on where the window before ended.
 */
struct tp_window_stream {
	tp_kernel_function slice, pause; /* pause: on no data; NULL = none */
	size_t slice_bytes, bytes;
	uint64_t pause_passes;
	uint64_t
		lead_passes; /* of the first thread's kernel before its window, while the streams come up */
};

/* What each thread does in a window. */
struct tp_window_work {
	tp_kernel_function kernel;
	void *const *data; /* one pointer a thread */
	uint64_t passes;
	bool alone; /* only thread 0 runs the kernel, the others wait, or stream */
	const struct tp_window_stream *stream; /* with `alone`; NULL = they wait */
	size_t evict_bytes; /* cold: flush that many bytes of data before the window; 0 = hot */
};

struct tp_window {
	double seconds; /* last end - first start; with streams: the first thread's */
	double stream_gbps; /* all streams together, each over its own time; 0 = none */
	double ghz; /* mean over threads and both chains; 0 = unknown */
	uint32_t flags; /* TP_FLAG(CTX_SWITCH), (MIGRATED), (PAGE_FAULT), (SIBLING) */
};

void tp_team_window(struct tp_team *team, const struct tp_window_work *work, struct tp_window *out);

#endif
