/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/outliers.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/stats.h"
#include "base/vec.h"

/* A floor comes from experience, not from these nodes: as good as from 31 runs. */
#define FLOOR_DEGREES 30.0
/* Of Qn on normal samples (Rousseeuw and Croux 1993). */
#define QN_EFFICIENCY 0.8
/* Share of the nodes that the interval of a point holds. */
#define MIDDLE 0.9

const struct tp_outlier_judging tp_outlier_judging_default = {
	.floor = 0.005,
	.node_floor = 0.005,
	.tolerance = 0.02,
	.value_tolerance = 0.03,
	.false_discovery = 0.01,
};

/* Room for one sample of so many numbers. */
struct room {
	double *x, *sorted, *work;
	int *ints;
};

static void room_release(struct room *room)
{
	free(room->x);
	free(room->sorted);
	free(room->work);
	free(room->ints);
}

static bool room_make(struct room *room, size_t n)
{
	room->x = malloc((n + 1) * sizeof(double));
	room->sorted = malloc((n + 1) * sizeof(double));
	room->work = malloc(3 * (n + 1) * sizeof(double));
	room->ints = malloc(5 * (n + 1) * sizeof(int));
	return room->x && room->sorted && room->work && room->ints;
}

/* What n numbers have in common. */
struct scale {
	double centre, spread; /* spread: without the floor; NaN for one number */
	double error, degrees; /* with it, for a difference from the centre */
};

/*
 * Deviation of a normal sample by the range of its middle: 15 % are left out at each end, at least
 * one. Qn is nearly 0 where half of the values are equal, as of clocks that step: the rest would be
 * outliers then. Expected order statistics by Blom (1958).
 */
static double middle_deviation(const double *sorted, size_t n)
{
	size_t k = TP_MAX((size_t)1, (size_t)(0.15 * (double)n));
	double expected = gsl_cdf_ugaussian_Pinv(((double)(n - k) - 0.375) / ((double)n + 0.25));

	return (sorted[n - 1 - k] - sorted[k]) / (2 * expected);
}

/* Of room->x[n], which stays as it is. `wide`: the middle counts, too. */
static struct scale scale_of(struct room *room, size_t n, double floor, bool wide)
{
	struct scale s = { NAN, NAN, NAN, NAN };

	for (size_t i = 0; i < n; i++)
		room->sorted[i] = room->x[i];
	tp_sort_doubles(room->sorted, n);
	if (n > 0)
		s.centre = tp_median_sorted(room->sorted, n);
	if (n < 2)
		return s;
	s.spread = gsl_stats_Qn_from_sorted_data(room->sorted, 1, n, room->work, room->ints);
	if (n < TP_OUTLIER_NODES_MIN)
		return s;
	if (wide)
		s.spread = fmax(s.spread, middle_deviation(room->sorted, n));
	double own = s.spread * s.spread, known = floor * floor;
	double degrees = fmax(1, QN_EFFICIENCY * (double)(n - 1));
	double sum = own + known;

	/* The centre comes from the same nodes: it is uncertain, too. */
	s.error = sqrt(sum * (1 + 1 / (double)n));
	s.degrees = sum > 0 ? sum * sum / (own * own / degrees + known * known / FLOOR_DEGREES)
			    : degrees;
	return s;
}

/*
 * z of a difference from the centre and how likely so large a one is, two-sided. `own`: standard
 * deviation that x is known to have, beside that of all.
 */
static void test(const struct scale *s, double x, double own, double *z, double *p)
{
	double error = sqrt(s->error * s->error + own * own);

	*z = error > 0 ? (x - s->centre) / error : NAN;
	*p = isfinite(*z) ? fmin(1, 2 * gsl_cdf_tdist_Q(fabs(*z), s->degrees)) : NAN;
}

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

/* One point over all nodes. */
static void take_point(struct tp_outliers *o, size_t j, double floor, struct room *room)
{
	struct tp_outlier_point *point = &o->points[j];
	size_t n = 0;

	for (size_t i = 0; i < o->n_nodes; i++)
		if (is_value(o->values[i * o->n_points + j]))
			room->x[n++] = log(o->values[i * o->n_points + j]);
	struct scale s = scale_of(room, n, floor, true);

	point->n = n;
	point->median = n ? exp(s.centre) : NAN;
	point->spread = s.spread;
	for (size_t i = 0; i < o->n_nodes; i++) {
		double value = o->values[i * o->n_points + j];
		struct tp_outlier_value *cell = &o->cells[i * o->n_points + j];
		double sign = point->less_is_better ? -1 : 1;

		*cell = (struct tp_outlier_value){ NAN, NAN, NAN, TP_OUTLIER_NONE };
		if (!is_value(value))
			continue;
		test(&s, log(value), o->errors ? o->errors[i * o->n_points + j] : 0, &cell->z,
		     &cell->p);
		cell->z *= sign;
		cell->speed = exp(sign * (log(value) - s.centre));
	}
}

