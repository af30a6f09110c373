/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A continuous column as categories: where its density is low, by bins, by quantiles. */
#include "analysis/density_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"

/* --- by density --- */

/* A peak and the lowest place between it and the next one. */
struct peak {
	size_t at, minimum;
};

struct peaks {
	struct peak items[TP_DENSITY_POINTS];
	size_t n;
};

/* The middle of the lowest stretch between two places: a gap is cut in its middle. */
static size_t lowest(const double *y, size_t from, size_t to)
{
	size_t at = from, last;
	for (size_t i = from; i <= to; i++)
		if (y[i] < y[at])
			at = i;
	double flat = y[at] + 1e-6 * fmin(y[from], y[to]);
	for (last = at; last < to && y[last + 1] <= flat; last++)
		;
	while (at > from && y[at - 1] <= flat)
		at--;
	return (at + last) / 2;
}

static void find_peaks(struct peaks *p, const double *y)
{
	p->n = 0;
	for (size_t i = 0; i < TP_DENSITY_POINTS; i++) {
		size_t end = i;
		while (end + 1 < TP_DENSITY_POINTS && y[end + 1] == y[i])
			end++;
		bool rises = i == 0 || y[i - 1] < y[i];
		bool falls = end + 1 == TP_DENSITY_POINTS || y[end + 1] < y[i];
		if (rises && falls && y[i] > 0)
			p->items[p->n++].at = (i + end) / 2;
		i = end;
	}
	for (size_t i = 0; i + 1 < p->n; i++)
		p->items[i].minimum = lowest(y, p->items[i].at, p->items[i + 1].at);
}

/* How far peak i stands above the higher of the minima beside it; beyond the ends there is 0. */
static double height(const struct peaks *p, const double *y, size_t i)
{
	double left = i ? y[p->items[i - 1].minimum] : 0;
	double right = i + 1 < p->n ? y[p->items[i].minimum] : 0;
	return y[p->items[i].at] - fmax(left, right);
}

/* The peak joins the neighbour behind the higher minimum. */
static void drop(struct peaks *p, const double *y, size_t i)
{
	bool has_left = i > 0, has_right = i + 1 < p->n;
	bool joins_left =
		has_left && (!has_right || y[p->items[i - 1].minimum] >= y[p->items[i].minimum]);
	if (joins_left)
		p->items[i - 1].minimum = p->items[i].minimum;
	memmove(&p->items[i], &p->items[i + 1], (p->n - i - 1) * sizeof(p->items[0]));
	p->n--;
}

static void drop_low_ones(struct peaks *p, const double *y, double prominence)
{
	double highest = 0;
	for (size_t i = 0; i < p->n; i++)
		highest = fmax(highest, y[p->items[i].at]);
	while (p->n > 1) {
		size_t least = 0;
		for (size_t i = 1; i < p->n; i++)
			if (height(p, y, i) < height(p, y, least))
				least = i;
		if (height(p, y, least) >= prominence * highest && p->n <= TP_CATEGORIES_MAX)
			return;
		drop(p, y, least);
	}
}

/* Where a parabola through the three points of a peak is highest. */
static double summit(const struct tp_density *d, size_t i)
{
	if (i == 0 || i + 1 == TP_DENSITY_POINTS)
		return d->x[i];
	double bend = d->y[i - 1] - 2 * d->y[i] + d->y[i + 1];
	double shift = bend < 0 ? 0.5 * (d->y[i - 1] - d->y[i + 1]) / bend : 0;
	return d->x[i] + fmin(fmax(shift, -0.5), 0.5) * (d->x[i + 1] - d->x[i]);
}

static double value_at(const struct tp_density *d, double x)
{
	return d->log ? pow(10, x) : x;
}

void tp_categories_by_density(struct tp_categories *c, const struct tp_density *d,
			      double prominence)
{
	struct peaks p;
	find_peaks(&p, d->y);
	drop_low_ones(&p, d->y, prominence);
	c->n = (unsigned)p.n;
	for (size_t i = 0; i < p.n; i++) {
		c->peaks[i] = value_at(d, summit(d, p.items[i].at));
		if (i + 1 < p.n)
			c->cuts[i] =
				value_at(d, d->x[lowest(d->y, p.items[i].at, p.items[i + 1].at)]);
	}
	if (p.n)
		return;
	c->n = 1;
	c->peaks[0] = value_at(d, d->x[TP_DENSITY_POINTS / 2]);
}

