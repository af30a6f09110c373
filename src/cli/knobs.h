/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The machine's knobs around a run: those of the system are set before the engine starts and put back after it, those of the process are
 * the engine's; all go into the record as knobs.<name>.before, .wanted and .got. Private to this room.
 */
#ifndef TPROF_CLI_KNOBS_H
#define TPROF_CLI_KNOBS_H

#include "cli/cli.h"
#include "machine/knobs_held.h"

struct tp_cli_knobs {
	struct tp_knobs knobs;
	struct tp_held held;
	const struct tp_config *config; /* borrowed */
};

/* What could not be had is in `diags`; the run goes on without. Call tp_cli_knobs_end in any case. */
void tp_cli_knobs_begin(struct tp_cli_knobs *k, const struct tp_session *session,
			struct tp_run *run, struct tp_diags *diags);
/* Puts everything back and completes the facts; run->diags holds what the engine said by now. */
void tp_cli_knobs_end(struct tp_cli_knobs *k, struct tp_run *run, struct tp_diags *diags);

#endif
