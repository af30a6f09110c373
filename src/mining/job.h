/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is to be learned from a frame, and how: the options mine.* as one struct. */
#ifndef TPROF_MINING_JOB_H
#define TPROF_MINING_JOB_H

#include "analysis/density.h"
#include "analysis/tree.h"
#include "base/progress.h"
#include "preset/options.h"
#include "record/run.h"
#include "table/written.h"

enum tp_mine_normalise { TP_NORMALISE_NO, TP_NORMALISE_MINMAX, TP_NORMALISE_ZSCORE };
/* How a continuous target becomes categories. */
enum tp_mine_cutting { TP_CUT_BY_DENSITY, TP_CUT_BY_BINS, TP_CUT_BY_QUANTILES };
/* What is learned, ored together. */
enum {
	TP_MINE_TREE = 1,
	TP_MINE_FOREST = 2,
	TP_MINE_KMEANS = 4,
	TP_MINE_REGRESSION = 8,
	TP_MINE_CORRELATION = 16
};

/* A picture that was asked for: mine.plot. */
enum tp_mine_plot_kind {
	TP_MINE_SCATTER,
	TP_MINE_LINE,
	TP_MINE_DENSITY,
	TP_MINE_BOX,
	TP_MINE_HEAT,
	TP_MINE_PLOT_KINDS
};
struct tp_mine_plot {
	enum tp_mine_plot_kind kind;
	const char *x, *y, *colour; /* names of columns; NULL: by the rules of plots.c */
	bool log_x, log_y, log_asked; /* not asked: as the values say */
	const char *text, *where; /* as it was written, and where */
};

struct tp_mine_names {
	const char *const *items;
	size_t n;
};

/* Texts are borrowed from the config, or from the arena of whoever changes the job. */
struct tp_mine_job {
	const char *target; /* column to explain; "" = none was chosen */
	struct tp_mine_names features; /* columns to explain it by; none = as tp_mine_choose says */
	struct tp_mine_names without; /* columns that are left out */
	struct tp_mine_names filters; /* expressions; rows have to meet all of them */
	enum tp_mine_normalise normalise;

	/*
	 * Categories of the target. Cuts that are given (n_cuts > 0: rising, at most
	 * TP_CATEGORIES_MAX - 1, in units of the target) come before any rule: the screen sets them
	 * when cuts are dragged.
	 */
	const double *cuts;
	size_t n_cuts;
	enum tp_mine_cutting cutting;
	unsigned n_bins; /* of bins and quantiles */
	double step; /* of bins; 0 = n_bins counts */
	enum tp_bandwidth bandwidth_rule;
	double bandwidth; /* 0 = by the rule */
	enum tp_density_scale scale;

	unsigned learn; /* TP_MINE_TREE | ... */
	struct tp_tree_rules rules; /* of the tree, and of those of the forest but prune_alpha */
	unsigned n_trees, n_clusters;
	double test_share; /* of the rows; 0 = none are held out */
	double confidence; /* of intervals of the regression */
	const struct tp_mine_plot *plots;
	size_t n_plots; /* 0: the pictures that the result suggests */
	uint64_t seed;
	struct tp_listener listener;
	size_t max_bytes; /* of memory that learning may take; 0 = any */
};

/* TP_USAGE: cuts that do not rise, or a bandwidth that is none. */
enum tp_status tp_mine_job_of_config(struct tp_mine_job *job, const struct tp_config *config,
				     struct tp_arena *arena, struct tp_diag *diag);
/*
 * The same for the preset of a run, before there are results, which will have the columns `names`
 * (n = 0: unknown). TP_USAGE at the place in the preset: as above, or a column that is not there.
 * Without a target nothing is mined, and nothing checked.
 */
enum tp_status tp_mine_check(const struct tp_config *config, const char *const *names, size_t n,
			     struct tp_diag *diag);
/* How tables are to be read: mine.read. */
enum tp_status tp_mine_wish_of_config(struct tp_written_wish *wish, const struct tp_config *config,
				      struct tp_diag *diag);
/*
 * What the preset of a run said about mining, from its facts, goes where `config` has only defaults
 * or values of configuration files. Nothing does if `config` has a target from the command line or
 * the environment: the rest was meant for another one. TP_USAGE: a fact with a value that the
 * option refuses.
 */
enum tp_status tp_mine_config_of_run(struct tp_config *config, const struct tp_run *run,
				     struct tp_arena *arena, struct tp_diag *diag);
/*
 * The facts of a run whose preset has a target: the options mine.* that were given, those of lists
 * as KEY.1, KEY.2, ...
 */
void tp_mine_facts(struct tp_run *run, const struct tp_config *config);

#endif
