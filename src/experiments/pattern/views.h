/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which pictures the points of patterns make. What varies decides: two parameters make a heat map,
 * one makes bars, the size alone a curve over the working set (windows/curve_pictures.h), several
 * patterns, schedules or thread counts bars of the best of each.
 */
#ifndef TPROF_EXPERIMENTS_PATTERN_VIEWS_H
#define TPROF_EXPERIMENTS_PATTERN_VIEWS_H

#include "experiments/pattern/row.h"
#include "record/run.h"
#include "report/pictures.h"

enum tp_pattern_metric { TP_PATTERN_GBPS, TP_PATTERN_GFLOPS, TP_PATTERN_NS, TP_PATTERN_METRICS };
enum tp_pattern_shape { TP_PATTERN_HEAT, TP_PATTERN_BARS, TP_PATTERN_COMPARED };

/* A picture, by the first point that belongs to it. */
struct tp_pattern_view {
	enum tp_pattern_shape shape;
	enum tp_pattern_metric metric;
	size_t first;
};

enum { TP_PATTERN_VIEWS_MAX = 32 };
/* In the order of the points, comparisons last. Planned points count as well. */
size_t tp_pattern_views(const struct tp_run *run,
			struct tp_pattern_view views[TP_PATTERN_VIEWS_MAX]);
/*
 * Draws one for so many cells. False: nothing of it is measured. Sets `left_out` where not all has
 * room.
 */
bool tp_picture_pattern(struct tp_picture *picture, const struct tp_run *run,
			const struct tp_pattern_view *view, size_t columns, size_t rows);
/* As tp_reporter.pictures. */
struct tp_gallery;
bool tp_pattern_pictures(const struct tp_run *run, const struct tp_gallery *gallery);

/* "L2": where the working set of a thread lies, by what the run says of the machine; "" unknown. */
const char *tp_pattern_level(const struct tp_run *run, const struct tp_point *point);
const char *tp_pattern_unit(enum tp_pattern_metric metric);
/* NaN where it has none. */
double tp_pattern_value(const struct tp_point *point, enum tp_pattern_metric metric);

/*
 * Whether points of a group make curves that tell something: three sizes and more, and not more
 * curves than two pictures hold; heat maps show those.
 */
struct tp_group;
bool tp_pattern_makes_curves(const struct tp_run *run, const struct tp_group *group);

/* --- for pictures.c: what varies --- */

enum { TP_PATTERN_DIMENSIONS = 16, TP_PATTERN_AXIS_MAX = 64 };

struct tp_pattern_dimension {
	char name[32];
	int64_t values[TP_PATTERN_AXIS_MAX]; /* each once, rising */
	size_t n;
};

/*
 * Points of one pattern with the same schedule of threads and the same team, in one run of the
 * preset.
 */
struct tp_pattern_family {
	size_t first;
	struct tp_pattern_dimension dimensions[TP_PATTERN_DIMENSIONS];
	size_t n_dimensions;
	size_t n_points;
	bool same_bytes; /* an element of any point moves as many bytes */
};
/* Fills the family of a point. */
void tp_pattern_family_of(const struct tp_run *run, size_t first, struct tp_pattern_family *family);
bool tp_pattern_is_of(const struct tp_run *run, size_t point, const struct tp_pattern_family *of);
/* The value of a parameter of a point; false if it has none of that name. */
bool tp_pattern_parameter_of(const struct tp_point *point, const char *name, int64_t *value);
/* The first point of each family in order; returns how many (at most max). */
size_t tp_pattern_families(const struct tp_run *run, size_t *firsts, size_t max);
/* The dimensions on the axes of a family's heat map or bars; -1: none. */
struct tp_pattern_axes {
	int x, y; /* y -1: bars over x */
	int slice; /* the size, where each value has a picture of its own */
	bool is_curve; /* the size alone varies, and often enough for a curve */
};
struct tp_pattern_axes tp_pattern_axes_of(const struct tp_pattern_family *family);

#endif
