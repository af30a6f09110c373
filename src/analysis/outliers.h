/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which of many equal machines differs from the others? Every machine (node) has measured the same
 * points. Pure functions on numbers.
 *
 * What is compared is speed: the value over the median of the nodes, or its inverse where less is
 * better, on the log scale; so a node at 0.9 is slow whatever a point measures.
 *
 * A node is judged by one figure, as its points are not independent: they share its clock, its
 * memory and its minutes. The figure is Huber's mean (1964) of the logs of the speeds of its
 * points: those farther off than 1.5 standard deviations count as if they were that far off. So one
 * bad point moves it little. A median would, where clocks step: of a node whose points find the
 * clock now in one state, now in another, it is one of both states by chance, and the nodes at the
 * other one would seem odd. A mean of many points varies as a normal number does, whatever
 * distribution the points have.
 *
 * How much figures vary by chance is estimated only from the nodes, since points are not
 * independent. It is Qn of Rousseeuw and Croux (1993) over the figures: half of the nodes may be
 * anything, and it needs half as many nodes as the MAD for the same certainty. With s = Qn:
 *
 *     z = (figure - median of the figures) / error
 *     error^2 = (s^2 + floor^2) (1 + 1 / nodes) + max(0, own^2 - usual own^2)
 *
 * The floor is what one node shows from run to run, which a handful of nodes may hide by chance.
 * own^2 is the variance of the figure by the differences of the node's points; that of the node in
 * the middle is in s already, and only a node that varies more than it is less certain. p is of
 * Student's t; its degrees of freedom are those that s leaves (0.8 of nodes - 1, the efficiency of
 * Qn), joined with those of the other parts by Welch and Satterthwaite's rule.
 *
 * Among all nodes, and among all values, the false discovery rate is that of Benjamini and Hochberg
 * (1995).
 *
 * A single value is compared with the same point of the other nodes, likewise. There the spread is
 * at least that of the middle 70 % of the nodes: where clocks step, half of them may be equal and
 * the others not odd. So of a point at most 15 % of the nodes can be outliers at one end. It is
 * also at least what three quarters of the points do not exceed: a few nodes may agree by chance.
 *
 * tests/bench/merge_simulated tries all that on simulated machines under every regime.
 */
#ifndef TPROF_ANALYSIS_OUTLIERS_H
#define TPROF_ANALYSIS_OUTLIERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* With fewer nodes it is unknown which one differs. */
enum { TP_OUTLIER_NODES_MIN = 4 };

enum tp_outlier { TP_OUTLIER_NONE, TP_OUTLIER_SLOW, TP_OUTLIER_FAST, TP_OUTLIER_COUNT };

/* Relative: a smaller difference of a node is not reported. */
#define TP_OUTLIER_TOLERANCE 0.02

/* A point over the nodes. */
struct tp_outlier_point {
	bool less_is_better; /* in: a time */
	size_t n; /* nodes that have it */
	double median;
	/* the middle 90 % of the nodes that are not outliers; NaN without nodes */
	double low, high;
	double spread; /* relative standard deviation over the nodes, without the floor */
};

/* A node over its points; NaN where no result is possible. */
struct tp_outlier_node {
	size_t n; /* points that it has in common with others */
	double speed; /* mean over its points, 1 = equal to the median of the nodes */
	double spread; /* of the speeds of its points, relative standard deviation */
	double own; /* variance of log(speed), were its points independent */
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
	 * The nodes fall into two groups, each of several nodes, with nothing between them: `upper`
	 * is the speed from which on a node is of the faster one. 0 = they do not. Where each has a
	 * third of the nodes or more, the usual one is unknown: a node is then compared with its
	 * own group, and no value is named.
	 */
	double upper, gap; /* gap: how much faster, relative */
	size_t n_upper;
	/*
	 * The smallest detectable difference: a node that is slower by this share is named in 99 of
	 * 100 cases; NaN where no node can be named.
	 */
	double smallest;
};

void tp_outliers_find(struct tp_outliers *outliers);

/*
 * The largest of the n p-values that Benjamini and Hochberg's step-up rule rejects at the rate;
 * below 0 if none. NaN does not count. scratch holds n doubles.
 */
double tp_false_discovery_limit(const double *p, size_t n, double rate, double *scratch);

#endif
