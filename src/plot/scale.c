/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plot/scale.h"

#include <math.h>
#include <stdio.h>

#include "base/str.h"
#include "base/memory.h"
#include "plot/plot.h"

/* Ends beyond these are moved in: 10^k is not a number near infinity and near zero. */
static const double log_least = 1e-300, most = 1e300;

/* True where ticks lie at powers of two: LOG2, and any logarithmic axis of bytes. */
static bool scale_is_binary(const struct tp_scale *scale)
{
	return scale->kind == TP_SCALE_LOG2 ||
	       (scale->kind == TP_SCALE_LOG10 && scale->unit == TP_UNIT_BYTES);
}

static bool has_place(const struct tp_scale *scale, double value)
{
	return isfinite(value) && (scale->kind == TP_SCALE_LINEAR || value > 0);
}

/* The value on the axis' own ruler: itself, its log10 or its log2; NaN if it has no place. */
static double scale_warp(const struct tp_scale *scale, double value)
{
	if (!has_place(scale, value))
		return NAN;
	if (scale->kind == TP_SCALE_LINEAR)
		return value;
	return scale_is_binary(scale) ? log2(value) : log10(value);
}

double tp_scale_place(const struct tp_scale *scale, double value)
{
	/* Halves, so that the widest linear scale does not overflow. */
	double low = scale_warp(scale, scale->min) / 2;
	double high = scale_warp(scale, scale->max) / 2;
	double at = scale_warp(scale, value) / 2;
	if (!(low < high) || isnan(at))
		return NAN;
	return (at - low) / (high - low);
}

double tp_scale_value(const struct tp_scale *scale, double place)
{
	double from = scale_warp(scale, scale->min), to = scale_warp(scale, scale->max);
	double at = from + (to - from) * place;
	if (scale->kind == TP_SCALE_LINEAR)
		return at;
	return scale_is_binary(scale) ? exp2(at) : pow(10, at);
}

static bool is_whole(double value)
{
	return fabs(value - nearbyint(value)) < 1e-9 * fmax(1, fabs(value));
}

enum tp_scale_unit tp_scale_unit_of(const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (isfinite(values[i]) && !is_whole(values[i]))
			return TP_UNIT_PLAIN;
	return TP_UNIT_WHOLE;
}

/* The smallest 1, 2 or 5 x 10^k (bytes: power of two) that is at least `least`. */
static double scale_step(const struct tp_scale *scale, double least)
{
	if (!(least > 0) || !isfinite(least))
		return 1;
	if (scale->unit == TP_UNIT_WHOLE)
		least = fmax(least, 1);
	if (scale->unit == TP_UNIT_BYTES)
		return exp2(ceil(log2(least) - 1e-9));
	double decade = pow(10, floor(log10(least) + 1e-9));
	double wanted = least * (1 - 1e-9);
	return decade * (decade >= wanted	? 1
			 : 2 * decade >= wanted ? 2
			 : 5 * decade >= wanted ? 5
						: 10);
}

/* The extent of all values with a place on an axis; high < low: no such value. */
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
	double step = scale_step(e->scale, (e->high - e->low) / 8);
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
	    !isnan(scale_warp(scale, scale->min)) && tp_scale_place(scale, scale->max) == 1)
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
		e.high = scale_is_binary(scale) ? 1024 : 100;
	}
	double least = log_axis ? log_least : -most;
	e.low = fmin(fmax(e.low, least), most);
	e.high = fmin(fmax(e.high, least), most);
	if (!log_axis)
		widen_linear(&e);
	else if (scale_is_binary(scale))
		widen_to(&e, exp2(floor(log2(e.low) + 1e-9)), exp2(ceil(log2(e.high) - 1e-9)), 1.5,
			 2);
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
	for (size_t i = 0; i < scene->n_series; i++) {
		const struct tp_series *s = &scene->series[i];
		for (size_t k = 0; k < s->n; k++)
			if (extend_to_point(&ex, &ey, s->x[k], s->y[k])) {
				extend(&ey, s->low ? s->low[k] : s->y[k]);
				extend(&ey, s->high ? s->high[k] : s->y[k]);
			}
	}
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

/* With fewer cells a decade its minors would be a solid bar: 2 and 5 only, then none. */
static const double all_minors_cells = 10, some_minors_cells = 5;

