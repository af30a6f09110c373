/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ways between levels. A way is a ramp that leaves one level's rate and reaches the next one's;
 * where it begins and ends is weighed over all ramps, each by how well it fits.
 */
#include "analysis/plateau_parts.h"

#include <math.h>

#include "base/vec.h"

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
	return tp_plateau_octaves(c, s->first, s->last) >= wide_octaves;
}

/* Ways are straight, or they bend away from one level and into the next. */
enum shape { STRAIGHT, SMOOTH };

/* Cost of points first..last on a ramp from (x0, y0) to (x1, y1), flat before and behind. */
static double ramp_cost(const struct tp_plateau_curve *c, size_t first, size_t last, double x0,
			double x1, double y0, double y1, enum shape shape)
{
	double cost = 0;

	for (size_t i = first; i <= last; i++) {
		double way = c->x[i] <= x0 ? 0 : c->x[i] >= x1 ? 1 : (c->x[i] - x0) / (x1 - x0);

		if (shape == SMOOTH)
			way *= way * (3 - 2 * way);
		cost += tp_plateau_point_cost(c, i, c->y[i] - y0 - way * (y1 - y0));
	}
	return cost;
}

static double level_cost(const struct tp_plateau_curve *c, size_t first, size_t last, double y)
{
	double cost = 0;

	for (size_t i = first; i <= last; i++)
		cost += tp_plateau_point_cost(c, i, c->y[i] - y);
	return cost;
}

/*
 * Compares the level with the best ramp that begins near the end of a and ends near the start of b.
 * A long ramp may contain one wide step, but not as many short ones as noise can draw on it.
 */
bool tp_plateau_is_step(const struct tp_plateau_curve *c, const struct tp_segment *a,
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
			double longer = wide(c, s) ? tp_plateau_long_slope(length) : 0;

			for (int shape = STRAIGHT; shape <= SMOOTH; shape++)
				without = fmin(without,
					       longer + ramp_cost(c, first, last, c->x[from],
								  c->x[to], a->y, b->y, shape));
		}
	return without - with < (wide(c, s) ? level_gain : short_level_gain);
}

/*
 * A last level may be the lower part of a way that the curve does not follow to its
 * end: it must fit better than every straight way that goes on.
 */
bool tp_plateau_is_end(const struct tp_plateau_curve *c, const struct tp_segment *a,
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
						  a->y, end, STRAIGHT));
		for (size_t to = from + 1; to <= s->first; to++)
			with = fmin(with, ramp_cost(c, a->last, s->last, c->x[from], c->x[to], a->y,
						    s->y, STRAIGHT));
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

/*
 * Every ramp whose corners lie between the middles of the two levels, weighed by how likely the
 * points are if it is the true one. Where few points tell, the mean of all that fit is a better
 * guess than the best of them, and it does not jump from run to run.
 */
void tp_plateau_way(const struct tp_plateau_curve *c, const struct tp_segment *a,
		    const struct tp_segment *b, struct tp_level *level)
{
	double low = 0.5 * (c->x[a->first] + c->x[a->last]),
	       high = 0.5 * (c->x[b->first] + c->x[b->last]);
	double step = fmax(ramp_step, (high - low) / RAMP_STEPS);
	double best = INFINITY, sum = 0, from = 0, to = 0;

	for (int pass = 0; pass < 2; pass++)
		for (double x0 = low; x0 < high; x0 += step)
			for (double x1 = x0 + step; x1 <= high + 0.5 * step; x1 += step) {
				double cost = ramp_cost(c, a->first, b->last, x0, x1, a->y, b->y,
							STRAIGHT);
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

void tp_plateau_open_way(const struct tp_plateau_curve *c, const struct tp_segment *a,
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
