/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/roofs.h"

#include <math.h>
#include <stdbool.h>

double tp_roof_attainable(double peak_gflops, double gbps, double ai)
{
	return fmin(peak_gflops, gbps * ai);
}

double tp_roof_ridge(double peak_gflops, double gbps)
{
	return gbps > 0 ? peak_gflops / gbps : 0;
}

enum tp_bound tp_roof_region(double peak_gflops, const double *gbps, unsigned n, double ai)
{
	bool left_of_all = true, right_of_all = true;

	for (unsigned i = 0; i < n; i++) {
		if (!(gbps[i] > 0))
			continue; /* a level without a roof bounds nothing */
		if (ai < tp_roof_ridge(peak_gflops, gbps[i]))
			right_of_all = false;
		else
			left_of_all = false;
	}
	/* Exactly on a ridge counts as right of it; no roof at all leaves only the peak. */
	if (right_of_all)
		return TP_BOUND_COMPUTE;
	return left_of_all ? TP_BOUND_MEMORY : TP_BOUND_MIXED;
}
