/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The curve, as log(rate) over log2(size), is cut into segments by dynamic programming over all
 * segmentations. A segment is flat (a candidate level) or straight with any slope (the way between
 * levels), and costs its squared residuals in units of the noise plus a penalty. Because a slope is
 * something of its own here, it need not be built of small levels; because each segment pays far
 * more than noise can win back, noise makes none.
 */
#include "analysis/plateau.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_fit.h>

#include "analysis/stats.h"
#include "base/vec.h"

/*
 * In units of the noise variance: what a flat and a sloped segment must win, what each octave of a
 * slope beyond the usual length costs (a staircase is not one long slope), and what one point can
 * cost at most.
 */
static const double flat_penalty = 15, slope_penalty = 18, slope_octave_penalty = 8,
		    point_cost_max = 9;
static const double slope_octaves = 3;
/* By how much a level must fit better than a ramp from its left to its right neighbour. */
static const double level_gain = 15, short_level_gain = 22;
/* Shorter levels must be flat as they are, without the benefit of the doubt of the noise. */
static const double sure_octaves = 1.5, wide_octaves = 2;
/* Systematic wiggles of a quiet curve (placement, replacement policy) are not levels either. */
static const double noise_floor = 0.01;
static const double level_confidence = 0.95;

struct fit {
	double cost; /* best cost of the points up to here */
	size_t from; /* first point of the last segment */
	bool flat;
};

struct curve {
	const struct tp_curve_point *points;
	size_t n;
	double *x, *y; /* log2(size_bytes), log(rate) */
	double *scratch;
	struct fit *fits; /* [n + 1], index = number of points covered */
	double noise; /* standard deviation of y */
	double min_fall; /* in y */
	double min_octaves;
	size_t min_points;
};

struct segment {
	size_t first, last;
	double y; /* median */
};

/*
 * Noise from how far each point lies off the line through its neighbours: neither levels nor slopes
 * enter, and the median over the points does not see the few that stand at an edge.
 */
static double noise_of(const struct curve *c)
{
	double noise = noise_floor;
	size_t n = 0;

	for (size_t i = 1; i + 1 < c->n; i++) {
		double a = (c->x[i] - c->x[i - 1]) / (c->x[i + 1] - c->x[i - 1]);
		double off = c->y[i] - (1 - a) * c->y[i - 1] - a * c->y[i + 1];

		c->scratch[n++] = fabs(off) / sqrt(1 + a * a + (1 - a) * (1 - a));
	}
	if (n >= 3) {
		tp_sort_doubles(c->scratch, n);
		noise = fmax(noise, 1.4826 * tp_median_sorted(c->scratch, n));
	}
	/* The points' own intervals are about 2.6 standard deviations of their medians. */
	for (size_t i = 0; i < c->n; i++)
		c->scratch[i] = c->points[i].relative_error / 2.6;
	tp_sort_doubles(c->scratch, c->n);
	return fmax(noise, tp_median_sorted(c->scratch, c->n));
}

/* Octaves that points first..last stand for: their span and half a step on either side. */
static double octaves(const struct curve *c, size_t first, size_t last)
{
	double span = c->x[last] - c->x[first];

	return last > first ? span + span / (double)(last - first) : 0;
}

static bool long_enough(const struct curve *c, size_t first, size_t last)
{
	return last - first + 1 >= c->min_points && octaves(c, first, last) >= c->min_octaves;
}

static double point_cost(const struct curve *c, double residual)
{
	double units = residual / c->noise;

	return fmin(units * units, point_cost_max);
}

/* A slope that goes on for many octaves is more likely a staircase that noise hides. */
static double long_slope(double length)
{
	return slope_octave_penalty * fmax(0, length - slope_octaves);
}

static void consider(struct curve *c, size_t first, size_t last, double cost, bool flat)
{
	struct fit *fit = &c->fits[last + 1];
	double flat_or_slope =
		flat ? flat_penalty : slope_penalty + long_slope(octaves(c, first, last));

	cost += c->fits[first].cost + flat_or_slope;
	if (cost < fit->cost) {
		fit->cost = cost;
		fit->from = first;
		fit->flat = flat;
	}
}

/* All segments that begin at `first`, grown point by point; scratch holds their y sorted. */
static void extend(struct curve *c, size_t first)
{
	double sx = 0, sy = 0, sxx = 0, sxy = 0;

	for (size_t last = first; last < c->n; last++) {
		double dx = c->x[last] - c->x[first], n = (double)(last - first + 1);
		double flat_cost = 0, slope_cost = 0, median, slope, at, spread;
		size_t i = last - first;

		for (; i > 0 && c->scratch[i - 1] > c->y[last]; i--)
			c->scratch[i] = c->scratch[i - 1];
		c->scratch[i] = c->y[last];
		median = tp_median_sorted(c->scratch, last - first + 1);
		sx += dx;
		sy += c->y[last];
		sxx += dx * dx;
		sxy += dx * c->y[last];
		spread = n * sxx - sx * sx;
		slope = spread > 0 ? (n * sxy - sx * sy) / spread : 0;
		at = (sy - slope * sx) / n;
		for (i = first; i <= last; i++) {
			flat_cost += point_cost(c, c->y[i] - median);
			slope_cost += point_cost(c, c->y[i] - at - slope * (c->x[i] - c->x[first]));
		}
		if (long_enough(c, first, last))
			consider(c, first, last, flat_cost, true);
		consider(c, first, last, slope_cost, false);
	}
}

