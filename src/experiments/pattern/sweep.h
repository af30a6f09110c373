/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to src/experiments/pattern: the values that parameters run through. */
#ifndef TPROF_EXPERIMENTS_PATTERN_SWEEP_H
#define TPROF_EXPERIMENTS_PATTERN_SWEEP_H

#include "pattern/pattern.h"
#include "preset/options.h"

struct tp_pattern_sweep {
	struct {
		const int64_t *values; /* borrowed from the pattern, or in the arena */
		size_t n;
	} parameters[TP_PATTERN_PARAMETERS_MAX];
	enum tp_pattern_template templates[3];
	size_t n_templates;
	bool nowaits[2];
	size_t n_nowaits;
	int n_parameter; /* the one called n; -1 = none */
	bool n_wished; /* a wish gives its values */
};

/*
 * The values of the pattern, and those of `wishes` ("tile=16..256*2") in their place. `used[i]` is
 * set for each wish that names a parameter of the pattern. TP_USAGE with what is allowed.
 */
enum tp_status tp_pattern_sweep_make(struct tp_pattern_sweep *sweep,
				     const struct tp_pattern *pattern,
				     const struct tp_value *wishes, bool *used,
				     struct tp_arena *arena, struct tp_diag *diag);
/* How many combinations there are, without n if `sized`: then sizes decide it. */
double tp_pattern_sweep_count(const struct tp_pattern_sweep *sweep, bool sized);
/* The i-th combination; n stays as it is where `sized`. */
void tp_pattern_sweep_take(const struct tp_pattern_sweep *sweep, size_t i, bool sized,
			   struct tp_pattern_config *configuration);

#endif
