/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The loop around users' instructions: x28 counts, x29 holds the stack pointer. The calling
 * convention is that of AAPCS64; FPCR is kept as well. Instructions are not decoded here, so
 * dependences are unknown: bodies run as they are written.
 */
#include "kernels/aarch64/aarch64.h"
#include "kernels/assembly.h"
#include "kernels/emit/emit.h"
#include "base/memory.h"

#include <elf.h>

enum { GENERAL = 0, VECTORS = 32, COUNTER = 28, STACK = 29, REACH_BYTES = 1 << 26 };

/* Forms of general registers, of vectors and their parts. */
static const struct tp_asm_kind kinds[] = {
	{ "x", GENERAL, 31 }, { "w", GENERAL, 31 }, { "v", VECTORS, 32 }, { "q", VECTORS, 32 },
	{ "d", VECTORS, 32 }, { "s", VECTORS, 32 }, { "h", VECTORS, 32 }, { "z", VECTORS, 32 },
};

enum {
	SP = TP_AARCH64_SP,
	PATTERN = 2, /* for the time being */
	FIRST_KEPT = 19, /* up to the link register */
	LAST_KEPT = 29,
	FIRST_KEPT_VECTOR = 8, /* lower halves */
	LAST_KEPT_VECTOR = 14,
	PAIR_BYTES = 16,
	FPCR_AT = 160,
	FRAME_BYTES = 176
};

static void put(struct tp_emitter *e, enum tp_aarch64_op op, int64_t a, int64_t b, int64_t c)
{
	tp_aarch64_put(e->as, op, a, b, c, 0);
}

static void move_kept(struct tp_emitter *e, enum tp_aarch64_op pair, enum tp_aarch64_op vector_pair)
{
	int64_t at = 0;
	for (int64_t reg = FIRST_KEPT; reg <= LAST_KEPT; reg += 2, at += PAIR_BYTES)
		tp_aarch64_put(e->as, pair, reg, reg + 1, SP, at);
	for (int64_t reg = FIRST_KEPT_VECTOR; reg <= LAST_KEPT_VECTOR; reg += 2, at += PAIR_BYTES)
		tp_aarch64_put(e->as, vector_pair, reg, reg + 1, SP, at);
}

static void enter(struct tp_emitter *e)
{
	enum { PLATFORM = 18, LAST = 30 };
	put(e, TP_AARCH64_SUB_IMM, SP, SP, FRAME_BYTES);
	move_kept(e, TP_AARCH64_STP_X, TP_AARCH64_STP_D);
	put(e, TP_AARCH64_MRS_FPCR, PATTERN, 0, 0);
	put(e, TP_AARCH64_STR_X, PATTERN, SP, FPCR_AT);
	put(e, TP_AARCH64_ADD_IMM, STACK, SP, 0);
	put(e, TP_AARCH64_MOV, COUNTER, 1, 0);
	put(e, TP_AARCH64_LDR_X, PATTERN, 0, offsetof(struct tp_asm_block, pattern));
	for (int64_t reg = 0; reg < 32; reg++)
		put(e, TP_AARCH64_DUP_2D, reg, PATTERN, 0);
	put(e, TP_AARCH64_LDR_X, 1, 0, offsetof(struct tp_asm_block, stack));
	put(e, TP_AARCH64_ADD_IMM, SP, 1, 0);
	for (int64_t reg = LAST; reg >= 0; reg--)
		if (reg != PLATFORM && reg != COUNTER && reg != STACK)
			put(e, TP_AARCH64_LDR_X, reg, 0,
			    (int64_t)offsetof(struct tp_asm_block, general) + 8 * reg);
}

/* Preserves the flags: a body's result in them carries over to its next round. */
static void go_on(struct tp_emitter *e, size_t top)
{
	put(e, TP_AARCH64_SUB_IMM, COUNTER, COUNTER, 1);
	size_t out = tp_word_forward(e->as, &tp_aarch64_words, TP_AARCH64_CBZ, COUNTER, 0);
	tp_word_back(e->as, &tp_aarch64_words, TP_AARCH64_B, 0, 0, top);
	tp_word_land(e->as, &tp_aarch64_words, out);
}

static void leave(struct tp_emitter *e)
{
	put(e, TP_AARCH64_ADD_IMM, SP, STACK, 0);
	put(e, TP_AARCH64_LDR_X, PATTERN, SP, FPCR_AT);
	put(e, TP_AARCH64_MSR_FPCR, PATTERN, 0, 0);
	move_kept(e, TP_AARCH64_LDP_X, TP_AARCH64_LDP_D);
	put(e, TP_AARCH64_ADD_IMM, SP, SP, FRAME_BYTES);
	put(e, TP_AARCH64_RET, 0, 0, 0);
}

static bool is_reserved(unsigned reg)
{
	return reg == COUNTER || reg == STACK;
}

static bool is_vector(unsigned reg)
{
	return reg >= VECTORS;
}

const struct tp_assembly tp_aarch64_assembly = {
	.elf_machine = EM_AARCH64,
	.directives = { "" },
	.syntax_words = "att",
	.reserved = "x28 and x29",
	.stack = -1,
	.buffer = 0,
	.middle = 1,
	.zero = -1,
	.kinds = kinds,
	.n_kinds = TP_COUNT_OF(kinds),
	.is_reserved = is_reserved,
	.is_vector = is_vector,
	.most_bytes = REACH_BYTES,
	.back_end = &tp_aarch64_back_end,
	.enter = enter,
	.go_on = go_on,
	.leave = leave,
};
