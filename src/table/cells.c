/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table/cells.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/tally.h"
#include "base/text.h"

/* --- rows --- */

void tp_splitter_release(struct tp_splitter *s)
{
	free(s->cells);
	*s = (struct tp_splitter){ 0 };
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* After the quote that closes the cell; NULL: the cell is not closed. */
static const char *behind_quoted(const char *at, const char *end, char line_end,
				 unsigned long *lines, bool *doubled)
{
	for (at++;; at += 2) {
		const char *quote = memchr(at, '"', (size_t)(end - at));
		if (!quote)
			return NULL;
		for (const char *line = at; (line = memchr(line, line_end, (size_t)(quote - line)));
		     line++)
			++*lines;
		at = quote;
		if (at + 1 == end || at[1] != '"')
			return at + 1;
		*doubled = true;
	}
}

/* Blanks around a cell; of cells that blanks separate, those before a row. */
static const char *behind_blanks(const struct tp_splitter *s, const char *at, const char *end)
{
	while (at < end && (is_blank(*at) || *at == '\r') && *at != s->line_end &&
	       (*at != s->separator || s->separator == ' '))
		at++;
	return at;
}

static void add_cell(struct tp_splitter *s, struct tp_cell_span cell)
{
	if (s->n < s->most) {
		TP_RESERVE(s->cells, s->cap, s->n + 1);
		s->cells[s->n] = cell;
	}
	s->n++;
}

static bool ends_cell(const struct tp_splitter *s, char c)
{
	return c == s->separator || c == s->line_end || (s->separator == ' ' && is_blank(c));
}

/* "| a | b |" has two cells. */
static void drop_outer(struct tp_splitter *s, const char *row, const char *end)
{
	const char *first = row;
	while (first < end && is_blank(*first))
		first++;
	if (s->separator != '|' || first == end || *first != '|' || !s->n)
		return;
	size_t kept = TP_MIN(s->n, s->most);
	if (kept)
		memmove(s->cells, s->cells + 1, (kept - 1) * sizeof(*s->cells));
	s->n--;
	if (s->n && s->n < s->most && !s->cells[s->n - 1].len && !s->cells[s->n - 1].quoted)
		s->n--;
}

enum tp_split tp_split_row(struct tp_splitter *s, const char *at, const char *end, bool ended,
			   const char **stop_at, unsigned long *lines)
{
	const char *row = at;
	char separator = s->separator, line_end = s->line_end;
	s->n = 0;
	*lines = 1;
	if (separator == ' ')
		at = behind_blanks(s, at, end);
	for (;;) {
		const char *start = at, *quote = behind_blanks(s, at, end), *stop;
		bool doubled = false, quoted = quote < end && *quote == '"';
		if (quoted) {
			start = quote + 1;
			at = behind_quoted(quote, end, line_end, lines, &doubled);
			if (!at || (at == end && !ended))
				return ended ? TP_SPLIT_OPEN : TP_SPLIT_MORE;
			stop = at - 1;
		} else {
			if (separator == ' ')
				while (at < end && !ends_cell(s, *at) && *at != '"')
					at++;
			else
				while (at < end && *at != separator && *at != line_end &&
				       *at != '"')
					at++;
			if (at < end && *at == '"')
				return TP_SPLIT_QUOTE;
			/* Most cells have no blanks around them. */
			for (start = quote < at ? quote : at, stop = at;
			     stop > start && (is_blank(stop[-1]) || stop[-1] == '\r'); stop--)
				;
		}
		if (quoted || separator == ' ')
			at = behind_blanks(s, at, end);
		if (at == end && !ended)
			return TP_SPLIT_MORE;
		bool goes_on = at < end && *at != line_end;
		if (goes_on && separator != ' ' && *at != separator)
			return TP_SPLIT_TEXT;
		if (goes_on && quoted && separator == ' ' && !is_blank(at[-1]))
			return TP_SPLIT_TEXT;
		add_cell(s,
			 (struct tp_cell_span){ start, (size_t)(stop - start), doubled, quoted });
		if (!goes_on) {
			*stop_at = at;
			drop_outer(s, row, at);
			return TP_SPLIT_ROW;
		}
		at += separator != ' ';
	}
}

size_t tp_row_filled(const struct tp_splitter *row)
{
	size_t n = row->n;
	while (n && n <= row->most && !row->cells[n - 1].len && !row->cells[n - 1].quoted)
		n--;
	return n;
}

uint64_t tp_row_hash(const struct tp_splitter *row)
{
	uint64_t hash = TP_HASH_START;
	size_t n = TP_MIN(tp_row_filled(row), row->most);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < row->cells[i].len; k++)
			hash = tp_hash_step(hash, (unsigned char)row->cells[i].at[k]);
		hash = tp_hash_step(hash, 256);
	}
	return hash | 1;
}

