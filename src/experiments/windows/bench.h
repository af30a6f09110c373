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
#include "measure/claim.h"
#include "measure/sampler.h"

struct tp_winner {
	struct tp_kernel kernel; /* as raced */
	enum tp_level_class level;
	uint64_t planned_bytes; /* the working set of the point that raced */
	size_t placement_bytes;
	unsigned halves; /* its working set, in halves of the planned one */
	bool best_ratio;
};

/* What the size scan of a team found; see scan.h. */
struct tp_window_scan {
	char cpus[256];
	enum tp_pages pages;
	uint64_t planned_bytes, bytes;
};

struct tp_window_bench {
	struct tp_bench *bench;
	struct tp_team *team;
	bool openmp; /* the threads of the team are those of OpenMP */
	unsigned *team_cpus; /* of the team, heap */
	struct tp_claims claims; /* on the team's CPUs, against other tprofs */
	struct tp_winner *winners;
	size_t n_winners, cap_winners;
	struct tp_window_scan *scans;
	size_t n_scans, cap_scans;
	size_t n_shared, n_troubled; /* points beyond the core's own caches; those not good */
	double started, retried; /* when the first point began; seconds spent on second tries */
};

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
	/* After the last window, or a failure of `prepare`; may be NULL. */
	void (*finish)(void *context, const struct tp_team *team);
	void *context;
	/* After the last window, before events are counted; may be NULL. */
	void (*measured)(void *context);
	/* Events of the option `events`; all zero = none. */
	struct tp_window_counting counting;
};
/*
 * As tp_window_run, for a point whose plan says the working set of a thread in its kernel, and a
 * level, but no ISA. There is no race, no bound, and no simulation.
 */
enum tp_status tp_window_run_code(struct tp_bench *bench, const struct tp_planned *planned,
				  const struct tp_window_code *code, struct tp_point *point,
				  struct tp_diag *diag);

/* The body to measure a point with, and its working set: known from a race before, or raced now. */
enum tp_status tp_window_choose(struct tp_window_bench *bench, const struct tp_planned *planned,
				const struct tp_sampling *sampling, struct tp_candidate *chosen,
				struct tp_diag *diag);

/* How far from the core a point reaches. */
enum tp_reach tp_window_reach_of(const struct tp_planned *planned,
				 const struct tp_machine *machine);

/* Sampling rules of a point, from its config and level. */
void tp_window_sampling(const struct tp_planned *planned, const struct tp_machine *machine,
			struct tp_sampling *sampling);

/* Of every experiment that runs windows. */
extern const struct tp_repeated tp_window_repeated;

#endif
