/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was learned from a frame. Text, JSON, pictures and the screen Tree are made of it
 * (mining/say.h); nothing in it is painted or rounded.
 */
#ifndef TPROF_MINING_RESULT_H
#define TPROF_MINING_RESULT_H

#include "analysis/forest.h"
#include "analysis/kmeans.h"
#include "analysis/linear.h"
#include "mining/frame.h"
#include "mining/job.h"
#include "record/point.h"

enum { TP_MINE_LEVELS_MAX = 24 };
/* The least rows of a tree or a forest: with fewer, its questions would separate single rows. */
enum { TP_MINE_TREE_ROWS = 20 };
/* A column that explains. */
struct tp_mine_feature {
	const char *name;
	const char *unit; /* NULL = none known */
	const char *const *words; /* of a categorical one: words[code]; NULL = numeric */
	size_t n_words;
	const double *values; /* of each row; of words their codes */
	/* Of numbers. */
	double low, high, mean, deviation;
	bool whole; /* all values are whole numbers */
	/* The different values in rising order, codes of words as well; none if there are more. */
	double levels[TP_MINE_LEVELS_MAX];
	size_t n_levels;
};

/* The columns of a picture that was asked for; a missing value is NaN; no name: none. */
struct tp_mine_plotted {
	struct tp_mine_feature x, y, colour;
};

/* A category of the target. Names are printable: "480 ns", "avx2"; brief ones have no unit. */
struct tp_mine_label {
	const char *name, *brief;
	/* low <= target < high, infinite at the ends; both its value where it is a whole number
	 * that was not cut; NaN of words. */
	double low, high;
	double peak; /* what it is named by; NaN of words */
	size_t rows;
};

/* How often a tree is right. confusion[actual * n_labels + said] counts rows. */
struct tp_mine_score {
	size_t n, right;
	size_t *confusion;
	double accuracy; /* right / n; NaN of no rows */
	/* What always saying the most frequent category of the learned rows would reach. */
	double baseline;
};

/* Why the tree missed a row. */
enum tp_mine_why {
	TP_MISSED_CUT, /* its target lies near the cut to what the tree says: it may be either */
	TP_MISSED_QUESTION, /* a value lies near a threshold, and beyond it the tree is right */
	TP_MISSED_MIXED, /* its leaf has learned rows of its category, but more of another */
	TP_MISSED_NEW /* its leaf has learned no row of its category */
};
struct tp_mine_missed {
	size_t row; /* of the result */
	unsigned label, said; /* what it is, what the tree says */
	size_t leaf;
	enum tp_mine_why why;
	/*
	 * The nearest question on its way, in ranges of the feature: of those whose other answer is
	 * right, if such a one is near (QUESTION), else of all. Questions about words are farther
	 * than any about numbers.
	 */
	size_t node;
	double value, distance; /* of the feature; value - threshold; of words a code, and NaN */
	double target, cut_distance; /* target, and target - nearest cut; NaN where none is */
};

/* A coefficient of the regression, in units of the target for one unit of the feature. */
struct tp_mine_term {
	const char *name; /* "(intercept)", "lines", "isa = avx2" */
	double coefficient, low, high;
	double effect; /* the coefficient times the range or deviation of the column, as
			  `normalise` says; NaN where it is not asked for */
};

/* How far to trust it. Sentences; plain text, not cleaned: names may be a stranger's. */
struct tp_mine_trust {
	enum tp_quality quality;
	struct tp_str verdict; /* "The tree says the category of 94% of 612 rows that it has not
				  seen; always saying the most frequent one would reach 41%." */
	struct tp_str limits; /* what limits that; may be empty */
	struct tp_str next; /* what to do next */
};

/*
 * Zero-initialise, release after use. Names, words and values are those of the frame, which must
 * live as long and stay as it is. Row r of the result is row origin[r] of the frame.
 */
struct tp_mining {
	struct tp_mine_job job; /* borrowed */
	const char *source; /* frame->name */

