/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What fitting and ticks share about scales. Private to the room. */
#ifndef TPROF_PLOT_SCALE_H
#define TPROF_PLOT_SCALE_H

#include "ui/plot/plot.h"

/* True where ticks lie at powers of two: LOG2, and any logarithmic axis of bytes. */
bool tp_scale_is_binary(const struct tp_scale *scale);

/* The value on the axis' own ruler: itself, its log10 or its log2; NaN if it has no place. */
double tp_scale_warp(const struct tp_scale *scale, double value);

/* The smallest 1, 2 or 5 x 10^k (bytes: power of two) that is at least `least`. */
double tp_scale_step(const struct tp_scale *scale, double least);

/* What a tick at `value` is called; `step` is the distance to its neighbour, 0 on a log axis. */
void tp_scale_label(const struct tp_scale *scale, double value, double step, char out[16]);

#endif
