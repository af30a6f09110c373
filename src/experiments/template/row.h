/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A point of a template: a region of a source, compiled with some parameters, and its times. */
#ifndef TPROF_EXPERIMENTS_TEMPLATE_ROW_H
#define TPROF_EXPERIMENTS_TEMPLATE_ROW_H

#include "base/command.h"
#include "record/point.h"
#include "preset/options.h"

enum { TP_TEMPLATE_PARAMETERS_BYTES = 400, TP_TEMPLATE_NAME_BYTES = 32 };

/* Times of the kernel's row are per step, and rates follow from the source's counts. */
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

/* A row of zeros if the point does not belong to a template. Never NULL. */
const struct tp_template_row *tp_template_row(const struct tp_point *point);

#define TP_TEMPLATE_OPTIONS(X)                                                                     \
	X(TEMPLATE_SOURCE, "template.source", TEXT, false, 0, 4000, "", "",                        \
	  "A C source with marked regions, as tprof-sweep(5) describes: a path that ends in .c, "  \
	  "or the name of one that ships with tprof, such as matmul.",                             \
	  .code = true, TP_FORM(WHAT, 600))                                                        \
	X(TEMPLATE_PARAMETERS, "template.parameters", TEXT, true, 0, 4000, "", "",                 \
	  "Values of macros, each as NAME=VALUES: \"TILE=16 32 64\", N=64..1024*2, "               \
	  "UNROLL=1..8. The source is compiled for all combinations. compiler and flags set the "  \
	  "compiler and its flags instead, \"flags=-O2 \\\"-O3 "                                   \
	  "-march=native\\\"\"."                                                                   \
	  " template.NAME: VALUES is one of them.",                                                \
	  .collects = true, .code = true, TP_FORM(WHAT, 610))                                      \
	X(TEMPLATE_REGIONS, "template.regions", TEXT, true, 0, 64, "", "",                         \
	  "Names of the regions to measure, a point each; without them, all that the source "      \
	  "marks.",                                                                                \
	  TP_FORM(WHAT, 620))                                                                      \
	X(TEMPLATE_STEPS, "template.steps", COUNT, false, 1, 1e12, "auto", "auto",                 \
	  "How often a region runs in a window; auto: as often as fills it, or once with cold "    \
	  "caches.",                                                                               \
	  TP_FORM_MORE(WHAT, 630))                                                                 \
	X(TEMPLATE_MCA, "template.mca", TEXT, false, 0, 32, "auto", "",                            \
	  "The CPU for which llvm-mca predicts the innermost loop of each region: a name of LLVM " \
	  "such as znver3, auto for this one, or none.",                                           \
	  .offers = "auto none znver3 skylake", TP_FORM_MORE(WHAT, 640))                           \
	X(TEMPLATE_BEFORE, "template.before", TEXT, true, 0, TP_COMMAND_TEXT_BYTES, "", "",        \
	  "Commands that run before each point, such as one that makes a file that the source "    \
	  "reads: words with blanks between them, {NAME} is the value of a parameter.",            \
	  .command = true, .code = true, TP_FORM_MORE(WHAT, 650))                                  \
	X(TEMPLATE_AFTER, "template.after", TEXT, true, 0, TP_COMMAND_TEXT_BYTES, "", "",          \
	  "Commands that run after each point, also after one that failed.", .command = true,      \
	  .code = true, TP_FORM_MORE(WHAT, 660))                                                   \
	X(TEMPLATE_LIMIT, "template.limit", SECONDS, false, 0.1, 25, "20s", "",                    \
	  "Longest time for the first run of the body; a variant that takes longer has failed.",   \
	  TP_FORM_MORE(HOW_LONG, 340))

TP_TEMPLATE_OPTIONS(TP_OPTION_DECLARE)

#endif
