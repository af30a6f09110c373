/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "counters/papi_meters.h"
#include "base/str.h"
#include "base/memory.h"
#include "counters/papi_parts.h"

#include <math.h>
#include <papi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct found {
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
	struct found found[TP_PAPI_METERS_MAX];
	size_t n;
	struct set sets[TP_PAPI_METERS_MAX];
	size_t n_sets;
	bool is_up, owns, registered; /* the library, ours; the thread */
};

/* --- found --- */

/* Components whose events belong to whoever reads them, and what tells the same of a program. */
static const struct {
	const char *component, *why, *hint;
} own_events[] = {
	{ "perf_event", "it counts for the thread that reads it, which is one of tprof",
	  "name it in profile.events, as PMU/EVENT/: that counts the program" },
	{ "sde", "software-defined events belong to the process that reads them", NULL },
	{ "appio", "it sees what the process does that reads it",
	  "read_bytes_per_s and written_bytes_per_s say that of the program" },
	{ "io", "it sees what the process does that reads it",
	  "read_bytes_per_s and written_bytes_per_s say that of the program" },
};

/* Components that tell values of now and do not say so; energies among them grow. */
static const char *const gauges[] = { "coretemp", "lmsensors",	   "nvml",
				      "rocm_smi", "host_micpower", "micpower" };

/* Whoever asks for one wants no others whose names hold it. */
static void keep_asked(struct tp_papi_meters *m, bool *is_real)
{
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

/* Why nobody is told anything by a component whose events belong to the reader. */
static bool refuse_own(struct found *f, const char *component)
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

static void say_unknown(struct tp_papi_meters *m, struct found *f, bool of_others)
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

/* Unit and kind of an event that a child has tried. */
static void describe(struct found *f)
{
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

static void judge(struct tp_papi_meters *m, struct found *f, const bool *is_real, bool of_others)
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
	describe(f);
}

static enum tp_status start_library(struct tp_papi_meters *m, struct tp_diag *diag)
{
	/* A source of events may have it open: that ends it then. */
	m->owns = PAPI_is_initialized() == PAPI_NOT_INITED;
	if (m->owns && PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return tp_fail(diag, TP_UNSUPPORTED, "papi", "install the libpapi of this system",
			       "PAPI does not start");
	m->is_up = true;
	if (m->owns && PAPI_thread_init(pthread_self) != PAPI_OK)
		return tp_fail(diag, TP_UNSUPPORTED, "papi", NULL, "PAPI knows no threads");
	return TP_OK;
}

enum tp_status tp_papi_meters_find(const char *const *names, size_t n, bool of_others,
				   struct tp_papi_meters **meters, struct tp_diag *diag)
{
	const char *filters[TP_PAPI_METERS_MAX + 1] = { NULL };
	struct tp_papi_meters *m = calloc(1, sizeof(*m));
	bool *is_real = NULL;
	char pmus[256];
	*meters = NULL;
	if (!m)
		return tp_fail(diag, TP_NOMEM, "papi", NULL, "no memory");
	m->n = TP_MIN(n, (size_t)TP_PAPI_METERS_MAX);
	for (size_t i = 0; i < m->n; i++) {
		m->found[i] = (struct found){ .name = names[i] };
		filters[i] = names[i];
	}
	enum tp_status status = tp_papi_enumerate(&m->source, filters, TP_PAPI_SILENCE_SECONDS,
						  &is_real, pmus, sizeof(pmus), diag);
	if (status == TP_OK)
		keep_asked(m, is_real);
	if (status == TP_OK && m->source.n_events)
		status = tp_papi_probe(&m->source, false, TP_PAPI_SILENCE_SECONDS, diag);
	if (status == TP_OK)
		status = start_library(m, diag);
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

static void give_up(struct found *f, int code)
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
		struct found *f = &m->found[i];
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
