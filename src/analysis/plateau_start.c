/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The start of a curve. A pass over a tiny working set pays for the loop around it: it takes
 * t = t0 + size / rate, and so the curve rises at its start although the cache is the same. Where
 * the first points lie on such a line, they are compared without t0.
 */
#include "analysis/plateau_parts.h"

#include <math.h>

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

double tp_plateau_start(const struct tp_curve_point *points, size_t n)
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
