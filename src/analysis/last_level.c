/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/last_level.h"

#include <math.h>

/* Memory is slower than the cache by this factor at least, or there is nothing to tell apart. */
static const double fall = 0.85;
/* Sizes agree that are within this share of each other... */
static const double agreement = 0.06;
/* ... over so many octaves, give or take the grain of the sizes. */
static const double octaves = 1.9;
/* Caches that are not LRU still hold a part of a working set far beyond their capacity. */
static const double beyond = 4;

/* The first of the sizes at the end that agree with each other. */
static size_t first_of_end(const double *rates, size_t n)
{
	double low = rates[n - 1], high = rates[n - 1];
	size_t first = n - 1;

	while (first > 0) {
		low = fmin(low, rates[first - 1]);
		high = fmax(high, rates[first - 1]);
		if (high > (1 + agreement) * low)
			break;
		first--;
	}
	return first;
}

bool tp_last_level_find(const double *sizes, const double *rates, size_t n,
			struct tp_last_level *found)
{
	double top = 0, sum = 0, middle;
	size_t first, at;

	*found = (struct tp_last_level){ 0 };
	for (size_t i = 0; i < n; i++) {
		if (!(rates[i] > 0))
			return false;
		top = fmax(top, rates[i]);
	}
	if (n < 3)
		return false;
	first = first_of_end(rates, n);
	for (size_t i = first; i < n; i++)
		sum += rates[i] / (double)(n - first);
	if (first == 0 || sum > fall * top || log2(sizes[n - 1] / sizes[first]) < octaves)
		return false;
	middle = sqrt(top * sum);
	for (at = 0; at + 1 < n && rates[at + 1] >= middle;)
		at++;
	found->cache_rate = top;
	found->memory_rate = sum;
	found->end_bytes = sizes[at];
	if (rates[at] > middle && at + 1 < n)
		found->end_bytes *= pow(sizes[at + 1] / sizes[at],
					log(rates[at] / middle) / log(rates[at] / rates[at + 1]));
	found->memory_bytes = fmax(sizes[n - 1], beyond * found->end_bytes);
	return true;
}
