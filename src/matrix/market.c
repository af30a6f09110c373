/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matrix/market.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#include "base/file.h"
#include "base/memory.h"
#include "base/process.h"

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
	size_t line, seen; /* line numbers, and entries */
	size_t nonzeros; /* of both triangles */
	enum { BANNER, SIZE, ENTRIES, HEAD_DONE } at;
	enum tp_market_depth depth;
	struct tp_diag *diag;
};

/* --- words --- */

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

/* What stands between words of a line; the carriage return of other systems is among it. */
static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static const char *skip_blanks(const char *at)
{
	while (is_blank(*at))
		at++;
	return at;
}

static bool ends_word(char c)
{
	return !c || is_blank(c);
}

/* A word of a line for a diagnosis: no longer than a line of text takes, and only printable. */
static const char *word_of(const char *at, char out[32])
{
	size_t n = 0;
	while (n < 28 && !ends_word(at[n])) {
		out[n] = isprint((unsigned char)at[n]) ? at[n] : '?';
		n++;
	}
	snprintf(out + n, 4, "%s", ends_word(at[n]) ? "" : "...");
	return out;
}

/* Takes a word without regard to case; false, and *at stays, if it is another one. */
static bool take_word(const char **at, const char *word)
{
	size_t n = strlen(word);
	if (strncasecmp(*at, word, n) != 0 || !ends_word((*at)[n]))
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
	if (!digits || digits > 18 || !ends_word(*p))
		return false;
	*number = n;
	*at = skip_blanks(p);
	return true;
}

/* --- lines --- */

static enum tp_status read_banner(struct reader *r, const char *text)
{
	static const char hint[] = "the first line is: %%MatrixMarket matrix coordinate "
				   "real|integer|unsigned-integer|pattern "
				   "general|symmetric|skew-symmetric";
	static const char real[] = "take its real part, or another matrix: " /* and the kinds */
				   "real, integer, unsigned-integer or pattern";
	struct tp_market *m = r->market;
	const char *at = text;
	char word[32];
	if (!take_word(&at, "%%MatrixMarket"))
		return refuse_line(r, hint,
				   "the file begins with \"%s\" and not as Matrix Market files do",
				   word_of(text, word));
	if (!take_word(&at, "matrix"))
		return refuse_line(r, hint, "\"%s\": only a matrix can be multiplied",
				   word_of(at, word));
	if (take_word(&at, "array"))
		return refuse_line(
			r, hint,
			"the file holds a dense matrix (array), which has no zeros to leave out");
	if (!take_word(&at, "coordinate"))
		return refuse_line(r, hint, "\"%s\" is not a known form", word_of(at, word));
	if (take_word(&at, "complex"))
		return refuse_line(r, real, "complex values are not supported");
	m->is_unsigned = take_word(&at, "unsigned-integer");
	if (m->is_unsigned || take_word(&at, "integer"))
		m->integer = true;
	else if (take_word(&at, "pattern"))
		m->pattern = true;
	else if (!take_word(&at, "real") && !take_word(&at, "double"))
		return refuse_line(r, hint, "\"%s\" is not a known kind of values",
				   word_of(at, word));
	if (take_word(&at, "hermitian"))
		return refuse_line(r, real,
				   "hermitian matrices are complex, which is not supported");
	if (take_word(&at, "symmetric"))
		m->symmetric = true;
	else if (take_word(&at, "skew-symmetric"))
		m->skew = true;
	else if (!take_word(&at, "general"))
		return refuse_line(r, hint, "\"%s\" is not a known symmetry", word_of(at, word));
	if (*at)
		return refuse_line(r, hint, "\"%s\" is one word too many", word_of(at, word));
	if (m->skew && (m->pattern || m->is_unsigned))
		return refuse_line(r, hint,
				   "the values of a skew-symmetric matrix have signs, and those of "
				   "%s have none",
				   m->pattern ? "a pattern" : "unsigned-integer");
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
	r->at = r->depth == TP_MARKET_HEAD ? HEAD_DONE : ENTRIES;
	return TP_OK;
}

