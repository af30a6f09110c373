/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Axes: their ends, their ticks, and the places of values on them. */
#ifndef TPROF_PLOT_SCALE_H
#define TPROF_PLOT_SCALE_H

#include <stdbool.h>
#include <stddef.h>

enum tp_scale_kind { TP_SCALE_LINEAR, TP_SCALE_LOG10, TP_SCALE_LOG2 };
/*
 * Tick labels: 1k, 10, 0.1; or 32K, 1M; or names at 0, 1, ... of a linear axis (tp_names); or plain
 * numbers with ticks only at whole numbers: threads, sizes of tiles.
 */
enum tp_scale_unit { TP_UNIT_PLAIN, TP_UNIT_BYTES, TP_UNIT_NAMES, TP_UNIT_WHOLE };

struct tp_scale {
	enum tp_scale_kind kind;
	enum tp_scale_unit unit;
	double min, max; /* both 0: fitted to the series and marks, widened to nice ends */
	const char *label; /* "GFLOP/s" */
};

/* Borrowed. */
struct tp_names {
	const char *const *items;
	size_t n;
};

/* WHOLE if all values that are numbers are whole, else PLAIN. */
enum tp_scale_unit tp_scale_unit_of(const double *values, size_t n);

struct tp_scene;
/*
 * The scene's scales with ends. Ends that can be used stay (min < max, positive on a log scale).
 * Others are fitted to all points, error bars and marks that have a place on both axes, and
 * widened: log10 to 1, 1.5, 2, 3, 5 or 7 of a decade, y with some headroom; LOG2 and bytes to
 * powers of two; linear to whole steps. A scene without a point gets a default scale.
 */
void tp_scale_fit(const struct tp_scene *scene, struct tp_scale *x, struct tp_scale *y);

/* 0..1 along the axis; outside if the value lies beyond an end, NaN if it has no place. */
double tp_scale_place(const struct tp_scale *scale, double value);
/* The value at a place of the axis: the inverse of tp_scale_place. */
double tp_scale_value(const struct tp_scale *scale, double place);

enum { TP_TICK_BYTES = 128 };
struct tp_tick {
	double value;
	char label[TP_TICK_BYTES]; /* empty = minor tick; names are cut */
};

/*
 * Ticks of a fitted scale, in rising order: decades with 2..9 as minors, powers of two for LOG2 and
 * for bytes, 1-2-5 steps for linear. Labels lie at least `min_gap` of `cells` cells apart, thinned
 * evenly. With fewer than three decades in sight, 2 and 5 are labelled as well; with fewer than two
 * labels, the ticks are linear steps. Minors that are too dense are left out. Returns the count (at
 * most max).
 */
size_t tp_scale_ticks(const struct tp_scale *scale, size_t cells, size_t min_gap,
		      struct tp_tick *ticks, size_t max);
/* The same for names: as many as have room, evenly. */
size_t tp_scale_names(const struct tp_scale *scale, const struct tp_names *names, size_t cells,
		      size_t min_gap, struct tp_tick *ticks, size_t max);

/* --- private to the room --- */

#endif
