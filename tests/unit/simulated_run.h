/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole experiments on a simulated machine, in this process: for tests and for benches. */
#ifndef TPROF_TESTS_SIMULATED_RUN_H
#define TPROF_TESTS_SIMULATED_RUN_H

#include "measure/simulation.h"
#include "session/session.h"

/* Two of virtual machines that were measured, two of other makes: what is tried everywhere. */
struct simulated_machine {
	const char *model, *topology;
};
enum { SIMULATED_MACHINES = 4 };
extern const struct simulated_machine simulated_machines[SIMULATED_MACHINES];

struct simulated_run {
	struct tp_session session;
	struct tp_simulation *simulation;
	struct tp_run run;
	double *ghz; /* of each point: the median clock of the windows that count, as it was */
	double seconds; /* of virtual time, from the first point to the last */
};

/* Options "key=value" name the machine and the experiment. Close it in any case. */
enum tp_status simulated_open(struct simulated_run *s, const char *const *sets, size_t n,
			      struct tp_diags *diags);
/* Measures all points of the plan and reduces them; what was measured before is dropped. */
enum tp_status simulated_measure(struct simulated_run *s, const struct tp_regime *regime,
				 uint64_t seed, struct tp_diag *diag);
void simulated_close(struct simulated_run *s);

/*
 * What the point's value would be when nothing disturbs: GB/s, GFLOP/s, or ns of a chase; 0 =
 * unknown.
 */
double simulated_truth(const struct simulated_run *s, const struct tp_point *point);

#endif
