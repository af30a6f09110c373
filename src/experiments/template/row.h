/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A point of a template: a region of a source, compiled with some parameters, and its times. */
#ifndef TPROF_EXPERIMENTS_TEMPLATE_ROW_H
#define TPROF_EXPERIMENTS_TEMPLATE_ROW_H

#include "record/kernel_row.h"

enum { TP_TEMPLATE_PARAMETERS_BYTES = 400, TP_TEMPLATE_NAME_BYTES = 32 };

/* Times of the kernel's row are those of a step, and rates follow from what the source counts. */
struct tp_template_row {
	struct tp_kernel_row kernel;
	/* identity */
	char source[TP_TEMPLATE_NAME_BYTES], region[TP_TEMPLATE_NAME_BYTES];
	char parameters[TP_TEMPLATE_PARAMETERS_BYTES]; /* pairs: "N=256 TILE=16" */
	char source_hash[17]; /* of the source and all that it includes from its folder */
	bool cold;
	/* found */
	/* of a step: core cycles, ticks of the cycle counter, each 0 = unknown; what it counts */
	double cycles, ticks, flop, bytes;
	uint64_t steps; /* of the last window */
	uint64_t array_bytes; /* of all arrays that the source declares by the header */
	/* by the compiler's report: loops of the region that became vectors, and how long those are
	 */
	unsigned vector_loops, vector_bytes;
	unsigned warnings; /* of the compiler, in the whole source */
	char counts[256]; /* "page_faults=0 stepped_instructions=2.5", for a step */
	/* what llvm-mca predicts for a round of the region's innermost loop; 0 and "" = nothing */
	char mca_cpu[16];
	double mca_cycles, mca_uops, mca_rthroughput, mca_ipc;
	char mca_pressure[96];
};

/* One of zeros if the point is none of a template. Never NULL. */
const struct tp_template_row *tp_template_row(const struct tp_point *point);

#endif
