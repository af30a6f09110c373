/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/riscv64/forms.h"
#include "kernels/riscv64/encode.h"
#include "kernels/riscv64/riscv64.h"
#include "base/memory.h"

/* The registers that a function need not save: ft0 to ft7, fa0 to fa7, ft8 to ft11. */
static const uint8_t fp_registers[] = { 0,  1,	2,  3,	4,  5,	6,  7,	10, 11,
					12, 13, 14, 15, 16, 17, 28, 29, 30, 31 };
enum { VECTOR_REGISTERS = 32 };

static bool is_scalar(const struct tp_emitter *e)
{
	return e->form == TP_RISCV_SCALAR;
}

static bool is_single(const struct tp_emitter *e)
{
	return e->element_bytes == 4;
}

static unsigned lmul_of(const struct tp_emitter *e)
{
	return e->k && e->k->body.lmul ? e->k->body.lmul : 1;
}

/* Groups of vector registers begin at multiples of their size. */
static unsigned name_of(const struct tp_emitter *e, unsigned reg)
{
	return is_scalar(e) ? fp_registers[reg] : reg * lmul_of(e);
}

unsigned tp_riscv_registers(const struct tp_emitter *e)
{
	return is_scalar(e) ? (unsigned)TP_COUNT_OF(fp_registers) : VECTOR_REGISTERS / lmul_of(e);
}

void tp_riscv_arithmetic(struct tp_emitter *e, enum tp_arithmetic what, unsigned x, unsigned a,
			 unsigned b)
{
	static const enum tp_riscv_op vectors[TP_ARITHMETICS] = {
		[TP_DO_ADD] = TP_RISCV_VFADD,	 [TP_DO_MUL] = TP_RISCV_VFMUL,
		[TP_DO_DIV] = TP_RISCV_VFDIV,	 [TP_DO_FMA] = TP_RISCV_VFMACC,
		[TP_DO_SCALE] = TP_RISCV_VFMADD,
	};
	/* [what][single] */
	static const enum tp_riscv_op scalars[TP_ARITHMETICS][2] = {
		[TP_DO_ADD] = { TP_RISCV_FADD_D, TP_RISCV_FADD_S },
		[TP_DO_MUL] = { TP_RISCV_FMUL_D, TP_RISCV_FMUL_S },
		[TP_DO_DIV] = { TP_RISCV_FDIV_D, TP_RISCV_FDIV_S },
		[TP_DO_FMA] = { TP_RISCV_FMADD_D, TP_RISCV_FMADD_S },
		[TP_DO_SCALE] = { TP_RISCV_FMADD_D, TP_RISCV_FMADD_S },
	};
	enum tp_riscv_op op = is_scalar(e) ? scalars[what][is_single(e)] : vectors[what];
	bool fused = what == TP_DO_FMA || what == TP_DO_SCALE;
	x = name_of(e, x);
	a = name_of(e, a);
	b = name_of(e, b);
	if (!fused)
		tp_riscv_put(e->as, op, x, x, a, 0);
	else if (!is_scalar(e))
		tp_riscv_put(e->as, op, x, a, b, 0);
	else if (what == TP_DO_FMA)
		tp_riscv_put(e->as, op, x, a, b, x);
	else
		tp_riscv_put(e->as, op, x, x, a, b);
}

void tp_riscv_move(struct tp_emitter *e, bool store, unsigned reg, unsigned base, int64_t offset)
{
	/* [vector][single][store] */
	static const enum tp_riscv_op ops[2][2][2] = {
		{ { TP_RISCV_FLD, TP_RISCV_FSD }, { TP_RISCV_FLW, TP_RISCV_FSW } },
		{ { TP_RISCV_VLE64, TP_RISCV_VSE64 }, { TP_RISCV_VLE32, TP_RISCV_VSE32 } },
	};
	bool single = is_single(e) && e->form != TP_RISCV_RVV07;
	enum tp_riscv_op op = ops[!is_scalar(e)][single][store];
	e->as->failed |= !is_scalar(e) && offset != 0;
	if (is_scalar(e))
		tp_riscv_put(e->as, op, name_of(e, reg), offset, base, 0);
	else
		tp_riscv_put(e->as, op, name_of(e, reg), base, 0, 0);
}

void tp_riscv_clear(struct tp_emitter *e, unsigned reg)
{
	enum tp_riscv_op op = !is_scalar(e)  ? TP_RISCV_VMV_I
			      : is_single(e) ? TP_RISCV_FMV_W_X
					     : TP_RISCV_FMV_D_X;
	tp_riscv_put(e->as, op, name_of(e, reg), 0, 0, 0);
}

/* Zero as the wanted length, with a target other than zero, asks for the longest. */
void tp_riscv_set_length(struct tp_emitter *e, unsigned bytes)
{
	unsigned type = tp_riscv_vtype(e->form == TP_RISCV_RVV07, e->element_bytes, lmul_of(e));
	bool longest = e->k && bytes == e->operand_bytes;
	if (!longest)
		tp_riscv_li(e->as, e->scratch, bytes / e->element_bytes);
	tp_riscv_put(e->as, TP_RISCV_VSETVLI, longest ? e->scratch : X_ZERO,
		     longest ? X_ZERO : e->scratch, type, 0);
}
