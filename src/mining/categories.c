/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Categories of the target: its words, its few whole numbers, or ranges that are cut. */
#include "mining/mining_parts.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So many whole numbers are categories as they are. */
enum { WHOLE_MAX = 10 };
/* The share of the highest peak that a peak stands out by. */
#define PROMINENCE 0.01
/* A valley is deeper than so many standard errors: heaps of five rows and more. */
#define VALLEY 2.5

/* --- names --- */

static void name_number(char *out, size_t size, double value, int digits)
{
	double size_of = fabs(value);
	int places = size_of > 0 ? (int)floor(log10(size_of)) : 0;
	if ((value == floor(value) && size_of < 1e15) || (places >= digits && places < 6))
		snprintf(out, size, "%.0f", value);
	else
		snprintf(out, size, "%.*g", digits, value);
}

const char *tp_mine_number(char *out, size_t size, double value)
{
	name_number(out, size, value, 4);
	return out;
}

/* As few digits as give each a name of its own. */
static enum tp_status name_labels(struct tp_mining *mining, struct tp_diag *diag)
{
	char a[64], b[128];
	int digits = 3;
	for (unsigned i = 1; i < mining->n_labels && digits < 17; i++) {
		name_number(a, sizeof(a), mining->labels_of[i - 1].peak, digits);
		name_number(b, sizeof(b), mining->labels_of[i].peak, digits);
		if (strcmp(a, b) == 0) {
			digits++;
			i = 0;
		}
	}
	for (unsigned i = 0; i < mining->n_labels; i++) {
		struct tp_mine_label *label = &mining->labels_of[i];
		name_number(a, sizeof(a), label->peak, digits);
		snprintf(b, sizeof(b), "%s%s%.30s", a, mining->target_unit ? " " : "",
			 mining->target_unit ? mining->target_unit : "");
		label->name = tp_arena_strdup(&mining->arena, b);
		label->brief = tp_arena_strdup(&mining->arena, a);
		if (!label->name || !label->brief)
			return tp_mining_no_memory(diag);
	}
	return TP_OK;
}

static enum tp_status room_for_labels(struct tp_mining *mining, size_t n, struct tp_diag *diag)
{
	mining->labels = tp_mining_alloc(mining, mining->n_rows, sizeof(*mining->labels));
	mining->labels_of = tp_mining_alloc(mining, n, sizeof(*mining->labels_of));
	mining->n_labels = (unsigned)n;
	return mining->labels && mining->labels_of ? TP_OK : tp_mining_no_memory(diag);
}

/* --- categories that are there --- */

struct count {
	size_t rows;
	unsigned code;
};

static int by_rows(const void *a, const void *b)
{
	const struct count *x = a, *y = b;
	if (x->rows != y->rows)
		return x->rows < y->rows ? 1 : -1;
	return (x->code > y->code) - (x->code < y->code);
}

static enum tp_status too_many(const struct tp_mining *mining, size_t n, struct tp_diag *diag)
{
	return tp_fail(diag, TP_USAGE, mining->target,
		       "choose a column whose values come back, or put rows together with "
		       "mine.filter",
		       "has %zu categories in %zu rows: too few rows of each to learn from", n,
		       mining->n_rows);
}

static enum tp_status take_words(struct tp_mining *mining, const struct tp_frame_column *target,
				 struct tp_diag *diag)
{
	struct count *counts = tp_mining_alloc(mining, target->n_words, sizeof(*counts));
	unsigned *places = tp_mining_alloc(mining, target->n_words, sizeof(*places));
	size_t n = 0;
	if (!counts || !places)
		return tp_mining_no_memory(diag);
	for (unsigned i = 0; i < target->n_words; i++)
		counts[i].code = i;
	for (size_t row = 0; row < mining->n_rows; row++)
		counts[target->codes[mining->origin[row]]].rows++;
	qsort(counts, target->n_words, sizeof(*counts), by_rows);
	while (n < target->n_words && counts[n].rows)
		n++;
	if (n > TP_CATEGORIES_MAX || 2 * n > mining->n_rows + 1)
		return too_many(mining, n, diag);
	if (room_for_labels(mining, n, diag) != TP_OK)
		return TP_NOMEM;
	for (unsigned i = 0; i < n; i++) {
		places[counts[i].code] = i;
		mining->labels_of[i] = (struct tp_mine_label){
			.name = target->words[counts[i].code],
			.brief = target->words[counts[i].code],
			.low = NAN,
			.high = NAN,
			.peak = NAN,
			.rows = counts[i].rows,
		};
	}
	for (size_t row = 0; row < mining->n_rows; row++)
		mining->labels[row] = places[target->codes[mining->origin[row]]];
	return TP_OK;
}

