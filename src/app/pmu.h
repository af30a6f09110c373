/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counting by the CPU's own counters: which events count what, how they are read, and what their
 * values mean.
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
	TP_PMU_WIDTH, /* any operations on vectors of `bytes` */
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
	const char *meaning; /* remark for users on its FLOPs; NULL = none */
};

/* An event as perf_event_open(2) takes it. */
struct tp_pmu_code {
	uint32_t type;
	uint64_t config, config1, config2;
};

struct tp_pmu_value {
	uint64_t value, enabled_ns, running_ns;
};

/* What counts; a test has another one. */
struct tp_pmu_host {
	void *context;
	struct tp_cpu cpu;
	bool hybrid; /* cores of two kinds, each with its own PMU */
	/* Looks up a name on this CPU; like tp_pmu_encode. */
	enum tp_status (*encode)(const char *name, struct tp_pmu_code *code, struct tp_diag *diag);
	/* A counter of the next program that this thread starts, with its threads and children:
	 * its descriptor, or -errno. */
	int (*open)(void *context, const struct tp_pmu_code *code);
	bool (*read)(void *context, int fd, struct tp_pmu_value *value);
	void (*close)(void *context, int fd);
	enum tp_status (*run)(const struct tp_app_command *command, struct tp_command_run *ran,
			      struct tp_diag *diag);
};

/* As in tp_app_source. Each event has a separate run, so that none shares a counter. */
enum tp_status tp_pmu_supported(const struct tp_pmu_host *host,
				const struct tp_app_formulas *formulas, struct tp_diag *diag);

enum tp_status tp_pmu_count(const struct tp_pmu_host *host, const struct tp_app_command *command,
			    struct tp_app_counts *counts, struct tp_diag *diag);

enum { TP_PMU_COUNTERS = 64 };

struct tp_pmu_counter {
	const char *name;
	struct tp_pmu_code code;
	const struct tp_pmu_event *event; /* of the family of CPUs; NULL = only formulas */
	bool required; /* without it there are no FLOPs */
	bool counted;
	uint64_t value;
};

/* A formula whose events can all be counted. */
struct tp_pmu_formula {
	const struct tp_app_formula *formula;
	unsigned counters[TP_APP_TERMS]; /* of its terms */
};

struct tp_pmu_plan {
	const struct tp_pmu *pmu; /* NULL = no events are known by themselves */
	struct tp_pmu_counter counters[TP_PMU_COUNTERS]; /* no event twice */
	size_t n;
	const struct tp_app_formulas *from;
	struct tp_pmu_formula formulas[TP_APP_FORMULAS];
	size_t n_formulas;
	bool lacks; /* something that a mix needs cannot be counted; notes say what */
};

/*
 * The event of a name in PAPI's spelling, by libpfm4. TP_NOTFOUND: no such event on this CPU;
 * TP_UNSUPPORTED: it is not an event of programs in user mode, or libpfm4 is not built in.
 */
enum tp_status tp_pmu_encode(const char *name, struct tp_pmu_code *code, struct tp_diag *diag);

void tp_pmu_host(struct tp_pmu_host *host);
int tp_pmu_open(const struct tp_pmu_code *code);
bool tp_pmu_read(int fd, struct tp_pmu_value *value);

#endif
