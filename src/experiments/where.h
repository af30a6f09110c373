/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Options `where` and `derived`, for the plans of all experiments. Private to this room.
 */
#ifndef TPROF_EXPERIMENTS_WHERE_H
#define TPROF_EXPERIMENTS_WHERE_H

#include "experiments/experiment.h"

/*
 * Leaves those of the points from `start` on that meet every condition. A name is a column that is
 * known of a point when it is planned, or a parameter in a column of pairs. A condition does not
 * matter to a point that has no value for a name of it. TP_USAGE: a name that no point has, no
 * condition, or no point is left.
 */
enum tp_status tp_plan_where(struct tp_plan_context *context, size_t start, struct tp_diags *diags);

/*
 * TP_USAGE: what is derived is no definition, or has a name that points from `start` on will not
 * have, where that is known before they are measured.
 */
enum tp_status tp_plan_derived(struct tp_plan_context *context, size_t start,
			       struct tp_diags *diags);

#endif
