/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A team of pinned threads that run timed windows together. Thread 0 is the caller's own thread, so
 * a team of one needs no other. Between windows the others spin for a moment, then sleep.
 */
#ifndef TPROF_MEASURE_TEAM_H
#define TPROF_MEASURE_TEAM_H

#include <stdint.h>

#include "kernels/code.h"
#include "kernels/kernel.h"
#include "measure/buffer.h"
#include "measure/chase.h"
#include "measure/clock.h"

struct tp_team;

/* Pins the caller to cpus[0] and starts n - 1 threads on the others; every pin is read back. */
enum tp_status tp_team_new(struct tp_team **team, const struct tp_clock *clock,
			   const struct tp_cpu *cpu, const unsigned *cpus, unsigned n,
			   struct tp_diag *diag);
/*
 * The same with threads of OpenMP: compiled code may use its worksharing constructs. Only one such
 * team at a time. TP_UNSUPPORTED in a program built without OpenMP.
 */
enum tp_status tp_openmp_team_new(struct tp_team **team, const struct tp_clock *clock,
				  const struct tp_cpu *cpu, const unsigned *cpus, unsigned n,
				  struct tp_diag *diag);
/*
 * Runs a function of compiled code on the calling thread, which is the only one of its team of
 * OpenMP: all of a shared loop is its own.
 */
void tp_openmp_alone(tp_kernel_function function, void *data, uint64_t passes);
void tp_team_free(struct tp_team *team);
/*
 * Is every thread still where it was pinned? CPUs go offline and cpusets shrink while a run is
 * under way. TP_PERM, naming the CPU.
 */
enum tp_status tp_team_check(struct tp_team *team, struct tp_diag *diag);
unsigned tp_team_size(const struct tp_team *team);
const struct tp_clock *tp_team_clock(const struct tp_team *team);
/* Seconds since some moment, and a pause: in the time of the machine that the team runs on. */
double tp_team_now(const struct tp_team *team);
void tp_team_rest(struct tp_team *team, double seconds);
/*
 * A first estimate of the cores' widths: some windows in which only the gauges run. Each new team
 * begins with it.
 */
void tp_team_learn(struct tp_team *team);
/* Code that this team can run: as tp_kernel_emit. */
enum tp_status tp_team_emit(const struct tp_team *team, const struct tp_kernel *kernel,
			    const struct tp_cpu *cpu, struct tp_code *code, struct tp_diag *diag);

/*
 * Every thread gets a buffer of at least `bytes`, first touched by itself. Buffers grow: what was
 * touched stays as it is, up to `most_bytes`, the largest foreseen need. Other pages, or a larger
 * need, mean new buffers. The first touch can take seconds for each GiB: between steps `watch` (may
 * be NULL) gets the progress, and may cancel it (TP_CANCELLED; what was touched stays). TP_RESOURCE
 * when memory is short.
 */
struct tp_watch;
enum tp_status tp_team_buffers(struct tp_team *team, size_t bytes, size_t most_bytes,
			       enum tp_pages pages, const struct tp_watch *watch,
			       struct tp_diag *diag);
/* Takes over the buffers that an earlier team has on the same CPUs; that one is only to be freed.
 */
void tp_team_inherit(struct tp_team *team, struct tp_team *from);
/* Of each thread's buffer. */
size_t tp_team_touched_bytes(const struct tp_team *team);
char *tp_team_data(const struct tp_team *team, unsigned thread); /* NULL before tp_team_buffers */
/* What pages the buffers got: "thp", "4K", "hugetlb", or "mixed" when threads differ. */
const char *tp_team_pages(const struct tp_team *team);

/*
 * Threads below `chasers` get the pointers of `chase` into their buffers, each in its own order
 * drawn from the seed; the others get the numbers of a new buffer. Existing contents stay. Every
 * use of the buffers begins with this: pointers taken for numbers would be denormal. `chase` may be
 * NULL if there are no chasers.
 */
enum tp_status tp_team_contents(struct tp_team *team, unsigned chasers,
				const struct tp_chase *chase, struct tp_diag *diag);
/*
 * The cell of a chaser, as a chase takes it (kernels/kernel.h): it goes on where the window before
 * ended.
 */
void *tp_team_cell(struct tp_team *team, unsigned thread);

/* Can windows evict data from the caches (tp_window_work.evict_bytes)? */
bool tp_team_evicts(const struct tp_team *team);

