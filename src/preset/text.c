/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "preset/text.h"

#include <string.h>

size_t tp_utf8_decode(const char *text, size_t len, uint32_t *character)
{
	if (len == 0)
		return 0;
	unsigned char first = (unsigned char)text[0];
	size_t n = first < 0x80	      ? 1
		   : first >> 5 == 6  ? 2
		   : first >> 4 == 14 ? 3
		   : first >> 3 == 30 ? 4
				      : 0;
	static const unsigned char mask[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	if (n == 0 || n > len)
		return 0;
	uint32_t value = first & mask[n];
	for (size_t i = 1; i < n; i++) {
		unsigned char next = (unsigned char)text[i];
		if (next >> 6 != 2)
			return 0;
		value = value << 6 | (next & 0x3f);
	}
	if (value < smallest[n] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
		return 0;
	*character = value;
	return n;
}

bool tp_is_control(uint32_t character)
{
	return character < 0x20 || (character >= 0x7f && character <= 0x9f);
}

const char *tp_shown(char *out, size_t size, const char *text, size_t len)
{
	static const char dots[] = "...";
	size_t n = 0, kept = 0; /* kept: where the dots go if not all fits */
	while (len) {
		uint32_t character = 0;
		size_t width = tp_utf8_decode(text, len, &character);
		bool bad = width == 0 || tp_is_control(character);
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

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
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