static enum tp_status add_nonzero(struct reader *r, uint32_t row, uint32_t column, double value)
{
	struct tp_entries *e = &r->entries;
	if (r->nonzeros++ >= TP_MATRIX_ENTRIES_MAX)
		return refuse_line(r, NULL,
				   "with its other triangle the matrix has more than %d non-zeros",
				   TP_MATRIX_ENTRIES_MAX);
	if (r->depth != TP_MARKET_MATRIX)
		return TP_OK;
	TP_RESERVE(e->items, e->cap, e->n + 1);
	e->items[e->n++] = (struct tp_entry){ row, column, value };
	return TP_OK;
}

/* Numbers as the format writes them: digits with a point, and an exponent after e, E, d or D. */
enum { DIGITS_MOST = 18, SMALL_EXPONENT = 308 - DIGITS_MOST };

struct decimal {
	bool negative, is_exact; /* no digit is left out of `digits` */
	uint64_t digits;
	int exponent; /* of ten */
	const char *letter; /* of the exponent; NULL = it has none */
};

/* Takes the number. Without one: false, and *at stays. */
static bool take_decimal(const char **at, struct decimal *out)
{
	enum { EXPONENT_MOST = 100000 };
	struct decimal d = { .is_exact = true };
	const char *p = *at;
	unsigned kept = 0;
	bool point = false, any = false;
	if (*p == '+' || *p == '-')
		d.negative = *p++ == '-';
	for (;; p++) {
		if (*p == '.' && !point) {
			point = true;
			continue;
		}
		if (*p < '0' || *p > '9')
			break;
		any = true;
		if (kept < DIGITS_MOST) {
			d.digits = 10 * d.digits + (uint64_t)(*p - '0');
			kept += d.digits > 0;
			d.exponent -= point;
		} else {
			d.is_exact &= *p == '0';
			d.exponent += !point;
		}
	}
	if (!any)
		return false;
	if (*p == 'e' || *p == 'E' || *p == 'd' || *p == 'D') {
		bool minus = p[1] == '-';
		int exponent = 0;
		d.letter = p++;
		p += *p == '+' || *p == '-';
		if (*p < '0' || *p > '9')
			return false;
		for (; *p >= '0' && *p <= '9'; p++)
			exponent = TP_MIN(10 * exponent + (*p - '0'), EXPONENT_MOST);
		d.exponent += minus ? -exponent : exponent;
	}
	if (!ends_word(*p))
		return false;
	*at = p;
	*out = d;
	return true;
}

