/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events in addition to the time: after the windows of a point its code runs again for each event
 * of the option `events`, with only that counter. Why an event cannot be counted is reported once a
 * run, and the point goes on.
 */
#ifndef TPROF_EXPERIMENTS_WINDOWS_COUNTING_H
#define TPROF_EXPERIMENTS_WINDOWS_COUNTING_H

#include "counters/source.h"
#include "counters/stepped.h"
#include "experiments/bench.h"
#include "measure/sampler.h"

/* What stepping goes through, by one thread in a child: over some work and over more. */
struct tp_window_stepping {
	struct tp_stepped code;
	double elements; /* that `more` does beyond `less`, or passes where nothing has elements */
};

/* An experiment's description of a point's code. All zero: nothing is counted. */
struct tp_window_counting {
	/* The text of the point's row that gets what was counted: "page_faults=0 cycles=2.5". */
	char *counts;
	size_t counts_bytes;
	double elements; /* of a pass of the whole team: counts are for one of them; 0 = for a pass
			  */
	/*
	 * Fills `stepping`, which is valid until the next call; other results than TP_OK give the
	 * reason why the code cannot be stepped. NULL: a pass of the first thread is stepped on its
	 * own data.
	 */
	enum tp_status (*step)(void *context, struct tp_window_stepping *stepping,
			       struct tp_diag *diag);
	void *context;
	/* Where events are looked for; NULL: in the sources for native code (tp_wanted_kinds). */
	const struct tp_source_kind *const *kinds;
	size_t n_kinds;
};

/*
 * Counts the events of the point's options while `compiled` runs on the team: the sum over the
 * threads, the middle of some readings. Of code that marks a part of itself, that part is counted,
 * if a window may have several passes. TP_CANCELLED when the watch stops it.
 */
enum tp_status tp_window_count(struct tp_bench *bench, const struct tp_planned *planned,
			       struct tp_team *team, const struct tp_compiled *compiled,
			       const struct tp_window_counting *counting, struct tp_diag *diag);

/* Roughly how long that takes. */
double tp_window_count_seconds(const struct tp_config *config);

#endif
