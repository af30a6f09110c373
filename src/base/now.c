/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/now.h"

#include <time.h>

double tp_now_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