/* --- by bins and quantiles --- */

static enum tp_status check(const double *values, size_t n, double *low, double *high,
			    struct tp_diag *diag)
{
	if (n == 0)
		return tp_fail(diag, TP_USAGE, "categories", NULL, "there are no values");
	if (!tp_range_of(values, n, low, high) || !isfinite(*high - *low))
		return tp_fail(diag, TP_USAGE, "categories", "leave such rows out",
			       "a value is no finite number, or too large");
	return TP_OK;
}

static enum tp_status check_count(unsigned count, struct tp_diag *diag)
{
	if (count >= 1 && count <= TP_CATEGORIES_MAX)
		return TP_OK;
	return tp_fail(diag, TP_USAGE, "categories", "give 1 to 64", "%u categories", count);
}

enum tp_status tp_categories_by_bins(struct tp_categories *c, const double *values, size_t n,
				     unsigned count, double step, struct tp_diag *diag)
{
	double low, high, from;
	enum tp_status status = check(values, n, &low, &high, diag);
	if (status != TP_OK)
		return status;
	if (count) {
		status = check_count(count, diag);
		from = low;
		count = high > low ? count : 1;
		step = (high - low) / count;
	} else if (!(step > 0) || !isfinite(step)) {
		status = tp_fail(diag, TP_USAGE, "categories", "give a step above 0",
				 "bins of width %g", step);
	} else {
		from = floor(low / step) * step;
		double bins = floor(high / step) - floor(low / step) + 1;
		if (bins > TP_CATEGORIES_MAX)
			status = tp_fail(diag, TP_USAGE, "categories", "give a larger step",
					 "bins of width %g make %.0f categories, at most %d are "
					 "possible",
					 step, bins, TP_CATEGORIES_MAX);
		else
			count = (unsigned)bins;
	}
	if (status != TP_OK)
		return status;
	c->n = 0;
	for (unsigned i = 0; i < count; i++) {
		double cut = from + (i + 1) * step;
		c->peaks[c->n] = from + (i + 0.5) * step;
		/* Bins that are narrower than doubles tell apart are one. */
		if (i + 1 < count && cut > (c->n ? c->cuts[c->n - 1] : from))
			c->cuts[c->n++] = cut;
	}
	c->n++;
	return TP_OK;
}

/* The border between two different values that is nearest to place `at`; 0 = there is none. */
static size_t border_near(const double *sorted, size_t n, size_t at)
{
	for (size_t far = 0; far < n; far++) {
		size_t below = at > far ? at - far : 0, above = at + far;
		if (below && below < n && sorted[below - 1] < sorted[below])
			return below;
		if (above && above < n && sorted[above - 1] < sorted[above])
			return above;
		if (!below && above >= n)
			break;
	}
	return 0;
}

/* A number above a, at most b, that neither rounding nor a short text moves to the other side. */
static double between(double a, double b)
{
	double middle = a + (b - a) / 2;
	return middle > a ? middle : b;
}

enum tp_status tp_categories_by_quantiles(struct tp_categories *c, const double *values, size_t n,
					  unsigned count, struct tp_diag *diag)
{
	double low, high;
	size_t first = 0;
	enum tp_status status = check(values, n, &low, &high, diag);
	if (status == TP_OK)
		status = check_count(count, diag);
	if (status != TP_OK)
		return status;
	double *sorted = malloc(n * sizeof(*sorted));
	if (!sorted)
		return tp_fail(diag, TP_NOMEM, "categories", NULL, "out of memory");
	memcpy(sorted, values, n * sizeof(*sorted));
	tp_sort_doubles(sorted, n);
	c->n = 0;
	for (unsigned i = 1; i < count; i++) {
		size_t at = border_near(sorted, n, (size_t)((double)n * i / count + 0.5));
		if (at <= first)
			continue; /* equal values leave no room for another */
		c->cuts[c->n] = between(sorted[at - 1], sorted[at]);
		c->peaks[c->n++] = tp_median_sorted(sorted + first, at - first);
		first = at;
	}
	c->peaks[c->n++] = tp_median_sorted(sorted + first, n - first);
	free(sorted);
	return TP_OK;
}

unsigned tp_category_of(const struct tp_categories *c, double value)
{
	unsigned i = 0;
	while (i + 1 < c->n && value >= c->cuts[i])
		i++;
	return i;
}
