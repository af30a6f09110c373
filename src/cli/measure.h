/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measuring without screens, for --batch, --resume and lessons. */
#ifndef TPROF_CLI_MEASURE_H
#define TPROF_CLI_MEASURE_H

#include "cli/cli.h"
#include "session/keep.h"

/*
 * Checks that the session can be measured here and that its outputs can be written. Complains
 * itself; returns the exit code.
 */
int tp_batch_check(const struct tp_cli *cli, struct tp_session *session);

/*
 * Scripts ignore SIGINT for every job that they start with &, so SIGINT is restored here even if it
 * was ignored: it ends the program.
 */
void tp_batch_heed_signals(void);
/*
 * From here on a signal that asks the program to end ends the run in good order. Before, it ends
 * the program at once: there is nothing to keep yet. Call it before the run directory is made or
 * changed.
 */
void tp_batch_catch_signals(void);
/*
 * Measures the session's plan into the open run directory, with progress, results and report.
 * Returns the exit code. `earlier`: the run that goes on, or NULL.
 */
int tp_batch_measure(const struct tp_cli *cli, struct tp_session *session, struct tp_keep *keep,
		     struct tp_run *earlier);

#endif
