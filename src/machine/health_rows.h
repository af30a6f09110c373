/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to the machine room: the rows of the table of checks, and what they share. */
#ifndef TPROF_MACHINE_HEALTH_ROWS_H
#define TPROF_MACHINE_HEALTH_ROWS_H

#include "machine/health.h"

/* X(id, title, function in health_<file>.c) */
#define TP_HEALTH_LIST(X)                                                                          \
	X("governor", "Frequency governor", governor)                                              \
	X("frequency", "Frequency limit", frequency)                                               \
	X("turbo", "Turbo", turbo)                                                                 \
	X("thermal", "Thermal throttling", thermal)                                                \
	X("smt", "Hardware threads", smt)                                                          \
	X("cpuset", "Usable CPUs", cpuset)                                                         \
	X("cpu_quota", "CPU quota", quota)                                                         \
	X("isolation", "Isolated CPUs", isolation)                                                 \
	X("load", "Other work", load)                                                              \
	X("hypervisor", "Virtual machine", hypervisor)                                             \
	X("model", "Machine model", model)                                                         \
	X("container", "Container", container)                                                     \
	X("clock", "Clock", clock)                                                                 \
	X("thp", "Transparent huge pages", thp)                                                    \
	X("hugetlb", "Reserved huge pages", hugetlb)                                               \
	X("numa_balancing", "NUMA balancing", numa_balancing)                                      \
	X("memory_limit", "Memory", memory)                                                        \
	X("pages", "Page size", pages)                                                             \
	X("aslr", "Address randomisation", aslr)                                                   \
	X("limits", "Limits of the process", limits)                                               \
	X("realtime", "Real-time scheduling", realtime)                                            \
	X("counters", "Hardware counters", counters)                                               \
	X("mitigations", "Mitigations", mitigations)                                               \
	X("firmware", "Firmware", firmware)                                                        \
	X("knobs", "Knobs left changed", leftover)

#define TP_HEALTH_DECLARE(id, title, name)                                                         \
	void tp_health_##name(const struct tp_health *health, struct tp_finding *finding);
TP_HEALTH_LIST(TP_HEALTH_DECLARE)
#undef TP_HEALTH_DECLARE

/* Fills a finding; means and remedy may be NULL. */
void tp_found(struct tp_finding *finding, enum tp_severity severity, const char *means,
	      const char *remedy, const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Sum of the thermal events of all CPUs since boot; false if the kernel does not count them. */
bool tp_health_throttles(const struct tp_health *health, unsigned long long *events);

#endif
