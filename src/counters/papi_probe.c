/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the events that are available: they can be added, started and stopped. Children try them,
 * because a try may crash.
 */
#include "counters/papi_parts.h"
#include "base/memory.h"

#include <papi.h>
#include <stdlib.h>
#include <string.h>

struct probing {
	const struct tp_source *source;
	size_t from; /* earlier children tried the events before it */
	int group; /* number of the first new group */
	bool several; /* in a group */
};

/* --- in the child --- */

struct open_set {
	int set; /* PAPI_NULL = none */
	int n, group;
	const char *component;
};

static void drop(struct open_set *open)
{
	if (open->set != PAPI_NULL) {
		PAPI_cleanup_eventset(open->set);
		PAPI_destroy_eventset(&open->set);
	}
	open->set = PAPI_NULL;
	open->n = 0;
}

static int start_and_stop(int set)
{
	long long values[TP_PAPI_GROUP_MAX] = { 0 };
	int code = PAPI_start(set);
	return code == PAPI_OK ? PAPI_stop(set, values) : code;
}

/* Adds an event to the open set, which stays as it was when that is refused. */
static int join(struct open_set *open, int event)
{
	int code = PAPI_add_event(open->set, event);
	if (code != PAPI_OK)
		return code;
	code = start_and_stop(open->set);
	if (code != PAPI_OK)
		PAPI_remove_event(open->set, event);
	else
		open->n++;
	return code;
}

static int try_event(const struct probing *probing, struct open_set *open,
		     const struct tp_count_event *event)
{
	int papi_event;
	int code = PAPI_event_name_to_code(event->name, &papi_event);
	if (code != PAPI_OK)
		return code;
	bool fits = probing->several && open->set != PAPI_NULL && open->n < TP_PAPI_GROUP_MAX &&
		    strcmp(open->component, event->component) == 0;
	if (fits && join(open, papi_event) == PAPI_OK)
		return PAPI_OK;
	drop(open);
	code = PAPI_create_eventset(&open->set);
	if (code != PAPI_OK)
		return code;
	code = join(open, papi_event);
	if (code == PAPI_OK) {
		open->component = event->component;
		open->group++;
	} else {
		drop(open);
	}
	return code;
}

static void tell_availability(FILE *out, const void *context)
{
	const struct probing *probing = context;
	const struct tp_source *source = probing->source;
	struct open_set open = { .set = PAPI_NULL, .group = probing->group - 1 };
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return;
	fprintf(out, "begin\n");
	for (size_t i = probing->from; i < source->n_events; i++) {
		fprintf(out, "trying\t%zu\n", i);
		fflush(out);
		int code = try_event(probing, &open, &source->events[i]);
		if (code == PAPI_OK)
			fprintf(out, "ok\t%zu\t%d\n", i, open.group);
		else
			fprintf(out, "refused\t%zu\t%d\t%s\n", i, code, PAPI_strerror(code));
	}
	fprintf(out, "end\n");
}

/* --- in the parent --- */

struct account {
	struct tp_perf_host host;
	bool begun, complete;
	size_t trying; /* the last event announced, SIZE_MAX = none */
	int n_groups;
};

static enum tp_status refuse(struct tp_source *source, size_t i, const char *reason,
			     struct tp_diag *diag)
{
	source->events[i].reason = tp_arena_strdup(&source->arena, reason);
	return source->events[i].reason
		       ? TP_OK
		       : tp_fail(diag, TP_NOMEM, "papi", NULL, "no memory for its events");
}

