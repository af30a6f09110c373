/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A fresh process for each invocation: tprof executing itself (`--worker`) with the environment and affinity that the threads of a BLAS and of
 * OpenMP need, over a socket pair. What crashes in a library is one invocation, not the program. Text lines:
 *     > open dgemm 512 512 128 LIBRARY 0,1      < ok | error STATUS where TAB what TAB hint
 *     > run 5                                    < seconds ... (5 numbers on one line)
 * Several configurations can be open in one worker, under numbers; racing keeps them warm.
 */
#ifndef TPROF_ROUTINES_WORKER_H
#define TPROF_ROUTINES_WORKER_H

#include <sys/types.h>

#include "routines/routine.h"

struct tp_worker;

int tp_worker_main(void); /* of the child; exit code */
/* cpus: of the threads that it will use at most. */
enum tp_status tp_worker_start(struct tp_worker **worker, const unsigned *cpus, unsigned n,
			       struct tp_diag *diag);
/* Opens a configuration; `slot` names it in this worker. */
enum tp_status tp_worker_open(struct tp_worker *worker, const struct tp_routine_config *config,
			      unsigned *slot, struct tp_diag *diag);
/* n iterations, one number of seconds each. TP_CRASHED when the worker died (signal in words), TP_CANCELLED when go_on() said so. */
enum tp_status tp_worker_run(struct tp_worker *worker, unsigned slot, unsigned n, double *seconds,
			     bool (*go_on)(void *context), void *context, struct tp_diag *diag);
void tp_worker_close(struct tp_worker *worker, unsigned slot);
void tp_worker_stop(struct tp_worker *worker);

#endif
