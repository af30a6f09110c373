/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/outliers.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

#include "analysis/stats.h"
#include "base/memory.h"

/* Of Qn on normal samples (Rousseeuw and Croux 1993). */
#define TP_QN_EFFICIENCY 0.8

/* Degrees of freedom of a floor, an empirical value, as reliable as one from 31 runs. */
#define TP_FLOOR_DEGREES 30.0

/* Room for one sample of so many numbers, which the caller writes to x. */
struct tp_robust_room {
	double *x;
	double *sorted, *work; /* private */
	int *ints; /* private */
};

/* Statistics of n numbers; NaN if n is too small. */
struct tp_robust {
	double centre, spread; /* spread: without the floor; NaN for one number */
	double error, degrees; /* with it, for a difference from the centre */
};

/*
 * For five numbers, Qn is often too small by chance: without this, 1.6 % of healthy groups of five
 * had an outlier in 100,000 samples, and less than 1 % for all other sizes.
 */
#define QN_EFFICIENCY_FIVE 0.65

/* In standard deviations: numbers farther from the mean count as if they were that far. */
#define CLIP 1.5

/*
 * Deviation of a normal sample by the range of its middle: a share is left out at each end, at
 * least one. Qn is nearly 0 where half of the values are equal, as of clocks that step: the rest
 * would be outliers then. Expected order statistics by Blom (1958).
 */
static double middle_deviation(const double *sorted, size_t n, double odd)
{
	size_t k = TP_MAX((size_t)1, (size_t)(odd * (double)n));
	double expected = gsl_cdf_ugaussian_Pinv(((double)(n - k) - 0.375) / ((double)n + 0.25));

	return (sorted[n - 1 - k] - sorted[k]) / (2 * expected);
}

/* Sets standard deviation of a difference from the centre and its degrees of freedom, by spread. */
static void robust_set_error(struct tp_robust *s, size_t n, double floor)
{
	double own = s->spread * s->spread, known = floor * floor;
	double efficiency = n == 5 ? QN_EFFICIENCY_FIVE : TP_QN_EFFICIENCY;
	double degrees = fmax(1, efficiency * (double)(n - 1));
	double sum = own + known;

	/* The centre comes from the same numbers, so it is uncertain, too. */
	s->error = sqrt(sum * (1 + 1 / (double)n));
	s->degrees = sum > 0 ? sum * sum / (own * own / degrees + known * known / TP_FLOOR_DEGREES)
			     : degrees;
}

/*
 * Of room->x[n], which stays as it is. `floor`: standard deviation that they have at least. `odd`:
 * 0: spread by Qn alone; else by the middle, too, without that share at each end.
 */
static struct tp_robust robust_of(struct tp_robust_room *room, size_t n, double floor, double odd)
{
	struct tp_robust s = { NAN, NAN, NAN, NAN };

	if (n > 0)
		s.centre = tp_median_of(room->x, n, room->sorted);
	if (n < 2)
		return s;
	s.spread = gsl_stats_Qn_from_sorted_data(room->sorted, 1, n, room->work, room->ints);
	if (n < TP_OUTLIER_NODES_MIN)
		return s;
	if (odd > 0)
		s.spread = fmax(s.spread, middle_deviation(room->sorted, n, odd));
	robust_set_error(&s, n, floor);
	return s;
}

/*
 * Huber's mean of x[n] around a centre, and its variance: that of the clipped numbers, over the
 * square of the share that is not clipped. n is 2 or more.
 */
static double huber_mean(const double *x, size_t n, double centre, double spread, double *variance)
{
	double most = CLIP * spread, mean = centre, step = INFINITY, squares = 0;
	size_t whole = 0;

	for (int i = 0; i < 50 && fabs(step) > 1e-9 * spread; i++) {
		step = 0;
		for (size_t k = 0; k < n; k++)
			step += fmax(-most, fmin(most, x[k] - mean)) / (double)n;
		mean += step;
	}
	for (size_t k = 0; k < n; k++) {
		double off = fmin(most, fabs(x[k] - mean));

		squares += off * off;
		whole += fabs(x[k] - mean) <= most;
	}
	double share = (double)TP_MAX(whole, (size_t)1) / (double)n;

	*variance = squares / (double)(n - 1) / (double)n / (share * share);
	return mean;
}