static double median_y(const struct curve *c, size_t first, size_t last)
{
	size_t n = last - first + 1;

	memcpy(c->scratch, &c->y[first], n * sizeof(*c->y));
	tp_sort_doubles(c->scratch, n);
	return tp_median_sorted(c->scratch, n);
}

/* Points at the ends that are off the segment's median are of the way to the next level. */
static void trim(const struct curve *c, size_t *first, size_t *last)
{
	double median = median_y(c, *first, *last);

	while (*first < *last && fabs(c->y[*first] - median) > 3 * c->noise)
		++*first;
	while (*first < *last && fabs(c->y[*last] - median) > 3 * c->noise)
		--*last;
}

/*
 * Does the rate stay the same over the segment? Its regression line may fall by less than one
 * level's distance, and in a short segment not more steeply than that an octave. Single points far
 * off (a disturbed one) have no weight in that.
 */
static bool is_level(const struct curve *c, size_t first, size_t last)
{
	double c0, c1, cov00, cov01, cov11, chisq, span, median, mean = 0, sxx = 0, doubt = 0;
	double *weight = c->scratch;
	size_t n = last - first + 1, inside = 0;

	if (!long_enough(c, first, last))
		return false;
	if (n < 3)
		return fabs(c->y[last] - c->y[first]) < c->min_fall;
	median = median_y(c, first, last);
	for (size_t i = 0; i < n; i++) {
		bool near = fabs(c->y[first + i] - median) <= 3 * c->noise;

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
	if (octaves(c, first, last) >= sure_octaves)
		doubt = 2 * c->noise / sqrt(sxx);
	return fabs(c1) * span < c->min_fall + doubt * span;
}

/*
 * Takes the ends off a segment until it is a level. What lies outside the noise belongs to the way
 * to the next level; when the rest still leans, so do the points within the noise at the end that
 * is further off, as long as enough is left to be sure.
 */
static bool narrow_to_level(const struct curve *c, size_t *first, size_t *last)
{
	trim(c, first, last);
	while (!is_level(c, *first, *last)) {
		double median = median_y(c, *first, *last);

		if (*last - *first < 3 || octaves(c, *first, *last) < wide_octaves)
			return false;
		if (fabs(c->y[*first] - median) > fabs(c->y[*last] - median))
			++*first;
		else
			--*last;
	}
	return true;
}

/* The levels among the segments of the best segmentation, left to right. */
static size_t collect(const struct curve *c, struct segment *levels)
{
	size_t n = 0;

	for (size_t end = c->n; end > 0; end = c->fits[end].from) {
		size_t first = c->fits[end].from, last = end - 1;

		if (narrow_to_level(c, &first, &last))
			levels[n++] = (struct segment){ first, last, median_y(c, first, last) };
	}
	for (size_t i = 0; i < n / 2; i++) {
		struct segment other = levels[i];

		levels[i] = levels[n - 1 - i];
		levels[n - 1 - i] = other;
	}
	return n;
}

/* Distance of two levels, less half the standard error of a difference of medians. */
static double surely_apart(const struct curve *c, const struct segment *a, const struct segment *b)
{
	double na = (double)(a->last - a->first + 1), nb = (double)(b->last - b->first + 1);

	return fabs(a->y - b->y) - 0.6 * c->noise * sqrt(1 / na + 1 / nb);
}

/*
 * Joins neighbours, the nearest first, until all are apart by a level's distance and there are at
 * most `max`.
 */
static size_t join(const struct curve *c, struct segment *levels, size_t n, size_t max)
{
	while (n > 1) {
		double nearest = INFINITY;
		size_t at = 0;

		for (size_t i = 0; i + 1 < n; i++) {
			double apart = surely_apart(c, &levels[i], &levels[i + 1]);

			if (apart < nearest) {
				nearest = apart;
				at = i;
			}
		}
		if (nearest >= c->min_fall && n <= max)
			break;
		levels[at].last = levels[at + 1].last;
		levels[at].y = median_y(c, levels[at].first, levels[at].last);
		memmove(&levels[at + 1], &levels[at + 2], (n - at - 2) * sizeof(*levels));
		n--;
	}
	return n;
}

/*
 * Cost of points first..last on a ramp that leaves a's rate at point `from` and reaches b's at
 * point `to`.
 */
static double ramp_cost(const struct curve *c, size_t first, size_t last, size_t from, size_t to,
			double ya, double yb)
{
	double slope = (yb - ya) / (c->x[to] - c->x[from]), cost = 0;

	for (size_t i = first; i <= last; i++) {
		double y = i <= from ? ya : i >= to ? yb : ya + slope * (c->x[i] - c->x[from]);

		cost += point_cost(c, c->y[i] - y);
	}
	return cost;
}

/*
 * What the fit gains by level `s` between `a` and `b` over the best ramp that begins near the end
 * of a and ends near the start of b. A long ramp may hide a wide step, but not as many short ones
 * as noise can draw on it.
 */
static double gain_of(const struct curve *c, const struct segment *a, const struct segment *s,
		      const struct segment *b, bool wide)
{
	size_t first = a->last, last = b->first;
	/*
	 * The points in the gaps may lie anywhere: on whatever joins the levels, give or take the
	 * noise.
	 */
	double with = (double)(s->first - a->last - 1 + b->first - s->last - 1);
	double without = INFINITY;

	while (first > a->first && c->x[a->last] - c->x[first - 1] <= 1)
		first--;
	while (last < b->last && c->x[last + 1] - c->x[b->first] <= 1)
		last++;
	for (size_t i = first; i <= a->last; i++)
		with += point_cost(c, c->y[i] - a->y);
	for (size_t i = s->first; i <= s->last; i++)
		with += point_cost(c, c->y[i] - s->y);
	for (size_t i = b->first; i <= last; i++)
		with += point_cost(c, c->y[i] - b->y);
	for (size_t from = first; from <= s->first; from++)
		for (size_t to = s->last + (from == s->last); to <= last; to++)
			without = fmin(without,
				       ramp_cost(c, first, last, from, to, a->y, b->y) +
					       (wide ? long_slope(c->x[to] - c->x[from]) : 0));
	return without - with;
}

/*
 * Removes what lies as well on a ramp between its neighbours as on a level of its own: three or
 * four noisy points of a slope often look flat.
 */
static size_t drop_steps(const struct curve *c, struct segment *levels, size_t n)
{
	for (size_t l = 1; l + 1 < n;) {
		bool wide = octaves(c, levels[l].first, levels[l].last) >= wide_octaves;
		double gain = gain_of(c, &levels[l - 1], &levels[l], &levels[l + 1], wide);

		if (gain >= (wide ? level_gain : short_level_gain)) {
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
 * Takes in the points beside a level that do not differ from it by more than noise; a slope segment
 * may have had them.
 */
static void grow(const struct curve *c, struct segment *levels, size_t n)
{
	for (size_t l = 0; l < n; l++) {
		struct segment *s = &levels[l];
		size_t low = l ? levels[l - 1].last + 1 : 0;
		size_t high = l + 1 < n ? levels[l + 1].first : c->n;

		while (s->first > low && fabs(c->y[s->first - 1] - s->y) <= 1.5 * c->noise)
			s->first--;
		while (s->last + 1 < high && fabs(c->y[s->last + 1] - s->y) <= 1.5 * c->noise)
			s->last++;
	}
}

/* Size where the curve passes the middle (in log rate) between two levels. */
static double edge_bytes(const struct curve *c, const struct segment *a, const struct segment *b)
{
	double middle = 0.5 * (a->y + b->y), sign = a->y > b->y ? 1 : -1;

	for (size_t i = a->last; i < b->first; i++) {
		double here = sign * (c->y[i] - middle), next = sign * (c->y[i + 1] - middle);

		if (here >= 0 && next < 0)
			return exp2(c->x[i] + (c->x[i + 1] - c->x[i]) * here / (here - next));
	}
	/*
	 * By noise no crossing is seen: the levels' own ends are on the wrong side of the middle.
	 */
	return exp2(sign * (c->y[a->last] - middle) < 0 ? c->x[a->last] : c->x[b->first]);
}

static void describe(const struct curve *c, const struct segment *s, struct tp_level *level)
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
	level->capacity_bytes = 0;
}

static bool allocate(struct curve *c)
{
	double *numbers = malloc(3 * c->n * sizeof(*numbers));

	c->fits = malloc((c->n + 1) * sizeof(*c->fits));
	c->x = numbers;
	if (!numbers || !c->fits)
		return false;
	c->y = numbers + c->n;
	c->scratch = numbers + 2 * c->n;
	return true;
}

static void fit(struct curve *c)
{
	for (size_t i = 0; i < c->n; i++) {
		c->x[i] = log2(c->points[i].size_bytes);
		c->y[i] = log(c->points[i].rate);
	}
	c->noise = noise_of(c);
	for (size_t i = 0; i <= c->n; i++)
		c->fits[i] = (struct fit){ i ? INFINITY : 0, 0, false };
	for (size_t i = 0; i < c->n; i++)
		extend(c, i);
}

/* Sizes must rise and rates be positive: anything else is no curve and has no levels. */
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
	struct curve c = { .points = points, .n = n_points };
	struct segment *segments = NULL;
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
		*n = join(&c, segments, drop_steps(&c, segments, *n), most);
		grow(&c, segments, *n);
		for (size_t i = 0; i < *n; i++)
			describe(&c, &segments[i], &levels[i]);
		for (size_t i = 0; i + 1 < *n; i++)
			levels[i].capacity_bytes = edge_bytes(&c, &segments[i], &segments[i + 1]);
	}
	free(segments);
	free(c.fits);
	free(c.x);
	return ok;
}
