/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to src/experiments/pattern: code on its arrays, and whether its result is right. */
#ifndef TPROF_EXPERIMENTS_PATTERN_VALIDATE_H
#define TPROF_EXPERIMENTS_PATTERN_VALIDATE_H

#include "experiments/pattern/memory.h"
#include "measure/team.h"

/* The functions of a compiled pattern; NULL: it has no such part. */
struct tp_pattern_functions {
	tp_kernel_function init, run, validate, reference;
};

/* A configuration on a team: its functions, its arrays, and what each thread gets. */
struct tp_pattern_running {
	const struct tp_pattern_config *configuration;
	struct tp_pattern_functions functions;
	enum tp_pages pages;
	struct tp_team *team;
	struct tp_pattern_memory memory;
	void **arguments; /* of each thread: struct tp_pattern_arguments */
};

/*
 * Runs a pass on freshly initialised arrays and checks its result, by the pattern's own part or
 * against the order of its first relation. TP_FAILED with the first wrong element, what was found
 * and what is expected; TP_UNSUPPORTED if the code shares no loops with the team. *exact: every bit
 * was as expected.
 */
enum tp_status tp_pattern_first_pass(struct tp_pattern_running *running, bool *exact,
				     struct tp_diag *diag);

#endif
