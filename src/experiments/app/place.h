/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The roofs for a region, its place below them, and what would move it. */
#ifndef TPROF_EXPERIMENTS_APP_PLACE_H
#define TPROF_EXPERIMENTS_APP_PLACE_H

#include "base/str.h"
#include "experiments/app/row.h"

/* The roofs of one team, for one precision. */
struct tp_app_roofs {
	unsigned threads; /* 0 = none were measured */
	double gbps[TP_APP_ROOF_LEVELS]; /* L1, L2, L3, DRAM; 0 = not measured */
	double peak_gflops; /* of fused multiply-adds in the widest vectors; 0 = not measured */
	unsigned vector_bits; /* of these; 0 = unknown */
	/* Widths of their intervals, halved, as a part of them. */
	double gbps_part[TP_APP_ROOF_LEVELS], peak_part;
	double clock_ghz; /* of the cores when they were measured; 0 = unknown */
	bool poor[TP_APP_ROOF_LEVELS], poor_peak; /* of poor quality */
	/* Of the largest team that was measured: what more threads could get. */
	unsigned most_threads;
	double most_gbps, most_peak_gflops; /* DRAM */
};

extern const char *const tp_app_level_names[TP_APP_ROOF_LEVELS];

/* Sets everything that follows from counts, time and roofs: rates, bound, roof, distance. */
void tp_app_place(struct tp_app_region_row *row, const struct tp_app_roofs *roofs);

/* The nearest cache that gives as many bytes a second as the row takes; -1 = no roofs. */
int tp_app_level(const struct tp_app_region_row *row, const struct tp_app_roofs *roofs);

/* The units, not its roof, limit it: explained_percent is its share of what they allow. */
bool tp_app_is_at_units(const struct tp_app_region_row *row);
/* "scalar FP": the widest instructions that do most of its FLOPs. */
const char *tp_app_units(const struct tp_app_region_row *row);

/* From this share of the roof on it limits; further below, something else does. */
#define TP_APP_LIMITS_PERCENT 30.0
/* From which share of the time on that what is not a roof takes, it limits. */
#define TP_APP_TAKES_PERCENT 50.0

/*
 * "memory-bound: under the DRAM roof, at 62 % of it; 0.17 FLOP/byte". No full stop at the end. A
 * roof is named only if it can limit: where the program waits, or the kernel works, or few of its
 * instructions compute in floating point, the sentence is about that.
 */
void tp_app_sentence(const struct tp_app_region_row *row, struct tp_str *out);

enum tp_app_move {
	TP_APP_MOVE_AGAIN, /* measure again, before anything is changed */
	TP_APP_MOVE_VECTORISE,
	TP_APP_MOVE_WIDEN, /* wider vectors */
	TP_APP_MOVE_FMA,
	TP_APP_MOVE_BLOCK, /* so that a nearer cache serves */
	TP_APP_MOVE_INTENSITY, /* more FLOPs for each byte */
	TP_APP_MOVE_THREADS,
	TP_APP_MOVE_LATENCY, /* no roof limits: chains, branches, waiting */
	TP_APP_MOVE_ELSEWHERE, /* its time goes where roofs say nothing */
};

enum { TP_APP_MOVES_MAX = 6 };

struct tp_app_advice {
	enum tp_app_move move;
	char text[240]; /* sentences with the numbers that they rest on */
	/* Where the dot would be; gflops 0: nothing was measured that says so. */
	double ai_flop_per_byte, gflops;
	char assumes[64]; /* "vectorised: at the DRAM roof" */
};

/* What would move it, what helps most first; 0 for a row without FLOPs or time. */
size_t tp_app_advise(const struct tp_app_region_row *row, const struct tp_app_roofs *roofs,
		     struct tp_app_advice advice[TP_APP_MOVES_MAX]);

/*
 * How far to trust the row: sets trust and reasons. `point_failed`: the program was ended by a
 * signal; `exit_status`: its own.
 */
void tp_app_judge(struct tp_app_region_row *row, const struct tp_app_roofs *roofs, unsigned signal);

/* The roofs of a run for a region. */

/*
 * The team whose roofs the region belongs under, once all that are needed are measured: of as many
 * threads as the point was told to use, else the smallest that is not smaller than the threads that
 * work, else the largest. A single thread belongs under the roofs of one. 0 = no roofs.
 */
unsigned tp_app_team(const struct tp_run *run, const struct tp_app_region_row *row);

/* The roofs for the region's team and precision. Until they are measured, .threads is 0. */
void tp_app_find_roofs(const struct tp_run *run, const struct tp_app_region_row *row,
		       struct tp_app_roofs *roofs);

/*
 * Sentences on roofs that another run gave: which run, when, and how to have new ones; and on
 * thread counts without roofs, since nothing ran on as many. False and nothing if this run measured
 * all of them.
 */
bool tp_app_roofs_text(const struct tp_run *run, struct tp_str *out);

#endif
