/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/tree.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/density.h"
#include "analysis/stats.h"
#include "analysis/tree_parts.h"
#include "base/random.h"
#include "base/process.h"
#include "base/memory.h"

/* The sorted lists that trees grow from. They are sorted once; nodes part them and keep the order.
 */

enum { DIGIT_BITS = 11, DIGITS = 6, DIGIT_VALUES = 1 << DIGIT_BITS };

struct keyed {
	uint64_t key;
	uint32_t row;
};

enum tp_status tp_tree_cancelled(struct tp_diag *diag)
{
	return tp_fail(diag, TP_CANCELLED, NULL, NULL, "cancelled");
}

/* Whole numbers in the order of the values; both zeros are one. */
static uint64_t key_of(double value)
{
	uint64_t bits;

	value += 0.0;
	memcpy(&bits, &value, sizeof(bits));
	return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

/*
 * Sorts by key, and rows with equal keys stay in order: digit by digit from the last (radix sort).
 * Digits that all keys share cost nothing but counting. Returns where the result is: in `a` or `b`.
 */
static struct keyed *sort_keys(struct keyed *a, struct keyed *b, size_t n,
			       uint32_t (*counts)[DIGIT_VALUES])
{
	memset(counts, 0, DIGITS * sizeof(*counts));
	for (size_t i = 0; i < n; i++)
		for (unsigned d = 0; d < DIGITS; d++)
			counts[d][a[i].key >> d * DIGIT_BITS & (DIGIT_VALUES - 1)]++;
	for (unsigned d = 0; n && d < DIGITS; d++) {
		unsigned shift = d * DIGIT_BITS;
		uint32_t *count = counts[d], before = 0;

		if (tp_stop_asked)
			return a; /* the caller looks, too */
		if (count[a[0].key >> shift & (DIGIT_VALUES - 1)] == n)
			continue;
		for (unsigned v = 0; v < DIGIT_VALUES; v++) {
			uint32_t here = count[v];
			count[v] = before;
			before += here;
		}
		for (size_t i = 0; i < n; i++)
			b[count[a[i].key >> shift & (DIGIT_VALUES - 1)]++] = a[i];
		struct keyed *sorted = b;
		b = a;
		a = sorted;
	}
	return a;
}

static bool is_categorical(const struct tp_dataset *data, unsigned feature)
{
	return data->n_categories && data->n_categories[feature];
}

static void make_list(struct tp_tree_sample *sample, unsigned f, struct keyed *a, struct keyed *b,
		      uint32_t (*counts)[DIGIT_VALUES])
{
	const struct tp_dataset *data = sample->data;
	const double *values = data->features[f];
	struct tp_tree_entry *list = sample->entries + f * sample->n;
	uint32_t code = 0;
	size_t n = 0;

	for (size_t row = 0; row < data->n_rows; row++)
		if (sample->rows[row].weight)
			a[n++] = (struct keyed){ key_of(values[row]), (uint32_t)row };
	const struct keyed *sorted = sort_keys(a, b, n, counts);
	for (size_t i = 0; i < n; i++) {
		if (is_categorical(data, f))
			code = (uint32_t)values[sorted[i].row];
		else if (i && sorted[i].key != sorted[i - 1].key)
			code++;
		list[i] = (struct tp_tree_entry){ sorted[i].row, code };
	}
}

enum tp_status tp_tree_weigh(struct tp_tree_sample *sample, const unsigned *labels,
			     const uint32_t *rows, size_t n, struct tp_diag *diag)
{
	size_t n_rows = sample->data->n_rows;

	if (n_rows > INT32_MAX || n > INT32_MAX)
		return tp_fail(diag, TP_USAGE, NULL, NULL, "more than %d rows", INT32_MAX);
	sample->rows = tp_alloc(n_rows, sizeof(*sample->rows));
	for (size_t i = 0; i < n; i++)
		sample->rows[rows ? rows[i] : i].weight++;
	sample->total = (uint32_t)n;
	for (size_t row = 0; row < n_rows; row++) {
		sample->rows[row].label = labels[row];
		sample->n += sample->rows[row].weight != 0;
	}
	return TP_OK;
}

static void make_entries(struct tp_tree_sample *sample)
{
	sample->entries = tp_alloc(sample->data->n_features * sample->n, sizeof(*sample->entries));
}

enum tp_status tp_tree_sort(struct tp_tree_sample *sample, struct tp_diag *diag)
{
	TP_FREE struct keyed *a = tp_alloc(sample->n, sizeof(*a));
	TP_FREE struct keyed *b = tp_alloc(sample->n, sizeof(*b));
	TP_FREE uint32_t(*counts)[DIGIT_VALUES] = tp_alloc(DIGITS, sizeof(*counts));

	make_entries(sample);
	for (unsigned f = 0; f < sample->data->n_features; f++) {
		make_list(sample, f, a, b, counts);
		if (tp_stop_asked)
			return tp_tree_cancelled(diag);
	}
	return TP_OK;
}

enum tp_status tp_tree_pick(struct tp_tree_sample *sample, const struct tp_tree_sample *from,
			    struct tp_diag *diag)
{
	make_entries(sample);
	for (size_t f = 0; f < sample->data->n_features; f++) {
		const struct tp_tree_entry *all = from->entries + f * from->n;
		struct tp_tree_entry *list = sample->entries + f * sample->n;

		if (tp_stop_asked)
			return tp_tree_cancelled(diag);
		for (size_t i = 0; i < from->n; i++)
			if (sample->rows[all[i].row].weight)
				*list++ = all[i];
	}
	return TP_OK;
}

void tp_tree_sample_release(struct tp_tree_sample *sample)
{
	free(sample->rows);
	free(sample->entries);
	*sample = (struct tp_tree_sample){ 0 };
}

/*
 * The search for the best question of a node. A row after the other goes from the right to the
 * left, and each time the value changes, that is a question. Sums over the labels change with one
 * row, so a question costs the same however many labels there are.
 */

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
	double best; /* the score that a better one must exceed */
	double score;
	size_t begin, end; /* of the list: the rows that answer yes; empty = no better question */
};

