/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scenes of a run, in memory that lives as long as the picture: for the report's text and SVG, and for the screens. */
#ifndef TPROF_REPORT_PICTURES_H
#define TPROF_REPORT_PICTURES_H

#include "base/arena.h"
#include "report/page.h"
#include "ui/plot/plot.h"

enum { TP_PICTURE_SERIES = 48, TP_PICTURE_MARKS = 16 };

/*
 * What a series was drawn from, so that a cursor on it can say more than x and y. Points into the run (and the picture's arena). All empty
 * for what was not measured: theory, lines of the legend.
 */
struct tp_origin {
	size_t run; /* number of the run, where several lie on each other */
	const struct tp_roof *roof; /* a roof, */
	double peak_gflops; /* and, of a bandwidth, the peak that ends it; 0 = none */
	const struct tp_point *const *points; /* or as many points as the series has, */
	const struct tp_dot *const *dots; /* or dots */
};

/* A scene with room for its parts. Zero-initialise; release the arena. */
struct tp_picture {
	struct tp_scene scene;
	struct tp_series series[TP_PICTURE_SERIES];
	struct tp_origin origins[TP_PICTURE_SERIES]; /* of each series */
	struct tp_plot_mark marks[TP_PICTURE_MARKS];
	size_t n_series, n_marks;
	struct tp_arena arena; /* labels, coordinates */
	/* Wishes for a roofline that still grows; 0 = none: intensities to reach, and the peak that roofs end at before one was measured. */
	double ai_low, ai_high, peak_gflops;
};

/* Text in the picture's arena; "" when out of memory. */
const char *tp_picture_text(struct tp_picture *picture, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The next series, with room for n coordinates in x, y; NULL when there is no room or no memory. */
struct tp_series *tp_picture_series(struct tp_picture *picture, size_t n, double **x, double **y);
/* Where a series of the picture says what it was drawn from. */
struct tp_origin *tp_picture_origin(struct tp_picture *picture, const struct tp_series *series);
void tp_picture_mark(struct tp_picture *picture, double x, double y, bool at_point,
		     const char *label);

/*
 * The roofline of a run of the preset and a precision: the most threads, the widest ISA with all its roofs, of the other ISAs their
 * outline as far as there is room (`columns` x `rows`), theory dashed, ridges marked, dots. False if there is nothing to draw.
 */
bool tp_picture_roofline(struct tp_picture *picture, const struct tp_run *run, unsigned index,
			 const char *precision, size_t columns, size_t rows);

/*
 * Memory curves number from, from + 1, ... of a group (at most 6 of them), with the reported capacities as marks.
 * False if there are none any more.
 */
bool tp_picture_curves(struct tp_picture *picture, const struct tp_run *run,
		       const struct tp_group *group, size_t from);
/* True if there is such a picture; makes none. */
bool tp_picture_has_curves(const struct tp_run *run, const struct tp_group *group, size_t from);
enum { TP_PICTURE_CURVES = 6 };
/* "Memory curve"; NULL for experiments that leave no curves. */
const char *tp_picture_curve_title(const char *experiment);
/* Marks the capacities a thread gets, where they lie between `least` and `most` bytes. */
void tp_picture_caches(struct tp_picture *picture, const struct tp_run *run, unsigned threads,
		       double least, double most);

/* The plateaus of the curve that a point belongs to, each as a level line with its name, and their measured capacities as marks. */
void tp_picture_plateaus(struct tp_picture *picture, const struct tp_run *run,
			 const struct tp_point *like);
/* True if the plateau is one of the curve that the point belongs to. */
bool tp_plateau_is_of(const struct tp_plateau *plateau, const struct tp_point *point);

/* Every picture of a run, in the order of its report: rooflines by run of the preset and precision, then curves by group. */
typedef void tp_hang_roofline(void *context, const struct tp_run *run, unsigned index,
			      const char *precision);
typedef void tp_hang_curves(void *context, const struct tp_run *run, const struct tp_group *group);
void tp_picture_each(const struct tp_run *run, void *context, tp_hang_roofline *roofline,
		     tp_hang_curves *curves);

#endif