bool tp_written_is_rule(char separator, const char *line, const char *end)
{
	size_t n = 0;
	if (separator != '|' && separator != ' ')
		return false;
	for (; line < end; line++) {
		if (!strchr("-+=:| \t\r", *line) || !*line)
			return false;
		n += *line == '-' || *line == '=';
	}
	return n >= 3;
}

/* --- numbers --- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The bytes of a mark between groups of three digits: blanks of any kind, ', or `thousands`. */
static size_t mark_bytes(const char *at, const char *end, char thousands)
{
	static const char *const marks[] = {
		"\xe2\x80\xaf", "\xe2\x80\x89", "\xe2\x80\x99", "\xc2\xa0", "\xa0", " ", "'"
	};
	if (at < end && thousands && *at == thousands)
		return 1;
	for (size_t i = 0; i < TP_COUNT_OF(marks); i++) {
		size_t n = strlen(marks[i]);
		if ((size_t)(end - at) > n && memcmp(at, marks[i], n) == 0)
			return n;
	}
	return 0;
}

struct plain {
	char *out; /* TP_PLAIN_BYTES */
	size_t n;
};

static bool put_plain(struct plain *p, char c)
{
	if (p->n == TP_PLAIN_BYTES - 1)
		return false;
	p->out[p->n++] = c;
	return true;
}

static const char *put_digits(struct plain *p, const char *at, const char *end)
{
	while (at < end && is_digit(*at) && put_plain(p, *at))
		at++;
	return at;
}

/* Groups of three digits after the first one, which has one to three and no leading zero. */
static const char *put_groups(struct plain *p, const char *first, const char *at, const char *end,
			      char thousands)
{
	if (at == first || at - first > 3 || *first == '0')
		return at;
	for (;;) {
		const char *group = at + mark_bytes(at, end, thousands);
		if (group == at || end - group < 3 || !is_digit(group[0]) || !is_digit(group[1]) ||
		    !is_digit(group[2]) || (end - group > 3 && is_digit(group[3])))
			return at;
		at = put_digits(p, group, group + 3);
		if (at != group + 3)
			return at;
	}
}

/* "-1.234,5D+03" as "-1234.5e+03". */
static bool make_plain(const char *at, size_t len, char decimal, char thousands, struct plain *p)
{
	const char *end = at + len;
	p->n = 0;
	if (len > 3 && memcmp(at, "\xe2\x88\x92", 3) == 0) {
		put_plain(p, '-');
		at += 3;
	} else if (at < end && (*at == '-' || *at == '+')) {
		put_plain(p, *at++);
	}
	const char *first = at;
	at = put_digits(p, at, end);
	bool any = at > first;
	at = put_groups(p, first, at, end, thousands);
	if (at < end && *at == decimal && put_plain(p, '.')) {
		const char *fraction = ++at;
		at = put_digits(p, at, end);
		any |= at > fraction;
	}
	if (!any)
		return false;
	if (end - at >= 2 && strchr("eEdD", *at) && put_plain(p, 'e')) {
		at++;
		if ((*at == '-' || *at == '+') && put_plain(p, *at))
			at++;
		const char *power = at;
		at = put_digits(p, at, end);
		if (at == power)
			return false;
	}
	return at == end;
}

