/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of latency under load. */
#ifndef TPROF_EXPERIMENTS_LOADED_LOADED_H
#define TPROF_EXPERIMENTS_LOADED_LOADED_H

#include "preset/options.h"

#define TP_LOADED_OPTIONS(X)                                                                       \
	X(THROTTLE, "throttle", COUNT, true, 0, 1e9, "", "",                                       \
	  "Pause of the other threads after each 16 KiB that they stream, in cycles; by "          \
	  "default a sweep from idle to saturation.",                                              \
	  TP_FORM(WHAT, 280))

TP_LOADED_OPTIONS(TP_OPTION_DECLARE)

#endif
