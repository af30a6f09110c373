/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Scenes of a run, in memory that lives as long as the picture: for the report's text and SVG, and
 * for the screens.
 */
#ifndef TPROF_REPORT_PICTURES_H
#define TPROF_REPORT_PICTURES_H

#include "base/memory.h"
#include "record/roof.h"
#include "report/page.h"
#include "plot/plot.h"

enum { TP_PICTURE_SERIES = 48, TP_PICTURE_MARKS = 16, TP_PICTURE_CURVES = 6 };

/* What a cursor can read of a series: nothing, its points, or any place of a line. */
enum tp_reads { TP_READS_NOTHING, TP_READS_POINTS, TP_READS_LINE };

/*
 * What a series was drawn from, so that a cursor on it can say more than x and y. Points into the
 * run (and the picture's arena). All empty for series that were not measured: theory, lines of the
 * legend.
 */
struct tp_origin {
	enum tp_reads reads;
	double slope, limit; /* of a line: y = min(limit, slope x) */
	size_t run; /* number of the run, where several lie on each other */
	const struct tp_roof *roof; /* a roof, */
	double peak_gflops; /* and, of a bandwidth, the peak that ends it; 0 = none */
	const struct tp_point *const *points; /* or as many points as the series has, */
	const struct tp_part *part; /* or as many rows of results */
	const void *const *rows;
	const char *words; /* or a remark, if it was not measured here */
	/*
	 * Texts of the points in place of their values, one for each: "cpus 0.98 CPUs". A page
	 * shows them under the pointer.
	 */
	const char *const *said;
	const struct tp_drop *drops; /* of dots, as many as the series has; NULL = no roofs */
};

/* The roof that limits a dot, at its intensity, and the label of the dot. */
struct tp_drop {
	double y; /* 0 = no roof limits it */
	const char *label; /* "spmv_csr, 2.4x below L2" */
};

/* A scene with room for its parts. Zero-initialise; release the arena. */
struct tp_picture {
	struct tp_scene scene;
	struct tp_series series[TP_PICTURE_SERIES];
	struct tp_origin origins[TP_PICTURE_SERIES]; /* of each series */
	struct tp_plot_mark marks[TP_PICTURE_MARKS];
	size_t n_series, n_marks;
	bool tall; /* needs more height than a curve */
	bool wide; /* its text needs the whole width: narrow pages scroll it */
	struct tp_arena arena; /* labels, coordinates */
	/*
	 * Requests for a roofline that still grows; 0 = none: intensities to reach, and the peak
	 * that roofs end at before one was measured.
	 */
	double ai_low, ai_high, peak_gflops;
	unsigned threads; /* a roofline of this many threads; 0 = of the most */
	const char *left_out; /* what was measured, but is not drawn; NULL = nothing */
};

/* On the heap, zeroed. */
struct tp_picture *tp_picture_new(void);
void tp_picture_free(struct tp_picture *picture); /* may be NULL */

/*
 * The scene to draw. If the run was simulated, the title shows it; it is then in `title`. `run` may
 * be NULL: the picture shows several runs.
 */
enum { TP_PICTURE_TITLE_BYTES = 256 };
struct tp_scene tp_picture_scene(const struct tp_picture *picture, const struct tp_run *run,
				 char title[TP_PICTURE_TITLE_BYTES]);
