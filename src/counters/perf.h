/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TPROF_COUNTERS_PERF_H
#define TPROF_COUNTERS_PERF_H

#include <stddef.h>

struct tp_perf_host {
	long paranoid; /* kernel.perf_event_paranoid; -100 = unknown */
	int perf_error; /* errno of opening a counter of cycles, 0 = it counts */
	char hypervisor[32]; /* "" on bare metal */
};

void tp_perf_host_read(struct tp_perf_host *host);

/* What permission an event lacks: `words`, and up to which perf_event_paranoid it counts. */
void tp_perf_not_permitted(const struct tp_perf_host *host, const char *words, int paranoid,
			   char *out, size_t size);

/* Why there are no hardware counters: `words`, and who would have to pass them on. */
void tp_perf_no_hardware(const struct tp_perf_host *host, const char *words, char *out,
			 size_t size);

#endif
