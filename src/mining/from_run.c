/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mining/from_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pairs.h"
#include "base/memory.h"
#include "mining/frame.h"
#include "table/csv.h"

enum { PAIR_NAME_BYTES = 64, PAIR_VALUE_BYTES = 512 };

/* A column of points.csv, or one name of a column of pairs. */
struct source {
	size_t at; /* in the layout */
	char pair[PAIR_NAME_BYTES]; /* "" = the column itself */
	struct tp_str cell; /* of the point under way */
	bool has_value, has_word; /* in any point */
	bool is_there; /* points of the run have the column, with a value or without */
	bool differs; /* from the column of points.csv that has the name of the pair */
};

struct from_run {
	const struct tp_run *run;
	const struct tp_point_layout *layout; /* of the point under way */
	struct source *sources; /* one for each column of the layout, then those of pairs */
	size_t n, cap;
};

static const struct tp_column *column_of(const struct from_run *f, const struct source *source)
{
	return f->layout->at[source->at].column;
}

static struct source *add_source(struct from_run *f, size_t at, const char *pair)
{
	TP_RESERVE(f->sources, f->cap, f->n + 1);
	struct source *source = &f->sources[f->n++];
	*source = (struct source){ .at = at };
	tp_copy(source->pair, sizeof(source->pair), pair);
	return source;
}

static struct source *source_of(struct from_run *f, size_t at, const char *pair)
{
	for (size_t i = f->layout->n; i < f->n; i++)
		if (f->sources[i].at == at && strcmp(f->sources[i].pair, pair) == 0)
			return &f->sources[i];
	return add_source(f, at, pair);
}

/* The column of points.csv that has the name of the pair; NULL = none. */
static struct source *namesake(struct from_run *f, const struct source *pair)
{
	for (size_t i = 0; i < f->layout->n; i++)
		if (strcmp(f->layout->at[i].column->name, pair->pair) == 0)
			return &f->sources[i];
	return NULL;
}

static void read_pairs(struct from_run *f, size_t at, const char *text)
{
	char name[PAIR_NAME_BYTES], value[PAIR_VALUE_BYTES];
	while (tp_pairs_next(&text, name, sizeof(name), value, sizeof(value))) {
		struct source *source = source_of(f, at, name);
		tp_str_clear(&source->cell);
		tp_str_add(&source->cell, value);
	}
}

/* The cells of all sources for a point. */
static void read_point(struct from_run *f, const struct tp_point *point)
{
	f->layout = tp_point_layout(point);
	for (size_t i = 0; i < f->n; i++)
		tp_str_clear(&f->sources[i].cell);
	for (size_t i = 0; i < f->layout->n; i++) {
		const struct tp_column *column = f->layout->at[i].column;
		struct tp_str *cell = &f->sources[i].cell;
		if (!(column->where & TP_IN_CSV) || f->layout->at[i].from == TP_FROM_NOTHING)
			continue;
		tp_column_text(column, tp_point_record(f->layout, i, point), cell);
		if (!column->pairs)
			continue;
		/* The list of sources may move. */
		TP_STR text = *cell;
		*cell = (struct tp_str){ 0 };
		read_pairs(f, i, tp_str_text(&text));
	}
}

/* What a point tells of the columns. */
static void learn_sources(struct from_run *f)
{
	for (size_t i = 0; i < f->n; i++) {
		struct source *source = &f->sources[i];
		struct source *other = source->pair[0] ? namesake(f, source) : NULL;
		const char *text = tp_str_text(&source->cell);
		double value;
		source->is_there |= f->layout->at[source->at].from != TP_FROM_NOTHING;
		enum tp_cell_kind kind = tp_cell_read(text, strlen(text), &value);
		source->has_value |= kind != TP_CELL_MISSING;
		/* Text stays text, even if it looks like a number: a hash, the list of CPUs. */
		source->has_word |= source->pair[0] ? kind == TP_CELL_WORD
						    : !tp_column_is_number(column_of(f, source));
		if (other && kind != TP_CELL_MISSING)
			source->differs |= strcmp(tp_str_text(&other->cell), text) != 0;
	}
}

/* A parameter that is a column of points.csv as well stands there once. */
static bool is_wanted(struct from_run *f, const struct source *source)
{
	struct source *other = source->pair[0] ? namesake(f, source) : NULL;
	return source->has_value && !(other && other->is_there && !source->differs);
}

/* The columns in their order: those of pairs stand where their column does. */
static void choose_columns(struct tp_frame *frame, struct from_run *f, size_t *order)
{
	frame->columns = tp_arena_alloc(&frame->arena, (f->n + 1) * sizeof(*frame->columns));
	for (size_t at = 0; at < f->layout->n; at++)
		for (size_t i = 0; i < f->n; i++) {
			if (f->sources[i].at != at || !is_wanted(f, &f->sources[i]))
				continue;
			order[frame->n_columns] = i;
			const struct source *source = &f->sources[i];
			const struct tp_column *column = column_of(f, source);
			struct source *other = source->pair[0] ? namesake(f, source) : NULL;
			TP_STR name = { 0 };
			if (other && other->is_there)
				tp_str_printf(&name, "%s_", column->name);
			tp_str_add(&name, source->pair[0] ? source->pair : column->name);
			frame->columns[frame->n_columns++] = (struct tp_frame_column){
				.name = tp_arena_strdup(&frame->arena, tp_str_text(&name)),
				.role = column->role,
				.unit = source->pair[0] ? NULL : column->unit,
			};
		}
}

