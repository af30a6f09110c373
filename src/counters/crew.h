/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pinned threads that run a row of a counting kernel while a source counts. Each has its own data,
 * emulation and event sets. They live from row to row. The result is the median over the threads.
 */
#ifndef TPROF_COUNTERS_CREW_H
#define TPROF_COUNTERS_CREW_H

#include "counters/source.h"
#include "kernels/counting.h"

struct tp_crew;

/*
 * Starts n threads on these CPUs and checks every pin. `source` and `emulated` (NULL: code runs
 * natively) are borrowed for the life of the crew.
 */
enum tp_status tp_crew_new(struct tp_crew **crew, struct tp_source *source,
			   const struct tp_emulated_machine *emulated, const unsigned *cpus,
			   unsigned n, struct tp_diag *diag);
void tp_crew_free(struct tp_crew *crew); /* may be NULL */
/* True if there is a crew, of just these CPUs. */
bool tp_crew_runs_on(const struct tp_crew *crew, const unsigned *cpus, unsigned n);

struct tp_crew_task {
	const struct tp_counting *counting;
	size_t repetitions;
	uint64_t passes; /* of a reading */
	uint64_t seed; /* of the data; every thread derives its own */
	/* Asked every few milliseconds by the calling thread: false = stop. */
	bool (*go_on)(void *context);
	void *context;
};

/*
 * Counts every group of the source for one row: counts[event * repetitions + repetition], for
 * `iterations` iterations, of every event of the source; NaN for events that are not available or
 * could not be counted. TP_CANCELLED when go_on returned false.
 *
 * Where single readings may be disturbed (source->disturbed), they are taken again, up to
 * TP_CREW_AGAIN times: those during which a thread left its CPU, unless it does in every reading;
 * and, of rows that count exactly,
 * all until `repetitions` of them agree and are at least half. Then only these are kept, and
 * left_out[event] grows by those that were not (may be NULL).
 */
enum { TP_CREW_AGAIN = 14 };
enum tp_status tp_crew_count(struct tp_crew *crew, const struct tp_crew_task *task, double *counts,
			     unsigned *left_out, double *iterations, struct tp_diag *diag);

#endif
