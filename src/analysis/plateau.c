/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/plateau.h"

#include <gsl/gsl_fit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/memory.h"

struct tp_plateau_fit {
	double cost; /* best cost of the points up to here */
	size_t from; /* first point of the last segment */
};

struct tp_plateau_curve {
	const struct tp_curve_point *points;
	size_t n;
	double *x, *y; /* log2(size_bytes), log(rate) */
	double *noise; /* standard deviation of each y */
	double *scratch; /* 2 n numbers */
	struct tp_plateau_fit *fits; /* [n + 1], index = number of points covered */
	double min_fall; /* in y */
	double min_octaves;
	size_t min_points;
	size_t step; /* points between possible ends of segments */
};

/*
 * The time to find segments grows with the cube of their possible ends. In between, levels are
 * grown and trimmed point by point.
 */
enum { SEGMENT_ENDS_MOST = 256 };

struct tp_segment {
	size_t first, last;
	double y; /* median */
	double doubt; /* standard error of y */
};

/*
 * Dynamic programming over all segmentations cuts the curve, log(rate) over log2(size), into
 * segments. A segment is flat (a candidate level) or straight with any slope (the way between
 * levels). It costs its squared residuals in units of the noise plus a penalty. Since slopes are
 * segments of their own, they need not be built of small levels; since each segment costs far more
 * than noise can win back, noise creates none.
 */

/*
 * In units of the noise variance: what a flat and a sloped segment must gain, the cost of each
 * octave of a slope beyond the usual length (a staircase is not one long slope), and the largest
 * cost of one point.
 */
static const double flat_penalty = 15, slope_penalty = 18, slope_octave_penalty = 8,
		    point_cost_max = 9;
static const double slope_octaves = 3;

/* Systematic wiggles of a quiet curve (placement, replacement policy) are not levels either. */
static const double noise_floor = 0.01;

/*
 * The noise of a point is that of its neighbours up to so many points to either side, where it
 * differs from that of the whole curve by more than so few points can by chance.
 */
enum { NOISE_REACH = 7, NOISE_LEAST = 3 };

static const double noise_differs = 1.75;

/* Median of `value` over the points low..high-1. */
static double median_of(const struct tp_plateau_curve *c, const double *value, size_t low,
			size_t high)
{
	if (high < low + NOISE_LEAST)
		return 0;
	return tp_median_of(&value[low], high - low, c->scratch + c->n);
}

/* Raises the noise of each point to `value`: of its neighbourhood, or of all points. */
static void raise(struct tp_plateau_curve *c, const double *value, size_t first, size_t end)
{
	double all = median_of(c, value, first, end);

	for (size_t i = 0; i < c->n; i++) {
		size_t low = TP_MAX(first, i > NOISE_REACH ? i - NOISE_REACH : 0);
		double near = median_of(c, value, low, TP_MIN(i + NOISE_REACH + 1, end));
		bool differs = near > noise_differs * all || near < all / noise_differs;

		c->noise[i] = fmax(c->noise[i], differs ? near : all);
	}
}

/* Fills noise and fits of a curve whose x and y are there. */
/*
 * Points inside a core repeat to a fraction of a percent, those of shared caches and of memory do
 * not. So each point has the noise of its neighbourhood: how far points are from the line through
 * the two beside them. Levels and slopes do not matter then, and the median ignores the few points
 * at an edge.
 */
static void plateau_noise(struct tp_plateau_curve *c)
{
	double *value = c->scratch;

	for (size_t i = 0; i < c->n; i++)
		c->noise[i] = noise_floor;
	for (size_t i = 1; i + 1 < c->n; i++) {
		double a = (c->x[i] - c->x[i - 1]) / (c->x[i + 1] - c->x[i - 1]);
		double off = c->y[i] - (1 - a) * c->y[i - 1] - a * c->y[i + 1];

		value[i] = TP_MAD_TO_SIGMA * fabs(off) / sqrt(1 + a * a + (1 - a) * (1 - a));
	}
	if (c->n > 2)
		raise(c, value, 1, c->n - 1);
	/* The points' own intervals are about 2.6 standard deviations of their medians. */
	for (size_t i = 0; i < c->n; i++)
		value[i] = c->points[i].relative_error / 2.6;
	raise(c, value, 0, c->n);
}

