/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/roofs.h"

#include <math.h>

double tp_roof_attainable(double peak_gflops, double gbps, double ai)
{
	return fmin(peak_gflops, gbps * ai);
}

double tp_roof_ridge(double peak_gflops, double gbps)
{
	return gbps > 0 ? peak_gflops / gbps : 0;
}
