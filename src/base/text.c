/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

#include "base/memory.h"

/* Code points that do not fill one cell, or change how their neighbours look. */
static const struct {
	uint32_t first, last;
} not_one_cell[] = {
	{ 0x00, 0x1f },	    { 0x7f, 0x9f },	  { 0xad, 0xad },     { 0x300, 0x36f },
	{ 0x483, 0x489 },   { 0x591, 0x8ff },	  { 0x900, 0x10ff },  { 0x1100, 0x11ff },
	{ 0x1200, 0x1dff }, { 0x200b, 0x200f },	  { 0x2028, 0x202e }, { 0x2060, 0x206f },
	{ 0x20d0, 0x20ff }, { 0x231a, 0x231b },	  { 0x23e9, 0x23f3 }, { 0x25fd, 0x25fe },
	{ 0x2614, 0x2615 }, { 0x2648, 0x2653 },	  { 0x26a1, 0x26a1 }, { 0x2705, 0x2705 },
	{ 0x2753, 0x2757 }, { 0x2b1b, 0x2b55 },	  { 0x2e80, 0xabff }, { 0xac00, 0xdfff },
	{ 0xe000, 0xfb4f }, { 0xfb50, 0x10ffff },
};

static const struct {
	uint32_t code;
	char ascii;
} nearest_ascii[] = {
	{ 0xa0, ' ' },	 { 0xb1, '~' },	   { 0xb5, 'u' },    { 0xb7, '.' },   { 0xd7, 'x' },
	{ 0x3bc, 'u' },	 { 0x2010, '-' },  { 0x2011, '-' },  { 0x2012, '-' }, { 0x2013, '-' },
	{ 0x2014, '-' }, { 0x2018, '\'' }, { 0x2019, '\'' }, { 0x201c, '"' }, { 0x201d, '"' },
	{ 0x2026, '~' }, { 0x2022, '*' },  { 0x2212, '-' },  { 0x2190, '<' }, { 0x2192, '>' },
	{ 0x2191, '^' }, { 0x2193, 'v' },  { 0x2264, '<' },  { 0x2265, '>' },
};

/* Length of a character by its first byte, 0 if invalid. */
static size_t length_by_first(unsigned char first)
{
	return first < 0x80	  ? 1
	       : first >> 5 == 6  ? 2
	       : first >> 4 == 14 ? 3
	       : first >> 3 == 30 ? 4
				  : 0;
}

static bool continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

size_t tp_utf8_decode(const char *text, size_t len, uint32_t *code)
{
	static const unsigned char mask[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = len ? length_by_first((unsigned char)*text) : 0;
	if (n == 0 || n > len)
		return 0;
	uint32_t value = (unsigned char)*text & mask[n];
	for (size_t i = 1; i < n; i++) {
		if (!continues(text[i]))
			return 0;
		value = value << 6 | ((unsigned char)text[i] & 0x3f);
	}
	if (value < smallest[n] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
		return 0;
	*code = value;
	return n;
}

/* The bytes of the character at `text`, or of what is there of it. */
static size_t read_one(const char *text, uint32_t *code)
{
	size_t whole = length_by_first((unsigned char)*text), there = 1;
	while (there < whole && continues(text[there]))
		there++;
	if (tp_utf8_decode(text, there, code) == 0)
		*code = TP_UTF8_BAD;
	return there;
}

uint32_t tp_utf8_next(const char **text)
{
	uint32_t code = 0;
	if (**text)
		*text += read_one(*text, &code);
	return code;
}

size_t tp_utf8_before(const char *text, size_t at)
{
	if (at)
		at--;
	while (at && continues(text[at]))
		at--;
	return at;
}

size_t tp_utf8_after(const char *text, size_t at)
{
	if (text[at])
		at++;
	while (continues(text[at]))
		at++;
	return at;
}

size_t tp_utf8_encode(char out[4], uint32_t code)
{
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	size_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	for (size_t i = n - 1; i > 0; i--, code >>= 6)
		out[i] = (char)(0x80 | (code & 0x3f));
	out[0] = (char)((0xf00 >> n & 0xff) | code);
	return n;
}

void tp_utf8_add(struct tp_str *str, uint32_t code)
{
	char bytes[4];
	tp_str_add_n(str, bytes, tp_utf8_encode(bytes, code));
}

bool tp_is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code <= 0x9f);
}

char tp_utf8_ascii(uint32_t code)
{
	if (code < 0x80)
		return (char)code;
	for (size_t i = 0; i < TP_COUNT_OF(nearest_ascii); i++)
		if (nearest_ascii[i].code == code)
			return nearest_ascii[i].ascii;
	return '?';
}

/* --- columns of a stream --- */