/* The octaves that points first..last cover: their span and half a step on either side. */
static double plateau_octaves(const struct tp_plateau_curve *c, size_t first, size_t last)
{
	double span = c->x[last] - c->x[first];

	return last > first ? span + span / (double)(last - first) : 0;
}

static bool plateau_long_enough(const struct tp_plateau_curve *c, size_t first, size_t last)
{
	return last - first + 1 >= c->min_points &&
	       plateau_octaves(c, first, last) >= c->min_octaves;
}

/* Cost of a point that lies so far off, in units of its noise variance; limited. */
static double plateau_point_cost(const struct tp_plateau_curve *c, size_t point, double residual)
{
	double units = residual / c->noise[point];

	/* fmin() is a call, and this is the innermost loop. */
	return units * units < point_cost_max ? units * units : point_cost_max;
}

/* What a slope of that many octaves costs beyond one of the usual length. */
/* A slope over many octaves is more likely a staircase hidden by noise. */
static double plateau_long_slope(double octaves)
{
	return slope_octave_penalty * fmax(0, octaves - slope_octaves);
}

static void consider(struct tp_plateau_curve *c, size_t first, size_t last, double cost, bool flat)
{
	struct tp_plateau_fit *fit = &c->fits[last + 1];
	double penalty = flat ? flat_penalty
			      : slope_penalty + plateau_long_slope(plateau_octaves(c, first, last));

	cost += c->fits[first].cost + penalty;
	if (cost < fit->cost)
		*fit = (struct tp_plateau_fit){ cost, first };
}

/* Cost of points first..last beside a line from point `first` on; as far as it is below `room`. */
static double line_cost(const struct tp_plateau_curve *c, size_t first, size_t last, double y,
			double slope, double room)
{
	double cost = 0;

	for (size_t i = first; i <= last && cost <= room; i++)
		cost += plateau_point_cost(c, i, c->y[i] - y - slope * (c->x[i] - c->x[first]));
	return cost;
}

/* All segments that begin at `first`, grown point by point; scratch holds their y sorted. */
static void extend(struct tp_plateau_curve *c, size_t first)
{
	double sw = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;

	for (size_t last = first; last < c->n; last++) {
		double dx = c->x[last] - c->x[first];
		double w = 1 / (c->noise[last] * c->noise[last]);
		double median, slope, at, spread;
		/* A segment that costs more is not the best; one unit more than rounding hides. */
		double room = c->fits[last + 1].cost - c->fits[first].cost + 1;
		size_t i = last - first;

		for (; i > 0 && c->scratch[i - 1] > c->y[last]; i--)
			c->scratch[i] = c->scratch[i - 1];
		c->scratch[i] = c->y[last];
		sw += w;
		sx += w * dx;
		sy += w * c->y[last];
		sxx += w * dx * dx;
		sxy += w * dx * c->y[last];
		if ((last + 1) % c->step && last + 1 < c->n)
			continue;
		median = tp_median_sorted(c->scratch, last - first + 1);
		spread = sw * sxx - sx * sx;
		slope = last > first ? (sw * sxy - sx * sy) / spread : 0;
		at = (sy - slope * sx) / sw;
		if (plateau_long_enough(c, first, last))
			consider(c, first, last,
				 line_cost(c, first, last, median, 0, room - flat_penalty), true);
		room -= slope_penalty; /* at least */
		consider(c, first, last, line_cost(c, first, last, at, slope, room), false);
	}
}