static enum tp_status take_line(struct account *account, struct tp_source *source, char *line,
				struct tp_diag *diag)
{
	char *fields[4];
	tp_papi_fields(line, fields, TP_COUNT_OF(fields));
	if (strcmp(fields[0], "begin") == 0)
		account->begun = true;
	else if (strcmp(fields[0], "end") == 0)
		account->complete = true;
	size_t i = strtoul(fields[1], NULL, 10);
	if (i >= source->n_events)
		return TP_OK;
	struct tp_count_event *event = &source->events[i];
	if (strcmp(fields[0], "trying") == 0) {
		account->trying = i;
	} else if (strcmp(fields[0], "ok") == 0) {
		event->available = true;
		event->reason = "";
		event->group = atoi(fields[2]);
		account->n_groups = TP_MAX(account->n_groups, event->group + 1);
	} else if (strcmp(fields[0], "refused") == 0) {
		char reason[384];
		tp_papi_refusal(&account->host, event->component, event->name, atoi(fields[2]),
				fields[3], reason, sizeof(reason));
		return refuse(source, i, reason, diag);
	}
	return TP_OK;
}

static enum tp_status hear(struct account *account, struct tp_source *source,
			   const struct probing *probing, double silence_seconds, char *end,
			   size_t size, struct tp_diag *diag)
{
	struct tp_process child;
	enum tp_process_news heard = TP_PROCESS_GONE;
	char *line;
	enum tp_status status = tp_papi_child_start(&child, tell_availability, probing, diag);
	while (status == TP_OK && !account->complete &&
	       (heard = tp_process_line(&child, silence_seconds, &line, NULL)) == TP_PROCESS_LINE)
		status = take_line(account, source, line, diag);
	char how[64];
	tp_papi_child_end(&child, how, sizeof(how));
	if (heard == TP_PROCESS_QUIET)
		snprintf(end, size, "PAPI hung on it: nothing happened for %g seconds",
			 silence_seconds);
	else
		snprintf(end, size, "PAPI crashed on it: %s", how);
	return status;
}

static enum tp_status make_groups(struct tp_source *source, int n, struct tp_diag *diag)
{
	struct tp_arena *arena = &source->arena;
	source->groups = tp_arena_alloc(arena, (size_t)n * sizeof(*source->groups) + 1);
	if (!source->groups)
		goto no_memory;
	source->n_groups = (size_t)n;
	for (size_t i = 0; i < source->n_events; i++)
		if (source->events[i].available)
			source->groups[source->events[i].group].n++;
	for (size_t g = 0; g < source->n_groups; g++) {
		struct tp_source_group *group = &source->groups[g];
		group->events = tp_arena_alloc(arena, (group->n + 1) * sizeof(*group->events));
		if (!group->events)
			goto no_memory;
		group->n = 0;
	}
	for (size_t i = 0; i < source->n_events; i++) {
		if (!source->events[i].available)
			continue;
		struct tp_source_group *group = &source->groups[source->events[i].group];
		group->events[group->n++] = i;
	}
	return TP_OK;
no_memory:
	return tp_fail(diag, TP_NOMEM, "papi", NULL, "no memory for groups of events");
}

enum tp_status tp_papi_probe(struct tp_source *source, bool group, double silence_seconds,
			     struct tp_diag *diag)
{
	struct account account = { 0 };
	struct probing probing = { .source = source, .several = group };
	enum tp_status status = TP_OK;
	tp_perf_host_read(&account.host);
	while (status == TP_OK && probing.from < source->n_events && !account.complete) {
		char end[128];
		account.begun = false;
		account.trying = SIZE_MAX;
		status = hear(&account, source, &probing, silence_seconds, end, sizeof(end), diag);
		if (status != TP_OK || account.complete)
			break;
		if (account.trying == SIZE_MAX)
			status = tp_fail(diag, TP_CRASHED, "papi", NULL, "PAPI does not start: %s",
					 end);
		else {
			source->events[account.trying].available = false;
			source->events[account.trying].group = -1;
			status = refuse(source, account.trying, end, diag);
			probing.from = account.trying + 1;
			probing.group = account.n_groups;
		}
	}
	if (status == TP_OK)
		status = make_groups(source, account.n_groups, diag);
	return status;
}
