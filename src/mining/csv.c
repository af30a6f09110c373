/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables of other programs become frames: one look at the text says how it is written
 * (table/written.h), then it is read row by row. It is read twice where a column begins with
 * numbers and proves to be words: its first cells are then kept as they stand there.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/tally.h"
#include "base/text.h"
#include "mining/frame.h"
#include "mining/json_table.h"

struct csv_source {
	const char *name;
	int fd; /* borrowed; -1: all of the text is there */
	size_t begin; /* of its text, behind the mark */
	enum tp_encoding encoding; /* of the file: UTF-8 or Windows-1252 */
	bool is_decided; /* the encoding: text in ASCII is in both */
	char *buffer; /* heap, of a file */
	const char *text; /* what is there of it */
	size_t at, len, cap;
	bool ended; /* nothing follows what is there */
	unsigned long line, row_line; /* of `at`; of the row */
	unsigned long end_line; /* where another table begins; 0 = none does */
	struct tp_splitter split; /* the cells of the row, valid until the next one */
	size_t n_broken; /* lines that were left out */
	struct tp_diags *notes; /* of what is left out */
	struct tp_diag *diag;
};

enum { ROW_MAX_BYTES = 1 << 24, CELL_MAX_BYTES = 1 << 16 };

/* Rows that are noted one by one; the line with the total counts all of them. */
enum { ROWS_NOTED = 5 };

/* Notes something of the row. */
static void __attribute__((format(printf, 3, 4)))
note_row(struct csv_source *s, unsigned long line, const char *fmt, ...)
{
	struct tp_diag diag;
	char where[sizeof(diag.where)];
	va_list list;
	snprintf(where, sizeof(where), "%.150s:%lu", s->name, line);
	va_start(list, fmt);
	tp_vfail(&diag, TP_OK, where, NULL, fmt, list);
	va_end(list);
	tp_diags_add(s->notes, &diag);
}

/* A character of one byte has at most as many in UTF-8. */
enum { DECODED_MAX = 3 };

static bool is_ascii(const char *text, size_t len)
{
	unsigned char all = 0;
	for (size_t i = 0; i < len; i++)
		all |= (unsigned char)text[i];
	return all < 0x80;
}

/* Where the look saw nothing but ASCII, what comes first beyond it decides. */
static void decide_encoding(struct csv_source *s, const char *text, size_t len)
{
	if (s->is_decided || is_ascii(text, len))
		return;
	s->is_decided = true;
	if (tp_encoding_of(text, len, false) != TP_ENCODING_WINDOWS_1252)
		return;
	s->encoding = TP_ENCODING_WINDOWS_1252;
	note_row(s, s->line, "characters beyond ASCII begin here: the text is %s",
		 tp_encoding_name(s->encoding));
}

/* Reads behind what is there, as UTF-8. */
static ssize_t read_decoded(struct csv_source *s)
{
	char *to = s->buffer + s->len;
	size_t room = s->cap - s->len;
	bool is_utf8 = s->is_decided && s->encoding == TP_ENCODING_UTF8;
	ssize_t got;
	do
		got = read(s->fd, to, is_utf8 ? room : room / DECODED_MAX);
	while (got < 0 && errno == EINTR);
	if (got > 0)
		decide_encoding(s, to, (size_t)got);
	if (s->encoding == TP_ENCODING_UTF8 || got <= 0)
		return got;
	TP_STR text = { 0 };
	tp_encoding_decode(s->encoding, to, (size_t)got, &text);
	memcpy(to, text.s, text.len);
	return (ssize_t)text.len;
}

