/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Event sources behind one interface; analysis does not depend on the source.
 *
 *   perf      events of the kernel's own interface, under the names of perf-list(1)
 *   papi      every native and preset event of every component, one a run (no multiplexing) or in
 *             groups that PAPI accepts
 *   emulated  exact counts from stepping through the very kernels (emulation.h)
 *
 * Counts measured elsewhere are read as readings: experiments/counters/readings.h and cat.h.
 */
#ifndef TPROF_COUNTERS_SOURCE_H
#define TPROF_COUNTERS_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/cpu.h"
#include "base/status.h"
#include "counters/emulation.h"

/* Code to run on the calling thread while events are counted. */
struct tp_work {
	const struct tp_code *code; /* emitted; NULL = `function` */
	tp_kernel_function function; /* compiled */
	void *data;
	uint64_t passes;
	struct tp_emulation *emulation; /* of this thread; NULL = the code runs natively */
};
enum tp_status tp_work_run(const struct tp_work *work, struct tp_diag *diag);

struct tp_count_event {
	const char *name; /* "perf::INSTRUCTIONS:u" */
	const char *description; /* or "" */
	const char *component; /* "perf_event", "sde", "emulated" */
	bool available;
	const char *reason; /* why not, and what would allow it; "" when available */
	int group; /* index of the group it is counted in, -1 = not available */
};

/* What a source is opened for. */
struct tp_source_wish {
	const struct tp_emulated_machine *machine; /* emulated: the hierarchy */
	const char *habit; /* emulated: whose events; see emulated.h */
	const struct tp_cpu *cpu; /* emulated: what habit "auto" is to be near to; NULL = nothing */
	/*
	 * emulated: number of additional events that are scaled, summed, duplicated, noisy,
	 * constant or like cycles
	 */
	unsigned misleading;
	double noise; /* emulated: relative noise on the noisy ones, e.g. 0.01 */
	double interrupts; /* emulated: part of the readings that are 1 to 2 % too high */
	uint64_t seed;
	/*
	 * perf, papi: only events that match one of these shell patterns, or contain a plain text
	 * among them; NULL-terminated; NULL = all. papi: qualifiers with values (":u=0") only if a
	 * pattern holds '='
	 */
	const char *const *filters;
	/*
	 * papi: the kernels are stepped, their counts offered as software-defined events and
	 * counted through PAPI
	 */
	bool emulate;
	bool group; /* papi: several events at once if PAPI accepts the set */
};

/* Whether the filters above select an event. */
bool tp_source_wished(const char *const *filters, const char *name);

struct tp_source;

struct tp_source_kind {
	const char *name, *summary;
	/*
	 * TP_OK, or why it cannot be used here and what would help (a package, a sysctl by name).
	 * NULL: always TP_OK.
	 */
	enum tp_status (*supported)(struct tp_diag *diag);
	enum tp_status (*open)(struct tp_source *source, const struct tp_source_wish *wish,
			       struct tp_diag *diag);
	/*
	 * Runs `work` on the calling thread and counts the events of one group: counts[i] for the
	 * group's i-th event. May be called from several threads at the same time. `repetition`
	 * only seeds deliberate noise.
	 */
	enum tp_status (*measure)(struct tp_source *source, size_t group,
				  const struct tp_work *work, size_t repetition, double *counts,
				  struct tp_diag *diag);
	void (*thread_end)(struct tp_source *source); /* before the end of a thread that measured;
							 may be NULL */
	void (*close)(struct tp_source *source);
};

struct tp_source_group {
	size_t *events; /* indexes of events */
	size_t n;
};

struct tp_source {
	const struct tp_source_kind *kind;
	struct tp_count_event *events; /* all that were found, available or not */
	size_t n_events;
	struct tp_source_group *groups;
	size_t n_groups;
	bool needs_emulation; /* work must carry an emulation */
	bool disturbed; /* single readings may be: by interrupts and other threads */
	struct tp_diags notes; /* for readers: permissions and the like */
	struct tp_arena arena; /* owns the lists and texts */
	void *private;
};

enum tp_status tp_source_open(struct tp_source *source, const struct tp_source_kind *kind,
			      const struct tp_source_wish *wish, struct tp_diag *diag);
void tp_source_close(struct tp_source *source);

#endif