struct ruler {
	const struct tp_scale *scale;
	double low, high; /* warped ends */
	double cells_per_unit; /* cells a decade, an octave, or one of the value */
	size_t cells, min_gap, max;
	struct tp_tick *ticks;
	size_t n, n_labels;
};

static void format_scaled(char out[16], double value, double base, const char *suffixes, int digits)
{
	size_t i = 0;
	double scaled = value;
	while (fabs(scaled) >= base * (1 - 1e-9) && suffixes[i]) {
		scaled /= base;
		i++;
	}
	char suffix[2] = { i ? suffixes[i - 1] : '\0', '\0' };
	char text[32];
	snprintf(text, sizeof(text), "%.*g%s", digits, scaled, suffix);
	tp_copy(out, 16, text);
}

/* The label of a tick at `value`; `step` is the distance to its neighbour, 0 on a log axis. */
static void label_tick(const struct tp_scale *scale, double value, double step, char out[16])
{
	double size = fabs(value), decade = floor(log10(size) + 1e-9);
	int digits = 3;
	if (step > 0 && size > step)
		digits = (int)(decade - floor(log10(step) + 1e-9)) + 1;
	digits = TP_MAX(3, TP_MIN(digits, 9));
	double octave = size > 0 ? log2(size) : 0;
	bool power = scale_is_binary(scale) && fabs(octave - nearbyint(octave)) < 1e-9;
	if (size == 0)
		snprintf(out, 16, "0");
	else if (scale->unit == TP_UNIT_BYTES && size >= 1 && octave < 70)
		format_scaled(out, value, 1024, "KMGTPE", TP_MAX(digits, 4));
	else if (power && (octave < -10 || octave > 13))
		snprintf(out, 16, "2^%.0f", nearbyint(octave));
	else if (power && octave < 0)
		snprintf(out, 16, "1/%.0f", exp2(-octave));
	else if (power)
		snprintf(out, 16, "%.0f", value);
	else if (size < 1e-3 * (1 - 1e-9) || size >= 1e18) /* 1e-4: printf prints 0.0001 or 1e-04 */
		snprintf(out, 16, "%.*ge%.0f", TP_MIN(digits, 6), value / pow(10, decade), decade);
	else
		format_scaled(out, value, 1000, "kMGTP", digits);
}

static void add(struct ruler *r, double value, double step, bool labelled)
{
	if (r->n == r->max || (r->scale->unit == TP_UNIT_WHOLE && !is_whole(value)))
		return;
	struct tp_tick *tick = &r->ticks[r->n++];
	tick->value = value;
	tick->label[0] = '\0';
	if (labelled)
		label_tick(r->scale, value, step, tick->label);
	r->n_labels += labelled;
}

/* The smallest stride between labelled decades or octaves that keeps them `min_gap` cells apart. */
static double pick_stride(const struct ruler *r, const double *strides, size_t n)
{
	for (double tens = 1; tens < 1e9; tens *= 10)
		for (size_t i = 0; i < n; i++) {
			double stride = strides[i] * tens;
			bool apart = stride * r->cells_per_unit >= (double)r->min_gap;
			if (apart && (r->high - r->low) / stride + 1 <= (double)r->max)
				return stride;
		}
	return 1e9;
}

/*
 * Labels lie at multiples of the stride. Where fewer than two multiples are in sight, they begin at
 * the first whole power.
 */
static double pick_anchor(const struct ruler *r, double stride)
{
	double first = ceil(r->low / stride - 1e-9) * stride;
	if (first + stride <= r->high + 1e-9)
		return first;
	return ceil(r->low - 1e-9);
}

static bool on_stride(double exponent, double anchor, double stride)
{
	double k = (exponent - anchor) / stride;
	return fabs(k - nearbyint(k)) < 1e-6;
}

static void ticks_decades(struct ruler *r)
{
	static const double strides[] = { 1, 2, 3, 5 };
	double per = r->cells_per_unit;
	double stride = pick_stride(r, strides, TP_COUNT_OF(strides));
	double anchor = pick_anchor(r, stride);
	double first = floor(r->low + 1e-9), last = floor(r->high + 1e-9);
	double whole = last - ceil(r->low - 1e-9) + 1; /* powers of ten in sight */
	bool label_125 = whole < 3 && stride == 1 && 0.30 * per >= (double)r->min_gap;
	bool room = (last - first + 1) * 9 <= (double)r->max;
	bool all = room && per >= all_minors_cells;
	bool some = label_125 || (room && per >= some_minors_cells);
	for (double k = first; k <= last; k++)
		for (int m = 1; m <= 9; m++) {
			double at = k + log10(m);
			if (at < r->low - 1e-9 || at > r->high + 1e-9)
				continue;
			bool mantissa_125 = m == 2 || m == 5;
			bool labelled =
				m == 1 ? on_stride(k, anchor, stride) : mantissa_125 && label_125;
			if (labelled || (m == 1 && per >= 1) || all || (some && mantissa_125))
				add(r, m * pow(10, k), 0, labelled);
		}
}

