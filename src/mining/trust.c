/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far to trust what was learned, what limits it, and what to do next. */
#include "mining/mining_parts.h"
#include "report/conclusion.h"

#include <string.h>

/* A good result tells so much right, and so much of what guessing leaves. */
#define GOOD_ACCURACY 0.85
#define GOOD_GAIN     0.5
/* It does not know the learned rows much better than the others. */
#define GOOD_GAP 0.1
enum { GOOD_TESTS = 20, GOOD_ROWS = 5 };
#define UNBALANCED 0.8
#define MANY_LEFT  0.1
/* R2 of a regression that is good, and fair. */
#define GOOD_R2 0.9
#define FAIR_R2 0.5

struct judged {
	double accuracy, baseline, margin; /* margin: 95 % for so many rows */
	size_t n;
	const char *who;
};

static bool judged_by(const struct tp_mining *mining, struct judged *j)
{
	if (!mining->has_tree)
		return false;
	const struct tp_mine_score *score = mining->n_test ? &mining->test : &mining->all;
	double p = score->accuracy, n = (double)score->n;
	*j = (struct judged){ p, score->baseline, 1.96 * sqrt(p * (1 - p) / n + 1 / (4 * n * n)),
			      score->n, "The tree" };
	return true;
}

static size_t learned_of(const struct tp_mining *mining, unsigned label)
{
	size_t n = 0;
	for (size_t i = 0; i < mining->n_rows - mining->n_test; i++)
		n += mining->labels[mining->split[i]] == label;
	return n;
}

static bool overfits(const struct tp_mining *mining)
{
	size_t n = mining->all.n - mining->test.n;
	double learned = (double)(mining->all.right - mining->test.right) / (double)n;
	return mining->n_test && learned - mining->test.accuracy > GOOD_GAP;
}

/* --- the sentences --- */

static void limit_rows(struct tp_mining *mining, const struct judged *j, bool *good)
{
	struct tp_str *limits = &mining->trust.limits;
	if (!mining->n_test) {
		tp_conclude_add(limits,
				"No row was held out: this says how well the rows are told apart "
				"that it was learned from, not how well others would be.");
		*good = false;
	} else if (j->n < GOOD_TESTS) {
		tp_conclude_add(limits,
				"%zu held-out rows are few: the accuracy is sure to within %.0f%% "
				"at best.",
				j->n, 100 * j->margin);
		*good = false;
	}
	for (unsigned i = 0; i < mining->n_labels; i++) {
		size_t rows = learned_of(mining, i);
		if (rows >= GOOD_ROWS)
			continue;
		tp_conclude_add(limits, "Only %zu learned row%s %s: do not rely on %s.", rows,
				rows == 1 ? " is" : "s are", mining->labels_of[i].name,
				rows == 1 ? "that leaf" : "those leaves");
		*good = false;
		break;
	}
}

static void limit_labels(struct tp_mining *mining, const struct judged *j, bool *good)
{
	struct tp_str *limits = &mining->trust.limits;
	if (j->baseline > UNBALANCED)
		tp_conclude_add(limits,
				"The categories are unbalanced: look at the rows that were missed, "
				"not at the accuracy.");
	if (overfits(mining)) {
		tp_conclude_add(limits, "It knows the learned rows much better than the others: "
					"some of its questions fit chance.");
		*good = false;
	}
	if (mining->one_peak)
		tp_conclude_add(limits,
				"%s has no natural categories: its density has no sure valley.",
				mining->target);
}

static void limit_left_out(struct tp_mining *mining)
{
	size_t all = mining->n_rows + mining->n_missing;
	if ((double)mining->n_missing > MANY_LEFT * (double)all)
		tp_conclude_add(&mining->trust.limits,
				"%zu of %zu rows lack a value and were left out; the others may be "
				"another kind of rows.",
				mining->n_missing, all);
}

/* The feature that the tree, else the forest, says matters most. */
static const char *first_feature(const struct tp_mining *mining)
{
	const double *importance =
		mining->has_forest ? mining->forest.impurity_importance : mining->tree.importance;
	size_t best = 0;
	for (size_t f = 1; f < mining->n_features; f++)
		if (importance[f] > importance[best])
			best = f;
	return mining->features[best].name;
}

