/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elapsed time, for durations and budgets. Windows are timed by measure/clock.h. */
#ifndef TPROF_BASE_NOW_H
#define TPROF_BASE_NOW_H

#include <stdbool.h>
#include <time.h>

/* Seconds of CLOCK_MONOTONIC: setting the wall clock does not move it. */
double tp_now_seconds(void);

/* Write the present time as "2026-11-23T22:40:00Z", and read such a text. */
void tp_now_utc(char out[32]);
bool tp_utc_read(const char *text, time_t *seconds);

#endif