static void ticks_octaves(struct ruler *r)
{
	static const double strides[] = { 1, 2, 5 };
	double stride = pick_stride(r, strides, TP_COUNT_OF(strides));
	double anchor = pick_anchor(r, stride);
	bool minors = r->cells_per_unit >= 1.5 && r->high - r->low + 1 <= (double)r->max;
	for (double k = ceil(r->low - 1e-9); k <= r->high + 1e-9; k++) {
		bool labelled = on_stride(k, anchor, stride);
		if (labelled || minors)
			add(r, exp2(k), 0, labelled);
	}
}

/*
 * True if ticks `step` apart lie at least `gap` cells apart everywhere on the (possibly
 * logarithmic) axis.
 */
static bool step_keeps_gap(const struct ruler *r, double step, double gap)
{
	double top = floor(r->scale->max / step + 1e-9) * step;
	double upper = tp_scale_place(r->scale, top);
	double lower = tp_scale_place(r->scale, top - step);
	return !(upper - lower <
		 gap * (1 - 1e-9) / (double)r->cells); /* NaN: only one tick is left */
}

static void ticks_linear(struct ruler *r)
{
	const struct tp_scale *s = r->scale;
	double span = s->max / 2 - s->min / 2;
	double least = span * 2 * (double)r->min_gap / (double)r->cells;
	if (!isfinite(least))
		least = span;
	double step = scale_step(s, TP_MAX(least, span * 2 / (double)r->max));
	for (int i = 0; i < 64 && !step_keeps_gap(r, step, (double)r->min_gap); i++)
		step = scale_step(s, step * 1.5);
	/* A step of 2 is halved, 1 and 5 are cut into five (bytes: always halved). */
	double mantissa = step / pow(10, floor(log10(step) + 1e-9));
	int parts = s->unit == TP_UNIT_BYTES || (mantissa > 1.5 && mantissa < 3) ? 2 : 5;
	if (!step_keeps_gap(r, step / parts, 2) || span * 2 / step * parts + 2 > (double)r->max)
		parts = 1;
	double fine = step / parts;
	double first = ceil(s->min / fine - 1e-9), last = floor(s->max / fine + 1e-9);
	for (double k = first; k <= last && r->n < r->max; k++)
		add(r, k * fine, step, fabs(fmod(k, parts)) < 0.5);
}

size_t tp_scale_ticks(const struct tp_scale *scale, size_t cells, size_t min_gap,
		      struct tp_tick *ticks, size_t max)
{
	struct ruler r = {
		.scale = scale,
		.low = scale_warp(scale, scale->min),
		.high = scale_warp(scale, scale->max),
		.cells = TP_MAX(cells, 1),
		.min_gap = TP_MAX(min_gap, 1),
		.max = max,
		.ticks = ticks,
	};
	if (!(r.low < r.high) || !max)
		return 0;
	r.cells_per_unit = (double)r.cells / (r.high - r.low);
	if (scale->kind != TP_SCALE_LINEAR) {
		if (scale_is_binary(scale))
			ticks_octaves(&r);
		else
			ticks_decades(&r);
		if (r.n_labels >= 2)
			return r.n;
		r.n = 0;
	}
	ticks_linear(&r);
	return r.n;
}

size_t tp_scale_names(const struct tp_scale *scale, const struct tp_names *names, size_t cells,
		      size_t min_gap, struct tp_tick *ticks, size_t max)
{
	double each = (double)cells / (scale->max - scale->min);
	size_t stride = 1, n = 0;
	while ((double)stride * each < (double)min_gap && stride < names->n)
		stride++;
	for (size_t i = 0; i < names->n && n < max; i += stride)
		if ((double)i >= scale->min && (double)i <= scale->max) {
			ticks[n].value = (double)i;
			tp_copy(ticks[n].label, sizeof(ticks[n].label), names->items[i]);
			n++;
		}
	return n;
}
