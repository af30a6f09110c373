/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/plot/svg_text.h"
#include "ui/plot/chars.h"
#include "base/vec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = ' ', LAST = '~', WIDE = 1000, OTHER = 840 };

/* Advance widths of ' ' to '~' in thousandths of the font size: of each the wider of DejaVu Sans and Liberation Sans (Arial). */
static const unsigned short widths[LAST - FIRST + 1] = {
	318,  401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,
	636,  636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 556,
	1015, 684, 686, 722, 770, 667, 611, 778, 752, 295, 500, 667, 557, 863, 748, 787,
	667,  787, 722, 667, 611, 732, 684, 989, 685, 667, 685, 390, 337, 390, 838, 556,
	500,  613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,
	635,  635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
};
static const double bold_factor = 1.14;

static double advance(uint32_t c)
{
	if (c >= FIRST && c <= LAST)
		return widths[c - FIRST];
	/* CJK and what is drawn as wide. */
	return c >= 0x1100 ? WIDE : OTHER;
}

double tp_svg_width(const char *text, double size_px, bool bold)
{
	double sum = 0;
	while (*text)
		sum += advance(tp_chars_read(&text));
	return sum * size_px * (bold ? bold_factor : 1) / 1000;
}

const char *tp_svg_fit(struct tp_arena *arena, const char *text, double size_px, bool bold,
		       double width)
{
	if (tp_svg_width(text, size_px, bold) <= width)
		return tp_arena_strdup(arena, text);
	double scale = size_px * (bold ? bold_factor : 1) / 1000, used = WIDE * scale;
	const char *end = text;
	while (*end) {
		const char *next = end;
		used += advance(tp_chars_read(&next)) * scale;
		if (used > width)
			break;
		end = next;
	}
	while (end > text && end[-1] == ' ')
		end--;
	static const char dots[] = "\u2026";
	size_t n = (size_t)(end - text);
	char *out = tp_arena_alloc(arena, n + sizeof(dots));
	if (!out)
		return NULL;
	memcpy(out, text, n);
	memcpy(out + n, dots, sizeof(dots));
	return out;
}

void tp_svg_escape(struct tp_str *out, const char *text)
{
	while (*text) {
		uint32_t c = tp_chars_read(&text);
		if (c == '&')
			tp_str_add(out, "&amp;");
		else if (c == '<')
			tp_str_add(out, "&lt;");
		else if (c == '>')
			tp_str_add(out, "&gt;");
		else if (c == '"')
			tp_str_add(out, "&quot;");
		else if (c == '\'')
			tp_str_add(out, "&#39;");
		else if (c < ' ' || (c >= 0x7f && c < 0xa0))
			tp_str_add(out, " ");
		else
			tp_chars_add(out, (c & 0xfffe) == 0xfffe ? TP_CHARS_BAD : c);
	}
}

void tp_svg_number(struct tp_str *out, double value)
{
	char text[48];
	double tenths = nearbyint(value * 10);
	if (!isfinite(tenths) || fabs(tenths) > 1e9)
		tenths = 0;
	long whole = (long)tenths;
	const char *sign = whole < 0 ? "-" : "";
	if (whole % 10)
		snprintf(text, sizeof(text), "%s%ld.%ld", sign, labs(whole) / 10, labs(whole) % 10);
	else
		snprintf(text, sizeof(text), "%s%ld", sign, labs(whole) / 10);
	tp_str_add(out, text);
}