/*
 * The start of a curve. A pass over a tiny working set pays for the loop around it: it takes
 * t = t0 + size / rate, and so the curve rises at its start although the cache is the same. Where
 * the first points lie on such a line, they are compared without t0.
 */

/* The points on the line repeat it to this share; fewer octaves, and fewer points, show no line. */
static const double on_line = 0.01, least_octaves = 1.5;

enum { LEAST_POINTS = 5 };

/* The line through the first n points, each by its relative error: seconds of no bytes at all. */
static double intercept(const struct tp_curve_point *p, size_t n, double *slope)
{
	double sw = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;

	for (size_t i = 0; i < n; i++) {
		double x = p[i].size_bytes, y = x / p[i].rate, w = 1 / (y * y);

		sw += w;
		sx += w * x;
		sy += w * y;
		sxx += w * x * x;
		sxy += w * x * y;
	}
	*slope = (sw * sxy - sx * sy) / (sw * sxx - sx * sx);
	return (sy - *slope * sx) / sw;
}

static bool fits(const struct tp_curve_point *p, size_t n, double start, double slope)
{
	for (size_t i = 0; i < n; i++)
		if (fabs((start + slope * p[i].size_bytes) * p[i].rate / p[i].size_bytes - 1) >
		    on_line)
			return false;
	return true;
}

/*
 * The overhead of each pass over a working set, in units of size / rate; 0 if the start of the
 * curve does not show it.
 */
static double plateau_start(const struct tp_curve_point *points, size_t n)
{
	double start = 0;

	for (size_t k = LEAST_POINTS; k <= n; k++) {
		double slope, t0 = intercept(points, k, &slope);

		if (!(slope > 0) || !fits(points, k, t0, slope))
			break;
		if (log2(points[k - 1].size_bytes / points[0].size_bytes) >= least_octaves)
			start = t0;
	}
	return fmax(start, 0);
}

/*
 * The ways between levels. A way is a ramp that leaves one level's rate and reaches the next one's;
 * where it begins and ends is weighed over all ramps, each by how well it fits.
 */

/* How much better a level must fit than a ramp from its left to its right neighbour. */
static const double level_gain = 15, short_level_gain = 22;
static const double wide_octaves = 2;

/* How much better an end of the curve must fit with a level than as a way that goes on. */
static const double end_gain = 4, short_end_gain = 9;

/* A bend counts from so many standard errors on. */
static const double bend_errors = 3;

/* Ramps begin and end at steps of this many octaves; more than so many are not tried. */
static const double ramp_step = 0.1;

enum { RAMP_STEPS = 120 };

static bool wide(const struct tp_plateau_curve *c, const struct tp_segment *s)
{
	return plateau_octaves(c, s->first, s->last) >= wide_octaves;
}

/* Ways are straight, or they bend away from one level and into the next. */
enum shape { STRAIGHT, SMOOTH };

/* A ramp that costs this much more than the best one has no weight. */
#define NO_WEIGHT 80

/*
 * Cost of points first..last on a ramp from (x0, y0) to (x1, y1), flat before and behind; as far as
 * it is below `room`.
 */
static double ramp_cost(const struct tp_plateau_curve *c, size_t first, size_t last, double x0,
			double x1, double y0, double y1, enum shape shape, double room)
{
	double cost = 0;

	for (size_t i = first; i <= last && cost <= room; i++) {
		double way = c->x[i] <= x0 ? 0 : c->x[i] >= x1 ? 1 : (c->x[i] - x0) / (x1 - x0);

		if (shape == SMOOTH)
			way *= way * (3 - 2 * way);
		cost += plateau_point_cost(c, i, c->y[i] - y0 - way * (y1 - y0));
	}
	return cost;
}

static double level_cost(const struct tp_plateau_curve *c, size_t first, size_t last, double y)
{
	double cost = 0;

	for (size_t i = first; i <= last; i++)
		cost += plateau_point_cost(c, i, c->y[i] - y);
	return cost;
}

