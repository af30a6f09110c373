/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mining/frame_parts.h"

#include <ctype.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "base/memory.h"

enum { DIGITS_MAX = 19, POWER_MAX = 22, EXPONENT_MAX = 100000 };

static bool is_one_of(const char *text, size_t len, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(words[i]) == len && strncasecmp(words[i], text, len) == 0)
			return true;
	return false;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The digits of a number without its sign and point, times ten to the `exponent`. */
struct decimal {
	uint64_t digits;
	unsigned n; /* significant ones, also of those beyond DIGITS_MAX */
	long exponent;
};

static const char *take_digits(const char *at, const char *end, struct decimal *d, bool behind)
{
	for (; at < end && is_digit(*at); at++) {
		d->n += d->n || *at != '0';
		if (d->n <= DIGITS_MAX)
			d->digits = 10 * d->digits + (uint64_t)(*at - '0');
		d->exponent -= behind;
	}
	return at;
}

/* "e-5"; false if there is none although it begins like one. */
static bool take_exponent(const char **at, const char *end, struct decimal *d)
{
	const char *c = *at + 1;
	bool minus = c < end && *c == '-';
	long value = 0;
	c += c < end && (*c == '-' || *c == '+');
	if (c == end || !is_digit(*c))
		return false;
	for (; c < end && is_digit(*c); c++)
		if (value < EXPONENT_MAX)
			value = 10 * value + (*c - '0');
	d->exponent += minus ? -value : value;
	*at = c;
	return true;
}

static double by_library(const char *text, size_t len)
{
	char few[64], *copy = len < sizeof(few) ? few : malloc(len + 1);
	if (!copy)
		return NAN;
	memcpy(copy, text, len);
	copy[len] = '\0';
	/* The C library keeps this one: no memory is taken, and no locale of a user counts. */
	locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	double value = strtod_l(copy, NULL, plain);
	freelocale(plain);
	if (copy != few)
		free(copy);
	return value;
}

/*
 * Digits that a double holds exactly, times or through a power of ten that it holds exactly, are
 * rounded once, so the result is the nearest double (Clinger 1990). The library has the others.
 */
static double value_of(const struct decimal *d, bool minus, const char *text, size_t len)
{
	static const double powers[POWER_MAX + 1] = { 1e0,  1e1,  1e2,	1e3,  1e4,  1e5,
						      1e6,  1e7,  1e8,	1e9,  1e10, 1e11,
						      1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
						      1e18, 1e19, 1e20, 1e21, 1e22 };
	if (d->n > DIGITS_MAX || d->digits > UINT64_C(1) << 53 || d->exponent < -POWER_MAX ||
	    d->exponent > POWER_MAX)
		return by_library(text, len);
	double value = (double)d->digits;
	value = d->exponent < 0 ? value / powers[-d->exponent] : value * powers[d->exponent];
	return minus ? -value : value;
}

/* Anything but a number. */
static enum tp_cell_kind kind_of_word(const char *text, size_t len)
{
	static const char *const missing[] = { "NA", "NaN", "null", "none", "-" };
	static const char *const infinite[] = { "inf",	    "+inf",	 "-inf",
						"infinity", "+infinity", "-infinity" };
	char shown[8];
	if (len > strlen(infinite[5]))
		return TP_CELL_WORD;
	/* "?", or one character that is shown so. */
	if (len <= 4 && strcmp(tp_shown(shown, sizeof(shown), text, len), "?") == 0)
		return TP_CELL_MISSING;
	if (is_one_of(text, len, missing, TP_COUNT_OF(missing)))
		return TP_CELL_MISSING;
	return is_one_of(text, len, infinite, TP_COUNT_OF(infinite)) ? TP_CELL_INFINITE
								     : TP_CELL_WORD;
}

enum tp_cell_kind tp_cell_read(const char *text, size_t len, double *value)
{
	struct decimal d = { 0 };
	const char *end = text + len, *at = text;
	if (!len)
		return TP_CELL_MISSING;
	bool minus = *at == '-';
	at += minus || *at == '+';
	const char *first = at;
	at = take_digits(at, end, &d, false);
	bool any = at > first;
	if (at < end && *at == '.') {
		first = ++at;
		at = take_digits(at, end, &d, true);
		any |= at > first;
	}
	if (any && at < end && (*at == 'e' || *at == 'E'))
		any = take_exponent(&at, end, &d);
	if (!any || at != end)
		return kind_of_word(text, len);
	*value = value_of(&d, minus, text, len);
	return isfinite(*value) ? TP_CELL_NUMBER : TP_CELL_INFINITE;
}
