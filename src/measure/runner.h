/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One emitted kernel on a team, ready for windows. Shared by sampler and race; private to this room. */
#ifndef TPROF_MEASURE_RUNNER_H
#define TPROF_MEASURE_RUNNER_H

#include "measure/sampler.h"

/* Observed beside or inside a window: it does not count. */
#define HARD_FLAGS                                                                                 \
	(TP_FLAG(CTX_SWITCH) | TP_FLAG(MIGRATED) | TP_FLAG(PAGE_FAULT) | TP_FLAG(SIBLING))
/* Points that keep windows this close to their fast mode are those whose time only the core decides. */
#define KEEP_TIGHT 0.03

struct tp_runner {
	struct tp_team *team;
	struct tp_code code;
	struct tp_kernel_counts counts;
	uint64_t passes;
	double work_per_pass; /* of the team: 1e9 bytes or 1e9 FLOP; of one thread of a chase: 1e9 loads */
	bool chase;
	struct tp_code slice, pause; /* of streams beside a chase */
	struct tp_window_stream stream;
	void **data; /* a pointer a thread */
	void *operands; /* FP kernels: a block a thread, owned */
	size_t evict_bytes;
	bool alone; /* windows of thread 0 only; rates are then that thread's, as those of a chase always are */
	unsigned element_bytes, operand_bytes;
	double last_seconds; /* of the last window */
};

enum tp_status tp_runner_init(struct tp_runner *runner, struct tp_team *team,
			      const struct tp_cpu *cpu, const struct tp_candidate *candidate,
			      bool cold, struct tp_diag *diag);
void tp_runner_release(struct tp_runner *runner);

/* Warms up and finds the passes that make a window last about `seconds`. */
void tp_runner_calibrate(struct tp_runner *runner, double seconds);

/* Makes later windows last about `seconds`, if they are longer; at least one pass. */
void tp_runner_shorten(struct tp_runner *runner, double seconds);

void tp_runner_window(struct tp_runner *runner, struct tp_sample *sample);

#endif
