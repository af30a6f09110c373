/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CSV files become frames. A file is read twice where a column begins with numbers and has a word
 * later: its first cells are then kept as they stand there.
 */
#include "mining/frame_parts.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/tally.h"
#include "base/text.h"
#include "base/memory.h"

struct csv {
	struct tp_frame *frame;
	struct tp_csv_source source;
	struct tp_growing growing;
	unsigned long names_line;
	struct tp_str plain; /* a cell without the doubling of its quotes */
	const bool *words; /* columns that are words, as an earlier pass found; NULL = first pass */
	struct tp_diag *diag;
};

/* Quotes in the cell stand once. */
static enum tp_status undouble(struct csv *csv, struct tp_csv_piece *cell)
{
	if (!cell->doubled)
		return TP_OK;
	tp_str_clear(&csv->plain);
	for (size_t i = 0; i < cell->len; i++) {
		tp_str_add_n(&csv->plain, cell->at + i, 1);
		i += cell->at[i] == '"';
	}
	cell->at = tp_str_text(&csv->plain);
	cell->len = csv->plain.len;
	return csv->plain.oom ? TP_NOMEM : TP_OK;
}

/* A name of its own for the column. */
static enum tp_status name_column(struct csv *csv, struct tp_tally *names, size_t i)
{
	struct tp_csv_piece cell = csv->source.cells[i];
	char name[TP_FRAME_NAME_MAX_BYTES + 1], unique[TP_FRAME_NAME_MAX_BYTES + 1];
	enum tp_status status = undouble(csv, &cell);
	if (status != TP_OK)
		return status;
	tp_trim(&cell.at, &cell.len);
	tp_shown(name, sizeof(name), cell.at, cell.len);
	if (!name[0]) {
		snprintf(name, sizeof(name), "column %zu", i + 1);
		tp_csv_source_note(&csv->source, csv->source.row_line,
				   "column %zu has no name: it is called \"%s\"", i + 1, name);
	}
	tp_copy(unique, sizeof(unique), name);
	const struct tp_tally_group *others = tp_tally_find(names, name);
	for (size_t k = others ? others->n + 1 : 2; tp_tally_find(names, unique); k++)
		snprintf(unique, sizeof(unique), "%.*s (%zu)", TP_FRAME_NAME_MAX_BYTES - 24, name,
			 k);
	if (others)
		tp_csv_source_note(&csv->source, csv->source.row_line,
				   "another column is called \"%.100s\": column %zu is \"%.100s\"",
				   name, i + 1, unique);
	csv->frame->columns[i].name = tp_arena_strdup(&csv->frame->arena, unique);
	csv->frame->columns[i].role = TP_ROLE_NOTE;
	if (!csv->frame->columns[i].name)
		return TP_NOMEM;
	/* Both count: how often the name came, and that its other form is taken. */
	status = tp_tally_add(names, name);
	return status == TP_OK && others ? tp_tally_add(names, unique) : status;
}

static enum tp_status refuse(struct csv *csv, enum tp_status status, const char *hint,
			     const char *what)
{
	char place[sizeof(csv->diag->where)];
	snprintf(place, sizeof(place), "%.150s:%lu", csv->source.name, csv->source.row_line);
	return tp_fail(csv->diag, status, place, hint, "%s", what);
}

/* Whether all names are numbers, so that they are perhaps none. */
static bool names_are_numbers(const struct csv *csv)
{
	double value;
	for (size_t i = 0; i < csv->source.n_cells; i++)
		if (tp_cell_read(csv->source.cells[i].at, csv->source.cells[i].len, &value) !=
		    TP_CELL_NUMBER)
			return false;
	return true;
}

