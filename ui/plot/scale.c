/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/plot/scale.h"

#include <math.h>

/* Log axes stay away from denormals and from infinity, where 10^k is no longer a number. */
static const double log_least = 1e-300, log_most = 1e300;
static const double linear_most = 1e300;

struct extent {
	double low, high;
	bool any;
};

bool tp_scale_is_binary(const struct tp_scale *scale)
{
	return scale->kind == TP_SCALE_LOG2 ||
	       (scale->kind == TP_SCALE_LOG10 && scale->unit == TP_UNIT_BYTES);
}

double tp_scale_warp(const struct tp_scale *scale, double value)
{
	if (!isfinite(value))
		return NAN;
	if (scale->kind == TP_SCALE_LINEAR)
		return value;
	if (value <= 0)
		return NAN;
	return scale->kind == TP_SCALE_LOG10 ? log10(value) : log2(value);
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
	switch (scale->kind) {
	case TP_SCALE_LOG10:
		return pow(10, at);
	case TP_SCALE_LOG2:
		return exp2(at);
	default:
		return at;
	}
}

double tp_scale_step(const struct tp_scale *scale, double least)
{
	if (!(least > 0) || !isfinite(least))
		return 1;
	if (scale->unit == TP_UNIT_BYTES)
		return exp2(ceil(log2(least) - 1e-9));
	double decade = pow(10, floor(log10(least) + 1e-9));
	static const double mantissa[] = { 1, 2, 5, 10 };
	for (size_t i = 0; i < 3; i++)
		if (mantissa[i] * decade >= least * (1 - 1e-9))
			return mantissa[i] * decade;
	return 10 * decade;
}

static void extend(struct extent *e, double value)
{
	if (!e->any || value < e->low)
		e->low = value;
	if (!e->any || value > e->high)
		e->high = value;
	e->any = true;
}

static void extend_to_series(const struct tp_series *s, const struct tp_scale *x,
			     const struct tp_scale *y, struct extent *ex, struct extent *ey)
{
	for (size_t i = 0; i < s->n; i++) {
		if (isnan(tp_scale_warp(x, s->x[i])) || isnan(tp_scale_warp(y, s->y[i])))
			continue;
		extend(ex, s->x[i]);
		extend(ey, s->y[i]);
		if (s->low && !isnan(tp_scale_warp(y, s->low[i])))
			extend(ey, s->low[i]);
		if (s->high && !isnan(tp_scale_warp(y, s->high[i])))
			extend(ey, s->high[i]);
	}
}

static void extend_to_mark(const struct tp_plot_mark *mark, const struct tp_scale *x,
			   const struct tp_scale *y, struct extent *ex, struct extent *ey)
{
	if (isnan(tp_scale_warp(x, mark->x)))
		return;
	if (mark->at_point) {
		if (isnan(tp_scale_warp(y, mark->y)))
			return;
		extend(ey, mark->y);
	}
	extend(ex, mark->x);
}

static void widen_log10(struct extent *e)
{
	static const double mantissa[] = { 1, 1.5, 2, 3, 5, 7, 10 };
	const size_t n = sizeof(mantissa) / sizeof(mantissa[0]);
	double decade = pow(10, floor(log10(e->low) + 1e-9));
	double low = decade;
	for (size_t i = 0; i < n && mantissa[i] * decade <= e->low * (1 + 1e-9); i++)
		low = mantissa[i] * decade;
	decade = pow(10, floor(log10(e->high) + 1e-9));
	double high = decade;
	for (size_t i = 0; i < n && high < e->high * (1 - 1e-9); i++)
		high = mantissa[i] * decade;
	if (high < low * 1.2) {
		low /= 10;
		high *= 10;
	}
	e->low = low;
	e->high = high;
}

static void widen_log2(struct extent *e)
{
	double low = exp2(floor(log2(e->low) + 1e-9));
	double high = exp2(ceil(log2(e->high) - 1e-9));
	if (high < low * 1.5) {
		low /= 2;
		high *= 2;
	}
	e->low = low;
	e->high = high;
}

static void widen_linear(struct extent *e, const struct tp_scale *scale)
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
	double step = tp_scale_step(scale, (e->high - e->low) / 8);
	double low = floor(e->low / step + 1e-9) * step;
	double high = ceil(e->high / step - 1e-9) * step;
	if (low < high) {
		e->low = low;
		e->high = high;
	}
}

static void clamp(struct extent *e, double least, double most)
{
	e->low = fmin(fmax(e->low, least), most);
	e->high = fmin(fmax(e->high, least), most);
}

/* Room above the highest roof, where its name goes. */
static void raise(struct extent *e)
{
	if (e->low > 0 && e->high > e->low)
		e->high *= pow(e->high / e->low, 0.04);
}

static void fit_one(struct tp_scale *scale, struct extent e, bool headroom)
{
	bool log_axis = scale->kind != TP_SCALE_LINEAR;
	if (isfinite(scale->min) && isfinite(scale->max) && scale->min < scale->max &&
	    !isnan(tp_scale_warp(scale, scale->min)) && tp_scale_place(scale, scale->max) == 1)
		return;
	if (headroom && e.any && scale->kind == TP_SCALE_LOG10)
		raise(&e);
	if (!e.any)
		e = (struct extent){ log_axis, tp_scale_is_binary(scale) ? 1024 : 100, true };
	if (log_axis)
		clamp(&e, log_least, log_most);
	else
		clamp(&e, -linear_most, linear_most);
	if (!log_axis)
		widen_linear(&e, scale);
	else if (tp_scale_is_binary(scale))
		widen_log2(&e);
	else
		widen_log10(&e);
	scale->min = e.low;
	scale->max = e.high;
}

void tp_scale_fit(const struct tp_scene *scene, struct tp_scale *x, struct tp_scale *y)
{
	struct extent ex = { 0 }, ey = { 0 };
	*x = scene->x;
	*y = scene->y;
	for (size_t i = 0; i < scene->n_series; i++)
		extend_to_series(&scene->series[i], x, y, &ex, &ey);
	for (size_t i = 0; i < scene->n_marks; i++)
		extend_to_mark(&scene->marks[i], x, y, &ex, &ey);
	fit_one(x, ex, false);
	fit_one(y, ey, true);
}
