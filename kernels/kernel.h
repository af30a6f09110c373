/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kernel descriptions: what a micro-kernel does, independent of any instruction set. The back ends turn a description
 * into machine code; the counts below are what the emitted code does by construction (and what the tests hold it to).
 *
 * Memory kernels walk `working_set_bytes` once per pass: access i is a load if i mod (loads + stores) < loads, else a
 * store. In one region the accesses follow each other upward; with two streams the loads walk the lower part of the buffer
 * and the stores the upper part. Every byte of the working set is touched exactly once per pass (stride 1): where operands can be longer than what
 * is left, the ISA has short tails, and the last access takes just that.
 *
 * FP kernels keep everything in registers. Their data block holds operands of tp_kernel_operand_bytes each:
 * a, b, then TP_KERNEL_ACCUMULATORS accumulators, which are loaded at the start and stored at the end:
 *   add: acc += a    mul: acc *= a    div: acc /= a    fma: acc += a * b    fma+add: alternately on separate accumulators.
 * Without FMA instructions fma becomes alternating mul and add.
 *
 * Mixed kernels interleave `fp_count` FP instructions with every `mem_count` memory accesses of a memory kernel, on
 * registers that do not depend on what is loaded.
 *
 * A chase follows pointers, one dependent load at a time. Its data is a cell that holds the address of the first one; a pass is `unroll`
 * loads of 8 bytes, each from the address that the one before loaded, and the cell gets the address where the last pass ended, so that
 * the next call goes on there. What the pointers lead through is for whoever writes them (measure/chase.h).
 *
 * A chain is a run of dependent integer additions, one core cycle each; a width kernel a run of independent ones, as many a cycle
 * as the core issues.
 */
#ifndef TPROF_KERNELS_KERNEL_H
#define TPROF_KERNELS_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"
#include "base/status.h"
#include "kernels/code.h"
#include "kernels/isa.h"

enum tp_kernel_kind {
	TP_KERNEL_MEMORY,
	TP_KERNEL_FP,
	TP_KERNEL_MIXED,
	TP_KERNEL_CHASE,
	TP_KERNEL_CHAIN,
	TP_KERNEL_WIDTH
};

/* id, preset name, FLOP per lane, summary for --list kernels */
#define TP_FP_OP_LIST(X)                                                                           \
	X(NONE, "", 0, "")                                                                         \
	X(ADD, "add", 1, "independent additions")                                                  \
	X(MUL, "mul", 1, "independent multiplications")                                            \
	X(DIV, "div", 1, "independent divisions")                                                  \
	X(FMA, "fma", 2, "independent fused multiply-adds")                                        \
	X(FMA_ADD, "fma+add", 0,                                                                   \
	  "fused multiply-adds and additions side by side: the true peak where adders sit beside " \
	  "the multipliers")

enum tp_fp_op {
#define TP_FP_OP_ENUM(id, name, flops, summary) TP_FP_##id,
	TP_FP_OP_LIST(TP_FP_OP_ENUM)
#undef TP_FP_OP_ENUM
		TP_FP_OP_COUNT
};

const char *tp_fp_op_name(enum tp_fp_op op);
const char *tp_fp_op_summary(enum tp_fp_op op);
enum tp_fp_op tp_fp_op_find(const char *name); /* TP_FP_NONE if there is none */

enum { TP_KERNEL_ACCUMULATORS = 30, TP_KERNEL_DATA_BYTES = 32 * 256 };

/* How a body is laid out; every choice does the same work. Zero means the tuned default. */
struct tp_body {
	unsigned unroll; /* memory or FP instructions in the inner body */
	bool two_streams; /* loads and stores in separate regions */
	unsigned
		lanes; /* the region is cut into that many parts walked side by side; 1 = one upward walk */
	unsigned fma_run, add_run; /* fma+add: FMAs and adds in a row; 1:1 by default */
	unsigned lmul; /* vector registers that one instruction works on; 0 or 1: one */
};

struct tp_kernel {
	enum tp_kernel_kind kind;
	const struct tp_isa *isa;
	unsigned element_bytes; /* 8 double, 4 single */
	unsigned loads, stores; /* ratio of a memory or mixed kernel */
	bool nontemporal; /* stores go past the caches */
	unsigned stride; /* in operands; 0 or 1: every byte */
	uint64_t working_set_bytes; /* multiple of 64; of a chase: what its pointers lead through */
	enum tp_fp_op fp_op;
	unsigned fp_count, mem_count; /* mixed: FP instructions per memory accesses */
	struct tp_body body;
};

/* Work of one pass. For a chain or a width kernel: `other` = additions. */
struct tp_kernel_counts {
	uint64_t loads, stores, fp;
	uint64_t loaded_bytes, stored_bytes;
	uint64_t flops;
	uint64_t other;
};

/* "load", "store", "2ld1st", "2ld1st-nt", "fma", "mixed-fma-2ld1st-3:2", "chase", "chain"; returns out. */
const char *tp_kernel_name(const struct tp_kernel *kernel, char *out, size_t size);
/* "u256 two-streams", "u512"; returns out. */
const char *tp_body_name(const struct tp_body *body, char *out, size_t size);

/* TP_USAGE with words when a description makes no sense (sizes, ratios, operations). */
enum tp_status tp_kernel_check(const struct tp_kernel *kernel, struct tp_diag *diag);

void tp_kernel_count(const struct tp_kernel *kernel, const struct tp_cpu *cpu,
		     struct tp_kernel_counts *counts);

/* Checks, emits, seals. On success the caller owns `code`. */
enum tp_status tp_kernel_emit(const struct tp_kernel *kernel, const struct tp_cpu *cpu,
			      struct tp_code *code, struct tp_diag *diag);

/* --- shared by the back ends --- */

/* Bytes of one memory operand or FP operand: the ISA's, times the registers that the body groups. */
unsigned tp_kernel_operand_bytes(const struct tp_kernel *kernel);
/* Bytes of the last access of a pass where it is shorter than the others; 0: all are alike. */
unsigned tp_kernel_tail_bytes(const struct tp_kernel *kernel);
/* Accesses of one pass of a memory or mixed kernel and how many of them are loads. */
void tp_kernel_accesses(const struct tp_kernel *kernel, uint64_t *accesses, uint64_t *loads);
/* FP instructions due once `accesses_done` memory accesses of a mixed kernel were issued. */
uint64_t tp_kernel_fp_due(const struct tp_kernel *kernel, uint64_t accesses_done);
/* True if FP instruction `i` of fma+add (or of fma on a CPU without it) is the FMA (or multiplication). */
bool tp_kernel_fp_first(const struct tp_kernel *kernel, uint64_t i);
/* Unroll depth, with the default filled in, in whole groups of the kernel. */
unsigned tp_kernel_unroll(const struct tp_kernel *kernel);

#endif