/* Reads on, with a larger buffer if the row under way fills it. */
static enum tp_status fill_source(struct csv_source *s)
{
	if (tp_stop_asked)
		return tp_fail(s->diag, TP_CANCELLED, s->name, NULL, "reading was cancelled");
	if (s->at) {
		memmove(s->buffer, s->buffer + s->at, s->len - s->at);
		s->len -= s->at;
		s->at = 0;
	}
	if (s->cap - s->len < DECODED_MAX) {
		s->cap = s->cap ? 2 * s->cap : TP_WRITTEN_LOOK_BYTES;
		s->buffer = tp_realloc(s->buffer, s->cap, 1);
	}
	s->text = s->buffer;
	ssize_t got = read_decoded(s);
	if (got < 0)
		return tp_fail(s->diag, TP_IO, s->name, NULL, "cannot read: %s", strerror(errno));
	s->len += (size_t)got;
	s->ended = got == 0;
	return TP_OK;
}

/* Passes over the line at `at`, however long it is. */
static enum tp_status pass_line(struct csv_source *s)
{
	for (;;) {
		const char *end = memchr(s->text + s->at, s->split.line_end, s->len - s->at);
		s->at = end ? (size_t)(end - s->text) + 1 : s->len;
		if (end)
			s->line++;
		if (end || s->ended)
			return TP_OK;
		enum tp_status status = fill_source(s);
		if (status != TP_OK)
			return status;
	}
}

static enum tp_status leave_out(struct csv_source *s, enum tp_split found)
{
	static const char *const words[] = {
		[TP_SPLIT_MORE] = "more than 16 MiB without an end",
		[TP_SPLIT_OPEN] = "a quote is not closed",
		[TP_SPLIT_TEXT] = "text after a closing quote",
		[TP_SPLIT_QUOTE] = "a quote inside a cell: quote the whole cell, and write the "
				   "quote in it twice",
	};
	if (++s->n_broken <= ROWS_NOTED)
		note_row(s, s->line, "%s; the line is left out", words[found]);
	return pass_line(s);
}

/* A line that is not a row: without text, or of lines that frame the names. */
static bool is_between(const struct csv_source *s)
{
	const char *at = s->text + s->at, *end = s->text + s->len;
	const char *stop = memchr(at, s->split.line_end, (size_t)(end - at));
	if (*at == s->split.line_end || (*at == '\r' && at + 1 < end && at[1] == s->split.line_end))
		return true;
	/* Its beginning may look like a frame: "- - - 5". */
	if (!stop && !s->ended)
		return false;
	return tp_written_is_rule(s->split.separator, at, stop ? stop : end);
}

/*
 * The next row that is one; rows with a broken quote and those that are too long are noted and left
 * out. No cells: no row. TP_IO, TP_CANCELLED.
 */
static enum tp_status next_row(struct csv_source *s)
{
	enum tp_status status = TP_OK;
	const char *stop;
	unsigned long lines;
	s->split.n = 0;
	while (status == TP_OK) {
		/* Four bytes at least, unless the file ends: no mark of a line's end is cut. */
		if (s->len - s->at < 4 && !s->ended) {
			status = fill_source(s);
			continue;
		}
		if (s->at == s->len || (s->end_line && s->line >= s->end_line))
			return TP_OK;
		if (is_between(s)) {
			status = pass_line(s);
			continue;
		}
		enum tp_split found = tp_split_row(&s->split, s->text + s->at, s->text + s->len,
						   s->ended, &stop, &lines);
		if (found == TP_SPLIT_MORE && s->len - s->at < ROW_MAX_BYTES) {
			status = fill_source(s);
			continue;
		}
		if (found == TP_SPLIT_ROW) {
			size_t end = (size_t)(stop - s->text);
			s->row_line = s->line;
			s->line += lines;
			s->at = end < s->len ? end + 1 : end;
			if (s->split.n)
				return TP_OK;
			continue;
		}
		status = leave_out(s, found);
		s->split.n = 0; /* cells before the fault */
	}
	s->split.n = 0;
	return status;
}

/* Cells of a column of numbers that are not numbers. */
enum { STRAYS_SHOWN = 4 };
struct strays {
	size_t n, n_words; /* n_words: those that do not say that the value is missing */
	size_t n_numbers;
	unsigned long line; /* of the first */
	char *shown[STRAYS_SHOWN]; /* different ones, heap */
};

