/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Learns what the job asks for, says why rows were missed, and how far to trust the result. */
#include "mining/plots.h"
#include "mining/prepare.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/page.h"

/*
 * k-means and regression see numbers alone: a column of words becomes a column of 0 and 1 for each
 * word.
 */
/* Columns of words with more words than this say too little for each. */
enum { WORDS_MAX = 16, STARTS = 10 };

#define ROUNDING 1e-12

struct design {
	const char **names;
	const double **values;
	/* value = shift + scale * normalised value */
	double *shift, *scale;
	size_t n;
};

static void add_column(struct design *design, const char *name, const double *values)
{
	design->names[design->n] = name;
	design->values[design->n] = values;
	design->scale[design->n++] = 1;
}

static bool occurs(const struct tp_mining *mining, const struct tp_mine_feature *f, size_t word)
{
	for (size_t row = 0; row < mining->n_rows; row++)
		if (f->values[row] == (double)word)
			return true;
	return false;
}

/* `spare` words that occur get no column: those of the first follow from the others. */
static void add_words(struct tp_mining *mining, const struct tp_mine_feature *f, size_t spare,
		      struct design *design)
{
	for (size_t word = 0; word < f->n_words; word++) {
		TP_STR name = { 0 };
		if (!occurs(mining, f, word) || (spare && spare--))
			continue;
		double *values = tp_mining_alloc(mining, mining->n_rows, sizeof(*values));
		for (size_t row = 0; row < mining->n_rows; row++)
			values[row] = f->values[row] == (double)word;
		tp_str_printf(&name, "%s = %s", f->name, f->words[word]);
		add_column(design, tp_arena_strdup(&mining->arena, tp_str_text(&name)), values);
	}
}

static struct design make_design(struct tp_mining *mining, const char *what, size_t spare)
{
	size_t most = 0;
	struct design design;

	for (size_t f = 0; f < mining->n_features; f++)
		most += mining->features[f].words ? mining->features[f].n_words : 1;
	design = (struct design){
		.names = tp_mining_alloc(mining, most, sizeof(const char *)),
		.values = tp_mining_alloc(mining, most, sizeof(const double *)),
		.shift = tp_mining_alloc(mining, most, sizeof(double)),
		.scale = tp_mining_alloc(mining, most, sizeof(double)),
	};

	for (size_t i = 0; i < mining->n_features; i++) {
		const struct tp_mine_feature *f = &mining->features[i];
		if (f->n_words > WORDS_MAX)
			tp_diags_note(&mining->notes, f->name, NULL,
				      "has %zu words: too many for %s, which "
				      "leaves it out",
				      f->n_words, what);
		else if (f->words)
			add_words(mining, f, spare, &design);
		else
			add_column(&design, f->name, f->values);
	}
	return design;
}

static void normalise(struct tp_mining *mining, struct design *design)
{
	enum tp_mine_normalise how = mining->job.normalise;
	for (size_t c = 0; c < design->n; c++) {
		struct tp_mine_feature f = { .values = design->values[c] };
		tp_mining_describe(&f, mining->n_rows);
		double scale = how == TP_NORMALISE_MINMAX   ? f.high - f.low
			       : how == TP_NORMALISE_ZSCORE ? f.deviation
							    : 1;
		design->scale[c] = scale > 0 ? scale : 1;
		design->shift[c] = how == TP_NORMALISE_MINMAX	? f.low
				   : how == TP_NORMALISE_ZSCORE ? f.mean
								: 0;
		if (how == TP_NORMALISE_NO)
			continue;
		double *values = tp_mining_alloc(mining, mining->n_rows, sizeof(*values));
		for (size_t row = 0; row < mining->n_rows; row++)
			values[row] = (f.values[row] - design->shift[c]) / design->scale[c];
		design->values[c] = values;
	}
}