/* The nearest double. Digits and a power of ten that doubles hold exactly need one operation. */
static double value_of(const struct decimal *d, const char *from, const char *to)
{
	enum { POWERS = 23 };
	static const double powers[POWERS] = { 1e0,  1e1,  1e2,	 1e3,  1e4,  1e5,  1e6,	 1e7,
					       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
					       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
	char text[TP_MARKET_LINE_MAX + 1];
	if (d->is_exact && d->digits < UINT64_C(1) << 53 && d->exponent > -POWERS &&
	    d->exponent < POWERS) {
		double value = (double)d->digits;
		value = d->exponent < 0 ? value / powers[-d->exponent]
					: value * powers[d->exponent];
		return d->negative ? -value : value;
	}
	memcpy(text, from, (size_t)(to - from));
	text[to - from] = '\0';
	if (d->letter)
		text[d->letter - from] = 'e';
	return strtod(text, NULL);
}

static enum tp_status read_value(const struct reader *r, const char **at, double *value)
{
	const struct tp_market *m = r->market;
	char word[32];
	const char *from = *at;
	struct decimal decimal;
	if (!*from)
		return refuse_line(r, "an entry is a row, a column and a value",
				   "the entry has no value");
	if (!take_decimal(at, &decimal)) {
		/* strtod also takes words, which the format does not have. */
		char *end;
		bool is_word = !isfinite(strtod(from, &end)) && ends_word(*end) && end > from;
		return is_word ? refuse_line(r, "a value is finite, and less than 1.8e308",
					     "the value \"%s\" is not finite", word_of(from, word))
			       : refuse_line(r, "such as 4, -0.5, 1.5e-3 or 1.5D-3",
					     "the value \"%s\" is not a number",
					     word_of(from, word));
	}
	/* A check asks whether it is finite, which small exponents are. */
	const bool is_small = decimal.exponent < SMALL_EXPONENT;
	const bool is_kept = r->depth == TP_MARKET_MATRIX || m->integer || !is_small;
	*value = is_kept ? value_of(&decimal, from, *at) : 1;
	*at = skip_blanks(*at);
	if (!isfinite(*value))
		return refuse_line(r, "a value is finite, and less than 1.8e308",
				   "the value \"%s\" is not finite", word_of(from, word));
	if (m->integer && *value != floor(*value))
		return refuse_line(r, "the first line of the file has integer",
				   "\"%s\" is not a whole number", word_of(from, word));
	if (m->is_unsigned && *value < 0)
		return refuse_line(r, "the first line of the file has unsigned-integer",
				   "\"%s\" is negative", word_of(from, word));
	return TP_OK;
}

static enum tp_status refuse_zero(const struct reader *r)
{
	return refuse_line(r, "a Matrix Market file is text", "the line holds a zero byte");
}

/* A row or a column that is not in the matrix. */
static enum tp_status refuse_place(const struct reader *r, const char *what, uint64_t number,
				   uint32_t most)
{
	char hint[80];
	snprintf(hint, sizeof(hint), "%ss are counted from 1 to %u%s", what, most,
		 number ? "" : ": add 1 to all rows and columns");
	return refuse_line(r, hint, "%s %llu is not one of 1 to %u", what,
			   (unsigned long long)number, most);
}

static enum tp_status read_entry(struct reader *r, const char *text, const char *end)
{
	const struct tp_market *m = r->market;
	const char *at = text;
	char word[32];
	uint64_t row, column;
	double value = 1;
	if (r->seen == m->n_entries)
		return refuse_line(r, "the line of the size has their number",
				   "this is one entry more than the %zu that are announced",
				   m->n_entries);
	if (!take_number(&at, &row) || !take_number(&at, &column))
		return refuse_line(r, "such as: 3 7 0.5",
				   "\"%s\": an entry begins with its row and its column",
				   word_of(at, word));
	if (row < 1 || row > m->n_rows)
		return refuse_place(r, "row", row, m->n_rows);
	if (column < 1 || column > m->n_columns)
		return refuse_place(r, "column", column, m->n_columns);
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
	if (at != end)
		return refuse_zero(r);
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
	enum tp_status status = add_nonzero(r, (uint32_t)row - 1, (uint32_t)column - 1, value);
	if (status == TP_OK && (m->symmetric || m->skew) && row != column)
		status = add_nonzero(r, (uint32_t)column - 1, (uint32_t)row - 1,
				     m->skew ? -value : value);
	return status;
}

/* Collections pack a matrix and its texts together: the head of such an archive. */
static bool is_archive(const char *text, size_t len)
{
	enum { MAGIC_AT = 257, MAGIC_BYTES = 5 };
	return len >= MAGIC_AT + MAGIC_BYTES && memcmp(text + MAGIC_AT, "ustar", MAGIC_BYTES) == 0;
}

/* As tp_take_line. */
static enum tp_status take_line(void *context, size_t line, const char *text, size_t len,
				bool whole __attribute__((unused)))
{
	struct reader *r = context;
	r->line = line;
	if (r->at == HEAD_DONE)
		return TP_CANCELLED;
	if (line % LOOK_LINES == 0 && tp_stop_asked) {
		refuse_line(r, NULL, "interrupted");
		return TP_CANCELLED;
	}
	if (text && line == 1 && is_archive(text, len))
		return refuse_line(r, "unpack it with tar -xf, and give the .mtx file in it",
				   "the file is an archive of tar");
	if (!text || len > TP_MARKET_LINE_MAX)
		return refuse_line(r, "is this the right file?", "the line has more than %d bytes",
				   TP_MARKET_LINE_MAX);
	const char *at = skip_blanks(text);
	const bool is_entry = r->at == ENTRIES && *at && *at != '%';
	enum tp_status status = TP_OK;
	if (is_entry)
		status = read_entry(r, at, text + len);
	/* Where a line ends early, that is why. Entries are looked at just once: they are many. */
	if ((!is_entry || status == TP_USAGE) && memchr(text, '\0', len))
		return refuse_zero(r);
	if (is_entry)
		return status;
	if (r->at == BANNER)
		return read_banner(r, at);
	return !*at || *at == '%' ? TP_OK : read_size(r, at);
}

/* Checks that need the whole file; `status` is the result of its lines. */
static enum tp_status finish(struct reader *r, enum tp_status status, struct tp_matrix *matrix)
{
	const struct tp_market *m = r->market;
	if (r->at == HEAD_DONE)
		status = status == TP_CANCELLED ? TP_OK : status;
	else if (status == TP_OK && r->at == BANNER)
		status = tp_fail(r->diag, TP_USAGE, r->name, NULL, "the file is empty");
	else if (status == TP_OK && r->at == SIZE)
		status =
			refuse_line(r, "such as: 1000 1000 5000",
				    "the file ends before the line with rows, columns and entries");
	else if (status == TP_OK && r->seen < m->n_entries)
		status = refuse_line(r, "the line of the size has their number",
				     "the file ends after %zu of %zu entries", r->seen,
				     m->n_entries);
	else if (status == TP_OK && r->depth == TP_MARKET_MATRIX)
		status = tp_matrix_of_entries(matrix, m->n_rows, m->n_columns, &r->entries,
					      &r->market->summed, r->name, r->diag);
	tp_entries_release(&r->entries);
	return status;
}

static struct reader begin(const char *name, enum tp_market_depth depth, struct tp_market *market,
			   struct tp_matrix *matrix, struct tp_diag *diag)
{
	*market = (struct tp_market){ 0 };
	if (matrix)
		*matrix = (struct tp_matrix){ 0 };
	return (struct reader){ .name = name, .market = market, .depth = depth, .diag = diag };
}

/* --- sources: a text in memory, a file, a file that is compressed --- */

struct memory {
	const char *text;
	size_t len;
};

static enum tp_status read_memory(void *source, char *out, size_t size, size_t *got,
				  struct tp_diag *diag __attribute__((unused)))
{
	struct memory *m = source;
	*got = TP_MIN(size, m->len);
	memcpy(out, m->text, *got);
	m->text += *got;
	m->len -= *got;
	return TP_OK;
}

enum tp_status tp_market_parse(const char *name, const char *text, size_t len,
			       enum tp_market_depth depth, struct tp_market *market,
			       struct tp_matrix *matrix, struct tp_diag *diag)
{
	struct reader r = begin(name, depth, market, matrix, diag);
	struct memory m = { text, len };
	return finish(&r, tp_read_lines(read_memory, &m, READ_BYTES, take_line, &r, diag), matrix);
}

#ifdef HAVE_ZLIB
enum { GZIP_WINDOW = 15 + 16 /* and the head of gzip */ };

struct gzip {
	const char *path;
	int fd;
	z_stream z;
	size_t given;
	bool ended; /* between two members, which may follow each other */
	unsigned char in[READ_BYTES];
};

static enum tp_status refill(struct gzip *g, struct tp_diag *diag)
{
	ssize_t n;
	do
		n = read(g->fd, g->in, sizeof(g->in));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return tp_fail(diag, TP_IO, g->path, NULL, "cannot read: %s", strerror(errno));
	g->z.next_in = g->in;
	g->z.avail_in = (unsigned)n;
	return TP_OK;
}

/* As tp_read_bytes. */
static enum tp_status read_gzip(void *source, char *out, size_t size, size_t *got,
				struct tp_diag *diag)
{
	static const char hint[] = "unpack it with gunzip -k, which finds the fault, too";
	struct gzip *g = source;
	g->z.next_out = (unsigned char *)out;
	g->z.avail_out = (unsigned)size;
	while (g->z.avail_out == size) {
		if (!g->z.avail_in) {
			enum tp_status status = refill(g, diag);
			if (status != TP_OK)
				return status;
			if (!g->z.avail_in && g->ended)
				break;
			if (!g->z.avail_in)
				return tp_fail(diag, TP_USAGE, g->path, hint,
					       "the compressed file ends too early");
		}
		if (g->ended && inflateReset(&g->z) != Z_OK)
			return tp_fail(diag, TP_INTERNAL, g->path, NULL, "zlib fails");
		g->ended = false;
		int said = inflate(&g->z, Z_NO_FLUSH);
		if (said == Z_STREAM_END)
			g->ended = true;
		else if (said != Z_OK && said != Z_BUF_ERROR)
			return tp_fail(diag, TP_USAGE, g->path, hint,
				       "the compressed file is damaged: %s",
				       g->z.msg ? g->z.msg : "zlib cannot read it");
	}
	*got = size - g->z.avail_out;
	g->given += *got;
	if (g->given > FILE_MAX)
		return tp_fail(diag, TP_USAGE, g->path, "is this the right file?",
			       "longer than the %zu bytes allowed", FILE_MAX);
	return TP_OK;
}

static enum tp_status read_compressed(int fd, struct reader *r)
{
	TP_FREE struct gzip *g = tp_alloc(1, sizeof(*g));
	g->path = r->name;
	g->fd = fd;
	if (inflateInit2(&g->z, GZIP_WINDOW) != Z_OK)
		return tp_fail(r->diag, TP_INTERNAL, r->name, NULL, "zlib fails");
	enum tp_status status = tp_read_lines(read_gzip, g, READ_BYTES, take_line, r, r->diag);
	inflateEnd(&g->z);
	return status;
}
#endif

/* Programs whose files begin with these bytes, and what undoes them. */
static const struct packer {
	const char *name, *magic;
	size_t bytes;
	const char *command;
} packers[] = {
	{ "gzip", "\x1f\x8b", 2, "unpack it with gunzip -k" },
	{ "bzip2", "BZh", 3, "unpack it with bunzip2 -k" },
	{ "xz", "\xfd\x37zXZ", 5, "unpack it with unxz -k" },
	{ "zstd", "\x28\xb5\x2f\xfd", 4, "unpack it with unzstd" },
	{ "zip", "PK\x03\x04", 4, "unpack it with unzip" },
};

static const struct packer *packer_of(int fd)
{
	char head[8];
	ssize_t n = pread(fd, head, sizeof(head), 0);
	for (size_t i = 0; i < TP_COUNT_OF(packers); i++)
		if (n >= (ssize_t)packers[i].bytes &&
		    memcmp(head, packers[i].magic, packers[i].bytes) == 0)
			return &packers[i];
	return NULL;
}

enum tp_status tp_market_read(const char *path, enum tp_market_depth depth,
			      struct tp_market *market, struct tp_matrix *matrix,
			      struct tp_diag *diag)
{
	struct reader r = begin(path, depth, market, matrix, diag);
	int fd;
	enum tp_status status = tp_file_open(AT_FDCWD, path, O_RDONLY, &fd, diag);
	if (status != TP_OK)
		return status;
	const struct packer *packer = packer_of(fd);
	if (!packer)
		status = tp_file_lines(path, FILE_MAX, READ_BYTES, take_line, &r, diag);
#ifdef HAVE_ZLIB
	else if (packer == &packers[0])
		status = read_compressed(fd, &r);
#endif
	else
		status = tp_fail(diag, TP_USAGE, path, packer->command,
				 "the file is compressed by %s", packer->name);
	close(fd);
	return finish(&r, status, matrix);
}
