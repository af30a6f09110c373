/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CSV files become frames. A file is read twice where a column begins with numbers and has a word
 * later: its first cells are then kept as they stand there.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/process.h"
#include "base/tally.h"
#include "base/text.h"
#include "base/memory.h"
#include "mining/frame.h"

/* Of the text under way: valid until the next row. */
struct csv_cell {
	const char *at;
	size_t len;
	bool doubled; /* quotes in it stand twice */
};

struct csv_source {
	const char *name;
	int fd; /* borrowed; -1: all of the text is there */
	char *buffer; /* heap, of a file */
	const char *text; /* what is there of it */
	size_t at, len, cap;
	bool ended; /* nothing follows what is there */
	unsigned long line, row_line; /* of `at`; of the row */
	char separator; /* 0 until the first row was read */
	struct csv_cell *cells; /* of the row; those beyond TP_FRAME_COLUMNS_MAX are counted */
	size_t n_cells, cap_cells;
	struct tp_diags *notes; /* of what is left out */
	struct tp_diag *diag;
};

enum { ROW_MAX_BYTES = 1 << 24, CELL_MAX_BYTES = 1 << 16 };

enum { FIRST_BYTES = 1 << 20 };

/* What was found where a row should be. */
enum found {
	FOUND_ROW,
	FOUND_MORE, /* it goes on behind what is there */
	FOUND_OPEN, /* a quote is not closed */
	FOUND_TEXT, /* text behind a closing quote */
	FOUND_QUOTE /* a quote inside a cell without quotes */
};

/* Notes something of the row. */
static void __attribute__((format(printf, 3, 4)))
note_row(const struct csv_source *s, unsigned long line, const char *fmt, ...)
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
	if (s->len == s->cap) {
		s->cap = s->cap ? 2 * s->cap : FIRST_BYTES;
		s->buffer = tp_realloc(s->buffer, s->cap, 1);
	}
	s->text = s->buffer;
	ssize_t got;
	do
		got = read(s->fd, s->buffer + s->len, s->cap - s->len);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return tp_fail(s->diag, TP_IO, s->name, NULL, "cannot read: %s", strerror(errno));
	s->len += (size_t)got;
	s->ended = got == 0;
	return TP_OK;
}

/* Behind the quote that closes the cell; NULL: there is none. */
static const char *behind_quoted(const char *at, const char *end, unsigned long *lines,
				 bool *doubled)
{
	for (at++;; at += 2) {
		const char *quote = memchr(at, '"', (size_t)(end - at));
		if (!quote)
			return NULL;
		for (const char *line = at; (line = memchr(line, '\n', (size_t)(quote - line)));
		     line++)
			++*lines;
		at = quote;
		if (at + 1 == end || at[1] != '"')
			return at + 1;
		*doubled = true;
	}
}

static const char *behind_blanks(const char *at, const char *end, char separator)
{
	while (at < end && (*at == ' ' || *at == '\r' || *at == '\t') && *at != separator)
		at++;
	return at;
}

