/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs side by side: the first one is the baseline, each other run is compared with it point by
 * point, and plateau by plateau if both have some. tprof-method(7), COMPARISONS, has the method.
 */
#ifndef TPROF_REPORT_COMPARE_H
#define TPROF_REPORT_COMPARE_H

#include "analysis/difference.h"
#include "record/roof.h"
#include "record/run.h"
#include "report/pairing.h"
#include "report/pictures.h"
#include "doc/text.h"

struct tp_compare_options {
	/* relative: what is smaller does not matter; 0 = as usual (difference.h) */
	double tolerance;
	enum tp_dimension across;
};

/* One thing in two runs: points, or plateaus (then a and b are NULL). All borrowed. */
struct tp_compared {
	/* which run is compared with the baseline; 0 when a run is compared with itself */
	size_t run;
	const struct tp_point *a, *b;
	const struct tp_plateau *plateau_a, *plateau_b;
	enum tp_repeat repeat;
	/* FP, L1 and L2 where both clocks are known: what is compared is the work in a cycle */
	bool per_cycle;
};

/* A finished point without a partner, or one that failed where the other run has it. */
struct tp_unpaired {
	size_t run; /* the run that has it */
	size_t against; /* the run that lacks it */
	const struct tp_point *point;
};

struct tp_comparison {
	const struct tp_run *const *runs; /* borrowed */
	const char *const *names; /* borrowed: what the user called them */
	size_t n_runs;
	struct tp_compare_options options;
	struct tp_compared *rows; /* heap; points first, in the order of the run that is compared */
	struct tp_difference *differences; /* heap, one a row */
	size_t n, n_points; /* rows; how many of them are points */
	struct tp_unpaired *unpaired;
	size_t n_unpaired, cap, cap_differences, cap_unpaired;
	size_t count[TP_VERDICT_COUNT];
	/* What has become slower beyond points, such as nodes of a cluster; "" = nothing. */
	struct tp_str slower;
	/*
	 * why verdicts would mean nothing: the runs are of different machines; "" if they mean
	 * something
	 */
	char no_verdict[192];
};

/*
 * Pairs and judges. One run is compared with itself, which needs a dimension to compare across.
 * TP_USAGE: nothing can be compared, with a hint. Release in any case.
 */
enum tp_status tp_compare_runs(struct tp_comparison *comparison, const struct tp_run *const *runs,
			       const char *const *names, size_t n,
			       const struct tp_compare_options *options, struct tp_diag *diag);
void tp_comparison_release(struct tp_comparison *comparison);

/*
 * Machines of two runs by their facts: "" if they are the same or one is unknown, else how they
 * differ.
 */
void tp_compare_machines(const struct tp_run *a, const struct tp_run *b, char *out, size_t size);

/*
 * Gains and their intervals refer to speeds, also if less is better (ns): 100 x (ratio of speeds -
 * 1).
 */
double tp_compare_percent(double gain);
/* "+3.1"; "-" if it is none. Returns `out`. */
const char *tp_compare_percent_text(char *out, size_t size, double gain);

/*
 * The letter of a run in tables and notes, 'A' for the baseline; of the second value of a run that
 * is compared with itself 'B'.
 */
char tp_compare_letter(const struct tp_compared *row, bool second);
/* What to call them: "L2 avx2 2ld1st double 1 thread". */
void tp_compare_point_name(const struct tp_point *point, struct tp_str *out);
void tp_compare_name(const struct tp_comparison *comparison, size_t row, struct tp_str *out);
/* The values that are compared, and their unit. */
const char *tp_compare_unit(const struct tp_compared *row);
double tp_compare_value(const struct tp_compared *row, bool second);

/* Flags that widen an interval or mark one that is too wide; the others are harmless. */
#define TP_COMPARE_HARMFUL                                                                         \
	(TP_FLAG(DISTURBED) | TP_FLAG(SHARED_CORE) | TP_FLAG(UNDER_MODEL) | TP_FLAG(OTHER_TPROF) | \
	 TP_FLAG(NOISY) | TP_FLAG(UNSTABLE) | TP_FLAG(NOT_CONVERGED) | TP_FLAG(FREQ_DRIFT))

/*
 * In a few words: which of both is poor; what else differs: clock, pages, kernel; flags that stand
 * in the way. "" if nothing.
 */
void tp_compare_note(const struct tp_comparison *comparison, size_t row, struct tp_str *out);

/*
 * The whole comparison for readers: heads, tables, missing points, method in a line; without the
 * line of the verdict.
 */
void tp_compare_text(const struct tp_comparison *comparison, struct tp_text *doc);
/*
 * In a line, without its end: "44 points: 41 same, 1 slower, 2 unclear; slower: L2 avx2 2ld1st
 * double 1 thread -3.1 % [-4.0 -2.2]".
 */
void tp_compare_verdict(const struct tp_comparison *comparison, const struct tp_look *look,
			struct tp_str *out);

/*
 * Of a struct tp_comparison: the roofs of its runs on each other, the changes of each run against
 * the baseline as bars with their bands of noise, then the curves on each other. Of more than
 * TP_REPORT_RUNS_MAX runs the bars only.
 */
tp_pictures_of tp_compare_pictures;
/* Verdict and pictures as one SVG document. TP_USAGE: more than TP_REPORT_RUNS_MAX runs. */
enum tp_status tp_compare_svg(const struct tp_comparison *comparison, enum tp_svg_theme theme,
			      struct tp_str *out, struct tp_diag *diag);
/* Verdict, pictures and the text as one page for a browser. */
void tp_compare_html(const struct tp_comparison *comparison, struct tp_str *out);

/* One row a pair; tprof-compare(1) has the columns. */
void tp_compare_csv(const struct tp_comparison *comparison, struct tp_str *out);
void tp_compare_json(const struct tp_comparison *comparison, struct tp_str *out);

#endif
