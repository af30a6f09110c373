/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Our learners on a data set, against scikit-learn's on it (tests/bench/learn_reference.py
 * describes the files).
 */
#ifndef TPROF_TESTS_LEARN_REFERENCE_H
#define TPROF_TESTS_LEARN_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

struct learn_result {
	size_t n_rows, n_features;
	/* Nodes of scikit-learn's trees that were reached. */
	size_t nodes_same; /* same question, or both leaves; same rows and impurity */
	size_t nodes_other; /* another question that parts the rows in the same way */
	size_t nodes_tied; /* another question that is equally good; below it, nothing compares */
	size_t nodes_unseen; /* below those */
	size_t nodes_wrong;
	/* Trees: all nodes the same or tied; accuracy on the held-out rows. */
	size_t trees, trees_same; /* same: every node */
	size_t accuracy_equal; /* to that of the tree we compare with */
	size_t accuracy_within; /* else between those of ten trees that part ties differently */
	size_t accuracy_wrong; /* neither */
	size_t prunes, prunes_equal, prunes_within; /* leaves left by an alpha, likewise */
	double accuracy_forest, accuracy_forest_reference;
	/* Largest difference of a feature's MDI from the mean of ten of scikit-learn's forests: of
	 * one of ours, of the mean of ten; and the largest deviation among theirs. */
	double mdi_one, mdi_mean, mdi_deviation;
	double inertia; /* largest excess of ours, relative */
	size_t n_coefficients, n_undetermined; /* determined by the data, or not */
	double coefficient; /* largest difference of those, relative where it is above 1 */
	double r2; /* difference */
	bool rank_equal;
	char wrong[200]; /* the first thing that is wrong */
};

/* False: a file cannot be read, or a learner failed; `wrong` says what. */
bool learn_compare(const char *csv, const char *reference, struct learn_result *result);

#endif
