/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which pictures the points of patterns make. That depends on what varies: two parameters make a
 * heat map, one makes bars, only the size a curve over the working set (windows/report.h), several
 * patterns, schedules or thread counts bars of the best of each.
 */
#ifndef TPROF_EXPERIMENTS_PATTERN_PICTURES_H
#define TPROF_EXPERIMENTS_PATTERN_PICTURES_H

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
 * Draws one for this many cells. False: nothing of it is measured. Sets `left_out` if something
 * does not fit.
 */
bool tp_picture_pattern(struct tp_picture *picture, const struct tp_run *run,
			const struct tp_pattern_view *view, size_t columns, size_t rows);
/* As tp_reporter.pictures. */
struct tp_gallery;
void tp_pattern_pictures(const struct tp_run *run, const struct tp_gallery *gallery);

/* "L2": the level of a thread's working set, by the run's facts about the machine; "" unknown. */
const char *tp_pattern_level(const struct tp_run *run, const struct tp_point *point);

/* NaN where it has none. */
double tp_pattern_value(const struct tp_point *point, enum tp_pattern_metric metric);

/*
 * Whether points of a group make useful curves: at least three sizes, and no more curves than two
 * pictures hold; heat maps show those.
 */
struct tp_group;
bool tp_pattern_makes_curves(const struct tp_run *run, const struct tp_group *group);

/* The value of a parameter of a point; false if it has none with that name. */
bool tp_pattern_parameter_of(const struct tp_point *point, const char *name, int64_t *value);

/* The roof of the level where the working set of a point lies, at the point's intensity. */
struct tp_pattern_roof {
	const char *level;
	unsigned run; /* the run of the preset that measured it */
	double gflops; /* what the roofs allow; 0 for a pattern without FLOP */
	double share; /* of it, or of the bandwidth for a pattern without FLOP; 1 = on the roof */
	bool computes; /* the peak is the lower roof there */
};
/* False if no roof of that level, precision and number of threads was measured. */
bool tp_pattern_roof_of(const struct tp_run *run, const struct tp_point *point,
			struct tp_pattern_roof *roof);
/* "memory-bound at L2: 82 % of its roof"; returns out. */
const char *tp_pattern_roof_words(const struct tp_pattern_roof *roof, char *out, size_t size);

#endif
