/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matrix/source.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/process.h"
#include "base/str.h"
#include "base/text.h"

/* Rows between two looks at whether the process shall end. */
enum { LOOK_ROWS = 4096 };

/* The matrix grows row by row; rows are written in their order. */
struct maker {
	struct tp_matrix *m;
	uint32_t n, row; /* entries so far; the row that is written */
	uint64_t random;
};

static bool begin_row(struct maker *k, uint32_t row)
{
	k->row = row;
	return row % LOOK_ROWS || !tp_stop_asked;
}

static void end_row(struct maker *k)
{
	k->m->starts[k->row + 1] = k->n;
}

static void put(struct maker *k, uint32_t column, double value)
{
	k->m->columns[k->n] = column;
	k->m->values[k->n++] = value;
}

/* From -1 to 1 without 0: an odd multiple of 2^-53. */
static double random_value(struct maker *k)
{
	int64_t odd = (int64_t)(tp_splitmix64(&k->random) >> 10) | 1;
	return (double)(odd - (INT64_C(1) << 53)) * 0x1p-53;
}

static bool make_laplace(struct maker *k, uint32_t side, bool solid)
{
	uint32_t plane = side * side, n = k->m->n_rows;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t x = i % side, y = i / side % side, z = i / plane;
		if (!begin_row(k, i))
			return false;
		if (solid && z > 0)
			put(k, i - plane, -1);
		if (y > 0)
			put(k, i - side, -1);
		if (x > 0)
			put(k, i - 1, -1);
		put(k, i, solid ? 6 : 4);
		if (x + 1 < side)
			put(k, i + 1, -1);
		if (y + 1 < side)
			put(k, i + side, -1);
		if (solid && z + 1 < side)
			put(k, i + plane, -1);
		end_row(k);
	}
	return true;
}