/* px: `usual`, or more where bars need it for their names. */
unsigned tp_picture_height(const struct tp_picture *picture, unsigned usual);
/* Text in the picture's arena. */
const char *tp_picture_text(struct tp_picture *picture, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* "2 threads" */
const char *tp_picture_threads(struct tp_picture *picture, unsigned threads);
/* The next series, with room for n coordinates in x, y; NULL when there is no room. */
struct tp_series *tp_picture_series(struct tp_picture *picture, size_t n, double **x, double **y);
/* Coordinates of the points of a curve, and the ends of their intervals. */
struct tp_curve {
	double *x, *y, *low, *high;
};
/*
 * The next series as a curve through points, with the role and the glyph of its number; the caller
 * fills `curve`. NULL without points or room.
 */
struct tp_series *tp_picture_curve(struct tp_picture *picture, size_t number,
				   const struct tp_point *const *points, size_t n,
				   struct tp_curve *curve);
/*
 * A curve over sizes breaks at an edge: a line joins only points of one level. `levels`: a number
 * for each point, 0 = unknown; NULL = all unknown. Points within the factor `near` are joined
 * anyway: TP_CURVE_NEAR, half an octave, for measured ones, since so close they show the edge; 1 =
 * none. Rising x.
 */
#define TP_CURVE_NEAR 1.5
void tp_picture_part(struct tp_picture *picture, struct tp_series *series, const int *levels,
		     double near);
/* Scales, and all series and marks that are there by now. */
void tp_picture_finish(struct tp_picture *picture, struct tp_scale x, struct tp_scale y);
/* The points that a series of the picture was drawn from. */
struct tp_origin *tp_picture_origin(struct tp_picture *picture, const struct tp_series *series);
/* The number of the point that a series or its point k comes from; -1 if none. */
long tp_origin_point(const struct tp_origin *origin, size_t k);
void tp_picture_mark(struct tp_picture *picture, double x, double y, bool at_point,
		     const char *label);
/*
 * In a finished picture: the line from a dot up to the roof that limits it, and the dot's label
 * next to it. Nothing if its series has no drops, or no room.
 */
void tp_picture_drop(struct tp_picture *picture, size_t series, size_t point);
/* "2.4x below L2", "on L2", "1.3x above L2". */
void tp_picture_factor(double value, double roof, const char *name, struct tp_str *out);
/* An additional dot that was not measured, with its label, in a finished picture. */
void tp_picture_ghost(struct tp_picture *picture, double x, double y, const char *legend,
		      const char *label);
/* A vertical line with a label at `low`, and the band from there to `high` shaded. */
void tp_picture_band(struct tp_picture *picture, double low, double high, const char *label);

/*
 * Memory curves number from, from + 1, ... of a group (at most 6 of them), with the reported
 * capacities as marks. False after the last.
 */
bool tp_picture_curves(struct tp_picture *picture, const struct tp_run *run,
		       const struct tp_group *group, size_t from);
/* True if there is such a picture; makes none. */
bool tp_picture_has_curves(const struct tp_run *run, const struct tp_group *group, size_t from);

/* "Memory curve"; NULL for experiments that leave no curves. */
const char *tp_picture_curve_title(const char *experiment);

/*
 * Every group of points that leaves curves, in the order of the points. Data below the group are
 * released after `hang`.
 */
typedef void tp_hang_curves(void *context, const struct tp_run *run, const struct tp_group *group);
void tp_picture_each_group(const struct tp_run *run, void *context, tp_hang_curves *hang);

/*
 * The text of a point of a series, or with TP_SVG_LINE of its line, for a pointer or a cursor:
 * name, values, interval, quality; adds nothing for lines of theory. `run` may be NULL.
 */
void tp_picture_say(const struct tp_picture *picture, const struct tp_run *run, size_t series,
		    size_t point, struct tp_str *out);

struct tp_gallery;
/* Hangs the pictures of something. */
typedef void tp_pictures_of(const void *what, const struct tp_gallery *gallery);
tp_pictures_of tp_picture_each; /* of a struct tp_run: every picture, by the places of reporters */
tp_pictures_of tp_overlay_each; /* of a struct tp_overlay: of several runs on each other */

/* How many pictures there are for a size in cells. */
size_t tp_pictures_count(tp_pictures_of *pictures, const void *what, size_t columns, size_t rows);
/* Fills an empty picture with number n of them; false after the last one. */
bool tp_pictures_take(tp_pictures_of *pictures, const void *what, size_t n, size_t columns,
		      size_t rows, struct tp_picture *picture);

/* Pictures of anything as text, one below the other; `run` may be NULL: see tp_picture_scene. */
void tp_pictures_text(tp_pictures_of *pictures, const void *what, const struct tp_run *run,
		      struct tp_text *doc);

/* Pictures of anything as a document. */
struct tp_svg_sheet {
	const char *title, *description;
	const char *const *lines; /* of words below the title */
	size_t n_lines;
	tp_pictures_of *pictures;
	/* Adds a drawing after them, from y on; returns where it ends. NULL = none. */
	double (*draw)(const void *what, double x, double y, double width, struct tp_str *out);
	const void *what;
};
void tp_svg_sheet_make(const struct tp_svg_sheet *wanted, enum tp_svg_theme theme,
		       struct tp_str *out);

/* Heat maps and bars as pictures. */

/* A tile of a heat map; row 0 is the lowest. */
struct tp_chart_tile {
	size_t column, row;
	struct tp_tile tile; /* its text lives as long as the picture's arena */
	const struct tp_point *point; /* for the cursor; NULL = none: then no tile has one, */
	const struct tp_part *part; /* or all have a row of results */
	const void *result;
};
/*
 * Makes the scene of a heat map, without title and labels of axes. Texts of the names lie in the
 * picture's arena or live as long. False without tiles or memory.
 */
bool tp_picture_heat(struct tp_picture *picture, const struct tp_names *columns,
		     const struct tp_names *rows, const struct tp_chart_tile *tiles, size_t n);

enum { TP_CHART_BARS = 40, TP_CHART_FRAME_ROWS = 7, TP_CHART_FRAME_COLUMNS = 16 };

struct tp_chart_bar {
	const char *name; /* at the axis */
	const char *group; /* bars of a group have a colour, named in the legend; NULL = none */
	const char *text; /* after the bar */
	double value, low, high; /* high not above low: no interval */
	bool best;
	const struct tp_point *point; /* or NULL */
	enum tp_plot_role role; /* of a bar without a group */
	const char *said; /* see struct tp_origin; or NULL */
};
/*
 * The same for bars, the first on top; at most TP_CHART_BARS. The axis of values begins at 0 and
 * has `unit`. False if no value is above 0.
 */
bool tp_picture_bars(struct tp_picture *picture, const struct tp_chart_bar *bars, size_t n,
		     const char *unit);

/* "3.21", "312": three digits, no exponent. */
const char *tp_chart_number(struct tp_picture *picture, double value);
/* Of a tile: the best, failed, not measured yet. */
char tp_chart_mark(const struct tp_point *point, bool best);
/* The number of bars that fit into a picture of this many rows. */
size_t tp_chart_bars_room(size_t rows);
/*
 * The interval of the bar's point, in the unit of the bar's value. `turned`: one is high where the
 * other is low.
 */
void tp_chart_interval(struct tp_chart_bar *bar, bool turned);
/* Writes to `left_out` how many bars, or that a map of this many tiles, do not fit. */
void tp_chart_leave_out(struct tp_picture *picture, size_t bars);
void tp_chart_fit_map(struct tp_picture *picture, size_t columns, size_t rows, size_t most_columns,
		      size_t most_rows);

/* Scenes of several runs on each other. */

/*
 * What is laid on each other: runs of at most TP_REPORT_RUNS_MAX, each with the colour and the
 * glyph of its number.
 */
struct tp_overlay {
	const struct tp_run *const *runs;
	const char *const *names;
	size_t n;
};

#endif