static enum tp_status cluster(struct tp_mining *mining, struct tp_diag *diag)
{
	struct design design = make_design(mining, "k-means", 0);
	normalise(mining, &design);
	const struct tp_dataset data = { mining->n_rows, design.n, design.values, NULL };
	enum tp_status status = tp_kmeans_learn(&mining->kmeans, &data, mining->job.n_clusters,
						STARTS, mining->job.seed, diag);
	size_t n = (size_t)mining->kmeans.k * design.n;
	mining->kmeans_centres = tp_mining_alloc(mining, n, sizeof(*mining->kmeans_centres));
	if (status != TP_OK)
		return status;
	for (size_t i = 0; i < n; i++) {
		size_t c = i % design.n;
		/* What is nothing but rounding is nothing. */
		double centre = design.shift[c] + design.scale[c] * mining->kmeans.centres[i];
		bool none = fabs(centre) < ROUNDING * design.scale[c];
		mining->kmeans_centres[i] = none ? 0 : centre;
	}
	mining->kmeans_columns = design.names;
	mining->n_kmeans_columns = design.n;
	mining->has_kmeans = true;
	return TP_OK;
}

/* What one deviation (or the range) of a column does to the target. */
static double effect_of(struct tp_mining *mining, const struct design *design, size_t c,
			double coefficient)
{
	struct tp_mine_feature f = { .values = design->values[c] };
	tp_mining_describe(&f, mining->n_rows);
	return mining->job.normalise == TP_NORMALISE_MINMAX   ? coefficient * (f.high - f.low)
	       : mining->job.normalise == TP_NORMALISE_ZSCORE ? coefficient * f.deviation
							      : NAN;
}

static enum tp_status regress(struct tp_mining *mining, struct tp_diag *diag)
{
	if (!mining->target_values) {
		tp_diags_note(&mining->notes, mining->target, NULL,
			      "is words: no regression explains it");
		return TP_OK;
	}
	const struct design design = make_design(mining, "a regression", 1);
	const struct tp_dataset data = { mining->n_rows, design.n, design.values, NULL };
	enum tp_status status = tp_linear_fit(&mining->linear, &data, mining->target_values,
					      mining->job.confidence, diag);
	if (status != TP_OK)
		return status;
	mining->terms = tp_mining_alloc(mining, mining->linear.n, sizeof(*mining->terms));
	for (size_t i = 0; i < mining->linear.n; i++) {
		double coefficient = mining->linear.coefficients[i];
		mining->terms[i] = (struct tp_mine_term){
			.name = i ? design.names[i - 1] : "(intercept)",
			.coefficient = coefficient,
			.low = mining->linear.low[i],
			.high = mining->linear.high[i],
			.effect = i ? effect_of(mining, &design, i - 1, coefficient) : NAN,
		};
	}
	mining->has_regression = true;
	return TP_OK;
}

/* The questions from the root to a node, and how they were answered. */
struct way {
	struct step {
		const struct tp_tree_node *node;
		bool answer;
	} * steps;
	size_t n;
};

/*
 * The threshold of a question as people are told it: of few values, the largest one that it holds
 * for; of whole numbers, its floor. A threshold lies half way between two values that occur.
 */
static double shown_threshold(const struct tp_mine_feature *f, double threshold)
{
	size_t at = 0;
	while (at < f->n_levels && f->levels[at] <= threshold)
		at++;
	return at ? f->levels[at - 1] : f->whole ? floor(threshold) : threshold;
}

const char *tp_mine_value(char *out, size_t size, const struct tp_mine_feature *f, double value)
{
	static const char end[] = "_bytes";
	size_t n = strlen(f->name), k = sizeof(end) - 1;
	bool bytes = (f->unit && strcmp(f->unit, "bytes") == 0) ||
		     (n > k && strcmp(f->name + n - k, end) == 0);
	if (bytes && value >= 1024 && value == floor(value))
		return tp_format_bytes(out, size, (uint64_t)value);
	return tp_mine_number(out, size, value);
}

static const char *word_of(const struct tp_mine_feature *f, double code)
{
	return f->words[(size_t)code];
}

/* If it is not the one of two words, it is the other. */
static void say_word(const struct tp_mine_feature *f, double code, bool is, struct tp_str *out)
{
	if (is || f->n_words == 2)
		tp_str_printf(out, "%s = %s", f->name, word_of(f, is ? code : 1 - code));
	else
		tp_str_printf(out, "%s is not %s", f->name, word_of(f, code));
}

