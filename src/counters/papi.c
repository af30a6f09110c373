/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events through PAPI. Children find out which events exist and which count (papi_events.c,
 * papi_probe.c); this process uses the library only to measure. Each thread keeps event sets of the
 * groups that it counted last.
 */
#include "counters/papi_parts.h"
#include "counters/sources.h"
#include "base/str.h"

#include <math.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>

struct cached_set {
	int set; /* PAPI_NULL = none */
	size_t group;
};

struct thread {
	struct tp_papi *papi;
	struct thread *next;
	struct cached_set sets[TP_PAPI_SETS];
};

struct tp_papi {
	pthread_key_t key;
	bool has_key, started;
	pthread_mutex_t lock; /* of the list of threads, the notes, and of PAPI's tables of names */
	pthread_mutex_t stage; /* of software-defined events: one emulation at a time */
	struct thread *threads;
	struct tp_papi_sde *sde;
	bool *is_real; /* of each event: the value is a double */
	bool told_negative;
};

static enum tp_status fail_papi(struct tp_diag *diag, int code, const char *event, const char *what)
{
	char where[TP_PAPI_LINE_MAX / 4];
	snprintf(where, sizeof(where), "papi %s", event);
	return tp_fail(diag, TP_FAILED, where, NULL, "%s: %s", what, PAPI_strerror(code));
}

static enum tp_status supported(struct tp_diag *diag)
{
	(void)diag;
	return TP_OK;
}

/* --- opening and closing --- */

static enum tp_status start_library(struct tp_papi *papi, struct tp_diag *diag)
{
	int code = PAPI_library_init(PAPI_VER_CURRENT);
	if (code != PAPI_VER_CURRENT)
		return tp_fail(diag, TP_UNSUPPORTED, "papi", NULL, "PAPI does not start: %s",
			       code > 0 ? "another version than tprof was built with"
					: PAPI_strerror(code));
	papi->started = true;
	code = PAPI_thread_init(pthread_self);
	return code == PAPI_OK ? TP_OK : fail_papi(diag, code, "threads", "PAPI_thread_init");
}

/* Says once, not event by event, what it means that nothing counts. */
static void note_closed(struct tp_source *source)
{
	struct tp_diag diag;
	size_t n = 0, open = 0;
	const char *reason = "";
	for (size_t i = 0; i < source->n_events; i++) {
		if (strcmp(source->events[i].component, "perf_event") != 0)
			continue;
		n++;
		if (source->events[i].available)
			open++;
		else if (!*reason)
			reason = source->events[i].reason;
	}
	/* Everything is filtered out, or a note says already that the component is disabled. */
	if (open == n)
		return;
	tp_fail(&diag, TP_UNSUPPORTED, "papi component perf_event", NULL,
		"%zu of %zu events count; the first that does not: %s", open, n, reason);
	/* It comes first, because it says more than the notes of other components. */
	tp_diags_add(&source->notes, &diag);
	if (source->notes.n == 0)
		return;
	struct tp_diag *items = source->notes.items;
	size_t last = source->notes.n - 1;
	struct tp_diag moved = items[last];
	memmove(&items[1], &items[0], last * sizeof(*items));
	items[0] = moved;
}

static void forget_set(struct cached_set *cached)
{
	if (cached->set != PAPI_NULL) {
		PAPI_cleanup_eventset(cached->set);
		PAPI_destroy_eventset(&cached->set);
	}
	cached->set = PAPI_NULL;
}

static void close_source(struct tp_source *source)
{
	struct tp_papi *papi = source->private;
	if (!papi)
		return;
	while (papi->threads) {
		struct thread *thread = papi->threads;
		papi->threads = thread->next;
		for (size_t i = 0; i < TP_PAPI_SETS; i++)
			forget_set(&thread->sets[i]);
		free(thread);
	}
	if (papi->started)
		PAPI_shutdown();
	tp_papi_sde_free(papi->sde);
	if (papi->has_key)
		pthread_key_delete(papi->key);
	pthread_mutex_destroy(&papi->lock);
	pthread_mutex_destroy(&papi->stage);
	free(papi->is_real);
	free(papi);
	source->private = NULL;
}

