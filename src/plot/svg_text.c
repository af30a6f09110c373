/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/text.h"
#include "base/vec.h"
#include "plot/svg_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST = ' ', LAST = '~', WIDE = 1000, OTHER = 840 };

/*
 * Advance widths of ' ' to '~' in thousandths of the font size: of each the wider of DejaVu Sans
 * and Liberation Sans (Arial).
 */
static const unsigned short widths[LAST - FIRST + 1] = {
	318,  401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,
	636,  636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 556,
	1015, 684, 686, 722, 770, 667, 611, 778, 752, 295, 500, 667, 557, 863, 748, 787,
	667,  787, 722, 667, 611, 732, 684, 989, 685, 667, 685, 390, 337, 390, 838, 556,
	500,  613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,
	635,  635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
};

/* px of a thousandth; bold letters are wider. */
static double scale_of(enum tp_plot_word word)
{
	const struct tp_svg_word *look = &tp_svg_word_looks[word];
	return look->size * (look->bold ? 1.14 : 1) / 1000;
}

static double advance(uint32_t c)
{
	if (c >= FIRST && c <= LAST)
		return widths[c - FIRST];
	/* CJK and other wide characters. */
	return c >= 0x1100 ? WIDE : OTHER;
}

double tp_svg_width(const char *text, enum tp_plot_word word)
{
	return tp_svg_width_n(text, SIZE_MAX, word);
}

double tp_svg_width_n(const char *text, size_t n, enum tp_plot_word word)
{
	double sum = 0;
	for (const char *p = text; (size_t)(p - text) < n && *p;)
		sum += advance(tp_utf8_next(&p));
	return sum * scale_of(word);
}

const char *tp_svg_fit(struct tp_arena *arena, const char *text, enum tp_plot_word word,
		       double width)
{
	if (tp_svg_width(text, word) <= width)
		return text;
	double used = WIDE * scale_of(word);
	const char *end = text;
	while (*end) {
		const char *next = end;
		used += advance(tp_utf8_next(&next)) * scale_of(word);
		if (used > width)
			break;
		end = next;
	}
	while (end > text && end[-1] == ' ')
		end--;
	struct tp_str cut = { 0 };
	tp_str_add_n(&cut, text, (size_t)(end - text));
	tp_str_add(&cut, "\u2026");
	const char *out = cut.oom ? NULL : tp_arena_strdup(arena, tp_str_text(&cut));
	tp_str_release(&cut);
	return out;
}

void tp_svg_number(struct tp_str *out, double value)
{
	char text[48];
	double tenths = nearbyint(value * 10);
	long n = fabs(tenths) <= 1e9 ? (long)tenths : 0;
	int length = snprintf(text, sizeof(text), "%s%ld.%ld", n < 0 ? "-" : "", labs(n) / 10,
			      labs(n) % 10);
	tp_str_add_n(out, text, (size_t)(n % 10 ? length : length - 2));
}
