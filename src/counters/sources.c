/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "counters/sources.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/str.h"

/* papi (also where PAPI was not built in: then never supported),
				     emulated, perf */
static const struct tp_source_kind *const source_table[] = { &tp_source_papi, &tp_source_emulated,
							     &tp_source_perf };
static const size_t source_count = TP_COUNT_OF(source_table);

const struct tp_source_kind *tp_source_find(const char *name)
{
	for (size_t i = 0; i < source_count; i++)
		if (strcmp(source_table[i]->name, name) == 0)
			return source_table[i];
	return NULL;
}

/* Listing the kernel's own events is free; PAPI tries events in children. */
const struct tp_source_kind *const tp_wanted_kinds[] = { &tp_source_perf, &tp_source_papi };
const size_t tp_wanted_n_kinds = TP_COUNT_OF(tp_wanted_kinds);

static void name_column(struct tp_wanted_event *event)
{
	size_t n = 0;
	if (isdigit((unsigned char)*event->name))
		event->column[n++] = '_';
	for (const char *c = event->name; *c && n + 1 < sizeof(event->column); c++)
		event->column[n++] = isalnum((unsigned char)*c) ? *c : '_';
	event->column[n] = '\0';
}

/* A shell pattern that matches only this name: plain texts may stand anywhere in a name. */
static char *pattern_of(struct tp_arena *arena, const char *name)
{
	TP_STR text = { 0 };
	tp_str_printf(&text, "[%c]%s", *name, name + 1);
	return tp_arena_strdup(arena, tp_str_text(&text));
}

static void take(struct tp_wanted_event *event, struct tp_source *source)
{
	for (size_t i = 0; i < source->n_events; i++) {
		const struct tp_count_event *e = &source->events[i];
		if (strcmp(e->name, event->name) != 0)
			continue;
		event->status = TP_OK;
		if (e->available) {
			event->source = source;
			event->group = (size_t)e->group;
		} else {
			event->status =
				tp_fail(&event->diag, TP_UNSUPPORTED, "events", NULL,
					"%.60s cannot be counted: %s", event->name, e->reason);
		}
		return;
	}
}

/* Opens a source for the names that are left. */
static void look_in(struct tp_wanted *wanted, const struct tp_source_kind *kind)
{
	TP_CLEANUP(tp_arena_release) struct tp_arena arena = { 0 };
	struct tp_diag why = { 0 };
	TP_FREE const char **filters = tp_alloc(wanted->n + 1, sizeof(*filters));
	size_t n = 0;
	for (size_t i = 0; i < wanted->n; i++)
		if (wanted->events[i].status == TP_NOTFOUND)
			filters[n++] = pattern_of(&arena, wanted->events[i].name);
	struct tp_source *source = &wanted->sources[wanted->n_sources];
	const struct tp_source_wish wish = { .filters = filters };
	if (n && tp_source_open(source, kind, &wish, &why) == TP_OK) {
		wanted->n_sources++;
		if (source->notes.n)
			why = source->notes.items[0];
		for (size_t i = 0; i < wanted->n; i++)
			if (wanted->events[i].status == TP_NOTFOUND)
				take(&wanted->events[i], source);
	}
	/* The remark of a source that lacks the name is the best reason so far. */
	for (size_t i = 0; i < wanted->n && why.what[0]; i++) {
		if (wanted->events[i].status == TP_NOTFOUND)
			tp_fail(&wanted->events[i].diag, TP_NOTFOUND, "events",
				why.hint[0] ? why.hint : "tprof --list events shows what there is",
				"%.60s: no source has an event of that name here (%s)",
				wanted->events[i].name, why.what);
	}
}

void tp_wanted_open(struct tp_wanted *wanted, const struct tp_source_kind *const *kinds,
		    size_t n_kinds, const char *const *names, size_t n)
{
	*wanted = (struct tp_wanted){ .events = tp_alloc(n + 1, sizeof(*wanted->events)), .n = n };
	for (size_t i = 0; i < n; i++) {
		struct tp_wanted_event *event = &wanted->events[i];
		event->name = names[i];
		name_column(event);
		event->status =
			tp_fail(&event->diag, TP_NOTFOUND, "events",
				"tprof --list events shows what there is",
				"%.60s: no source has an event of that name here", event->name);
	}
	for (size_t k = 0; k < n_kinds && k < TP_WANTED_SOURCES; k++)
		look_in(wanted, kinds[k]);
}

enum tp_status tp_wanted_measure(const struct tp_wanted_event *event, const struct tp_work *work,
				 double *count, struct tp_diag *diag)
{
	return event->source->kind->measure(event->source, event->group, work, 0, count, diag);
}

void tp_wanted_thread_end(struct tp_wanted *wanted)
{
	for (size_t i = 0; i < wanted->n_sources; i++)
		if (wanted->sources[i].kind->thread_end)
			wanted->sources[i].kind->thread_end(&wanted->sources[i]);
}

void tp_wanted_close(struct tp_wanted *wanted)
{
	for (size_t i = 0; i < wanted->n_sources; i++)
		tp_source_close(&wanted->sources[i]);
	free(wanted->events);
	*wanted = (struct tp_wanted){ 0 };
}
