/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Dynamic programming over all segmentations cuts the curve, log(rate) over log2(size), into
 * segments. A segment is flat (a candidate level) or straight with any slope (the way between
 * levels). It costs its squared residuals in units of the noise plus a penalty. Since slopes are
 * segments of their own, they need not be built of small levels; since each segment costs far more
 * than noise can win back, noise creates none.
 */
#include "analysis/plateau_parts.h"

#include <math.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/vec.h"

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
	double *sorted = c->scratch + c->n;

	if (high < low + NOISE_LEAST)
		return 0;
	memcpy(sorted, &value[low], (high - low) * sizeof(*sorted));
	tp_sort_doubles(sorted, high - low);
	return tp_median_sorted(sorted, high - low);
}

/* Raises the noise of each point to what `value` says: of its neighbourhood, or of all. */
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

/*
 * Points inside a core repeat to a fraction of a percent, those of shared caches and of memory do
 * not. So each point has the noise of its neighbourhood: how far points are from the line through
 * the two beside them. Levels and slopes do not matter then, and the median ignores the few points
 * at an edge.
 */
void tp_plateau_noise(struct tp_plateau_curve *c)
{
	double *value = c->scratch;

	for (size_t i = 0; i < c->n; i++)
		c->noise[i] = noise_floor;
	for (size_t i = 1; i + 1 < c->n; i++) {
		double a = (c->x[i] - c->x[i - 1]) / (c->x[i + 1] - c->x[i - 1]);
		double off = c->y[i] - (1 - a) * c->y[i - 1] - a * c->y[i + 1];

		value[i] = 1.4826 * fabs(off) / sqrt(1 + a * a + (1 - a) * (1 - a));
	}
	if (c->n > 2)
		raise(c, value, 1, c->n - 1);
	/* The points' own intervals are about 2.6 standard deviations of their medians. */
	for (size_t i = 0; i < c->n; i++)
		value[i] = c->points[i].relative_error / 2.6;
	raise(c, value, 0, c->n);
}

double tp_plateau_octaves(const struct tp_plateau_curve *c, size_t first, size_t last)
{
	double span = c->x[last] - c->x[first];

	return last > first ? span + span / (double)(last - first) : 0;
}

bool tp_plateau_long_enough(const struct tp_plateau_curve *c, size_t first, size_t last)
{
	return last - first + 1 >= c->min_points &&
	       tp_plateau_octaves(c, first, last) >= c->min_octaves;
}

double tp_plateau_point_cost(const struct tp_plateau_curve *c, size_t point, double residual)
{
	double units = residual / c->noise[point];

	return fmin(units * units, point_cost_max);
}

/* A slope over many octaves is more likely a staircase hidden by noise. */
double tp_plateau_long_slope(double octaves)
{
	return slope_octave_penalty * fmax(0, octaves - slope_octaves);
}

static void consider(struct tp_plateau_curve *c, size_t first, size_t last, double cost, bool flat)
{
	struct tp_plateau_fit *fit = &c->fits[last + 1];
	double penalty =
		flat ? flat_penalty
		     : slope_penalty + tp_plateau_long_slope(tp_plateau_octaves(c, first, last));

	cost += c->fits[first].cost + penalty;
	if (cost < fit->cost)
		*fit = (struct tp_plateau_fit){ cost, first };
}

/* All segments that begin at `first`, grown point by point; scratch holds their y sorted. */
static void extend(struct tp_plateau_curve *c, size_t first)
{
	double sw = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;

	for (size_t last = first; last < c->n; last++) {
		double dx = c->x[last] - c->x[first];
		double w = 1 / (c->noise[last] * c->noise[last]);
		double flat_cost = 0, slope_cost = 0, median, slope, at, spread;
		size_t i = last - first;

		for (; i > 0 && c->scratch[i - 1] > c->y[last]; i--)
			c->scratch[i] = c->scratch[i - 1];
		c->scratch[i] = c->y[last];
		median = tp_median_sorted(c->scratch, last - first + 1);
		sw += w;
		sx += w * dx;
		sy += w * c->y[last];
		sxx += w * dx * dx;
		sxy += w * dx * c->y[last];
		spread = sw * sxx - sx * sx;
		slope = last > first ? (sw * sxy - sx * sy) / spread : 0;
		at = (sy - slope * sx) / sw;
		for (i = first; i <= last; i++) {
			flat_cost += tp_plateau_point_cost(c, i, c->y[i] - median);
			slope_cost += tp_plateau_point_cost(
				c, i, c->y[i] - at - slope * (c->x[i] - c->x[first]));
		}
		if (tp_plateau_long_enough(c, first, last))
			consider(c, first, last, flat_cost, true);
		consider(c, first, last, slope_cost, false);
	}
}

void tp_plateau_cut(struct tp_plateau_curve *c)
{
	for (size_t i = 0; i <= c->n; i++)
		c->fits[i] = (struct tp_plateau_fit){ i ? INFINITY : 0, 0 };
	for (size_t i = 0; i < c->n; i++)
		extend(c, i);
}
