/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/plot/chars.h"
#include "base/vec.h"

/* Code points that are not one cell wide or change how their neighbours are shown. */
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
	uint32_t code_point;
	char ascii;
} nearest_ascii[] = {
	{ 0xa0, ' ' },	 { 0xb1, '~' },	   { 0xb5, 'u' },    { 0xb7, '.' },   { 0xd7, 'x' },
	{ 0x3bc, 'u' },	 { 0x2010, '-' },  { 0x2011, '-' },  { 0x2012, '-' }, { 0x2013, '-' },
	{ 0x2014, '-' }, { 0x2018, '\'' }, { 0x2019, '\'' }, { 0x201c, '"' }, { 0x201d, '"' },
	{ 0x2026, '~' }, { 0x2022, '*' },  { 0x2212, '-' },  { 0x2190, '<' }, { 0x2192, '>' },
	{ 0x2264, '<' }, { 0x2265, '>' },
};

/* Length, least value (no overlong forms) and payload mask by the first byte. */
static size_t lead(unsigned char byte, uint32_t *least, uint32_t *bits)
{
	static const struct {
		unsigned char mask, value;
		uint32_t least;
	} form[] = { { 0x80, 0x00, 0 },
		     { 0xe0, 0xc0, 0x80 },
		     { 0xf0, 0xe0, 0x800 },
		     { 0xf8, 0xf0, 0x10000 } };
	for (size_t i = 0; i < TP_COUNT_OF(form); i++)
		if ((byte & form[i].mask) == form[i].value) {
			*least = form[i].least;
			*bits = byte & (unsigned char)~form[i].mask;
			return i + 1;
		}
	return 0;
}

uint32_t tp_chars_read(const char **text)
{
	const unsigned char *p = (const unsigned char *)*text;
	if (!*p)
		return 0;
	uint32_t least = 0, value = 0;
	size_t n = lead(*p, &least, &value);
	size_t got = 1;
	while (got < n && (p[got] & 0xc0) == 0x80)
		value = value << 6 | (p[got++] & 0x3f);
	*text += got;
	bool surrogate = value >= 0xd800 && value < 0xe000;
	return !n || got < n || value < least || surrogate || value > 0x10ffff ? TP_CHARS_BAD
									       : value;
}

uint32_t tp_chars_next(const char **text)
{
	uint32_t value = **text ? tp_chars_read(text) : 0;
	if (!value)
		return 0;
	if (value == TP_CHARS_BAD)
		return '?';
	for (size_t i = 0; i < TP_COUNT_OF(not_one_cell); i++)
		if (value >= not_one_cell[i].first && value <= not_one_cell[i].last)
			return '?';
	return value;
}

size_t tp_chars_columns(const char *text)
{
	size_t n = 0;
	while (tp_chars_next(&text))
		n++;
	return n;
}

char tp_chars_ascii(uint32_t code_point)
{
	if (code_point < 0x80)
		return (char)code_point;
	for (size_t i = 0; i < TP_COUNT_OF(nearest_ascii); i++)
		if (nearest_ascii[i].code_point == code_point)
			return nearest_ascii[i].ascii;
	return '?';
}

void tp_chars_add(struct tp_str *str, uint32_t c)
{
	char out[4];
	size_t n = 0;
	if (c < 0x80) {
		out[n++] = (char)c;
	} else if (c < 0x800) {
		out[n++] = (char)(0xc0 | c >> 6);
	} else if (c < 0x10000) {
		out[n++] = (char)(0xe0 | c >> 12);
		out[n++] = (char)(0x80 | (c >> 6 & 0x3f));
	} else {
		out[n++] = (char)(0xf0 | c >> 18);
		out[n++] = (char)(0x80 | (c >> 12 & 0x3f));
		out[n++] = (char)(0x80 | (c >> 6 & 0x3f));
	}
	if (c >= 0x80)
		out[n++] = (char)(0x80 | (c & 0x3f));
	tp_str_add_n(str, out, n);
}