void tp_mine_question(const struct tp_mining *mining, size_t node, bool answer, struct tp_str *out)
{
	const struct tp_tree_node *n = &mining->tree.nodes[node];
	const struct tp_mine_feature *f = &mining->features[n->feature];
	char number[32];
	if (f->words)
		say_word(f, n->threshold, answer, out);
	else
		tp_str_printf(
			out, "%s %s %s", f->name, answer ? "<=" : ">",
			tp_mine_value(number, sizeof(number), f, shown_threshold(f, n->threshold)));
}

/* Children lie behind their parents. */
static size_t parent_of(const struct tp_tree *tree, size_t node)
{
	for (size_t i = node; i-- > 0;)
		if (!tree->nodes[i].leaf &&
		    (tree->nodes[i].yes == node || tree->nodes[i].no == node))
			return i;
	return 0;
}

static struct way find_way(const struct tp_tree *tree, size_t node)
{
	struct way way = { .n = tree->nodes[node].depth };
	way.steps = tp_alloc(way.n + 1, sizeof(*way.steps));
	for (size_t i = way.n; i-- > 0;) {
		size_t parent = parent_of(tree, node);
		way.steps[i] =
			(struct step){ &tree->nodes[parent], tree->nodes[parent].yes == node };
		node = parent;
	}
	return way;
}

/* The only value above `above` and up to `most`; NaN if there are more. */
static double only_value(const struct tp_mine_feature *f, double above, double most)
{
	double only = NAN;
	if (!f->n_levels)
		return f->whole && above + 1 == most ? most : NAN;
	for (size_t i = 0; i < f->n_levels; i++) {
		if (!(f->levels[i] > above && f->levels[i] <= most))
			continue;
		if (!isnan(only))
			return NAN;
		only = f->levels[i];
	}
	return only;
}

static void say_numbers(const struct tp_mine_feature *f, const struct way *way, unsigned feature,
			struct tp_str *out)
{
	double above = -INFINITY, most = INFINITY;
	for (size_t i = 0; i < way->n; i++) {
		const struct step *s = &way->steps[i];
		if (s->node->feature != feature)
			continue;
		double threshold = shown_threshold(f, s->node->threshold);
		if (s->answer)
			most = fmin(most, threshold);
		else
			above = fmax(above, threshold);
	}
	char low[32], high[32];
	double only = only_value(f, above, most);
	tp_mine_value(low, sizeof(low), f, above);
	tp_mine_value(high, sizeof(high), f, isnan(only) ? most : only);
	if (!isnan(only))
		tp_str_printf(out, "%s = %s", f->name, high);
	else if (isfinite(above) && isfinite(most))
		tp_str_printf(out, "%s < %s <= %s", low, f->name, high);
	else if (isfinite(most))
		tp_str_printf(out, "%s <= %s", f->name, high);
	else
		tp_str_printf(out, "%s > %s", f->name, low);
}

/* "isa = avx2", or "isa is not avx2, sse". */
static void say_words(const struct tp_mine_feature *f, const struct way *way, unsigned feature,
		      struct tp_str *out)
{
	bool first = true;
	for (size_t i = 0; i < way->n; i++)
		if (way->steps[i].node->feature == feature && way->steps[i].answer) {
			say_word(f, way->steps[i].node->threshold, true, out);
			return;
		}
	for (size_t i = 0; i < way->n; i++) {
		const struct tp_tree_node *node = way->steps[i].node;
		if (node->feature != feature)
			continue;
		if (first)
			say_word(f, node->threshold, false, out);
		else
			tp_str_printf(out, ", %s", word_of(f, node->threshold));
		first = false;
	}
}

static bool was_asked(const struct way *way, size_t n, unsigned feature)
{
	for (size_t i = 0; i < n; i++)
		if (way->steps[i].node->feature == feature)
			return true;
	return false;
}

