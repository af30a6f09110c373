/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of mixed kernels. */
#ifndef TPROF_EXPERIMENTS_MIXED_MIXED_H
#define TPROF_EXPERIMENTS_MIXED_MIXED_H

#include "preset/options.h"

#define TP_MIXED_OPTIONS(X)                                                                        \
	X(FLOPS_PER_BYTE, "intensity", REAL, true, 0.0001, 10000, "", "",                          \
	  "Arithmetic intensities of the mixed kernels (FLOP/byte); by default a sweep "           \
	  "across the ridge.",                                                                     \
	  TP_FORM(WHAT, 220))                                                                      \
	X(INTENSITY_POINTS, "intensity_points", COUNT, false, 1, 200, "9", "",                     \
	  "Number of intensities in the sweep across the ridge.", .offers = "3 5 7 9 13 17 25",    \
	  TP_FORM(WHAT, 230))

TP_MIXED_OPTIONS(TP_OPTION_DECLARE)

#endif
