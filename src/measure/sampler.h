/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Windows of one kernel until a stop rule fires, and races between kernels that do the same work in
 * different ways.
 *
 * Noise only ever slows a window down. A window during which something was observed (context
 * switch, page fault, migration, a neighbour on its core) is dropped; so is one that is slower than
 * the point's fast mode by more than `keep_within`: per cycle of its own clock if only the core
 * matters, since a stepping clock is not a disturbance. The statistics are over what is kept; every
 * sample stays in the record with the reason it was dropped for.
 */
#ifndef TPROF_MEASURE_SAMPLER_H
#define TPROF_MEASURE_SAMPLER_H

#include "kernels/kernel.h"
#include "measure/stop.h"
#include "measure/team.h"
#include "record/event.h"

/*
 * A core that is wholly ours reaches this share or more of the model's integer additions. One whose
 * other hardware thread is always busy reaches about half.
 */
#define TP_WHOLE_CORE_SHARE 0.7

/*
 * Load on shared caches and memory changes slowly: windows there are at least this far apart, and
 * the walk goes on in between.
 */
#define TP_SHARED_STEP_SECONDS 0.2e-3

/* A value needs three windows at least. */
enum { TP_LEAST_WINDOWS = 3 };

struct tp_sampling {
	double window_seconds; /* target length of a window */
	double race_window_seconds; /* the same in a race */
	struct tp_stop_rule rule;
	double keep_within; /* relative: how far below the fast mode a window may be */
	bool private_cores; /* working set and units belong only to each thread's core */
	/* of a large working set, walked before the first window: as much as the caches hold */
	uint64_t settle_bytes;
	bool shared; /* others can change it: its windows are spread over some time */
	/* Points of nearly the same working set vouch for this one: it takes less of that time. */
	bool has_neighbours;
	bool cold; /* evict the working set before every window (one pass a window) */
	/*
	 * Memory: what a window reads is flushed from the caches before it. Of a chase, all of its
	 * working set.
	 */
	bool flushed;
};

/*
 * What loads the memory while a chase is timed: the threads that do not chase walk through their
 * buffers, a slice at a time.
 */
struct tp_stream {
	struct tp_kernel kernel; /* a memory kernel; its working set is a slice */
	unsigned pause_cycles; /* without memory, after each slice */
};

/* Code that was compiled, not emitted. */
struct tp_compiled {
	tp_kernel_function function; /* every thread of the team runs it, with its own data */
	void *const *data; /* one pointer a thread; borrowed */
	/* Of the whole team: bytes or FLOP, whichever the point's unit counts; 1 if that is a time
	 */
	double work_per_pass;
	uint64_t passes; /* of every window; 0 = as many as fill it */
	struct tp_window_mark *marks; /* as in tp_window_work; NULL = none */
	/* The point is a time: work_per_pass counts what one thread does, such as instructions. */
	bool timed;
	uint64_t lead_passes; /* right before each window, not timed */
	const struct tp_window_pass *pass; /* on a simulated machine, in place of the function */
};

struct tp_candidate {
	/* Of compiled code, only its working set counts. */
	struct tp_kernel kernel;
	const struct tp_compiled *compiled; /* borrowed; NULL = the kernel is emitted */
	unsigned chasers; /* of a chase: how many threads do it; 0 = all */
	const struct tp_stream *stream; /* what the others do, borrowed; NULL = they wait */
	uint64_t seed; /* of gathers: the order of their places */
	struct tp_chase chase; /* of a chase: its way; `bytes` is the kernel's working set */
	double raced_rate; /* usual rate in its race, as tp_sample.rate; 0 = unknown */
	double raced_ghz; /* usual clock in its race */
	bool raced_blind; /* so disturbed that another one may be better */
	size_t placement_bytes; /* offset of the working set in the thread's buffer */
};

/*
 * Called between windows. `sample` may be NULL. Returning false from either ends the point as
 * cancelled.
 */