struct csv {
	struct tp_frame *frame;
	struct csv_source source;
	struct tp_growing growing;
	const struct tp_written *form;
	unsigned long names_line;
	uint64_t names_hash; /* of the cells of the names; 0 = the table has none */
	size_t first_name_bytes; /* of the first of these cells */
	struct strays *strays; /* of each column */
	size_t n_short, n_wide, n_single, n_long, n_repeated, n_comments; /* rows */
	unsigned long short_line, repeated_line; /* the first */
	struct tp_diags details; /* notes of single rows, below those that count them */
	struct tp_str plain; /* a cell without the doubling of its quotes */
	const bool *words; /* columns that are words, as an earlier pass found; NULL = first pass */
	struct tp_diag *diag;
};

/* Quotes in the cell stand once. */
static void undouble(struct csv *csv, struct tp_cell_span *cell)
{
	if (!cell->doubled)
		return;
	tp_str_clear(&csv->plain);
	for (size_t i = 0; i < cell->len; i++) {
		tp_str_add_n(&csv->plain, cell->at + i, 1);
		i += cell->at[i] == '"';
	}
	cell->at = tp_str_text(&csv->plain);
	cell->len = csv->plain.len;
}

/* --- names --- */

/* A different name for each column. */
static void give_name(struct csv *csv, struct tp_tally *names, size_t i, const char *name)
{
	char unique[TP_FRAME_NAME_MAX_BYTES + 1];
	tp_copy(unique, sizeof(unique), name);
	const struct tp_tally_group *others = tp_tally_find(names, name);
	for (size_t k = others ? others->n + 1 : 2; tp_tally_find(names, unique); k++)
		snprintf(unique, sizeof(unique), "%.*s (%zu)", TP_FRAME_NAME_MAX_BYTES - 24, name,
			 k);
	if (others)
		note_row(&csv->source, csv->source.row_line,
			 "another column is called \"%.100s\": column %zu is \"%.100s\"", name,
			 i + 1, unique);
	csv->frame->columns[i].name = tp_arena_strdup(&csv->frame->arena, unique);
	csv->frame->columns[i].role = TP_ROLE_NOTE;
	/* Both count: how often the name came, and that its other form is taken. */
	tp_tally_add(names, name);
	if (others)
		tp_tally_add(names, unique);
}

/* Of the cell of the names' row; a column beyond them has none. */
static void name_column(struct csv *csv, struct tp_tally *names, size_t i)
{
	struct tp_cell_span cell = { "", 0, false, false };
	char name[TP_FRAME_NAME_MAX_BYTES + 1];
	size_t from = i - csv->form->index;
	if (csv->form->index && i == 0) {
		give_name(csv, names, i, "row");
		return;
	}
	if (from < csv->source.split.n)
		cell = csv->source.split.cells[from];
	undouble(csv, &cell);
	tp_trim(&cell.at, &cell.len);
	tp_shown(name, sizeof(name), cell.at, cell.len);
	if (!name[0]) {
		snprintf(name, sizeof(name), "column %zu", i + 1);
		note_row(&csv->source, csv->source.row_line,
			 "column %zu has no name: it is called \"%s\"", i + 1, name);
	}
	give_name(csv, names, i, name);
}

static enum tp_status refuse_row(struct csv *csv, enum tp_status status, const char *hint,
				 const char *what)
{
	char place[sizeof(csv->diag->where)];
	snprintf(place, sizeof(place), "%.150s:%lu", csv->source.name, csv->source.row_line);
	return tp_fail(csv->diag, status, place, hint, "%s", what);
}

static void name_columns(struct csv *csv)
{
	TP_CLEANUP(tp_tally_release) struct tp_tally names = { 0 };
	char name[32];
	for (size_t i = 0; i < csv->frame->n_columns; i++) {
		snprintf(name, sizeof(name), "c%zu", i + 1);
		if (csv->form->header)
			name_column(csv, &names, i);
		else
			give_name(csv, &names, i, csv->form->names ? csv->form->names[i] : name);
		if (csv->form->columns[i].numbers && *csv->form->columns[i].unit)
			csv->frame->columns[i].unit =
				tp_arena_strdup(&csv->frame->arena, csv->form->columns[i].unit);
	}
}

