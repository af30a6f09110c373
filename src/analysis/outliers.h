/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which of many like machines is not as the others? Every machine (node) has measured the same
 * points. Pure functions on numbers.
 *
 * What is compared is speed: the value over the median of the nodes, or its inverse where less is
 * better, on the log scale; so a node at 0.9 is slow whatever a point measures.
 *
 * The spread over the nodes is Qn of Rousseeuw and Croux (1993): half of the nodes may be
 * anything, and it needs half as many nodes as the MAD for the same certainty. Of a single point it
 * is at least that of the middle 70 % of the nodes: where clocks step, half of them may be equal
 * and the others not odd. So of a point at most 15 % of the nodes can be outliers at one end. A
 * floor is added in quadrature: what one node shows from run to run, which a handful of nodes may
 * hide by chance. p is of Student's t; its degrees of freedom are those that the spread leaves (0.8
 * of nodes - 1, the efficiency of Qn), joined with those of the floor by Welch and Satterthwaite's
 * rule.
 *
 * The points of one node are not independent: clock, memory and neighbours are common to them. So
 * a node is not judged by how many of its points are odd. Its figure is the median of the speeds of
 * its points, and that is held against the same figure of the other nodes; where its points differ
 * much among themselves, that makes the figure less certain.
 *
 * Among all nodes, and among all values, the false discovery rate is that of Benjamini and Hochberg
 * (1995).
 */
#ifndef TPROF_ANALYSIS_OUTLIERS_H
#define TPROF_ANALYSIS_OUTLIERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* With fewer nodes nobody can say which one differs. */
enum { TP_OUTLIER_NODES_MIN = 4 };

enum tp_outlier { TP_OUTLIER_NONE, TP_OUTLIER_SLOW, TP_OUTLIER_FAST, TP_OUTLIER_COUNT };

struct tp_outlier_judging {
	double floor; /* relative standard deviation of one value from run to run */
	double node_floor; /* the same of the median speed of a node */
	double tolerance; /* relative: a smaller difference of a node is not worth a word */
	double value_tolerance; /* the same of a single value */
	double false_discovery; /* share of false ones among those that are named */
};
/* What the faces use: 0.5 %, 0.5 %, 2 %, 3 %, 1 %. */
extern const struct tp_outlier_judging tp_outlier_judging_default;

/* A point over the nodes. */
struct tp_outlier_point {
	bool less_is_better; /* in: a time */
	size_t n; /* nodes that have it */
	double median;
	/* the middle 90 % of the nodes that are not outliers; NaN without nodes */
	double low, high;
	double spread; /* relative standard deviation over the nodes, without the floor */
};

/* A node over its points; NaN where nothing can be said. */
struct tp_outlier_node {
	size_t n; /* points that it has in common with others */
	double speed; /* median over its points, 1 = as the median of the nodes */
	double spread; /* of the speeds of its points, relative standard deviation */
	double z, p;
	enum tp_outlier outlier;
};

struct tp_outlier_value {
	double speed, z, p;
	enum tp_outlier outlier;
};

struct tp_outliers {
	/* in: n_nodes rows of n_points; NaN, and what is not above 0: missing. Borrowed. */
	const double *values;
	/* the same of relative standard deviations that single values are known to have; or NULL */
	const double *errors;
	size_t n_nodes, n_points;
	/* out, the caller's arrays of n_points, n_nodes and n_nodes x n_points */
	struct tp_outlier_point *points;
	struct tp_outlier_node *nodes;
	struct tp_outlier_value *cells;
	/*
	 * The nodes fall into two groups, each of several nodes, with nothing between them:
	 * `upper` is the speed from which on a node is of the faster one. 0 = they do not. Where
	 * each has a third of the nodes or more, nobody knows which is the usual one: a node is
	 * then held against its own group, and no value is named.
	 */
	double upper, gap; /* gap: how much faster, relative */
	size_t n_upper;
};

/* TP_OK or TP_NOMEM. */
enum tp_status tp_outliers_find(struct tp_outliers *outliers,
				const struct tp_outlier_judging *judging);

/*
 * The largest of the n p-values that Benjamini and Hochberg's step-up rule rejects at the rate;
 * below 0 if none. NaN does not count. scratch holds n doubles.
 */
double tp_false_discovery_limit(const double *p, size_t n, double rate, double *scratch);

#endif
