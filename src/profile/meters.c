/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of meters, those of the program, and how all of them are read. */
#include "profile/meters_parts.h"
#include "base/now.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double MACHINE_SECONDS = 0.1;

bool tp_meter_is_named(enum tp_meter_id id, const char *name)
{
	const char *whole = tp_meter_table[id].name;
	size_t len = strlen(name);
	return len && strncmp(whole, name, len) == 0 && (!whole[len] || whole[len] == '_');
}

const struct tp_meter_places tp_meter_places = { "/proc", "/sys" };

static enum tp_status open_tree(struct tp_meters *m, enum tp_meter_id id, struct tp_diag *diag)
{
	if (!m->has_tree)
		return tp_fail(diag, TP_PERM, "/proc", "mount /proc, without hidepid",
			       "the kernel does not show the process");
	if ((id == TP_METER_READ || id == TP_METER_WRITTEN) && !m->tree.may_read_io)
		return tp_fail(diag, TP_PERM, "/proc/PID/io",
			       "run as root: the program has rights that its user has not",
			       "the kernel does not show what the process reads and writes");
	return TP_OK;
}

static double read_tree(struct tp_meters *m, enum tp_meter_id id)
{
	const struct tp_processes *t = &m->tree;
	switch (id) {
	case TP_METER_CPUS:
		return t->cpu_seconds;
	case TP_METER_SYSTEM:
		return t->system_seconds;
	case TP_METER_THREADS:
		return t->running_threads;
	case TP_METER_RESIDENT:
		return t->resident_bytes;
	case TP_METER_MINOR_FAULTS:
		return t->minor_faults;
	case TP_METER_MAJOR_FAULTS:
		return t->major_faults;
	case TP_METER_WAITS:
		return t->waits;
	case TP_METER_PREEMPTIONS:
		return t->preemptions;
	case TP_METER_READ:
		return t->bytes_in;
	case TP_METER_WRITTEN:
		return t->bytes_out;
	default:
		return NAN;
	}
}

/* --- of others --- */

static enum tp_status open_papi(struct tp_meters *m, enum tp_meter_id id, struct tp_diag *diag)
{
	const struct tp_meter_others *o = m->others;
	size_t i = (size_t)(id - TP_METER_PAPI_1);
	if (!o || i >= o->n)
		return tp_fail(diag, TP_NOTFOUND, "papi", "name some in profile.papi",
			       "no event was asked for");
	const struct tp_diag *missing = o->missing(o->context, i);
	if (!missing)
		return TP_OK;
	*diag = *missing;
	return TP_UNSUPPORTED;
}

static double read_papi(struct tp_meters *m, enum tp_meter_id id)
{
	return m->others_now[id - TP_METER_PAPI_1];
}

/* Whether it is told as a rate. */
static bool counts(const struct tp_meters *m, enum tp_meter_id id)
{
	size_t i = (size_t)(id - TP_METER_PAPI_1);
	bool is_papi = id >= TP_METER_PAPI_1 && i < TP_METER_PAPI;
	return is_papi ? !m->others->is_gauge(m->others->context, i) : tp_meter_table[id].counter;
}

/* --- the table --- */

#define TREE(c)	      open_tree, read_tree, c
#define MACHINE(f, c) tp_meter_open_##f, tp_meter_read_machine, c
/* The sampler counts them itself (code.h). */
#define SAMPLED		  NULL, NULL, false
#define OF_CPUS		  TREE(true)
#define OF_SYSTEM	  TREE(true)
#define OF_THREADS	  TREE(false)
#define OF_RESIDENT	  TREE(false)
#define OF_MINOR_FAULTS	  TREE(true)
#define OF_MAJOR_FAULTS	  TREE(true)
#define OF_WAITS	  TREE(true)
#define OF_PREEMPTIONS	  TREE(true)
#define OF_READ		  TREE(true)
#define OF_WRITTEN	  TREE(true)
#define OF_CODE_1	  SAMPLED
#define OF_CODE_2	  SAMPLED
#define OF_CODE_3	  SAMPLED
#define OF_CODE_4	  SAMPLED
#define OF_CODE_5	  SAMPLED
#define OF_CODE_6	  SAMPLED
#define OF_MEMORY_READ	  MACHINE(memory, true)
#define OF_MEMORY_WRITTEN MACHINE(memory, true)
#define OF_EVENT_1	  MACHINE(event, true)
#define OF_EVENT_2	  MACHINE(event, true)
#define OF_EVENT_3	  MACHINE(event, true)
#define OF_EVENT_4	  MACHINE(event, true)
#define OF_PAPI_1	  open_papi, read_papi, true
#define OF_PAPI_2	  OF_PAPI_1
#define OF_PAPI_3	  OF_PAPI_1
#define OF_PAPI_4	  OF_PAPI_1
#define OF_PAPI_5	  OF_PAPI_1
#define OF_PAPI_6	  OF_PAPI_1
#define OF_RECEIVED	  MACHINE(net, true)
#define OF_SENT		  MACHINE(net, true)
#define OF_DISK_READ	  MACHINE(disks, true)
#define OF_DISK_WRITTEN	  MACHINE(disks, true)
#define OF_POWER	  MACHINE(power, true)
#define OF_GPU_POWER	  MACHINE(gpu, false)
#define OF_CLOCK	  MACHINE(clock, false)
#define OF_TEMPERATURE	  MACHINE(temperature, false)

