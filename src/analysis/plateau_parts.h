/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Private to src/analysis: what the steps that find plateaus share. plateau_fit.c cuts a curve into
 * segments, plateau.c makes levels of them, plateau_way.c looks at the ways between levels.
 */
#ifndef TPROF_ANALYSIS_PLATEAU_PARTS_H
#define TPROF_ANALYSIS_PLATEAU_PARTS_H

#include "analysis/plateau.h"

struct tp_plateau_fit {
	double cost; /* best cost of the points up to here */
	size_t from; /* first point of the last segment */
};

struct tp_plateau_curve {
	const struct tp_curve_point *points;
	size_t n;
	double *x, *y; /* log2(size_bytes), log(rate) */
	double *noise; /* standard deviation of each y */
	double *scratch; /* 2 n numbers */
	struct tp_plateau_fit *fits; /* [n + 1], index = number of points covered */
	double min_fall; /* in y */
	double min_octaves;
	size_t min_points;
};

struct tp_segment {
	size_t first, last;
	double y; /* median */
	double doubt; /* standard error of y */
};

/*
 * What each pass over a working set pays beside the bytes it moves, in units of size / rate; 0 if
 * the start of the curve does not show it.
 */
double tp_plateau_start(const struct tp_curve_point *points, size_t n);
/* Fills noise and fits of a curve whose x and y are there. */
void tp_plateau_noise(struct tp_plateau_curve *c);
void tp_plateau_cut(struct tp_plateau_curve *c);

/* The octaves that points first..last cover: their span and half a step on either side. */
double tp_plateau_octaves(const struct tp_plateau_curve *c, size_t first, size_t last);
bool tp_plateau_long_enough(const struct tp_plateau_curve *c, size_t first, size_t last);
/* Cost of a point that lies so far off, in units of its noise variance; limited. */
double tp_plateau_point_cost(const struct tp_plateau_curve *c, size_t point, double residual);
/* What a slope of that many octaves costs beyond one of the usual length. */
double tp_plateau_long_slope(double octaves);

/* True if level `s` is nothing but a part of the way between `a` and `b`, which noise flattened. */
bool tp_plateau_is_step(const struct tp_plateau_curve *c, const struct tp_segment *a,
			const struct tp_segment *s, const struct tp_segment *b);
/* The same of the last level: the way from `a` may go on to the end of the curve. */
bool tp_plateau_is_end(const struct tp_plateau_curve *c, const struct tp_segment *a,
		       const struct tp_segment *s);
/* The way from level `a` to level `b`: fills the sizes of `level`, which is a. */
void tp_plateau_way(const struct tp_plateau_curve *c, const struct tp_segment *a,
		    const struct tp_segment *b, struct tp_level *level);
/* The same of the last level, if the curve leaves it and finds no other. */
void tp_plateau_open_way(const struct tp_plateau_curve *c, const struct tp_segment *a,
			 struct tp_level *level);

#endif