static enum tp_status read_names(struct csv *csv)
{
	static const char hint[] = "the first line has the names of the columns";
	struct tp_frame *frame = csv->frame;
	char what[96];
	size_t n = csv->form->n_columns;
	csv->source.row_line = csv->source.line;
	if (csv->form->header) {
		enum tp_status status = next_row(&csv->source);
		if (status != TP_OK)
			return status;
		csv->names_hash = tp_row_hash(&csv->source.split);
		if (csv->source.split.n)
			csv->first_name_bytes = csv->source.split.cells[0].len;
	}
	if (csv->details.n) {
		*csv->diag = csv->details.items[0];
		tp_copy(csv->diag->hint, sizeof(csv->diag->hint), hint);
		return TP_USAGE;
	}
	csv->names_line = csv->source.row_line;
	snprintf(what, sizeof(what), "%zu columns, at most %d are read", n, TP_FRAME_COLUMNS_MAX);
	if (n > TP_FRAME_COLUMNS_MAX)
		return refuse_row(csv, TP_USAGE, "leave columns out", what);
	frame->columns = tp_arena_alloc(&frame->arena, n * sizeof(*frame->columns));
	frame->n_columns = n;
	name_columns(csv);
	return TP_OK;
}

/* --- rows --- */

static size_t left_out(const struct csv *csv)
{
	return csv->n_wide + csv->n_single + csv->n_long + csv->source.n_broken;
}

static bool has_too_many(struct csv *csv, size_t filled)
{
	struct csv_source *s = &csv->source;
	if (filled <= csv->frame->n_columns)
		return false;
	if (++csv->n_wide <= ROWS_NOTED)
		note_row(s, s->row_line,
			 "%zu cells, but %zu columns have a name; the row is left "
			 "out",
			 filled, csv->frame->n_columns);
	return true;
}

/* A line of one cell in a table of several columns: a comment, or a text between rows. */
static bool is_single(struct csv *csv)
{
	struct csv_source *s = &csv->source;
	const struct tp_cell_span *cell = s->split.cells;
	if (csv->frame->n_columns == 1 || (s->split.n != 1 && s->split.separator != ' '))
		return false;
	if (cell->len && *cell->at == '#' && !cell->quoted) {
		csv->n_comments++;
		return true;
	}
	if (s->split.n != 1)
		return false;
	if (!cell->len && !cell->quoted)
		return true;
	if (++csv->n_single <= ROWS_NOTED)
		note_row(s, s->row_line, "1 cell, but %zu columns have a name; the row is left out",
			 csv->frame->n_columns);
	return true;
}

/* False, with a note, for a row that is left out. */
static bool fits_names(struct csv *csv)
{
	struct csv_source *s = &csv->source;
	size_t filled = tp_row_filled(&s->split);
	if (is_single(csv) || has_too_many(csv, filled))
		return false;
	for (size_t i = 0; i < filled; i++)
		if (s->split.cells[i].len > CELL_MAX_BYTES) {
			if (++csv->n_long <= ROWS_NOTED)
				note_row(s, s->row_line,
					 "cell %zu has %zu bytes, at most %d are read; the row "
					 "is left out",
					 i + 1, s->split.cells[i].len, CELL_MAX_BYTES);
			return false;
		}
	if (csv->names_hash && s->split.cells[0].len == csv->first_name_bytes &&
	    tp_row_hash(&s->split) == csv->names_hash) {
		if (!csv->n_repeated++)
			csv->repeated_line = s->row_line;
		return false;
	}
	if (s->split.n < csv->frame->n_columns && !csv->n_short++)
		csv->short_line = s->row_line;
	return true;
}

