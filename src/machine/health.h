/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What about this machine would disturb a measurement: one check a row, each with what was found, what that means, and the command that
 * helps. Paths stand behind a root, as in detect.h; what cannot be read is no finding.
 */
#ifndef TPROF_MACHINE_HEALTH_H
#define TPROF_MACHINE_HEALTH_H

#include <stdbool.h>
#include <stddef.h>

#include "machine/machine.h"

/* From best to worst. */
#define TP_SEVERITY_LIST(X)                                                                        \
	X(FINE, "ok")                                                                              \
	X(NOTE, "note") /* good to know; results are right */                                      \
	X(WARNING, "warning") /* results may differ from those of a quiet, tuned machine */        \
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
	char what[384]; /* found; "" = nothing to say, the finding is left out */
	char means[256]; /* for a measurement, or "" */
	char remedy[640]; /* a command as a shell takes it, or "" */
};

/* A process that took time of CPUs between the two looks. */
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
	/* Of this process; tp_health_init asks the kernel, tests say what they like. */
	int perf_error; /* errno of opening a counter of cycles; 0 = it counts */
	unsigned long long address_space_bytes, locked_bytes; /* limits; ULLONG_MAX = none */
	unsigned long realtime_priority; /* highest that is permitted */
	/* What the two looks found. */
	struct tp_look_at {
		struct tp_process *processes;
		size_t n, cap;
		double busy_ticks, steal_ticks, all_ticks; /* of the CPUs this process may use */
		unsigned long long throttles; /* events of all CPUs since boot */
	} first, second;
	struct tp_busy busy[TP_BUSY_MAX]; /* highest share first */
	size_t n_busy;
};

/* `root` and `machine` are borrowed until release. */
void tp_health_init(struct tp_health *health, const struct tp_machine *machine, const char *root);
/* Before and after a time of doing nothing: what others do meanwhile. 0.2 s will do. */
void tp_health_look_first(struct tp_health *health);
void tp_health_look_again(struct tp_health *health);
void tp_health_release(struct tp_health *health);

/* Checks, in the order of the table. */
extern const size_t tp_health_count;
/* The finding of check `i`; false if it has nothing to say here. */
bool tp_health_check(const struct tp_health *health, size_t i, struct tp_finding *finding);

#endif
