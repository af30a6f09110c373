/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counting by the CPU's own counters: which events say what, how they are read, and what their
 * values mean. Private to src/app.
 */
#ifndef TPROF_APP_PMU_H
#define TPROF_APP_PMU_H

#include "app/run.h"
#include "base/cpu.h"

enum tp_pmu_role {
	TP_PMU_PLAIN, /* one for each of its kind: `index` of the mix */
	TP_PMU_ARITHMETIC, /* instructions of a kind, fused ones twice; FLOPs are lanes times that
			    */
	TP_PMU_FLOPS, /* FLOPs: `index` is their precision */
	TP_PMU_WIDTH, /* operations on vectors of `bytes`, whatever they do */
};

struct tp_pmu_event {
	const char *name; /* as the maker's manual and perf-list(1) call it */
	uint64_t config; /* of the PMU "cpu": event, and unit mask << 8 */
	enum tp_pmu_role role;
	unsigned index; /* enum tp_mix_index */
	unsigned flops; /* arithmetic: index of the FLOPs */
	unsigned lanes, bytes; /* of a vector */
	const char *feature; /* only CPUs with it have the event; NULL = all */
};

/* The events of a family of CPUs. */
struct tp_pmu {
	const char *name;
	bool (*is)(const struct tp_cpu *cpu);
	const struct tp_pmu_event *events;
	size_t n;
	const char *meaning; /* what users have to know of its FLOPs; NULL = nothing */
};
/* NULL: none is known that counts FLOPs on this CPU. */
const struct tp_pmu *tp_pmu_of(const struct tp_cpu *cpu);
bool tp_pmu_has(const struct tp_cpu *cpu, const struct tp_pmu_event *event);

struct tp_pmu_reading {
	const struct tp_pmu_event *event;
	uint64_t value;
};
/*
 * Values as a mix. Bytes are loads and stores times the mean width of floating-point operations,
 * which is returned; 8 bytes if no event tells widths, and *known is false then.
 */
double tp_pmu_mix(const struct tp_pmu_reading *readings, size_t n, uint64_t mix[TP_MIX_N],
		  bool *known);

struct tp_pmu_value {
	uint64_t value, enabled_ns, running_ns;
};
/* What counts; a test has another one. */
struct tp_pmu_host {
	void *context;
	struct tp_cpu cpu;
	bool hybrid; /* cores of two kinds, each with a PMU of its own */
	/* A counter of the next program that this thread starts, with its threads and children:
	 * its descriptor, or -errno. */
	int (*open)(void *context, uint64_t config);
	bool (*read)(void *context, int fd, struct tp_pmu_value *value);
	void (*close)(void *context, int fd);
	enum tp_status (*run)(const struct tp_app_command *command, struct tp_command_run *ran,
			      struct tp_diag *diag);
};
/* As tp_app_source's. Each event has a run of its own, so that none shares a counter. */
enum tp_status tp_pmu_supported(const struct tp_pmu_host *host, struct tp_diag *diag);
enum tp_status tp_pmu_count(const struct tp_pmu_host *host, const struct tp_app_command *command,
			    struct tp_app_counts *counts, struct tp_diag *diag);

/* The kernel's; what it opens is raw events, or software events if `type` is theirs. */
void tp_pmu_host(struct tp_pmu_host *host);
int tp_pmu_open(uint32_t type, uint64_t config);
bool tp_pmu_read(int fd, struct tp_pmu_value *value);

#endif
