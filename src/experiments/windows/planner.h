/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the plan functions of experiments share: resolved option lists, sizes of levels, new points.
 */
#ifndef TPROF_EXPERIMENTS_WINDOWS_PLANNER_H
#define TPROF_EXPERIMENTS_WINDOWS_PLANNER_H

#include "experiments/experiment.h"
#include "measure/sampler.h"

enum { TP_MAX_LIST = 64 };

/* As tp_experiment.supported: on every machine that there are kernels for. */
enum tp_status tp_experiment_supported_anywhere(const struct tp_machine *machine,
						struct tp_diag *diag);

/* The row of a planned point that runs windows of an emitted kernel. */
struct tp_window_plan {
	/* body still open; loads and stores both 0 = search the best ratio */
	struct tp_kernel kernel;
	enum tp_level_class level;
	bool race_each; /* race bodies at this size instead of using the class's winner */
	/*
	 * Race working sets around this one as well, in halves of it: all are in the level. 0: only
	 * this one.
	 */
	unsigned least_halves, most_halves;
	bool is_on_curve; /* points with nearly its working set are next to it */
	bool scan; /* memory: what a size scan finds may do with less */
	uint64_t reference_bytes; /* of a scan: flushed loads to compare with; 0 = none */
	bool flushed; /* memory: flushed before each window, as in tp_sampling */
	unsigned chasers; /* of a chase, as in tp_candidate */
	struct tp_chase chase;
	const struct tp_stream *stream; /* in the plan's arena; NULL = none */
};

/* What experiments share whose points are only windows of an emitted kernel. */
#define TP_WINDOW_EXPERIMENT                                                                       \
	.plan_bytes = sizeof(struct tp_window_plan), .run = tp_window_run,                         \
	.repeated = &tp_window_repeated, .is_predictable = true

static inline struct tp_window_plan *tp_window_plan(const struct tp_planned *planned)
{
	return planned->row;
}

struct tp_ratio {
	unsigned loads, stores; /* both 0: best */
	const struct tp_array_kernel
		*array; /* the kernel has this name and its ratio; NULL = none */
};

/* Option lists of one run, resolved against machine and registries. */
struct tp_choices {
	const struct tp_isa *isas[TP_MAX_LIST];
	size_t n_isas;
	const struct tp_precision *precisions[TP_PRECISIONS];
	size_t n_precisions;
	unsigned threads[TP_MAX_LIST];
	unsigned *cpus[TP_MAX_LIST]; /* placement for each thread count */
	size_t n_threads;
	struct tp_ratio ratios[TP_MAX_LIST];
	size_t n_ratios;
	bool nontemporal[2];
	size_t n_stores;
	enum tp_fp_op fp_ops[TP_FP_OP_COUNT];
	size_t n_fp_ops;
	enum tp_level_class levels[4];
	size_t n_levels;
	const char *pages[4]; /* words of the option, one unless the experiment compares them */
	size_t n_pages;
};

/* Fills `choices`; every problem becomes a diagnosis with the option's place. */
enum tp_status tp_planner_choices(struct tp_plan_context *context, struct tp_choices *choices,
				  struct tp_diags *diags);

/*
 * The point of a level of the planner's races several working sets inside it: how fast a core's own
 * cache is depends on the size as well.
 */
void tp_planner_race_sizes(const struct tp_machine *machine, struct tp_planned *planned);

/* Adds only the levels; levels that the machine does not report are noted. */
void tp_planner_levels(struct tp_plan_context *context, struct tp_choices *choices);

/* One combination of the choices that every experiment walks. */
struct tp_combination {
	const struct tp_isa *isa;
	const struct tp_precision *precision;
	unsigned threads;
	unsigned *cpus;
};

