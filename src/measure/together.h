/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Windows of processes that load a machine at the same time, as windows of all of them. The sum of
 * their medians would be too much: a window of one is fast while another one rests. At any moment
 * the sum of their rates is what the machine gives.
 */
#ifndef TPROF_MEASURE_TOGETHER_H
#define TPROF_MEASURE_TOGETHER_H

#include "record/point.h"

/* Windows of one process, by their end. Borrowed. */
struct tp_window_series {
	const struct tp_sample *windows; /* with `ended_seconds` */
	size_t n;
};

/*
 * A window for each one of the first series during which all others measured for nine tenths of the
 * time: its rate and theirs, each the mean over what lies in that time; the mean of their clocks;
 * the flags of all. windows[n of the first] is filled. Returns how many there are.
 */
size_t tp_windows_together(const struct tp_window_series *series, size_t n,
			   struct tp_sample *windows);

#endif