/*
 * z of a difference from the centre and how likely so large a one is, two-sided. `own`: variance
 * that x has beside that of all, and its degrees of freedom.
 */
static void robust_test(const struct tp_robust *s, double x, double own, double own_degrees,
			double *z, double *p)
{
	double all = s->error * s->error, sum = all + own;
	double degrees = sum * sum / (all * all / s->degrees + own * own / own_degrees);

	*z = sum > 0 ? (x - s->centre) / sqrt(sum) : NAN;
	*p = isfinite(*z) ? fmin(1, 2 * gsl_cdf_tdist_Q(fabs(*z), degrees)) : NAN;
}

/* Share of the numbers that is left out at each end: of the nodes, of the points of a node. */
#define ODD_NODES  0.15
#define ODD_POINTS 0.2

/* Share of the nodes that the interval of a point holds. */
#define MIDDLE 0.9

/* How often a node that is slower by the smallest difference is missed. */
#define MISSED 0.01

/* Relative standard deviation from run to run, of one value and of the figure of a node. */
#define NOISE_FLOOR 0.005

/* As TP_OUTLIER_TOLERANCE, of a single value. */
#define VALUE_TOLERANCE 0.03

/* Share of false ones among those that are named. */
#define FALSE_DISCOVERY 0.01

double tp_false_discovery_limit(const double *p, size_t n, double rate, double *scratch)
{
	double limit = -1;
	size_t known = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(p[i]))
			scratch[known++] = p[i];
	tp_sort_doubles(scratch, known);
	for (size_t i = 0; i < known; i++)
		if (scratch[i] <= rate * (double)(i + 1) / (double)known)
			limit = scratch[i];
	return limit;
}

static enum tp_outlier judge(double speed, double p, double limit, double tolerance)
{
	if (isnan(p) || p > limit || !(fabs(speed - 1) > tolerance))
		return TP_OUTLIER_NONE;
	return speed < 1 ? TP_OUTLIER_SLOW : TP_OUTLIER_FAST;
}

static bool is_value(double x)
{
	return isfinite(x) && x > 0;
}

/* One point over all nodes: logs of the values, n of them. */
static struct tp_robust scale_of_point(const struct tp_outliers *o, size_t j,
				       struct tp_robust_room *room, size_t *n)
{
	*n = 0;
	for (size_t i = 0; i < o->n_nodes; i++)
		if (is_value(o->values[i * o->n_points + j]))
			room->x[(*n)++] = log(o->values[i * o->n_points + j]);
	return robust_of(room, *n, NOISE_FLOOR, ODD_NODES);
}

static void take_cells(struct tp_outliers *o, size_t j, const struct tp_robust *s)
{
	double sign = o->points[j].less_is_better ? -1 : 1;

	for (size_t i = 0; i < o->n_nodes; i++) {
		size_t k = i * o->n_points + j;
		struct tp_outlier_value *cell = &o->cells[k];

		*cell = (struct tp_outlier_value){ NAN, NAN, NAN, TP_OUTLIER_NONE };
		if (!is_value(o->values[k]))
			continue;
		double error = o->errors ? o->errors[k] : 0;

		robust_test(s, log(o->values[k]), error * error, TP_FLOOR_DEGREES, &cell->z,
			    &cell->p);
		cell->z *= sign;
		cell->speed = exp(sign * (log(o->values[k]) - s->centre));
	}
}

/*
 * All points. A handful of nodes may agree by chance in a point that varies like the others, so
 * the spread is at least that which three quarters of the points do not exceed.
 */
static void take_points(struct tp_outliers *o, struct tp_robust_room *room)
{
	TP_FREE struct tp_robust *scales = tp_alloc(o->n_points, sizeof(*scales));
	size_t known = 0;

	for (size_t j = 0; j < o->n_points; j++) {
		scales[j] = scale_of_point(o, j, room, &o->points[j].n);
		o->points[j].median = o->points[j].n ? exp(scales[j].centre) : NAN;
		o->points[j].spread = scales[j].spread;
	}
	for (size_t j = 0; j < o->n_points; j++)
		if (isfinite(scales[j].error))
			room->x[known++] = scales[j].spread;
	tp_sort_doubles(room->x, known);
	double usual = known ? tp_quantile_sorted(room->x, known, 0.75) : 0;

	for (size_t j = 0; j < o->n_points; j++) {
		if (isfinite(scales[j].error) && scales[j].spread < usual) {
			scales[j].spread = usual;
			robust_set_error(&scales[j], o->points[j].n, NOISE_FLOOR);
		}
		take_cells(o, j, &scales[j]);
	}
}

