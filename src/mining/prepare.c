/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a frame to rows of numbers: filters, columns, missing values, categories, split. */
#include "mining/mining_parts.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void tp_mining_note(struct tp_mining *mining, const char *where, const char *fmt, ...)
{
	struct tp_diag diag;
	char text[sizeof(diag.what)];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	tp_fail(&diag, TP_OK, where, NULL, "%s", text);
	tp_diags_add(&mining->notes, &diag);
}

void *tp_mining_alloc(struct tp_mining *mining, size_t n, size_t size_bytes)
{
	return tp_arena_alloc(&mining->arena, (n + 1) * size_bytes);
}

enum tp_status tp_mining_no_memory(struct tp_diag *diag)
{
	return tp_fail(diag, TP_NOMEM, "mine", NULL, "out of memory");
}

static bool is_missing(const struct tp_frame_column *c, size_t row)
{
	return c->is_words ? c->codes[row] == TP_FRAME_NO_WORD : !isfinite(c->numbers[row]);
}

static enum tp_status filter(struct tp_mining *mining, struct tp_frame *frame, struct tp_diag *diag)
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
	if (!mining->origin || !cost)
		return tp_mining_no_memory(diag);
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
	for (size_t c = 0; c < n; c++)
		if (cost[c])
			tp_mining_note(mining, columns[c]->name,
				       "%zu rows have no value and are left out", cost[c]);
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
	for (size_t row = 0; row < mining->n_rows && values; row++) {
		size_t at = mining->origin[row];
		values[row] = c->is_words ? (double)c->codes[at] : c->numbers[at];
	}
	return values;
}

void tp_mining_describe(struct tp_mine_feature *f, size_t n_rows)
{
	double mean = 0, squares = 0;
	f->low = INFINITY;
	f->high = -INFINITY;
	f->whole = true;
	for (size_t row = 0; row < n_rows; row++) {
		double delta = f->values[row] - mean;
		mean += delta / (double)(row + 1);
		squares += delta * (f->values[row] - mean);
		f->low = TP_MIN(f->low, f->values[row]);
		f->high = TP_MAX(f->high, f->values[row]);
		f->whole &= f->values[row] == floor(f->values[row]);
	}
	f->mean = mean;
	f->deviation = sqrt(squares / (double)n_rows);
}

/* The different values, if they are few. */
static void find_levels(struct tp_mine_feature *f, size_t n_rows)
{
	for (size_t row = 0; row < n_rows; row++) {
		double value = f->values[row];
		size_t at = 0;
		while (at < f->n_levels && f->levels[at] < value)
			at++;
		if (at < f->n_levels && f->levels[at] == value)
			continue;
		if (f->n_levels == TP_MINE_LEVELS_MAX) {
			f->n_levels = 0;
			return;
		}
		memmove(&f->levels[at + 1], &f->levels[at],
			(f->n_levels - at) * sizeof(*f->levels));
		f->levels[at] = value;
		f->n_levels++;
	}
}

static enum tp_status take_features(struct tp_mining *mining, const struct tp_frame *frame,
				    const struct tp_frame_column *const *columns, size_t n,
				    struct tp_diag *diag)
{
	const double **values = tp_mining_alloc(mining, n, sizeof(*values));
	unsigned *n_categories = tp_mining_alloc(mining, n, sizeof(*n_categories));
	mining->features = tp_mining_alloc(mining, n, sizeof(*mining->features));
	if (!values || !n_categories || !mining->features)
		return tp_mining_no_memory(diag);
	for (size_t i = 0; i < n; i++) {
		const struct tp_frame_column *c = columns[i];
		struct tp_mine_feature *f = &mining->features[i];
		*f = (struct tp_mine_feature){
			.name = c->name,
			.unit = c->unit,
			.words = c->is_words ? c->words : NULL,
			.n_words = c->is_words ? c->n_words : 0,
			.values = values_of(mining, frame, c),
		};
		if (!f->values)
			return tp_mining_no_memory(diag);
		values[i] = f->values;
		n_categories[i] = (unsigned)f->n_words;
		tp_mining_describe(f, mining->n_rows);
		find_levels(f, mining->n_rows);
	}
	mining->n_features = n;
	mining->data = (struct tp_dataset){ mining->n_rows, n, values, n_categories };
	return TP_OK;
}

static enum tp_status split(struct tp_mining *mining, struct tp_diag *diag)
{
	mining->split = tp_mining_alloc(mining, mining->n_rows, sizeof(*mining->split));
	if (!mining->split)
		return tp_mining_no_memory(diag);
	return tp_split_rows(mining->labels, mining->n_labels, mining->n_rows,
			     mining->job.test_share, mining->job.seed, mining->split,
			     &mining->n_test, diag);
}

/* k-means alone explains no column. */
static bool needs_target(const struct tp_mine_job *job)
{
	return *job->target || job->learn != TP_MINE_KMEANS;
}

static enum tp_status take_target(struct tp_mining *mining, const struct tp_frame *frame,
				  const struct tp_frame_column *target, struct tp_diag *diag)
{
	if (!target->is_words) {
		mining->target_values = values_of(mining, frame, target);
		if (!mining->target_values)
			return tp_mining_no_memory(diag);
	}
	enum tp_status status = tp_mining_categorise(mining, target, diag);
	return status == TP_OK && mining->n_labels ? split(mining, diag) : status;
}

enum tp_status tp_mining_prepare(struct tp_mining *mining, struct tp_frame *frame,
				 struct tp_diag *diag)
{
	const struct tp_frame_column *target = NULL;
	/* The target stands behind the features: its missing values cost rows, too. */
	const struct tp_frame_column **columns =
		tp_mining_alloc(mining, frame->n_columns, sizeof(const struct tp_frame_column *));
	size_t n = 0;
	if (!columns)
		return tp_mining_no_memory(diag);
	for (size_t i = 0; i < frame->notes.n; i++)
		tp_diags_add(&mining->notes, &frame->notes.items[i]);
	if (frame->notes.untold)
		tp_diags_more(&mining->notes, frame->notes.untold);
	enum tp_status status = filter(mining, frame, diag);
	if (status == TP_OK && needs_target(&mining->job))
		status = tp_mining_target(frame, mining->job.target, &target, diag);
	if (status == TP_OK)
		status = tp_mining_choose(mining, frame, target, columns, &n, diag);
	if (status != TP_OK)
		return status;
	columns[n] = target;
	mining->target = target ? target->name : NULL;
	mining->target_unit = target ? target->unit : NULL;
	status = keep_rows(mining, frame, columns, n + (target != NULL), diag);
	if (status == TP_OK)
		status = take_features(mining, frame, columns, n, diag);
	return status == TP_OK && target ? take_target(mining, frame, target, diag) : status;
}