void tp_mine_way(const struct tp_mining *mining, size_t node, struct tp_str *out)
{
	struct way way = find_way(&mining->tree, node);
	for (size_t i = 0; i < way.n; i++) {
		unsigned feature = way.steps[i].node->feature;
		const struct tp_mine_feature *f = &mining->features[feature];
		if (was_asked(&way, i, feature))
			continue;
		tp_str_add(out, i ? " and " : "");
		if (f->words)
			say_words(f, &way, feature, out);
		else
			say_numbers(f, &way, feature, out);
	}
	if (!way.n)
		tp_str_add(out, "any row");
	free(way.steps);
}

size_t tp_mine_count(const struct tp_mining *mining, size_t node, unsigned label)
{
	return (size_t)mining->tree.counts[node * mining->n_labels + label];
}

/* --- missed rows --- */

/* What counts as near: shares of the feature's range, and of the way between two peaks. */
#define NEAR_QUESTION 0.15
#define NEAR_CUT      0.1

/* From the value to the threshold, in ranges of the feature; of words, one whole range. */
static double distance_to(const struct tp_mining *mining, size_t node, size_t row)
{
	const struct tp_tree_node *n = &mining->tree.nodes[node];
	const struct tp_mine_feature *f = &mining->features[n->feature];
	if (f->words)
		return 1;
	return fabs(f->values[row] - n->threshold) / (f->high - f->low);
}

/* The nearest question on the way; with `right`, of those where another answer would be right. */
static bool nearest_question(const struct tp_mining *mining, struct tp_mine_missed *m, bool right)
{
	const struct tp_tree_node *nodes = mining->tree.nodes;
	double nearest = INFINITY;
	for (size_t node = 0; !nodes[node].leaf;) {
		bool answer = tp_tree_answer(&mining->data, &nodes[node], m->row);
		size_t other = answer ? nodes[node].no : nodes[node].yes;
		double distance = distance_to(mining, node, m->row);
		/* Of equally near ones the last has decided. */
		if (distance <= nearest &&
		    (!right ||
		     nodes[tp_tree_leaf_below(&mining->tree, &mining->data, other, m->row)].label ==
			     m->label)) {
			nearest = distance;
			m->node = node;
		}
		node = answer ? nodes[node].yes : nodes[node].no;
	}
	return nearest <= (right ? NEAR_QUESTION : INFINITY);
}

/* The cut between what the row is and what the tree says, if they are neighbours. */
static bool near_cut(const struct tp_mining *mining, struct tp_mine_missed *m)
{
	const struct tp_mine_label *label = &mining->labels_of[m->label];
	if (!mining->continuous)
		return false;
	bool low_is_nearer = m->target - label->low < label->high - m->target;
	double cut = low_is_nearer ? label->low : label->high;
	m->cut_distance = m->target - cut;
	if (m->said != (low_is_nearer ? m->label - 1 : m->label + 1))
		return false;
	double between = fabs(label->peak - mining->labels_of[m->said].peak);
	return fabs(m->cut_distance) < NEAR_CUT * between;
}

static struct tp_mine_missed explain_row(const struct tp_mining *mining, size_t row)
{
	size_t leaf = tp_tree_leaf(&mining->tree, &mining->data, row);
	struct tp_mine_missed m = {
		.row = row,
		.label = mining->labels[row],
		.said = mining->tree.nodes[leaf].label,
		.leaf = leaf,
		.target = mining->target_values ? mining->target_values[row] : NAN,
		.cut_distance = NAN,
	};
	bool cut = near_cut(mining, &m), question = nearest_question(mining, &m, true);
	if (!question)
		nearest_question(mining, &m, false);
	m.why = cut					   ? TP_MISSED_CUT
		: question				   ? TP_MISSED_QUESTION
		: tp_mine_count(mining, leaf, m.label) > 0 ? TP_MISSED_MIXED
							   : TP_MISSED_NEW;
	const struct tp_tree_node *n = &mining->tree.nodes[m.node];
	const struct tp_mine_feature *f = &mining->features[n->feature];
	m.value = f->values[row];
	m.distance = f->words ? NAN : m.value - n->threshold;
	return m;
}

/* --- in words --- */

