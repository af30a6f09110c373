/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A point of assembly: which instructions, how they ran, and what they took. */
#ifndef TPROF_EXPERIMENTS_ASM_ROW_H
#define TPROF_EXPERIMENTS_ASM_ROW_H

#include "record/kernel_row.h"

/* All times are in cycles of the core. */
struct tp_asm_row {
	struct tp_kernel_row kernel; /* its times are those of an instruction */
	/* identity */
	char instructions[168]; /* as they were given, "; " between them, cut with "..." */
	char mode[12]; /* throughput, latency, written */
	unsigned count; /* of the instructions */
	uint64_t buffer_bytes;
	/* found */
	char ran[128]; /* what really ran, with other registers; "" = as given */
	unsigned copies,
		unroll; /* copies in other registers; how often all that stands in the loop */
	/* instructions of all copies that wait for each other from round to round; -1 = unknown */
	double chain;
	/* what the clock beside the windows is multiplied by; see calibrate.c; 0 = 1 */
	double clock_correction;
	double cycles, body_cycles; /* of an instruction, of all that were given */
	double ipc;
	double rthroughput, latency; /* of an instruction; 0 = the point does not tell */
	double model_ipc; /* of the machine model, for FMAs; 0 = unknown */
	/* what llvm-mca predicts, of an instruction; 0 and "" = nothing */
	char mca_cpu[16];
	double mca_cycles, mca_uops, mca_rthroughput;
	char mca_pressure[96];
	char counts[256]; /* "cycles=1.25", for an instruction */
};

const struct tp_asm_row *tp_asm_row(const struct tp_point *point); /* never NULL */
/* True for a finished point of this experiment with a value. */
bool tp_point_is_asm(const struct tp_point *point);

#endif