static bool make_banded(struct maker *k, uint32_t width)
{
	uint32_t n = k->m->n_rows;
	for (uint32_t i = 0; i < n; i++) {
		if (!begin_row(k, i))
			return false;
		for (uint32_t j = i > width ? i - width : 0; j < n && j <= i + width; j++)
			put(k, j, random_value(k));
		end_row(k);
	}
	return true;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static void sort_numbers(uint32_t *numbers, uint32_t n)
{
	enum { FEW = 32 };
	if (n > FEW) {
		qsort(numbers, n, sizeof(*numbers), by_number);
		return;
	}
	for (uint32_t i = 1; i < n; i++) {
		uint32_t moved = numbers[i], at = i;
		for (; at && numbers[at - 1] > moved; at--)
			numbers[at] = numbers[at - 1];
		numbers[at] = moved;
	}
}

/*
 * `count` different numbers below `below`, ascending. Few: drawn, sorted and drawn again where two
 * are equal. Many: each number is taken with the probability that is left for it (Knuth, The Art of
 * Computer Programming 2, 3.4.2, algorithm S).
 */
static void draw(struct maker *k, uint32_t *numbers, uint32_t count, uint32_t below)
{
	if (count > below / 8) {
		for (uint32_t i = 0, n = 0; n < count; i++)
			if (tp_random_below(&k->random, below - i) < count - n)
				numbers[n++] = i;
		return;
	}
	for (uint32_t n = 0; n < count;) {
		for (; n < count; n++)
			numbers[n] = (uint32_t)tp_random_below(&k->random, below);
		sort_numbers(numbers, count);
		n = count > 0;
		for (uint32_t i = 1; i < count; i++)
			if (numbers[i] != numbers[i - 1])
				numbers[n++] = numbers[i];
	}
}

static bool make_blocks(struct maker *k, uint32_t size, uint32_t per_row, uint32_t *blocks)
{
	uint32_t n = k->m->n_rows, n_blocks = (n + size - 1) / size;
	for (uint32_t b = 0; b < n_blocks; b++) {
		/* One of the drawn makes room for the block on the diagonal. */
		draw(k, blocks, per_row, n_blocks);
		bool has = false;
		for (uint32_t i = 0; i < per_row; i++)
			has |= blocks[i] == b;
		if (!has)
			blocks[tp_random_below(&k->random, per_row)] = b;
		sort_numbers(blocks, per_row);
		for (uint32_t i = b * size; i < n && i < (b + 1) * size; i++) {
			if (!begin_row(k, i))
				return false;
			for (uint32_t q = 0; q < per_row; q++)
				for (uint32_t j = blocks[q] * size;
				     j < n && j < (blocks[q] + 1) * size; j++)
					put(k, j, random_value(k));
			end_row(k);
		}
	}
	return true;
}

/* Rows of given lengths, at random places. */
static bool make_rows(struct maker *k, const uint32_t *lengths)
{
	for (uint32_t i = 0; i < k->m->n_rows; i++) {
		if (!begin_row(k, i))
			return false;
		uint32_t *columns = k->m->columns + k->n;
		draw(k, columns, lengths[i], k->m->n_columns);
		for (uint32_t q = 0; q < lengths[i]; q++)
			put(k, columns[q], random_value(k));
		end_row(k);
	}
	return true;
}

static void random_lengths(struct maker *k, uint32_t *lengths, uint64_t entries)
{
	uint32_t n = k->m->n_rows;
	/* A nearly full matrix has hardly any rows with room left, so most of each is given out. */
	uint32_t even = entries > (uint64_t)n * n / 2 ? (uint32_t)(entries / n) : 0;
	uint64_t given = (uint64_t)even * n;
	for (uint32_t i = 0; i < n; i++)
		lengths[i] = even;
	for (; given < entries; given++) {
		uint32_t row = (uint32_t)tp_random_below(&k->random, n);
		while (lengths[row] == n)
			row = row + 1 == n ? 0 : row + 1;
		lengths[row]++;
	}
}

/*
 * The row of rank k (from 1) has a length like k^-0.9, so that the number of rows of a length falls
 * like its power -2.1, as in many graphs. Ranks are scattered over the rows.
 */
static void powerlaw_lengths(struct maker *k, uint32_t *lengths, uint64_t entries)
{
	const double power = -0.9;
	uint32_t n = k->m->n_rows;
	double whole = 0, due = 0;
	uint64_t given = 0;
	for (uint32_t i = 0; i < n; i++)
		whole += pow(i + 1.0, power);
	/* What a row cannot take goes on to the next ones. */
	for (uint32_t i = 0; i < n; i++) {
		due += (double)entries * pow(i + 1.0, power) / whole;
		double want = floor(due - (double)given + 0.5);
		lengths[i] = want < 0 ? 0 : want > n ? n : (uint32_t)want;
		given += lengths[i];
	}
	for (uint32_t i = 0; given < entries && i < n; i++) {
		uint64_t room = n - lengths[i],
			 more = entries - given < room ? entries - given : room;
		lengths[i] += (uint32_t)more;
		given += more;
	}
	for (uint32_t i = 0; given > entries && i < n; i++)
		if (lengths[n - 1 - i]) {
			lengths[n - 1 - i]--;
			given--;
		}
	tp_shuffle(lengths, n, sizeof(*lengths), tp_splitmix64(&k->random));
}

/* Of any kind but a file. TP_NOMEM, TP_CANCELLED. */
static enum tp_status matrix_generate(const struct tp_matrix_source *s, uint64_t seed,
				      struct tp_matrix *matrix, struct tp_diag *diag)
{
	struct maker k = { .m = matrix, .random = seed };
	size_t scratch_items =
		s->kind == TP_MATRIX_BLOCKS ? s->number[2] + 1 : (size_t)s->n_rows + 1;
	TP_FREE uint32_t *scratch = tp_alloc(scratch_items, sizeof(*scratch));
	enum tp_status status =
		tp_matrix_make(matrix, s->n_rows, s->n_columns, s->entries, s->text, diag);
	bool done = true;
	if (status != TP_OK)
		return status;
	switch (s->kind) {
	case TP_MATRIX_LAPLACE2D:
	case TP_MATRIX_LAPLACE3D:
		done = make_laplace(&k, (uint32_t)s->number[0], s->kind == TP_MATRIX_LAPLACE3D);
		break;
	case TP_MATRIX_BANDED:
		done = make_banded(&k, (uint32_t)s->number[1]);
		break;
	case TP_MATRIX_BLOCKS:
		done = make_blocks(&k, (uint32_t)s->number[1], (uint32_t)s->number[2], scratch);
		break;
	default:
		if (s->kind == TP_MATRIX_POWERLAW)
			powerlaw_lengths(&k, scratch, s->entries);
		else
			random_lengths(&k, scratch, s->entries);
		done = make_rows(&k, scratch);
	}
	if (done)
		return TP_OK;
	tp_matrix_release(matrix);
	return tp_fail(diag, TP_CANCELLED, s->text, NULL, "interrupted");
}

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
	size_t line, seen; /* lines, and those of entries */
	enum { BANNER, SIZE, ENTRIES, HEAD_DONE } at;
	bool head_only;
	struct tp_diag *diag;
};