static void say_cut(const struct tp_mining *mining, const struct tp_mine_missed *m,
		    struct tp_str *out)
{
	char value[32], cut[32];
	tp_str_printf(out, "%s is %s, %s the cut at %s", mining->target,
		      tp_mine_number(value, sizeof(value), m->target),
		      m->cut_distance < 0 ? "just below" : "just above",
		      tp_mine_number(cut, sizeof(cut), m->target - m->cut_distance));
}

static void say_question(const struct tp_mining *mining, const struct tp_mine_missed *m,
			 struct tp_str *out)
{
	const struct tp_tree_node *n = &mining->tree.nodes[m->node];
	const struct tp_mine_feature *f = &mining->features[n->feature];
	char value[32];
	if (f->words)
		tp_str_printf(out, "%s is %s, and the question ", f->name,
			      f->words[(size_t)m->value]);
	else
		tp_str_printf(out, "%s is %s, next to the question ", f->name,
			      tp_mine_value(value, sizeof(value), f, m->value));
	tp_mine_question(mining, m->node, true, out);
	tp_str_printf(out, "; the other answer leads to %s", mining->labels_of[m->label].name);
}

static void say_nearest(const struct tp_mining *mining, const struct tp_mine_missed *m,
			struct tp_str *out)
{
	if (mining->tree.nodes[0].leaf)
		return;
	tp_str_add(out, "; its nearest boundary is ");
	tp_mine_question(mining, m->node, true, out);
	const struct tp_mine_feature *f = &mining->features[mining->tree.nodes[m->node].feature];
	char value[32];
	if (!f->words)
		tp_str_printf(out, " (%s here)", tp_mine_value(value, sizeof(value), f, m->value));
}

void tp_mine_missed_words(const struct tp_mining *mining, const struct tp_mine_missed *m,
			  struct tp_str *out)
{
	switch (m->why) {
	case TP_MISSED_CUT:
		say_cut(mining, m, out);
		break;
	case TP_MISSED_QUESTION:
		say_question(mining, m, out);
		break;
	case TP_MISSED_MIXED:
		tp_str_printf(out, "%zu of %.0f learned rows of its leaf are %s as well",
			      tp_mine_count(mining, m->leaf, m->label),
			      mining->tree.nodes[m->leaf].rows, mining->labels_of[m->label].name);
		say_nearest(mining, m, out);
		break;
	case TP_MISSED_NEW:
		tp_str_printf(out, "no learned row of its leaf is %s",
			      mining->labels_of[m->label].name);
		say_nearest(mining, m, out);
		break;
	}
}

/* --- how far to trust it --- */

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
};

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

