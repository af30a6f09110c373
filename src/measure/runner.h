/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One emitted kernel on a team, ready for windows. Shared by sampler and race; private to this
 * room.
 */
#ifndef TPROF_MEASURE_RUNNER_H
#define TPROF_MEASURE_RUNNER_H

#include "measure/chase.h"
#include "measure/sampler.h"

/* Observed around or inside a window: it does not count. */
#define HARD_FLAGS                                                                                 \
	(TP_FLAG(CTX_SWITCH) | TP_FLAG(MIGRATED) | TP_FLAG(PAGE_FAULT) | TP_FLAG(SIBLING) |        \
	 TP_FLAG(WARMING))

struct tp_runner {
	struct tp_team *team;
	const struct tp_candidate *candidate; /* borrowed */
	struct tp_kernel piece; /* of a pass: the kernel, on a slice of its working set in a walk */
	struct tp_code code; /* empty if it is compiled */
	tp_kernel_function function;
	struct tp_kernel_counts counts;
	uint64_t passes, lead_passes; /* lead: not timed */
	/*
	 * of the team: 1e9 bytes or 1e9 FLOP; of one thread of a chase: 1e9 loads, and of gathers:
	 * 1e9 of them
	 */
	double work_per_pass;
	bool chase;
	bool one_thread; /* one thread does the work: a chase, or gathers */
	struct tp_window_walk walk; /* `from` is the team's */
	struct tp_code slice, pause; /* of streams during a chase */
	struct tp_window_stream stream;
	void **data; /* a pointer a thread */
	void *operands; /* FP kernels: a block a thread, owned */
	size_t block_bytes;
	struct tp_gather_places places; /* of gathers */
	size_t evict_bytes;
	uint64_t most_passes; /* of a window; 0 = no limit */
	/* windows of thread 0 only; rates are then that thread's, as always for a chase */
	bool alone;
	unsigned element_bytes, operand_bytes;
	double lead_seconds; /* of a chase, to walk before each window; 0 = a moment */
	double last_seconds, pass_seconds; /* of the last window, and of a pass of it */
};

enum tp_status tp_runner_init(struct tp_runner *runner, struct tp_team *team,
			      const struct tp_cpu *cpu, const struct tp_candidate *candidate,
			      const struct tp_sampling *sampling, struct tp_diag *diag);
void tp_runner_release(struct tp_runner *runner);

/*
 * Walks on until the team has walked through `bytes` of this working set (all of it, if it is
 * smaller): what came before has then left the caches, or is in them if it fits.
 */
void tp_runner_settle(struct tp_runner *runner, uint64_t bytes);

/* In a walk, gives windows the length that they have where nothing makes them shorter. */
void tp_runner_lengthen(struct tp_runner *runner);

/* The passes of a window are given. */
bool tp_runner_is_fixed(const struct tp_runner *runner);

/* Warms up and finds the passes that make a window last about `seconds`. */
void tp_runner_calibrate(struct tp_runner *runner, double seconds);

/* Makes later windows last about `seconds`, if they are longer; at least one pass. */
void tp_runner_shorten(struct tp_runner *runner, double seconds);

void tp_runner_window(struct tp_runner *runner, struct tp_sample *sample);

#endif
