/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The search for the best question of a node. A row after the other goes from the right to the
 * left, and each time the value changes, that is a question. Sums over the labels change with one
 * row, so a question costs the same however many labels there are.
 */
#include "analysis/tree_parts.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/stop.h"
#include "base/vec.h"

enum { ROWS_AHEAD = 16 };

/* The rows of a node in two parts, and the best question so far. */
struct parts {
	const struct tp_tree_entry *list;
	const struct tp_tree_row *rows;
	const int64_t *table; /* of the measure */
	uint32_t *left, *right; /* rows of each label */
	int64_t sum_left, sum_right; /* of the measure, over labels */
	uint32_t n_left, n_right;
	size_t min_leaf;
	double tie; /* scores that differ by less are equal */
	double best; /* what a better score has to be above */
	double score;
	size_t begin, end; /* of the list: the rows that answer yes; empty = none is better */
};

enum tp_status tp_tree_measure_make(struct tp_tree_measure *measure, enum tp_criterion criterion,
				    uint32_t total, struct tp_diag *diag)
{
	*measure = (struct tp_tree_measure){ .criterion = criterion };
	if (criterion == TP_GINI)
		return TP_OK;
	measure->table = malloc(((size_t)total + 1) * sizeof(*measure->table));
	if (!measure->table)
		return tp_tree_no_memory(diag);

	/* The sum over all labels is at most that of one label with all rows. */
	double most = total > 1 ? total * log2(total) : 1;
	int bits = 61 - (int)ceil(log2(most));

	measure->table[0] = 0;
	for (size_t n = 1; n <= total; n++) {
		if (n % 65536 == 0 && tp_stop_asked)
			return tp_tree_cancelled(diag);
		measure->table[n] = llrint(ldexp((double)n * log2((double)n), bits));
	}
	return TP_OK;
}

void tp_tree_measure_release(struct tp_tree_measure *measure)
{
	free(measure->table);
	measure->table = NULL;
}

static inline int64_t value_of(const struct parts *p, enum tp_criterion criterion, uint32_t n)
{
	return criterion == TP_GINI ? (int64_t)n * n : p->table[n];
}

/* How much lower the impurity gets, but for what all questions of the node share. */
static inline double score_of(const struct parts *p, enum tp_criterion criterion)
{
	if (criterion == TP_GINI)
		return (double)p->sum_left / p->n_left + (double)p->sum_right / p->n_right;
	return (double)(p->sum_left - p->table[p->n_left] + (p->sum_right - p->table[p->n_right]));
}

/* Takes a row to the left, or back. */
static inline void move(struct parts *p, enum tp_criterion criterion, uint32_t at, bool back)
{
	struct tp_tree_row row = p->rows[at];
	uint32_t weight = back ? -row.weight : row.weight;
	uint32_t *left = &p->left[row.label], *right = &p->right[row.label];

	p->sum_left += value_of(p, criterion, *left + weight) - value_of(p, criterion, *left);
	p->sum_right += value_of(p, criterion, *right - weight) - value_of(p, criterion, *right);
	*left += weight;
	*right -= weight;
	p->n_left += weight;
	p->n_right -= weight;
}

static inline void consider(struct parts *p, enum tp_criterion criterion, size_t begin, size_t end)
{
	if (p->n_left < p->min_leaf || p->n_right < p->min_leaf)
		return;
	double score = score_of(p, criterion);

	if (!(score > p->best))
		return;
	p->best = score + p->tie;
	p->score = score;
	p->begin = begin;
	p->end = end;
}

/* Both take their own copy of the parts, so that the compiler can keep it in registers. */
static inline struct parts ask_threshold(struct parts p, enum tp_criterion criterion, size_t begin,
					 size_t end)
{
	for (size_t i = begin; i < end;) {
		uint32_t code = p.list[i].code;

		do {
			/* Rows lie all over the memory. */
			if (i + ROWS_AHEAD < end)
				__builtin_prefetch(&p.rows[p.list[i + ROWS_AHEAD].row]);
			move(&p, criterion, p.list[i].row, false);
			i++;
		} while (i < end && p.list[i].code == code);
		if (i < end)
			consider(&p, criterion, begin, i);
	}
	return p;
}

static inline struct parts ask_category(struct parts p, enum tp_criterion criterion, size_t begin,
					size_t end)
{
	for (size_t first = begin, i = begin; i < end; first = i) {
		uint32_t code = p.list[i].code;

		for (; i < end && p.list[i].code == code; i++)
			move(&p, criterion, p.list[i].row, false);
		consider(&p, criterion, first, i);
		for (size_t back = first; back < i; back++)
			move(&p, criterion, p.list[back].row, true);
	}
	return p;
}

