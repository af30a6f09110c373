/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Private to src/experiments/pattern: the code of a point over so few elements that a child steps
 * through them in a moment.
 */
#ifndef TPROF_EXPERIMENTS_PATTERN_STEPPING_H
#define TPROF_EXPERIMENTS_PATTERN_STEPPING_H

#include "experiments/pattern/validate.h"
#include "experiments/windows/counting.h"

enum { TP_PATTERN_STEPPED = 2 }; /* less and more */

struct tp_pattern_stepping {
	const struct tp_pattern_functions *functions;
	struct tp_pattern_config configurations[TP_PATTERN_STEPPED];
	uint64_t passes[TP_PATTERN_STEPPED];
	/* of the child */
	struct tp_pattern_memory memory[TP_PATTERN_STEPPED];
	struct tp_pattern_arguments arguments[TP_PATTERN_STEPPED];
};

/*
 * One thread does the work of the team. Where the arrays are small, one pass and two of them; else
 * one pass each for two smaller values of n, which are arguments of the same code: what a pass
 * takes besides its elements is then in both. TP_UNSUPPORTED for large arrays without such an n.
 */
enum tp_status tp_pattern_step(struct tp_pattern_stepping *stepping,
			       const struct tp_pattern_running *running,
			       struct tp_window_stepping *wanted, struct tp_diag *diag);

#endif
