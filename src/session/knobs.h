/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The knobs of the machine around a run. Those of the system are set before the engine starts and
 * put back after it; the engine sets those of its process. All are recorded as knobs.<name>.before,
 * .wanted and .got. Private to this room.
 */
#ifndef TPROF_SESSION_KNOBS_H
#define TPROF_SESSION_KNOBS_H

#include "session/session.h"
#include "machine/knobs_held.h"

struct tp_run_knobs {
	struct tp_knobs knobs;
	struct tp_held held;
	const struct tp_config *config; /* borrowed */
};

/*
 * Refused knobs are told in `diags`; the run goes on without them. Call tp_run_knobs_end in any
 * case.
 */
void tp_run_knobs_begin(struct tp_run_knobs *k, const struct tp_session *session,
			struct tp_run *run, struct tp_diags *diags);
/*
 * Puts everything back and completes the facts. Call it when run->diags holds the remarks of the
 * engine.
 */
void tp_run_knobs_end(struct tp_run_knobs *k, struct tp_run *run, struct tp_diags *diags);

#endif
