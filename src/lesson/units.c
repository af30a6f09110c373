/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Units of what lessons ask and quote: values as people read them, and as they type them. */
#include "lesson/lesson_parts.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "base/memory.h"

static const char *const units[] = {
	"bytes",     "GB/s",	    "ns",	    "us",
	"ms",	     "s",	    "GHz",	    "GFLOP/s",
	"FLOP/byte", "FLOP/cycle",  "bytes/cycle",  "cycles",
	"%",	     "times",	    "instructions", "instructions/cycle",
	"loads",     "stores",	    "lines",	    "lines/cycle",
	"misses",    "pages",	    "threads",	    "cores",
	"elements",  "repetitions", "windows",	    "GLUP/s",
};

const char *tp_lesson_unit(size_t i)
{
	return i < TP_COUNT_OF(units) ? units[i] : NULL;
}

const char *tp_lesson_unit_find(const char *text)
{
	if (!*text)
		return "";
	for (size_t i = 0; i < TP_COUNT_OF(units); i++)
		if (strcmp(units[i], text) == 0)
			return units[i];
	return NULL;
}

/* Three digits; whole numbers whole, very large ones in words. */
static void number(char *out, size_t size, double value)
{
	double magnitude = fabs(value);
	if (!isfinite(value))
		snprintf(out, size, "?");
	else if (magnitude >= 1e15 || (magnitude < 1e-3 && magnitude > 0))
		snprintf(out, size, "%.2e", value);
	else if (magnitude >= 999.5e6)
		snprintf(out, size, "%.*f billion", magnitude < 99.95e9 ? 1 : 0, value / 1e9);
	else if (magnitude >= 999.5e3)
		snprintf(out, size, "%.*f million", magnitude < 99.95e6 ? 1 : 0, value / 1e6);
	else if (magnitude >= 99.95 || value == floor(value))
		snprintf(out, size, "%.0f", value);
	else
		snprintf(out, size, "%.3g", value);
}

const char *tp_lesson_format(char *out, size_t size, double value, const char *unit)
{
	char text[64];
	if (strcmp(unit, "bytes") == 0 && value >= 0 && value < 9e15)
		return tp_format_bytes(out, size, (uint64_t)(value + 0.5));
	if (strcmp(unit, "s") == 0 && value >= 0)
		return tp_format_seconds(out, size, value);
	number(text, sizeof(text), value);
	/* "1 thread" */
	size_t len = strlen(unit);
	bool one = strcmp(text, "1") == 0 && len > 4 && unit[len - 1] == 's' && !strchr(unit, '/');
	snprintf(out, size, "%s%s%.*s", text, *unit ? " " : "", (int)(len - one), unit);
	return out;
}

/* --- what people type --- */

/* Other names for a unit, and how many of it they are. The first rows of a unit are shown as hints.
 */
static const struct {
	const char *unit, *name;
	double times;
} names[] = {
	{ "GB/s", "MB/s", 1e-3 },
	{ "GB/s", "TB/s", 1e3 },
	{ "GB/s", "B/s", 1e-9 },
	{ "ns", "us", 1e3 },
	{ "ns", "ms", 1e6 },
	{ "ns", "s", 1e9 },
	{ "ns", "\xc2\xb5s", 1e3 },
	{ "us", "ns", 1e-3 },
	{ "us", "ms", 1e3 },
	{ "us", "s", 1e6 },
	{ "us", "\xc2\xb5s", 1 },
	{ "ms", "us", 1e-3 },
	{ "ms", "s", 1e3 },
	{ "ms", "ns", 1e-6 },
	{ "s", "ms", 1e-3 },
	{ "s", "us", 1e-6 },
	{ "s", "\xc2\xb5s", 1e-6 },
	{ "s", "ns", 1e-9 },
	{ "s", "min", 60 },
	{ "s", "h", 3600 },
	{ "GHz", "MHz", 1e-3 },
	{ "GFLOP/s", "MFLOP/s", 1e-3 },
	{ "GFLOP/s", "TFLOP/s", 1e3 },
	{ "GFLOP/s", "GFLOPS", 1 },
	{ "GFLOP/s", "TFLOPS", 1e3 },
	{ "GFLOP/s", "GFLOPs/s", 1 },
	{ "FLOP/byte", "FLOP/B", 1 },
	{ "FLOP/byte", "FLOPs/byte", 1 },
	{ "bytes/cycle", "B/cycle", 1 },
	{ "bytes/cycle", "byte/cycle", 1 },
	{ "FLOP/cycle", "FLOPs/cycle", 1 },
	{ "%", "percent", 1 },
	{ "times", "x", 1 },
	{ "times", "time", 1 },
	{ "bytes", "byte", 1 },
	{ "bytes", "B", 1 },
};

