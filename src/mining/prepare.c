/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mining/prepare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void *tp_mining_alloc(struct tp_mining *mining, size_t n, size_t size_bytes)
{
	return tp_arena_alloc(&mining->arena, (n + 1) * size_bytes);
}

/* --- columns --- */

/* A column that only numbers at least this many rows holds no data. */
enum { ROW_NUMBERS_MIN = 20 };

static enum tp_status no_column(const struct tp_frame *frame, const char *option, const char *name,
				const char *nearest, struct tp_diag *diag)
{
	TP_STR hint = { 0 };
	if (nearest)
		tp_str_printf(&hint, "did you mean %s?", nearest);
	else
		tp_str_add(&hint, "the columns are ");
	for (size_t i = 0; i < frame->n_columns && !nearest; i++)
		tp_str_printf(&hint, "%s%s", i ? ", " : "", frame->columns[i].name);
	return tp_fail(diag, TP_USAGE, option, tp_str_text(&hint), "%s has no column \"%.100s\"",
		       frame->name, name);
}

enum tp_status tp_mining_find(const struct tp_frame *frame, const char *option, const char *name,
			      const struct tp_frame_column **column, struct tp_diag *diag)
{
	const char *nearest = NULL;
	*column = tp_frame_find(frame, name, &nearest);
	return *column ? TP_OK : no_column(frame, option, name, nearest, diag);
}

static bool has_name(const struct tp_mine_names *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++)
		if (strcmp(names->items[i], name) == 0)
			return true;
	return false;
}

/* The number of a cell; of a word its code; NaN = missing. */
static double value_at(const struct tp_frame_column *c, size_t row)
{
	if (!c->is_words)
		return c->numbers[row];
	return c->codes[row] == TP_FRAME_NO_WORD ? NAN : (double)c->codes[row];
}

/* Missing values aside. */
static bool is_constant(const struct tp_frame_column *c, size_t n_rows)
{
	double first = NAN;
	for (size_t row = 0; row < n_rows; row++) {
		double value = value_at(c, row);
		if (isnan(first))
			first = value;
		else if (!isnan(value) && value != first)
			return false;
	}
	return true;
}

/* 0, 1, 2, ... or 1, 2, 3, ... */
static bool counts_rows(const struct tp_frame_column *c, size_t n_rows)
{
	if (c->is_words || n_rows < ROW_NUMBERS_MIN || !(c->numbers[0] == 0 || c->numbers[0] == 1))
		return false;
	for (size_t row = 1; row < n_rows; row++)
		if (!(c->numbers[row] == c->numbers[row - 1] + 1))
			return false;
	return true;
}

/* Another word in each row. */
static bool is_name_of_row(const struct tp_frame_column *c, size_t n_rows)
{
	return c->is_words && n_rows > 2 && c->n_words >= n_rows && !c->n_missing;
}

/* True of "sort lines=50000" if there is a column "lines". */
static bool has_parameter(const struct tp_frame *frame, const char *word)
{
	char name[TP_FRAME_NAME_MAX_BYTES];
	const char *end = strchr(word, '='), *from = end;
	while (from && from > word && from[-1] != ' ')
		from--;
	if (!end || from == end)
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)(end - from), from);
	return tp_frame_find(frame, name, NULL) != NULL;
}

/* What runs, named by parameters that have columns of their own. */
static bool repeats_parameters(const struct tp_frame *frame, const struct tp_frame_column *c)
{
	for (size_t i = 0; i < c->n_words; i++)
		if (!has_parameter(frame, c->words[i]))
			return false;
	return c->is_words && c->n_words;
}

/* Why a column that nobody asked for is not taken; NULL: it is. */
static const char *unfit(const struct tp_frame *frame, const struct tp_frame_column *c)
{
	if (is_constant(c, frame->n_rows))
		return "the same everywhere";
	if (is_name_of_row(c, frame->n_rows) || counts_rows(c, frame->n_rows))
		return "different in each row";
	if (2 * c->n_missing > frame->n_rows)
		return "missing in most rows";
	if (repeats_parameters(frame, c))
		return "says what other columns say";
	return NULL;
}

static bool is_of_run(const struct tp_frame *frame)
{
	for (size_t i = 0; i < frame->n_columns; i++)
		if (frame->columns[i].role != TP_ROLE_NOTE)
			return true;
	return false;
}

