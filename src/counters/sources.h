/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events by their names, from any source that has them. Each is counted separately, so that no
 * counter is shared. An event that cannot be counted has the reason, and what would allow it.
 */
#ifndef TPROF_COUNTERS_SOURCES_H
#define TPROF_COUNTERS_SOURCES_H

#include "counters/source.h"

enum { TP_WANTED_SOURCES = 4, TP_WANTED_NAME = 64 };

struct tp_wanted_event {
	const char *name; /* as requested; borrowed */
	/* The same as an identifier, for a column: "L1_dcache_loads"; its end is cut. */
	char column[TP_WANTED_NAME];
	struct tp_source *source; /* NULL = it cannot be counted */
	size_t group; /* of the source: only this event */
	enum tp_status status; /* why not */
	struct tp_diag diag;
};

struct tp_wanted {
	struct tp_wanted_event *events;
	size_t n;
	struct tp_source sources[TP_WANTED_SOURCES]; /* the sources that had to be opened */
	size_t n_sources;
};

/*
 * Looks for each name in the sources, in their order; a source is opened only while names are left.
 * tp_wanted_close in any case.
 */
void tp_wanted_open(struct tp_wanted *wanted, const struct tp_source_kind *const *kinds,
		    size_t n_kinds, const char *const *names, size_t n);

/*
 * Runs `work` on the calling thread, and stores the events during it in *count. For several threads
 * at the same time, as tp_source_kind.measure.
 */
enum tp_status tp_wanted_measure(const struct tp_wanted_event *event, const struct tp_work *work,
				 double *count, struct tp_diag *diag);

/* Before the end of a thread that measured. */
void tp_wanted_thread_end(struct tp_wanted *wanted);
void tp_wanted_close(struct tp_wanted *wanted);

/* The sources for events of native code: perf, papi. */
extern const struct tp_source_kind *const tp_wanted_kinds[];
extern const size_t tp_wanted_n_kinds;
extern const struct tp_source_kind tp_source_papi, tp_source_emulated, tp_source_perf;

const struct tp_source_kind *tp_source_find(const char *name);

#endif
