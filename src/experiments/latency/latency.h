/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of latency. */
#ifndef TPROF_EXPERIMENTS_LATENCY_LATENCY_H
#define TPROF_EXPERIMENTS_LATENCY_LATENCY_H

#include "preset/options.h"

#define TP_LATENCY_OPTIONS(X)                                                                      \
	X(CHASE_STRIDE, "chase.stride", BYTES, false, 64, 1 << 20, "64", "",                       \
	  "The chase has one pointer in each block of this size, at a random place in it.",        \
	  TP_FORM_MORE(WHAT, 320))                                                                 \
	X(CHASE_BLOCK, "chase.block", BYTES, false, 0, 0x1p40, "0", "",                            \
	  "The chase visits all pointers of a block of this size before the next block; "          \
	  "0: no blocks, the next pointer may be anywhere.",                                       \
	  TP_FORM_MORE(WHAT, 330))

TP_LATENCY_OPTIONS(TP_OPTION_DECLARE)

#endif
