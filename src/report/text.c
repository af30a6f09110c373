/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/text.h"
#include "base/memory.h"
#include "report/html.h"

#include <stdio.h>
#include <string.h>

enum { COLUMNS_MAX = 1000, WRAP_COLUMNS_MIN = 8, INDENT = 2, ITEM_INDENT = 4 };

size_t tp_look_columns(const struct tp_look *look)
{
	return TP_MIN(TP_MAX(look->columns, (unsigned)TP_COLUMNS_MIN), (unsigned)COLUMNS_MAX);
}

void tp_text_clean(struct tp_str *out, const char *text, const struct tp_look *look)
{
	tp_str_add_clean(out, text, !look->utf8);
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
	if (look->html)
		tp_html_words(out, paint, text);
	else
		paint_n(out, look, paint, text, strlen(text));
}

void tp_text_wrap(struct tp_str *out, const struct tp_look *look, enum tp_paint paint,
		  const char *text, size_t used, size_t indent)
{
	size_t columns = tp_look_columns(look), taken = used;
	if (look->html) {
		tp_html_line(out, paint, text);
		return;
	}
	do {
		text += strspn(text, " ");
		const char *line = text;
		size_t room =
			taken + WRAP_COLUMNS_MIN < columns ? columns - taken : WRAP_COLUMNS_MIN;
		const char *end = tp_text_line(line, room, &text);
		paint_n(out, look, paint, line, (size_t)(end - line));
		tp_str_add(out, "\n");
		if (*text)
			tp_str_pad(out, ' ', indent);
		taken = indent;
	} while (*text);
}

void tp_text_title(struct tp_str *out, const struct tp_look *look, const char *text)
{
	tp_str_add(out, "\n");
	tp_text_wrap(out, look, TP_PAINT_TITLE, text, 0, INDENT);
}

void tp_text_head(struct tp_str *out, const struct tp_look *look, const char *text)
{
	tp_str_add(out, "\n");
	tp_text_wrap(out, look, look->html ? TP_PAINT_HEAD : TP_PAINT_STRONG, text, 0, 0);
}

void tp_text_labelled(struct tp_str *out, const struct tp_look *look, const char *label,
		      size_t columns, enum tp_paint paint, const char *text)
{
	struct tp_str padded = { 0 };
	if (look->html) {
		tp_html_labelled(out, label, paint, text);
		return;
	}
	tp_str_printf(&padded, "%-*s", (int)columns, label);
	tp_text_paint(out, look, TP_PAINT_DIM, tp_str_text(&padded));
	tp_text_wrap(out, look, paint, text, columns, columns);
	out->oom |= padded.oom;
	tp_str_release(&padded);
}

void tp_text_item(struct tp_str *out, const struct tp_look *look, enum tp_paint paint,
		  const char *text)
{
	if (look->html) {
		tp_html_item(out, paint, text);
		return;
	}
	tp_str_add(out, "  - ");
	tp_text_wrap(out, look, paint, text, ITEM_INDENT, ITEM_INDENT);
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