static bool is_categorical(const struct tp_dataset *data, unsigned feature)
{
	return data->n_categories && data->n_categories[feature];
}

static void ask_feature(struct tp_tree_search *search, unsigned feature, size_t begin, size_t end,
			const double *counts, struct tp_tree_question *best)
{
	const struct tp_tree_sample *sample = search->sample;
	enum tp_criterion criterion = search->measure->criterion;
	struct parts p = { .list = sample->entries + (size_t)feature * sample->n,
			   .rows = sample->rows,
			   .table = search->measure->table,
			   .left = search->left,
			   .right = search->right,
			   .min_leaf = search->min_leaf };

	for (unsigned label = 0; label < sample->n_labels; label++) {
		p.left[label] = 0;
		p.right[label] = (uint32_t)counts[label];
		p.sum_right += value_of(&p, criterion, p.right[label]);
		p.n_right += p.right[label];
	}
	/* Some roundings of a double, or of entries of the table. */
	p.tie = 8 * DBL_EPSILON *
		(double)(criterion == TP_GINI ? p.n_right : p.table[sample->total]);
	p.best = best->found ? best->score + p.tie : -INFINITY;
	/* One copy of the loops for each criterion: the compiler leaves out what it does not need.
	 */
	if (is_categorical(sample->data, feature))
		p = criterion == TP_GINI ? ask_category(p, TP_GINI, begin, end)
					 : ask_category(p, TP_ENTROPY, begin, end);
	else
		p = criterion == TP_GINI ? ask_threshold(p, TP_GINI, begin, end)
					 : ask_threshold(p, TP_ENTROPY, begin, end);
	if (p.end > p.begin)
		*best = (struct tp_tree_question){ .found = true,
						   .feature = feature,
						   .begin = p.begin,
						   .end = p.end,
						   .score = p.score };
}

/* Half way between the two values; the lower one if they are so close that half way is the other.
 */
static double threshold_of(const struct tp_tree_sample *sample,
			   const struct tp_tree_question *question)
{
	const struct tp_tree_entry *list = sample->entries + (size_t)question->feature * sample->n;
	const double *values = sample->data->features[question->feature];

	if (is_categorical(sample->data, question->feature))
		return list[question->begin].code;
	double below = values[list[question->end - 1].row], above = values[list[question->end].row];
	double between = below / 2 + above / 2;

	return between < below || between >= above ? below : between;
}

/* What the rows have before they are parted, in the units of scores. */
static double score_of_none(const struct tp_tree_search *search, const double *counts)
{
	const struct tp_tree_measure *measure = search->measure;
	struct parts p = { .table = measure->table };

	for (unsigned label = 0; label < search->sample->n_labels; label++) {
		p.sum_left += value_of(&p, measure->criterion, (uint32_t)counts[label]);
		p.n_left += (uint32_t)counts[label];
	}
	return measure->criterion == TP_GINI ? (double)p.sum_left / p.n_left
					     : (double)(p.sum_left - p.table[p.n_left]);
}

struct tp_tree_question tp_tree_ask(struct tp_tree_search *search, size_t begin, size_t end,
				    const double *counts)
{
	const struct tp_tree_sample *sample = search->sample;
	unsigned n = (unsigned)sample->data->n_features, n_varied = 0;
	bool drawn = search->tried_features < n;
	unsigned *order = search->draw.order;
	struct tp_tree_question best = { 0 };

	/* Like scikit-learn's: those that do not vary here count as tried, but not alone. */
	for (unsigned i = 0; i < n && !tp_stop_asked; i++) {
		if (i >= search->tried_features && n_varied)
			break;
		unsigned at =
			drawn ? i + (unsigned)(tp_splitmix64(&search->draw.random) % (n - i)) : i;
		unsigned feature = order[at];
		const struct tp_tree_entry *list = sample->entries + (size_t)feature * sample->n;

		order[at] = order[i];
		order[i] = feature;
		if (list[begin].code == list[end - 1].code)
			continue;
		n_varied++;
		ask_feature(search, feature, begin, end, counts, &best);
	}
	if (best.found) {
		best.threshold = threshold_of(sample, &best);
		best.gain = best.score - score_of_none(search, counts);
	}
	return best;
}
