/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time that passes: for durations, budgets and paces. Windows are timed by measure/clock.h. */
#ifndef TPROF_BASE_NOW_H
#define TPROF_BASE_NOW_H

/* Seconds of CLOCK_MONOTONIC: what people do to the clock on the wall does not move it. */
double tp_now_seconds(void);

#endif
