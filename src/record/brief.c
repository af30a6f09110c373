/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/brief.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "record/kernel_row.h"

/* Adds a word to "a, b" unless it is there or finds no room. */
static void add_word(char *list, size_t size, const char *word)
{
	size_t len = strlen(list), n = strlen(word);
	for (const char *at = list; *at;) {
		size_t have = strcspn(at, ",");
		if (have == n && memcmp(at, word, n) == 0)
			return;
		at += have + strspn(at + have, ", ");
	}
	if (n && len + n + 3 <= size)
		snprintf(list + len, size - len, "%s%s", len ? ", " : "", word);
}

enum { UNITS_MAX = 4 };

struct range {
	const char *unit;
	double least, most;
};

static void add_value(struct range ranges[UNITS_MAX], size_t *n, const char *unit, double value)
{
	size_t i = 0;
	if (!*unit || !(value > 0) || !isfinite(value))
		return;
	while (i < *n && strcmp(ranges[i].unit, unit) != 0)
		i++;
	if (i == UNITS_MAX)
		return;
	if (i == *n)
		ranges[(*n)++] = (struct range){ unit, value, value };
	ranges[i].least = fmin(ranges[i].least, value);
	ranges[i].most = fmax(ranges[i].most, value);
}

/* Three digits, and never an exponent. */
static void number(char *out, size_t size, double value)
{
	snprintf(out, size, value < 100 ? "%.3g" : "%.0f", value);
}

static void say_ranges(const struct range *ranges, size_t n, char *out, size_t size)
{
	for (size_t i = 0; i < n; i++) {
		char least[32], most[32], text[96];
		number(least, sizeof(least), ranges[i].least);
		number(most, sizeof(most), ranges[i].most);
		bool one = strcmp(least, most) == 0;
		snprintf(text, sizeof(text), "%s%s%s %s", least, one ? "" : "-", one ? "" : most,
			 ranges[i].unit);
		add_word(out, size, text);
	}
}

void tp_run_brief(const struct tp_run *run, struct tp_run_brief *brief)
{
	struct range ranges[UNITS_MAX];
	size_t n = 0, done = 0;
	*brief = (struct tp_run_brief){ 0 };
	for (size_t i = 0; i < run->n_points; i++)
		done += run->points[i].state == TP_POINT_DONE;
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		char threads[16];
		if (done && p->state != TP_POINT_DONE)
			continue;
		snprintf(threads, sizeof(threads), "%u", p->threads);
		add_word(brief->experiments, sizeof(brief->experiments), p->experiment);
		add_word(brief->isas, sizeof(brief->isas), tp_kernel_row(p)->isa);
		add_word(brief->threads, sizeof(brief->threads), p->threads ? threads : "");
		if (!done)
			continue;
		brief->quality[p->quality < TP_QUALITY_COUNT ? p->quality : TP_QUALITY_NONE]++;
		add_value(ranges, &n, p->unit, tp_point_median(p));
	}
	say_ranges(ranges, n, brief->figures, sizeof(brief->figures));
}

const char *tp_brief_quality(const struct tp_run_brief *brief, char *out, size_t size)
{
	size_t at = 0;
	out[0] = '\0';
	for (int q = TP_QUALITY_GOOD; q < TP_QUALITY_COUNT && at < size; q++)
		if (brief->quality[q])
			at += (size_t)snprintf(out + at, size - at, "%s%zu %s", at ? ", " : "",
					       brief->quality[q],
					       tp_quality_name((enum tp_quality)q));
	return out;
}

const char *tp_brief_words(const struct tp_run_brief *brief, const char *name, char *out,
			   size_t size)
{
	char quality[64], threads[64] = "";
	const char *parts[] = { strcmp(brief->experiments, name) == 0 ? "" : brief->experiments,
				brief->isas, threads, brief->figures,
				tp_brief_quality(brief, quality, sizeof(quality)) };
	size_t at = 0;
	if (*brief->threads)
		snprintf(threads, sizeof(threads), "%s thread%s", brief->threads,
			 strcmp(brief->threads, "1") == 0 ? "" : "s");
	out[0] = '\0';
	for (size_t i = 0; i < TP_COUNT_OF(parts) && at < size; i++)
		if (*parts[i])
			at += (size_t)snprintf(out + at, size - at, "%s%s", at ? ", " : "",
					       parts[i]);
	return out;
}
