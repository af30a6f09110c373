/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The gauge of a core, read right beside every window. Dependent additions, one a cycle by
 * construction, show the core frequency. Independent ones, as many a cycle as the core can issue,
 * show whether the core is wholly ours: work on its other hardware thread, such as a neighbour of
 * the virtual machine, takes issue slots away and so shows at once, but not in the clock, context
 * switches or steal time.
 *
 * A reading is many short pieces of both kinds in turn, each timed separately. What interrupts the
 * CPU (a hypervisor may, thousands of times a second) lengthens single pieces; the fast ones count.
 */
#ifndef TPROF_MEASURE_GAUGE_H
#define TPROF_MEASURE_GAUGE_H

#include "kernels/kernel.h"
#include "measure/clock.h"

/* Pieces of each kind; what a piece is made of, unless the clock is coarse (tp_gauge_repeats). */
enum { TP_GAUGE_PIECES = 8, TP_GAUGE_CHAIN_ADDITIONS = 1024, TP_GAUGE_WIDTH_PASSES = 4 };

struct tp_gauge_reading {
	double chain_seconds[TP_GAUGE_PIECES], width_seconds[TP_GAUGE_PIECES];
};

/* What the pieces of a gauge are: needed to judge its readings. */
struct tp_gauge_unit {
	/* additions of a piece; 0 = no such kernel on this architecture */
	double chain_additions, width_additions;
	double step_seconds; /* of the clock */
};

struct tp_gauge {
	const struct tp_clock *clock; /* borrowed */
	struct tp_code chain, width;
	struct tp_gauge_unit unit;
	uint64_t chain_passes, width_passes; /* of a piece */
	double chain_overhead_seconds,
		width_overhead_seconds; /* of a call, besides its additions */
};

/* Without a supported ISA the gauge reads zeros and all is well. */
enum tp_status tp_gauge_init(struct tp_gauge *gauge, const struct tp_clock *clock,
			     const struct tp_cpu *cpu, struct tp_diag *diag);
void tp_gauge_release(struct tp_gauge *gauge);

/* Reads it now, on the calling thread: about 6 us on a fast core. */
void tp_gauge_read(const struct tp_gauge *gauge, struct tp_gauge_reading *reading);

/* By how much two readings of a clock differ at least, if they differ. */
double tp_gauge_step_seconds(const struct tp_clock *clock);

/*
 * How often what takes so long is repeated in a piece: once, or more often if the clock is coarse.
 * Pieces do not get longer than some microseconds, however coarse it is.
 */
unsigned tp_gauge_repeats(double seconds, double step_seconds);

/*
 * The time of an uninterrupted piece, from all pieces of a reading: the mean of those that agree
 * with the fast ones. It is a mean because a coarse clock reads one step too much as often as one
 * too little. 0 = not read.
 */
double tp_gauge_piece_seconds(const double seconds[TP_GAUGE_PIECES], double step_seconds);

/*
 * The throughput of a core that is wholly ours, in additions a cycle, learnt from readings. An
 * undisturbed core repeats it within a few percent, while readings with a neighbour are lower, and
 * odd ones are anywhere. So the width is the largest value around which many readings gather: a
 * few, and a small part of all. Zero-initialise.
 */
enum { TP_CORE_WIDTH_BINS = 360 };

struct tp_core_width {
	double widest; /* 0 = not known yet */
	double blur; /* relative, of a reading: by the steps of the clock */
	unsigned n, counts[TP_CORE_WIDTH_BINS]; /* readings, in all and by 1 % steps */
	double sums[TP_CORE_WIDTH_BINS];
};

void tp_core_width_learn(struct tp_core_width *core, double width);

/*
 * The least that counts as whole: below it, something else took issue slots at that reading. An
 * undisturbed core stays within 2 % of its width; 5 % are allowed, and more if the clock is coarse.
 */
double tp_core_width_least(const struct tp_core_width *core);

/* Two readings around a window, judged: the throughput of the core. */
struct tp_core_seen {
	double ghz; /* mean of before and after; 0 = unknown */
	double width; /* additions a cycle: the narrower of both; 0 = unknown */
	double blur; /* how much the steps of the clock may change that, relative */
	unsigned pauses; /* pieces that something interrupted */
	double watched_seconds; /* in which an interruption was seen */
};

void tp_core_see(const struct tp_gauge_reading *before, const struct tp_gauge_reading *after,
		 const struct tp_gauge_unit *unit, struct tp_core_seen *seen);

/* How often something interrupts a core, learnt from readings. Zero-initialise. */
struct tp_core_pauses {
	double n, watched_seconds;
};

void tp_core_pauses_learn(struct tp_core_pauses *pauses, const struct tp_core_seen *seen);

/* 0 while only a few were seen. */
double tp_core_pauses_per_second(const struct tp_core_pauses *pauses);

#endif