/* What is wrong with the line. */
static enum tp_status __attribute__((format(printf, 3, 4)))
refuse_line(const struct reader *r, const char *hint, const char *fmt, ...)
{
	char where[sizeof(r->diag->where)];
	va_list ap;
	snprintf(where, sizeof(where), "%.170s:%zu", r->name, r->line);
	va_start(ap, fmt);
	enum tp_status status = tp_vfail(r->diag, TP_USAGE, where, hint, fmt, ap);
	va_end(ap);
	return status;
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

static enum tp_status read_banner(struct reader *r, const char *text)
{
	static const char hint[] = "the first line is: %%MatrixMarket matrix coordinate "
				   "real|integer|pattern general|symmetric|skew-symmetric";
	struct tp_market *m = r->market;
	const char *at = text;
	char word[32];
	if (!take_word(&at, "%%MatrixMarket"))
		return refuse_line(r, hint, "this is no Matrix Market file: it begins with \"%s\"",
				   word_of(text, word));
	if (!take_word(&at, "matrix"))
		return refuse_line(r, hint, "\"%s\" is no matrix", word_of(at, word));
	if (take_word(&at, "array"))
		return refuse_line(
			r, hint,
			"the file holds a dense matrix (array), which has no zeros to leave out");
	if (!take_word(&at, "coordinate"))
		return refuse_line(r, hint, "\"%s\" is not a known form", word_of(at, word));
	if (take_word(&at, "complex"))
		return refuse_line(r, hint, "complex values are not supported");
	if (take_word(&at, "integer"))
		m->integer = true;
	else if (take_word(&at, "pattern"))
		m->pattern = true;
	else if (!take_word(&at, "real") && !take_word(&at, "double"))
		return refuse_line(r, hint, "\"%s\" is no known kind of values", word_of(at, word));
	if (take_word(&at, "hermitian"))
		return refuse_line(r, hint,
				   "hermitian matrices are complex, which is not supported");
	if (take_word(&at, "symmetric"))
		m->symmetric = true;
	else if (take_word(&at, "skew-symmetric"))
		m->skew = true;
	else if (!take_word(&at, "general"))
		return refuse_line(r, hint, "\"%s\" is no known symmetry", word_of(at, word));
	if (*at)
		return refuse_line(r, hint, "\"%s\" is one word too many", word_of(at, word));
	if (m->skew && m->pattern)
		return refuse_line(r, hint,
				   "a skew-symmetric matrix has values, so it is no pattern");
	r->at = SIZE;
	return TP_OK;
}

static enum tp_status read_size(struct reader *r, const char *text)
{
	struct tp_market *m = r->market;
	uint64_t rows, columns, entries;
	const char *at = text;
	if (!take_number(&at, &rows) || !take_number(&at, &columns) ||
	    !take_number(&at, &entries) || *at)
		return refuse_line(
			r, "such as: 1000 1000 5000",
			"a line with rows, columns and the number of entries is expected");
	if (!rows || !columns)
		return refuse_line(r, NULL, "the matrix has no %s", rows ? "columns" : "rows");
	if (rows > TP_MATRIX_SIDE_MAX || columns > TP_MATRIX_SIDE_MAX)
		return refuse_line(
			r, NULL,
			"the matrix has %llu rows and %llu columns; at most %d of each are taken",
			(unsigned long long)rows, (unsigned long long)columns, TP_MATRIX_SIDE_MAX);
	if (entries > TP_MATRIX_ENTRIES_MAX)
		return refuse_line(r, NULL, "the file has %llu entries; at most %d are taken",
				   (unsigned long long)entries, TP_MATRIX_ENTRIES_MAX);
	if ((m->symmetric || m->skew) && rows != columns)
		return refuse_line(
			r, NULL,
			"a symmetric matrix has as many columns as rows, not %llu and %llu",
			(unsigned long long)columns, (unsigned long long)rows);
	/* A place may come several times, so there may be more entries than places. */
	m->n_rows = (uint32_t)rows;
	m->n_columns = (uint32_t)columns;
	m->n_entries = entries;
	r->at = r->head_only ? HEAD_DONE : ENTRIES;
	return TP_OK;
}

static enum tp_status add(struct reader *r, uint32_t row, uint32_t column, double value)
{
	struct tp_entries *e = &r->entries;
	if (e->n >= TP_MATRIX_ENTRIES_MAX)
		return refuse_line(r, NULL,
				   "with its other triangle the matrix has more than %d non-zeros",
				   TP_MATRIX_ENTRIES_MAX);
	TP_RESERVE(e->items, e->cap, e->n + 1);
	e->items[e->n++] = (struct tp_entry){ row, column, value };
	return TP_OK;
}

static enum tp_status read_value(const struct reader *r, const char **at, double *value)
{
	char word[32], *end;
	const char *from = *at;
	if (!*from)
		return refuse_line(r, NULL, "the entry has no value");
	*value = strtod(from, &end);
	/* strtod also takes hexadecimal numbers and words, which the format does not have. */
	bool plain = strspn(from, "+-.0123456789eE") >= (size_t)(end - from);
	if (end == from || (*end && *end != ' ' && *end != '\t') || (!plain && isfinite(*value)))
		return refuse_line(r, NULL, "\"%s\" is no number", word_of(from, word));
	if (!isfinite(*value))
		return refuse_line(r, "a value is finite, and less than 1.8e308",
				   "the value \"%s\" is not finite", word_of(from, word));
	if (r->market->integer && *value != floor(*value))
		return refuse_line(r, "the first line of the file says integer",
				   "\"%s\" is no whole number", word_of(from, word));
	*at = skip_blanks(end);
	return TP_OK;
}

static enum tp_status read_entry(struct reader *r, const char *text)
{
	const struct tp_market *m = r->market;
	const char *at = text;
	char word[32];
	uint64_t row, column;
	double value = 1;
	if (r->seen == m->n_entries)
		return refuse_line(r, "the line of the size says how many there are",
				   "this is one entry more than the %zu that are announced",
				   m->n_entries);
	if (!take_number(&at, &row) || !take_number(&at, &column))
		return refuse_line(r, "such as: 3 7 0.5",
				   "\"%s\": an entry begins with its row and its column",
				   word_of(at, word));
	if (row < 1 || row > m->n_rows)
		return refuse_line(r, "rows are counted from 1", "row %llu is not one of 1 to %u",
				   (unsigned long long)row, m->n_rows);
	if (column < 1 || column > m->n_columns)
		return refuse_line(r, "columns are counted from 1",
				   "column %llu is not one of 1 to %u", (unsigned long long)column,
				   m->n_columns);
	if (!m->pattern) {
		enum tp_status status = read_value(r, &at, &value);
		if (status != TP_OK)
			return status;
	}
	if (*at)
		return refuse_line(r,
				   m->pattern ? "entries of a pattern have no value"
					      : "an entry is a row, a column and a value",
				   "\"%s\" is one word too many", word_of(at, word));
	if ((m->symmetric || m->skew) && column > row)
		return refuse_line(
			r,
			"a symmetric file holds the lower triangle; the other one follows from it",
			"row %llu, column %llu lies above the diagonal", (unsigned long long)row,
			(unsigned long long)column);
	if (m->skew && column == row)
		return refuse_line(r, "leave the entry out",
				   "the diagonal of a skew-symmetric matrix is 0");
	r->seen++;
	enum tp_status status = add(r, (uint32_t)row - 1, (uint32_t)column - 1, value);
	if (status == TP_OK && (m->symmetric || m->skew) && row != column)
		status = add(r, (uint32_t)column - 1, (uint32_t)row - 1, m->skew ? -value : value);
	return status;
}

/* As tp_take_line; the line is changed at its end only by leaving it out. */
static enum tp_status take_line(void *context, size_t line, const char *text, size_t len,
				bool whole __attribute__((unused)))
{
	struct reader *r = context;
	char copy[TP_MARKET_LINE_MAX + 1];
	r->line = line;
	if (r->at == HEAD_DONE)
		return TP_CANCELLED;
	if (line % LOOK_LINES == 0 && tp_stop_asked) {
		refuse_line(r, NULL, "interrupted");
		return TP_CANCELLED;
	}
	if (!text || len > TP_MARKET_LINE_MAX)
		return refuse_line(r, NULL, "the line has more than %d bytes", TP_MARKET_LINE_MAX);
	if (memchr(text, '\0', len))
		return refuse_line(r, "a Matrix Market file is text", "the line holds a zero byte");
	while (len && isspace((unsigned char)text[len - 1]))
		len--;
	memcpy(copy, text, len);
	copy[len] = '\0';
	const char *at = skip_blanks(copy);
	if (r->at == BANNER)
		return read_banner(r, at);
	if (!*at || *at == '%')
		return TP_OK;
	return r->at == SIZE ? read_size(r, at) : read_entry(r, at);
}

/* What only the end of the file tells; `status` is that of its lines. */
static enum tp_status finish(struct reader *r, enum tp_status status, struct tp_matrix *matrix)
{
	const struct tp_market *m = r->market;
	if (r->at == HEAD_DONE)
		status = status == TP_CANCELLED ? TP_OK : status;
	else if (status == TP_OK && r->at == BANNER)
		status = tp_fail(r->diag, TP_USAGE, r->name, NULL, "the file is empty");
	else if (status == TP_OK && r->at == SIZE)
		status = tp_fail(r->diag, TP_USAGE, r->name, "such as: 1000 1000 5000",
				 "the file ends before the line with rows, columns and entries");
	else if (status == TP_OK && r->seen < m->n_entries)
		status = tp_fail(r->diag, TP_USAGE, r->name,
				 "the line of the size says how many there are",
				 "the file ends after %zu of %zu entries", r->seen, m->n_entries);
	else if (status == TP_OK)
		status = tp_matrix_of_entries(matrix, m->n_rows, m->n_columns, &r->entries,
					      &r->market->summed, r->name, r->diag);
	tp_entries_release(&r->entries);
	return status;
}

static struct reader begin(const char *name, struct tp_market *market, struct tp_matrix *matrix,
			   struct tp_diag *diag)
{
	*market = (struct tp_market){ 0 };
	if (matrix)
		*matrix = (struct tp_matrix){ 0 };
	return (struct reader){
		.name = name, .market = market, .head_only = !matrix, .diag = diag
	};
}

enum tp_status tp_market_read(const char *path, struct tp_market *market, struct tp_matrix *matrix,
			      struct tp_diag *diag)
{
	struct reader r = begin(path, market, matrix, diag);
	return finish(&r, tp_file_lines(path, FILE_MAX, READ_BYTES, take_line, &r, diag), matrix);
}

enum tp_status tp_market_parse(const char *name, const char *text, size_t len,
			       struct tp_market *market, struct tp_matrix *matrix,
			       struct tp_diag *diag)
{
	struct reader r = begin(name, market, matrix, diag);
	enum tp_status status = TP_OK;
	for (size_t line = 1; status == TP_OK && len; line++) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len, past = n + (end ? 1 : 0);
		status = take_line(&r, line, text, n, end);
		text += past;
		len -= past;
	}
	return finish(&r, status, matrix);
}