/* True if many rows are missing, which lowers the trust. */
static bool limit_left_out(struct tp_mining *mining)
{
	size_t all = mining->n_rows + mining->n_missing, given = mining->n_given + mining->n_unread;
	bool many_unread = (double)mining->n_unread > MANY_LEFT * (double)given;
	if (many_unread)
		tp_conclude_add(&mining->trust.limits,
				"%zu of %zu rows could not be read; the others may be another kind "
				"of rows.",
				mining->n_unread, given);
	if ((double)mining->n_missing > MANY_LEFT * (double)all)
		tp_conclude_add(&mining->trust.limits,
				"%zu of %zu rows lack a value and were left out; the others may be "
				"another kind of rows.",
				mining->n_missing, all);
	return many_unread || (double)mining->n_missing > MANY_LEFT * (double)all;
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

static void judge_tree(struct tp_mining *mining)
{
	struct tp_mine_trust *trust = &mining->trust;
	const struct tp_mine_score *score = mining->n_test ? &mining->test : &mining->all;
	double p = score->accuracy, n = (double)score->n;
	const struct judged judged = { p, score->baseline,
				       1.96 * sqrt(p * (1 - p) / n + 1 / (4 * n * n)), score->n };
	const struct judged *j = &judged;
	bool good = true;
	double gain = (j->accuracy - j->baseline) / (1 - j->baseline);
	tp_conclude_add(&trust->verdict,
			"The tree tells the category of %.0f%% of %zu %s rows right; always saying "
			"the most frequent one would reach %.0f%%.",
			100 * j->accuracy, j->n, mining->n_test ? "held-out" : "learned",
			100 * j->baseline);
	if (j->baseline < 1 && j->accuracy > j->baseline)
		tp_conclude_add(&trust->verdict, "What matters most is %s.", first_feature(mining));
	limit_rows(mining, j, &good);
	limit_labels(mining, j, &good);
	good &= !limit_left_out(mining);
	bool chance = j->accuracy - j->margin <= j->baseline && j->baseline < 1;
	if (chance)
		tp_conclude_add(&trust->limits, "That is hardly better than saying the most "
						"frequent one.");
	good &= j->accuracy >= GOOD_ACCURACY && gain >= GOOD_GAIN;
	trust->quality = chance ? TP_QUALITY_POOR : good ? TP_QUALITY_GOOD : TP_QUALITY_FAIR;
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
	bool many = limit_left_out(mining);
	trust->quality = r2 >= GOOD_R2 && !many ? TP_QUALITY_GOOD
			 : r2 >= FAIR_R2	? TP_QUALITY_FAIR
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
	if (limit_left_out(mining) && trust->quality == TP_QUALITY_GOOD)
		trust->quality = TP_QUALITY_FAIR;
}

static void judge(struct tp_mining *mining)
{
	if (mining->has_tree)
		judge_tree(mining);
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

/* More rows make the importances of a forest hardly surer, and take minutes. */
enum { FOREST_ROWS_MAX = 20000, FOREST_TESTS_MAX = 2000 };

static void score_rows(struct tp_mining *mining, const uint32_t *rows, size_t n,
		       struct tp_mine_score *score)
{
	unsigned k = mining->n_labels, most = 0;
	size_t *learned = tp_mining_alloc(mining, k, sizeof(*learned)), as_most = 0;
	score->confusion = tp_mining_alloc(mining, (size_t)k * k, sizeof(*score->confusion));
	for (size_t i = 0; i < mining->n_rows - mining->n_test; i++)
		learned[mining->labels[mining->split[i]]]++;
	for (unsigned i = 0; i < k; i++)
		most = learned[i] > learned[most] ? i : most;
	for (size_t i = 0; i < n; i++) {
		unsigned label = mining->labels[rows[i]];
		size_t leaf = tp_tree_leaf(&mining->tree, &mining->data, rows[i]);
		unsigned said = mining->tree.nodes[leaf].label;
		score->confusion[(size_t)label * k + said]++;
		score->right += label == said;
		as_most += label == most;
	}
	score->n = n;
	score->accuracy = n ? (double)score->right / (double)n : NAN;
	score->baseline = n ? (double)as_most / (double)n : NAN;
}

static enum tp_status learn_tree(struct tp_mining *mining, struct tp_diag *diag)
{
	size_t n = mining->n_rows - mining->n_test;
	enum tp_status status =
		tp_tree_learn(&mining->tree, &mining->data, mining->labels, mining->n_labels,
			      mining->split, n, &mining->job.rules, diag);
	if (status != TP_OK)
		return status;
	mining->has_tree = true;
	score_rows(mining, mining->split + n, mining->n_test, &mining->test);
	score_rows(mining, mining->split, mining->n_rows, &mining->all);
	const struct tp_tree *tree = &mining->tree;
	size_t from = mining->n_test ? mining->n_rows - mining->n_test : 0;
	size_t most = mining->n_test ? mining->test.n - mining->test.right
				     : mining->all.n - mining->all.right;
	mining->missed = tp_mining_alloc(mining, most, sizeof(*mining->missed));
	bool *held_out = tp_mining_alloc(mining, mining->n_rows, sizeof(*held_out));
	for (size_t i = from; i < mining->n_rows; i++)
		held_out[mining->split[i]] = true;
	for (size_t row = 0; row < mining->n_rows && mining->n_missed < most; row++)
		if (held_out[row] && tree->nodes[tp_tree_leaf(tree, &mining->data, row)].label !=
					     mining->labels[row])
			mining->missed[mining->n_missed++] = explain_row(mining, row);
	return TP_OK;
}

/* --- forest --- */

/*
 * Bytes that learning takes at most: for each row and column a value and an entry of the tree's
 * lists; for each row the lists under way, labels and splits; the trees of the forest.
 */
static double bytes_of(const struct tp_mining *mining)
{
	enum { OF_A_VALUE = 16, OF_A_ROW = 128, OF_A_FOREST_ROW = 36 };
	double rows = (double)mining->n_rows;
	double bytes = rows * ((double)mining->n_features * OF_A_VALUE + OF_A_ROW);
	if (mining->job.learn & TP_MINE_FOREST)
		bytes += mining->job.n_trees * TP_MIN(rows, (double)FOREST_ROWS_MAX) *
			 OF_A_FOREST_ROW;
	return bytes;
}

static enum tp_status check_memory(const struct tp_mining *mining, struct tp_diag *diag)
{
	double bytes = bytes_of(mining);
	char needed[32], left[32];
	if (!mining->job.max_bytes || bytes <= (double)mining->job.max_bytes)
		return TP_OK;
	return tp_fail(diag, TP_RESOURCE, mining->source,
		       "allow more memory, or leave rows, columns or trees out: mine.filter, "
		       "mine.without, mine.trees",
		       "learning from %zu rows and %zu columns may take %s of memory, and %s are "
		       "left",
		       mining->n_rows, mining->n_features,
		       tp_format_bytes(needed, sizeof(needed), (uint64_t)bytes),
		       tp_format_bytes(left, sizeof(left), mining->job.max_bytes));
}

/* A data set of some of the rows: its row i is row rows[i] of the whole. */
static struct tp_dataset some_rows(struct tp_mining *mining, const uint32_t *rows, size_t n)
{
	const double **features = tp_mining_alloc(mining, mining->n_features, sizeof(*features));
	for (size_t f = 0; f < mining->n_features; f++) {
		double *values = tp_mining_alloc(mining, n, sizeof(*values));
		for (size_t i = 0; i < n; i++)
			values[i] = mining->features[f].values[rows[i]];
		features[f] = values;
	}
	return (struct tp_dataset){ n, mining->n_features, features, mining->data.n_categories };
}

/* The split is shuffled, so its first rows are drawn by the seed. */
static enum tp_status learn_from_some(struct tp_mining *mining, const struct tp_forest_rules *rules,
				      struct tp_diag *diag)
{
	size_t learned = mining->n_rows - mining->n_test, n_test = mining->n_test;
	size_t few = TP_MIN(learned, (size_t)FOREST_ROWS_MAX);
	size_t few_tests = TP_MIN(n_test, (size_t)FOREST_TESTS_MAX);
	uint32_t *rows = tp_mining_alloc(mining, few + few_tests, sizeof(*rows));
	unsigned *labels = tp_mining_alloc(mining, few + few_tests, sizeof(*labels));
	for (size_t i = 0; i < few; i++)
		rows[i] = mining->split[i];
	for (size_t i = 0; i < few_tests; i++)
		rows[few + i] = mining->split[learned + i];
	const struct tp_dataset data = some_rows(mining, rows, few + few_tests);
	for (size_t i = 0; i < few + few_tests; i++) {
		labels[i] = mining->labels[rows[i]];
		rows[i] = (uint32_t)i;
	}
	tp_diags_note(
		&mining->notes, "forest", NULL,
		"learns from %zu of %zu rows and is tested on %zu of %zu held-out ones, drawn at "
		"random",
		few, learned, few_tests, n_test);
	return tp_forest_learn(&mining->forest, &data, labels, mining->n_labels, rows, few_tests,
			       rules, diag);
}

static enum tp_status learn_forest(struct tp_mining *mining, struct tp_diag *diag)
{
	const struct tp_mine_job *job = &mining->job;
	const struct tp_forest_rules rules = {
		.n_trees = job->n_trees,
		.tree = { .criterion = job->rules.criterion, .min_leaf = job->rules.min_leaf },
		.seed = job->seed,
		.listener = &job->listener,
	};
	bool many = mining->n_rows - mining->n_test > FOREST_ROWS_MAX ||
		    mining->n_test > FOREST_TESTS_MAX;
	enum tp_status status = many ? learn_from_some(mining, &rules, diag)
				     : tp_forest_learn(&mining->forest, &mining->data,
						       mining->labels, mining->n_labels,
						       mining->split, mining->n_test, &rules, diag);
	mining->has_forest = status == TP_OK;
	return status;
}

static enum tp_status correlate(struct tp_mining *mining,
				struct tp_diag *diag __attribute__((unused)))
{
	size_t n = mining->n_features;
	if (!mining->target_values) {
		tp_diags_note(&mining->notes, mining->target, NULL,
			      "is words: nothing can be correlated with it");
		return TP_OK;
	}
	mining->correlation = tp_mining_alloc(mining, n, sizeof(*mining->correlation));
	mining->rank_correlation = tp_mining_alloc(mining, n, sizeof(*mining->rank_correlation));
	for (size_t f = 0; f < n; f++) {
		const struct tp_mine_feature *feature = &mining->features[f];
		mining->correlation[f] = mining->rank_correlation[f] = NAN;
		if (feature->words)
			continue;
		mining->correlation[f] =
			tp_correlation(feature->values, mining->target_values, mining->n_rows);
		mining->rank_correlation[f] =
			tp_rank_correlation(feature->values, mining->target_values, mining->n_rows);
	}
	mining->has_correlation = true;
	return TP_OK;
}

static enum tp_status learn_all(struct tp_mining *mining, struct tp_diag *diag)
{
	static const struct {
		unsigned what;
		const char *step;
		enum tp_status (*learn)(struct tp_mining *mining, struct tp_diag *diag);
	} steps[] = {
		{ TP_MINE_TREE, "learning a tree", learn_tree },
		{ TP_MINE_FOREST, "learning a forest", learn_forest },
		{ TP_MINE_KMEANS, "looking for groups", cluster },
		{ TP_MINE_REGRESSION, "fitting a line", regress },
		{ TP_MINE_CORRELATION, "correlating columns", correlate },
	};
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < TP_COUNT_OF(steps) && status == TP_OK; i++) {
		if (!(mining->job.learn & steps[i].what))
			continue;
		tp_progress(&mining->job.listener, steps[i].step, 0, 0);
		status = steps[i].learn(mining, diag);
	}
	return status;
}

static enum tp_status check_rows(const struct tp_mining *mining, struct tp_diag *diag)
{
	if (!(mining->job.learn & (TP_MINE_TREE | TP_MINE_FOREST)) ||
	    mining->n_rows >= TP_MINE_TREE_ROWS)
		return TP_OK;
	return tp_fail(diag, TP_USAGE, mining->source,
		       mining->point ? "measure more points, or --set "
				       "mine.learn=regression,correlation"
				     : "give more rows, or --set "
				       "mine.learn=regression,correlation",
		       "%zu rows are too few for a tree, which needs %d", mining->n_rows,
		       TP_MINE_TREE_ROWS);
}

enum tp_status tp_mine(struct tp_mining *mining, struct tp_frame *frame,
		       const struct tp_mine_job *job, struct tp_diag *diag)
{
	*mining = (struct tp_mining){ .job = *job,
				      .source = frame->name,
				      .point = tp_frame_find(frame, "point", NULL) };
	enum tp_status status = tp_mining_prepare(mining, frame, diag);
	if (status == TP_OK)
		status = tp_mining_plot_columns(mining, frame, diag);
	if (status == TP_OK)
		status = check_rows(mining, diag);
	if (status == TP_OK)
		status = check_memory(mining, diag);
	if (status == TP_OK)
		status = learn_all(mining, diag);
	if (status == TP_OK)
		judge(mining);
	else
		tp_mining_release(mining);
	return status;
}

void tp_mining_release(struct tp_mining *mining)
{
	tp_tree_release(&mining->tree);
	tp_forest_release(&mining->forest);
	tp_kmeans_release(&mining->kmeans);
	tp_linear_release(&mining->linear);
	tp_str_release(&mining->trust.verdict);
	tp_str_release(&mining->trust.limits);
	tp_str_release(&mining->trust.next);
	tp_diags_release(&mining->notes);
	tp_arena_release(&mining->arena);
	*mining = (struct tp_mining){ 0 };
}
