/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sorted lists that trees grow from. They are sorted once; nodes part them and keep the order.
 */
#include "analysis/tree_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "base/vec.h"

enum { DIGIT_BITS = 11, DIGITS = 6, DIGIT_VALUES = 1 << DIGIT_BITS };

struct keyed {
	uint64_t key;
	uint32_t row;
};

enum tp_status tp_tree_no_memory(struct tp_diag *diag)
{
	return tp_fail(diag, TP_NOMEM, NULL, "fewer rows or columns need less",
		       "out of memory while learning a tree");
}

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

static void make_list(struct tp_tree_sample *sample, unsigned f, struct keyed *a, struct keyed *b,
		      uint32_t (*counts)[DIGIT_VALUES])
{
	const struct tp_dataset *data = sample->data;
	const double *values = data->features[f];
	bool categorical = data->n_categories && data->n_categories[f];
	struct tp_tree_entry *list = sample->entries + f * sample->n;
	uint32_t code = 0;
	size_t n = 0;

	for (size_t row = 0; row < data->n_rows; row++)
		if (sample->rows[row].weight)
			a[n++] = (struct keyed){ key_of(values[row]), (uint32_t)row };
	const struct keyed *sorted = sort_keys(a, b, n, counts);
	for (size_t i = 0; i < n; i++) {
		if (categorical)
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
	sample->rows = calloc(TP_MAX(n_rows, 1), sizeof(*sample->rows));
	if (!sample->rows)
		return tp_tree_no_memory(diag);
	for (size_t i = 0; i < n; i++)
		sample->rows[rows ? rows[i] : i].weight++;
	sample->total = (uint32_t)n;
	for (size_t row = 0; row < n_rows; row++) {
		sample->rows[row].label = labels[row];
		sample->n += sample->rows[row].weight != 0;
	}
	return TP_OK;
}

static enum tp_status make_entries(struct tp_tree_sample *sample, struct tp_diag *diag)
{
	size_t each = sample->n * sizeof(*sample->entries);

	if (each && sample->data->n_features > SIZE_MAX / each)
		return tp_tree_no_memory(diag);
	sample->entries = malloc(TP_MAX(sample->data->n_features * each, 1));
	return sample->entries ? TP_OK : tp_tree_no_memory(diag);
}

enum tp_status tp_tree_sort(struct tp_tree_sample *sample, struct tp_diag *diag)
{
	struct keyed *a = malloc(TP_MAX(sample->n, 1) * sizeof(*a));
	struct keyed *b = malloc(TP_MAX(sample->n, 1) * sizeof(*b));
	uint32_t(*counts)[DIGIT_VALUES] = malloc(DIGITS * sizeof(*counts));
	enum tp_status status = make_entries(sample, diag);

	if (!status && !(a && b && counts))
		status = tp_tree_no_memory(diag);
	for (unsigned f = 0; !status && f < sample->data->n_features; f++) {
		make_list(sample, f, a, b, counts);
		if (tp_stop_asked)
			status = tp_tree_cancelled(diag);
	}
	free(a);
	free(b);
	free(counts);
	return status;
}

enum tp_status tp_tree_pick(struct tp_tree_sample *sample, const struct tp_tree_sample *from,
			    struct tp_diag *diag)
{
	enum tp_status status = make_entries(sample, diag);

	if (status)
		return status;
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
