/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/difference.h"

#include <math.h>

#include <gsl/gsl_cdf.h>

#include "analysis/outliers.h"

/* The smallest difference that matters, unless the user gives one. */
#define LEAST_TOLERANCE 0.01
/* Degrees of freedom of the scatter between runs, which is itself an estimate. */
#define REPEAT_DEGREES 30
/*
 * The share of it that remains once several processes have shown their own scatter: the clock and
 * neighbours of that session.
 */
#define SITTING_SHARE (1.0 / 3)
/*
 * The median of a sample scatters more than its mean by this factor, if normally distributed:
 * sqrt(pi / 2).
 */
#define MEDIAN_OVER_MEAN 1.2533
enum { WINDOWS_MIN = 8, PROCESSES_MIN = 3 };

static const struct {
	const char *name;
	double deviation, same_within;
} repeats[] = {
#define REPEAT_ROW(id, name, deviation, same) { name, deviation, same },
	TP_REPEAT_LIST(REPEAT_ROW)
#undef REPEAT_ROW
};

const char *tp_repeat_name(enum tp_repeat repeat)
{
	return repeats[repeat].name;
}

double tp_repeat_deviation(enum tp_repeat repeat)
{
	return repeats[repeat].deviation;
}

double tp_repeat_same_within(enum tp_repeat repeat)
{
	return repeats[repeat].same_within;
}

const char *tp_verdict_name(enum tp_verdict verdict)
{
	static const char *const names[] = {
#define VERDICT_ROW(id, name) name,
		TP_VERDICT_LIST(VERDICT_ROW)
#undef VERDICT_ROW
	};
	return names[verdict];
}

/* A part of the variance with its degrees of freedom; INFINITY: known exactly. */
struct part {
	double variance, degrees;
};

/* Mean range of n normal deviates in standard deviations (d2 of control charts), n = 2..7. */
static double mean_range(size_t n)
{
	static const double d2[WINDOWS_MIN] = { 0, 0, 1.128, 1.693, 2.059, 2.326, 2.534, 2.704 };

	return d2[n];
}

/* The error of the value according to its interval. False: the interval is unusable. */
static bool own_error(const struct tp_estimate *e, double confidence, struct part *part)
{
	if (!(e->value > 0) || !isfinite(e->value) || !(e->low > 0) || !(e->high >= e->low) ||
	    !isfinite(e->high) || e->windows == 1)
		return false;
	double half = 0.5 * log(e->high / e->low), error;
	double tail = 0.5 * (1 - confidence);

	if (e->processes >= PROCESSES_MIN) {
		part->degrees = e->processes - 1;
		error = half / gsl_cdf_tdist_Qinv(tail, part->degrees);
	} else if (e->windows >= WINDOWS_MIN || e->windows == 0) {
		part->degrees = INFINITY;
		error = half / gsl_cdf_ugaussian_Qinv(tail);
	} else {
		part->degrees = (double)(e->windows - 1);
		error = 2 * half / mean_range(e->windows) * MEDIAN_OVER_MEAN /
			sqrt((double)e->windows);
	}
	error = fmax(error, e->scatter);
	part->variance = error * error;
	return true;
}

static struct part repeat_error(const struct tp_estimate *e)
{
	double s = e->processes >= PROCESSES_MIN ? SITTING_SHARE * e->repeat : e->repeat;

	return (struct part){ s * s, REPEAT_DEGREES };
}

void tp_difference_find(const struct tp_estimate *a, const struct tp_estimate *b, double confidence,
			struct tp_difference *out)
{
	struct part parts[4];
	double variance = 0, by_degrees = 0, missing;

	*out = (struct tp_difference){ .p = 1, .verdict = TP_VERDICT_UNCLEAR };
	out->gain = a->value > 0 && b->value > 0 ? log(b->value / a->value) : NAN;
	out->low = -INFINITY;
	out->high = INFINITY;
	out->error = INFINITY;
	out->visible = INFINITY;
	if (!own_error(a, confidence, &parts[0]) || !own_error(b, confidence, &parts[1]))
		return;
	parts[2] = repeat_error(a);
	parts[3] = repeat_error(b);
	for (int i = 0; i < 4; i++) {
		variance += parts[i].variance;
		by_degrees += parts[i].variance * parts[i].variance / parts[i].degrees;
	}
	out->known = true;
	out->error = sqrt(variance);
	/* GSL takes any number of degrees; a million is a normal distribution. */
	out->degrees = by_degrees > 0 ? fmin(variance * variance / by_degrees, 1e6) : 1e6;
	out->up_first = log1p(fmax(a->shortfall, 0));
	out->up_second = log1p(fmax(b->shortfall, 0));
	double half = gsl_cdf_tdist_Qinv(0.5 * (1 - confidence), out->degrees) * out->error;
	out->low = out->gain - half - out->up_first;
	out->high = out->gain + half + out->up_second;
	/* The value that may in truth have been better than measured; if so, nothing changed. */
	missing = fabs(out->gain) - (out->gain < 0 ? out->up_second : out->up_first);
	if (missing > 0)
		out->p = out->error > 0 ? 2 * gsl_cdf_tdist_Q(missing / out->error, out->degrees)
					: 0;
}

double tp_difference_needs(const struct tp_difference *d)
{
	/* `visible` is for a loss, in which the second value may be too low. */
	return d->gain < 0 ? d->visible : expm1(d->up_first - d->up_second - log1p(-d->visible));
}

static enum tp_verdict judge(const struct tp_difference *d, double tolerance, double limit)
{
	double change = expm1(d->gain);

	if (!d->known || d->poor)
		return TP_VERDICT_UNCLEAR;
	if (d->p <= limit && fabs(change) > tolerance)
		return change < 0 ? TP_VERDICT_SLOWER : TP_VERDICT_FASTER;
	if (d->low >= log1p(-d->same_within) && d->high <= log1p(d->same_within))
		return TP_VERDICT_SAME;
	return TP_VERDICT_UNCLEAR;
}

void tp_differences_judge(struct tp_difference *differences, size_t n,
			  const struct tp_judging *judging, double *scratch)
{
	for (size_t i = 0; i < n; i++)
		scratch[i] = differences[i].poor ? 1 : differences[i].p;
	double limit = tp_false_discovery_limit(scratch, n, judging->false_discovery, scratch);
	double tolerance = judging->tolerance > 0 ? judging->tolerance : LEAST_TOLERANCE;
	/* A single difference among n is found if its p is below this. */
	double alone = n ? judging->false_discovery / (double)n : 1;

	for (size_t i = 0; i < n; i++) {
		struct tp_difference *d = &differences[i];

		if (judging->tolerance > 0)
			d->same_within = judging->tolerance;
		d->verdict = judge(d, tolerance, limit);
		if (d->known)
			d->visible = fmax(
				tolerance,
				-expm1(-gsl_cdf_tdist_Qinv(0.5 * alone, d->degrees) * d->error -
				       d->up_second));
	}
}