static void keep_stray(struct csv *csv, size_t i, const struct tp_cell_span *cell)
{
	struct strays *strays = &csv->strays[i];
	char shown[40];
	size_t k = 0;
	if (!strays->n++)
		strays->line = csv->source.row_line;
	strays->n_words += !tp_written_is_missing(cell->at, cell->len);
	tp_shown(shown, sizeof(shown), cell->at, cell->len);
	while (k < STRAYS_SHOWN && strays->shown[k] && strcmp(strays->shown[k], shown) != 0)
		k++;
	if (k < STRAYS_SHOWN && !strays->shown[k])
		strays->shown[k] = tp_strdup(shown);
}

static bool is_plain_form(const struct tp_written_column *column)
{
	return column->decimal != ',' && !*column->unit && !column->thousands;
}

/* The number of a cell; a text that is not one is kept for the notes. */
static void put_number(struct csv *csv, size_t i, const struct tp_cell_span *cell)
{
	const struct tp_written_column *column = &csv->form->columns[i];
	const char *at = cell->at;
	size_t len = cell->len;
	char plain[TP_PLAIN_BYTES];
	double value;
	enum tp_cell_kind kind = TP_CELL_WORD;
	if (is_plain_form(column) && len < sizeof(plain))
		kind = tp_cell_read(at, len, &value);
	if (kind == TP_CELL_WORD) {
		bool is_number = tp_written_number(column, &at, &len, plain);
		kind = tp_cell_read(at, len, &value);
		/* Its point is not the decimal mark. */
		if (kind == TP_CELL_NUMBER && !is_number)
			kind = TP_CELL_WORD;
	}
	if (kind == TP_CELL_INFINITE)
		note_row(&csv->source, csv->source.row_line,
			 "\"%.100s\" is not a finite number: it counts as missing",
			 csv->frame->columns[i].name);
	if (kind == TP_CELL_WORD || (kind == TP_CELL_MISSING && cell->len))
		keep_stray(csv, i, cell);
	csv->strays[i].n_numbers += kind == TP_CELL_NUMBER;
	tp_growing_number(&csv->growing, i, kind == TP_CELL_NUMBER ? value : NAN);
}

static enum tp_status put_row(struct csv *csv)
{
	static const struct tp_cell_span empty = { "", 0, false, false };
	enum tp_status status = tp_growing_row(&csv->growing, csv->diag);
	for (size_t i = 0; i < csv->frame->n_columns && status == TP_OK; i++) {
		struct tp_cell_span cell =
			i < csv->source.split.n ? csv->source.split.cells[i] : empty;
		const struct tp_growing_column *column = &csv->growing.columns[i];
		undouble(csv, &cell);
		if (column->kind == TP_GROWING_UNKNOWN) {
			double value;
			enum tp_cell_kind kind = tp_cell_read(cell.at, cell.len, &value);
			if (kind == TP_CELL_NUMBER || kind == TP_CELL_INFINITE)
				tp_growing_as_numbers(&csv->growing, i);
		}
		if (column->kind == TP_GROWING_NUMBERS)
			put_number(csv, i, &cell);
		else
			tp_growing_put(&csv->growing, i, cell.at, cell.len);
	}
	return status;
}

/* --- notes on the rows --- */

static void note_strays(struct csv *csv)
{
	for (size_t i = 0; i < csv->frame->n_columns; i++) {
		const struct strays *strays = &csv->strays[i];
		TP_STR words = { 0 };
		if (!strays->n || csv->growing.columns[i].kind != TP_GROWING_NUMBERS)
			continue;
		for (size_t k = 0; k < STRAYS_SHOWN && strays->shown[k]; k++)
			tp_str_printf(&words, "%s%s", k ? ", " : "", strays->shown[k]);
		note_row(&csv->source, strays->line,
			 "%zu of %zu cells of %.100s (column %zu) %s not %s: %s", strays->n,
			 csv->growing.n_rows, csv->frame->columns[i].name, i + 1,
			 strays->n == 1 ? "is" : "are", strays->n == 1 ? "a number" : "numbers",
			 tp_str_text(&words));
	}
}