/* The figure of a node: the clipped mean of the speeds that it has in common with others. */
static void take_node(struct tp_outliers *o, size_t i, struct tp_robust_room *room)
{
	struct tp_outlier_node *node = &o->nodes[i];
	size_t n = 0;

	for (size_t j = 0; j < o->n_points; j++) {
		double speed = o->cells[i * o->n_points + j].speed;

		if (o->points[j].n > 1 && !isnan(speed))
			room->x[n++] = log(speed);
	}
	struct tp_robust s = robust_of(room, n, 0, ODD_POINTS);

	double variance = n > 1 ? s.spread * s.spread / (double)n : 0;

	if (n >= TP_OUTLIER_NODES_MIN)
		s.centre = huber_mean(room->x, n, s.centre, s.spread, &variance);
	*node = (struct tp_outlier_node){ .n = n,
					  .speed = n ? exp(s.centre) : NAN,
					  .spread = s.spread,
					  .own = variance,
					  .z = NAN,
					  .p = NAN,
					  .outlier = TP_OUTLIER_NONE };
}

/* The middles of two groups on the log scale; `even`: neither is the usual one. */
struct split {
	bool even;
	double low, high;
};

/* How far the middle half of the numbers reaches: a single odd one does not count. */
static double middle_half(const double *sorted, size_t n)
{
	return tp_quantile_sorted(sorted, n, 0.75) - tp_quantile_sorted(sorted, n, 0.25);
}

/*
 * Two groups: the widest gap between neighbours in the order of speed, which leaves at least a
 * fifth of the nodes (and three) on either side, is wider than the tolerance and than the range of
 * most nodes on either side.
 */
static void find_groups(struct tp_outliers *o, struct tp_robust_room *room, struct split *split)
{
	size_t n = 0, at = 0;
	double widest = 0;

	for (size_t i = 0; i < o->n_nodes; i++)
		if (o->nodes[i].n > 0)
			room->x[n++] = log(o->nodes[i].speed);
	tp_sort_doubles(room->x, n);
	size_t least = TP_MAX((size_t)3, n / 5);

	for (size_t i = least; i + least <= n; i++)
		if (room->x[i] - room->x[i - 1] > widest) {
			widest = room->x[i] - room->x[i - 1];
			at = i;
		}
	if (!at || widest < TP_OUTLIER_TOLERANCE || widest < 2 * middle_half(room->x, at) ||
	    widest < 2 * middle_half(room->x + at, n - at))
		return;
	double low = tp_median_sorted(room->x, at), high = tp_median_sorted(room->x + at, n - at);

	o->upper = exp(room->x[at]);
	o->n_upper = n - at;
	o->gap = expm1(high - low);
	/* Which group is the usual one? With equal halves that is unknown. */
	*split = (struct split){ 3 * TP_MIN(at, n - at) > n, low, high };
}

/* The speed of a node relative to its group: with two even groups, its own one. */
static double own_speed(const struct tp_outliers *o, size_t i, const struct split *split)
{
	double x = log(o->nodes[i].speed);

	if (!split->even)
		return x;
	return x - (o->nodes[i].speed >= o->upper ? split->high : split->low);
}

/* Own variance of the node in the middle: it is part of what nodes show among themselves. */
static double usual_variance(const struct tp_outliers *o, struct tp_robust_room *room)
{
	size_t n = 0;

	for (size_t i = 0; i < o->n_nodes; i++)
		if (o->nodes[i].n > 0)
			room->x[n++] = o->nodes[i].own;
	return tp_median(room->x, n);
}

/*
 * How much slower a node must be to be named: the first step of Benjamini and Hochberg's rule asks
 * for that p; and chance may have made the node fast, by no more than that in 99 of 100 cases.
 */
