/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bench that planned points are run on: machine, clock, watcher, and what each experiment keeps
 * from point to point.
 */
#ifndef TPROF_EXPERIMENTS_BENCH_H
#define TPROF_EXPERIMENTS_BENCH_H

#include "experiments/experiment.h"
#include "measure/clock.h"
#include "measure/simulation.h"
#include "measure/team.h"

/* What an experiment, or several together, keep on the bench: zeroed when it is first asked for. */
struct tp_bench_kind {
	size_t bytes;
	void (*release)(void *own);
	/* Releases memory and CPUs: the next points measure in other processes; NULL = nothing. */
	void (*rest)(void *own);
	/*
	 * Called before a point is measured, or with NULL after the last: ends what would disturb
	 * it. Hook NULL = nothing would.
	 */
	void (*before)(void *own, const struct tp_planned *planned);
};

struct tp_bench {
	const struct tp_machine *machine;
	const struct tp_cpu *cpu;
	struct tp_clock clock;
	const struct tp_watch *watch;
	struct tp_simulation *simulation; /* measures there, in its time; NULL = really; borrowed */
	/* working threads, whose cores are shown to the watcher; NULL = none; borrowed */
	const struct tp_team *team;
	const unsigned *team_cpus; /* of its threads */
	unsigned invocation;
	/* a program of the user has the streams of tprof: base/file.h */
	bool streams;
	/* without them: where the program's output goes; NULL = nowhere; borrowed */
	struct tp_output *printed;
	/* set by experiments: Ctrl-C reached a program that had the terminal; nothing more runs */
	bool interrupted;
	bool frugal; /* every point gets a buffer of its exact size, not its largest neighbour's */
	struct {
		const struct tp_bench_kind *kind;
		void *own;
	} * kept;
	size_t n_kept, cap_kept;
};

enum tp_status tp_bench_init(struct tp_bench *bench, const struct tp_machine *machine,
			     const struct tp_cpu *cpu, double known_hz,
			     const struct tp_watch *watch, struct tp_diag *diag);
/*
 * A bench on a simulated machine, which may be a foreign one. `simulation` is borrowed; its machine
 * and the CPU of that are the bench's.
 */
void tp_bench_simulate(struct tp_bench *bench, struct tp_simulation *simulation,
		       const struct tp_watch *watch);
/* Seconds since some moment, in the time of the machine that is measured. */
double tp_bench_now(const struct tp_bench *bench);
void tp_bench_release(struct tp_bench *bench);
/* What is kept of that kind, made if it is new. */
void *tp_bench_own(struct tp_bench *bench, const struct tp_bench_kind *kind);
/* The state, diagnosis and time of a point that has ended so. */
void tp_bench_end_point(struct tp_point *point, enum tp_status status, const struct tp_diag *diag,
			double seconds);
/* Before each point; NULL after the last, where the bench is not released. */
void tp_bench_begin_point(struct tp_bench *bench, const struct tp_planned *planned);
/* Everything kept releases memory and CPUs. */
void tp_bench_rest(struct tp_bench *bench);

#endif
