/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Judges a single event: its noise over repetitions, and the score that decides pivots; also the
 * names of fates. It needs no GSL, so reports can link it alone.
 */
#include <math.h>
#include <string.h>

#include "analysis/classify.h"

static const char *const fate_names[TP_FATE_COUNT] = {
#define TP_FATE_NAME(id, text) [TP_FATE_##id] = text,
	TP_FATE_LIST(TP_FATE_NAME)
#undef TP_FATE_NAME
};

const char *tp_fate_name(enum tp_fate fate)
{
	return (unsigned)fate < TP_FATE_COUNT ? fate_names[fate] : "unknown";
}

bool tp_fate_find(const char *name, enum tp_fate *fate)
{
	for (unsigned i = 0; i < TP_FATE_COUNT; i++)
		if (strcmp(name, fate_names[i]) == 0) {
			*fate = (enum tp_fate)i;
			return true;
		}
	return false;
}

static double mean(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return n ? sum / (double)n : 0;
}

/* Scaled by the largest difference, so that squares neither overflow nor vanish. */
static double distance(const double *a, const double *b, size_t n)
{
	double largest = 0, sum = 0;

	for (size_t i = 0; i < n; i++)
		largest = fmax(largest, fabs(a[i] - b[i]));
	if (!(largest > 0))
		return 0;
	for (size_t i = 0; i < n; i++) {
		double part = (a[i] - b[i]) / largest;

		sum += part * part;
	}
	return largest * sqrt(sum);
}

static double pair_noise(const double *a, const double *b, size_t n)
{
	double mean_a = mean(a, n), mean_b = mean(b, n);
	bool some_a = mean_a > 0, some_b = mean_b > 0;

	if (!some_a && !some_b)
		return 0;
	if (some_a != some_b)
		return 1;
	return distance(a, b, n) / (sqrt((double)n) * sqrt(mean_a) * sqrt(mean_b));
}

double tp_event_noise(const double *const *vectors, size_t n_repetitions, size_t n_rows,
		      bool *irrelevant)
{
	double noise = 0;

	*irrelevant = true;
	for (size_t i = 0; i < n_repetitions; i++) {
		if (mean(vectors[i], n_rows) > 0)
			*irrelevant = false;
		for (size_t j = 0; j < i; j++)
			noise = fmax(noise, pair_noise(vectors[i], vectors[j], n_rows));
	}
	return noise;
}

double tp_round_alpha(double value, double alpha)
{
	return alpha * floor(value / alpha + 0.5);
}

double tp_pivot_score(const double *column, size_t n, double alpha)
{
	double score = 0;

	for (size_t i = 0; i < n; i++) {
		double v = fabs(tp_round_alpha(column[i], alpha));

		if (v >= 1)
			score += v;
		else if (v > 0)
			score += 1 / v;
	}
	return score;
}

double tp_round_coefficient(double value, double alpha)
{
	double rounded = tp_round_alpha(value, alpha), whole = round(rounded);

	/* -0 is 0. */
	return (fabs(rounded - whole) <= alpha * (1 + 1e-9) ? whole : rounded) + 0.0;
}
