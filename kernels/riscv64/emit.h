/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files that emit kernels share: the walk over memory is theirs all, what a register holds and moves is a form's. */
#ifndef TPROF_KERNELS_RISCV64_EMIT_H
#define TPROF_KERNELS_RISCV64_EMIT_H

#include "kernels/kernel.h"
#include "kernels/riscv64/encode.h"

enum tp_riscv_arithmetic {
	TP_RISCV_DO_ADD,
	TP_RISCV_DO_MUL,
	TP_RISCV_DO_DIV,
	TP_RISCV_DO_FMA,
	TP_RISCV_ARITHMETICS
};

/* Registers are numbered from 0 on, without gaps; what they are called is the form's business. */
struct tp_riscv_form {
	unsigned (*registers)(const struct tp_kernel *kernel); /* how many there are */
	bool offsets; /* loads and stores take one */
	void (*enter)(struct tp_riscv_asm *as, const struct tp_kernel *kernel);
	/* From here on operands have so many bytes: up to tp_kernel_operand_bytes. NULL where they cannot be shorter. */
	void (*shorten)(struct tp_riscv_asm *as, const struct tp_kernel *kernel, unsigned bytes);
	void (*move)(struct tp_riscv_asm *as, const struct tp_kernel *kernel, bool store,
		     unsigned reg, unsigned base, int64_t offset);
	void (*clear)(struct tp_riscv_asm *as, const struct tp_kernel *kernel, unsigned reg);
	/* acc = acc op a; multiply-add: acc += a * b. */
	void (*arithmetic)(struct tp_riscv_asm *as, const struct tp_kernel *kernel,
			   enum tp_riscv_arithmetic what, unsigned acc, unsigned a, unsigned b);
};

extern const struct tp_riscv_form tp_riscv_scalar_form, tp_riscv_rvv10_form, tp_riscv_rvv07_form;

/* Register plan of a kernel with floating point or memory accesses. */
struct tp_riscv_plan {
	unsigned registers;
	unsigned accumulators, first_accumulators; /* [0, first) take the FMAs of a pair */
	unsigned target, targets; /* of loads */
	unsigned a, b, source; /* operands; what is stored */
	bool pair; /* two kinds of FP instructions on accumulators of their own */
};

/* TP_UNSUPPORTED where groups of registers leave too few of them. */
enum tp_status tp_riscv_plan(const struct tp_kernel *kernel, const struct tp_riscv_form *form,
			     struct tp_riscv_plan *plan, struct tp_diag *diag);

struct tp_riscv_emitter {
	struct tp_riscv_asm as;
	const struct tp_kernel *k;
	const struct tp_riscv_form *form;
	struct tp_riscv_plan plan;
	uint64_t fp_issued, first_issued, load_issued; /* since the body began */
};

/* The next FP instruction of a body. */
void tp_riscv_next_fp(struct tp_riscv_emitter *e);
/* Passes over the working set, and the registers that they need. */
void tp_riscv_walk(struct tp_riscv_emitter *e, struct tp_code *code);

/* The data, passes to go, rounds of the loop to go, distances of two kinds of pointers, for immediates that are too long. */
enum {
	DATA = X_A0,
	PASSES = X_A1,
	INNER = X_A2,
	STEP = X_A3, /* and the one after it */
	SCRATCH = X_A5
};

#endif
