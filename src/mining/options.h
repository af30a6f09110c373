/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Options of mining. They are shared: a run of any experiment can be mined when it has ended, and a
 * table of anybody at any time.
 */
#ifndef TPROF_MINING_OPTIONS_H
#define TPROF_MINING_OPTIONS_H

#include "preset/options.h"

#define TP_MINING_OPTIONS(X)                                                                       \
	X(MINE_TARGET, "mine.target", TEXT, false, 0, 200, "", "",                                 \
	  "Column to explain. A run whose preset names one has the result in its report.",         \
	  .command_line = "tprof --mine RUN takes the median without it.", .for_all = true)        \
	X(MINE_FEATURES, "mine.features", TEXT, true, 0, 200, "", "",                              \
	  "Columns to explain it by. Without them: what was varied in a run, or every useful "     \
	  "column of a table.",                                                                    \
	  .for_all = true)                                                                         \
	X(MINE_WITHOUT, "mine.without", TEXT, true, 0, 200, "", "",                                \
	  "Columns that do not explain it, though they would be taken.", .for_all = true)          \
	X(MINE_FILTER, "mine.filter", TEXT, true, 0, 1000, "", "",                                 \
	  "Conditions on the rows, such as threads == 1 and size > 4096; the others are left "     \
	  "out.",                                                                                  \
	  .for_all = true)                                                                         \
	X(MINE_READ, "mine.read", TEXT, true, 0, 100, "", "",                                      \
	  "How a table is written, where it is read wrongly: sep:semicolon, decimal:comma, "       \
	  "header:no, skip:7 (lines), table:2 (or its name).",                                     \
	  .for_all = true)                                                                         \
	X(MINE_LEARN, "mine.learn", WORD, true, 0, 0, "tree,forest",                               \
	  "tree forest kmeans regression correlation", "What is learned.",                         \
	  .meanings = "tree\tquestions that lead to a category: rules to read\n"                   \
		      "forest\tmany trees: which columns matter\n"                                 \
		      "kmeans\tgroups of similar rows\n"                                           \
		      "regression\twhat one unit of a column adds to the target\n"                 \
		      "correlation\thow each column goes along with the target\n",                 \
	  .for_all = true)                                                                         \
	X(MINE_CATEGORIES, "mine.categories", WORD, false, 0, 0, "density",                        \
	  "density bins quantiles",                                                                \
	  "How a target of numbers becomes categories. Words, and few whole numbers, are "         \
	  "categories already.",                                                                   \
	  .meanings = "density\tcut where values are rare, named by where they are dense\n"        \
		      "bins\tranges of equal width\n"                                              \
		      "quantiles\tranges with equally many rows\n",                                \
	  .for_all = true)                                                                         \
	X(MINE_CUTS, "mine.cuts", REAL, true, -1e300, 1e300, "", "",                               \
	  "Where the categories are cut, instead: rising numbers in units of the target.",         \
	  .for_all = true)                                                                         \
	X(MINE_BINS, "mine.bins", COUNT, false, 2, 64, "4", "",                                    \
	  "How many categories bins and quantiles make.", .offers = "2 3 4 5 8", .for_all = true)  \
	X(MINE_STEP, "mine.step", REAL, false, 0, 1e300, "0", "",                                  \
	  "Width of each bin, from a multiple of it on; 0: as mine.bins says.", .for_all = true)   \
	X(MINE_BANDWIDTH, "mine.bandwidth", REAL, false, 1e-300, 1e300, "isj",                     \
	  "isj silverman cross-validated",                                                         \
	  "Bandwidth of the density: a rule, or a number in units of the target (of its decimal "  \
	  "logarithm, on a log scale).",                                                           \
	  .meanings = "isj\tImproved Sheather-Jones: keeps narrow peaks apart\n"                   \
		      "silverman\tSilverman's rule: right for one broad peak\n"                    \
		      "cross-validated\tthe largest likelihood of rows left out\n",                \
	  .offers = "isj silverman cross-validated", .for_all = true)                              \
	X(MINE_SCALE, "mine.scale", WORD, false, 0, 0, "auto", "auto linear log",                  \
	  "Scale that the density is estimated on.",                                               \
	  .meanings = "auto\tlog if the target spans more than two decades\n", .for_all = true)    \
	X(MINE_CRITERION, "mine.criterion", WORD, false, 0, 0, "gini", "gini entropy",             \
	  "Impurity that the questions of a tree lower.", .for_all = true)                         \
	X(MINE_DEPTH, "mine.depth", COUNT, false, 0, 64, "6", "",                                  \
	  "Most questions in a row of the tree; 0: no limit. Trees of the forest have none.",      \
	  .offers = "2 3 4 5 6 8 10 0", .for_all = true)                                           \
	X(MINE_LEAVES, "mine.leaves", COUNT, false, 0, 1000000, "0", "",                           \
	  "Most leaves of the tree; 0: no limit. The best questions are asked first then.",        \
	  .offers = "0 4 8 16 32", .for_all = true)                                                \
	X(MINE_MIN_SAMPLES, "mine.min_samples", COUNT, false, 1, 1000000, "1", "",                 \
	  "Fewest rows of a leaf.", .offers = "1 2 5 10 20", .for_all = true)                      \
	X(MINE_PRUNE, "mine.prune", REAL, false, 0, 1, "0.001", "",                                \
	  "Impurity that a leaf has to save, or it is pruned (minimal cost-complexity pruning); "  \
	  "0: none is.",                                                                           \
	  .offers = "0 0.001 0.003 0.01 0.03", .for_all = true)                                    \
	X(MINE_TREES, "mine.trees", COUNT, false, 1, 10000, "200", "", "Trees of the forest.",     \
	  .offers = "50 100 200 500", .for_all = true)                                             \
	X(MINE_CLUSTERS, "mine.clusters", COUNT, false, 1, 64, "3", "", "Groups of k-means.",      \
	  .offers = "2 3 4 5 6 8", .for_all = true)                                                \
	X(MINE_NORMALISE, "mine.normalise", WORD, false, 0, 0, "zscore", "no minmax zscore",       \
	  "How columns of different units are made comparable for k-means, and for the effects "   \
	  "of the regression.",                                                                    \
	  .meanings = "no\tas they are\n"                                                          \
		      "minmax\tfrom 0 to 1\n"                                                      \
		      "zscore\tmean 0, deviation 1\n",                                             \
	  .for_all = true)                                                                         \
	X(MINE_TEST_SHARE, "mine.test_share", REAL, false, 0, 0.9, "20%", "",                      \
	  "Share of the rows that is held out, to test what was learned from the others; seed "    \
	  "draws them.",                                                                           \
	  .offers = "0 10% 20% 30% 50%", .for_all = true)                                          \
	X(MINE_CONFIDENCE, "mine.confidence", REAL, false, 0.5, 0.9999, "95%", "",                 \
	  "Confidence of the intervals of the regression.", .offers = "90% 95% 99%",               \
	  .for_all = true)                                                                         \
	X(MINE_PLOT, "mine.plot", TEXT, true, 0, 400, "", "",                                      \
	  "Pictures to draw instead of the usual ones: a kind (scatter, line, density, box, "      \
	  "heat), then x=COLUMN y=COLUMN colour=COLUMN log=x, y, xy or no.",                       \
	  .for_all = true)

TP_MINING_OPTIONS(TP_OPTION_DECLARE)

#endif
