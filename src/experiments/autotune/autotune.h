/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The experiment autotune: a point is a search for the fastest configuration of a routine. The
 * plan, the space that is searched (space.c) and how it is run (run.c) share this.
 */
#ifndef TPROF_EXPERIMENTS_AUTOTUNE_AUTOTUNE_H
#define TPROF_EXPERIMENTS_AUTOTUNE_AUTOTUNE_H

#include "experiments/autotune/tuning.h"
#include "experiments/experiment.h"
#include "measure/simulation.h"
#include "routines/routine.h"

/* The sizes of one dimension; none where the routine does not have it. */
struct tp_axis {
	const uint64_t *of;
	size_t n;
};

/* One search: the row of a planned point. */
struct tp_autotune {
	enum tp_routine_id routine;
	enum tp_level_class level; /* CLASS_FP: a matrix product */
	const char
		*library; /* what the user named, borrowed from the config; "" = the first found */
	struct tp_technique technique;
	unsigned packages; /* that the threads are spread over */
	/*
	 * n configurations, every combination of n, m and k; the last axis turns fastest. They are
	 * never listed: tp_autotune_config() computes one.
	 */
	struct tp_axis axes[TP_ROUTINE_DIMENSIONS];
	bool square; /* m is n */
	size_t *order; /* order of trying; NULL = as stored */
	size_t n;
	size_t n_so_far; /* with the configurations of all searches before it in the plan */
};
static inline struct tp_autotune *tp_autotune_of(const struct tp_planned *planned)
{
	return planned->row;
}

/*
 * The configurations of a search by the options of its config, in the plan's arena. Of a matrix
 * product those of autotune.space, or of the lists given; of TRIAD several sizes whose three arrays
 * together lie inside the level, or autotune.elements as far as they do. There may be none: such a
 * search fails when it runs. TP_RESOURCE: there are more than `room` (n has their number), so
 * nothing was made.
 */
enum tp_status tp_autotune_space(struct tp_autotune *search, const struct tp_machine *machine,
				 const struct tp_config *config, enum tp_level_class level,
				 unsigned threads, size_t room, struct tp_arena *arena);
/* The text of a dry run: "96 configurations: n 256-512, m 256-512, k 128-512". */
void tp_autotune_describe(const struct tp_planned *planned, struct tp_str *out);
/* Without cpus and library: the text of the sizes only. */
struct tp_routine_config tp_autotune_config(const struct tp_autotune *search, size_t index);

/*
 * What a core does in a cycle with the best ISA of its model, which *isa gets (may be NULL): FLOP
 * of FMA for a product, bytes of TRIAD in L1. 0 = no model.
 */
double tp_autotune_per_cycle(const struct tp_machine *machine, enum tp_routine_id id,
			     const char **isa);
/*
 * Highest rate that the model allows `threads` cores at `ghz`: GFLOP/s of FMA for a product; GB/s
 * of the ports for TRIAD in L1, of the memory channels in DRAM. 0 = not in the model.
 */
double tp_autotune_bound(const struct tp_autotune *search, const struct tp_machine *machine,
			 enum tp_level_class level, unsigned threads, double ghz);
/* Seconds that the search may take, to a factor of two. */
double tp_autotune_estimate(const struct tp_autotune *search, const struct tp_machine *machine,
			    const struct tp_config *config, enum tp_level_class level,
			    unsigned threads);

/*
 * "openblas" of libopenblas.so.0, of openblas, or of a path; by its title ("OpenBLAS 0.3.21") if
 * there is one. Returns out.
 */
const char *tp_autotune_library_name(const char *path, const char *title, char *out, size_t size);

/* --- a simulated machine --- */

/* A call of a routine there. */
struct tp_made_up {
	struct tp_kernel kernel; /* that takes its time, on each thread */
	double passes; /* of it */
	double call_seconds; /* when nothing disturbs */
};
void tp_made_up_make(const struct tp_simulation *simulation, const struct tp_routine_config *config,
		     struct tp_made_up *made);
/* By which factor a process is slower than that, as a whole. */
double tp_made_up_slower(uint64_t seed, const struct tp_routine_config *config,
			 unsigned invocation);
/* One reading: seconds of a call, and additions a cycle of the narrowest core around it. */
void tp_made_up_run(struct tp_team *team, const struct tp_made_up *made, double slower,
		    double *seconds, double *width);

/* --- running --- */

/* That one configuration may take; UINT64_MAX: of a machine that is only planned for. */
uint64_t tp_autotune_memory_limit_bytes(const struct tp_machine *machine);
/*
 * The planned searches. Similar ones form a study: they take turns, so that changes of the machine
 * affect all of them. One ends when its point is run.
 */
enum tp_status tp_autotune_prepare(struct tp_bench *bench, const struct tp_planned *const *planned,
				   size_t n, struct tp_diag *diag);
enum tp_status tp_autotune_run(struct tp_bench *bench, const struct tp_planned *planned,
			       struct tp_point *point, struct tp_diag *diag);
/*
 * Rebuilds run->study from points and trials: one row for each point of the experiment autotune
 * that has a winner. Its baseline is the point of the same run, routine, library, scope and level
 * with the technique default. Pure: reads and writes nothing but the run.
 */
void tp_study_make(struct tp_run *run);

#endif
