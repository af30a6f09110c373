/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bench that planned points are run on: clock, team, buffers, and the body variants that won their races, kept from point
 * to point.
 */
#ifndef TPROF_EXPERIMENT_BENCH_H
#define TPROF_EXPERIMENT_BENCH_H

#include "experiment/experiment.h"
#include "measure/claim.h"
#include "measure/gauge.h"
#include "measure/sampler.h"

struct tp_winner {
	struct tp_kernel kernel; /* as raced */
	enum tp_level_class level;
	size_t placement_bytes;
	bool best_ratio;
};

struct tp_bench {
	const struct tp_machine *machine;
	const struct tp_cpu *cpu;
	struct tp_clock clock;
	struct tp_team *team;
	unsigned *team_cpus; /* of the team, heap */
	struct tp_claims claims; /* on the team's CPUs, against other tprofs */
	struct tp_winner *winners;
	size_t n_winners, cap_winners;
	const struct tp_watch *watch;
	unsigned invocation;
	struct tp_core_width core_width; /* of the core that a search of one CPU ran on last */
	unsigned core_width_cpu; /* that CPU: cores of one machine may differ */
	bool frugal; /* every point gets a buffer of its own size instead of the largest of its neighbours */
	struct tp_count_bench
		*counters; /* of the experiment counters, see count_bench.h; NULL = none yet */
	double started, retried; /* when the bench was set up; seconds spent on second tries */
};

enum tp_status tp_bench_init(struct tp_bench *bench, const struct tp_machine *machine,
			     const struct tp_cpu *cpu, double known_hz,
			     const struct tp_watch *watch, struct tp_diag *diag);
void tp_bench_release(struct tp_bench *bench);
/* Lets the team and its buffers go: what follows measures in other processes, which want memory and CPUs. */
void tp_bench_rest(struct tp_bench *bench);

/* Runs one planned point: team, buffers, race (unless already decided), windows, bound. Fills `point`. */
enum tp_status tp_bench_run(struct tp_bench *bench, const struct tp_planned *planned,
			    struct tp_point *point, struct tp_diag *diag);

/* Sampling rules of a point, from its config and level. */
void tp_bench_sampling(const struct tp_planned *planned, const struct tp_machine *machine,
		       struct tp_sampling *sampling);

/* Theoretical roof of a point for the whole team at `ghz`, headline unit; 0 = the model does not say. */
double tp_bench_bound(const struct tp_machine *machine, const struct tp_planned *planned,
		      const struct tp_point *point, double ghz);

/* Sets the bound of a measured point, and the flag over-bound by its median. */
void tp_bench_judge(const struct tp_machine *machine, const struct tp_planned *planned,
		    struct tp_point *point);

#endif