/* True if level `s` is only a part of the way between `a` and `b`, flattened by noise. */
/*
 * Compares the level with the best ramp that begins near the end of a and ends near the start of b.
 * A long ramp may contain one wide step, but not as many short ones as noise can draw on it.
 */
static bool plateau_is_step(const struct tp_plateau_curve *c, const struct tp_segment *a,
			    const struct tp_segment *s, const struct tp_segment *b)
{
	size_t first = a->last, last = b->first;
	/* The points in the gaps may lie on anything that joins the levels, within the noise. */
	double with = (double)(s->first - a->last - 1 + b->first - s->last - 1);
	double without = INFINITY;

	while (first > a->first && c->x[a->last] - c->x[first - 1] <= 1)
		first--;
	while (last < b->last && c->x[last + 1] - c->x[b->first] <= 1)
		last++;
	with += level_cost(c, first, a->last, a->y);
	with += level_cost(c, s->first, s->last, s->y);
	with += level_cost(c, b->first, last, b->y);
	for (size_t from = first; from <= s->first; from++)
		for (size_t to = s->last + (from == s->last); to <= last; to++) {
			double length = c->x[to] - c->x[from];
			double longer = wide(c, s) ? plateau_long_slope(length) : 0;

			for (int shape = STRAIGHT; shape <= SMOOTH; shape++)
				without =
					fmin(without, longer + ramp_cost(c, first, last, c->x[from],
									 c->x[to], a->y, b->y,
									 shape, without - longer));
		}
	return without - with < (wide(c, s) ? level_gain : short_level_gain);
}

/* The same of the last level: the way from `a` may go on to the end of the curve. */
/*
 * A last level may be the lower part of a way that the curve does not follow to its
 * end: it must fit better than every straight way that goes on.
 */
static bool plateau_is_end(const struct tp_plateau_curve *c, const struct tp_segment *a,
			   const struct tp_segment *s)
{
	double without = INFINITY, with = INFINITY;

	for (size_t from = a->last; from < s->first; from++) {
		double sxx = 0, sxy = 0, end;

		for (size_t i = from + 1; i <= s->last; i++) {
			double w = 1 / (c->noise[i] * c->noise[i]), dx = c->x[i] - c->x[from];

			sxx += w * dx * dx;
			sxy += w * dx * (c->y[i] - a->y);
		}
		end = a->y + sxy / sxx * (c->x[s->last] - c->x[from]);
		without = fmin(without, ramp_cost(c, a->last, s->last, c->x[from], c->x[s->last],
						  a->y, end, STRAIGHT, without));
		for (size_t to = from + 1; to <= s->first; to++)
			with = fmin(with, ramp_cost(c, a->last, s->last, c->x[from], c->x[to], a->y,
						    s->y, STRAIGHT, with));
	}
	return without - with < (wide(c, s) ? end_gain : short_end_gain);
}

/*
 * Real ways bend. The points around the middle of a ramp say by how much the curve passes it
 * earlier or later, as far as that is more than their noise.
 */
static double bent(const struct tp_plateau_curve *c, const struct tp_segment *a,
		   const struct tp_segment *b, double from, double to)
{
	double middle = 0.5 * (from + to), slope = (b->y - a->y) / (to - from);
	double reach = fmax(0.25 * (to - from), 0.35), weights = 0, off = 0, certain;

	for (size_t i = a->last; i <= b->first; i++) {
		double w = 1 / (c->noise[i] * c->noise[i]), dx = c->x[i] - middle;

		if (fabs(dx) > reach)
			continue;
		weights += w;
		off += w * (c->y[i] - 0.5 * (a->y + b->y) -
			    slope * fmin(fmax(dx, from - middle), to - middle));
	}
	if (!(weights > 0) || off == 0)
		return middle;
	off /= weights;
	certain = fmax(0, 1 - bend_errors * bend_errors / (weights * off * off));
	return fmin(fmax(middle - certain * off / slope, from), to);
}

