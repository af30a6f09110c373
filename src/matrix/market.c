/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matrix/market.h"
#include "base/file.h"
#include "base/process.h"
#include "base/str.h"
#include "base/memory.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A line of an entry has about 30 characters; three times the most entries. */
#define FILE_MAX ((size_t)TP_MATRIX_ENTRIES_MAX * 100)
/* Read at once: far longer than a line may be, so that a long file takes few calls. */
enum { READ_BYTES = 1 << 16 };
/* Lines between two looks at whether the process shall end. */
enum { LOOK_LINES = 4096 };

struct reader {
	const char *name;
	struct tp_market *market;
	struct tp_entries entries;
	size_t seen; /* lines of entries */
	enum { BANNER, SIZE, ENTRIES, HEAD_DONE } at;
	bool head_only;
	struct tp_diag *diag;
};

static enum tp_status fail_at(const struct reader *r, size_t line, enum tp_status status,
			      const char *hint, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

static enum tp_status fail_at(const struct reader *r, size_t line, enum tp_status status,
			      const char *hint, const char *fmt, ...)
{
	char where[sizeof(r->diag->where)], what[sizeof(r->diag->what)];
	va_list ap;
	snprintf(where, sizeof(where), "%.170s:%zu", r->name, line);
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return tp_fail(r->diag, status, where, hint, "%s", what);
}

static const char *skip_blanks(const char *at)
{
	while (*at == ' ' || *at == '\t')
		at++;
	return at;
}

/* A word of a line for a diagnosis: no longer than a line of text takes, and only printable. */
static const char *word_of(const char *at, char out[32])
{
	size_t n = 0;
	while (n < 28 && at[n] && !isspace((unsigned char)at[n])) {
		out[n] = isprint((unsigned char)at[n]) ? at[n] : '?';
		n++;
	}
	snprintf(out + n, 4, "%s", at[n] && !isspace((unsigned char)at[n]) ? "..." : "");
	return out;
}

/* Takes a word without regard to case; false, and *at stays, if it is another one. */
static bool take_word(const char **at, const char *word)
{
	size_t n = strlen(word);
	if (strncasecmp(*at, word, n) != 0 || (!isspace((unsigned char)(*at)[n]) && (*at)[n]))
		return false;
	*at = skip_blanks(*at + n);
	return true;
}

/* Takes a whole number of at most 18 digits, which ends at a blank or with the line. */
static bool take_number(const char **at, uint64_t *number)
{
	const char *p = *at;
	uint64_t n = 0;
	unsigned digits = 0;
	for (; *p >= '0' && *p <= '9' && digits < 19; p++, digits++)
		n = 10 * n + (uint64_t)(*p - '0');
	if (!digits || digits > 18 || (*p && *p != ' ' && *p != '\t'))
		return false;
	*number = n;
	*at = skip_blanks(p);
	return true;
}

static enum tp_status read_banner(struct reader *r, size_t line, const char *text)
{
	static const char hint[] = "the first line is: %%MatrixMarket matrix coordinate "
				   "real|integer|pattern general|symmetric|skew-symmetric";
	struct tp_market *m = r->market;
	const char *at = text;
	char word[32];
	if (!take_word(&at, "%%MatrixMarket"))
		return fail_at(r, line, TP_USAGE, hint,
			       "this is no Matrix Market file: it begins with \"%s\"",
			       word_of(text, word));
	if (!take_word(&at, "matrix"))
		return fail_at(r, line, TP_USAGE, hint, "\"%s\" is no matrix", word_of(at, word));
	if (take_word(&at, "array"))
		return fail_at(
			r, line, TP_USAGE, hint,
			"the file holds a dense matrix (array), which has no zeros to leave out");
	if (!take_word(&at, "coordinate"))
		return fail_at(r, line, TP_USAGE, hint, "\"%s\" is not a known form",
			       word_of(at, word));
	if (take_word(&at, "complex"))
		return fail_at(r, line, TP_USAGE, hint, "complex values are not supported");
	if (take_word(&at, "integer"))
		m->integer = true;
	else if (take_word(&at, "pattern"))
		m->pattern = true;
	else if (!take_word(&at, "real") && !take_word(&at, "double"))
		return fail_at(r, line, TP_USAGE, hint, "\"%s\" is no known kind of values",
			       word_of(at, word));
	if (take_word(&at, "hermitian"))
		return fail_at(r, line, TP_USAGE, hint,
			       "hermitian matrices are complex, which is not supported");
	if (take_word(&at, "symmetric"))
		m->symmetric = true;
	else if (take_word(&at, "skew-symmetric"))
		m->skew = true;
	else if (!take_word(&at, "general"))
		return fail_at(r, line, TP_USAGE, hint, "\"%s\" is no known symmetry",
			       word_of(at, word));
	if (*at)
		return fail_at(r, line, TP_USAGE, hint, "\"%s\" is one word too many",
			       word_of(at, word));
	if (m->skew && m->pattern)
		return fail_at(r, line, TP_USAGE, hint,
			       "a skew-symmetric matrix has values, so it is no pattern");
	r->at = SIZE;
	return TP_OK;
}

static enum tp_status read_size(struct reader *r, size_t line, const char *text)
{
	struct tp_market *m = r->market;
	uint64_t rows, columns, entries;
	const char *at = text;
	if (!take_number(&at, &rows) || !take_number(&at, &columns) ||
	    !take_number(&at, &entries) || *at)
		return fail_at(r, line, TP_USAGE, "such as: 1000 1000 5000",
			       "a line with rows, columns and the number of entries is expected");
	if (!rows || !columns)
		return fail_at(r, line, TP_USAGE, NULL, "the matrix has no %s",
			       rows ? "columns" : "rows");
	if (rows > TP_MATRIX_SIDE_MAX || columns > TP_MATRIX_SIDE_MAX)
		return fail_at(
			r, line, TP_USAGE, NULL,
			"the matrix has %llu rows and %llu columns; at most %d of each are taken",
			(unsigned long long)rows, (unsigned long long)columns, TP_MATRIX_SIDE_MAX);
	if (entries > TP_MATRIX_ENTRIES_MAX)
		return fail_at(r, line, TP_USAGE, NULL,
			       "the file has %llu entries; at most %d are taken",
			       (unsigned long long)entries, TP_MATRIX_ENTRIES_MAX);
	if ((m->symmetric || m->skew) && rows != columns)
		return fail_at(r, line, TP_USAGE, NULL,
			       "a symmetric matrix has as many columns as rows, not %llu and %llu",
			       (unsigned long long)columns, (unsigned long long)rows);
	/* A place may come several times, so there may be more entries than places. */
	m->n_rows = (uint32_t)rows;
	m->n_columns = (uint32_t)columns;
	m->n_entries = entries;
	r->at = r->head_only ? HEAD_DONE : ENTRIES;
	return TP_OK;
}

static enum tp_status add(struct reader *r, size_t line, uint32_t row, uint32_t column,
			  double value)
{
	struct tp_entries *e = &r->entries;
	if (e->n >= TP_MATRIX_ENTRIES_MAX)
		return fail_at(r, line, TP_USAGE, NULL,
			       "with its other triangle the matrix has more than %d non-zeros",
			       TP_MATRIX_ENTRIES_MAX);
	if (e->n == e->cap &&
	    tp_vec_reserve((void **)&e->items, &e->cap, e->n + 1, sizeof(*e->items)) != TP_OK)
		return fail_at(r, line, TP_NOMEM, NULL, "there is no memory for so many entries");
	e->items[e->n++] = (struct tp_entry){ row, column, value };
	return TP_OK;
}

static enum tp_status read_value(struct reader *r, size_t line, const char **at, double *value)
{
	char word[32], *end;
	const char *from = *at;
	if (!*from)
		return fail_at(r, line, TP_USAGE, NULL, "the entry has no value");
	*value = strtod(from, &end);
	/* strtod also takes hexadecimal numbers and words, which the format does not have. */
	bool plain = strspn(from, "+-.0123456789eE") >= (size_t)(end - from);
	if (end == from || (*end && *end != ' ' && *end != '\t') || (!plain && isfinite(*value)))
		return fail_at(r, line, TP_USAGE, NULL, "\"%s\" is no number", word_of(from, word));
	if (!isfinite(*value))
		return fail_at(r, line, TP_USAGE, "a value is finite, and less than 1.8e308",
			       "the value \"%s\" is not finite", word_of(from, word));
	if (r->market->integer && *value != floor(*value))
		return fail_at(r, line, TP_USAGE, "the first line of the file says integer",
			       "\"%s\" is no whole number", word_of(from, word));
	*at = skip_blanks(end);
	return TP_OK;
}

static enum tp_status read_entry(struct reader *r, size_t line, const char *text)
{
	const struct tp_market *m = r->market;
	const char *at = text;
	char word[32];
	uint64_t row, column;
	double value = 1;
	if (r->seen == m->n_entries)
		return fail_at(r, line, TP_USAGE, "the line of the size says how many there are",
			       "this is one entry more than the %zu that are announced",
			       m->n_entries);
	if (!take_number(&at, &row) || !take_number(&at, &column))
		return fail_at(r, line, TP_USAGE, "such as: 3 7 0.5",
			       "\"%s\": an entry begins with its row and its column",
			       word_of(at, word));
	if (row < 1 || row > m->n_rows)
		return fail_at(r, line, TP_USAGE, "rows are counted from 1",
			       "row %llu is not one of 1 to %u", (unsigned long long)row,
			       m->n_rows);
	if (column < 1 || column > m->n_columns)
		return fail_at(r, line, TP_USAGE, "columns are counted from 1",
			       "column %llu is not one of 1 to %u", (unsigned long long)column,
			       m->n_columns);
	if (!m->pattern) {
		enum tp_status status = read_value(r, line, &at, &value);
		if (status != TP_OK)
			return status;
	}
	if (*at)
		return fail_at(r, line, TP_USAGE,
			       m->pattern ? "entries of a pattern have no value"
					  : "an entry is a row, a column and a value",
			       "\"%s\" is one word too many", word_of(at, word));
	if ((m->symmetric || m->skew) && column > row)
		return fail_at(
			r, line, TP_USAGE,
			"a symmetric file holds the lower triangle; the other one follows from it",
			"row %llu, column %llu lies above the diagonal", (unsigned long long)row,
			(unsigned long long)column);
	if (m->skew && column == row)
		return fail_at(r, line, TP_USAGE, "leave the entry out",
			       "the diagonal of a skew-symmetric matrix is 0");
	r->seen++;
	enum tp_status status = add(r, line, (uint32_t)row - 1, (uint32_t)column - 1, value);
	if (status == TP_OK && (m->symmetric || m->skew) && row != column)
		status = add(r, line, (uint32_t)column - 1, (uint32_t)row - 1,
			     m->skew ? -value : value);
	return status;
}

/* As tp_take_line; the line is changed at its end only by leaving it out. */
static enum tp_status take_line(void *context, size_t line, const char *text, size_t len,
				bool whole)
{
	struct reader *r = context;
	char copy[TP_MARKET_LINE_MAX + 1];
	(void)whole;
	if (r->at == HEAD_DONE)
		return TP_CANCELLED;
	if (line % LOOK_LINES == 0 && tp_stop_asked)
		return fail_at(r, line, TP_CANCELLED, NULL, "interrupted");
	if (!text || len > TP_MARKET_LINE_MAX)
		return fail_at(r, line, TP_USAGE, NULL, "the line has more than %d bytes",
			       TP_MARKET_LINE_MAX);
	if (memchr(text, '\0', len))
		return fail_at(r, line, TP_USAGE, "a Matrix Market file is text",
			       "the line holds a zero byte");
	while (len && isspace((unsigned char)text[len - 1]))
		len--;
	memcpy(copy, text, len);
	copy[len] = '\0';
	const char *at = skip_blanks(copy);
	if (r->at == BANNER)
		return read_banner(r, line, at);
	if (!*at || *at == '%')
		return TP_OK;
	return r->at == SIZE ? read_size(r, line, at) : read_entry(r, line, at);
}

/* What only the end of the file tells. */
static enum tp_status finish(struct reader *r, struct tp_matrix *matrix)
{
	const struct tp_market *m = r->market;
	if (r->at == BANNER)
		return tp_fail(r->diag, TP_USAGE, r->name, NULL, "the file is empty");
	if (r->at == SIZE)
		return tp_fail(r->diag, TP_USAGE, r->name, "such as: 1000 1000 5000",
			       "the file ends before the line with rows, columns and entries");
	if (r->at == HEAD_DONE)
		return TP_OK;
	if (r->seen < m->n_entries)
		return tp_fail(r->diag, TP_USAGE, r->name,
			       "the line of the size says how many there are",
			       "the file ends after %zu of %zu entries", r->seen, m->n_entries);
	return tp_matrix_of_entries(matrix, m->n_rows, m->n_columns, &r->entries,
				    &r->market->summed, r->name, r->diag);
}

static enum tp_status read_file(const char *path, bool head_only, struct tp_market *market,
				struct tp_matrix *matrix, struct tp_diag *diag)
{
	struct reader r = { .name = path, .market = market, .head_only = head_only, .diag = diag };
	*market = (struct tp_market){ 0 };
	*matrix = (struct tp_matrix){ 0 };
	enum tp_status status = tp_file_lines(path, FILE_MAX, READ_BYTES, take_line, &r, diag);
	if (status == TP_OK || (status == TP_CANCELLED && r.at == HEAD_DONE))
		status = finish(&r, matrix);
	tp_entries_release(&r.entries);
	return status;
}

enum tp_status tp_market_read(const char *path, struct tp_market *market, struct tp_matrix *matrix,
			      struct tp_diag *diag)
{
	return read_file(path, false, market, matrix, diag);
}

enum tp_status tp_market_head(const char *path, struct tp_market *market, struct tp_diag *diag)
{
	struct tp_matrix none;
	return read_file(path, true, market, &none, diag);
}

enum tp_status tp_market_parse(const char *name, const char *text, size_t len,
			       struct tp_market *market, struct tp_matrix *matrix,
			       struct tp_diag *diag)
{
	struct reader r = { .name = name, .market = market, .head_only = !matrix, .diag = diag };
	enum tp_status status = TP_OK;
	*market = (struct tp_market){ 0 };
	if (matrix)
		*matrix = (struct tp_matrix){ 0 };
	for (size_t line = 1; status == TP_OK && len; line++) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len, past = n + (end ? 1 : 0);
		status = take_line(&r, line, text, n, end);
		text += past;
		len -= past;
	}
	if (status == TP_OK || (status == TP_CANCELLED && r.at == HEAD_DONE))
		status = finish(&r, matrix);
	tp_entries_release(&r.entries);
	return status;
}