enum tp_status tp_tree_measure_make(struct tp_tree_measure *measure, enum tp_criterion criterion,
				    uint32_t total, struct tp_diag *diag)
{
	*measure = (struct tp_tree_measure){ .criterion = criterion };
	if (criterion == TP_GINI)
		return TP_OK;
	measure->table = tp_alloc((size_t)total + 1, sizeof(*measure->table));

	/* The sum over all labels is at most that of one label with all rows. */
	double most = total > 1 ? total * log2(total) : 1;
	int bits = 61 - (int)ceil(log2(most));

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
			/* Rows are scattered over memory. */
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
	/* Some roundings of a double, or of table entries. */
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

/*
 * The best question for the rows begin..end-1 of the lists, whose labels are counted in `counts`.
 * It is not found if no question parts them.
 */
static struct tp_tree_question tree_ask(struct tp_tree_search *search, size_t begin, size_t end,
					const double *counts)
{
	const struct tp_tree_sample *sample = search->sample;
	unsigned n = (unsigned)sample->data->n_features, n_varied = 0;
	bool drawn = search->tried_features < n;
	unsigned *order = search->draw.order;
	struct tp_tree_question best = { 0 };

	/*
	 * As in scikit-learn: features that are constant here count as tried, but not if all are.
	 */
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

/* --- by density --- */

/* A peak and the lowest place between it and the next one. */
struct peak {
	size_t at, minimum;
};

struct peaks {
	struct peak items[TP_DENSITY_POINTS];
	size_t n;
};

/* The middle of the lowest stretch between two places: a gap is cut in its middle. */
static size_t lowest(const double *y, size_t from, size_t to)
{
	size_t at = from, last;
	for (size_t i = from; i <= to; i++)
		if (y[i] < y[at])
			at = i;
	double flat = y[at] + 1e-6 * fmin(y[from], y[to]);
	for (last = at; last < to && y[last + 1] <= flat; last++)
		;
	while (at > from && y[at - 1] <= flat)
		at--;
	return (at + last) / 2;
}

static void find_peaks(struct peaks *p, const double *y)
{
	p->n = 0;
	for (size_t i = 0; i < TP_DENSITY_POINTS; i++) {
		size_t end = i;
		while (end + 1 < TP_DENSITY_POINTS && y[end + 1] == y[i])
			end++;
		bool rises = i == 0 || y[i - 1] < y[i];
		bool falls = end + 1 == TP_DENSITY_POINTS || y[end + 1] < y[i];
		if (rises && falls && y[i] > 0)
			p->items[p->n++].at = (i + end) / 2;
		i = end;
	}
	for (size_t i = 0; i + 1 < p->n; i++)
		p->items[i].minimum = lowest(y, p->items[i].at, p->items[i + 1].at);
}

/* How far peak i stands above the higher of the minima beside it; beyond the ends there is 0. */
static double height(const struct peaks *p, const double *y, size_t i)
{
	double left = i ? y[p->items[i - 1].minimum] : 0;
	double right = i + 1 < p->n ? y[p->items[i].minimum] : 0;
	return y[p->items[i].at] - fmax(left, right);
}

static void drop_low_ones(struct peaks *p, const double *y, double prominence)
{
	double highest = 0;
	for (size_t i = 0; i < p->n; i++)
		highest = fmax(highest, y[p->items[i].at]);
	while (p->n > 1) {
		size_t least = 0;
		for (size_t i = 1; i < p->n; i++)
			if (height(p, y, i) < height(p, y, least))
				least = i;
		if (height(p, y, least) >= prominence * highest && p->n <= TP_CATEGORIES_MAX)
			return;
		/* The peak joins the neighbour across the higher minimum. */
		bool has_left = least > 0, has_right = least + 1 < p->n;
		bool joins_left = has_left && (!has_right || y[p->items[least - 1].minimum] >=
								     y[p->items[least].minimum]);
		if (joins_left)
			p->items[least - 1].minimum = p->items[least].minimum;
		memmove(&p->items[least], &p->items[least + 1],
			(p->n - least - 1) * sizeof(p->items[0]));
		p->n--;
	}
}

/* Where a parabola through the three points of a peak is highest. */
static double summit(const struct tp_density *d, size_t i)
{
	if (i == 0 || i + 1 == TP_DENSITY_POINTS)
		return d->x[i];
	double bend = d->y[i - 1] - 2 * d->y[i] + d->y[i + 1];
	double shift = bend < 0 ? 0.5 * (d->y[i - 1] - d->y[i + 1]) / bend : 0;
	return d->x[i] + fmin(fmax(shift, -0.5), 0.5) * (d->x[i + 1] - d->x[i]);
}

static double value_at(const struct tp_density *d, double x)
{
	return d->log ? pow(10, x) : x;
}

void tp_categories_by_density(struct tp_categories *c, const struct tp_density *d,
			      double prominence)
{
	struct peaks p;
	find_peaks(&p, d->y);
	drop_low_ones(&p, d->y, prominence);
	c->n = (unsigned)p.n;
	for (size_t i = 0; i < p.n; i++) {
		c->peaks[i] = value_at(d, summit(d, p.items[i].at));
		if (i + 1 < p.n)
			c->cuts[i] =
				value_at(d, d->x[lowest(d->y, p.items[i].at, p.items[i + 1].at)]);
	}
	if (p.n)
		return;
	c->n = 1;
	c->peaks[0] = value_at(d, d->x[TP_DENSITY_POINTS / 2]);
}

/* --- by bins and quantiles --- */

static enum tp_status check(const double *values, size_t n, double *low, double *high,
			    struct tp_diag *diag)
{
	if (n == 0)
		return tp_fail(diag, TP_USAGE, "categories", NULL, "there are no values");
	if (!tp_range_of(values, n, low, high) || !isfinite(*high - *low))
		return tp_fail(diag, TP_USAGE, "categories", "leave out these rows",
			       "a value is not a finite number, or too large");
	return TP_OK;
}

static enum tp_status check_count(unsigned count, struct tp_diag *diag)
{
	if (count >= 1 && count <= TP_CATEGORIES_MAX)
		return TP_OK;
	return tp_fail(diag, TP_USAGE, "categories", "give 1 to 64", "%u categories", count);
}

enum tp_status tp_categories_by_bins(struct tp_categories *c, const double *values, size_t n,
				     unsigned count, double step, struct tp_diag *diag)
{
	double low, high, from;
	enum tp_status status = check(values, n, &low, &high, diag);
	if (status != TP_OK)
		return status;
	if (count) {
		status = check_count(count, diag);
		from = low;
		count = high > low ? count : 1;
		step = (high - low) / count;
	} else if (!(step > 0) || !isfinite(step)) {
		status = tp_fail(diag, TP_USAGE, "categories", "give a step above 0",
				 "bins of width %g", step);
	} else {
		from = floor(low / step) * step;
		double bins = floor(high / step) - floor(low / step) + 1;
		if (bins > TP_CATEGORIES_MAX)
			status = tp_fail(diag, TP_USAGE, "categories", "give a larger step",
					 "bins of width %g make %.0f categories, at most %d are "
					 "possible",
					 step, bins, TP_CATEGORIES_MAX);
		else
			count = (unsigned)bins;
	}
	if (status != TP_OK)
		return status;
	c->n = 0;
	for (unsigned i = 0; i < count; i++) {
		double cut = from + (i + 1) * step;
		c->peaks[c->n] = from + (i + 0.5) * step;
		/* Bins narrower than the resolution of doubles are one. */
		if (i + 1 < count && cut > (c->n ? c->cuts[c->n - 1] : from))
			c->cuts[c->n++] = cut;
	}
	c->n++;
	return TP_OK;
}

/* The border between two different values that is nearest to place `at`; 0 = there is none. */
static size_t border_near(const double *sorted, size_t n, size_t at)
{
	for (size_t far = 0; far < n; far++) {
		size_t below = at > far ? at - far : 0, above = at + far;
		if (below && below < n && sorted[below - 1] < sorted[below])
			return below;
		if (above && above < n && sorted[above - 1] < sorted[above])
			return above;
		if (!below && above >= n)
			break;
	}
	return 0;
}

/* A number above a, at most b, that rounding or a short text does not move to the other side. */
static double between(double a, double b)
{
	double middle = a + (b - a) / 2;
	return middle > a ? middle : b;
}

enum tp_status tp_categories_by_quantiles(struct tp_categories *c, const double *values, size_t n,
					  unsigned count, struct tp_diag *diag)
{
	double low, high;
	size_t first = 0;
	enum tp_status status = check(values, n, &low, &high, diag);
	if (status == TP_OK)
		status = check_count(count, diag);
	if (status != TP_OK)
		return status;
	TP_FREE double *sorted = tp_alloc(n, sizeof(*sorted));
	tp_sort_copy(values, n, sorted);
	c->n = 0;
	for (unsigned i = 1; i < count; i++) {
		size_t at = border_near(sorted, n, (size_t)((double)n * i / count + 0.5));
		if (at <= first)
			continue; /* equal values leave no room for another */
		c->cuts[c->n] = between(sorted[at - 1], sorted[at]);
		c->peaks[c->n++] = tp_median_sorted(sorted + first, at - first);
		first = at;
	}
	c->peaks[c->n++] = tp_median_sorted(sorted + first, n - first);
	return TP_OK;
}

unsigned tp_category_of(const struct tp_categories *c, double value)
{
	unsigned i = 0;
	while (i + 1 < c->n && value >= c->cuts[i])
		i++;
	return i;
}

static double tree_impurity(enum tp_criterion criterion, const double *counts, unsigned n_labels,
			    double rows)
{
	double squares = 0, entropy = 0;

	if (!(rows > 0))
		return 0;
	for (unsigned label = 0; label < n_labels; label++) {
		double share = counts[label] / rows;

		squares += counts[label] * counts[label];
		if (share > 0)
			entropy -= share * log2(share);
	}
	return criterion == TP_GINI ? 1 - squares / (rows * rows) : entropy;
}

enum tp_status tp_tree_learn(struct tp_tree *tree, const struct tp_dataset *data,
			     const unsigned *labels, unsigned n_labels, const uint32_t *rows,
			     size_t n, const struct tp_tree_rules *rules, struct tp_diag *diag)
{
	struct tp_tree_sample sample = { .data = data, .n_labels = n_labels };
	struct tp_tree_measure measure = { 0 };
	enum tp_status status = tp_tree_weigh(&sample, labels, rows, rows ? n : data->n_rows, diag);

	if (!status)
		status = tp_tree_sort(&sample, diag);
	if (!status)
		status = tp_tree_measure_make(&measure, rules->criterion, sample.total, diag);
	if (!status)
		status = tp_tree_grow(tree, &sample, &measure, rules, diag);
	if (status)
		tp_tree_release(tree);
	tp_tree_measure_release(&measure);
	tp_tree_sample_release(&sample);
	return status;
}

bool tp_tree_answer(const struct tp_dataset *data, const struct tp_tree_node *node, size_t row)
{
	double value = data->features[node->feature][row];

	return is_categorical(data, node->feature) ? value == node->threshold
						   : value <= node->threshold;
}

size_t tp_tree_leaf_below(const struct tp_tree *tree, const struct tp_dataset *data, size_t at,
			  size_t row)
{
	while (!tree->nodes[at].leaf) {
		const struct tp_tree_node *node = &tree->nodes[at];

		at = tp_tree_answer(data, node, row) ? node->yes : node->no;
	}
	return at;
}

size_t tp_tree_leaf(const struct tp_tree *tree, const struct tp_dataset *data, size_t row)
{
	return tp_tree_leaf_below(tree, data, 0, row);
}

/* Removes unreachable nodes; the others keep their order. */
static void close_ranks(struct tp_tree *tree, size_t *places)
{
	size_t n = 0;

	for (size_t i = 0; i < tree->n; i++)
		places[i] = SIZE_MAX;
	places[0] = 0;
	tree->n_leaves = 0;
	for (size_t i = 0; i < tree->n; i++) {
		struct tp_tree_node *node = &tree->nodes[i];

		if (places[i] == SIZE_MAX)
			continue;
		tree->n_leaves += node->leaf;
		if (!node->leaf)
			places[node->yes] = places[node->no] = 0; /* reached; set in their turn */
		for (unsigned label = 0; label < tree->n_labels; label++)
			tree->counts[n * tree->n_labels + label] =
				tree->counts[i * tree->n_labels + label];
		places[i] = n;
		tree->nodes[n++] = *node;
	}
	tree->n = n;
	for (size_t i = 0; i < n; i++) {
		if (tree->nodes[i].leaf)
			continue;
		tree->nodes[i].yes = places[tree->nodes[i].yes];
		tree->nodes[i].no = places[tree->nodes[i].no];
	}
}

/*
 * The smallest tree with the lowest impurity + alpha * leaves (Breiman et al., theorem 3.10): from
 * the leaves on, a branch becomes a leaf if it saves at most alpha for each leaf.
 */
static void tree_prune(struct tp_tree *tree, double alpha)
{
	if (!(alpha > 0))
		return;
	double total = tree->nodes[0].rows;
	TP_FREE double *risks = tp_alloc(tree->n, sizeof(*risks)); /* of branches */
	TP_FREE size_t *leaves = tp_alloc(tree->n, sizeof(*leaves));

	for (size_t i = tree->n; i-- > 0;) {
		struct tp_tree_node *node = &tree->nodes[i];
		double risk = total > 0 ? node->rows / total * node->impurity : 0;

		risks[i] = risk;
		leaves[i] = 1;
		if (node->leaf)
			continue;
		risks[i] = risks[node->yes] + risks[node->no];
		leaves[i] = leaves[node->yes] + leaves[node->no];
		if ((risk - risks[i]) / (double)(leaves[i] - 1) > alpha)
			continue;
		node->leaf = true;
		node->feature = 0;
		node->threshold = 0;
		node->yes = node->no = 0;
		risks[i] = risk;
		leaves[i] = 1;
	}
	close_ranks(tree, leaves);
}

void tp_tree_release(struct tp_tree *tree)
{
	free(tree->nodes);
	free(tree->counts);
	free(tree->importance);
	*tree = (struct tp_tree){ 0 };
}

/* For one label: how many rows are held out, and the remaining fraction of a row. */
struct share {
	unsigned label;
	size_t held;
	double fraction;
};

static int by_fraction(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	if (x->fraction != y->fraction)
		return x->fraction > y->fraction ? -1 : 1;
	return x->label < y->label ? -1 : 1;
}

/* In proportion; remaining rows go to the largest fractions. */
static void share_out(struct share *shares, const size_t *counts, unsigned n_labels, size_t n_rows,
		      size_t n_test)
{
	size_t left = n_test;

	for (unsigned label = 0; label < n_labels; label++) {
		size_t wanted = counts[label] * n_test; /* in parts of n_rows */

		shares[label] = (struct share){ label, wanted / n_rows, (double)(wanted % n_rows) };
		left -= shares[label].held;
	}
	qsort(shares, n_labels, sizeof(*shares), by_fraction);
	for (size_t i = 0; i < left; i++)
		shares[i].held++;
}

void tp_split_rows(const unsigned *labels, unsigned n_labels, size_t n_rows, double test_share,
		   uint64_t seed, uint32_t *rows, size_t *n_test)
{
	TP_FREE size_t *counts = tp_alloc(n_labels, sizeof(*counts));
	TP_FREE struct share *shares = tp_alloc(n_labels, sizeof(*shares));
	TP_FREE uint32_t *shuffled = tp_alloc(n_rows, sizeof(*shuffled));

	*n_test = 0;
	if (!n_rows)
		return;
	double wanted = round(TP_MIN(TP_MAX(test_share, 0), 1) * (double)n_rows);
	*n_test = TP_MIN((size_t)wanted, n_rows - 1);
	for (size_t i = 0; i < n_rows; i++) {
		shuffled[i] = (uint32_t)i;
		counts[labels[i]]++;
	}
	tp_shuffle(shuffled, n_rows, sizeof(*shuffled), seed);
	share_out(shares, counts, n_labels, n_rows, *n_test);
	for (unsigned i = 0; i < n_labels; i++)
		counts[shares[i].label] -= shares[i].held; /* what is learned from */
	size_t learned = 0, tested = n_rows - *n_test;

	for (size_t i = 0; i < n_rows; i++) {
		size_t *still = &counts[labels[shuffled[i]]];

		if (*still) {
			rows[learned++] = shuffled[i];
			--*still;
		} else {
			rows[tested++] = shuffled[i];
		}
	}
}

/* With many labels, the counts of a tree's nodes take most memory. */
enum { COUNTS_MAX = 1 << 27 };

/* A leaf that has a question, and its rows in the lists. */
struct open_node {
	size_t node, begin, end;
	struct tp_tree_question question;
};

struct grower {
	struct tp_tree *tree;
	struct tp_tree_sample *sample;
	struct tp_tree_rules rules; /* zeros mean exactly these values */
	struct tp_tree_search search;
	struct open_node *open; /* a heap of the best ones if leaves are limited, else a stack */
	size_t n_open, open_cap, nodes_cap, counts_cap;
	uint8_t *yes; /* of each row of the data: its answer to the current question */
	struct tp_tree_entry *no; /* scratch for parting */
	struct tp_diag *diag;
};

static enum tp_status add_node(struct grower *g, unsigned depth, size_t *added)
{
	struct tp_tree *tree = g->tree;

	if ((tree->n + 1) * tree->n_labels > COUNTS_MAX)
		return tp_fail(g->diag, TP_RESOURCE, NULL, "limit the depth, or use fewer labels",
			       "%zu nodes of a tree with %u labels are too many", tree->n + 1,
			       tree->n_labels);
	TP_RESERVE(tree->nodes, g->nodes_cap, tree->n + 1);
	TP_RESERVE(tree->counts, g->counts_cap, TP_MAX((tree->n + 1) * tree->n_labels, 1));
	tree->nodes[tree->n] = (struct tp_tree_node){ .depth = depth, .leaf = true };
	memset(&tree->counts[tree->n * tree->n_labels], 0, tree->n_labels * sizeof(*tree->counts));
	*added = tree->n++;
	return TP_OK;
}

static double *counts_of(const struct grower *g, size_t node)
{
	return &g->tree->counts[node * g->tree->n_labels];
}

static void sum_up(struct grower *g, size_t at)
{
	struct tp_tree_node *node = &g->tree->nodes[at];
	const double *counts = counts_of(g, at);

	for (unsigned label = 0; label < g->tree->n_labels; label++) {
		node->rows += counts[label];
		if (counts[label] > counts[node->label])
			node->label = label;
	}
	node->impurity = tree_impurity(g->rules.criterion, counts, g->tree->n_labels, node->rows);
}

static bool must_be_leaf(const struct grower *g, size_t at)
{
	const struct tp_tree_node *node = &g->tree->nodes[at];

	return node->depth >= g->rules.max_depth || node->rows < (double)g->rules.min_split ||
	       node->rows < 2 * (double)g->rules.min_leaf ||
	       node->rows <= counts_of(g, at)[node->label];
}

/* Larger gains first; among equal ones the older node. */
static bool comes_before(const struct open_node *a, const struct open_node *b)
{
	if (a->question.gain != b->question.gain)
		return a->question.gain > b->question.gain;
	return a->node < b->node;
}

/* An open node goes up or down the heap to its place. */
static void settle(struct grower *g, size_t at)
{
	struct open_node *open = g->open, moved = open[at];

	while (at && comes_before(&moved, &open[(at - 1) / 2])) {
		open[at] = open[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	for (size_t child = 2 * at + 1; child < g->n_open; child = 2 * at + 1) {
		if (child + 1 < g->n_open && comes_before(&open[child + 1], &open[child]))
			child++;
		if (!comes_before(&open[child], &moved))
			break;
		open[at] = open[child];
		at = child;
	}
	open[at] = moved;
}

/* Looks for the question of a new node. Without one it stays a leaf. */
static enum tp_status open_node(struct grower *g, size_t node, size_t begin, size_t end)
{
	struct open_node opened = { .node = node, .begin = begin, .end = end };

	if (must_be_leaf(g, node))
		return TP_OK;
	opened.question = tree_ask(&g->search, begin, end, counts_of(g, node));
	if (tp_stop_asked)
		return tp_tree_cancelled(g->diag);
	if (!opened.question.found)
		return TP_OK;
	TP_RESERVE(g->open, g->open_cap, g->n_open + 1);
	g->open[g->n_open++] = opened;
	if (g->rules.max_leaves)
		settle(g, g->n_open - 1);
	return TP_OK;
}

static struct open_node take_open(struct grower *g)
{
	struct open_node taken = g->open[--g->n_open];

	if (g->rules.max_leaves && g->n_open) {
		struct open_node last = taken;

		taken = g->open[0];
		g->open[0] = last;
		settle(g, 0);
	}
	return taken;
}

/* In every list, the rows that answer yes come first, and the order stays otherwise. */
static void part_lists(struct grower *g, const struct open_node *open)
{
	const struct tp_tree_question *question = &open->question;
	size_t n = g->sample->n;
	const struct tp_tree_entry *asked = g->sample->entries + question->feature * n;

	for (size_t i = open->begin; i < open->end; i++)
		g->yes[asked[i].row] = i >= question->begin && i < question->end;
	for (size_t f = 0; f < g->sample->data->n_features && !tp_stop_asked; f++) {
		struct tp_tree_entry *list = g->sample->entries + f * n;
		size_t n_yes = open->begin, n_no = 0;

		/*
		 * Features that are constant over the rows are not tried again, whatever their
		 * order.
		 */
		if (list[open->begin].code == list[open->end - 1].code)
			continue;
		for (size_t i = open->begin; i < open->end; i++) {
			struct tp_tree_entry entry = list[i];
			uint8_t yes = g->yes[entry.row];

			list[n_yes] = entry;
			g->no[n_no] = entry;
			n_yes += yes;
			n_no += !yes;
		}
		memcpy(&list[n_yes], g->no, n_no * sizeof(*list));
	}
}

static enum tp_status split(struct grower *g, const struct open_node *open)
{
	const struct tp_tree_question *question = &open->question;
	const struct tp_tree_sample *sample = g->sample;
	const struct tp_tree_entry *asked = sample->entries + question->feature * sample->n;
	unsigned depth = g->tree->nodes[open->node].depth + 1;
	size_t middle = open->begin + question->end - question->begin;
	size_t yes = 0, no = 0;
	enum tp_status status = add_node(g, depth, &yes);

	if (!status)
		status = add_node(g, depth, &no);
	if (status)
		return status;
	struct tp_tree_node *node = &g->tree->nodes[open->node];
	double *all = counts_of(g, open->node), *of_yes = counts_of(g, yes),
	       *of_no = counts_of(g, no);

	node->leaf = false;
	node->feature = question->feature;
	node->threshold = question->threshold;
	node->yes = yes;
	node->no = no;
	g->tree->n_leaves++;
	for (size_t i = question->begin; i < question->end; i++) {
		struct tp_tree_row row = sample->rows[asked[i].row];

		of_yes[row.label] += row.weight;
	}
	for (unsigned label = 0; label < g->tree->n_labels; label++)
		of_no[label] = all[label] - of_yes[label];
	sum_up(g, yes);
	sum_up(g, no);
	if (must_be_leaf(g, yes) && must_be_leaf(g, no))
		return TP_OK;
	part_lists(g, open);
	status = open_node(g, yes, open->begin, middle);
	return status ? status : open_node(g, no, middle, open->end);
}

static enum tp_status make_root(struct grower *g)
{
	const struct tp_tree_sample *sample = g->sample;
	size_t root = 0;
	enum tp_status status = add_node(g, 0, &root);

	if (status)
		return status;
	double *counts = counts_of(g, root);

	for (size_t row = 0; row < sample->data->n_rows; row++)
		if (sample->rows[row].weight)
			counts[sample->rows[row].label] += sample->rows[row].weight;
	if (sample->total)
		sum_up(g, root);
	g->tree->n_leaves = 1;
	return sample->total ? open_node(g, root, 0, sample->n) : TP_OK;
}

static void weigh_features(struct tp_tree *tree, size_t n_features)
{
	double sum = 0;

	for (size_t i = 0; i < tree->n; i++) {
		const struct tp_tree_node *node = &tree->nodes[i];

		tree->depth = TP_MAX(tree->depth, node->depth);
		if (node->leaf)
			continue;
		const struct tp_tree_node *yes = &tree->nodes[node->yes],
					  *no = &tree->nodes[node->no];
		tree->importance[node->feature] += node->rows * node->impurity -
						   yes->rows * yes->impurity -
						   no->rows * no->impurity;
	}
	for (size_t f = 0; f < n_features; f++)
		sum += tree->importance[f];
	for (size_t f = 0; f < n_features; f++)
		tree->importance[f] = sum > 0 ? tree->importance[f] / sum : 0;
}

static void prepare(struct grower *g, const struct tp_tree_measure *measure)
{
	size_t n_features = g->sample->data->n_features;
	size_t n_labels = g->sample->n_labels;
	struct tp_tree_search *search = &g->search;

	search->sample = g->sample;
	search->measure = measure;
	search->min_leaf = g->rules.min_leaf;
	search->tried_features = g->rules.tried_features;
	search->draw.random = g->rules.seed;
	search->draw.order = tp_alloc(n_features, sizeof(*search->draw.order));
	search->left = tp_alloc(n_labels, sizeof(*search->left));
	search->right = tp_alloc(n_labels, sizeof(*search->right));
	g->yes = tp_alloc(g->sample->data->n_rows, 1);
	g->no = tp_alloc(g->sample->n, sizeof(*g->no));
	g->tree->importance = tp_alloc(n_features, sizeof(*g->tree->importance));
	g->tree->n_labels = g->sample->n_labels;
	for (unsigned f = 0; f < n_features; f++)
		search->draw.order[f] = f;
}

enum tp_status tp_tree_grow(struct tp_tree *tree, struct tp_tree_sample *sample,
			    const struct tp_tree_measure *measure,
			    const struct tp_tree_rules *rules, struct tp_diag *diag)
{
	struct grower g = { .tree = tree, .sample = sample, .rules = *rules, .diag = diag };

	if (!g.rules.max_depth)
		g.rules.max_depth = UINT32_MAX;
	g.rules.min_split = TP_MAX(rules->min_split, 2);
	g.rules.min_leaf = TP_MAX(rules->min_leaf, 1);
	if (!g.rules.tried_features || g.rules.tried_features > sample->data->n_features)
		g.rules.tried_features = (unsigned)sample->data->n_features;
	prepare(&g, measure);
	enum tp_status status = make_root(&g);

	while (!status && g.n_open && (!rules->max_leaves || tree->n_leaves < rules->max_leaves)) {
		struct open_node open = take_open(&g);

		status = split(&g, &open);
	}
	if (!status) {
		tree_prune(tree, rules->prune_alpha);
		weigh_features(tree, sample->data->n_features);
	}
	free(g.search.draw.order);
	free(g.search.left);
	free(g.search.right);
	free(g.open);
	free(g.yes);
	free(g.no);
	return status;
}
