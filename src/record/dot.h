/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dots: kernels that move data and compute, against their roofs. A table of results. */
#ifndef TPROF_RECORD_DOT_H
#define TPROF_RECORD_DOT_H

#include "record/run.h"

struct tp_dot {
	unsigned run, point;
	char isa[16], precision[8], level[8], fp_op[48];
	unsigned threads;
	double ai_flop_per_byte, gflops, roof_gflops;
	double distance_percent; /* 100 x (gflops / roof - 1): negative below the roof */
	/* A closer limit below that roof, "scalar FP", and its speed; or "" and 0. Pictures show
	 * it; files have it from the experiment's own rows. */
	char limit[24];
	double limit_gflops;
};

/*
 * Dots of other experiments stand below the same roofs; their fp_op is a word of theirs, such as
 * the format of a matrix or the name of a pattern. This one is a mixed kernel.
 */
bool tp_dot_is_mixed(const struct tp_run *run, const struct tp_dot *dot);

/* Above its roof by more than noise: one of both was measured wrong. */
bool tp_dot_is_odd(const struct tp_dot *dot);

extern const struct tp_part tp_dot_part;

/* Adds the dot of a point whose row begins with a kernel's. It has no roof yet; `fp_op` is cut. */
struct tp_dot *tp_dot_add(struct tp_run *run, const struct tp_point *point, const char *fp_op);
/* Its roof, and how far the dot is below it. */
void tp_dot_set_roof(struct tp_dot *dot, double roof_gflops);

/* Why a dot lies far below its roof, as far as known; "" if it does not. Returns out. */
const char *tp_dot_reason(const struct tp_run *run, const struct tp_dot *dot, char *out,
			  size_t size);

#define tp_run_dots(run)   TP_ROWS(run, tp_dot_part, tp_dot)
#define tp_run_n_dots(run) TP_N(run, tp_dot_part)

#endif
