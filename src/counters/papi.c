/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events through PAPI. Children find out which events exist and which count (papi_probe.h); this
 * process uses the library only to measure. Each thread keeps event sets of the groups that it
 * counted last.
 */
#include "counters/papi.h"

#include <math.h>
#include <papi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/str.h"
#include "counters/papi_probe.h"
#include "counters/sources.h"

#ifdef HAVE_SDE
#include <sde_lib.h>
#endif

/*
 * The counts of an emulation as software-defined events, which PAPI then finds like any other
 * event. libsde owns the counters and keeps them for the life of the process: removing one
 * (papi_sde_unregister_counter, papi_sde_shutdown of 7.0) leaves freed memory in its tables. So
 * they are created once, found again, and hold no pointer of ours; counts of an emulation are added
 * to them while PAPI counts. They are not described to libsde either, which would leak the
 * description.
 */
struct sde {
	void *counters[TP_EMULATED_COUNT]; /* handles */
	uint64_t before[TP_EMULATED_COUNT];
};

/* "sde:::tprof::LOADS" and the like; TP_UNSUPPORTED without libsde. */
static enum tp_status sde_init(struct sde *sde, struct tp_diag *diag)
{
#ifdef HAVE_SDE
	papi_handle_t library = papi_sde_init("tprof");
	if (!library)
		return tp_fail(diag, TP_FAILED, "papi", NULL, "libsde does not start");
	for (int i = 0; i < TP_EMULATED_COUNT; i++) {
		const char *name = tp_emulated_name((enum tp_emulated_count)i);
		sde->counters[i] = papi_sde_get_counter_handle(library, name);
		if (sde->counters[i])
			continue;
		if (papi_sde_create_counter(library, name, PAPI_SDE_DELTA, &sde->counters[i]) !=
			    SDE_OK ||
		    !sde->counters[i])
			return tp_fail(diag, TP_FAILED, "papi", NULL, "libsde refuses %s", name);
	}
	return TP_OK;
#else
	sde->counters[0] = NULL;
	return tp_fail(diag, TP_UNSUPPORTED, "papi",
		       "install libpapi-dev 7.0 or later (it brings libsde) and configure again",
		       "this tprof was built without libsde: no software-defined events");
#endif
}

static void sde_end(struct sde *sde, const struct tp_emulation *emulation)
{
	const uint64_t *after = tp_emulation_counts(emulation);
	for (size_t i = 0; i < TP_EMULATED_COUNT; i++) {
		long long grown = (long long)(after[i] - sde->before[i]);
#ifdef HAVE_SDE
		papi_sde_inc_counter(sde->counters[i], grown);
#else
		sde->before[i] += (uint64_t)grown;
#endif
	}
}

/* What one of these events counts; NULL for other names. */
static const char *sde_title(const char *event)
{
	static const char ours[] = "sde:::tprof::";
	if (strncmp(event, ours, strlen(ours)) != 0)
		return NULL;
	for (int i = 0; i < TP_EMULATED_COUNT; i++)
		if (strcmp(event + strlen(ours), tp_emulated_name((enum tp_emulated_count)i)) == 0)
			return tp_emulated_title((enum tp_emulated_count)i);
	return NULL;
}

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
	struct sde *sde;
	bool *is_real; /* of each event: the value is a double */
	bool told_negative;
};

static enum tp_status fail_papi(struct tp_diag *diag, int code, const char *event, const char *what)
{
	char where[TP_PAPI_LINE_MAX / 4];
	snprintf(where, sizeof(where), "papi %s", event);
	return tp_fail(diag, TP_FAILED, where, NULL, "%s: %s", what, PAPI_strerror(code));
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
	/*
	 * User mode only, if a component supports it: the kernel's work does not belong to a row.
	 */
	PAPI_set_domain(PAPI_DOM_USER);
	code = PAPI_thread_init(pthread_self);
	return code == PAPI_OK ? TP_OK : fail_papi(diag, code, "threads", "PAPI_thread_init");
}