/* Splits the row at `at` into cells; *end is where it ends, at its line feed or at the end. */
static enum found split_row(struct csv_source *s, size_t *row_end, unsigned long *lines)
{
	const char *at = s->text + s->at, *end = s->text + s->len;
	char separator = s->separator;
	s->n_cells = 0;
	*lines = 1;
	for (;;) {
		const char *start = at, *quote = behind_blanks(at, end, separator), *stop;
		bool doubled = false;
		if (quote < end && *quote == '"') {
			start = quote + 1;
			at = behind_quoted(quote, end, lines, &doubled);
			if (!at || (at == end && !s->ended))
				return s->ended ? FOUND_OPEN : FOUND_MORE;
			stop = at - 1;
			at = behind_blanks(at, end, separator);
		} else {
			while (at < end && *at != separator && *at != '\n' && *at != '"')
				at++;
			if (at < end && *at == '"')
				return FOUND_QUOTE;
			/* Most cells have no blanks around them. */
			for (start = quote < at ? quote : at, stop = at;
			     stop > start && strchr(" \r\t", stop[-1]) && stop[-1]; stop--)
				;
		}
		if (at == end && !s->ended)
			return FOUND_MORE;
		if (at < end && *at != separator && *at != '\n')
			return FOUND_TEXT;
		/* Cells beyond TP_FRAME_COLUMNS_MAX are only counted. */
		if (s->n_cells < TP_FRAME_COLUMNS_MAX) {
			TP_RESERVE(s->cells, s->cap_cells, s->n_cells + 1);
			s->cells[s->n_cells] =
				(struct csv_cell){ start, (size_t)(stop - start), doubled };
		}
		s->n_cells++;
		if (at == end || *at == '\n') {
			*row_end = (size_t)(at - s->text);
			return FOUND_ROW;
		}
		at++;
	}
}

/* Commas; or semicolons, or tabs, if the first line has no comma outside of quotes. */
static void choose_separator(struct csv_source *s)
{
	bool quoted = false, semicolon = false, tab = false;
	s->separator = ',';
	for (size_t i = s->at; i < s->len && (quoted || s->text[i] != '\n'); i++) {
		quoted ^= s->text[i] == '"';
		if (quoted)
			continue;
		if (s->text[i] == ',')
			return;
		semicolon |= s->text[i] == ';';
		tab |= s->text[i] == '\t';
	}
	if (semicolon || tab)
		s->separator = semicolon ? ';' : '\t';
}