/* Distinct whole numbers in rising order; 0 if there are more than WHOLE_MAX, or others. */
static size_t whole_numbers(const struct tp_mining *mining, double found[WHOLE_MAX])
{
	size_t n = 0;
	for (size_t row = 0; row < mining->n_rows; row++) {
		double value = mining->target_values[row];
		size_t at = 0;
		while (at < n && found[at] < value)
			at++;
		if (at < n && found[at] == value)
			continue;
		if (value != floor(value) || n == WHOLE_MAX)
			return 0;
		memmove(&found[at + 1], &found[at], (n - at) * sizeof(*found));
		found[at] = value;
		n++;
	}
	return n;
}

static enum tp_status take_whole(struct tp_mining *mining, const double *found, size_t n,
				 struct tp_diag *diag)
{
	if (2 * n > mining->n_rows + 1)
		return too_many(mining, n, diag);
	if (room_for_labels(mining, n, diag) != TP_OK)
		return TP_NOMEM;
	for (unsigned i = 0; i < n; i++)
		mining->labels_of[i] = (struct tp_mine_label){ .low = found[i],
							       .high = found[i],
							       .peak = found[i] };
	for (size_t row = 0; row < mining->n_rows; row++) {
		unsigned label = 0;
		while (found[label] != mining->target_values[row])
			label++;
		mining->labels[row] = label;
		mining->labels_of[label].rows++;
	}
	return name_labels(mining, diag);
}

/* --- categories that are cut --- */

static enum tp_status by_given_cuts(struct tp_mining *mining)
{
	const struct tp_mine_job *job = &mining->job;
	struct tp_categories *c = &mining->categories;
	const double *x = mining->target_values;
	double low = x[0], high = x[0];
	for (size_t row = 0; row < mining->n_rows; row++) {
		low = TP_MIN(low, x[row]);
		high = TP_MAX(high, x[row]);
	}
	c->n = (unsigned)job->n_cuts + 1;
	memcpy(c->cuts, job->cuts, job->n_cuts * sizeof(*job->cuts));
	for (unsigned i = 0; i < c->n; i++) {
		double from = i ? c->cuts[i - 1] : TP_MIN(low, c->cuts[0]);
		double to = i + 1 < c->n ? c->cuts[i] : TP_MAX(high, c->cuts[i - 1]);
		c->peaks[i] = (from + to) / 2;
	}
	return TP_OK;
}

/* Categories that no row is in are joined to the one below, or above. */
static void drop_empty(struct tp_categories *c, size_t rows[TP_CATEGORIES_MAX])
{
	for (unsigned i = 0; i < c->n && c->n > 1;) {
		if (rows[i]) {
			i++;
			continue;
		}
		unsigned cut = i ? i - 1 : 0;
		memmove(&c->cuts[cut], &c->cuts[cut + 1], (c->n - 2 - cut) * sizeof(*c->cuts));
		memmove(&c->peaks[i], &c->peaks[i + 1], (c->n - 1 - i) * sizeof(*c->peaks));
		memmove(&rows[i], &rows[i + 1], (c->n - 1 - i) * sizeof(*rows));
		c->n--;
	}
}

