/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What points of assembly say together. */
#ifndef TPROF_EXPERIMENTS_ASM_REPORT_H
#define TPROF_EXPERIMENTS_ASM_REPORT_H

#include "record/run.h"

/*
 * More and more instructions of one kind, which do not wait for each other: from some number on,
 * latency times instructions in a cycle, the core does not do more in a cycle.
 */
struct tp_asm_saturation {
	const struct tp_point *first; /* of the series */
	/* the least number that saturates, and that loses nothing; the largest that was measured */
	unsigned count, whole, most;
	double ipc, model_ipc; /* at most; by the machine model, 0 = unknown */
	double latency; /* of one of them */
};

bool tp_asm_series_begins(const struct tp_run *run, size_t i);

/* False if the series that begins with point `first` does not tell. */
bool tp_asm_saturation(const struct tp_run *run, size_t first, struct tp_asm_saturation *out);

#endif