const struct tp_meter tp_meter_table[TP_METERS] = {
#define ROW(id, name, unit, own, counts) { name, unit, own, counts, OF_##id },
	TP_METER_LIST(ROW)
#undef ROW
};

struct tp_meters *tp_meters_new(pid_t pid, const struct tp_meter_places *places,
				const char *const events[TP_METER_EVENTS],
				const bool unwanted[TP_METERS],
				const struct tp_meter_others *others)
{
	struct tp_meters *m = calloc(1, sizeof(*m));
	if (!m)
		return NULL;
	m->pid = pid;
	m->places = places;
	m->net = m->disks = -1;
	for (size_t i = 0; events && i < TP_METER_EVENTS; i++)
		m->events[i] = events[i];
	m->others = others;
	if (others)
		others->start(others->context);
	m->has_tree = tp_processes_init(&m->tree, pid);
	for (int i = 0; i < TP_METERS; i++) {
		const struct tp_meter *meter = &tp_meter_table[i];
		if (unwanted && unwanted[i]) {
			tp_fail(&m->why[i], TP_NOTFOUND, meter->name, "add it to profile.meters",
				"nobody asked for it");
			continue;
		}
		if (!meter->open)
			continue;
		m->there[i] = meter->open(m, (enum tp_meter_id)i, &m->why[i]) == TP_OK;
	}
	m->tree.skips_io = !m->there[TP_METER_READ] && !m->there[TP_METER_WRITTEN];
	m->tree.skips_switches = !m->there[TP_METER_WAITS] && !m->there[TP_METER_PREEMPTIONS];
	double unused[TP_METERS];
	for (int i = 0; i < TP_METERS; i++)
		m->last[i] = NAN;
	tp_meters_read(m, tp_now_seconds(), 0, unused);
	return m;
}

void tp_meters_stop(struct tp_meters *m)
{
	if (m->others)
		m->others->stop(m->others->context);
	m->others = NULL;
}

void tp_meters_free(struct tp_meters *m)
{
	if (!m)
		return;
	tp_processes_release(&m->tree);
	tp_meters_machine_release(m);
	free(m);
}

const struct tp_diag *tp_meters_missing(const struct tp_meters *m, enum tp_meter_id id)
{
	return m->there[id] ? NULL : &m->why[id];
}

void tp_meters_read(struct tp_meters *m, double now, double seconds, double values[TP_METERS])
{
	/* What belongs to the machine costs more and tells less: it is read less often. */
	bool whole = now - m->machine_at >= MACHINE_SECONDS || !(seconds > 0);
	double machine_seconds = now - m->machine_at;
	if (m->has_tree)
		tp_processes_read(&m->tree, whole);
	if (whole) {
		tp_meters_look_at_machine(m);
		m->machine_at = now;
	}
	if (m->others)
		m->others->read(m->others->context, m->others_now);
	for (int i = 0; i < TP_METERS; i++) {
		const struct tp_meter *meter = &tp_meter_table[i];
		values[i] = NAN;
		if (!m->there[i])
			continue;
		if (!meter->own && !whole) {
			values[i] = m->told[i];
			continue;
		}
		double read = meter->read(m, (enum tp_meter_id)i);
		bool counted = counts(m, (enum tp_meter_id)i);
		if (counted && seconds > 0)
			values[i] = (read - m->last[i]) / (meter->own ? seconds : machine_seconds);
		else if (!counted)
			values[i] = read;
		/* One that began anew. */
		if (counted && values[i] < 0)
			values[i] = NAN;
		m->last[i] = read;
		m->told[i] = values[i];
	}
}

bool tp_meters_gone(const struct tp_meters *m)
{
	return m->has_tree && !(m->tree.running_threads > 0);
}

unsigned tp_meters_lost(const struct tp_meters *m)
{
	return m->tree.lost;
}