/*
 * What all threads except the first do until that one has ended its window: walk upward through the
 * first `bytes` of their buffers, a slice a call, with a pause after each. They go on where the
 * window before ended.
 */
struct tp_window_stream {
	tp_kernel_function slice, pause; /* pause: on no data; NULL = none */
	size_t slice_bytes, bytes;
	bool flushed; /* all of it, before the window */
	uint64_t pause_passes;
	uint64_t pause_cycles; /* of a whole pause, for simulations */
};

/*
 * A working set too large for a window: passes go on, slice by slice, through the first `bytes` of
 * each buffer and begin again at the end. The kernel works on one slice.
 */
struct tp_window_walk {
	size_t slice_bytes, bytes; /* slice_bytes 0 = no walk: passes repeat the same data */
	size_t from; /* where the first pass begins */
	bool flushed; /* the slices of a window are flushed from the caches before it */
};

/*
 * What a pass asks of the core and the caches of each thread, for simulations of code that no
 * kernel describes. in[1]: bytes of its loads and stores; in[i], out[i]: of the lines that come
 * from level i (4: memory) and go back there, if the level before cannot hold the working set.
 */
struct tp_window_pass {
	double in[5], out[5];
	double slot_cycles; /* ports, for loads and stores that all hit L1 */
	double fp_cycles; /* ports, for what overlaps with these; the longer time counts */
	double chain_cycles; /* one after the other */
	unsigned vector_bytes; /* of its operands; 0 = scalar */
};

/* What each thread does in a window. */
struct tp_window_work {
	tp_kernel_function kernel; /* NULL = nothing: only the gauges are read */
	/* The work of a pass, its place in the buffer, and its streams: for simulations. */
	const struct tp_kernel *described, *stream_described;
	const struct tp_window_pass *pass; /* of the described working set; NULL = as its kernel */
	size_t placement_bytes;
	void *const *data; /* one pointer a thread */
	uint64_t passes;
	/*
	 * Untimed passes right before: other code has evicted data since the last window, streams
	 * need a moment to come up, and units for matrices to wake up.
	 */
	uint64_t lead_passes;
	struct tp_window_walk walk;
	bool alone; /* only thread 0 runs the kernel; the others wait, or stream */
	const struct tp_window_stream *stream; /* with `alone`; NULL = they wait */
	/*
	 * cold: flush this many bytes of data before the window; 0 = hot. For a chase: its buffer
	 */
	size_t evict_bytes;
	/*
	 * Where to evict them, if not where data point to: this many places for each thread, thread
	 * by thread; NULL = there
	 */
	const void *const *evict_places;
	size_t n_evict_places;
	/*
	 * Of each thread: the kernel marks its window itself. NULL, or nothing marked: all that the
	 * kernel does is the window.
	 */
	struct tp_window_mark *marks;
};

struct tp_window {
	double seconds; /* last end - first start; with streams: the first thread's */
	double stream_gbps; /* all streams together, each over its own time; 0 = none */
	double ghz; /* of the moment: mean over threads, before and after; 0 = unknown */
	double width; /* additions a cycle of the narrowest core; 0 = unknown */
	uint32_t flags; /* TP_FLAG(CTX_SWITCH), (MIGRATED), (PAGE_FAULT), (SIBLING) */
};

void tp_team_window(struct tp_team *team, const struct tp_window_work *work, struct tp_window *out);
/*
 * Every thread runs `function` once on its own data, together and not timed: for the first touch.
 * `data` has a pointer a thread.
 */
void tp_team_run(struct tp_team *team, tp_kernel_function function, void *const *data);
/* Seconds that a thread took for its part of the last window. */
double tp_team_thread_seconds(const struct tp_team *team, unsigned thread);

/*
 * The gauges' result around the last window for the core of a thread: its clock, and the thread's
 * share of it, 0 to 1. False without a result.
 */
bool tp_team_core(const struct tp_team *team, unsigned thread, double *ghz, double *own);
/*
 * What the narrowest core gives when it is wholly ours, in additions a cycle, by all windows so
 * far; 0 = not known yet.
 */
double tp_team_width(const struct tp_team *team);
/* The least that counts as whole. */
double tp_team_least_width(const struct tp_team *team);
/*
 * The longest window such that many fit between two pauses of the CPUs; `wanted` if pauses are
 * rare.
 */
double tp_team_window_seconds(const struct tp_team *team, double wanted);

#endif