static void note_units(struct csv *csv)
{
	TP_STR words = { 0 };
	for (size_t i = 0; i < csv->frame->n_columns; i++) {
		const struct tp_frame_column *column = &csv->frame->columns[i];
		if (column->unit && csv->growing.columns[i].kind == TP_GROWING_NUMBERS)
			tp_str_printf(&words, "%s%s in %s", words.len ? ", " : "", column->name,
				      column->unit);
	}
	if (words.len)
		tp_diags_note(csv->source.notes, csv->source.name, NULL,
			      "the units after the numbers are taken off: %s", tp_str_text(&words));
}

static void note_left_out(struct csv *csv)
{
	const struct {
		size_t n;
		const char *what;
	} reasons[] = {
		{ csv->n_wide, "with too many cells" },
		{ csv->n_single, "with one cell" },
		{ csv->source.n_broken, "with a broken quote or without an end" },
		{ csv->n_long, "with a cell that is too long" },
	};
	size_t n = left_out(csv);
	TP_STR words = { 0 };
	for (size_t i = 0; i < TP_COUNT_OF(reasons); i++)
		if (reasons[i].n)
			tp_str_printf(&words, "%s%zu %s", words.len ? ", " : "", reasons[i].n,
				      reasons[i].what);
	csv->frame->n_left_out = n;
	if (n)
		tp_diags_note(csv->source.notes, csv->source.name, NULL,
			      "%zu of %zu rows %s left out: %s", n, n + csv->growing.n_rows,
			      n == 1 ? "is" : "are", tp_str_text(&words));
	if (csv->n_repeated)
		note_row(&csv->source, csv->repeated_line,
			 "the names of the columns are repeated: %zu such line%s left out",
			 csv->n_repeated, csv->n_repeated == 1 ? " is" : "s are");
	if (csv->n_short)
		note_row(&csv->source, csv->short_line,
			 "%zu row%s lack%s cells at the end: they count as missing", csv->n_short,
			 csv->n_short == 1 ? "" : "s", csv->n_short == 1 ? "s" : "");
	if (csv->n_comments)
		tp_diags_note(csv->source.notes, csv->source.name, NULL,
			      "%zu comment%s (#) %s left out", csv->n_comments,
			      csv->n_comments == 1 ? "" : "s", csv->n_comments == 1 ? "is" : "are");
}

/* --- the passes --- */

static enum tp_status read_rows(struct csv *csv)
{
	struct csv_source *s = &csv->source;
	enum tp_status status = TP_OK;
	tp_growing_begin(&csv->growing, csv->frame);
	csv->strays = tp_alloc(csv->frame->n_columns + 1, sizeof(*csv->strays));
	for (size_t i = 0; i < csv->frame->n_columns; i++)
		if (csv->words && csv->words[i])
			tp_growing_as_words(&csv->growing, i);
		else if (csv->form->columns[i].numbers)
			tp_growing_as_numbers(&csv->growing, i);
	while (status == TP_OK && (status = next_row(s)) == TP_OK && s->split.n)
		if (fits_names(csv))
			status = put_row(csv);
	if (status != TP_OK || csv->growing.n_rows)
		return status;
	s->row_line = csv->names_line;
	return refuse_row(csv, TP_USAGE,
			  left_out(csv) ? "every row has a cell for each name" : NULL,
			  left_out(csv) ? "no row has as many cells as there are names"
					: "there are names of columns, but no rows");
}