/* The way from level `a` to level `b`: fills the sizes of `level`, which is a. */
/*
 * Every ramp whose corners lie between the middles of the two levels, weighed by how likely the
 * points are if it is the true one. With few points, the mean of all that fit is a better guess
 * than the best of them, and it does not jump from run to run.
 */
static void plateau_way(const struct tp_plateau_curve *c, const struct tp_segment *a,
			const struct tp_segment *b, struct tp_level *level)
{
	double low = 0.5 * (c->x[a->first] + c->x[a->last]),
	       high = 0.5 * (c->x[b->first] + c->x[b->last]);
	double step = fmax(ramp_step, (high - low) / RAMP_STEPS);
	double best = INFINITY, sum = 0, from = 0, to = 0;

	for (int pass = 0; pass < 2; pass++)
		for (double x0 = low; x0 < high; x0 += step)
			for (double x1 = x0 + step; x1 <= high + 0.5 * step; x1 += step) {
				double room = best + pass * NO_WEIGHT;
				double cost = ramp_cost(c, a->first, b->last, x0, x1, a->y, b->y,
							STRAIGHT, room);
				double weight = exp(-0.5 * (cost - best));

				if (pass == 0) {
					best = fmin(best, cost);
					continue;
				}
				sum += weight;
				from += weight * x0;
				to += weight * x1;
			}
	from /= sum;
	to /= sum;
	level->capacity_bytes = exp2(bent(c, a, b, from, to));
	level->fall_from_bytes = exp2(from);
	level->fall_to_bytes = exp2(to);
	level->fall_rate = exp(b->y);
}

/* The same of the last level, if the curve leaves it and finds no other. */
static void plateau_open_way(const struct tp_plateau_curve *c, const struct tp_segment *a,
			     struct tp_level *level)
{
	size_t last = c->n - 1;
	double y = last > a->last + 1 ? 0.5 * (c->y[last] + c->y[last - 1]) : c->y[last];

	if (c->x[last] - c->x[a->last] < c->min_octaves || fabs(y - a->y) < c->min_fall)
		return;
	level->fall_from_bytes = exp2(c->x[a->last]);
	level->fall_to_bytes = exp2(c->x[last]);
	level->fall_rate = exp(y);
}

/* Shorter levels must be flat themselves; noise does not excuse them. */
static const double sure_octaves = 1.5;
static const double level_confidence = 0.95;

static double median_y(const struct tp_plateau_curve *c, size_t first, size_t last)
{
	return tp_median_of(&c->y[first], last - first + 1, c->scratch);
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

	if (!plateau_long_enough(c, first, last))
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
	if (plateau_octaves(c, first, last) >= sure_octaves)
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

		if (*last - *first < 3 || plateau_octaves(c, *first, *last) < wide_octaves)
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

	return plateau_is_end(c, a, s) && plateau_is_end(c, a, &whole);
}

/*
 * Removes a level that fits as well on a ramp between its neighbours, or on one that goes on to the
 * end of the curve: three or four noisy points of a slope often look flat.
 */
