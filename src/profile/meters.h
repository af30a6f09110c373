/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Meters: values read repeatedly while a program runs. Each is a row of one list; a missing one has
 * the reason, and what would permit it.
 */
#ifndef TPROF_PROFILE_METERS_H
#define TPROF_PROFILE_METERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/status.h"
#include "profile/processes.h"

enum { TP_METER_CODES = 6, TP_METER_EVENTS = 4, TP_METER_PAPI = 6 };

/*
 * X(ID, name, unit, own, meaning). Counters are shown as rates per second, gauges as they are.
 * `own`: it is the program's and cheap: its steps make phases. The others belong to the machine,
 * which others use, too, or cost more; they are read ten times a second at most.
 */
#define TP_METER_LIST(X)                                                                           \
	X(CPUS, "cpus", "CPUs", true, "CPUs that the program keeps busy")                          \
	X(SYSTEM, "system_cpus", "CPUs", true,                                                     \
	  "the part of them that works in the kernel for it; the kernel may count in ticks")       \
	X(CODE_1, "code_1", "CPUs", true, "CPUs in the function that had most of the time")        \
	X(CODE_2, "code_2", "CPUs", true, "CPUs in the second function")                           \
	X(CODE_3, "code_3", "CPUs", true, "CPUs in the third function")                            \
	X(CODE_4, "code_4", "CPUs", true, "CPUs in the fourth function")                           \
	X(CODE_5, "code_5", "CPUs", true, "CPUs in the fifth function")                            \
	X(CODE_6, "code_6", "CPUs", true, "CPUs in the sixth function")                            \
	X(THREADS, "threads_alive", "threads", true, "its threads")                                \
	X(RESIDENT, "resident_bytes", "B", true, "memory that it has in RAM")                      \
	X(MINOR_FAULTS, "minor_faults_per_s", "1/s", true,                                         \
	  "page faults that need no device: first touches of memory")                              \
	X(MAJOR_FAULTS, "major_faults_per_s", "1/s", true, "page faults that read a device")       \
	X(WAITS, "waits_per_s", "1/s", true, "context switches because a thread waited")           \
	X(PREEMPTIONS, "preemptions_per_s", "1/s", false,                                          \
	  "context switches because another thread wanted the CPU")                                \
	X(READ, "read_bytes_per_s", "B/s", true,                                                   \
	  "bytes of its read() and similar calls, from files, pipes and sockets")                  \
	X(WRITTEN, "written_bytes_per_s", "B/s", true,                                             \
	  "bytes of its write() and similar calls, to files, pipes and sockets")                   \
	X(MEMORY_READ, "memory_read_bytes_per_s", "B/s", true,                                     \
	  "bytes that memory controllers read, for all programs")                                  \
	X(MEMORY_WRITTEN, "memory_written_bytes_per_s", "B/s", true,                               \
	  "bytes that memory controllers wrote, for all programs")                                 \
	X(EVENT_1, "event_1_per_s", "1/s", true, "the first event of profile.events")              \
	X(EVENT_2, "event_2_per_s", "1/s", true, "the second event of profile.events")             \
	X(EVENT_3, "event_3_per_s", "1/s", true, "the third event of profile.events")              \
	X(EVENT_4, "event_4_per_s", "1/s", true, "the fourth event of profile.events")             \
	X(PAPI_1, "papi_1", "", true, "the first event of profile.papi")                           \
	X(PAPI_2, "papi_2", "", true, "the second event of profile.papi")                          \
	X(PAPI_3, "papi_3", "", true, "the third event of profile.papi")                           \
	X(PAPI_4, "papi_4", "", true, "the fourth event of profile.papi")                          \
	X(PAPI_5, "papi_5", "", true, "the fifth event of profile.papi")                           \
	X(PAPI_6, "papi_6", "", true, "the sixth event of profile.papi")                           \
	X(RECEIVED, "received_bytes_per_s", "B/s", false,                                          \
	  "bytes that the machine's network interfaces received")                                  \
	X(SENT, "sent_bytes_per_s", "B/s", false, "bytes that they sent")                          \
	X(DISK_READ, "disk_read_bytes_per_s", "B/s", false, "bytes that the machine's disks read") \
	X(DISK_WRITTEN, "disk_written_bytes_per_s", "B/s", false, "bytes that they wrote")         \
	X(POWER, "power_watts", "W", false, "power of all CPU packages")                           \
	X(GPU_POWER, "gpu_power_watts", "W", false, "power of all GPUs")                           \
	X(CLOCK, "clock_ghz", "GHz", false, "frequency of the first CPU, as the governor sets it") \
	X(TEMPERATURE, "temperature_celsius", "C", false, "temperature of the CPU package")