/* More than a tenth of the cells are words that do not stand for a missing value. */
static bool is_of_words(const struct csv *csv, size_t i)
{
	const struct strays *strays = &csv->strays[i];
	return csv->growing.columns[i].kind == TP_GROWING_NUMBERS &&
	       10 * strays->n_words > strays->n_words + strays->n_numbers;
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
		any |= is_of_words(csv, i);
	if (!any) {
		csv->source.notes = &csv->frame->notes;
		note_left_out(csv);
		note_strays(csv);
		note_units(csv);
		for (size_t i = 0; i < csv->details.n; i++)
			tp_diags_add(&csv->frame->notes, &csv->details.items[i]);
		if (csv->details.untold)
			tp_diags_more(&csv->frame->notes, csv->details.untold);
		tp_growing_end(&csv->growing);
		for (size_t i = 0; i < csv->frame->n_columns; i++)
			if (csv->frame->columns[i].is_words)
				csv->frame->columns[i].unit = NULL;
		return TP_OK;
	}
	if (csv->words)
		return refuse_row(csv, TP_IO, NULL, "the file changes while it is read");
	*flipped = tp_alloc(csv->frame->n_columns, sizeof(**flipped));
	for (size_t i = 0; i < csv->frame->n_columns; i++)
		(*flipped)[i] =
			csv->growing.columns[i].kind == TP_GROWING_WORDS || is_of_words(csv, i);
	return TP_OK;
}

static void release_csv(struct csv *csv)
{
	for (size_t i = 0; csv->strays && i < csv->frame->n_columns; i++)
		for (size_t k = 0; k < STRAYS_SHOWN; k++)
			free(csv->strays[i].shown[k]);
	free(csv->strays);
	tp_diags_release(&csv->details);
	tp_growing_release(&csv->growing);
	tp_str_release(&csv->plain);
	free(csv->source.buffer);
	tp_splitter_release(&csv->source.split);
}

static enum tp_status look_at(struct tp_written *form, const struct csv_source *s,
			      const struct tp_written_wish *wish, struct tp_diag *diag)
{
	tp_written_release(form);
	return tp_written_look(form, s->name, s->text, s->len, s->ended, wish, diag);
}

static enum tp_status read_pass(struct tp_frame *frame, struct csv_source source,
				const struct tp_written_wish *wish, struct tp_written *form,
				const bool *words, bool **flipped, struct tp_diag *diag)
{
	struct csv csv = {
		.frame = frame, .source = source, .words = words, .form = form, .diag = diag
	};
	struct csv_source *s = &csv.source;
	enum tp_status status = TP_OK;
	s->notes = &csv.details;
	s->diag = diag;
	while (status == TP_OK && !s->ended && s->len < TP_WRITTEN_LOOK_BYTES)
		status = fill_source(s);
	if (status == TP_OK && !words)
		status = look_at(form, s, wish, diag);
	if (status == TP_OK) {
		const struct tp_written_table *table = &form->tables[form->chosen];
		if (form->said.len)
			tp_diags_note(&frame->notes, s->name, NULL, "%s (mine.read overrides this)",
				      tp_str_text(&form->said));
		s->at = table->at;
		s->line = table->line;
		s->end_line = table->end_line;
		s->split.separator = form->separator;
		s->split.line_end = form->line_end;
		s->split.most = TP_FRAME_COLUMNS_MAX;
		status = read_once(&csv, flipped);
	}
	release_csv(&csv);
	return status;
}

static enum tp_status read_all(struct tp_frame *frame, struct csv_source source,
			       const struct tp_written_wish *wish, struct tp_diag *diag)
{
	TP_FREE bool *flipped = NULL;
	TP_CLEANUP(tp_written_release) struct tp_written form = { 0 };
	char name[sizeof(frame->name)];
	size_t max_bytes = frame->max_bytes;
	tp_copy(name, sizeof(name), frame->name);
	enum tp_status status = read_pass(frame, source, wish, &form, NULL, &flipped, diag);
	if (status == TP_OK && flipped) {
		tp_frame_release(frame);
		frame->max_bytes = max_bytes;
		tp_copy(frame->name, sizeof(frame->name), name);
		if (source.fd >= 0 && lseek(source.fd, (off_t)source.begin, SEEK_SET) < 0)
			status = tp_fail(diag, TP_IO, frame->name, NULL, "cannot be read again");
		else
			status = read_pass(frame, source, wish, &form, flipped, NULL, diag);
	}
	if (status != TP_OK)
		tp_frame_release(frame);
	return status;
}

