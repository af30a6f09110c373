/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Private to src/measure: the two sides of a team. One side produces what the threads of a team
 * read of a window: real threads, or a simulated machine in its own time. The other side, common to
 * both, judges the readings.
 */
#ifndef TPROF_MEASURE_TEAM_PARTS_H
#define TPROF_MEASURE_TEAM_PARTS_H

#include "measure/gauge.h"
#include "measure/team.h"

/* What one thread saw of a window. */
struct tp_window_reading {
	uint64_t begin, end; /* ticks of the team's clock */
	uint64_t slices; /* that the thread streamed */
	struct tp_gauge_reading before, after; /* right around the window */
	/* involuntary context switches, minor and major page faults since before the first gauge */
	long switches, faults;
	bool migrated;
};

/* The source of the readings. */
struct tp_team_kind {
	void (*free)(struct tp_team *team);
	enum tp_status (*check)(struct tp_team *team, struct tp_diag *diag); /* may be NULL */
	/*
	 * Buffers that may grow to `most_bytes`. Earlier ones may stay if large enough: sets
	 * touched_bytes then. On failure there are none.
	 */
	enum tp_status (*reserve)(struct tp_team *team, size_t most_bytes, enum tp_pages pages,
				  struct tp_diag *diag);
	/* As tp_team_inherit; NULL = nothing is handed on. */
	void (*inherit)(struct tp_team *team, struct tp_team *from);
	/* Every thread touches its buffer, from where it ends up to `bytes`. */
	enum tp_status (*touch)(struct tp_team *team, size_t bytes, struct tp_diag *diag);
	char *(*data)(const struct tp_team *team, unsigned thread); /* NULL: it has none */
	const char *(*pages)(const struct tp_team *team);
	enum tp_status (*contents)(struct tp_team *team, unsigned chasers,
				   const struct tp_chase *chase, struct tp_diag *diag);
	void *(*cell)(struct tp_team *team, unsigned thread); /* NULL: it has none */
	bool (*evicts)(const struct tp_team *team);
	/* Code for a kernel; a machine that is simulated only checks that it could be made. */
	enum tp_status (*emit)(const struct tp_kernel *kernel, const struct tp_cpu *cpu,
			       struct tp_code *code, struct tp_diag *diag);
	/* Fills team->readings. */
	void (*window)(struct tp_team *team, const struct tp_window_work *work);
	/* As tp_team_now and tp_team_rest. */
	double (*now)(const struct tp_team *team);
	void (*rest)(struct tp_team *team, double seconds);
};

struct tp_team {
	const struct tp_team_kind *kind;
	const struct tp_clock *clock;
	unsigned n;
	double chain_additions, width_additions; /* of a piece of its gauges */
	struct tp_core_width *widths; /* of each thread's core */
	struct tp_core_pauses *pauses; /* the same */
	struct tp_window_reading *readings; /* of each thread, of the last window */
	size_t reserved_bytes, touched_bytes; /* of each thread's buffer */
	enum tp_pages pages;
	/*
	 * Walks through large working sets: the next one goes on where the last one ended, and the
	 * memory it reaches has not been used for long. `settled_bytes`: how far the current walk
	 * has come since something else used the memory.
	 */
	struct {
		size_t at, bytes, settled_bytes;
		bool stores;
	} walk;
};

/* Room for what is common. The kind's `free` ends with tp_team_parts_release. */
void tp_team_parts_init(struct tp_team *team, const struct tp_team_kind *kind,
			const struct tp_clock *clock, unsigned n);
void tp_team_parts_release(struct tp_team *team);

/* --- threads of OpenMP (openmp.c) --- */

/*
 * Calls each(context, i) on n threads of OpenMP, thread i on the i-th, in one parallel region.
 * Returns the number of threads: fewer than n if OpenMP has no more; 0, and nothing is called, in a
 * program built without OpenMP.
 */
unsigned tp_openmp_each(unsigned n, void (*each)(void *context, unsigned i), void *context);

#endif
