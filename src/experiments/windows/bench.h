/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What experiments on emitted kernels keep from point to point: team, buffers, and the bodies that
 * won their races.
 */
#ifndef TPROF_EXPERIMENTS_WINDOWS_BENCH_H
#define TPROF_EXPERIMENTS_WINDOWS_BENCH_H

#include "analysis/quality.h"
#include "experiments/bench.h"
#include "experiments/windows/counting.h"
#include "measure/buffer.h"
#include "measure/sampler.h"

/*
 * Runs one planned point: team, buffers, race (unless already decided), windows, bound. Fills
 * `point`.
 */
enum tp_status tp_window_run(struct tp_bench *bench, const struct tp_planned *planned,
			     struct tp_point *point, struct tp_diag *diag);

/* Compiled code that a point runs instead of an emitted kernel. */
struct tp_window_code {
	bool openmp; /* it uses worksharing constructs of OpenMP */
	/*
	 * Makes its data ready on the team, each thread touching its own first (tp_team_run), and
	 * fills `compiled`, which is valid until `finish`.
	 */
	enum tp_status (*prepare)(void *context, struct tp_team *team, struct tp_compiled *compiled,
				  struct tp_diag *diag);
	/*
	 * In its place on a simulated machine: `caches` are what a thread gets of each level. Fills
	 * `pass`, and of `compiled` what the work is. NULL = it is not simulated.
	 */
	enum tp_status (*describe)(void *context, const double caches[TP_CACHE_LEVELS],
				   struct tp_window_pass *pass, struct tp_compiled *compiled,
				   struct tp_diag *diag);
	/* After the last window, or a failure of these; may be NULL. */
	void (*finish)(void *context, const struct tp_team *team);
	void *context;
	/* After the last window, before events are counted; may be NULL. */
	void (*measured)(void *context);
	/* Events of the option `events`; all zero = none. */
	struct tp_window_counting counting;
};

/*
 * As tp_window_run, for a point whose plan has a level and the working set of a thread, but no ISA.
 * There is no race, and no bound.
 */
enum tp_status tp_window_run_code(struct tp_bench *bench, const struct tp_planned *planned,
				  const struct tp_window_code *code, struct tp_point *point,
				  struct tp_diag *diag);

enum { TP_MAX_CANDIDATES = 160 };

/*
 * Which body variants and placements are worth racing for a point. Fills
 * candidates[TP_MAX_CANDIDATES]; at least one. Candidates that the kernel's check refuses at this
 * size are left out.
 */
size_t tp_bodies(const struct tp_planned *planned, struct tp_candidate *candidates);

/* Members of tp_experiment that experiments share whose points are windows of one kernel. */
#define TP_WINDOW_EXPERIMENT                                                                       \
	.plan_bytes = sizeof(struct tp_window_plan), .run = tp_window_run,                         \
	.repeated = &tp_window_repeated, .is_predictable = true

/* Of every experiment that runs windows. */
extern const struct tp_repeated tp_window_repeated;
/* The same, for experiments with their own summary. */
void tp_window_rule(const struct tp_machine *machine, const struct tp_planned *planned,
		    struct tp_stop_rule *rule);
void tp_window_judge_quality(const struct tp_machine *machine, const struct tp_planned *planned,
			     struct tp_point *point);

#endif