static bool ends_with(const char *text, size_t len, const char *end, size_t n)
{
	return n && len > n && memcmp(text + len - n, end, n) == 0;
}

bool tp_written_number(const struct tp_written_column *column, const char **text, size_t *len,
		       char out[TP_PLAIN_BYTES])
{
	struct plain p = { out, 0 };
	const char *unit;
	size_t n = *len, unit_bytes = strlen(column->unit);
	if (ends_with(*text, n, column->unit, unit_bytes))
		n = tp_number_bytes(*text, n, &unit);
	if (!make_plain(*text, n, column->decimal, column->thousands, &p))
		return false;
	out[p.n] = '\0';
	*text = out;
	*len = p.n;
	return true;
}

enum tp_number_shape tp_number_shape(const char *text, size_t len)
{
	char out[TP_PLAIN_BYTES];
	struct plain p = { out, 0 };
	bool comma = memchr(text, ',', len) != NULL, point = memchr(text, '.', len) != NULL;
	if (!comma && !point)
		return make_plain(text, len, '.', 0, &p) ? TP_SHAPE_PLAIN : TP_SHAPE_WORD;
	bool as_point = make_plain(text, len, '.', comma ? ',' : 0, &p);
	bool as_comma = make_plain(text, len, ',', point ? '.' : 0, &p);
	if (comma && point)
		return as_point ? TP_SHAPE_GROUPS_COMMA : as_comma ? TP_SHAPE_COMMA : TP_SHAPE_WORD;
	if (comma) {
		bool decimal = make_plain(text, len, ',', 0, &p);
		bool groups = as_point;
		return decimal	? groups ? TP_SHAPE_COMMA_OR_GROUP : TP_SHAPE_COMMA
		       : groups ? TP_SHAPE_GROUPS_COMMA
				: TP_SHAPE_WORD;
	}
	return as_point	  ? as_comma ? TP_SHAPE_POINT_OR_GROUP : TP_SHAPE_POINT
	       : as_comma ? TP_SHAPE_GROUPS_POINT
			  : TP_SHAPE_WORD;
}

static bool is_of_unit(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || strchr("%/^*_", c) ||
	       (unsigned char)c >= 0x80;
}

size_t tp_number_bytes(const char *text, size_t len, const char **unit)
{
	size_t n = len, blank;
	while (n && text[n - 1] && is_of_unit(text[n - 1]))
		n--;
	*unit = text + n;
	/* A blank that is not ASCII does not belong to either. */
	while (*unit < text + len && (blank = mark_bytes(*unit, text + len, 0)))
		*unit += blank;
	while (n && is_blank(text[n - 1]))
		n--;
	return n;
}

bool tp_written_is_missing(const char *text, size_t len)
{
	static const char *const words[] = {
		"",
		"-",
		"--",
		"---",
		"*",
		"?",
		"NA",
		"N/A",
		"#N/A",
		"n.a.",
		"NaN",
		"null",
		"nil",
		"none",
		"DNF",
		"#DIV/0!",
		"#VALUE!",
		"#REF!",
		"error",
		"err",
		"fail",
		"failed",
		"timeout",
		"crash",
		"crashed",
		"oom",
		"skipped",
		"undefined",
		"unknown",
		"missing",
		"#NUM!",
		"<not counted>",
		"<not supported>",
	};
	char shown[8];
	/* One character that cannot be shown. */
	if (len && len <= 4 && strcmp(tp_shown(shown, sizeof(shown), text, len), "?") == 0)
		return true;
	for (size_t i = 0; i < TP_COUNT_OF(words); i++)
		if (strlen(words[i]) == len && strncasecmp(words[i], text, len) == 0)
			return true;
	return false;
}