static enum tp_status none_left(const struct tp_frame *frame, bool of_run, struct tp_diag *diag)
{
	return tp_fail(diag, TP_USAGE, "mine.features",
		       of_run ? "vary something in the preset, or name columns of results: tprof "
				"--mine RUN --set mine.features=NAME,NAME"
			      : "name the columns: --set mine.features=NAME,NAME",
		       "%s has no column left that could explain anything: the others are the same "
		       "everywhere, different in each row, or missing",
		       frame->name);
}

static enum tp_status choose_all(struct tp_mining *mining, const struct tp_frame *frame,
				 const struct tp_frame_column *target,
				 const struct tp_frame_column **chosen, size_t *n,
				 struct tp_diag *diag)
{
	bool of_run = is_of_run(frame);
	for (size_t i = 0; i < frame->n_columns; i++) {
		const struct tp_frame_column *c = &frame->columns[i];
		if (c == target || has_name(&mining->job.without, c->name) ||
		    (of_run && c->role != TP_ROLE_DIMENSION))
			continue;
		const char *why = unfit(frame, c);
		if (!why)
			chosen[(*n)++] = c;
		else if (!of_run)
			tp_diags_note(&mining->notes, c->name, NULL, "left out: %s", why);
	}
	return *n ? TP_OK : none_left(frame, of_run, diag);
}

static enum tp_status choose_columns(struct tp_mining *mining, const struct tp_frame *frame,
				     const struct tp_frame_column *target,
				     const struct tp_frame_column **chosen, size_t *n,
				     struct tp_diag *diag)
{
	const struct tp_mine_job *job = &mining->job;
	const struct tp_frame_column *column;
	enum tp_status status = TP_OK;
	*n = 0;
	for (size_t i = 0; i < job->without.n && status == TP_OK; i++)
		status =
			tp_mining_find(frame, "mine.without", job->without.items[i], &column, diag);
	if (status != TP_OK)
		return status;
	if (!job->features.n)
		return choose_all(mining, frame, target, chosen, n, diag);
	for (size_t i = 0; i < job->features.n && status == TP_OK; i++) {
		status = tp_mining_find(frame, "mine.features", job->features.items[i], &column,
					diag);
		if (status == TP_OK && column == target)
			status = tp_fail(
				diag, TP_USAGE, "mine.features", "leave it out of mine.features",
				"%s is the target: it cannot explain itself", column->name);
		if (status == TP_OK && !has_name(&job->without, column->name))
			chosen[(*n)++] = column;
	}
	if (status == TP_OK && !*n)
		status = tp_fail(diag, TP_USAGE, "mine.features", NULL,
				 "mine.without names all of them");
	return status;
}

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
static void name_labels(struct tp_mining *mining)
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
	}
}