/* The figure of each node: the median speed of what it has in common with others. */
static void take_node(struct tp_outliers *o, size_t i, struct room *room)
{
	struct tp_outlier_node *node = &o->nodes[i];
	size_t n = 0;

	for (size_t j = 0; j < o->n_points; j++) {
		double speed = o->cells[i * o->n_points + j].speed;

		if (o->points[j].n > 1 && !isnan(speed))
			room->x[n++] = log(speed);
	}
	struct scale s = scale_of(room, n, 0, true);

	*node = (struct tp_outlier_node){ n,   n ? exp(s.centre) : NAN, s.spread, NAN,
					  NAN, TP_OUTLIER_NONE };
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
 * fifth of the nodes (and three) on either side, is wider than the tolerance and than what most
 * nodes of either side have between them.
 */
static void find_groups(struct tp_outliers *o, double tolerance, struct room *room,
			struct split *split)
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
	if (!at || widest < tolerance || widest < 2 * middle_half(room->x, at) ||
	    widest < 2 * middle_half(room->x + at, n - at))
		return;
	double low = tp_median_sorted(room->x, at), high = tp_median_sorted(room->x + at, n - at);

	o->upper = exp(room->x[at]);
	o->n_upper = n - at;
	o->gap = expm1(high - low);
	/* Which group is the usual one? Half and half nobody can say. */
	*split = (struct split){ 3 * TP_MIN(at, n - at) > n, low, high };
}

/* The speed of a node against those it belongs to: of two even groups, its own. */
static double own_speed(const struct tp_outliers *o, size_t i, const struct split *split)
{
	double x = log(o->nodes[i].speed);

	if (!split->even)
		return x;
	return x - (o->nodes[i].speed >= o->upper ? split->high : split->low);
}

/* What the median of its points has for their differences alone: sqrt(pi / 2) of a mean's. */
static double own_error(const struct tp_outlier_node *node)
{
	return node->n > 1 ? 1.2533 * node->spread / sqrt((double)node->n) : 0;
}

static enum tp_status judge_nodes(struct tp_outliers *o, const struct tp_outlier_judging *judging,
				  const struct split *split, struct room *room)
{
	double *p = malloc((o->n_nodes + 1) * sizeof(*p));
	size_t n = 0;

	if (!p)
		return TP_NOMEM;
	for (size_t i = 0; i < o->n_nodes; i++)
		if (o->nodes[i].n > 0)
			room->x[n++] = own_speed(o, i, split);
	struct scale s = scale_of(room, n, judging->node_floor, false);

	for (size_t i = 0; i < o->n_nodes; i++) {
		p[i] = NAN;
		if (o->nodes[i].n > 0) {
			test(&s, own_speed(o, i, split), own_error(&o->nodes[i]), &o->nodes[i].z,
			     &o->nodes[i].p);
			p[i] = o->nodes[i].p;
		}
	}
	double limit = tp_false_discovery_limit(p, o->n_nodes, judging->false_discovery, room->x);

	for (size_t i = 0; i < o->n_nodes; i++)
		o->nodes[i].outlier = judge(o->nodes[i].speed, p[i], limit, judging->tolerance);
	free(p);
	return TP_OK;
}

/* Of two even groups every value lies away from the middle: none is named. */
static enum tp_status judge_values(struct tp_outliers *o, const struct tp_outlier_judging *judging,
				   const struct split *split)
{
	size_t n = o->n_nodes * o->n_points;
	double *p = malloc((2 * n + 1) * sizeof(*p));

	if (!p)
		return TP_NOMEM;
	for (size_t k = 0; k < n; k++)
		p[k] = split->even ? NAN : o->cells[k].p;
	double limit = tp_false_discovery_limit(p, n, judging->false_discovery, p + n);

	for (size_t k = 0; k < n; k++)
		o->cells[k].outlier =
			judge(o->cells[k].speed, p[k], limit, judging->value_tolerance);
	free(p);
	return TP_OK;
}

/* What most nodes give: without those that are named. */
static void take_interval(struct tp_outliers *o, size_t j, struct room *room)
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

enum tp_status tp_outliers_find(struct tp_outliers *o, const struct tp_outlier_judging *judging)
{
	struct room room = { 0 };
	struct split split = { 0 };
	enum tp_status status =
		room_make(&room, TP_MAX(o->n_nodes, o->n_points)) ? TP_OK : TP_NOMEM;

	o->upper = o->gap = 0;
	o->n_upper = 0;
	for (size_t j = 0; j < o->n_points && status == TP_OK; j++)
		take_point(o, j, judging->floor, &room);
	for (size_t i = 0; i < o->n_nodes && status == TP_OK; i++)
		take_node(o, i, &room);
	if (status == TP_OK)
		find_groups(o, judging->tolerance, &room, &split);
	if (status == TP_OK)
		status = judge_nodes(o, judging, &split, &room);
	if (status == TP_OK)
		status = judge_values(o, judging, &split);
	for (size_t j = 0; j < o->n_points && status == TP_OK; j++)
		take_interval(o, j, &room);
	room_release(&room);
	return status;
}
