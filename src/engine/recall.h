/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a run that goes on knows of the processes that measured a point before. Private to this
 * room.
 */
#ifndef TPROF_ENGINE_RECALL_H
#define TPROF_ENGINE_RECALL_H

#include "experiments/experiment.h"
#include "measure/stop.h"
#include "record/run.h"

/* True if the plan wants several processes for that finished point. */
bool tp_recall_is_needed(const struct tp_planned *planned, const struct tp_point *point);
/* True if so, and what the earlier ones measured is there or enough. */
bool tp_recall_is_possible(const struct tp_planned *planned, const struct tp_point *point);
/*
 * Finds the medians of the point's invocations from its windows, so that their stop rule goes on
 * where it was. TP_NOMEM.
 */
enum tp_status tp_recall_invocations(const struct tp_machine *machine,
				     const struct tp_planned *planned, const struct tp_point *point,
				     struct tp_stop_state *medians);
/* The point is no more than planned, and is measured from its first process on. TP_NOMEM. */
enum tp_status tp_recall_forget(struct tp_run *run, const struct tp_planned *planned);

#endif
