/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measuring without screens, shared by --batch and --resume. Private to this room. */
#ifndef TPROF_CLI_BATCH_H
#define TPROF_CLI_BATCH_H

#include "cli/cli.h"
#include "cli/keep.h"

/* Can this session be measured here, and will its data find their place? Complains itself; the exit code. */
int tp_batch_check(const struct tp_cli *cli, const struct tp_session *session);

/*
 * Measures the session's plan into the open run directory, with progress, results and report; returns the exit code. `earlier`: the
 * points of the run that goes on, or NULL; finished ones move out of it.
 */
int tp_batch_measure(const struct tp_cli *cli, struct tp_session *session, struct tp_keep *keep,
		     struct tp_run *earlier);

#endif
