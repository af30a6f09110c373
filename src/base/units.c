/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/units.h"
#include "base/vec.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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