/* Reports once, not event by event, why nothing counts. */
static void note_closed(struct tp_source *source)
{
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
	/* It comes first, because it is more informative than the notes of other components. */
	tp_diags_note(&source->notes, "papi component perf_event", NULL,
		      "%zu of %zu events count; the first that does not: %s", open, n, reason);
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
	free(papi->sde);
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
	struct tp_papi *papi = tp_alloc(1, sizeof(*papi));
	source->private = papi;
	source->disturbed = !wish->emulate;
	pthread_mutex_init(&papi->lock, NULL);
	pthread_mutex_init(&papi->stage, NULL);
	enum tp_status status = TP_OK;
	if (pthread_key_create(&papi->key, NULL) == 0)
		papi->has_key = true;
	else
		status = tp_fail(diag, TP_RESOURCE, "papi", NULL, "no key for data of threads");
	if (status == TP_OK && wish->emulate) {
		papi->sde = tp_alloc(1, sizeof(*papi->sde));
		status = sde_init(papi->sde, diag);
		source->needs_emulation = true;
		if (!filters || !*filters)
			filters = emulated;
	}
	if (status == TP_OK)
		status = tp_papi_enumerate(source, filters, TP_PAPI_SILENCE_SECONDS, &papi->is_real,
					   pmus, sizeof(pmus), diag);
	for (size_t i = 0; papi->sde && status == TP_OK && i < source->n_events; i++) {
		const char *title = sde_title(source->events[i].name);
		if (title)
			source->events[i].description = title;
	}
	/* Software-defined events are read, not scheduled: together they are as exact as alone. */
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
	thread = tp_alloc(1, sizeof(*thread));
	if (pthread_setspecific(papi->key, thread) != 0)
		tp_out_of_memory();
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
		papi->told_negative = true;
		tp_diags_note(&source->notes, source->events[event].name, NULL,
			      "a count was %lld: it overflowed or is invalid; these readings are "
			      "left out",
			      value);
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
	/*
	 * Between start and stop of PAPI: what the emulation counts up to sde_end goes to the
	 * events.
	 */
	if (papi->sde)
		memcpy(papi->sde->before, tp_emulation_counts(work->emulation),
		       sizeof(papi->sde->before));
	status = tp_work_run(work, diag);
	if (papi->sde)
		sde_end(papi->sde, work->emulation);
	code = PAPI_stop(set, values);
	if (status == TP_OK && code != PAPI_OK)
		status = fail_papi(diag, code, name, "cannot be stopped");
	for (size_t i = 0; status == TP_OK && i < events->n; i++)
		counts[i] = value_of(source, events->events[i], values[i]);
	return status;
}

static enum tp_status measure(struct tp_source *source, size_t group, const struct tp_work *work,
			      size_t repetition __attribute__((unused)), double *counts,
			      struct tp_diag *diag)
{
	struct tp_papi *papi = source->private;
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
	.open = open_source,
	.measure = measure,
	.thread_end = thread_end,
	.close = close_source,
};

struct papi_found {
	const char *name;
	const char *component; /* in the arena of the source; NULL = none */
	bool is_real;
	struct tp_papi_meter meter;
};

/* Of one component: PAPI mixes no others into a set. */
struct set {
	int set; /* PAPI_NULL = none */
	size_t n, which[TP_PAPI_METERS_MAX];
};

struct tp_papi_meters {
	struct tp_source source;
	struct papi_found found[TP_PAPI_METERS_MAX];
	size_t n;
	struct set sets[TP_PAPI_METERS_MAX];
	size_t n_sets;
	bool is_up, owns, registered; /* the library, ours; the thread */
};

/* --- found --- */

/* Components whose events belong to the reading process, and their equivalents for a program. */
static const struct {
	const char *component, *why, *hint;
} own_events[] = {
	{ "perf_event", "it counts for the thread that reads it, which is one of tprof",
	  "name it in profile.events, as PMU/EVENT/: that counts the program" },
	{ "sde", "software-defined events belong to the process that reads them", NULL },
	{ "appio", "it counts the process that reads it",
	  "read_bytes_per_s and written_bytes_per_s have it for the program" },
	{ "io", "it counts the process that reads it",
	  "read_bytes_per_s and written_bytes_per_s have it for the program" },
};

/* Components with momentary values that do not declare it; energies among them grow. */
static const char *const gauges[] = { "coretemp", "lmsensors",	   "nvml",
				      "rocm_smi", "host_micpower", "micpower" };

/* Why a component is not used whose events belong to the reader. */
static bool refuse_own(struct papi_found *f, const char *component)
{
	for (size_t i = 0; i < TP_COUNT_OF(own_events); i++)
		if (strcmp(component, own_events[i].component) == 0) {
			tp_fail(&f->meter.why, TP_UNSUPPORTED, f->name, own_events[i].hint, "%s",
				own_events[i].why);
			return true;
		}
	return false;
}

/* "net" of "net:::eth0:rx:bytes"; events of the CPU have no such name in front. */
static void component_of(const char *name, char *component, size_t size)
{
	const char *colons = strstr(name, ":::");
	snprintf(component, size, "%.*s", colons ? (int)(colons - name) : (int)size,
		 colons ? name : "perf_event");
}