/* Passes over the line at `at`, however long it is. */
static enum tp_status pass_line(struct csv_source *s)
{
	for (;;) {
		const char *end = memchr(s->text + s->at, '\n', s->len - s->at);
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

static enum tp_status leave_out(struct csv_source *s, enum found found)
{
	static const char *const words[] = {
		[FOUND_MORE] = "more than 16 MiB without an end",
		[FOUND_OPEN] = "a quote is not closed",
		[FOUND_TEXT] = "text behind a closing quote",
		[FOUND_QUOTE] = "a quote inside a cell: quote the whole cell, and write the quote "
				"in it twice",
	};
	note_row(s, s->line, "%s; the line is left out", words[found]);
	return pass_line(s);
}

/*
 * The next row that is one; rows with a broken quote and those that are too long are noted and left
 * out. n_cells 0: there is none. TP_IO, TP_CANCELLED.
 */
static enum tp_status next_row(struct csv_source *s)
{
	enum tp_status status = TP_OK;
	size_t end;
	unsigned long lines;
	s->n_cells = 0;
	while (status == TP_OK) {
		/* A row is looked at when its line is there, and never for less than a buffer. */
		if (s->len - s->at < 4 && !s->ended) {
			status = fill_source(s);
			continue;
		}
		if (s->at == s->len)
			return TP_OK;
		/* Lines without text; before the names, also those of #. */
		char c = s->text[s->at];
		if (c == '\n' || (c == '\r' && s->at + 1 < s->len && s->text[s->at + 1] == '\n') ||
		    (c == '#' && !s->separator)) {
			status = pass_line(s);
			continue;
		}
		bool first = !s->separator;
		if (first)
			choose_separator(s);
		enum found found = split_row(s, &end, &lines);
		if (found == FOUND_MORE && s->len - s->at < ROW_MAX_BYTES) {
			if (first)
				s->separator = 0; /* its line may not be there as a whole */
			status = fill_source(s);
			continue;
		}
		if (found == FOUND_ROW) {
			s->row_line = s->line;
			s->line += lines;
			s->at = end < s->len ? end + 1 : end;
			return TP_OK;
		}
		status = leave_out(s, found);
	}
	return status;
}

struct csv {
	struct tp_frame *frame;
	struct csv_source source;
	struct tp_growing growing;
	unsigned long names_line;
	struct tp_str plain; /* a cell without the doubling of its quotes */
	const bool *words; /* columns that are words, as an earlier pass found; NULL = first pass */
	struct tp_diag *diag;
};

/* Quotes in the cell stand once. */
static void undouble(struct csv *csv, struct csv_cell *cell)
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

/* A name of its own for the column. */
static void name_column(struct csv *csv, struct tp_tally *names, size_t i)
{
	struct csv_cell cell = csv->source.cells[i];
	char name[TP_FRAME_NAME_MAX_BYTES + 1], unique[TP_FRAME_NAME_MAX_BYTES + 1];
	undouble(csv, &cell);
	tp_trim(&cell.at, &cell.len);
	tp_shown(name, sizeof(name), cell.at, cell.len);
	if (!name[0]) {
		snprintf(name, sizeof(name), "column %zu", i + 1);
		note_row(&csv->source, csv->source.row_line,
			 "column %zu has no name: it is called \"%s\"", i + 1, name);
	}
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

static enum tp_status refuse_row(struct csv *csv, enum tp_status status, const char *hint,
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
	TP_CLEANUP(tp_tally_release) struct tp_tally names = { 0 };
	char what[96];
	csv->source.row_line = 1;
	enum tp_status status = next_row(&csv->source);
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
		return refuse_row(csv, TP_USAGE, hint, "the file holds no table: nothing is in it");
	snprintf(what, sizeof(what), "%zu columns, at most %d are read", n, TP_FRAME_COLUMNS_MAX);
	if (n > TP_FRAME_COLUMNS_MAX)
		return refuse_row(csv, TP_USAGE, "leave columns out", what);
	if (memchr(csv->source.cells[0].at, '\0', csv->source.cells[0].len))
		return refuse_row(csv, TP_USAGE, "give text in UTF-8", "the file is no text");
	if (names_are_numbers(csv))
		note_row(&csv->source, csv->source.row_line,
			 "the names of the columns are numbers: is their line missing?");
	frame->columns = tp_arena_alloc(&frame->arena, n * sizeof(*frame->columns));
	frame->n_columns = n;
	for (size_t i = 0; i < n; i++)
		name_column(csv, &names, i);
	return TP_OK;
}

/* False, with a note, for a row that is left out. */
static bool fits_names(struct csv *csv)
{
	struct csv_source *s = &csv->source;
	if (s->n_cells != csv->frame->n_columns) {
		note_row(s, s->row_line,
			 "%zu cells, but %zu columns have a name; the row is left out", s->n_cells,
			 csv->frame->n_columns);
		return false;
	}
	for (size_t i = 0; i < s->n_cells; i++)
		if (s->cells[i].len > CELL_MAX_BYTES) {
			note_row(s, s->row_line,
				 "cell %zu has %zu bytes, at most %d are read; the row "
				 "is left out",
				 i + 1, s->cells[i].len, CELL_MAX_BYTES);
			return false;
		}
	return true;
}

static enum tp_status put_row(struct csv *csv)
{
	enum tp_status status = tp_growing_row(&csv->growing, csv->diag);
	for (size_t i = 0; i < csv->source.n_cells && status == TP_OK; i++) {
		struct csv_cell *cell = &csv->source.cells[i];
		bool infinite = false;
		undouble(csv, cell);
		tp_growing_put(&csv->growing, i, cell->at, cell->len, &infinite);
		if (infinite)
			note_row(&csv->source, csv->source.row_line,
				 "\"%.100s\" is no finite number: it counts as missing",
				 csv->frame->columns[i].name);
	}
	return status;
}

static enum tp_status read_rows(struct csv *csv)
{
	struct csv_source *s = &csv->source;
	enum tp_status status = TP_OK;
	unsigned long seen = 0;
	tp_growing_begin(&csv->growing, csv->frame);
	for (size_t i = 0; csv->words && i < csv->frame->n_columns; i++)
		if (csv->words[i])
			tp_growing_as_words(&csv->growing, i);
	while (status == TP_OK && (status = next_row(s)) == TP_OK && s->n_cells) {
		seen++;
		if (fits_names(csv))
			status = put_row(csv);
	}
	if (status != TP_OK || csv->growing.n_rows)
		return status;
	s->row_line = csv->names_line;
	return refuse_row(csv, TP_USAGE, seen ? "every row has a cell for each name" : NULL,
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
	if (!any) {
		tp_growing_end(&csv->growing);
		return TP_OK;
	}
	if (csv->words)
		return refuse_row(csv, TP_IO, NULL, "the file changes while it is read");
	*flipped = tp_alloc(csv->frame->n_columns, sizeof(**flipped));
	for (size_t i = 0; i < csv->frame->n_columns; i++)
		(*flipped)[i] = csv->growing.columns[i].kind == TP_GROWING_WORDS ||
				csv->growing.columns[i].flipped;
	return TP_OK;
}

/* Byte order marks are passed over; text of 16 bits is refused. */
static enum tp_status skip_mark(struct csv_source *s, const char *text, size_t len,
				struct tp_diag *diag)
{
	if (len >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
		return tp_fail(diag, TP_USAGE, s->name, "convert it to UTF-8",
			       "is text of 16 bits a character (UTF-16)");
	s->line = 1;
	s->at = len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	return TP_OK;
}

static enum tp_status read_pass(struct tp_frame *frame, struct csv_source source, const bool *words,
				bool **flipped, struct tp_diag *diag)
{
	struct csv csv = { .frame = frame, .source = source, .words = words, .diag = diag };
	enum tp_status status = TP_OK;
	csv.source.notes = &frame->notes;
	csv.source.diag = diag;
	if (csv.source.fd >= 0)
		status = fill_source(&csv.source);
	if (status == TP_OK)
		status = skip_mark(&csv.source, csv.source.text, csv.source.len, diag);
	if (status == TP_OK)
		status = read_once(&csv, flipped);
	tp_growing_release(&csv.growing);
	tp_str_release(&csv.plain);
	free(csv.source.buffer);
	free(csv.source.cells);
	return status;
}

static enum tp_status read_all(struct tp_frame *frame, struct csv_source source,
			       struct tp_diag *diag)
{
	TP_FREE bool *flipped = NULL;
	char name[sizeof(frame->name)];
	tp_copy(name, sizeof(name), frame->name);
	enum tp_status status = read_pass(frame, source, NULL, &flipped, diag);
	if (status == TP_OK && flipped) {
		tp_frame_release(frame);
		tp_copy(frame->name, sizeof(frame->name), name);
		if (source.fd >= 0 && lseek(source.fd, 0, SEEK_SET) < 0)
			status = tp_fail(diag, TP_IO, frame->name, NULL, "cannot be read again");
		else
			status = read_pass(frame, source, flipped, NULL, diag);
	}
	if (status != TP_OK)
		tp_frame_release(frame);
	return status;
}

enum tp_status tp_frame_read_text(struct tp_frame *frame, const char *name, const char *text,
				  size_t len, struct tp_diag *diag)
{
	struct csv_source source = {
		.name = frame->name, .fd = -1, .text = text, .len = len, .ended = true
	};
	tp_shown(frame->name, sizeof(frame->name), name, strlen(name));
	return read_all(frame, source, diag);
}

enum tp_status tp_frame_read_csv(struct tp_frame *frame, const char *path, struct tp_diag *diag)
{
	struct csv_source source = { .name = frame->name, .fd = -1 };
	tp_shown(frame->name, sizeof(frame->name), path, strlen(path));
	enum tp_status status = tp_file_open(AT_FDCWD, path, O_RDONLY, &source.fd, diag);
	if (status != TP_OK)
		return status;
	status = read_all(frame, source, diag);
	close(source.fd);
	return status;
}
