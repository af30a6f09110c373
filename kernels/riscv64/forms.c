/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Forms of the instructions: one element in FP registers (F and D), and vectors of versions 1.0 and 0.7. The two versions differ in the vector
 * type and in that loads and stores of 0.7 take their width from it.
 */
#include "kernels/riscv64/emit.h"
#include "base/vec.h"

static bool is_single(const struct tp_kernel *k)
{
	return k->element_bytes == 4;
}

/* --- scalar --- */

/* Those that a function may use without saving them: ft0 to ft7, fa0 to fa7, ft8 to ft11. */
static const uint8_t fp_registers[] = { 0,  1,	2,  3,	4,  5,	6,  7,	10, 11,
					12, 13, 14, 15, 16, 17, 28, 29, 30, 31 };

static unsigned scalar_registers(const struct tp_kernel *k)
{
	(void)k;
	return TP_COUNT_OF(fp_registers);
}

static void scalar_enter(struct tp_riscv_asm *as, const struct tp_kernel *k)
{
	(void)as;
	(void)k;
}

static void scalar_move(struct tp_riscv_asm *as, const struct tp_kernel *k, bool store,
			unsigned reg, unsigned base, int64_t offset)
{
	/* [store][single] */
	static const enum tp_riscv_op ops[2][2] = { { TP_RISCV_FLD, TP_RISCV_FLW },
						    { TP_RISCV_FSD, TP_RISCV_FSW } };
	tp_riscv_imm(as, ops[store][is_single(k)], fp_registers[reg], base, offset);
}

static void scalar_clear(struct tp_riscv_asm *as, const struct tp_kernel *k, unsigned reg)
{
	tp_riscv_imm(as, is_single(k) ? TP_RISCV_FMV_W_X : TP_RISCV_FMV_D_X, fp_registers[reg],
		     X_ZERO, 0);
}

static void scalar_arithmetic(struct tp_riscv_asm *as, const struct tp_kernel *k,
			      enum tp_riscv_arithmetic what, unsigned acc, unsigned a, unsigned b)
{
	/* [what][single] */
	static const enum tp_riscv_op ops[TP_RISCV_ARITHMETICS][2] = {
		[TP_RISCV_DO_ADD] = { TP_RISCV_FADD_D, TP_RISCV_FADD_S },
		[TP_RISCV_DO_MUL] = { TP_RISCV_FMUL_D, TP_RISCV_FMUL_S },
		[TP_RISCV_DO_DIV] = { TP_RISCV_FDIV_D, TP_RISCV_FDIV_S },
		[TP_RISCV_DO_FMA] = { TP_RISCV_FMADD_D, TP_RISCV_FMADD_S },
	};
	unsigned x = fp_registers[acc];
	if (what == TP_RISCV_DO_FMA)
		tp_riscv_op4(as, ops[what][is_single(k)], x, fp_registers[a], fp_registers[b], x);
	else
		tp_riscv_op3(as, ops[what][is_single(k)], x, x, fp_registers[a]);
}

const struct tp_riscv_form tp_riscv_scalar_form = {
	.registers = scalar_registers,
	.offsets = true,
	.enter = scalar_enter,
	.move = scalar_move,
	.clear = scalar_clear,
	.arithmetic = scalar_arithmetic,
};

/* --- vectors; groups begin at multiples of their size --- */

enum { VECTOR_REGISTERS = 32 };

static unsigned lmul_of(const struct tp_kernel *k)
{
	return k->body.lmul ? k->body.lmul : 1;
}

static unsigned vector_registers(const struct tp_kernel *k)
{
	return VECTOR_REGISTERS / lmul_of(k);
}

/* With zero as the wanted length and a target other than zero the length is the longest there is. */
static void set_longest(struct tp_riscv_asm *as, const struct tp_kernel *k, bool old)
{
	tp_riscv_imm(as, TP_RISCV_VSETVLI, SCRATCH, X_ZERO,
		     tp_riscv_vtype(old, k->element_bytes, lmul_of(k)));
}

static void set_length(struct tp_riscv_asm *as, const struct tp_kernel *k, unsigned bytes, bool old)
{
	if (bytes == tp_kernel_operand_bytes(k)) {
		set_longest(as, k, old);
		return;
	}
	tp_riscv_li(as, SCRATCH, bytes / k->element_bytes);
	tp_riscv_imm(as, TP_RISCV_VSETVLI, X_ZERO, SCRATCH,
		     tp_riscv_vtype(old, k->element_bytes, lmul_of(k)));
}

static void rvv10_enter(struct tp_riscv_asm *as, const struct tp_kernel *k)
{
	set_longest(as, k, false);
}

static void rvv07_enter(struct tp_riscv_asm *as, const struct tp_kernel *k)
{
	set_longest(as, k, true);
}

static void rvv10_shorten(struct tp_riscv_asm *as, const struct tp_kernel *k, unsigned bytes)
{
	set_length(as, k, bytes, false);
}

static void rvv07_shorten(struct tp_riscv_asm *as, const struct tp_kernel *k, unsigned bytes)
{
	set_length(as, k, bytes, true);
}

static void rvv10_move(struct tp_riscv_asm *as, const struct tp_kernel *k, bool store, unsigned reg,
		       unsigned base, int64_t offset)
{
	static const enum tp_riscv_op ops[2][2] = { { TP_RISCV_VLE64, TP_RISCV_VLE32 },
						    { TP_RISCV_VSE64, TP_RISCV_VSE32 } };
	as->failed |= offset != 0;
	tp_riscv_imm(as, ops[store][is_single(k)], reg * lmul_of(k), base, 0);
}

static void rvv07_move(struct tp_riscv_asm *as, const struct tp_kernel *k, bool store, unsigned reg,
		       unsigned base, int64_t offset)
{
	as->failed |= offset != 0;
	tp_riscv_imm(as, store ? TP_RISCV_VSE64 : TP_RISCV_VLE64, reg * lmul_of(k), base, 0);
}

static void vector_clear(struct tp_riscv_asm *as, const struct tp_kernel *k, unsigned reg)
{
	tp_riscv_imm(as, TP_RISCV_VMV_I, reg * lmul_of(k), 0, 0);
}

static void vector_arithmetic(struct tp_riscv_asm *as, const struct tp_kernel *k,
			      enum tp_riscv_arithmetic what, unsigned acc, unsigned a, unsigned b)
{
	static const enum tp_riscv_op ops[TP_RISCV_ARITHMETICS] = {
		[TP_RISCV_DO_ADD] = TP_RISCV_VFADD,
		[TP_RISCV_DO_MUL] = TP_RISCV_VFMUL,
		[TP_RISCV_DO_DIV] = TP_RISCV_VFDIV,
		[TP_RISCV_DO_FMA] = TP_RISCV_VFMACC,
	};
	unsigned m = lmul_of(k), x = acc * m;
	if (what == TP_RISCV_DO_FMA)
		tp_riscv_op3(as, ops[what], x, a * m, b * m);
	else
		tp_riscv_op3(as, ops[what], x, x, a * m);
}

const struct tp_riscv_form tp_riscv_rvv10_form = {
	.registers = vector_registers,
	.enter = rvv10_enter,
	.shorten = rvv10_shorten,
	.move = rvv10_move,
	.clear = vector_clear,
	.arithmetic = vector_arithmetic,
};

const struct tp_riscv_form tp_riscv_rvv07_form = {
	.registers = vector_registers,
	.enter = rvv07_enter,
	.shorten = rvv07_shorten,
	.move = rvv07_move,
	.clear = vector_clear,
	.arithmetic = vector_arithmetic,
};