/* The components of this PAPI; whether `component` is one of them. */
static bool list_components(const char *component, char *list, size_t size)
{
	bool known = false;
	*list = '\0';
	for (int c = 0; c < PAPI_num_components(); c++) {
		const PAPI_component_info_t *info = PAPI_get_component_info(c);
		size_t len = strlen(list);
		if (!info)
			continue;
		known |= strcmp(info->name, component) == 0;
		snprintf(list + len, size - len, "%s%s", len ? ", " : "", info->name);
	}
	return known;
}

static void say_unknown(struct tp_papi_meters *m, struct papi_found *f, bool of_others)
{
	char component[64], where[80], list[200], hint[200];
	component_of(f->name, component, sizeof(component));
	if (of_others && refuse_own(f, component))
		return;
	snprintf(where, sizeof(where), "papi component %s", component);
	for (size_t i = 0; i < m->source.notes.n; i++)
		if (strcmp(m->source.notes.items[i].where, where) == 0) {
			const struct tp_diag *note = &m->source.notes.items[i];
			tp_fail(&f->meter.why, TP_UNSUPPORTED, f->name,
				note->hint[0] ? note->hint : NULL, "%s: %s", where, note->what);
			return;
		}
	if (list_components(component, list, sizeof(list))) {
		tp_fail(&f->meter.why, TP_NOTFOUND, f->name,
			"papi_native_avail lists all (Debian package papi-tools)",
			"%s has no event of that name here", where);
		return;
	}
	snprintf(hint, sizeof(hint),
		 "build PAPI with ./configure --with-components=%s, and tprof with that PAPI",
		 component);
	tp_fail(&f->meter.why, TP_UNSUPPORTED, f->name, hint,
		"this PAPI was built without a component %s (it has %s)", component, list);
}

static void judge(struct tp_papi_meters *m, struct papi_found *f, const bool *is_real,
		  bool of_others)
{
	const struct tp_count_event *event = NULL;
	for (size_t i = 0; i < m->source.n_events; i++)
		if (strcmp(m->source.events[i].name, f->name) == 0) {
			event = &m->source.events[i];
			f->is_real = is_real[i];
		}
	if (!event) {
		say_unknown(m, f, of_others);
		return;
	}
	f->component = event->component;
	if (of_others && refuse_own(f, event->component))
		return;
	if (!event->available) {
		tp_fail(&f->meter.why, TP_UNSUPPORTED, f->name, NULL, "%s", event->reason);
		return;
	}
	f->meter.there = true;
	/* Unit and kind of an event that a child has tried. */
	PAPI_event_info_t info;
	int code;
	memset(&info, 0, sizeof(info));
	if (PAPI_event_name_to_code(f->name, &code) != PAPI_OK ||
	    PAPI_get_event_info(code, &info) != PAPI_OK)
		return;
	for (size_t i = 0, n = 0; info.units[i] && n + 1 < sizeof(f->meter.unit); i++)
		if (info.units[i] > ' ' && info.units[i] < 127)
			f->meter.unit[n++] = info.units[i];
	size_t len = strlen(f->meter.unit);
	bool energy = len && f->meter.unit[len - 1] == 'J';
	f->meter.gauge = info.timescope == PAPI_TIMESCOPE_POINT ||
			 info.value_type == PAPI_VALUETYPE_ABSOLUTE;
	for (size_t i = 0; i < TP_COUNT_OF(gauges) && !energy; i++)
		f->meter.gauge |= strcmp(f->component, gauges[i]) == 0;
}

