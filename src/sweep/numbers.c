/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sweep/numbers.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"

/* A whole number, or a size such as 4K. Moves behind it. */
static bool take_number(const char **at, int64_t *value)
{
	char text[32];
	uint64_t found;
	size_t len = 0;
	while (isalnum((unsigned char)(*at)[len]) && len + 1 < sizeof(text))
		len++;
	memcpy(text, *at, len);
	text[len] = '\0';
	if (len == 0 || !tp_parse_bytes(text, &found) || found > UINT64_C(1) << 40)
		return false;
	*value = (int64_t)found;
	*at += len;
	return true;
}

const char *tp_sweep_numbers(const char **at, int64_t *values, size_t most, size_t *n)
{
	int64_t from, to, step = 1;
	bool times = false;
	if (!take_number(at, &from))
		return "expected a whole number";
	to = from;
	if (strncmp(*at, "..", 2) == 0) {
		*at += 2;
		if (!take_number(at, &to))
			return "expected a whole number behind ..";
		times = **at == '*';
		if (times || **at == '+') {
			++*at;
			if (!take_number(at, &step))
				return "expected a whole number behind * or +";
		}
		if (from > to || step < 1 + times || (times && from < 1))
			return "the range is empty or endless";
	}
	for (int64_t v = from; v <= to; v = times ? v * step : v + step) {
		if (*n == most)
			return "there are too many values";
		values[(*n)++] = v;
	}
	return NULL;
}
