/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A fresh process for each invocation: tprof executing itself (`--worker`) with the environment and
 * affinity that the threads of a BLAS and of OpenMP need. A crash in a library ends one invocation,
 * not the program. Lines of text, commands on standard input, answers on standard output (here both
 * are one end of a socket pair; for tests a terminal will do):
 *     < hello
 *     > open dgemm 512 512 128 0,1:thp LIBRARY   < ok SLOT SECONDS (of the first call)
 *     > run SLOT 5                               < seconds ... (5 numbers on one line)
 *     > gauge HZ                                 < ok WIDTH: from now on run answers SECONDS/WIDTH
 *                                                for each
 *     > close SLOT                               < ok
 *     > blas                                     < blas PATH TAB TITLE ..., then ok N
 *     > cancel                                   during a run: its line ends early, with the word
 *                                                stopped; otherwise without effect
 * or < error STATUS TAB where TAB what TAB hint. CPUs are a list with commas, with the kind of
 * pages (default, thp, hugetlb, small) or without; LIBRARY, the rest of the line, may be missing.
 * The end of the input ends the worker. Several configurations can be open in one worker, under
 * numbers; racing keeps them warm.
 *
 * A program that starts workers calls tp_worker_main() when it is called with the one argument
 * --worker: the parent executes /proc/self/exe. A worker does not start workers.
 */
#ifndef TPROF_ROUTINES_WORKER_H
#define TPROF_ROUTINES_WORKER_H

#include <sys/types.h>

#include "routines/routine.h"

struct tp_worker;

int tp_worker_main(void); /* of the child; exit code */

/* cpus: at most these get threads. n = 0: one thread, on any CPU that this process may use. */
enum tp_status tp_worker_start(struct tp_worker **worker, const unsigned *cpus, unsigned n,
			       struct tp_diag *diag);

/*
 * Opens a configuration; `slot` is its number in this worker. Errors as of tp_routine_new, or
 * TP_CRASHED.
 */
enum tp_status tp_worker_open(struct tp_worker *worker, const struct tp_routine_config *config,
			      unsigned *slot, struct tp_diag *diag);

/*
 * For a worker on one CPU: from now on each iteration also reports how wide its core was, in
 * additions a cycle. The width drops when something else runs on the core's other hardware thread
 * (measure/gauge.h). `clock_hz` as for tp_clock_init; `width` gets the widest so far. It may be
 * called again. TP_UNSUPPORTED if there is no such gauge.
 */
enum tp_status tp_worker_gauge(struct tp_worker *worker, double clock_hz, double *width,
			       struct tp_diag *diag);

/*
 * Runs n iterations and returns their seconds, and the widths where the core is gauged (else 0;
 * `widths` may be NULL). TP_CRASHED when the worker died, TP_CANCELLED when go_on() returned false.
 */
enum tp_status tp_worker_run(struct tp_worker *worker, unsigned slot, unsigned n, double *seconds,
			     double *widths, bool (*go_on)(void *context), void *context,
			     struct tp_diag *diag);
void tp_worker_close(struct tp_worker *worker, unsigned slot);
void tp_worker_stop(struct tp_worker *worker);

/* Of the running worker, for tests and messages. */
pid_t tp_worker_pid(const struct tp_worker *worker);

#endif
