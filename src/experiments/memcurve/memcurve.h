/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of memory curves. */
#ifndef TPROF_EXPERIMENTS_MEMCURVE_MEMCURVE_H
#define TPROF_EXPERIMENTS_MEMCURVE_MEMCURVE_H

#include "preset/options.h"

#define TP_MEMCURVE_OPTIONS(X)                                                                     \
	X(STRIDE, "stride", COUNT, false, 1, 4096, "1", "",                                        \
	  "Distance between accesses in vectors; 1 touches every byte.", TP_FORM_MORE(WHAT, 300))

TP_MEMCURVE_OPTIONS(TP_OPTION_DECLARE)

#endif
