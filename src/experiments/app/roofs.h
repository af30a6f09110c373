/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The roofs of a run that a region is held against. */
#ifndef TPROF_EXPERIMENTS_APP_ROOFS_H
#define TPROF_EXPERIMENTS_APP_ROOFS_H

#include "experiments/app/place.h"

/*
 * Those of the region's team and precision: of as many threads as the point was told to use, else
 * of the smallest team that is not smaller than the threads that work. Without any, .threads is 0.
 */
void tp_app_find_roofs(const struct tp_run *run, const struct tp_app_region_row *row,
		       struct tp_app_roofs *roofs);

/*
 * A sentence on roofs that another run gave: which run, when, and how to have new ones; false and
 * nothing if this run measured them.
 */
bool tp_app_roofs_text(const struct tp_run *run, struct tp_str *out);

#endif
