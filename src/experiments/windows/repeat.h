/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stop rules of the options, and what is repeated by them from outside: whole programs, a
 * number of each run.
 */
#ifndef TPROF_EXPERIMENTS_WINDOWS_REPEAT_H
#define TPROF_EXPERIMENTS_WINDOWS_REPEAT_H

#include "measure/stop.h"
#include "preset/options.h"
#include "record/run.h"

enum tp_stop_basis tp_stop_basis_of(const struct tp_config *config);
/*
 * The options stop.*, without a time limit and with at least `least` samples; the trimmed rule uses
 * its groups instead: the first that agrees ends it.
 */
struct tp_stop_rule tp_stop_rule_of(const struct tp_config *config, size_t least);

struct tp_repeat {
	struct tp_stop_rule rule;
	size_t least; /* runs, before time ends them */
	struct tp_stop_state state; /* a number of each run */
	/* One run, which adds its number by tp_stop_add. */
	enum tp_status (*once)(void *context, struct tp_diag *diag);
	void *context;
};

/*
 * Runs until a stop rule fires, and adds the results to the point: moments, interval, number of
 * samples, and a flag if they were not enough. The caller sets the headline from tp_stop_estimate
 * and the best of *summary.
 */
enum tp_status tp_repeat_run(struct tp_repeat *repeat, struct tp_point *point,
			     struct tp_summary *summary, struct tp_diag *diag);

#endif
