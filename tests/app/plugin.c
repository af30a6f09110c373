/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library that tests/app/regions.c loads while it runs. */
#include <tprof_roi.h>

static volatile double sink;

__attribute__((noinline, visibility("default"))) double plugged(int n)
{
	double sum = 0;
	int i;

	tprof_roi_begin("in the plug-in");
	for (i = 0; i < n; i++)
		sum += i * 0.5;
	sink = sum;
	tprof_roi_end("in the plug-in");
	return sum;
}