	size_t n_given; /* rows of the frame before the filters */
	size_t n_filtered, n_missing; /* left out by the filters; for want of a value */
	size_t n_unread; /* rows of the file that its reader left out */
	struct tp_diags notes; /* of the frame, of what was left out, of what is doubtful */

	/* NULL where k-means alone was asked for, without a target; the unit may be NULL. */
	const char *target, *target_unit;
	bool continuous; /* the target was cut into categories, */
	bool one_peak; /* whose number is a matter of choice: its density has no valley */
	const double *target_values; /* of each row; NULL where the target is words */
	size_t n_rows;
	uint32_t *origin;
	const struct tp_frame_column *point; /* of rows that are points of a run; else NULL */
	struct tp_mine_feature *features;
	size_t n_features;
	struct tp_dataset data; /* the features' values */
	struct tp_mine_plotted *plotted; /* job.n_plots */

	struct tp_density *density; /* of a continuous target; else NULL */
	struct tp_categories categories; /* likewise; n = 0 where it is not */
	struct tp_mine_label *labels_of; /* n_labels, in rising order; words by frequency */
	unsigned n_labels; /* 0 where neither tree nor forest was asked for; then no split */
	unsigned *labels; /* of each row */

	uint32_t *split; /* n_rows indexes: learned ones, then n_test that are held out */
	size_t n_test;

	bool has_tree, has_forest, has_kmeans, has_regression, has_correlation;
	struct tp_tree tree;
	struct tp_mine_score test, all; /* of the tree; test.n = 0 where none are held out */
	struct tp_mine_missed *missed; /* of held-out rows, else of all; in order of rows */
	size_t n_missed;
	struct tp_forest forest; /* its accuracy is that on held-out rows */

	struct tp_kmeans kmeans;
	/* What k-means saw: numeric features and a column of 0 and 1 for each word, normalised. */
	const char **kmeans_columns; /* their names */
	size_t n_kmeans_columns;
	double *kmeans_centres; /* [cluster * n_kmeans_columns + column], in units of the columns */

	struct tp_linear linear;
	struct tp_mine_term *terms; /* linear.n */

	double *correlation, *rank_correlation; /* of each feature with the target; NaN of words */

	struct tp_mine_trust trust;
	struct tp_arena arena; /* owns all but what analysis has allocated */
};

/*
 * Prepares and learns. The filters change the frame: rows that do not meet them leave it. TP_USAGE
 * in words for people (an unknown column with the nearest one, a constant target, a single
 * category, no rows left, too few for a tree, ...), TP_CANCELLED.
 */
enum tp_status tp_mine(struct tp_mining *mining, struct tp_frame *frame,
		       const struct tp_mine_job *job, struct tp_diag *diag);
void tp_mining_release(struct tp_mining *mining);

/*
 * "lines <= 4", "isa = avx2"; with `answer` false its contrary: "lines > 4", "isa is not avx2".
 * Appended; not cleaned.
 */
void tp_mine_question(const struct tp_mining *mining, size_t node, bool answer, struct tp_str *out);
/*
 * The way to a node as a person would say it, questions of one feature put together: "2 < lines <=
 * 4 and isa is not avx2"; "any row" at the root.
 */
void tp_mine_way(const struct tp_mining *mining, size_t node, struct tp_str *out);
/* Rows of a label that reached the node when it was learned. */
size_t tp_mine_count(const struct tp_mining *mining, size_t node, unsigned label);
/* Why a row was missed, as a sentence. */
void tp_mine_missed_words(const struct tp_mining *mining, const struct tp_mine_missed *missed,
			  struct tp_str *out);
/* A value of a numeric column for people: as few digits as tell values apart. Returns out. */
const char *tp_mine_number(char *out, size_t size, double value);
/* The same of a feature, sizes in their units: "64 KiB". */
const char *tp_mine_value(char *out, size_t size, const struct tp_mine_feature *feature,
			  double value);

#endif