static enum tp_status open_source(struct tp_source *source, const struct tp_source_wish *wish,
				  struct tp_diag *diag)
{
	/* Stepping disturbs the counts of the hardware, so only emulated events are useful then. */
	static const char *const emulated[] = { "sde:::tprof::*", NULL };
	const char *const *filters = wish->filters;
	char pmus[256];
	struct tp_papi *papi = calloc(1, sizeof(*papi));
	if (!papi)
		return tp_fail(diag, TP_NOMEM, "papi", NULL, "no memory");
	source->private = papi;
	pthread_mutex_init(&papi->lock, NULL);
	pthread_mutex_init(&papi->stage, NULL);
	enum tp_status status = TP_OK;
	if (pthread_key_create(&papi->key, NULL) == 0)
		papi->has_key = true;
	else
		status = tp_fail(diag, TP_RESOURCE, "papi", NULL, "no key for data of threads");
	if (status == TP_OK && wish->emulate) {
		status = tp_papi_sde_new(&papi->sde, diag);
		source->needs_emulation = true;
		if (!filters || !*filters)
			filters = emulated;
	}
	if (status == TP_OK)
		status = tp_papi_enumerate(source, filters, TP_PAPI_SILENCE_SECONDS, &papi->is_real,
					   pmus, sizeof(pmus), diag);
	for (size_t i = 0; papi->sde && status == TP_OK && i < source->n_events; i++) {
		const char *title = tp_papi_sde_title(source->events[i].name);
		if (title)
			source->events[i].description = title;
	}
	/* Software-defined events are read, not scheduled: they are as exact together as alone. */
	if (status == TP_OK)
		status = tp_papi_probe(source, wish->group || wish->emulate,
				       TP_PAPI_SILENCE_SECONDS, diag);
	if (status == TP_OK)
		status = start_library(papi, diag);
	if (status == TP_OK)
		note_closed(source);
	return status;
}

/* --- measuring --- */

static struct thread *thread_here(struct tp_papi *papi, struct tp_diag *diag)
{
	struct thread *thread = pthread_getspecific(papi->key);
	if (thread)
		return thread;
	thread = calloc(1, sizeof(*thread));
	if (!thread || pthread_setspecific(papi->key, thread) != 0) {
		tp_fail(diag, TP_NOMEM, "papi", NULL, "no memory for a thread");
		free(thread);
		return NULL;
	}
	thread->papi = papi;
	for (size_t i = 0; i < TP_PAPI_SETS; i++)
		thread->sets[i].set = PAPI_NULL;
	pthread_mutex_lock(&papi->lock);
	int code = PAPI_register_thread();
	thread->next = papi->threads;
	papi->threads = thread;
	pthread_mutex_unlock(&papi->lock);
	if (code != PAPI_OK) {
		fail_papi(diag, code, "thread", "PAPI_register_thread");
		return NULL;
	}
	return thread;
}

static enum tp_status add_events(const struct tp_source *source, size_t group, int set,
				 struct tp_diag *diag)
{
	const struct tp_source_group *events = &source->groups[group];
	for (size_t i = 0; i < events->n; i++) {
		const char *name = source->events[events->events[i]].name;
		int code = PAPI_add_named_event(set, name);
		if (code != PAPI_OK)
			return fail_papi(diag, code, name, "cannot be added");
	}
	return TP_OK;
}

static enum tp_status set_of(struct tp_source *source, struct thread *thread, size_t group,
			     int *set, struct tp_diag *diag)
{
	struct cached_set *cached = &thread->sets[group % TP_PAPI_SETS];
	enum tp_status status = TP_OK;
	if (cached->set == PAPI_NULL || cached->group != group) {
		pthread_mutex_lock(&thread->papi->lock);
		forget_set(cached);
		int code = PAPI_create_eventset(&cached->set);
		if (code != PAPI_OK)
			status = fail_papi(diag, code, "", "PAPI_create_eventset");
		else
			status = add_events(source, group, cached->set, diag);
		if (status != TP_OK)
			forget_set(cached);
		cached->group = group;
		pthread_mutex_unlock(&thread->papi->lock);
	}
	*set = cached->set;
	return status;
}