static const struct {
	const char *name, *summary, *form;
	unsigned least, most; /* numbers behind the colon */
} kinds[TP_MATRIX_KINDS] = {
	[TP_MATRIX_LAPLACE2D] = { "laplace2d", "5-point stencil on N x N points", "laplace2d:N", 1,
				  1 },
	[TP_MATRIX_LAPLACE3D] = { "laplace3d", "7-point stencil on N x N x N points", "laplace3d:N",
				  1, 1 },
	[TP_MATRIX_BANDED] = { "banded", "W full diagonals on either side of the main one",
			       "banded:N,W", 2, 2 },
	[TP_MATRIX_BLOCKS] = { "blocks", "dense blocks of B x B, K in each row of blocks",
			       "blocks:N,B or blocks:N,B,K", 2, 3 },
	[TP_MATRIX_RANDOM] = { "random", "NNZ random places", "random:N,NNZ", 2, 2 },
	[TP_MATRIX_POWERLAW] = { "powerlaw", "rows of very different lengths", "powerlaw:N,NNZ", 2,
				 2 },
};

enum { BLOCKS_A_ROW = 4 };

/* Reads numbers between commas; how many, or 0 if it is no such list. */
static unsigned take_numbers(const char *text, uint64_t number[3])
{
	unsigned n = 0;
	while (n < 3) {
		char digits[20];
		size_t len = strcspn(text, ",");
		if (!len || len >= sizeof(digits))
			return 0;
		memcpy(digits, text, len);
		digits[len] = '\0';
		if (!tp_parse_u64(digits, &number[n]))
			return 0;
		n++;
		if (!text[len])
			return n;
		text += len + 1;
	}
	return 0;
}