/* Moves past one character and returns its columns; one unknown to the locale takes one. */
static size_t pass(const char **text)
{
	uint32_t code = tp_utf8_next(text);
	int n = code == TP_UTF8_BAD ? 1 : wcwidth((wchar_t)code);
	return n < 0 ? 1 : (size_t)n;
}

size_t tp_text_columns(const char *text)
{
	size_t total = 0;
	while (*text)
		total += pass(&text);
	return total;
}

size_t tp_text_cut(const char *text, size_t columns)
{
	const char *end = text, *at = text;
	for (size_t used = 0; *at; end = at) {
		used += pass(&at);
		if (used > columns)
			break;
	}
	return (size_t)(end - text);
}

const char *tp_text_line(const char *text, size_t columns, const char **next)
{
	const char *end = text, *blank = NULL;
	size_t used = 0;
	while (*end && *end != '\n') {
		const char *after = end;
		used += TP_MAX(pass(&after), (size_t)1);
		if (*end == ' ')
			blank = end;
		if (used > columns) {
			/* One character is taken even if there is no room. */
			end = blank ? blank : end > text ? end : after;
			break;
		}
		end = after;
	}
	*next = end + strspn(end, " ");
	*next += **next == '\n';
	return end;
}

/* --- cells of a grid --- */

uint32_t tp_cell_next(const char **text)
{
	uint32_t code = tp_utf8_next(text);
	for (size_t i = 0; code && i < TP_COUNT_OF(not_one_cell); i++)
		if (code >= not_one_cell[i].first && code <= not_one_cell[i].last)
			return '?';
	return code;
}

size_t tp_cell_columns(const char *text)
{
	size_t n = 0;
	while (tp_cell_next(&text))
		n++;
	return n;
}

/* --- foreign text --- */

