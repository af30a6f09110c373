/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/screens/mined_cuts.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 200, DIGITS_MIN = 2, DIGITS_MAX = 12, NUMBER_BYTES = 32 };

/* Values on the ruler that steps are even on. */
static double warp(const struct tp_mined_cuts *cuts, double value)
{
	return cuts->log ? log10(value) : value;
}

static double unwarp(const struct tp_mined_cuts *cuts, double value)
{
	return cuts->log ? pow(10, value) : value;
}

static double step_of(const struct tp_mined_cuts *cuts)
{
	return (warp(cuts, cuts->high) - warp(cuts, cuts->low)) / STEPS;
}

/* As few digits as tell a tenth of a step, so that a cut reads well and means what it reads. */
static void write_cut(const struct tp_mined_cuts *cuts, double value, char out[NUMBER_BYTES])
{
	double step = step_of(cuts), fine = cuts->log ? value * (pow(10, step) - 1) : step;
	double digits = fine > 0 && value != 0 ? ceil(log10(fabs(value) / fine)) + 1 : DIGITS_MAX;
	digits = fmin(fmax(digits, DIGITS_MIN), DIGITS_MAX);
	snprintf(out, NUMBER_BYTES, "%.*g", (int)digits, value);
	snprintf(out, NUMBER_BYTES, "%.15g", strtod(out, NULL)); /* 1000, not 1e+03 */
}

static double rounded(const struct tp_mined_cuts *cuts, double value)
{
	char text[NUMBER_BYTES];
	write_cut(cuts, value, text);
	return strtod(text, NULL);
}

void tp_mined_cuts_take(struct tp_mined_cuts *cuts, const struct tp_mining *mining)
{
	size_t chosen = cuts->chosen;
	*cuts = (struct tp_mined_cuts){ .low = INFINITY, .high = -INFINITY };
	if (!mining->continuous || !mining->categories.n)
		return;
	for (size_t i = 0; i < mining->n_rows; i++) {
		cuts->low = fmin(cuts->low, mining->target_values[i]);
		cuts->high = fmax(cuts->high, mining->target_values[i]);
	}
	cuts->log = mining->density && mining->density->log && cuts->low > 0;
	cuts->n = mining->categories.n - 1;
	memcpy(cuts->at, mining->categories.cuts, cuts->n * sizeof(cuts->at[0]));
	cuts->chosen = TP_MIN(chosen, cuts->n ? cuts->n - 1 : 0);
}

void tp_mined_cuts_choose(struct tp_mined_cuts *cuts, bool next)
{
	if (cuts->n)
		cuts->chosen = (cuts->chosen + (next ? 1 : cuts->n - 1)) % cuts->n;
}

/* Whether a value lies between its neighbours; `from` is the cut below it plus one. */
static bool has_room(const struct tp_mined_cuts *cuts, double value, size_t from, size_t to)
{
	double low = from ? cuts->at[from - 1] : cuts->low;
	double high = to < cuts->n ? cuts->at[to] : cuts->high;
	return value > low && (to < cuts->n ? value < high : value <= high);
}

bool tp_mined_cuts_put(struct tp_mined_cuts *cuts, double value)
{
	if (!cuts->n || !isfinite(value))
		return false;
	size_t i = cuts->chosen;
	double low = i ? cuts->at[i - 1] : cuts->low;
	double high = i + 1 < cuts->n ? cuts->at[i + 1] : cuts->high;
	double step = step_of(cuts), before = cuts->at[i];
	/* A step away from the neighbours there is room, unless they are nearer to each other. */
	value = fmax(value, unwarp(cuts, warp(cuts, low) + step));
	value = rounded(cuts, fmin(value, unwarp(cuts, warp(cuts, high) - step)));
	if (value == before || !has_room(cuts, value, i, i + 1))
		return false;
	cuts->at[i] = value;
	return true;
}

bool tp_mined_cuts_move(struct tp_mined_cuts *cuts, int steps)
{
	return cuts->n && tp_mined_cuts_put(cuts, unwarp(cuts, warp(cuts, cuts->at[cuts->chosen]) +
								       steps * step_of(cuts)));
}

bool tp_mined_cuts_add(struct tp_mined_cuts *cuts, double value)
{
	size_t i = 0;
	if (!(cuts->low < cuts->high) || !isfinite(value) || cuts->n == TP_COUNT_OF(cuts->at))
		return false;
	value = rounded(cuts, value);
	while (i < cuts->n && cuts->at[i] <= value)
		i++;
	if (!has_room(cuts, value, i, i))
		return false;
	memmove(&cuts->at[i + 1], &cuts->at[i], (cuts->n - i) * sizeof(cuts->at[0]));
	cuts->at[i] = value;
	cuts->chosen = i;
	cuts->n++;
	return true;
}

bool tp_mined_cuts_halve(struct tp_mined_cuts *cuts)
{
	double low = cuts->n ? cuts->at[cuts->chosen] : cuts->low;
	double high = cuts->chosen + 1 < cuts->n ? cuts->at[cuts->chosen + 1] : cuts->high;
	return tp_mined_cuts_add(cuts, unwarp(cuts, (warp(cuts, low) + warp(cuts, high)) / 2));
}

bool tp_mined_cuts_remove(struct tp_mined_cuts *cuts)
{
	size_t i = cuts->chosen;
	if (cuts->n < 2)
		return false;
	cuts->n--;
	memmove(&cuts->at[i], &cuts->at[i + 1], (cuts->n - i) * sizeof(cuts->at[0]));
	cuts->chosen = TP_MIN(i, cuts->n - 1);
	return true;
}

void tp_mined_cuts_text(const struct tp_mined_cuts *cuts, struct tp_str *out)
{
	char number[NUMBER_BYTES];
	double before = 0;
	for (size_t i = 0; i < cuts->n; i++) {
		write_cut(cuts, cuts->at[i], number);
		/* Cuts by a rule may be nearer to each other than steps. */
		if (i && !(strtod(number, NULL) > before))
			snprintf(number, sizeof(number), "%.17g", cuts->at[i]);
		before = strtod(number, NULL);
		tp_str_printf(out, "%s%s", i ? "," : "", number);
	}
}
