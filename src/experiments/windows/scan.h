/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The size of memory points is measured before it is believed. A plan takes four times the last
 * cache that the machine reports; in a virtual machine that is the host's cache, of which a guest
 * gets a part, and GiBs would be touched and walked for nothing. So where the reported share of a
 * thread is large, the first memory point of a team scans: loads through one octave after another,
 * from the working set of L3 on, until memory shows (analysis/last_level.h). The plan stays as it
 * is, so that runs can be resumed: raced_bytes says with what a point was really measured. A scan
 * holds for one process, and never asks for more than the plan.
 */
#ifndef TPROF_EXPERIMENTS_WINDOWS_SCAN_H
#define TPROF_EXPERIMENTS_WINDOWS_SCAN_H

#include "experiments/windows/bench.h"
#include "experiments/windows/planner.h"

/*
 * The working set of a planned memory point: the plan's, or what the scan of its team says. Scans
 * if this is the first such point. *touch_seconds grows by what the first touch of memory took.
 */
enum tp_status tp_scan_bytes(struct tp_window_bench *bench, const struct tp_planned *planned,
			     uint64_t *bytes, double *touch_seconds, struct tp_diag *diag);

#endif