/* Marks, embeddings, overrides and isolates of writing direction, and separators of lines. */
static bool turns_direction(uint32_t code)
{
	return code == 0x61c || code == 0x200e || code == 0x200f ||
	       (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

static bool is_unfit(uint32_t code)
{
	return code == TP_UTF8_BAD || tp_is_control(code) || turns_direction(code);
}

void tp_str_add_clean(struct tp_str *str, const char *text, bool ascii)
{
	while (*text) {
		const char *start = text;
		uint32_t code = tp_utf8_next(&text);
		if (code == '\n' || code == '\t')
			tp_str_add(str, " ");
		else if (is_unfit(code) || (ascii && code >= 0x80))
			tp_str_add(str, "?");
		else
			tp_str_add_n(str, start, (size_t)(text - start));
	}
}

void tp_clean(char *text, const char *allowed)
{
	const char *from = text;
	while (*from) {
		const char *start = from;
		uint32_t code = tp_utf8_next(&from);
		if (code < 0x80 && strchr(allowed, (int)code)) {
			*text++ = (char)code;
		} else if (code == '\n' || code == '\t') {
			*text++ = ' ';
		} else if (is_unfit(code)) {
			*text++ = '?';
		} else {
			memmove(text, start, (size_t)(from - start));
			text += from - start;
		}
	}
	*text = '\0';
}

const char *tp_shown(char *out, size_t size, const char *text, size_t len)
{
	static const char dots[] = "...";
	size_t n = 0, kept = 0; /* kept: where the dots go if not all fits */
	while (len) {
		uint32_t code = 0;
		size_t width = tp_utf8_decode(text, len, &code);
		bool bad = width == 0 || is_unfit(code);
		size_t put = bad ? 1 : width;
		if (n + put + 1 > size) {
			memcpy(out + kept, dots, sizeof(dots));
			return out;
		}
		memcpy(out + n, bad ? "?" : text, put);
		n += put;
		if (n + sizeof(dots) <= size)
			kept = n;
		text += width ? width : 1;
		len -= width ? width : 1;
	}
	out[n] = '\0';
	return out;
}

const char *tp_last_line(char *out, size_t size, const char *text, size_t len)
{
	tp_trim(&text, &len);
	size_t from = len;
	while (from > 0 && text[from - 1] != '\n' && text[from - 1] != '\r')
		from--;
	return tp_shown(out, size, text + from, len - from);
}

const char *tp_text_fault(const char *text, size_t len, const char *allowed)
{
	for (size_t i = 0, n; i < len; i += n) {
		uint32_t code = 0;
		n = tp_utf8_decode(text + i, len - i, &code);
		if (n == 0)
			return "is not UTF-8 text";
		if (tp_is_control(code) &&
		    (code == 0 || code > 0x7f || !strchr(allowed, (int)code)))
			return "holds a control character";
	}
	return NULL;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

size_t tp_mark_bytes(const char *text, size_t len)
{
	return len >= TP_MARK_BYTES && memcmp(text, "\xef\xbb\xbf", TP_MARK_BYTES) == 0
		       ? TP_MARK_BYTES
		       : 0;
}

void tp_trim(const char **text, size_t *len)
{
	while (*len && is_blank(**text)) {
		(*text)++;
		(*len)--;
	}
	while (*len && is_blank((*text)[*len - 1]))
		(*len)--;
}

void tp_str_add_markup(struct tp_str *str, const char *text)
{
	static const char *const entities[] = {
		['"'] = "&quot;", ['&'] = "&amp;", ['\''] = "&#39;", ['<'] = "&lt;", ['>'] = "&gt;"
	};
	while (*text) {
		uint32_t c = tp_utf8_next(&text);
		if (c < TP_COUNT_OF(entities) && entities[c])
			tp_str_add(str, entities[c]);
		else if (tp_is_control(c))
			tp_str_add(str, " ");
		else
			tp_utf8_add(str, (c & 0xfffe) == 0xfffe ? TP_UTF8_BAD : c);
	}
}

const char *tp_format_bytes(char *out, size_t size, uint64_t bytes)
{
	static const char *const unit[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double value = (double)bytes;
	size_t i = 0;
	while (value >= 1024 && i + 1 < TP_COUNT_OF(unit)) {
		value /= 1024;
		i++;
	}
	snprintf(out, size, "%.4g %s", value, unit[i]);
	return out;
}

const char *tp_format_seconds(char *out, size_t size, double seconds)
{
	if (!(seconds >= 0))
		snprintf(out, size, "?");
	else if (seconds < 1e-6)
		snprintf(out, size, "%.3g ns", seconds * 1e9);
	else if (seconds < 1e-3)
		snprintf(out, size, "%.3g us", seconds * 1e6);
	else if (seconds < 0.9995)
		snprintf(out, size, "%.3g ms", seconds * 1e3);
	else if (seconds < 100)
		snprintf(out, size, "%.3g s", seconds);
	else
		snprintf(out, size, "%.0f min %02.0f s", floor(seconds / 60),
			 fmod(floor(seconds), 60));
	return out;
}

bool tp_parse_double(const char *text, double *value)
{
	if (!*text || isspace((unsigned char)*text))
		return false;
	char *end;
	errno = 0;
	double v = strtod(text, &end);
	if (*end || errno == ERANGE || !isfinite(v))
		return false;
	*value = v;
	return true;
}

bool tp_parse_u64(const char *text, uint64_t *value)
{
	if (!isdigit((unsigned char)*text))
		return false;
	char *end;
	errno = 0;
	unsigned long long v = strtoull(text, &end, 10);
	if (*end || errno == ERANGE)
		return false;
	*value = v;
	return true;
}

/* Splits "1.5 MiB" into a finite, non-negative number and its unit text. */
static bool split_number(const char *text, double *value, const char **unit)
{
	if (!isdigit((unsigned char)*text) && *text != '.')
		return false;
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return false;
	char *end;
	*value = strtod(text, &end);
	if (end == text || !isfinite(*value) || *value < 0)
		return false;
	while (*end == ' ')
		end++;
	*unit = end;
	return true;
}

bool tp_parse_bytes(const char *text, uint64_t *bytes)
{
	double value;
	const char *unit;
	if (!split_number(text, &value, &unit))
		return false;
	double scale = 1;
	if (*unit && strcasecmp(unit, "B") != 0) {
		const char *letters = "KMGT", *at = strchr(letters, toupper((unsigned char)*unit));
		if (!at || (unit[1] && strcasecmp(unit + 1, "iB") != 0))
			return false;
		scale = ldexp(1, 10 * (int)(at - letters + 1));
	}
	value *= scale;
	if (value > 9007199254740992.0 ||
	    value != floor(value)) /* 2^53: exact in a double, far beyond any memory */
		return false;
	*bytes = (uint64_t)value;
	return true;
}

bool tp_parse_seconds(const char *text, double *seconds)
{
	static const struct {
		const char *name;
		double times, per; /* a division: 10 / 1e6 is 10e-6, 10 * 1e-6 is a bit less */
	} unit[] = { { "", 1, 1 },     { "s", 1, 1 },	 { "ms", 1, 1e3 }, { "us", 1, 1e6 },
		     { "ns", 1, 1e9 }, { "min", 60, 1 }, { "h", 3600, 1 } };
	double value;
	const char *name;
	if (!split_number(text, &value, &name))
		return false;
	for (size_t i = 0; i < TP_COUNT_OF(unit); i++)
		if (strcmp(name, unit[i].name) == 0) {
			*seconds = value * unit[i].times / unit[i].per;
			return true;
		}
	return false;
}
