/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measuring without screens, shared by --batch and --resume. Private to this room. */
#ifndef TPROF_CLI_BATCH_H
#define TPROF_CLI_BATCH_H

#include "cli/cli.h"
#include "session/keep.h"

/*
 * Checks that the session can be measured here and that its outputs can be written. Complains
 * itself; returns the exit code.
 */
int tp_batch_check(const struct tp_cli *cli, const struct tp_session *session);

/*
 * Measures the session's plan into the open run directory, with progress, results and report.
 * Returns the exit code. `earlier`: the run that goes on, or NULL.
 */
int tp_batch_measure(const struct tp_cli *cli, struct tp_session *session, struct tp_keep *keep,
		     struct tp_run *earlier);

#endif
