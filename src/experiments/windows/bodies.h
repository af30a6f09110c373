/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which body variants and placements are worth racing for a point. */
#ifndef TPROF_EXPERIMENT_BODIES_H
#define TPROF_EXPERIMENT_BODIES_H

#include "experiments/windows/bench.h"

enum { TP_MAX_CANDIDATES = 160 };

/*
 * Fills candidates[TP_MAX_CANDIDATES]; at least one. Those that the kernel's check refuses at this
 * size are left out.
 */
size_t tp_bodies(const struct tp_planned *planned, struct tp_candidate *candidates);

#endif