/* What the density says is highest in a category names it; a category cut by hand, too. */
static void name_by_density(struct tp_mining *mining, double low, double high, double *peak)
{
	const struct tp_density *d = mining->density;
	double best = 0;
	for (size_t i = 0; d && i < TP_DENSITY_POINTS; i++) {
		double x = d->log ? pow(10, d->x[i]) : d->x[i];
		if (x >= low && x < high && d->y[i] > best) {
			best = d->y[i];
			*peak = x;
		}
	}
}

static enum tp_status label_cuts(struct tp_mining *mining, bool by_density, struct tp_diag *diag)
{
	struct tp_categories *c = &mining->categories;
	size_t rows[TP_CATEGORIES_MAX] = { 0 };
	for (size_t row = 0; row < mining->n_rows; row++)
		rows[tp_category_of(c, mining->target_values[row])]++;
	drop_empty(c, rows);
	if (c->n > 1 && 2 * c->n > mining->n_rows + 1)
		return too_many(mining, c->n, diag);
	if (room_for_labels(mining, c->n, diag) != TP_OK)
		return TP_NOMEM;
	for (unsigned i = 0; i < c->n; i++) {
		struct tp_mine_label *label = &mining->labels_of[i];
		label->low = i ? c->cuts[i - 1] : -INFINITY;
		label->high = i + 1 < c->n ? c->cuts[i] : INFINITY;
		label->rows = rows[i];
		if (by_density)
			name_by_density(mining, label->low, label->high, &c->peaks[i]);
		label->peak = c->peaks[i];
	}
	for (size_t row = 0; row < mining->n_rows; row++)
		mining->labels[row] = tp_category_of(c, mining->target_values[row]);
	return name_labels(mining, diag);
}

/* --- valleys that are deeper than chance makes them --- */

static double density_at(const struct tp_density *d, double value)
{
	double x = d->log ? log10(value) : value;
	double place = (x - d->x[0]) / (d->x[1] - d->x[0]);
	if (!(place >= 0) || place >= TP_DENSITY_POINTS - 1)
		return 0;
	size_t i = (size_t)place;
	return d->y[i] + (place - (double)i) * (d->y[i + 1] - d->y[i]);
}

/*
 * How deep the valley at a cut is below the lower of its peaks, in standard errors. The variance of
 * an estimate f with Gaussian kernels is about f / (2 sqrt(pi) n h).
 */
static double depth_of(const struct tp_mining *mining, unsigned cut)
{
	const struct tp_categories *c = &mining->categories;
	double left = density_at(mining->density, c->peaks[cut]);
	double right = density_at(mining->density, c->peaks[cut + 1]);
	double valley = density_at(mining->density, c->cuts[cut]), peak = TP_MIN(left, right);
	double n = (double)mining->n_rows, h = mining->density->bandwidth;
	return (peak - valley) / sqrt((peak + valley) / (2 * sqrt(M_PI) * n * h));
}

/* Of two categories the one with the higher peak gives its name to both. */
static void join(struct tp_mining *mining, unsigned cut)
{
	struct tp_categories *c = &mining->categories;
	if (density_at(mining->density, c->peaks[cut]) >=
	    density_at(mining->density, c->peaks[cut + 1]))
		c->peaks[cut + 1] = c->peaks[cut];
	memmove(&c->peaks[cut], &c->peaks[cut + 1], (c->n - 1 - cut) * sizeof(*c->peaks));
	memmove(&c->cuts[cut], &c->cuts[cut + 1], (c->n - 2 - cut) * sizeof(*c->cuts));
	c->n--;
}

static void drop_shallow(struct tp_mining *mining)
{
	struct tp_categories *c = &mining->categories;
	while (c->n > 1) {
		unsigned shallowest = 0;
		for (unsigned cut = 1; cut + 1 < c->n; cut++)
			if (depth_of(mining, cut) < depth_of(mining, shallowest))
				shallowest = cut;
		if (depth_of(mining, shallowest) >= VALLEY)
			return;
		join(mining, shallowest);
	}
}

