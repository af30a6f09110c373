/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elapsed time, for durations and budgets. Windows are timed by measure/clock.h. */
#ifndef TPROF_BASE_NOW_H
#define TPROF_BASE_NOW_H

/* Seconds of CLOCK_MONOTONIC: setting the wall clock does not move it. */
double tp_now_seconds(void);

#endif
