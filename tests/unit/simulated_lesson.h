/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A lesson on a simulated machine: its texts under disturbance, compared with its own numbers and
 * with those of the undisturbed machine. For a test and for a bench.
 */
#ifndef TPROF_TESTS_SIMULATED_LESSON_H
#define TPROF_TESTS_SIMULATED_LESSON_H

#include "lesson/values.h"
#include "tests/unit/simulated_run.h"

/* A lesson on one machine. */
struct simulated_lesson {
	struct tp_lesson lesson;
	/* By step; those that cannot be simulated have no plan. */
	struct simulated_run quiet[TP_LESSON_STEPS_MAX], disturbed[TP_LESSON_STEPS_MAX];
	bool simulated[TP_LESSON_STEPS_MAX];
	size_t n_simulated, n_measured; /* steps that are, of those that measure */
};

/* What one text said. */
struct lesson_told {
	const struct tp_lesson_step *step;
	size_t variant; /* from 1 */
	/* A claim that does not hold on its own numbers, or on the quiet ones; NULL: all hold. */
	const char *own, *quiet;
};
typedef void lesson_tell(void *context, const struct lesson_told *told);

/* Reads the lesson and measures the quiet machine. Close it in any case. */
enum tp_status simulated_lesson_open(struct simulated_lesson *s, const char *path,
				     const struct simulated_machine *machine,
				     struct tp_diags *diags);
/* Measures under a regime, and reports each text that is shown after a measurement. */
enum tp_status simulated_lesson_try(struct simulated_lesson *s, const struct tp_regime *regime,
				    uint64_t seed, lesson_tell *tell, void *context,
				    struct tp_diag *diag);
void simulated_lesson_close(struct simulated_lesson *s);

#endif