static void new_labels(struct tp_mining *mining, size_t n)
{
	mining->labels = tp_mining_alloc(mining, mining->n_rows, sizeof(*mining->labels));
	mining->labels_of = tp_mining_alloc(mining, n, sizeof(*mining->labels_of));
	mining->n_labels = (unsigned)n;
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
	for (unsigned i = 0; i < target->n_words; i++)
		counts[i].code = i;
	for (size_t row = 0; row < mining->n_rows; row++)
		counts[target->codes[mining->origin[row]]].rows++;
	qsort(counts, target->n_words, sizeof(*counts), by_rows);
	while (n < target->n_words && counts[n].rows)
		n++;
	if (n > TP_CATEGORIES_MAX || 2 * n > mining->n_rows + 1)
		return too_many(mining, n, diag);
	new_labels(mining, n);
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

/* Into a rising list of different values; false if it is full. */
static bool insert_value(double *list, size_t *n, size_t most, double value)
{
	size_t at = 0;
	while (at < *n && list[at] < value)
		at++;
	if (at < *n && list[at] == value)
		return true;
	if (*n == most)
		return false;
	memmove(&list[at + 1], &list[at], (*n - at) * sizeof(*list));
	list[at] = value;
	++*n;
	return true;
}

/* Distinct whole numbers in rising order; 0 if there are more than WHOLE_MAX, or others. */
static size_t whole_numbers(const struct tp_mining *mining, double found[WHOLE_MAX])
{
	size_t n = 0;
	for (size_t row = 0; row < mining->n_rows; row++) {
		double value = mining->target_values[row];
		if (value != floor(value) || !insert_value(found, &n, WHOLE_MAX, value))
			return 0;
	}
	return n;
}

static enum tp_status take_whole(struct tp_mining *mining, const double *found, size_t n,
				 struct tp_diag *diag)
{
	if (2 * n > mining->n_rows + 1)
		return too_many(mining, n, diag);
	new_labels(mining, n);
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
	name_labels(mining);
	return TP_OK;
}

/* --- categories that are cut --- */

static void by_given_cuts(struct tp_mining *mining)
{
	const struct tp_mine_job *job = &mining->job;
	struct tp_categories *c = &mining->categories;
	const double *x = mining->target_values;
	double low, high;
	tp_range_of(x, mining->n_rows, &low, &high);
	c->n = (unsigned)job->n_cuts + 1;
	memcpy(c->cuts, job->cuts, job->n_cuts * sizeof(*job->cuts));
	for (unsigned i = 0; i < c->n; i++) {
		double from = i ? c->cuts[i - 1] : TP_MIN(low, c->cuts[0]);
		double to = i + 1 < c->n ? c->cuts[i] : TP_MAX(high, c->cuts[i - 1]);
		c->peaks[i] = (from + to) / 2;
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
	/* Categories that no row is in are joined to the one below, or above. */
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
	if (c->n > 1 && 2 * c->n > mining->n_rows + 1)
		return too_many(mining, c->n, diag);
	new_labels(mining, c->n);
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
	name_labels(mining);
	return TP_OK;
}

/* --- valleys that are deeper than chance makes them --- */

/*
 * How deep the valley at a cut is below the lower of its peaks, in standard errors. The variance of
 * an estimate f with Gaussian kernels is about f / (2 sqrt(pi) n h).
 */
static double depth_of(const struct tp_categories *c, const struct tp_density *density, size_t n,
		       unsigned cut)
{
	double left = tp_density_at(density, c->peaks[cut]);
	double right = tp_density_at(density, c->peaks[cut + 1]);
	double valley = tp_density_at(density, c->cuts[cut]), peak = TP_MIN(left, right);
	return (peak - valley) /
	       sqrt((peak + valley) / (2 * sqrt(M_PI) * (double)n * density->bandwidth));
}

/* Of two categories the one with the higher peak gives its name to both. */
static void join_categories(struct tp_categories *c, const struct tp_density *density, unsigned cut)
{
	if (tp_density_at(density, c->peaks[cut]) >= tp_density_at(density, c->peaks[cut + 1]))
		c->peaks[cut + 1] = c->peaks[cut];
	memmove(&c->peaks[cut], &c->peaks[cut + 1], (c->n - 1 - cut) * sizeof(*c->peaks));
	memmove(&c->cuts[cut], &c->cuts[cut + 1], (c->n - 2 - cut) * sizeof(*c->cuts));
	c->n--;
}

void tp_mining_cut_valleys(struct tp_categories *c, const struct tp_density *density, size_t n)
{
	tp_categories_by_density(c, density, PROMINENCE);
	while (c->n > 1) {
		unsigned shallowest = 0;
		for (unsigned cut = 1; cut + 1 < c->n; cut++)
			if (depth_of(c, density, n, cut) < depth_of(c, density, n, shallowest))
				shallowest = cut;
		if (depth_of(c, density, n, shallowest) >= VALLEY)
			return;
		join_categories(c, density, shallowest);
	}
}

static enum tp_status cut_target(struct tp_mining *mining, struct tp_diag *diag)
{
	const struct tp_mine_job *job = &mining->job;
	const double *x = mining->target_values;
	enum tp_status status = TP_OK;
	bool by_density = job->n_cuts || job->cutting == TP_CUT_BY_DENSITY;
	mining->continuous = true;
	if (job->n_cuts)
		by_given_cuts(mining);
	else if (job->cutting == TP_CUT_BY_BINS)
		status = tp_categories_by_bins(&mining->categories, x, mining->n_rows,
					       job->step > 0 ? 0 : job->n_bins, job->step, diag);
	else if (job->cutting == TP_CUT_BY_QUANTILES)
		status = tp_categories_by_quantiles(&mining->categories, x, mining->n_rows,
						    job->n_bins, diag);
	else
		tp_mining_cut_valleys(&mining->categories, mining->density, mining->n_rows);
	if (status == TP_OK && mining->categories.n == 1 && by_density && !job->n_cuts) {
		/* Without a valley: ranges with equally many rows. */
		enum { PARTS = 3 };
		tp_diags_note(
			&mining->notes, mining->target, NULL,
			"its density has no sure valley, so it is cut into %d ranges with equally "
			"many rows; where to cut is a matter of choice then (mine.cuts)",
			PARTS);
		mining->one_peak = true;
		status = tp_categories_by_quantiles(&mining->categories, mining->target_values,
						    mining->n_rows, PARTS, diag);
		by_density = false;
	}
	return status == TP_OK ? label_cuts(mining, by_density, diag) : status;
}

static bool all_equal(const double *x, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (x[i] != x[0])
			return false;
	return true;
}

static enum tp_status categorise_numbers(struct tp_mining *mining, struct tp_diag *diag)
{
	const struct tp_mine_job *job = &mining->job;
	double found[WHOLE_MAX];
	size_t n_whole = 0;
	char number[32];
	if (all_equal(mining->target_values, mining->n_rows))
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
	mining->density = tp_mining_alloc(mining, 1, sizeof(*mining->density));
	enum tp_status status =
		tp_density_make(mining->density, mining->target_values, mining->n_rows,
				job->bandwidth_rule, job->bandwidth, job->scale, diag);
	return status == TP_OK && wanted ? cut_target(mining, diag) : status;
}

static enum tp_status categorise(struct tp_mining *mining, const struct tp_frame_column *target,
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

/* --- rows and features --- */

static bool is_missing(const struct tp_frame_column *c, size_t row)
{
	return c->is_words ? c->codes[row] == TP_FRAME_NO_WORD : !isfinite(c->numbers[row]);
}

static enum tp_status filter_rows(struct tp_mining *mining, struct tp_frame *frame,
				  struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	mining->n_given = frame->n_rows;
	for (size_t i = 0; i < mining->job.filters.n && status == TP_OK; i++)
		status = tp_frame_filter(frame, mining->job.filters.items[i], diag);
	mining->n_filtered = mining->n_given - frame->n_rows;
	if (status != TP_OK && !*diag->where)
		tp_copy(diag->where, sizeof(diag->where), "mine.filter");
	if (status != TP_OK || frame->n_rows)
		return status;
	if (mining->n_filtered)
		return tp_fail(diag, TP_USAGE, "mine.filter", "ask for less",
			       "no row is left: the conditions leave out all %zu",
			       mining->n_filtered);
	return tp_fail(diag, TP_USAGE, frame->name, NULL, "has no rows");
}

/* The rows that have all values; a note for each column that costs some. */
static enum tp_status keep_rows(struct tp_mining *mining, const struct tp_frame *frame,
				const struct tp_frame_column *const *columns, size_t n,
				struct tp_diag *diag)
{
	mining->origin = tp_mining_alloc(mining, frame->n_rows, sizeof(*mining->origin));
	size_t *cost = tp_mining_alloc(mining, n, sizeof(*cost));
	for (size_t row = 0; row < frame->n_rows; row++) {
		bool whole = true;
		for (size_t c = 0; c < n; c++)
			if (is_missing(columns[c], row)) {
				whole = false;
				cost[c]++;
			}
		if (whole)
			mining->origin[mining->n_rows++] = (uint32_t)row;
	}
	mining->n_missing = frame->n_rows - mining->n_rows;
	if (mining->n_missing)
		tp_diags_note(&mining->notes, frame->name, NULL,
			      "%zu of %zu rows %s left out for want of a value", mining->n_missing,
			      frame->n_rows, mining->n_missing == 1 ? "is" : "are");
	for (size_t c = 0; c < n; c++)
		if (cost[c])
			tp_diags_note(&mining->notes, columns[c]->name, NULL, "%zu row%s no value",
				      cost[c], cost[c] == 1 ? " has" : "s have");
	if (mining->n_rows >= 2)
		return TP_OK;
	return tp_fail(diag, TP_USAGE, frame->name,
		       "leave out columns with many missing values: --set mine.without=NAME",
		       "%s rows have a value in every column that is used",
		       mining->n_rows ? "too few" : "no");
}

/* Values of the rows that are kept: the frame's own where all are. */
static const double *values_of(struct tp_mining *mining, const struct tp_frame *frame,
			       const struct tp_frame_column *c)
{
	if (!c->is_words && mining->n_rows == frame->n_rows)
		return c->numbers;
	double *values = tp_mining_alloc(mining, mining->n_rows, sizeof(*values));
	for (size_t row = 0; row < mining->n_rows; row++)
		values[row] = value_at(c, mining->origin[row]);
	return values;
}

void tp_mining_describe(struct tp_mine_feature *f, size_t n_rows)
{
	double mean = 0, squares = 0;
	size_t n = 0;
	f->low = INFINITY;
	f->high = -INFINITY;
	f->whole = true;
	for (size_t row = 0; row < n_rows; row++) {
		double value = f->values[row], delta = value - mean;
		if (isnan(value))
			continue;
		mean += delta / (double)++n;
		squares += delta * (value - mean);
		f->low = TP_MIN(f->low, value);
		f->high = TP_MAX(f->high, value);
		f->whole &= value == floor(value);
	}
	f->mean = mean;
	f->deviation = sqrt(squares / (double)n);
}

/* The different values, if they are few. */
static void find_levels(struct tp_mine_feature *f, size_t n_rows)
{
	size_t n = 0;
	for (size_t row = 0; row < n_rows; row++)
		if (!isnan(f->values[row]) &&
		    !insert_value(f->levels, &n, TP_MINE_LEVELS_MAX, f->values[row]))
			return;
	f->n_levels = n;
}

struct tp_mine_feature tp_mining_column(struct tp_mining *mining, const struct tp_frame *frame,
					const struct tp_frame_column *c)
{
	struct tp_mine_feature f = {
		.name = c->name,
		.unit = c->unit,
		.words = c->is_words ? c->words : NULL,
		.n_words = c->is_words ? c->n_words : 0,
		.values = values_of(mining, frame, c),
	};
	tp_mining_describe(&f, mining->n_rows);
	find_levels(&f, mining->n_rows);
	return f;
}

static enum tp_status take_target(struct tp_mining *mining, const struct tp_frame *frame,
				  const struct tp_frame_column *target, struct tp_diag *diag)
{
	if (!target->is_words)
		mining->target_values = values_of(mining, frame, target);
	enum tp_status status = categorise(mining, target, diag);
	if (status != TP_OK || !mining->n_labels)
		return status;
	mining->split = tp_mining_alloc(mining, mining->n_rows, sizeof(*mining->split));
	tp_split_rows(mining->labels, mining->n_labels, mining->n_rows, mining->job.test_share,
		      mining->job.seed, mining->split, &mining->n_test);
	return TP_OK;
}

enum tp_status tp_mining_prepare(struct tp_mining *mining, struct tp_frame *frame,
				 struct tp_diag *diag)
{
	const struct tp_frame_column *target = NULL;
	/* The target stands behind the features: its missing values cost rows, too. */
	const struct tp_frame_column **columns =
		tp_mining_alloc(mining, frame->n_columns, sizeof(const struct tp_frame_column *));
	size_t n = 0;
	for (size_t i = 0; i < frame->notes.n; i++)
		tp_diags_add(&mining->notes, &frame->notes.items[i]);
	if (frame->notes.untold)
		tp_diags_more(&mining->notes, frame->notes.untold);
	mining->n_unread = frame->n_left_out;
	enum tp_status status = filter_rows(mining, frame, diag);
	/* k-means alone explains no column. */
	if (status == TP_OK && (*mining->job.target || mining->job.learn != TP_MINE_KMEANS))
		status = tp_mining_find(frame, "mine.target", mining->job.target, &target, diag);
	if (status == TP_OK)
		status = choose_columns(mining, frame, target, columns, &n, diag);
	if (status != TP_OK)
		return status;
	columns[n] = target;
	mining->target = target ? target->name : NULL;
	mining->target_unit = target ? target->unit : NULL;
	status = keep_rows(mining, frame, columns, n + (target != NULL), diag);
	if (status != TP_OK)
		return status;
	const double **values = tp_mining_alloc(mining, n, sizeof(*values));
	unsigned *n_categories = tp_mining_alloc(mining, n, sizeof(*n_categories));
	mining->features = tp_mining_alloc(mining, n, sizeof(*mining->features));
	for (size_t i = 0; i < n; i++) {
		mining->features[i] = tp_mining_column(mining, frame, columns[i]);
		values[i] = mining->features[i].values;
		n_categories[i] = (unsigned)mining->features[i].n_words;
	}
	mining->n_features = n;
	mining->data = (struct tp_dataset){ mining->n_rows, n, values, n_categories };
	return target ? take_target(mining, frame, target, diag) : TP_OK;
}
