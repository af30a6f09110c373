/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of a CSV file, from a buffer that holds at least the row under way. */
#include "mining/frame_parts.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"
#include "base/memory.h"

enum { FIRST_BYTES = 1 << 20 };

/* What was found where a row should be. */
enum found {
	FOUND_ROW,
	FOUND_MORE, /* it goes on behind what is there */
	FOUND_OPEN, /* a quote is not closed */
	FOUND_TEXT, /* text behind a closing quote */
	FOUND_QUOTE /* a quote inside a cell without quotes */
};

void tp_csv_source_note(const struct tp_csv_source *s, unsigned long line, const char *fmt, ...)
{
	struct tp_diag diag = { 0 };
	va_list list;
	snprintf(diag.where, sizeof(diag.where), "%.150s:%lu", s->name, line);
	va_start(list, fmt);
	vsnprintf(diag.what, sizeof(diag.what), fmt, list);
	va_end(list);
	tp_diags_add(s->notes, &diag);
}

void tp_csv_source_release(struct tp_csv_source *s)
{
	free(s->buffer);
	free(s->cells);
}

enum tp_status tp_csv_source_fill(struct tp_csv_source *s)
{
	if (tp_stop_asked)
		return tp_fail(s->diag, TP_CANCELLED, s->name, NULL, "reading was cancelled");
	if (s->at) {
		memmove(s->buffer, s->buffer + s->at, s->len - s->at);
		s->len -= s->at;
		s->at = 0;
	}
	if (s->len == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : FIRST_BYTES;
		char *grown = realloc(s->buffer, cap);
		if (!grown)
			return tp_fail(s->diag, TP_NOMEM, s->name, NULL, "out of memory");
		s->buffer = grown;
		s->cap = cap;
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

static bool add_cell(struct tp_csv_source *s, const char *from, const char *to, bool doubled)
{
	if (s->n_cells >= TP_FRAME_COLUMNS_MAX) {
		s->n_cells++;
		return true;
	}
	if (tp_vec_reserve((void **)&s->cells, &s->cap_cells, s->n_cells + 1, sizeof(*s->cells)))
		return false;
	s->cells[s->n_cells++] = (struct tp_csv_piece){ from, (size_t)(to - from), doubled };
	return true;
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
static enum found split(struct tp_csv_source *s, size_t *row_end, unsigned long *lines)
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
		if (!add_cell(s, start, stop, doubled))
			s->n_cells = 0;
		if (at == end || *at == '\n') {
			*row_end = (size_t)(at - s->text);
			return FOUND_ROW;
		}
		at++;
	}
}

/* Commas; or semicolons, or tabs, if the first line has no comma outside of quotes. */
static void choose_separator(struct tp_csv_source *s)
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
static enum tp_status pass_line(struct tp_csv_source *s)
{
	for (;;) {
		const char *end = memchr(s->text + s->at, '\n', s->len - s->at);
		s->at = end ? (size_t)(end - s->text) + 1 : s->len;
		if (end)
			s->line++;
		if (end || s->ended)
			return TP_OK;
		enum tp_status status = tp_csv_source_fill(s);
		if (status != TP_OK)
			return status;
	}
}

/* Lines without text; before the names, also those of #. */
static bool is_passed_over(const struct tp_csv_source *s)
{
	char c = s->text[s->at];
	return c == '\n' || (c == '\r' && s->at + 1 < s->len && s->text[s->at + 1] == '\n') ||
	       (c == '#' && !s->separator);
}

static enum tp_status leave_out(struct tp_csv_source *s, enum found found)
{
	static const char *const words[] = {
		[FOUND_MORE] = "more than 16 MiB without an end",
		[FOUND_OPEN] = "a quote is not closed",
		[FOUND_TEXT] = "text behind a closing quote",
		[FOUND_QUOTE] = "a quote inside a cell: quote the whole cell, and write the quote "
				"in it twice",
	};
	tp_csv_source_note(s, s->line, "%s; the line is left out", words[found]);
	return pass_line(s);
}

enum tp_status tp_csv_source_next(struct tp_csv_source *s)
{
	enum tp_status status = TP_OK;
	size_t end;
	unsigned long lines;
	s->n_cells = 0;
	while (status == TP_OK) {
		/* A row is looked at when its line is there, and never for less than a buffer. */
		if (s->len - s->at < 4 && !s->ended) {
			status = tp_csv_source_fill(s);
			continue;
		}
		if (s->at == s->len)
			return TP_OK;
		if (is_passed_over(s)) {
			status = pass_line(s);
			continue;
		}
		bool first = !s->separator;
		if (first)
			choose_separator(s);
		enum found found = split(s, &end, &lines);
		if (found == FOUND_MORE && s->len - s->at < TP_CSV_ROW_MAX_BYTES) {
			if (first)
				s->separator = 0; /* its line may not be there as a whole */
			status = tp_csv_source_fill(s);
			continue;
		}
		if (found == FOUND_ROW && !s->n_cells)
			return tp_fail(s->diag, TP_NOMEM, s->name, NULL, "out of memory");
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
