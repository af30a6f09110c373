/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes levels of the segments of a curve: see plateau_parts.h for the steps. */
#include "analysis/plateau_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_fit.h>

#include "analysis/stats.h"
#include "base/vec.h"

/* Shorter levels must be flat themselves; noise does not excuse them. */
static const double sure_octaves = 1.5, wide_octaves = 2;
static const double level_confidence = 0.95;

static double median_y(const struct tp_plateau_curve *c, size_t first, size_t last)
{
	size_t n = last - first + 1;

	memcpy(c->scratch, &c->y[first], n * sizeof(*c->y));
	tp_sort_doubles(c->scratch, n);
	return tp_median_sorted(c->scratch, n);
}

/* Typical noise of the points of a segment. */
static double segment_noise(const struct tp_plateau_curve *c, size_t first, size_t last)
{
	double sum = 0;

	for (size_t i = first; i <= last; i++)
		sum += c->noise[i];
	return sum / (double)(last - first + 1);
}

static struct tp_segment segment(const struct tp_plateau_curve *c, size_t first, size_t last)
{
	return (struct tp_segment){ .first = first,
				    .last = last,
				    .y = median_y(c, first, last),
				    .doubt = segment_noise(c, first, last) /
					     sqrt((double)(last - first + 1)) };
}

/* Points at the ends that are far from the segment's median belong to the way to the next level. */
static void trim(const struct tp_plateau_curve *c, size_t *first, size_t *last)
{
	double median = median_y(c, *first, *last);

	while (*first < *last && fabs(c->y[*first] - median) > 3 * c->noise[*first])
		++*first;
	while (*first < *last && fabs(c->y[*last] - median) > 3 * c->noise[*last])
		--*last;
}

/*
 * Does the rate stay the same over the segment? Its regression line may fall by less than one
 * level's distance, and in a short segment not more steeply than that an octave. Single points far
 * off (a disturbed one) have no weight in that.
 */
static bool is_level(const struct tp_plateau_curve *c, size_t first, size_t last)
{
	double c0, c1, cov00, cov01, cov11, chisq, span, median, mean = 0, sxx = 0, doubt = 0;
	double *weight = c->scratch;
	size_t n = last - first + 1, inside = 0;

	if (!tp_plateau_long_enough(c, first, last))
		return false;
	if (n < 3)
		return fabs(c->y[last] - c->y[first]) < c->min_fall;
	median = median_y(c, first, last);
	for (size_t i = 0; i < n; i++) {
		bool near = fabs(c->y[first + i] - median) <= 3 * c->noise[first + i];

		weight[i] = near ? 1 : 0;
		mean += near ? c->x[first + i] : 0;
		inside += near;
	}
	if (inside < 2 || 3 * inside < 2 * n)
		return false;
	mean /= (double)inside;
	for (size_t i = 0; i < n; i++)
		sxx += weight[i] * (c->x[first + i] - mean) * (c->x[first + i] - mean);
	gsl_fit_wlinear(&c->x[first], 1, weight, 1, &c->y[first], 1, n, &c0, &c1, &cov00, &cov01,
			&cov11, &chisq);
	span = fmax(c->x[last] - c->x[first], 1);
	if (tp_plateau_octaves(c, first, last) >= sure_octaves)
		doubt = 2 * segment_noise(c, first, last) / sqrt(sxx);
	return fabs(c1) * span < c->min_fall + doubt * span;
}

/*
 * Trims the ends of a segment until it is a level. Points outside the noise belong to the way to
 * the next level. If the rest still leans, points within the noise are trimmed too, at the end that
 * is further off, as long as enough remains to be sure.
 */
static bool narrow_to_level(const struct tp_plateau_curve *c, size_t *first, size_t *last)
{
	trim(c, first, last);
	while (!is_level(c, *first, *last)) {
		double median = median_y(c, *first, *last);

		if (*last - *first < 3 || tp_plateau_octaves(c, *first, *last) < wide_octaves)
			return false;
		if (fabs(c->y[*first] - median) > fabs(c->y[*last] - median))
			++*first;
		else
			--*last;
	}
	return true;
}