static size_t drop_steps(const struct tp_plateau_curve *c, struct tp_segment *levels, size_t n)
{
	for (size_t l = 1; l < n;) {
		bool drop = l + 1 < n
				    ? plateau_is_step(c, &levels[l - 1], &levels[l], &levels[l + 1])
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
	own = tp_median(c->scratch, n);
	for (size_t i = 0; i < n; i++)
		c->scratch[i] = c->points[s->first + i].rate;
	level->rate = tp_median(c->scratch, n);
	ci = tp_median_interval_sorted(c->scratch, n, level_confidence);
	level->first = s->first;
	level->last = s->last;
	level->low = fmin(ci.low, level->rate * (1 - own));
	level->high = fmax(ci.high, level->rate * (1 + own));
}

/* Finds the way from level `a` to level `b`. Points beyond its middle are not of the level. */
static void part(const struct tp_plateau_curve *c, struct tp_segment *a, struct tp_segment *b,
		 struct tp_level *level)
{
	plateau_way(c, a, b, level);
	while (a->last > a->first && c->points[a->last].size_bytes > level->capacity_bytes)
		a->last--;
	while (b->first < b->last && c->points[b->first].size_bytes < level->capacity_bytes)
		b->first++;
}

static void fit(struct tp_plateau_curve *c)
{
	double start = plateau_start(c->points, c->n);

	for (size_t i = 0; i < c->n; i++) {
		double size = c->points[i].size_bytes, pass = size / c->points[i].rate;

		c->x[i] = log2(size);
		c->y[i] = log(size / fmax(pass - start, pass / 2));
	}
	plateau_noise(c);
	for (size_t i = 0; i <= c->n; i++)
		c->fits[i] = (struct tp_plateau_fit){ i ? INFINITY : 0, 0 };
	for (size_t i = 0; i < c->n; i += c->step)
		extend(c, i);
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

void tp_plateaus(const struct tp_curve_point *points, size_t n_points,
		 const struct tp_plateau_options *options, struct tp_level *levels, size_t max,
		 size_t *n)
{
	static const struct tp_plateau_options none = { 0 };
	const struct tp_plateau_options *o = options ? options : &none;
	struct tp_plateau_curve c = { .points = points, .n = n_points };

	*n = 0;
	if (max == 0 || !is_curve(points, n_points))
		return;
	c.min_fall = -log(1 - (o->min_drop > 0 && o->min_drop < 1 ? o->min_drop : 0.12));
	c.min_octaves = o->min_octaves > 0 ? o->min_octaves : 0.8;
	c.min_points = o->min_points > 0 ? o->min_points : 2;
	c.step = 1 + n_points / SEGMENT_ENDS_MOST;
	TP_FREE struct tp_segment *segments = tp_alloc(n_points, sizeof(*segments));
	c.fits = tp_alloc(n_points + 1, sizeof(*c.fits));
	c.x = tp_alloc(5 * n_points, sizeof(*c.x));
	c.y = c.x + n_points;
	c.noise = c.x + 2 * n_points;
	c.scratch = c.x + 3 * n_points;
	fit(&c);
	size_t most = TP_MIN(max, o->max_levels ? o->max_levels : 6);
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
		plateau_open_way(&c, &segments[*n - 1], &levels[*n - 1]);
	free(c.fits);
	free(c.x);
}

/* Memory is slower than the cache by at least this factor, or they cannot be told apart. */
static const double fall = 0.85;

/* Sizes agree that are within this share of each other... */
static const double agreement = 0.06;

/* ... over so many octaves, give or take the grain of the sizes. */
static const double octaves = 1.9;

/* Caches that are not LRU still hold a part of a working set far beyond their capacity. */
static const double beyond_capacity = 4;

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
	found->memory_bytes = fmax(sizes[n - 1], beyond_capacity * found->end_bytes);
	return true;
}

/* Smaller differences also occur between buffers at different addresses. */
#define LONGER 1.10

/* One disturbed point is not the end of the reach. */
enum { WITNESSES = 3 };

static bool is_beyond(const struct tp_tlb_point *p)
{
	return p->small_ns > LONGER * p->huge_ns && p->small_low_ns > p->huge_high_ns;
}

bool tp_tlb_reach(const struct tp_tlb_point *points, size_t n, size_t *first)
{
	for (size_t i = 0; i < n; i++) {
		size_t seen = TP_MIN(n - i, (size_t)WITNESSES), beyond = 0;
		for (size_t k = i; k < i + seen; k++)
			beyond += is_beyond(&points[k]);
		if (is_beyond(&points[i]) && 2 * beyond > seen) {
			*first = i;
			return true;
		}
	}
	return false;
}
