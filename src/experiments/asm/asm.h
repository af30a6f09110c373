/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a planned point of assembly needs to run. */
#ifndef TPROF_EXPERIMENTS_ASM_ASM_H
#define TPROF_EXPERIMENTS_ASM_ASM_H

#include "compiler/mca.h"
#include "experiments/asm/body.h"
#include "experiments/bench.h"
#include "experiments/windows/planner.h"

enum tp_asm_mode { TP_ASM_THROUGHPUT, TP_ASM_LATENCY, TP_ASM_WRITTEN, TP_ASM_MODES };

/* Code of a point: made before the first point runs, kept on the bench. */
struct tp_asm_built {
	enum tp_status status;
	struct tp_diag diag;
	struct tp_str text; /* what runs, a line each */
	unsigned char *code; /* of all copies, heap */
	size_t bytes, copies, instructions; /* instructions: of all copies */
	double chain;
	bool known; /* effects of all instructions are known */
	bool vectors; /* it names a vector register */
	struct tp_asm_addresses addresses;
	unsigned divisor_bytes; /* of whole numbers in memory that it divides by */
	/* If all are fused multiply-adds of one kind; element 0 = they are not. */
	unsigned fma_element_bytes, fma_vector_bytes;
	struct tp_mca_result mca;
	struct tp_asm_built *next;
};

enum { TP_ASM_EFFECTS_MAX = TP_ASM_LINES_MAX * TP_ASM_COPIES_MAX };

/* Effects of the instructions of a code, `most` at most; 0 if some are not known. */
size_t tp_asm_look(const struct tp_assembly *assembly, const struct tp_asm_built *built,
		   struct tp_asm_effect *effects, size_t most);
/* The i-th line of the text that runs; returns `out`. */
const char *tp_asm_line_at(const struct tp_asm_built *built, size_t i, char out[TP_ASM_LINE_BYTES]);

/* Begins with the plan of windows. */
struct tp_asm_plan {
	struct tp_window_plan window;
	const struct tp_asm_body *body; /* of this variant */
	enum tp_asm_mode mode;
	uint64_t unroll, warmup, buffer_bytes; /* unroll 0 = auto */
	struct tp_asm_built *built; /* NULL = not yet */
};
static inline struct tp_asm_plan *tp_asm_plan(const struct tp_planned *planned)
{
	return planned->row;
}

/*
 * How many variants a word of asm.variants makes of n instructions, and the i-th of them: the
 * indexes of its instructions, whose number is returned.
 */
double tp_asm_variants(const char *word, size_t n);
size_t tp_asm_variant(const char *word, size_t n, size_t i, unsigned char *indexes);

/*
 * TP_USAGE with every line that is not an instruction, if an assembler with a usual name reports
 * them.
 */
enum tp_status tp_asm_check(struct tp_plan_context *context, const struct tp_asm_body *body,
			    struct tp_diags *diags);

/* As tp_experiment.prepare and run. */
enum tp_status tp_asm_prepare(struct tp_bench *bench, const struct tp_planned *const *planned,
			      size_t n, struct tp_diag *diag);
enum tp_status tp_asm_run(struct tp_bench *bench, const struct tp_planned *planned,
			  struct tp_point *point, struct tp_diag *diag);

/* Cycles and what follows from them, by the windows of the point, whose values are in ns. */
enum tp_status tp_asm_derive(struct tp_point *point, struct tp_diag *diag);

#endif