static double value_of(struct tp_source *source, size_t event, long long value)
{
	struct tp_papi *papi = source->private;
	double real = (double)value;
	if (papi->is_real[event])
		memcpy(&real, &value, sizeof(real));
	if (real >= 0)
		return real;
	pthread_mutex_lock(&papi->lock);
	if (!papi->told_negative) {
		struct tp_diag diag;
		papi->told_negative = true;
		tp_fail(&diag, TP_FAILED, source->events[event].name, NULL,
			"a count was %lld: it overflowed or is invalid; these readings are left "
			"out",
			value);
		tp_diags_add(&source->notes, &diag);
	}
	pthread_mutex_unlock(&papi->lock);
	return NAN;
}

static enum tp_status count(struct tp_source *source, size_t group, const struct tp_work *work,
			    double *counts, struct tp_diag *diag)
{
	struct tp_papi *papi = source->private;
	const struct tp_source_group *events = &source->groups[group];
	long long values[TP_PAPI_GROUP_MAX] = { 0 };
	int set = PAPI_NULL;
	struct thread *thread = thread_here(papi, diag);
	enum tp_status status = thread ? set_of(source, thread, group, &set, diag) : TP_FAILED;
	if (status != TP_OK)
		return status;
	const char *name = source->events[events->events[0]].name;
	int code = PAPI_start(set);
	if (code != PAPI_OK)
		return fail_papi(diag, code, name, "cannot be started");
	if (papi->sde)
		tp_papi_sde_begin(papi->sde, work->emulation);
	status = tp_work_run(work, diag);
	if (papi->sde)
		tp_papi_sde_end(papi->sde, work->emulation);
	code = PAPI_stop(set, values);
	if (status == TP_OK && code != PAPI_OK)
		status = fail_papi(diag, code, name, "cannot be stopped");
	for (size_t i = 0; status == TP_OK && i < events->n; i++)
		counts[i] = value_of(source, events->events[i], values[i]);
	return status;
}

static enum tp_status measure(struct tp_source *source, size_t group, const struct tp_work *work,
			      size_t repetition, double *counts, struct tp_diag *diag)
{
	struct tp_papi *papi = source->private;
	(void)repetition;
	if (group >= source->n_groups)
		return tp_fail(diag, TP_INTERNAL, "papi", NULL, "there is no group %zu", group);
	if (!papi->sde)
		return count(source, group, work, counts, diag);
	if (!work->emulation)
		return tp_fail(diag, TP_INTERNAL, "papi", NULL,
			       "the work of software-defined events has no emulation");
	/* The events belong to the process, so threads step one after another. */
	pthread_mutex_lock(&papi->stage);
	enum tp_status status = count(source, group, work, counts, diag);
	pthread_mutex_unlock(&papi->stage);
	return status;
}

static void thread_end(struct tp_source *source)
{
	struct tp_papi *papi = source->private;
	struct thread *thread = papi ? pthread_getspecific(papi->key) : NULL;
	if (!thread)
		return;
	pthread_mutex_lock(&papi->lock);
	for (size_t i = 0; i < TP_PAPI_SETS; i++)
		forget_set(&thread->sets[i]);
	for (struct thread **at = &papi->threads; *at; at = &(*at)->next)
		if (*at == thread) {
			*at = thread->next;
			break;
		}
	PAPI_unregister_thread();
	pthread_mutex_unlock(&papi->lock);
	pthread_setspecific(papi->key, NULL);
	free(thread);
}

const struct tp_source_kind tp_source_papi = {
	.name = "papi",
	.summary = "native, preset and user events of every PAPI component",
	.supported = supported,
	.open = open_source,
	.measure = measure,
	.thread_end = thread_end,
	.close = close_source,
};