static enum tp_status refuse(const struct tp_matrix_source *s, struct tp_diag *diag,
			     const char *what)
{
	char hint[96];
	snprintf(hint, sizeof(hint), "%s: %s", kinds[s->kind].form, kinds[s->kind].summary);
	return tp_fail(diag, TP_USAGE, s->text, hint, "%s", what);
}

/* Rows, columns and non-zeros of what will be generated. */
static enum tp_status size_up(struct tp_matrix_source *s, unsigned n_numbers, struct tp_diag *diag)
{
	const uint64_t *n = s->number;
	char what[160];
	for (unsigned i = 0; i < n_numbers; i++)
		if (n[i] > UINT32_MAX || (!n[i] && !(i == 1 && s->kind != TP_MATRIX_BLOCKS)))
			return refuse(s, diag, n[i] ? "a number is too large" : "a number is 0");
	double rows = (double)n[0], entries = (double)n[1];
	switch (s->kind) {
	case TP_MATRIX_LAPLACE2D:
		rows = rows * rows;
		entries = 5 * rows - 4 * (double)n[0];
		break;
	case TP_MATRIX_LAPLACE3D:
		rows = rows * rows * rows;
		entries = 7 * rows - 6 * (double)n[0] * (double)n[0];
		break;
	case TP_MATRIX_BANDED:
		if (n[1] >= n[0])
			return refuse(s, diag,
				      "there are fewer diagonals than W beside the main one");
		entries = rows * (2 * (double)n[1] + 1) - (double)n[1] * ((double)n[1] + 1);
		break;
	case TP_MATRIX_BLOCKS:
		if (n_numbers < 3)
			s->number[2] = BLOCKS_A_ROW;
		if (n[1] > n[0])
			return refuse(s, diag, "a block is larger than the matrix");
		if (s->number[2] > (n[0] + n[1] - 1) / n[1])
			s->number[2] = (n[0] + n[1] - 1) / n[1];
		entries = rows * (double)n[1] * (double)s->number[2];
		break;
	default:
		if (entries > rows * rows)
			return refuse(s, diag, "there are fewer places than non-zeros");
	}
	if (rows > TP_MATRIX_SIDE_MAX || entries > TP_MATRIX_ENTRIES_MAX) {
		snprintf(what, sizeof(what),
			 "that is %.3g rows with %.3g non-zeros; at most %d rows and %d non-zeros "
			 "are taken",
			 rows, entries, TP_MATRIX_SIDE_MAX, TP_MATRIX_ENTRIES_MAX);
		return refuse(s, diag, what);
	}
	s->n_rows = s->n_columns = (uint32_t)rows;
	s->entries = (uint64_t)entries;
	return TP_OK;
}