struct tp_watch {
	void *context;
	bool (*sample)(void *context, const struct tp_sample *sample);
	bool (*go_on)(void *context);
	/* A row for the run, as a separate event; may be NULL. */
	bool (*row)(void *context, const struct tp_row_event *kind, const void *row);
	/* Words that are not a failure; may be NULL. */
	void (*note)(void *context, const struct tp_diag *note);
	/* Progress of the first touch of memory. `done` = `total` when it is over. May be NULL. */
	void (*touching)(void *context, uint64_t done_bytes, uint64_t total_bytes);
	/* Progress of compiling. May be NULL. */
	void (*compiling)(void *context, size_t done, size_t total);
};

/* False if the watcher wants the work to end. `watch` may be NULL: no watcher. */
static inline bool tp_watch_goes_on(const struct tp_watch *watch)
{
	return !watch || !watch->go_on || watch->go_on(watch->context);
}

/* The same after a sample, or a row of an event. */
static inline bool tp_watch_sample(const struct tp_watch *watch, const struct tp_sample *sample)
{
	return !watch || !watch->sample || watch->sample(watch->context, sample);
}

static inline bool tp_watch_row(const struct tp_watch *watch, const struct tp_row_event *kind,
				const void *row)
{
	return !watch || !watch->row || watch->row(watch->context, kind, row);
}

static inline void tp_watch_note(const struct tp_watch *watch, const struct tp_diag *note)
{
	if (watch && watch->note)
		watch->note(watch->context, note);
}

/* The same with words as of tp_fail. */
void tp_watch_say(const struct tp_watch *watch, const char *where, const char *hint,
		  const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/*
 * Measures `candidate` into `point`: samples, flags, every derived value (point.h); identity fields
 * are the caller's. `invocation` is written into the samples. Samples that `point` already has (an
 * earlier attempt) stay and are judged together with the new ones. Buffers must be there
 * (tp_team_buffers). TP_CANCELLED when the watch stopped it.
 */
enum tp_status tp_sampler_run(struct tp_team *team, const struct tp_cpu *cpu,
			      const struct tp_candidate *candidate,
			      const struct tp_sampling *sampling, const struct tp_watch *watch,
			      unsigned invocation, struct tp_point *point, struct tp_diag *diag);

/*
 * What a pass of a window goes through: the kernel itself, or, where the working set is too large
 * for a window, a slice of it. Slices follow each other from window to window, round and round.
 */
struct tp_kernel tp_sampler_piece(const struct tp_kernel *kernel);

/*
 * The fastest of n candidates, by their rate of useful work: `best` gets at most *n_best of them,
 * the best first, and *n_best becomes their number. One winner takes windows until it is clear;
 * several are only sorted out, to be raced again. Candidates that cannot be emitted for this
 * working set are left out; if none can, the last reason is returned.
 */
enum tp_status tp_sampler_race(struct tp_team *team, const struct tp_cpu *cpu,
			       const struct tp_candidate *candidates, size_t n,
			       const struct tp_sampling *sampling, const struct tp_watch *watch,
			       struct tp_candidate *best, size_t *n_best, struct tp_diag *diag);

/*
 * Which samples count: fills flags[n] with why a sample is dropped, 0 for the kept ones, and
 * returns how many those are. Looks at the samples' flags, rates and chains only.
 */
size_t tp_sampler_keep(const struct tp_sample *samples, size_t n, double keep_within,
		       uint32_t *flags);

/* Windows of the point during which something ran on the core's other hardware thread. */
size_t tp_sampler_shared_windows(const struct tp_point *point);

/*
 * Recomputes statistics, interval and values of a point from its samples, e.g. after another
 * invocation added some.
 */
enum tp_status tp_sampler_summarise(struct tp_point *point, const struct tp_sampling *sampling,
				    struct tp_diag *diag);

/* */

/*
 * Points that keep windows this close to their fast mode are those whose time only the core
 * decides. Their windows are compared by what they do in a cycle.
 */
#define KEEP_TIGHT 0.03

#endif
