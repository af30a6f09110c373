/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code that times a part of itself: a window is then what it marks, and not what it does before and
 * after.
 */
#ifndef TPROF_MEASURE_MARK_H
#define TPROF_MEASURE_MARK_H

#include <stdint.h>

#include "measure/clock.h"

/* Of one thread, which alone writes it. A cache line of its own. */
struct tp_window_mark {
	uint64_t begin, end; /* ticks of the team's clock; end 0 = nothing was marked */
	/* involuntary context switches, minor and major page faults in between */
	long switches, faults;
} __attribute__((aligned(64)));

void tp_window_mark_begin(struct tp_window_mark *mark, const struct tp_clock *clock);
void tp_window_mark_end(struct tp_window_mark *mark, const struct tp_clock *clock);

#endif
