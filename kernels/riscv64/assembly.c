/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The loop around users' instructions: s11 counts, s0 holds the stack pointer. The calling
 * convention is that of the RISC-V psABI; fcsr is kept as well. Vector registers are not
 * initialised. Instructions are not decoded here, so dependences are unknown: bodies run as they
 * are written.
 */
#include "kernels/assembly.h"
#include "kernels/emit/emit.h"
#include "kernels/riscv64/riscv64.h"
#include "base/memory.h"

#include <elf.h>

enum { GENERAL = 0, FLOATS = 32, VECTORS = 64, NUMBERED = 96, REACH_BYTES = 1 << 20 };

/* By the names of the calling convention; the numbers count within each kind. */
static const struct tp_asm_kind kinds[] = {
	{ "s", GENERAL, 12 },	  { "x", NUMBERED, 32 }, { "a", GENERAL + 12, 8 },
	{ "t", GENERAL + 20, 7 }, { "f", FLOATS, 32 },	 { "fs", FLOATS, 12 },
	{ "fa", FLOATS, 8 },	  { "ft", FLOATS, 12 },	 { "v", VECTORS, 32 },
};
enum {
	S0 = 8,
	S11 = 27,
	VALUE_BYTES = 8,
	FCSR_AT = 200, /* after 13 integer and 12 FP registers */
	FRAME_BYTES = 208
};

static void put(struct tp_emitter *e, enum tp_riscv_op op, int64_t a, int64_t b, int64_t c)
{
	tp_riscv_put(e->as, op, a, b, c, 0);
}

/* s0 to s11 and fs0 to fs11 have the same numbers. */
static bool is_kept(unsigned reg)
{
	return reg == S0 || reg == S0 + 1 || (reg >= X_S2 && reg <= S11);
}

static void move_kept(struct tp_emitter *e, enum tp_riscv_op integer, enum tp_riscv_op fp)
{
	int64_t at = 0;
	for (unsigned reg = 0; reg < 32; reg++)
		if (reg == X_RA || is_kept(reg)) {
			put(e, integer, reg, at, X_SP);
			at += VALUE_BYTES;
		}
	for (unsigned reg = 0; reg < 32; reg++)
		if (is_kept(reg)) {
			put(e, fp, reg, at, X_SP);
			at += VALUE_BYTES;
		}
}

static int64_t general_at(unsigned reg)
{
	return (int64_t)offsetof(struct tp_asm_block, general) + VALUE_BYTES * (int64_t)reg;
}

static void enter(struct tp_emitter *e)
{
	put(e, TP_RISCV_ADDI, X_SP, X_SP, -FRAME_BYTES);
	move_kept(e, TP_RISCV_SD, TP_RISCV_FSD);
	put(e, TP_RISCV_FRCSR, X_T0, 0, 0);
	put(e, TP_RISCV_SD, X_T0, FCSR_AT, X_SP);
	put(e, TP_RISCV_ADDI, S0, X_SP, 0);
	put(e, TP_RISCV_ADDI, S11, X_A1, 0);
	put(e, TP_RISCV_LD, X_T0, offsetof(struct tp_asm_block, pattern), X_A0);
	for (int64_t reg = 0; reg < 32; reg++)
		put(e, TP_RISCV_FMV_D_X, reg, X_T0, 0);
	put(e, TP_RISCV_LD, X_SP, offsetof(struct tp_asm_block, stack), X_A0);
	for (unsigned reg = X_RA; reg <= X_T6; reg++)
		if (!(reg >= X_SP && reg < X_T0) && reg != S0 && reg != X_A0 && reg != S11)
			put(e, TP_RISCV_LD, reg, general_at(reg), X_A0);
	put(e, TP_RISCV_LD, X_A0, general_at(X_A0), X_A0);
}

static void go_on(struct tp_emitter *e, size_t top)
{
	put(e, TP_RISCV_ADDI, S11, S11, -1);
	size_t out = tp_word_forward(e->as, &tp_riscv_words, TP_RISCV_BEQ, S11, X_ZERO);
	tp_word_back(e->as, &tp_riscv_words, TP_RISCV_JAL, X_ZERO, 0, top);
	tp_word_land(e->as, &tp_riscv_words, out);
}

static void leave(struct tp_emitter *e)
{
	put(e, TP_RISCV_ADDI, X_SP, S0, 0);
	put(e, TP_RISCV_LD, X_T0, FCSR_AT, X_SP);
	put(e, TP_RISCV_FSCSR, X_T0, 0, 0);
	move_kept(e, TP_RISCV_LD, TP_RISCV_FLD);
	put(e, TP_RISCV_ADDI, X_SP, X_SP, FRAME_BYTES);
	put(e, TP_RISCV_JALR, X_ZERO, 0, X_RA);
}

/* Both names of the registers of the loop. */
static bool is_reserved(unsigned reg)
{
	return reg == GENERAL || reg == GENERAL + 11 || reg == NUMBERED + S0 ||
	       reg == NUMBERED + S11;
}

static bool is_vector(unsigned reg)
{
	return reg >= VECTORS && reg < NUMBERED;
}

/* The number that instructions have for a register of any name. */
static int general(unsigned reg)
{
	if (reg >= NUMBERED)
		return (int)(reg - NUMBERED);
	if (reg < 2)
		return (int)reg + S0;
	if (reg < 12)
		return (int)reg - 2 + X_S2;
	if (reg < 20)
		return (int)reg - 12 + X_A0;
	if (reg < 23)
		return (int)reg - 20 + X_T0;
	return reg < 27 ? (int)reg - 23 + X_T3 : -1;
}

const struct tp_assembly tp_riscv_assembly = {
	.elf_machine = EM_RISCV,
	.directives = { "" },
	.syntax_words = "att",
	.reserved = "s0 and s11",
	.stack = -1,
	.buffer = X_A0,
	.middle = X_A1,
	.zero = -1,
	.kinds = kinds,
	.n_kinds = TP_COUNT_OF(kinds),
	.general = general,
	.is_reserved = is_reserved,
	.is_vector = is_vector,
	.most_bytes = REACH_BYTES,
	.back_end = &tp_riscv_back_end,
	.enter = enter,
	.go_on = go_on,
	.leave = leave,
};