static enum tp_status start_meters_library(struct tp_papi_meters *m, struct tp_diag *diag)
{
	/* A source of events may have it open: that ends it then. */
	m->owns = PAPI_is_initialized() == PAPI_NOT_INITED;
	if (m->owns && PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return tp_fail(diag, TP_UNSUPPORTED, "papi", "install the libpapi of this system",
			       "PAPI does not start");
	m->is_up = true;
	if (m->owns && PAPI_thread_init(pthread_self) != PAPI_OK)
		return tp_fail(diag, TP_UNSUPPORTED, "papi", NULL,
			       "PAPI does not support threads here");
	return TP_OK;
}

enum tp_status tp_papi_meters_find(const char *const *names, size_t n, bool of_others,
				   struct tp_papi_meters **meters, struct tp_diag *diag)
{
	const char *filters[TP_PAPI_METERS_MAX + 1] = { NULL };
	struct tp_papi_meters *m = tp_alloc(1, sizeof(*m));
	bool *is_real = NULL;
	char pmus[256];
	*meters = NULL;
	m->n = TP_MIN(n, (size_t)TP_PAPI_METERS_MAX);
	for (size_t i = 0; i < m->n; i++) {
		m->found[i] = (struct papi_found){ .name = names[i] };
		filters[i] = names[i];
	}
	enum tp_status status = tp_papi_enumerate(&m->source, filters, TP_PAPI_SILENCE_SECONDS,
						  &is_real, pmus, sizeof(pmus), diag);
	/* A request for one does not match others whose names contain it. */
	if (status == TP_OK) {
		struct tp_source *source = &m->source;
		size_t kept = 0;

		for (size_t i = 0; i < source->n_events; i++) {
			bool asked = false;
			for (size_t k = 0; k < m->n; k++)
				asked |= strcmp(source->events[i].name, m->found[k].name) == 0;
			if (!asked)
				continue;
			is_real[kept] = is_real[i];
			source->events[kept++] = source->events[i];
		}
		source->n_events = kept;
	}
	if (status == TP_OK && m->source.n_events)
		status = tp_papi_probe(&m->source, false, TP_PAPI_SILENCE_SECONDS, diag);
	if (status == TP_OK)
		status = start_meters_library(m, diag);
	for (size_t i = 0; i < m->n && status == TP_OK; i++)
		judge(m, &m->found[i], is_real, of_others);
	free(is_real);
	if (status == TP_OK)
		*meters = m;
	else
		tp_papi_meters_free(m);
	return status;
}

void tp_papi_meters_free(struct tp_papi_meters *m)
{
	if (!m)
		return;
	if (m->is_up && m->owns)
		PAPI_shutdown();
	tp_diags_release(&m->source.notes);
	tp_arena_release(&m->source.arena);
	free(m);
}

const struct tp_papi_meter *tp_papi_meters_at(const struct tp_papi_meters *m, size_t i)
{
	return &m->found[i].meter;
}

/* --- read --- */

static void give_up(struct papi_found *f, int code)
{
	f->meter.there = false;
	tp_fail(&f->meter.why, TP_FAILED, f->name, NULL, "PAPI does not start it: %s",
		PAPI_strerror(code));
}

static void start_set(struct tp_papi_meters *m, size_t first)
{
	struct set *s = &m->sets[m->n_sets];
	const char *component = m->found[first].component;
	*s = (struct set){ .set = PAPI_NULL };
	int code = PAPI_create_eventset(&s->set);
	for (size_t i = first; i < m->n; i++) {
		struct papi_found *f = &m->found[i];
		if (!f->meter.there || strcmp(f->component, component) != 0)
			continue;
		int added = code == PAPI_OK ? PAPI_add_named_event(s->set, f->name) : code;
		if (added == PAPI_OK)
			s->which[s->n++] = i;
		else
			give_up(f, added);
	}
	code = s->n ? PAPI_start(s->set) : PAPI_ENOEVNT;
	if (code == PAPI_OK) {
		m->n_sets++;
		return;
	}
	for (size_t i = 0; i < s->n; i++)
		give_up(&m->found[s->which[i]], code);
	if (s->set != PAPI_NULL) {
		PAPI_cleanup_eventset(s->set);
		PAPI_destroy_eventset(&s->set);
	}
}

void tp_papi_meters_start(struct tp_papi_meters *m)
{
	bool done[TP_PAPI_METERS_MAX] = { false };
	m->registered = PAPI_register_thread() == PAPI_OK;
	for (size_t i = 0; i < m->n; i++) {
		if (!m->found[i].meter.there || done[i])
			continue;
		for (size_t k = i; k < m->n; k++)
			done[k] |= m->found[k].component &&
				   strcmp(m->found[k].component, m->found[i].component) == 0;
		start_set(m, i);
	}
}

void tp_papi_meters_read(struct tp_papi_meters *m, double *values)
{
	for (size_t i = 0; i < m->n; i++)
		values[i] = NAN;
	for (size_t k = 0; k < m->n_sets; k++) {
		const struct set *s = &m->sets[k];
		long long counts[TP_PAPI_METERS_MAX] = { 0 };
		if (PAPI_read(s->set, counts) != PAPI_OK)
			continue;
		for (size_t i = 0; i < s->n; i++) {
			double *value = &values[s->which[i]];
			*value = (double)counts[i];
			if (m->found[s->which[i]].is_real)
				memcpy(value, &counts[i], sizeof(*value));
		}
	}
}

void tp_papi_meters_stop(struct tp_papi_meters *m)
{
	long long unused[TP_PAPI_METERS_MAX];
	for (size_t k = 0; k < m->n_sets; k++) {
		PAPI_stop(m->sets[k].set, unused);
		PAPI_cleanup_eventset(m->sets[k].set);
		PAPI_destroy_eventset(&m->sets[k].set);
	}
	m->n_sets = 0;
	if (m->registered)
		PAPI_unregister_thread();
	m->registered = false;
}