/* The levels among the segments of the best segmentation, left to right. */
static size_t collect(const struct tp_plateau_curve *c, struct tp_segment *levels)
{
	size_t n = 0;

	for (size_t end = c->n; end > 0; end = c->fits[end].from) {
		size_t first = c->fits[end].from, last = end - 1;

		if (narrow_to_level(c, &first, &last))
			levels[n++] = segment(c, first, last);
	}
	for (size_t i = 0; i < n / 2; i++) {
		struct tp_segment other = levels[i];

		levels[i] = levels[n - 1 - i];
		levels[n - 1 - i] = other;
	}
	return n;
}

/* Distance of two levels, less half the standard error of a difference of medians. */
static double surely_apart(const struct tp_segment *a, const struct tp_segment *b)
{
	return fabs(a->y - b->y) - 0.6 * hypot(a->doubt, b->doubt);
}

/*
 * Joins neighbours, the nearest first, until all are apart by a level's distance and there are at
 * most `max`.
 */
static size_t join(const struct tp_plateau_curve *c, struct tp_segment *levels, size_t n,
		   size_t max)
{
	while (n > 1) {
		double nearest = INFINITY;
		size_t at = 0;

		for (size_t i = 0; i + 1 < n; i++) {
			double apart = surely_apart(&levels[i], &levels[i + 1]);

			if (apart < nearest) {
				nearest = apart;
				at = i;
			}
		}
		if (nearest >= c->min_fall && n <= max)
			break;
		levels[at].last = levels[at + 1].last;
		trim(c, &levels[at].first, &levels[at].last);
		levels[at] = segment(c, levels[at].first, levels[at].last);
		memmove(&levels[at + 1], &levels[at + 2], (n - at - 2) * sizeof(*levels));
		n--;
	}
	return n;
}

/*
 * True if the last level is part of a way that goes on to the end of the curve. Noise may have cut
 * it short, so it is also tried with all points to the end.
 */
static bool is_end(const struct tp_plateau_curve *c, const struct tp_segment *a,
		   const struct tp_segment *s)
{
	struct tp_segment whole = segment(c, s->first, c->n - 1);

	return tp_plateau_is_end(c, a, s) && tp_plateau_is_end(c, a, &whole);
}

/*
 * Removes a level that fits as well on a ramp between its neighbours, or on one that goes on to the
 * end of the curve: three or four noisy points of a slope often look flat.
 */
static size_t drop_steps(const struct tp_plateau_curve *c, struct tp_segment *levels, size_t n)
{
	for (size_t l = 1; l < n;) {
		bool drop = l + 1 < n ? tp_plateau_is_step(c, &levels[l - 1], &levels[l],
							   &levels[l + 1])
				      : is_end(c, &levels[l - 1], &levels[l]);

		if (!drop) {
			l++;
			continue;
		}
		memmove(&levels[l], &levels[l + 1], (n - l - 1) * sizeof(*levels));
		n--;
		l = 1;
	}
	return n;
}

/*
 * Adds the neighbouring points that differ from a level by no more than noise; a slope segment may
 * have taken them.
 */
static void grow(const struct tp_plateau_curve *c, struct tp_segment *levels, size_t n)
{
	for (size_t l = 0; l < n; l++) {
		struct tp_segment *s = &levels[l];
		size_t low = l ? levels[l - 1].last + 1 : 0;
		size_t high = l + 1 < n ? levels[l + 1].first : c->n;

		while (s->first > low &&
		       fabs(c->y[s->first - 1] - s->y) <= 1.5 * c->noise[s->first - 1])
			s->first--;
		while (s->last + 1 < high &&
		       fabs(c->y[s->last + 1] - s->y) <= 1.5 * c->noise[s->last + 1])
			s->last++;
	}
}

static void describe(const struct tp_plateau_curve *c, const struct tp_segment *s,
		     struct tp_level *level)
{
	size_t n = s->last - s->first + 1;
	struct tp_interval ci;
	double own;

