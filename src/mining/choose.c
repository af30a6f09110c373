/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which columns explain which. */
#include "mining/mining_parts.h"

#include <stdio.h>
#include <string.h>

/* From so many rows on, a column that counts them is no choice of anybody. */
enum { ROW_NUMBERS_MIN = 20 };

static enum tp_status no_column(const struct tp_frame *frame, const char *option, const char *name,
				const char *nearest, struct tp_diag *diag)
{
	struct tp_str hint = { 0 };
	if (nearest)
		tp_str_printf(&hint, "did you mean %s?", nearest);
	else
		tp_str_add(&hint, "the columns are ");
	for (size_t i = 0; i < frame->n_columns && !nearest; i++)
		tp_str_printf(&hint, "%s%s", i ? ", " : "", frame->columns[i].name);
	enum tp_status status = tp_fail(diag, TP_USAGE, option, tp_str_text(&hint),
					"%s has no column \"%.100s\"", frame->name, name);
	tp_str_release(&hint);
	return status;
}

static enum tp_status find(const struct tp_frame *frame, const char *option, const char *name,
			   const struct tp_frame_column **column, struct tp_diag *diag)
{
	const char *nearest = NULL;
	*column = tp_frame_find(frame, name, &nearest);
	return *column ? TP_OK : no_column(frame, option, name, nearest, diag);
}

enum tp_status tp_mining_target(const struct tp_frame *frame, const char *name,
				const struct tp_frame_column **target, struct tp_diag *diag)
{
	return find(frame, "mine.target", name, target, diag);
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
			tp_mining_note(mining, c->name, "left out: %s", why);
	}
	return *n ? TP_OK : none_left(frame, of_run, diag);
}

enum tp_status tp_mining_choose(struct tp_mining *mining, const struct tp_frame *frame,
				const struct tp_frame_column *target,
				const struct tp_frame_column **chosen, size_t *n,
				struct tp_diag *diag)
{
	const struct tp_mine_job *job = &mining->job;
	const struct tp_frame_column *column;
	enum tp_status status = TP_OK;
	*n = 0;
	for (size_t i = 0; i < job->without.n && status == TP_OK; i++)
		status = find(frame, "mine.without", job->without.items[i], &column, diag);
	if (status != TP_OK)
		return status;
	if (!job->features.n)
		return choose_all(mining, frame, target, chosen, n, diag);
	for (size_t i = 0; i < job->features.n && status == TP_OK; i++) {
		status = find(frame, "mine.features", job->features.items[i], &column, diag);
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