static void advise(struct tp_mining *mining, const struct judged *j, bool chance, bool good)
{
	struct tp_str *next = &mining->trust.next;
	if (j->n < GOOD_TESTS || !mining->n_test)
		tp_conclude_add(next, "More rows make it surer.");
	else if (chance && mining->continuous)
		tp_conclude_add(next,
				"Cut %s elsewhere (mine.categories=quantiles, mine.cuts), or let "
				"other columns explain it (mine.features).",
				mining->target);
	else if (chance)
		tp_conclude_add(next, "Let other columns explain it (mine.features), or fewer rows "
				      "(mine.filter).");
	else if (overfits(mining))
		tp_conclude_add(next, "Ask less: --set mine.depth=3, or mine.prune=0.01.");
	else if (!good)
		tp_conclude_add(next, "See which rows were missed, below.");
	else
		tp_conclude_add(next, "See the rules below; the pictures: --svg FILE.");
}

static void judge_tree(struct tp_mining *mining, const struct judged *j)
{
	struct tp_mine_trust *trust = &mining->trust;
	bool good = true;
	double gain = (j->accuracy - j->baseline) / (1 - j->baseline);
	tp_conclude_add(&trust->verdict,
			"%s tells the category of %.0f%% of %zu %s rows right; always saying the "
			"most frequent one would reach %.0f%%.",
			j->who, 100 * j->accuracy, j->n, mining->n_test ? "held-out" : "learned",
			100 * j->baseline);
	if (j->baseline < 1 && j->accuracy > j->baseline)
		tp_conclude_add(&trust->verdict, "What matters most is %s.", first_feature(mining));
	limit_rows(mining, j, &good);
	limit_labels(mining, j, &good);
	limit_left_out(mining);
	bool chance = j->accuracy - j->margin <= j->baseline && j->baseline < 1;
	if (chance)
		tp_conclude_add(&trust->limits, "That is hardly better than saying the most "
						"frequent one.");
	good &= j->accuracy >= GOOD_ACCURACY && gain >= GOOD_GAIN;
	trust->quality = chance ? TP_QUALITY_POOR : good ? TP_QUALITY_GOOD : TP_QUALITY_FAIR;
	advise(mining, j, chance, good);
}

static void judge_regression(struct tp_mining *mining)
{
	struct tp_mine_trust *trust = &mining->trust;
	double r2 = mining->linear.adjusted_r2;
	tp_conclude_add(&trust->verdict,
			"A straight line through %zu rows explains %.0f%% of how %s varies.",
			mining->n_rows, 100 * fmax(r2, 0), mining->target);
	if (mining->linear.rank < mining->linear.n)
		tp_conclude_add(&trust->limits,
				"Some columns follow from others: their coefficients are shared.");
	limit_left_out(mining);
	trust->quality = r2 >= GOOD_R2	 ? TP_QUALITY_GOOD
			 : r2 >= FAIR_R2 ? TP_QUALITY_FAIR
					 : TP_QUALITY_POOR;
	tp_conclude_add(&trust->next, "%s",
			r2 >= GOOD_R2 ? "Read the coefficients with their intervals."
				      : "Try a tree: --set mine.learn=tree,forest finds bends and "
					"steps, too.");
}

static void judge_forest(struct tp_mining *mining)
{
	struct tp_mine_trust *trust = &mining->trust;
	if (!mining->n_test) {
		trust->quality = TP_QUALITY_FAIR;
		tp_conclude_add(&trust->verdict, "A forest of %zu trees has learned from %zu rows.",
				mining->forest.n, mining->n_rows);
		tp_conclude_add(&trust->limits, "No row was held out to test it.");
		return;
	}
	trust->quality = mining->forest.accuracy >= GOOD_ACCURACY && mining->n_test >= GOOD_TESTS
				 ? TP_QUALITY_GOOD
				 : TP_QUALITY_FAIR;
	tp_conclude_add(&trust->verdict,
			"The forest tells the category of %.0f%% of %zu held-out rows right. What "
			"matters most is %s.",
			100 * mining->forest.accuracy, mining->n_test, first_feature(mining));
	limit_left_out(mining);
}

void tp_mining_judge(struct tp_mining *mining)
{
	struct judged j;
	if (judged_by(mining, &j))
		judge_tree(mining, &j);
	else if (mining->has_forest)
		judge_forest(mining);
	else if (mining->has_regression)
		judge_regression(mining);
	else if (mining->has_kmeans)
		tp_conclude_add(&mining->trust.verdict,
				"k-means has put %zu rows into %u groups. It always finds as many "
				"as it is asked for; compare several mine.clusters.",
				mining->n_rows, mining->kmeans.k);
}