static enum tp_status read_names(struct csv *csv)
{
	static const char hint[] = "the first line has the names of the columns";
	struct tp_frame *frame = csv->frame;
	struct tp_tally names = { 0 };
	char what[96];
	csv->source.row_line = 1;
	enum tp_status status = tp_csv_source_next(&csv->source);
	if (status != TP_OK)
		return status;
	if (frame->notes.n) {
		*csv->diag = frame->notes.items[0];
		tp_copy(csv->diag->hint, sizeof(csv->diag->hint), hint);
		return TP_USAGE;
	}
	size_t n = csv->source.n_cells;
	csv->names_line = csv->source.row_line;
	if (n == 0)
		return refuse(csv, TP_USAGE, hint, "the file holds no table: nothing is in it");
	snprintf(what, sizeof(what), "%zu columns, at most %d are read", n, TP_FRAME_COLUMNS_MAX);
	if (n > TP_FRAME_COLUMNS_MAX)
		return refuse(csv, TP_USAGE, "leave columns out", what);
	if (memchr(csv->source.cells[0].at, '\0', csv->source.cells[0].len))
		return refuse(csv, TP_USAGE, "give text in UTF-8", "the file is no text");
	if (names_are_numbers(csv))
		tp_csv_source_note(&csv->source, csv->source.row_line,
				   "the names of the columns are numbers: is their line missing?");
	frame->columns = tp_arena_alloc(&frame->arena, n * sizeof(*frame->columns));
	frame->n_columns = frame->columns ? n : 0;
	if (!frame->columns)
		status = TP_NOMEM;
	for (size_t i = 0; i < n && status == TP_OK; i++)
		status = name_column(csv, &names, i);
	tp_tally_release(&names);
	return status;
}

/* False, with a note, for a row that is left out. */
static bool fits(struct csv *csv)
{
	struct tp_csv_source *s = &csv->source;
	if (s->n_cells != csv->frame->n_columns) {
		tp_csv_source_note(s, s->row_line,
				   "%zu cells, but %zu columns have a name; the row is left out",
				   s->n_cells, csv->frame->n_columns);
		return false;
	}
	for (size_t i = 0; i < s->n_cells; i++)
		if (s->cells[i].len > TP_CSV_CELL_MAX_BYTES) {
			tp_csv_source_note(s, s->row_line,
					   "cell %zu has %zu bytes, at most %d are read; the row "
					   "is left out",
					   i + 1, s->cells[i].len, TP_CSV_CELL_MAX_BYTES);
			return false;
		}
	return true;
}

static enum tp_status put_row(struct csv *csv)
{
	enum tp_status status = tp_growing_row(&csv->growing, csv->diag);
	for (size_t i = 0; i < csv->source.n_cells && status == TP_OK; i++) {
		struct tp_csv_piece *cell = &csv->source.cells[i];
		bool infinite = false;
		status = undouble(csv, cell);
		if (status == TP_OK)
			status = tp_growing_put(&csv->growing, i, cell->at, cell->len, &infinite);
		if (infinite)
			tp_csv_source_note(&csv->source, csv->source.row_line,
					   "\"%.100s\" is no finite number: it counts as missing",
					   csv->frame->columns[i].name);
	}
	return status;
}

static enum tp_status read_rows(struct csv *csv)
{
	struct tp_csv_source *s = &csv->source;
	enum tp_status status = tp_growing_begin(&csv->growing, csv->frame);
	unsigned long seen = 0;
	for (size_t i = 0; status == TP_OK && csv->words && i < csv->frame->n_columns; i++)
		if (csv->words[i])
			status = tp_growing_as_words(&csv->growing, i);
	while (status == TP_OK && (status = tp_csv_source_next(s)) == TP_OK && s->n_cells) {
		seen++;
		if (fits(csv))
			status = put_row(csv);
	}
	if (status != TP_OK || csv->growing.n_rows)
		return status;
	s->row_line = csv->names_line;
	return refuse(csv, TP_USAGE, seen ? "every row has a cell for each name" : NULL,
		      seen ? "no row has as many cells as there are names"
			   : "there are names of columns, but no rows");
}

