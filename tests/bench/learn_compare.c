/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prints how our learners compare with scikit-learn on the data sets NAME.csv and NAME.ref of a
 * folder, and a verdict: tests/bench/sklearn.sh.
 *
 * usage: learn_compare FOLDER NAME...
 */
#include <math.h>
#include <stdio.h>

#include "tests/unit/learn_reference.h"

static bool is_good(const struct learn_result *r)
{
	return !r->nodes_wrong && !r->accuracy_wrong &&
	       r->prunes_equal + r->prunes_within == r->prunes && r->mdi_mean <= 0.03 &&
	       r->mdi_one <= fmax(0.03, 3 * r->mdi_deviation) && r->inertia <= 0.01 &&
	       r->rank_equal && r->coefficient <= 1e-8 && r->r2 <= 1e-8;
}

int main(int argc, char **argv)
{
	bool all_good = argc > 2;

	printf("Trees: nodes with the same question; another one that parts the rows alike; an "
	       "equally good one (below it nothing\n"
	       "compares); wrong. Accuracy and leaves after pruning: equal, else between ten trees "
	       "of scikit-learn that differ in ties\n"
	       "alone. MDI: largest difference of the mean of ten forests (0.03 at most), of one, "
	       "and the "
	       "deviation of one of scikit-learn's.\n\n");
	printf("%-14s %5s %4s  %5s %5s %5s %6s %5s  %5s %8s  %9s  %6s %6s %6s  %6s %6s  %8s  %8s  "
	       "%s\n",
	       "data", "rows", "cols", "same", "alike", "tied", "unseen", "wrong", "trees",
	       "accuracy", "pruned", "MDI 10", "MDI 1", "sd", "forest", "theirs", "inertia",
	       "coeff.", "verdict");
	for (int i = 2; i < argc; i++) {
		char csv[4096], reference[4096], accuracy[32], pruned[32], trees[32];
		struct learn_result r;

		snprintf(csv, sizeof(csv), "%s/%s.csv", argv[1], argv[i]);
		snprintf(reference, sizeof(reference), "%s/%s.ref", argv[1], argv[i]);
		bool good = learn_compare(csv, reference, &r) && is_good(&r);

		snprintf(trees, sizeof(trees), "%zu/%zu", r.trees_same, r.trees);
		snprintf(accuracy, sizeof(accuracy), "%zu+%zu/%zu", r.accuracy_equal,
			 r.accuracy_within, r.trees);
		snprintf(pruned, sizeof(pruned), "%zu+%zu/%zu", r.prunes_equal, r.prunes_within,
			 r.prunes);
		printf("%-14s %5zu %4zu  %5zu %5zu %5zu %6zu %5zu  %5s %8s  %9s  %6.4f %6.4f %6.4f "
		       " %6.4f %6.4f  %+8.1e  %8.1e  %s%s%s\n",
		       argv[i], r.n_rows, r.n_features, r.nodes_same, r.nodes_other, r.nodes_tied,
		       r.nodes_unseen, r.nodes_wrong, trees, accuracy, pruned, r.mdi_mean,
		       r.mdi_one, r.mdi_deviation, r.accuracy_forest, r.accuracy_forest_reference,
		       r.inertia, r.coefficient, good ? "agrees" : "DIFFERS", *r.wrong ? ": " : "",
		       r.wrong);
		all_good &= good;
	}
	return all_good ? 0 : 1;
}