/* --- other texts --- */

static bool is_utf16(enum tp_encoding encoding)
{
	return encoding == TP_ENCODING_UTF16_LE || encoding == TP_ENCODING_UTF16_BE;
}

/* A copy of what the user wishes, with the encoding that the text is in. */
static struct tp_written_wish with_encoding(const struct tp_written_wish *wish, const char *text,
					    size_t len, bool whole)
{
	struct tp_written_wish full = wish ? *wish : (struct tp_written_wish){ 0 };
	enum tp_encoding found = tp_encoding_of(text, len, whole);
	/* Its mark decides the order of its bytes. */
	if (!full.encoding || (is_utf16(full.encoding) && is_utf16(found)))
		full.encoding = found;
	return full;
}

enum tp_status tp_frame_read_text(struct tp_frame *frame, const char *name, const char *text,
				  size_t len, const struct tp_written_wish *wish,
				  struct tp_diag *diag)
{
	TP_STR decoded = { 0 }, table = { 0 };
	const char *what = NULL;
	enum tp_status status = TP_OK;
	struct tp_written_wish full = with_encoding(wish, text, len, true);
	struct csv_source source = { .name = frame->name, .fd = -1, .ended = true };
	tp_shown(frame->name, sizeof(frame->name), name, strlen(name));
	tp_encoding_decode(full.encoding, text, len, &decoded);
	if (tp_json_table_is(tp_str_text(&decoded), decoded.len)) {
		status = tp_json_table(frame->name, tp_str_text(&decoded), decoded.len, &table,
				       &what, diag);
		full = (struct tp_written_wish){ .encoding = full.encoding,
						 .separator = ',',
						 .decimal = '.',
						 .header = TP_WRITTEN_NAMES };
	}
	source.text = tp_str_text(what ? &table : &decoded);
	source.len = what ? table.len : decoded.len;
	if (status == TP_OK)
		status = read_all(frame, source, &full, diag);
	if (status == TP_OK && what)
		tp_diags_note(&frame->notes, frame->name, NULL, "%s", what);
	return status;
}

/* Beyond it, UTF-16 and JSON are not read. */
#define WHOLE_MAX_BYTES ((size_t)1 << 28)

enum tp_status tp_frame_read_csv(struct tp_frame *frame, const char *path,
				 const struct tp_written_wish *wish, struct tp_diag *diag)
{
	struct csv_source source = { .name = frame->name, .fd = -1 };
	TP_FREE char *text = tp_alloc(TP_WRITTEN_LOOK_BYTES, 1);
	tp_shown(frame->name, sizeof(frame->name), path, strlen(path));
	enum tp_status status = tp_file_open(AT_FDCWD, path, O_RDONLY, &source.fd, diag);
	if (status != TP_OK)
		return status;
	ssize_t n = pread(source.fd, text, TP_WRITTEN_LOOK_BYTES, 0);
	size_t len = n > 0 ? (size_t)n : 0;
	struct tp_written_wish full = with_encoding(wish, text, len, len < TP_WRITTEN_LOOK_BYTES);
	source.encoding = full.encoding;
	source.is_decided = (wish && wish->encoding) || full.encoding != TP_ENCODING_UTF8 ||
			    !is_ascii(text, len);
	source.begin = tp_mark_bytes(text, len);
	if (is_utf16(full.encoding) || tp_json_table_is(text + source.begin, len - source.begin)) {
		free(text);
		text = NULL;
		status = tp_stream_read(source.fd, path, WHOLE_MAX_BYTES, &text, &len, diag);
		if (status == TP_OK)
			status = tp_frame_read_text(frame, path, text, len, wish, diag);
	} else if (lseek(source.fd, (off_t)source.begin, SEEK_SET) < 0) {
		status = tp_fail(diag, TP_IO, frame->name, NULL, "cannot be read again");
	} else {
		status = read_all(frame, source, &full, diag);
	}
	close(source.fd);
	return status;
}
