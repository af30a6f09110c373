/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/vec.h"
#include "plot/plot.h"

#include <math.h>

/* Ends beyond these are moved in: 10^k is no number near infinity and near zero. */
static const double log_least = 1e-300, most = 1e300;

bool tp_scale_is_binary(const struct tp_scale *scale)
{
	return scale->kind == TP_SCALE_LOG2 ||
	       (scale->kind == TP_SCALE_LOG10 && scale->unit == TP_UNIT_BYTES);
}

static bool has_place(const struct tp_scale *scale, double value)
{
	return isfinite(value) && (scale->kind == TP_SCALE_LINEAR || value > 0);
}

double tp_scale_warp(const struct tp_scale *scale, double value)
{
	if (!has_place(scale, value))
		return NAN;
	if (scale->kind == TP_SCALE_LINEAR)
		return value;
	return tp_scale_is_binary(scale) ? log2(value) : log10(value);
}

double tp_scale_place(const struct tp_scale *scale, double value)
{
	/* Halves, so that the widest linear scale does not overflow. */
	double low = tp_scale_warp(scale, scale->min) / 2;
	double high = tp_scale_warp(scale, scale->max) / 2;
	double at = tp_scale_warp(scale, value) / 2;
	if (!(low < high) || isnan(at))
		return NAN;
	return (at - low) / (high - low);
}

double tp_scale_value(const struct tp_scale *scale, double place)
{
	double from = tp_scale_warp(scale, scale->min), to = tp_scale_warp(scale, scale->max);
	double at = from + (to - from) * place;
	if (scale->kind == TP_SCALE_LINEAR)
		return at;
	return tp_scale_is_binary(scale) ? exp2(at) : pow(10, at);
}

double tp_scale_step(const struct tp_scale *scale, double least)
{
	if (!(least > 0) || !isfinite(least))
		return 1;
	if (scale->unit == TP_UNIT_BYTES)
		return exp2(ceil(log2(least) - 1e-9));
	double decade = pow(10, floor(log10(least) + 1e-9));
	double wanted = least * (1 - 1e-9);
	return decade * (decade >= wanted	? 1
			 : 2 * decade >= wanted ? 2
			 : 5 * decade >= wanted ? 5
						: 10);
}

/* The ends of all values that have a place on an axis; high < low: there are none. */
struct extent {
	const struct tp_scale *scale;
	double low, high;
};

static bool extend(struct extent *e, double value)
{
	if (!has_place(e->scale, value))
		return false;
	e->low = fmin(e->low, value);
	e->high = fmax(e->high, value);
	return true;
}

static bool extend_to_point(struct extent *ex, struct extent *ey, double x, double y)
{
	return has_place(ex->scale, x) && extend(ey, y) && extend(ex, x);
}

static void extend_to_series(const struct tp_series *s, struct extent *ex, struct extent *ey)
{
	for (size_t i = 0; i < s->n; i++) {
		if (!extend_to_point(ex, ey, s->x[i], s->y[i]))
			continue;
		extend(ey, s->low ? s->low[i] : s->y[i]);
		extend(ey, s->high ? s->high[i] : s->y[i]);
	}
}

/* The ends, moved apart by a factor on each side if they are too close. */
static void widen_to(struct extent *e, double low, double high, double least_ratio, double factor)
{
	bool close = high < low * least_ratio;
	e->low = close ? low / factor : low;
	e->high = close ? high * factor : high;
}

static void widen_log10(struct extent *e)
{
	static const double mantissa[] = { 1, 1.5, 2, 3, 5, 7, 10 };
	double decade = pow(10, floor(log10(e->low) + 1e-9)), low = decade;
	for (size_t i = 0; i < TP_COUNT_OF(mantissa); i++)
		if (mantissa[i] * decade <= e->low * (1 + 1e-9))
			low = mantissa[i] * decade;
	decade = pow(10, floor(log10(e->high) + 1e-9));
	double high = decade;
	for (size_t i = 0; i < TP_COUNT_OF(mantissa) && high < e->high * (1 - 1e-9); i++)
		high = mantissa[i] * decade;
	widen_to(e, low, high, 1.2, 10);
}

static void widen_log2(struct extent *e)
{
	widen_to(e, exp2(floor(log2(e->low) + 1e-9)), exp2(ceil(log2(e->high) - 1e-9)), 1.5, 2);
}

static void widen_linear(struct extent *e)
{
	/* Amounts are read from zero unless that would squeeze the data into the upper half. */
	if (e->low > 0 && e->low <= e->high / 2)
		e->low = 0;
	if (e->high < 0 && e->high >= e->low / 2)
		e->high = 0;
	if (!(e->low < e->high)) {
		double around = fabs(e->low) > 0 ? fabs(e->low) / 2 : 1;
		e->low -= around;
		e->high += around;
	}
	double step = tp_scale_step(e->scale, (e->high - e->low) / 8);
	double low = floor(e->low / step + 1e-9) * step;
	double high = ceil(e->high / step - 1e-9) * step;
	if (low < high) {
		e->low = low;
		e->high = high;
	}
}

static void fit_one(struct tp_scale *scale, const struct tp_names *names, struct extent e,
		    bool headroom)
{
	bool log_axis = scale->kind != TP_SCALE_LINEAR;
	if (isfinite(scale->min) && isfinite(scale->max) && scale->min < scale->max &&
	    !isnan(tp_scale_warp(scale, scale->min)) && tp_scale_place(scale, scale->max) == 1)
		return;
	if (scale->unit == TP_UNIT_NAMES) {
		scale->min = -0.5;
		scale->max = (double)TP_MAX(names->n, (size_t)1) - 0.5;
		return;
	}
	/* Room above the highest roof, where its name goes. */
	if (headroom && scale->kind == TP_SCALE_LOG10 && e.low > 0 && e.high > e.low)
		e.high *= pow(e.high / e.low, 0.04);
	if (e.high < e.low) {
		e.low = log_axis;
		e.high = tp_scale_is_binary(scale) ? 1024 : 100;
	}
	double least = log_axis ? log_least : -most;
	e.low = fmin(fmax(e.low, least), most);
	e.high = fmin(fmax(e.high, least), most);
	if (!log_axis)
		widen_linear(&e);
	else if (tp_scale_is_binary(scale))
		widen_log2(&e);
	else
		widen_log10(&e);
	scale->min = e.low;
	scale->max = e.high;
}

void tp_scale_fit(const struct tp_scene *scene, struct tp_scale *x, struct tp_scale *y)
{
	struct extent ex = { x, INFINITY, -INFINITY }, ey = { y, INFINITY, -INFINITY };
	*x = scene->x;
	*y = scene->y;
	for (size_t i = 0; i < scene->n_series; i++)
		extend_to_series(&scene->series[i], &ex, &ey);
	for (size_t i = 0; i < scene->n_marks; i++) {
		const struct tp_plot_mark *mark = &scene->marks[i];
		if (mark->at_point)
			extend_to_point(&ex, &ey, mark->x, mark->y);
		else
			extend(&ex, mark->x);
		if (mark->until > mark->x)
			extend(&ex, mark->until);
	}
	fit_one(x, &scene->x_names, ex, false);
	fit_one(y, &scene->y_names, ey, true);
}
