/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "doc/look.h"

#include <stdio.h>
#include <string.h>

enum { COLUMNS_MAX = 1000 };

size_t tp_look_columns(const struct tp_look *look)
{
	return TP_MIN(TP_MAX(look->columns, (unsigned)TP_COLUMNS_MIN), (unsigned)COLUMNS_MAX);
}

void tp_text_clean(struct tp_str *out, const char *text, const struct tp_look *look)
{
	tp_str_add_clean(out, text, !look->utf8);
}

void tp_text_join(struct tp_str *out, const struct tp_look *look, const char *text)
{
	if (!*text)
		return;
	tp_str_add(out, tp_text_dot(look));
	tp_text_clean(out, text, look);
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

const char *tp_text_compiling(char *out, size_t size, unsigned n_compiled, unsigned n_sources)
{
	snprintf(out, size, "compiling %u of %u", n_compiled + 1, n_sources);
	return out;
}

const char *tp_text_count(char *out, size_t size, uint64_t n, const char *what)
{
	snprintf(out, size, "%llu %s%s", (unsigned long long)n, what, n == 1 ? "" : "s");
	return out;
}

const char *tp_text_ordinal(char *out, size_t size, unsigned n)
{
	unsigned last = n % 10, teen = n % 100 / 10 == 1;
	snprintf(out, size, "%u%s", n,
		 teen	     ? "th"
		 : last == 1 ? "st"
		 : last == 2 ? "nd"
		 : last == 3 ? "rd"
			     : "th");
	return out;
}

const char *tp_hint_on_screen(const char *hint)
{
	if (strstr(hint, "tprof --") || strstr(hint, "tprof doctor") || strncmp(hint, "--", 2) == 0)
		return "";
	for (const char *at = hint; (at = strstr(at, " --")); at++)
		if (at[3] >= 'a' && at[3] <= 'z')
			return "";
	return hint;
}