/* Without a valley: ranges with equally many rows. */
static enum tp_status cut_one_peak(struct tp_mining *mining, struct tp_diag *diag)
{
	enum { PARTS = 3 };
	tp_mining_note(mining, mining->target,
		       "its density has no sure valley, so it is cut into %d ranges with equally "
		       "many rows; where to cut is a matter of choice then (mine.cuts)",
		       PARTS);
	mining->one_peak = true;
	return tp_categories_by_quantiles(&mining->categories, mining->target_values,
					  mining->n_rows, PARTS, diag);
}

static void cut_valleys(struct tp_mining *mining)
{
	tp_categories_by_density(&mining->categories, mining->density, PROMINENCE);
	drop_shallow(mining);
}

static enum tp_status cut(struct tp_mining *mining, struct tp_diag *diag)
{
	const struct tp_mine_job *job = &mining->job;
	const double *x = mining->target_values;
	enum tp_status status = TP_OK;
	bool by_density = job->n_cuts || job->cutting == TP_CUT_BY_DENSITY;
	mining->continuous = true;
	if (job->n_cuts)
		status = by_given_cuts(mining);
	else if (job->cutting == TP_CUT_BY_BINS)
		status = tp_categories_by_bins(&mining->categories, x, mining->n_rows,
					       job->step > 0 ? 0 : job->n_bins, job->step, diag);
	else if (job->cutting == TP_CUT_BY_QUANTILES)
		status = tp_categories_by_quantiles(&mining->categories, x, mining->n_rows,
						    job->n_bins, diag);
	else
		cut_valleys(mining);
	if (status == TP_OK && mining->categories.n == 1 && by_density && !job->n_cuts) {
		status = cut_one_peak(mining, diag);
		by_density = false;
	}
	return status == TP_OK ? label_cuts(mining, by_density, diag) : status;
}

static bool is_constant(const double *x, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (x[i] != x[0])
			return false;
	return true;
}

static enum tp_status make_density(struct tp_mining *mining, struct tp_diag *diag)
{
	const struct tp_mine_job *job = &mining->job;
	mining->density = tp_mining_alloc(mining, 1, sizeof(*mining->density));
	if (!mining->density)
		return tp_mining_no_memory(diag);
	return tp_density_make(mining->density, mining->target_values, mining->n_rows,
			       job->bandwidth_rule, job->bandwidth, job->scale, diag);
}

static enum tp_status categorise_numbers(struct tp_mining *mining, struct tp_diag *diag)
{
	const struct tp_mine_job *job = &mining->job;
	double found[WHOLE_MAX];
	size_t n_whole = 0;
	char number[32];
	if (is_constant(mining->target_values, mining->n_rows))
		return tp_fail(diag, TP_USAGE, mining->target,
			       "choose another mine.target, or let more rows in",
			       "is %s in all %zu rows: there is nothing to explain",
			       tp_mine_number(number, sizeof(number), mining->target_values[0]),
			       mining->n_rows);
	bool wanted = job->learn & (TP_MINE_TREE | TP_MINE_FOREST);
	if (wanted && !job->n_cuts && job->cutting == TP_CUT_BY_DENSITY)
		n_whole = whole_numbers(mining, found);
	if (n_whole)
		return take_whole(mining, found, n_whole, diag);
	enum tp_status status = make_density(mining, diag);
	return status == TP_OK && wanted ? cut(mining, diag) : status;
}

enum tp_status tp_mining_categorise(struct tp_mining *mining, const struct tp_frame_column *target,
				    struct tp_diag *diag)
{
	enum tp_status status = target->is_words ? take_words(mining, target, diag)
						 : categorise_numbers(mining, diag);
	if (status != TP_OK || mining->n_labels != 1)
		return status;
	return tp_fail(diag, TP_USAGE, mining->target,
		       target->is_words ? "choose another mine.target, or let more rows in"
					: "cut elsewhere: --set mine.cuts=NUMBER, or "
					  "mine.categories=quantiles",
		       "has a single category, %s: there is nothing to tell apart",
		       mining->labels_of[0].name);
}
