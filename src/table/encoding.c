/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table/encoding.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/text.h"

/* --- which one it is --- */

/* Two characters of ASCII with a zero byte before (big) or after each. */
static bool has_zero_bytes(const char *text, size_t len, bool big)
{
	return len >= 4 && text[big] && !text[!big] && text[2 + big] && !text[2 + !big];
}

static bool is_mostly_utf8(const char *text, size_t len, bool whole)
{
	size_t characters = 0, others = 0;
	for (size_t i = 0, n; i < len; i += n) {
		uint32_t code;
		n = 1;
		if ((unsigned char)text[i] < 0x80)
			continue;
		n = tp_utf8_decode(text + i, len - i, &code);
		characters += n > 0;
		/* The last character may be cut. */
		others += n == 0 && (whole || len - i >= 4);
		n += n == 0;
	}
	return others <= characters;
}

enum tp_encoding tp_encoding_of(const char *text, size_t len, bool whole)
{
	if ((len >= 2 && memcmp(text, "\xfe\xff", 2) == 0) || has_zero_bytes(text, len, true))
		return TP_ENCODING_UTF16_BE;
	if ((len >= 2 && memcmp(text, "\xff\xfe", 2) == 0) || has_zero_bytes(text, len, false))
		return TP_ENCODING_UTF16_LE;
	return tp_mark_bytes(text, len) || is_mostly_utf8(text, len, whole)
		       ? TP_ENCODING_UTF8
		       : TP_ENCODING_WINDOWS_1252;
}

static const struct {
	const char *word, *name;
	enum tp_encoding encoding;
} encodings[] = {
	{ "utf-8", "UTF-8", TP_ENCODING_UTF8 },
	{ "utf-16", "UTF-16", TP_ENCODING_UTF16_LE },
	{ "utf-16", "UTF-16", TP_ENCODING_UTF16_BE },
	{ "windows-1252", "Windows-1252", TP_ENCODING_WINDOWS_1252 },
	{ "latin-1", "Latin-1", TP_ENCODING_WINDOWS_1252 },
};

enum tp_encoding tp_encoding_find(const char *word)
{
	for (size_t i = 0; i < TP_COUNT_OF(encodings); i++)
		if (strcasecmp(encodings[i].word, word) == 0)
			return encodings[i].encoding;
	return TP_ENCODING_BY_TEXT;
}

const char *tp_encoding_name(enum tp_encoding encoding)
{
	for (size_t i = 0; i < TP_COUNT_OF(encodings); i++)
		if (encodings[i].encoding == encoding)
			return encodings[i].name;
	return "";
}

/* --- as UTF-8 --- */

static void add_utf16(struct tp_str *out, const char *text, size_t len, bool big)
{
	uint32_t high = 0; /* the first half of a pair */
	for (size_t i = 0; i + 1 < len; i += 2) {
		uint32_t a = (unsigned char)text[i], b = (unsigned char)text[i + 1];
		uint32_t unit = big ? a << 8 | b : b << 8 | a;
		bool low = unit >= 0xdc00 && unit < 0xe000;
		if (i == 0 && unit == 0xfeff)
			continue;
		if (high && !low)
			tp_utf8_add(out, TP_UTF8_BAD);
		if (low)
			unit = high ? 0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00)
				    : TP_UTF8_BAD;
		high = unit >= 0xd800 && unit < 0xdc00 ? unit : 0;
		if (!high)
			tp_utf8_add(out, unit);
	}
	if (high || len % 2)
		tp_utf8_add(out, TP_UTF8_BAD);
}

static void add_windows_1252(struct tp_str *out, const char *text, size_t len)
{
	/* Of the bytes 80 to 9f; 0: no character. Above them, a byte is the code. */
	static const uint16_t codes[] = {
		0x20ac, 0,	0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
		0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,	0x017d, 0,
		0,	0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
		0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,	0x017e, 0x0178,
	};
	for (size_t i = 0, from = 0; i <= len; i++) {
		unsigned char byte = i < len ? (unsigned char)text[i] : 0;
		if (i < len && byte < 0x80)
			continue;
		tp_str_add_n(out, text + from, i - from);
		from = i + 1;
		if (i == len)
			return;
		uint32_t code = byte < 0xa0 ? codes[byte - 0x80] : byte;
		tp_utf8_add(out, code ? code : TP_UTF8_BAD);
	}
}

void tp_encoding_decode(enum tp_encoding encoding, const char *text, size_t len, struct tp_str *out)
{
	size_t mark = tp_mark_bytes(text, len);
	if (encoding == TP_ENCODING_WINDOWS_1252)
		add_windows_1252(out, text, len);
	else if (encoding == TP_ENCODING_UTF8)
		tp_str_add_n(out, text + mark, len - mark);
	else
		add_utf16(out, text, len, encoding == TP_ENCODING_UTF16_BE);
}
