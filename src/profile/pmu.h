/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events of the kernel's PMUs by sysfs, ABI/testing/sysfs-bus-event_source-devices-*. */
#ifndef TPROF_PROFILE_PMU_H
#define TPROF_PROFILE_PMU_H

#include "base/status.h"
#include "profile/proc.h"

/* An event of one PMU, as perf_event_open(2) wants it. */
struct tp_pmu_found {
	unsigned type;
	struct tp_sysfs_event event;
	double scale; /* a count times this is in bytes, joules, ... */
	unsigned cpus[16]; /* one of each package; n_cpus 0: it belongs to a process, not to CPUs */
	size_t n_cpus;
};

/*
 * "uncore_imc_0/cas_count_read/", or with fields of its own: "uncore_imc_0/event=4,umask=3/".
 * TP_NOTFOUND: there is no such PMU or event; TP_USAGE: the name, or what sysfs says, is damaged.
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