static enum tp_status fill_frame(struct tp_growing *growing, struct tp_frame *frame,
				 struct from_run *f, const size_t *order, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	tp_growing_begin(growing, frame);
	for (size_t c = 0; c < frame->n_columns; c++)
		if (f->sources[order[c]].has_word)
			tp_growing_as_words(growing, c);
	for (size_t i = 0; i < f->run->n_points && status == TP_OK; i++) {
		const struct tp_point *point = &f->run->points[i];
		if (point->state != TP_POINT_DONE)
			continue;
		read_point(f, point);
		status = tp_growing_row(growing, diag);
		for (size_t c = 0; c < frame->n_columns && status == TP_OK; c++) {
			const struct tp_str *cell = &f->sources[order[c]].cell;
			tp_growing_put(growing, c, tp_str_text(cell), cell->len);
		}
	}
	if (status == TP_OK)
		tp_growing_end(growing);
	return status;
}

const char *tp_derived_key(char out[TP_DERIVED_KEY_BYTES], size_t i)
{
	snprintf(out, TP_DERIVED_KEY_BYTES, "derived.%zu", i + 1);
	return out;
}

static const char *definition(const struct tp_run *run, size_t i)
{
	char key[TP_DERIVED_KEY_BYTES];
	const struct tp_fact *fact = tp_run_fact(run, tp_derived_key(key, i));
	return fact && !fact->is_number ? fact->text : NULL;
}

static enum tp_status derive_columns(struct tp_frame *frame, const struct tp_run *run,
				     struct tp_diag *diag)
{
	const char *text;
	for (size_t i = 0; (text = definition(run, i)); i++) {
		struct tp_diag why = { 0 };
		enum tp_status status = tp_frame_derive(frame, text, &why);
		if (status == TP_USAGE) {
			tp_copy(why.where, sizeof(why.where), "derived");
			tp_diags_add(&frame->notes, &why);
		} else if (status != TP_OK) {
			*diag = why;
			return status;
		}
	}
	return TP_OK;
}

bool tp_run_has_table(const struct tp_run *run)
{
	bool any_done = false;
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *point = &run->points[i];
		if (point->state != TP_POINT_DONE)
			continue;
		any_done = true;
		const struct tp_point_layout *layout = tp_point_layout(point);
		for (size_t c = 0; c < layout->n; c++)
			if (layout->at[c].column->pairs && layout->at[c].from == TP_FROM_ROW &&
			    *tp_point_word(point, layout->at[c].column->name))
				return true;
	}
	return any_done && definition(run, 0);
}

void tp_run_derived_doubts(const struct tp_run *run, struct tp_diags *doubts)
{
	TP_CLEANUP(tp_frame_release) struct tp_frame frame = { 0 };
	struct tp_diag diag;
	if (tp_run_n_done(run) && definition(run, 0) &&
	    tp_frame_of_run(&frame, run, &diag) == TP_OK)
		for (size_t i = 0; i < frame.notes.n; i++)
			tp_diags_add(doubts, &frame.notes.items[i]);
}

enum tp_status tp_run_table(const struct tp_run *run, struct tp_str *out)
{
	TP_CLEANUP(tp_frame_release) struct tp_frame frame = { 0 };
	struct tp_diag diag;
	enum tp_status status = tp_frame_of_run(&frame, run, &diag);
	if (status == TP_OK)
		tp_frame_write_csv(&frame, out);
	return status;
}

enum tp_status tp_frame_of_run(struct tp_frame *frame, const struct tp_run *run,
			       struct tp_diag *diag)
{
	struct from_run f = { .run = run,
			      .layout = tp_point_layout_of_kind(tp_point_kind_find("")) };
	TP_CLEANUP(tp_growing_release) struct tp_growing growing = { 0 };
	tp_copy(frame->name, sizeof(frame->name), run->called);
	for (size_t i = 0; i < f.layout->n; i++)
		add_source(&f, i, "");
	for (size_t i = 0; i < f.run->n_points; i++)
		if (f.run->points[i].state == TP_POINT_DONE) {
			read_point(&f, &f.run->points[i]);
			learn_sources(&f);
		}
	TP_FREE size_t *order = tp_alloc(f.n + 1, sizeof(*order));
	choose_columns(frame, &f, order);
	enum tp_status status = fill_frame(&growing, frame, &f, order, diag);
	if (status == TP_OK)
		status = derive_columns(frame, run, diag);
	for (size_t i = 0; i < f.n; i++)
		tp_str_release(&f.sources[i].cell);
	free(f.sources);
	if (status != TP_OK)
		tp_frame_release(frame);
	return status;
}