/* One pass over the text; *flipped says which columns must be read again as words, heap. */
static enum tp_status read_once(struct csv *csv, bool **flipped)
{
	bool any = false;
	enum tp_status status = read_names(csv);
	if (status == TP_OK)
		status = read_rows(csv);
	if (status != TP_OK)
		return status;
	for (size_t i = 0; i < csv->frame->n_columns; i++)
		any |= csv->growing.columns[i].flipped;
	if (!any)
		return tp_growing_end(&csv->growing);
	if (csv->words)
		return refuse(csv, TP_IO, NULL, "the file changes while it is read");
	*flipped = calloc(csv->frame->n_columns, sizeof(**flipped));
	for (size_t i = 0; *flipped && i < csv->frame->n_columns; i++)
		(*flipped)[i] = csv->growing.columns[i].kind == TP_GROWING_WORDS ||
				csv->growing.columns[i].flipped;
	return *flipped ? TP_OK : TP_NOMEM;
}

/* Byte order marks are passed over; text of 16 bits is refused. */
static enum tp_status begin(struct tp_csv_source *s, const char *text, size_t len,
			    struct tp_diag *diag)
{
	if (len >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
		return tp_fail(diag, TP_USAGE, s->name, "convert it to UTF-8",
			       "is text of 16 bits a character (UTF-16)");
	s->line = 1;
	s->at = len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	return TP_OK;
}

static enum tp_status pass(struct tp_frame *frame, struct tp_csv_source source, const bool *words,
			   bool **flipped, struct tp_diag *diag)
{
	struct csv csv = { .frame = frame, .source = source, .words = words, .diag = diag };
	enum tp_status status = TP_OK;
	csv.source.notes = &frame->notes;
	csv.source.diag = diag;
	if (csv.source.fd >= 0)
		status = tp_csv_source_fill(&csv.source);
	if (status == TP_OK)
		status = begin(&csv.source, csv.source.text, csv.source.len, diag);
	if (status == TP_OK)
		status = read_once(&csv, flipped);
	if (status == TP_NOMEM)
		tp_fail(diag, TP_NOMEM, frame->name, NULL, "out of memory");
	tp_growing_release(&csv.growing);
	tp_str_release(&csv.plain);
	tp_csv_source_release(&csv.source);
	return status;
}

static enum tp_status read_all(struct tp_frame *frame, struct tp_csv_source source,
			       struct tp_diag *diag)
{
	bool *flipped = NULL;
	char name[sizeof(frame->name)];
	tp_copy(name, sizeof(name), frame->name);
	enum tp_status status = pass(frame, source, NULL, &flipped, diag);
	if (status == TP_OK && flipped) {
		tp_frame_release(frame);
		tp_copy(frame->name, sizeof(frame->name), name);
		if (source.fd >= 0 && lseek(source.fd, 0, SEEK_SET) < 0)
			status = tp_fail(diag, TP_IO, frame->name, NULL, "cannot be read again");
		else
			status = pass(frame, source, flipped, NULL, diag);
	}
	free(flipped);
	if (status != TP_OK)
		tp_frame_release(frame);
	return status;
}

enum tp_status tp_frame_read_text(struct tp_frame *frame, const char *name, const char *text,
				  size_t len, struct tp_diag *diag)
{
	struct tp_csv_source source = {
		.name = frame->name, .fd = -1, .text = text, .len = len, .ended = true
	};
	tp_shown(frame->name, sizeof(frame->name), name, strlen(name));
	return read_all(frame, source, diag);
}

enum tp_status tp_frame_read_csv(struct tp_frame *frame, const char *path, struct tp_diag *diag)
{
	struct tp_csv_source source = { .name = frame->name, .fd = -1 };
	tp_shown(frame->name, sizeof(frame->name), path, strlen(path));
	enum tp_status status = tp_file_open(AT_FDCWD, path, O_RDONLY, &source.fd, diag);
	if (status != TP_OK)
		return status;
	status = read_all(frame, source, diag);
	close(source.fd);
	return status;
}
