/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Entries and exits of regions, made into times from the one to the other. */
#include "app/shared_file.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)TP_APP_REGIONS == (int)TP_AGENT_REGIONS, "each region has a name");
_Static_assert((int)TP_APP_THREADS == (int)TP_AGENT_THREADS, "each thread has an index");
_Static_assert((int)TP_APP_NAME == (int)TP_AGENT_NAME, "names fit");

/* Of each thread and region: when it was entered; 0 = it is not in it. */
typedef uint64_t open_times[TP_AGENT_THREADS][TP_AGENT_REGIONS];

static void add(struct tp_app_time *time, unsigned thread, unsigned region, uint64_t from,
		uint64_t to)
{
	if (!from || to < from)
		return;
	time->spans[time->n_spans++] =
		(struct tp_app_span){ .region = region,
				      .thread = thread,
				      .start = 1e-9 * (double)from,
				      .seconds = 1e-9 * (double)(to - from) };
}

enum tp_status tp_app_shared_spans(const struct tp_agent_shared *head, uint64_t ended_ns,
				   struct tp_app_time *time, struct tp_diag *diag)
{
	size_t n = TP_MIN(head->n_events, TP_AGENT_EVENTS);
	uint64_t last = 0;
	if (!n)
		return TP_OK;
	open_times *open = calloc(1, sizeof(*open));
	/* Each event begins one span or ends one. */
	time->spans = calloc(n, sizeof(*time->spans));
	time->names = calloc(TP_AGENT_REGIONS, sizeof(*time->names));
	if (!open || !time->spans || !time->names) {
		free(open);
		return tp_fail(diag, TP_NOMEM, "agent", NULL, "out of memory");
	}
	memcpy(time->names, head->regions, TP_AGENT_REGIONS * sizeof(*time->names));
	for (size_t i = 0; i < n; i++) {
		const struct tp_agent_event *e = &head->events[i];
		if (!e->time_ns || e->time_ns > ended_ns || e->thread >= TP_AGENT_THREADS ||
		    e->region >= head->n_regions)
			continue;
		uint64_t *since = &(*open)[e->thread][e->region];
		/* A thread that ended inside of a region makes room for another one. */
		add(time, e->thread, e->region, *since, e->time_ns);
		*since = e->is_end ? 0 : e->time_ns;
		last = TP_MAX(last, e->time_ns);
	}
	time->spans_end_early = head->n_events > TP_AGENT_EVENTS;
	/* Without more events nobody knows when they ended. */
	for (unsigned t = 0; t < TP_AGENT_THREADS; t++)
		for (unsigned r = 0; r < TP_AGENT_REGIONS && time->n_spans < n; r++)
			add(time, t, r, (*open)[t][r], time->spans_end_early ? last : ended_ns);
	free(open);
	return TP_OK;
}
