/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A process that measures is asked to end by SIGTERM. Nothing of an unfinished point is worth
 * waiting for, so every loop that can run long looks at the flag and gives up. Inside a window
 * nobody looks.
 */
#ifndef TPROF_BASE_STOP_H
#define TPROF_BASE_STOP_H

#include <signal.h>

/* Not 0 once the process was asked to end. Only tp_stop_listen makes the signal set it. */
extern volatile sig_atomic_t tp_stop_asked;

void tp_stop_listen(void);

#endif
