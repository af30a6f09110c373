/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * PAPI's components reach into drivers and may crash or hang, so everything that is not needed for
 * measuring happens in children: one lists the events, another tries each of them (create a set,
 * add, start, stop). A child announces each step before it takes it. When it dies or falls silent,
 * the last step is to blame, and another child continues after it.
 */
#ifndef TPROF_COUNTERS_PAPI_PROBE_H
#define TPROF_COUNTERS_PAPI_PROBE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/process.h"
#include "counters/source.h"

enum {
	TP_PAPI_GROUP_MAX = 32, /* events of one set; libsde holds 40 and does not look */
	TP_PAPI_COMPONENT_MAX = 128,
	TP_PAPI_SETS = 8, /* of each thread: every open hardware event costs a file descriptor */
	TP_PAPI_LINE_MAX = 4096
};

/* How long a child may be silent. */
#define TP_PAPI_SILENCE_SECONDS 5.0

/*
 * Fills in source->events (none available yet), source->notes with notes about components, and
 * is_real[i] for events whose value is a double. `pmus` gets the names of the core's PMUs in PAPI's
 * spelling, separated by blanks.
 */
enum tp_status tp_papi_enumerate(struct tp_source *source, const char *const *filters,
				 double silence_seconds, bool **is_real, char *pmus, size_t size,
				 struct tp_diag *diag);

/* Tries every event; fills available, reason, group and source->groups. */
enum tp_status tp_papi_probe(struct tp_source *source, bool group, double silence_seconds,
			     struct tp_diag *diag);

struct tp_perf_host {
	long paranoid; /* kernel.perf_event_paranoid; -100 = unknown */
	int perf_error; /* errno of opening a counter of cycles, 0 = it counts */
	char hypervisor[32]; /* "" on bare metal */
};

void tp_perf_host_read(struct tp_perf_host *host);

/* What permission an event lacks: `words`, and up to which perf_event_paranoid it counts. */
void tp_perf_not_permitted(const struct tp_perf_host *host, const char *words, int paranoid,
			   char *out, size_t size);

/*
 * Why there are no hardware counters: `words`, and the hypervisor that would have to pass them on.
 */
void tp_perf_no_hardware(const struct tp_perf_host *host, const char *words, char *out,
			 size_t size);

/* What would help if a component refuses, or "". */
const char *tp_papi_component_hint(const struct tp_perf_host *host, const char *component,
				   const char *reason);

/* Turns PAPI's error code and words into the reason of an event. */
void tp_papi_refusal(const struct tp_perf_host *host, const char *component, const char *event,
		     int code, const char *words, char *out, size_t size);

#endif