/*
 * Working set per thread that is safely inside `level` and outside the one above; 0 if this machine
 * has no such level. L1: half of it. L2: a quarter (at least twice L1). L3: a quarter of one core's
 * share, three to four times L2, at most what the threads leave each other. DRAM: four times the
 * last level's share; what is measured may need less, see bench.c. Unknown levels in between count
 * with tp_machine_likely_share, so sizes rise on any machine.
 */
uint64_t tp_planner_level_bytes(const struct tp_machine *machine, enum tp_level_class level,
				unsigned threads);

/*
 * Working set per thread of points in memory that are flushed before each window; 0: they have to
 * walk. Stored lines stay in the caches for longer than a window, so what it costs to write them
 * back would not be seen: kernels that store walk.
 */
uint64_t tp_planner_flushed_bytes(struct tp_plan_context *context, bool stores, unsigned threads);
/* Makes a point one of these. */
void tp_planner_flush(struct tp_planned *planned);

/* Level whose capacity (per thread) holds `bytes`. */
enum tp_level_class tp_planner_class(const struct tp_machine *machine, uint64_t bytes,
				     unsigned threads);
const char *tp_planner_level_name(enum tp_level_class level);

/*
 * A new point with identity, estimate and buffer size; NULL and a diagnosis when it does not fit
 * into memory. A memory or mixed kernel without a working set gets its level's
 * (tp_planner_level_bytes): in memory, if its lines can be flushed, one that fits in any cache.
 */
struct tp_planned *tp_planner_add(struct tp_plan_context *context,
				  const struct tp_combination *combination,
				  const struct tp_kernel *kernel, enum tp_level_class level,
				  struct tp_diags *diags);

/* The kernel of a chase through `bytes`. It uses general registers with any ISA. */
struct tp_kernel tp_planner_chase(const struct tp_plan_context *context, uint64_t bytes);

/*
 * A memory point (ratio may be "best") and an FP point. Memory kernels of narrow precisions move
 * floats: whole vectors, as all do. `bytes` 0: the working set of the level, as in tp_planner_add;
 * its bodies are raced there.
 */
struct tp_planned *tp_planner_memory(struct tp_plan_context *context,
				     const struct tp_combination *combination,
				     struct tp_ratio ratio, bool nontemporal, uint64_t bytes,
				     enum tp_level_class level, struct tp_diags *diags);

struct tp_planned *tp_planner_fp(struct tp_plan_context *context,
				 const struct tp_combination *combination, enum tp_fp_op op,
				 struct tp_diags *diags);

/*
 * Whether the machine has an operation in a precision. False: the ISA has no such instruction, or
 * this machine lacks it.
 */
bool tp_planner_has_op(const struct tp_plan_context *context, const struct tp_isa *isa,
		       const struct tp_precision *precision, enum tp_fp_op op);

/* Notes on requested narrow operations that are missing. A diagnosis if no operation is left. */
enum tp_status tp_planner_check_ops(struct tp_plan_context *context,
				    const struct tp_choices *choices, struct tp_diags *diags);

/*
 * Bytes per cycle and core to expect of a level, for the middle of the mixed sweep.
 */
double tp_planner_expected_bytes_per_cycle(const struct tp_machine *machine,
					   const struct tp_isa *isa, unsigned element_bytes,
					   struct tp_ratio ratio, enum tp_level_class level);

/* Regions of programs by the names of functions, as options list them. */

/*
 * The CPUs of a team, in the plan's arena; what cannot be placed is refused, in the name of
 * `option` unless affinity is to blame.
 */
enum tp_status tp_planner_place(struct tp_plan_context *context, const struct tp_option *option,
				unsigned threads, unsigned **cpus, struct tp_diags *diags);
/*
 * The names after "function=" in a list of texts, up to NULL, in `arena`. Other texts are refused
 * with the place of the option.
 */
enum tp_status tp_planner_functions(struct tp_plan_context *context, const struct tp_option *option,
				    struct tp_arena *arena, char ***functions,
				    struct tp_diags *diags);

#endif
