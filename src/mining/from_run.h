/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The points of a run as a frame. */
#ifndef TPROF_MINING_FROM_RUN_H
#define TPROF_MINING_FROM_RUN_H

#include "mining/frame.h"
#include "record/run.h"

enum { TP_DERIVED_KEY_BYTES = 32 };
/* The key of the fact that holds definition i. Returns out. */
const char *tp_derived_key(char out[TP_DERIVED_KEY_BYTES], size_t i);
/* The run has columns of pairs or derived ones, so that its frame says more than points.csv. */
bool tp_run_has_table(const struct tp_run *run);
/* Adds to `doubts` which of what the run derives cannot be computed, and why. */
void tp_run_derived_doubts(const struct tp_run *run, struct tp_diags *doubts);
/* The frame of the run as CSV: table.csv. */
enum tp_status tp_run_table(const struct tp_run *run, struct tp_str *out);

/*
 * One row a finished point, one column a column of points.csv that has a value in some row. A
 * column of pairs ("n=1000 tile=16", tp_column.pairs) becomes a column for each name. Behind them
 * stand the columns that the run derives (option `derived`, kept as facts of the run); one that
 * cannot be computed is noted.
 */
enum tp_status tp_frame_of_run(struct tp_frame *frame, const struct tp_run *run,
			       struct tp_diag *diag);

#endif