	for (size_t i = 0; i < n; i++)
		c->scratch[i] = c->points[s->first + i].relative_error;
	tp_sort_doubles(c->scratch, n);
	own = tp_median_sorted(c->scratch, n);
	for (size_t i = 0; i < n; i++)
		c->scratch[i] = c->points[s->first + i].rate;
	tp_sort_doubles(c->scratch, n);
	ci = tp_median_interval_sorted(c->scratch, n, level_confidence);
	level->first = s->first;
	level->last = s->last;
	level->rate = tp_median_sorted(c->scratch, n);
	level->low = fmin(ci.low, level->rate * (1 - own));
	level->high = fmax(ci.high, level->rate * (1 + own));
}

/* Finds the way from level `a` to level `b`. Points beyond its middle are not of the level. */
static void part(const struct tp_plateau_curve *c, struct tp_segment *a, struct tp_segment *b,
		 struct tp_level *level)
{
	tp_plateau_way(c, a, b, level);
	while (a->last > a->first && c->points[a->last].size_bytes > level->capacity_bytes)
		a->last--;
	while (b->first < b->last && c->points[b->first].size_bytes < level->capacity_bytes)
		b->first++;
}

static bool allocate(struct tp_plateau_curve *c)
{
	double *numbers = malloc(5 * c->n * sizeof(*numbers));

	c->fits = malloc((c->n + 1) * sizeof(*c->fits));
	c->x = numbers;
	if (!numbers || !c->fits)
		return false;
	c->y = numbers + c->n;
	c->noise = numbers + 2 * c->n;
	c->scratch = numbers + 3 * c->n;
	return true;
}

static void fit(struct tp_plateau_curve *c)
{
	double start = tp_plateau_start(c->points, c->n);

	for (size_t i = 0; i < c->n; i++) {
		double size = c->points[i].size_bytes, pass = size / c->points[i].rate;

		c->x[i] = log2(size);
		c->y[i] = log(size / fmax(pass - start, pass / 2));
	}
	tp_plateau_noise(c);
	tp_plateau_cut(c);
}

/* Sizes must rise and rates be positive; otherwise there is no curve and there are no levels. */
static bool is_curve(const struct tp_curve_point *points, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(points[i].rate > 0) || !isfinite(points[i].rate) ||
		    !(points[i].size_bytes > (i ? points[i - 1].size_bytes : 0)))
			return false;
	return n > 0;
}

bool tp_plateaus(const struct tp_curve_point *points, size_t n_points,
		 const struct tp_plateau_options *options, struct tp_level *levels, size_t max,
		 size_t *n)
{
	static const struct tp_plateau_options none = { 0 };
	const struct tp_plateau_options *o = options ? options : &none;
	struct tp_plateau_curve c = { .points = points, .n = n_points };
	struct tp_segment *segments = NULL;
	size_t most;
	bool ok;

	*n = 0;
	if (max == 0 || !is_curve(points, n_points))
		return true;
	c.min_fall = -log(1 - (o->min_drop > 0 && o->min_drop < 1 ? o->min_drop : 0.12));
	c.min_octaves = o->min_octaves > 0 ? o->min_octaves : 0.8;
	c.min_points = o->min_points > 0 ? o->min_points : 2;
	segments = malloc(n_points * sizeof(*segments));
	ok = allocate(&c) && segments;
	if (ok) {
		fit(&c);
		most = TP_MIN(max, o->max_levels ? o->max_levels : 6);
		*n = join(&c, segments, collect(&c, segments), most);
		grow(&c, segments, *n);
		*n = join(&c, segments, drop_steps(&c, segments, *n), most);
		grow(&c, segments, *n);
		memset(levels, 0, *n * sizeof(*levels));
		for (size_t i = 0; i + 1 < *n; i++)
			part(&c, &segments[i], &segments[i + 1], &levels[i]);
		for (size_t i = 0; i < *n; i++)
			describe(&c, &segments[i], &levels[i]);
		if (*n)
			tp_plateau_open_way(&c, &segments[*n - 1], &levels[*n - 1]);
	}
	free(segments);
	free(c.fits);
	free(c.x);
	return ok;
}
