/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks for noise sources on this machine. Each check reports its finding, the effect, and a
 * command that fixes it. Paths are relative to a root, as in detect.h. A check is silent if it
 * cannot read its files.
 */
#ifndef TPROF_MACHINE_HEALTH_H
#define TPROF_MACHINE_HEALTH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/process.h"
#include "machine/machine.h"

/* From best to worst. */
#define TP_SEVERITY_LIST(X)                                                                        \
	X(FINE, "ok")                                                                              \
	X(NOTE, "note") /* good to know; results are right */                                      \
	X(WARNING, "warning") /* results may differ from those on a quiet, tuned machine */        \
	X(PROBLEM, "problem") /* results will be wrong, or lost */

enum tp_severity {
#define TP_SEVERITY_ENUM(name, text) TP_##name,
	TP_SEVERITY_LIST(TP_SEVERITY_ENUM)
#undef TP_SEVERITY_ENUM
		TP_SEVERITY_COUNT
};
const char *tp_severity_name(enum tp_severity severity);

struct tp_finding {
	const char *id, *title;
	enum tp_severity severity;
	char what[384]; /* the finding; "" = nothing to report, so it is left out */
	char means[256]; /* what it means for a measurement, or "" */
	char remedy[640]; /* a command as a shell takes it, or "" */
};

/* Fills a finding; means and remedy may be NULL. */
void tp_found(struct tp_finding *finding, enum tp_severity severity, const char *means,
	      const char *remedy, const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* A process that used CPU time between the two samples. */
struct tp_busy {
	long pid;
	char name[32];
	unsigned cpu; /* where it was last */
	double share; /* of one CPU */
};
enum { TP_BUSY_MAX = 5 };

struct tp_health {
	const char *root;
	const struct tp_machine *machine; /* this one */
	/* Filled in by tp_health_init from the kernel; tests set their own values. */
	int perf_error; /* errno of opening a counter of cycles; 0 = it counts */
	unsigned long long address_space_bytes, locked_bytes; /* limits; ULLONG_MAX = none */
	unsigned long realtime_priority; /* highest that is permitted */
	/* The two samples. */
	struct tp_look_at {
		struct tp_process_look *processes;
		size_t n, cap;
		double busy_ticks, steal_ticks, all_ticks; /* of the CPUs this process may use */
		unsigned long long throttles; /* events of all CPUs since boot */
	} first, second;
	struct tp_busy busy[TP_BUSY_MAX]; /* highest share first */
	size_t n_busy;
};

/* Opens a hardware counter of cycles for this process: errno, or 0 if it counts. */
int tp_perf_error(void);

/* `root` and `machine` are borrowed until release. */
void tp_health_init(struct tp_health *health, const struct tp_machine *machine, const char *root);
/*
 * Take a sample before and after some idle time (0.2 s is enough), to see what other processes do.
 */
void tp_health_look_first(struct tp_health *health);
void tp_health_look_again(struct tp_health *health);
void tp_health_release(struct tp_health *health);

/* Checks, in the order of the table. */
extern const size_t tp_health_count;
/* Runs check `i`; false if it does not apply here. */
bool tp_health_check(const struct tp_health *health, size_t i, struct tp_finding *finding);

#endif
