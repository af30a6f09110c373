/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole experiments on a simulated machine, for tests and benches. */
#ifndef TPROF_TESTS_SIMULATED_H
#define TPROF_TESTS_SIMULATED_H

#include "experiments/bench.h"
#include "measure/simulation.h"
#include "preset/preset.h"

struct simulated {
	struct tp_machine machine;
	struct tp_preset preset;
	struct tp_plan plan;
	struct tp_simulation *simulation;
	struct tp_bench bench;
	struct tp_point *points; /* plan.n of them, after simulated_measure */
	union tp_row_room *rows; /* theirs */
};

/*
 * A machine of a topology ("pack:1 core:8 pu:1") and a model, under a regime. NULL as topology: two
 * cores of one hardware thread. False, with words on stderr, if anything is wrong.
 */
bool simulated_open(struct simulated *s, const char *topology, const char *model,
		    const char *regime, uint64_t seed);
/* Plans and measures a preset, given as text. Once for each simulated_open. */
bool simulated_measure(struct simulated *s, const char *preset);
void simulated_close(struct simulated *s);

/* Loads through this many bytes, and an FP kernel, in doubles. */
struct tp_kernel simulated_load(const char *isa, uint64_t bytes);
struct tp_kernel simulated_fp(const char *isa, enum tp_fp_op op);

#endif
