/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/text.h"
#include "base/vec.h"

#include <stdio.h>
#include <string.h>
#include <wchar.h>

enum { COLUMNS_MAX = 1000 };

size_t tp_look_columns(const struct tp_look *look)
{
	return TP_MIN(TP_MAX(look->columns, (unsigned)TP_COLUMNS_MIN), (unsigned)COLUMNS_MAX);
}

/* One UTF-8 sequence: its length in bytes, 0 if it is none. */
static size_t sequence(const unsigned char *p, uint32_t *code)
{
	static const struct {
		unsigned char mask, lead;
		uint32_t least;
	} forms[] = { { 0x80, 0x00, 0 },
		      { 0xe0, 0xc0, 0x80 },
		      { 0xf0, 0xe0, 0x800 },
		      { 0xf8, 0xf0, 0x10000 } };
	for (size_t n = 0; n < TP_COUNT_OF(forms); n++) {
		if ((*p & forms[n].mask) != forms[n].lead)
			continue;
		uint32_t c = *p & (unsigned char)~forms[n].mask;
		for (size_t i = 1; i <= n; i++) {
			if ((p[i] & 0xc0) != 0x80)
				return 0;
			c = c << 6 | (p[i] & 0x3f);
		}
		if (c < forms[n].least || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
			return 0;
		*code = c;
		return n + 1;
	}
	return 0;
}

/* Columns of one character; a locale that does not know it is no reason to lose count. */
static size_t columns_of(uint32_t code)
{
	int n = wcwidth((wchar_t)code);
	return n < 0 ? 1 : (size_t)n;
}

/* Length in bytes and columns of the character at `text`. */
static size_t character(const char *text, size_t *columns)
{
	uint32_t code;
	size_t n = sequence((const unsigned char *)text, &code);
	*columns = n ? columns_of(code) : 1;
	return n ? n : 1;
}

size_t tp_text_columns(const char *text)
{
	size_t total = 0, columns;
	while (*text) {
		text += character(text, &columns);
		total += columns;
	}
	return total;
}

void tp_text_clean(struct tp_str *out, const char *text, const struct tp_look *look)
{
	while (*text) {
		uint32_t code = 0;
		size_t n = sequence((const unsigned char *)text, &code);
		bool control = code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 ||
			       code == 0x2029 || (code >= 0x202a && code <= 0x202e);
		if (n == 0 || (code >= 0x80 && !look->utf8))
			tp_str_add(out, "?");
		else if (code == '\n' || code == '\t')
			tp_str_add(out, " ");
		else if (control)
			tp_str_add(out, "?");
		else
			tp_str_add_n(out, text, n);
		text += n ? n : 1;
	}
}

static const char *codes(const struct tp_look *look, enum tp_paint paint)
{
	static const char *const sgr[] = {
		[TP_PAINT_PLAIN] = "",	       [TP_PAINT_TITLE] = "\033[1;36m",
		[TP_PAINT_HEAD] = "\033[4m",   [TP_PAINT_DIM] = "\033[2m",
		[TP_PAINT_STRONG] = "\033[1m", [TP_PAINT_GOOD] = "\033[32m",
		[TP_PAINT_WARN] = "\033[33m",  [TP_PAINT_BAD] = "\033[1;31m",
	};
	return look->colour ? sgr[paint] : "";
}

static void paint_n(struct tp_str *out, const struct tp_look *look, enum tp_paint paint,
		    const char *text, size_t n)
{
	const char *begin = n ? codes(look, paint) : "";
	tp_str_add(out, begin);
	tp_str_add_n(out, text, n);
	if (*begin)
		tp_str_add(out, "\033[0m");
}

void tp_text_paint(struct tp_str *out, const struct tp_look *look, enum tp_paint paint,
		   const char *text)
{
	paint_n(out, look, paint, text, strlen(text));
}

/* Bytes of `text` that fit into `room` columns: up to a blank, or, where one word is longer, as much of it as there is room for. */
static size_t line_length(const char *text, size_t room)
{
	size_t bytes = 0, used = 0, blank = 0, columns;
	while (text[bytes]) {
		size_t n = character(text + bytes, &columns);
		if (text[bytes] == ' ')
			blank = bytes;
		if (used + columns > room)
			return blank ? blank : TP_MAX(bytes, n);
		used += columns;
		bytes += n;
	}
	return bytes;
}

void tp_text_wrap(struct tp_str *out, const struct tp_look *look, enum tp_paint paint,
		  const char *text, size_t used, size_t indent)
{
	size_t columns = tp_look_columns(look);
	for (bool first = true;; first = false) {
		size_t taken = first ? used : indent;
		text += strspn(text, " ");
		if (!first)
			tp_str_pad(out, ' ', indent);
		size_t n = line_length(text, taken + 8 < columns ? columns - taken : 8);
		paint_n(out, look, paint, text, n);
		tp_str_add(out, "\n");
		text += n;
		if (!text[strspn(text, " ")])
			return;
	}
}

const char *tp_text_dot(const struct tp_look *look)
{
	return look->utf8 ? " \u00b7 " : ", ";
}

const char *tp_text_plus_minus(const struct tp_look *look)
{
	return look->utf8 ? "\u00b1" : "+-";
}

const char *tp_text_size(char *out, size_t size, uint64_t bytes)
{
	static const char *const unit[] = { "", "K", "M", "G", "T", "P" };
	double value = (double)bytes;
	size_t i = 0;
	while (value >= 1024 && i + 1 < TP_COUNT_OF(unit)) {
		value /= 1024;
		i++;
	}
	snprintf(out, size, value >= 100 ? "%.0f%s" : "%.3g%s", value, unit[i]);
	return out;
}

const char *tp_text_count(char *out, size_t size, uint64_t n, const char *what)
{
	snprintf(out, size, "%llu %s%s", (unsigned long long)n, what, n == 1 ? "" : "s");
	return out;
}
