/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ticks of an axis and their labels. */
#include "base/str.h"
#include "base/vec.h"
#include "plot/scale.h"

#include <math.h>
#include <stdio.h>

/* Below so many cells a decade its minors would be a solid bar: 2 and 5 only, then none. */
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
	bool power = tp_scale_is_binary(scale) && fabs(octave - nearbyint(octave)) < 1e-9;
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
	else if (size < 1e-3 * (1 - 1e-9) || size >= 1e18) /* 1e-4: printf says 0.0001 or 1e-04 */
		snprintf(out, 16, "%.*ge%.0f", TP_MIN(digits, 6), value / pow(10, decade), decade);
	else
		format_scaled(out, value, 1000, "kMGTP", digits);
}

static void add(struct ruler *r, double value, double step, bool labelled)
{
	if (r->n == r->max)
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
	double step = tp_scale_step(s, TP_MAX(least, span * 2 / (double)r->max));
	for (int i = 0; i < 64 && !step_keeps_gap(r, step, (double)r->min_gap); i++)
		step = tp_scale_step(s, step * 1.5);
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
		.low = tp_scale_warp(scale, scale->min),
		.high = tp_scale_warp(scale, scale->max),
		.cells = TP_MAX(cells, 1),
		.min_gap = TP_MAX(min_gap, 1),
		.max = max,
		.ticks = ticks,
	};
	if (!(r.low < r.high) || !max)
		return 0;
	r.cells_per_unit = (double)r.cells / (r.high - r.low);
	if (scale->kind != TP_SCALE_LINEAR) {
		if (tp_scale_is_binary(scale))
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
