/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Experiments: what to measure (plan), how one point is measured (run), what the points mean together (reduce).
 * Options -> plan happens in the front end and again, identically, in the engine; run happens in the engine only;
 * reduce happens wherever the points are.
 */
#ifndef TPROF_EXPERIMENT_EXPERIMENT_H
#define TPROF_EXPERIMENT_EXPERIMENT_H

#include "kernels/counting.h"
#include "kernels/kernel.h"
#include "machine/machine.h"
#include "measure/sampler.h"
#include "preset/options.h"
#include "record/run.h"

/* Where a working set lives. CLASS_FP: nowhere, registers only. */
enum tp_level_class { TP_CLASS_FP, TP_CLASS_L1, TP_CLASS_L2, TP_CLASS_L3, TP_CLASS_DRAM };

struct tp_autotune;

/* A planned point: its identity for the record and everything needed to run it. */
struct tp_planned {
	struct tp_point point; /* identity fields only; no samples */
	const struct tp_experiment *experiment;
	const struct tp_config *config; /* borrowed */
	struct tp_kernel
		kernel; /* body still open; loads and stores both 0 = search the best ratio */
	enum tp_level_class level;
	bool race_each; /* race bodies at this size instead of using the class's winner */
	unsigned *cpus; /* threads entries */
	uint64_t own_bytes; /* a thread's buffer for this point alone */
	uint64_t buffer_bytes; /* the largest of all neighbours with the same team and pages */
	enum tp_pages pages;
	unsigned chasers; /* of a chase, as in tp_candidate */
	struct tp_chase chase;
	const struct tp_stream *stream; /* in the plan's arena; NULL = none */
	const struct tp_family *family; /* counters; NULL = none */
	unsigned family_kernel;
	char readings[32]; /* the name that its counts are filed under */
	const struct tp_autotune *search; /* autotune; in the plan's arena; NULL = none */
};

/* What a dry run tells of a search: "96 configurations: n 256-512, m 256-512, k 128-512". */
void tp_autotune_describe(const struct tp_autotune *search, struct tp_str *out);

struct tp_plan {
	struct tp_planned *items; /* ids are indexes */
	size_t n, cap;
	double estimate_seconds;
	struct tp_diags notes; /* things left out or adjusted, for people */
	struct tp_arena arena; /* owns cpus */
};

struct tp_plan_context {
	const struct tp_machine *machine;
	const struct tp_cpu *cpu;
	struct tp_plan *plan;
	const struct tp_config *config;
	const struct tp_experiment *experiment; /* whose points are planned */
	unsigned run; /* 0-based index of the preset's run */
};

struct tp_bench;

struct tp_experiment {
	const char *name, *summary;
	bool compares_pages; /* the option pages may be a list */
	bool all_threads; /* the default of the option threads is all */
	/* TP_OK or the reason why it cannot run here. */
	enum tp_status (*supported)(const struct tp_machine *machine, struct tp_diag *diag);
	enum tp_status (*plan)(struct tp_plan_context *context, struct tp_diags *diags);
	enum tp_status (*run)(struct tp_bench *bench, const struct tp_planned *planned,
			      struct tp_point *point, struct tp_diag *diag);
	/* Adds roofs, plateaus, dots of run `index` to `run` from its finished points. */
	enum tp_status (*reduce)(const struct tp_machine *machine, struct tp_run *run,
				 unsigned index);
};

extern const struct tp_experiment *const tp_experiment_table[];
extern const size_t tp_experiment_count;
const struct tp_experiment *tp_experiment_find(const char *name);

/* The machine that a config asks for: topology, model, given cache sizes. Release with tp_machine_release. */
enum tp_status tp_machine_for_config(struct tp_machine *machine, const struct tp_cpu *cpu,
				     const struct tp_config *config, struct tp_diag *diag);

/*
 * Plans every run of a preset. All problems of all runs go to `diags` (where = place of the option's value); the status is that
 * of the first. The plan borrows the configs and must be released in any case.
 */
enum tp_status tp_plan_make(struct tp_plan *plan, const struct tp_machine *machine,
			    const struct tp_cpu *cpu, const struct tp_config *configs, size_t n,
			    struct tp_diags *diags);
void tp_plan_release(struct tp_plan *plan);
/* What measuring the point needs: the buffers of its threads, or the operands of the largest configuration of a search. */
uint64_t tp_planned_memory_bytes(const struct tp_planned *planned);

#endif