enum tp_status tp_matrix_source_parse(struct tp_matrix_source *s, const char *text,
				      struct tp_diag *diag)
{
	*s = (struct tp_matrix_source){ .text = text };
	const char *colon = strchr(text, ':');
	for (size_t i = 0; colon && i < TP_MATRIX_KINDS; i++)
		if (kinds[i].name && strlen(kinds[i].name) == (size_t)(colon - text) &&
		    strncmp(text, kinds[i].name, (size_t)(colon - text)) == 0) {
			s->kind = (enum tp_matrix_kind)i;
			unsigned n = take_numbers(colon + 1, s->number);
			if (n < kinds[i].least || n > kinds[i].most)
				return refuse(s, diag,
					      "other numbers are expected behind the colon");
			return size_up(s, n, diag);
		}
	struct tp_market market;
	enum tp_status status = tp_market_read(text, &market, NULL, diag);
	if (status == TP_NOTFOUND && diag)
		tp_copy(diag->hint, sizeof(diag->hint), TP_MATRIX_SOURCE_HINT);
	if (status != TP_OK)
		return status;
	s->n_rows = market.n_rows;
	s->n_columns = market.n_columns;
	s->entries = market.n_entries * (market.symmetric || market.skew ? 2 : 1);
	return TP_OK;
}

enum tp_status tp_matrix_load(const struct tp_matrix_source *s, uint64_t seed,
			      struct tp_matrix *matrix, size_t *summed, struct tp_diag *diag)
{
	struct tp_market market = { 0 };
	enum tp_status status;
	if (s->kind == TP_MATRIX_FILE)
		status = tp_market_read(s->text, &market, matrix, diag);
	else
		status = matrix_generate(s, seed, matrix, diag);
	*summed = market.summed;
	return status;
}