enum tp_meter_id {
#define TP_METER_ENUM(id, name, unit, own, help) TP_METER_##id,
	TP_METER_LIST(TP_METER_ENUM)
#undef TP_METER_ENUM
		TP_METERS
};

/*
 * The meters that a name in a user's list stands for: one, or all up to a "_", such as "code",
 * "disk" or "memory".
 */
bool tp_meter_is_named(enum tp_meter_id id, const char *name);

struct tp_meters;

struct tp_meter {
	const char *name, *unit;
	bool own;
	const char *counts;
};

extern const struct tp_meter tp_meter_table[TP_METERS];

/* Folders of the kernel's files: other ones for tests. */
struct tp_meter_places {
	const char *proc, *sys; /* "/proc", "/sys" */
};

extern const struct tp_meter_places tp_meter_places;

/*
 * Meters that another room reads, those of PAPI: n of TP_METER_PAPI. Only the thread that makes and
 * reads the meters calls them, except `missing` and `is_gauge`.
 */
struct tp_meter_others {
	size_t n;
	void (*start)(void *context);
	/* values[0..n-1]: sums since the start, or gauges; NaN = nothing now. */
	void (*read)(void *context, double *values);
	void (*stop)(void *context);
	/* Why one is not there, NULL if it is; after the start. */
	const struct tp_diag *(*missing)(void *context, size_t i);
	bool (*is_gauge)(void *context, size_t i);
	void *context;
};

/*
 * Opens all meters for a process that runs, with its children. `events` names up to
 * TP_METER_EVENTS events of PMUs, "PMU/EVENT/" or "PMU/field=value,.../", NULL = none behind.
 * `unwanted` ones are not opened (NULL = all are wanted). `others` may be NULL. NULL when out of
 * memory. Free it with tp_meters_free.
 */
struct tp_meters *tp_meters_new(pid_t pid, const struct tp_meter_places *places,
				const char *const events[TP_METER_EVENTS],
				const bool unwanted[TP_METERS],
				const struct tp_meter_others *others);

/* By the thread that reads them, when it has read them for the last time. */
void tp_meters_stop(struct tp_meters *meters);
void tp_meters_free(struct tp_meters *meters); /* may be NULL */

/* Why a meter is not there; NULL if it is. */
const struct tp_diag *tp_meters_missing(const struct tp_meters *meters, enum tp_meter_id id);

/*
 * Reads them all: values[i] is a gauge, or the rate since the last call; NaN if missing. `now` is
 * in seconds of CLOCK_MONOTONIC, `seconds` is the time since the last call.
 */
void tp_meters_read(struct tp_meters *meters, double now, double seconds, double values[TP_METERS]);

/* As last read: the process can be seen, and has no thread any more. */
bool tp_meters_gone(const struct tp_meters *meters);

/* Processes and threads that were not followed, as there was no room for them. */
unsigned tp_meters_lost(const struct tp_meters *meters);

/* Events of the kernel's PMUs by sysfs, ABI/testing/sysfs-bus-event_source-devices-*. */

/* An event of one PMU, as perf_event_open(2) needs it. */
struct tp_pmu_found {
	unsigned type;
	struct tp_sysfs_event event;
	double scale; /* a count times this is in bytes, joules, ... */
	unsigned cpus[16]; /* one of each package; n_cpus 0: it belongs to a process, not to CPUs */
	size_t n_cpus;
};

/*
 * "uncore_imc_0/cas_count_read/", or with explicit fields: "uncore_imc_0/event=4,umask=3/".
 * TP_NOTFOUND: there is no such PMU or event; TP_USAGE: the name, or its file in sysfs, is
 * malformed.
 */
enum tp_status tp_pmu_find(const char *sys, const char *name, struct tp_pmu_found *found,
			   struct tp_diag *diag);

/*
 * The events of memory controllers that count bytes read (or written), of all of them: at most
 * `max`. TP_NOTFOUND with what would permit it.
 */
enum tp_status tp_pmu_find_memory(const char *sys, bool written, struct tp_pmu_found *found,
				  size_t max, size_t *n, struct tp_diag *diag);

#endif