/* How many of the unit one of `name` is; 0 = it is none of that kind. */
static double times_of(const char *unit, const char *name)
{
	size_t len = strlen(unit);
	if (!*name || strcasecmp(name, unit) == 0)
		return 1;
	if (len > 2 && unit[len - 1] == 's' && strlen(name) == len - 1 &&
	    strncasecmp(name, unit, len - 1) == 0)
		return 1;
	for (size_t i = 0; i < TP_COUNT_OF(names); i++)
		if (strcmp(names[i].unit, unit) == 0 && strcasecmp(names[i].name, name) == 0)
			return names[i].times;
	return 0;
}

static enum tp_status refuse(const char *typed, const char *unit, const char *what,
			     struct tp_diag *diag)
{
	char shown[64], hint[160];
	const char *other = NULL;
	for (size_t i = 0; i < TP_COUNT_OF(names) && !other; i++)
		if (strcmp(names[i].unit, unit) == 0)
			other = names[i].name;
	if (strcmp(unit, "bytes") == 0)
		snprintf(hint, sizeof(hint), "a size such as 512, 32 KiB or 1.5 MiB");
	else if (!*unit)
		snprintf(hint, sizeof(hint), "a number such as 30, 0.25 or 1/8");
	else
		snprintf(hint, sizeof(hint), "a number such as 30 or 0.25, in %s%s%s", unit,
			 other ? " or with a unit such as " : "", other ? other : "");
	return tp_fail(diag, TP_USAGE, NULL, hint, "\"%s\" %s",
		       tp_shown(shown, sizeof(shown), typed, strlen(typed)), what);
}

/* Digits as strtod takes them, but no hexadecimal, nan and infinity. */
static bool digits(const char **at, double *value)
{
	char *end;
	const char *sign = *at + (**at == '-' || **at == '+');
	if (!isdigit((unsigned char)*sign) && (*sign != '.' || !isdigit((unsigned char)sign[1])))
		return false;
	if (sign[0] == '0' && tolower((unsigned char)sign[1]) == 'x')
		return false;
	*value = strtod(*at, &end);
	*at = end;
	return isfinite(*value);
}

enum tp_status tp_lesson_number(const char *text, const char *unit, double *value,
				struct tp_diag *diag)
{
	char typed[96];
	const char *start = text, *at;
	size_t len = strlen(text);
	double per, number;
	uint64_t bytes;
	tp_trim(&start, &len);
	if (len == 0)
		return refuse("", unit, "is no number", diag);
	if (len >= sizeof(typed))
		return refuse(text, unit, "is too long", diag);
	typed[0] = '\0';
	strncat(typed, start, len);
	at = typed;
	if (strcmp(unit, "bytes") == 0 && tp_parse_bytes(typed, &bytes)) {
		*value = (double)bytes;
		return TP_OK;
	}
	if (!digits(&at, &number))
		return refuse(typed, unit, "is no number", diag);
	if (*at == ',' && isdigit((unsigned char)at[1]))
		return refuse(typed, unit, "has a comma: write 1.5 with a point", diag);
	at += strspn(at, " ");
	if (*at == '/') { /* an intensity of 1/8 */
		at += 1 + strspn(at + 1, " ");
		if (!digits(&at, &per) || per == 0)
			return refuse(typed, unit, "is no fraction", diag);
		number /= per;
		at += strspn(at, " ");
	}
	double times = times_of(unit, at);
	if (times == 0)
		return refuse(typed, unit, "has another unit", diag);
	*value = number * times;
	return isfinite(*value) ? TP_OK : refuse(typed, unit, "is too large", diag);
}
