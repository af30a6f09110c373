/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Entries and exits of regions, made into times from the one to the other. */
#include "app/shared_file.h"
#include "app/shared_parts.h"
#include "base/memory.h"

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

uint64_t tp_app_shared_untold(int fd, const struct tp_agent_shared *head)
{
	static const uint64_t most = 1ull << 48; /* nobody enters more often */
	uint64_t sum = 0, untold;
	for (unsigned t = 0; t < head->n_threads; t++)
		if (tp_app_shared_get(fd, &untold, sizeof(untold), TP_APP_FIELD_AT(t, untold),
				      NULL) == TP_OK)
			sum += TP_MIN(untold, most);
	return sum;
}

static bool get_names(int fd, struct tp_app_follow *follow, uint32_t *n_regions)
{
	if (tp_app_shared_get(fd, n_regions, sizeof(*n_regions),
			      offsetof(struct tp_agent_shared, n_regions), NULL) != TP_OK ||
	    tp_app_shared_get(fd, follow->names, sizeof(follow->names),
			      offsetof(struct tp_agent_shared, regions), NULL) != TP_OK)
		return false;
	for (unsigned i = 0; i < TP_AGENT_REGIONS; i++)
		tp_app_shared_mend(follow->names[i], sizeof(follow->names[i]));
	*n_regions = TP_MIN(*n_regions, TP_AGENT_REGIONS);
	return true;
}

size_t tp_app_shared_follow(int fd, struct tp_app_follow *follow,
			    struct tp_app_mark marks[TP_APP_FOLLOWED])
{
	struct tp_agent_event events[TP_APP_FOLLOWED];
	uint32_t n_events, n_regions;
	size_t n = 0;
	if (tp_app_shared_get(fd, &n_events, sizeof(n_events),
			      offsetof(struct tp_agent_shared, n_events), NULL) != TP_OK)
		return 0;
	size_t all = TP_MIN(n_events, TP_AGENT_EVENTS);
	size_t fresh = TP_MIN(all - TP_MIN(follow->taken, all), TP_APP_FOLLOWED);
	if (!fresh ||
	    tp_app_shared_get(fd, events, fresh * sizeof(*events),
			      offsetof(struct tp_agent_shared, events) +
				      follow->taken * sizeof(*events),
			      NULL) != TP_OK ||
	    !get_names(fd, follow, &n_regions))
		return 0;
	for (size_t i = 0; i < fresh; i++) {
		const struct tp_agent_event *e = &events[i];
		/* Its thread is about to write it, or was killed before it could. */
		bool waits = !e->time_ns && !follow->waited;
		follow->waited = waits;
		if (waits)
			break;
		follow->taken++;
		if (e->time_ns && e->thread < TP_AGENT_THREADS && e->region < n_regions)
			marks[n++] = (struct tp_app_mark){ e->region, e->thread, e->is_end != 0,
							   1e-9 * (double)e->time_ns };
	}
	return n;
}