static double smallest(const struct tp_robust *s, size_t n)
{
	double p = FALSE_DISCOVERY / (double)n;

	if (!isfinite(s->error))
		return NAN;
	double z = gsl_cdf_tdist_Qinv(p / 2, s->degrees) + gsl_cdf_tdist_Qinv(MISSED, s->degrees);

	return fmax(TP_OUTLIER_TOLERANCE, -expm1(-z * s->error));
}

static void judge_nodes(struct tp_outliers *o, const struct split *split,
			struct tp_robust_room *room)
{
	TP_FREE double *p = tp_alloc(o->n_nodes, sizeof(*p));
	double usual = usual_variance(o, room);
	size_t n = 0;

	for (size_t i = 0; i < o->n_nodes; i++)
		if (o->nodes[i].n > 0)
			room->x[n++] = own_speed(o, i, split);
	struct tp_robust s = robust_of(room, n, NOISE_FLOOR, 0);

	o->smallest = smallest(&s, n);
	for (size_t i = 0; i < o->n_nodes; i++) {
		struct tp_outlier_node *node = &o->nodes[i];

		p[i] = NAN;
		if (node->n > 0) {
			double more = fmax(0, node->own - usual);

			robust_test(&s, own_speed(o, i, split), more,
				    fmax(1, TP_QN_EFFICIENCY * ((double)node->n - 1)), &node->z,
				    &node->p);
			p[i] = node->p;
		}
	}
	double limit = tp_false_discovery_limit(p, o->n_nodes, FALSE_DISCOVERY, room->x);

	for (size_t i = 0; i < o->n_nodes; i++)
		o->nodes[i].outlier = judge(o->nodes[i].speed, p[i], limit, TP_OUTLIER_TOLERANCE);
}

static void judge_values(struct tp_outliers *o, const struct split *split)
{
	size_t n = o->n_nodes * o->n_points;
	TP_FREE double *p = tp_alloc(2 * n, sizeof(*p));

	for (size_t k = 0; k < n; k++)
		p[k] = split->even ? NAN : o->cells[k].p;
	double limit = tp_false_discovery_limit(p, n, FALSE_DISCOVERY, p + n);

	for (size_t k = 0; k < n; k++)
		o->cells[k].outlier = judge(o->cells[k].speed, p[k], limit, VALUE_TOLERANCE);
}

/* The range of most nodes, without the named ones. */
static void take_interval(struct tp_outliers *o, size_t j, struct tp_robust_room *room)
{
	struct tp_outlier_point *point = &o->points[j];
	size_t n = 0;

	for (size_t i = 0; i < o->n_nodes; i++) {
		double value = o->values[i * o->n_points + j];

		if (is_value(value) && o->nodes[i].outlier == TP_OUTLIER_NONE &&
		    o->cells[i * o->n_points + j].outlier == TP_OUTLIER_NONE)
			room->x[n++] = value;
	}
	tp_sort_doubles(room->x, n);
	point->low = n ? tp_quantile_sorted(room->x, n, 0.5 * (1 - MIDDLE)) : NAN;
	point->high = n ? tp_quantile_sorted(room->x, n, 0.5 * (1 + MIDDLE)) : NAN;
}

void tp_outliers_find(struct tp_outliers *o)
{
	const size_t most = TP_MAX(o->n_nodes, o->n_points) + 1;
	TP_FREE double *numbers = tp_alloc(5 * most, sizeof(*numbers));
	TP_FREE int *ints = tp_alloc(5 * most, sizeof(*ints));
	struct tp_robust_room room = {
		.x = numbers, .sorted = numbers + most, .work = numbers + 2 * most, .ints = ints
	};
	struct split split = { 0 };

	o->upper = o->gap = 0;
	o->n_upper = 0;
	o->smallest = NAN;
	take_points(o, &room);
	for (size_t i = 0; i < o->n_nodes; i++)
		take_node(o, i, &room);
	find_groups(o, &room, &split);
	judge_nodes(o, &split, &room);
	judge_values(o, &split);
	for (size_t j = 0; j < o->n_points; j++)
		take_interval(o, j, &room);
}
