/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thin assembler over Zydis. Encoding one instruction through Zydis costs some 250 ns; a kernel repeats a few dozen
 * shapes thousands of times with another displacement, so each shape is encoded once and its displacement patched.
 */
#ifndef TPROF_KERNELS_X86_ENCODE_H
#define TPROF_KERNELS_X86_ENCODE_H

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tp_x86_shape {
	uint64_t key; /* 0 = free */
	uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
	uint8_t length;
	uint8_t displacement_at; /* offset of the 32-bit displacement; 0 = none */
};

enum { TP_X86_SHAPES = 512 };

struct tp_x86_asm {
	uint8_t *start, *at, *end;
	bool vex; /* three-operand VEX forms may be used */
	bool failed; /* buffer full or not encodable; checked once at the end */
	struct tp_x86_shape shapes[TP_X86_SHAPES];
};

struct tp_x86_address {
	ZydisRegister base, index;
	unsigned scale; /* 1, 2, 4, 8; 0 without an index */
	int32_t displacement;
};

void tp_x86_asm_init(struct tp_x86_asm *as, void *memory, size_t bytes, bool vex);
size_t tp_x86_here(const struct tp_x86_asm *as);
void tp_x86_align(struct tp_x86_asm *as, size_t bytes);

/* reg <- [base + displacement] and [base + displacement] <- reg, operand of `bytes`. */
void tp_x86_load(struct tp_x86_asm *as, ZydisMnemonic mnemonic, ZydisRegister reg,
		 ZydisRegister base, int32_t displacement, unsigned bytes);
void tp_x86_store(struct tp_x86_asm *as, ZydisMnemonic mnemonic, ZydisRegister reg,
		  ZydisRegister base, int32_t displacement, unsigned bytes);
/* reg <- [reg], in the shortest form: the step of a pointer chase. */
void tp_x86_follow(struct tp_x86_asm *as, ZydisRegister reg, unsigned bytes);
/* dst <- dst op a (legacy) or dst <- a op b; pass ZYDIS_REGISTER_NONE as b for two operands. */
void tp_x86_op(struct tp_x86_asm *as, ZydisMnemonic mnemonic, ZydisRegister dst, ZydisRegister a,
	       ZydisRegister b);
void tp_x86_op_imm(struct tp_x86_asm *as, ZydisMnemonic mnemonic, ZydisRegister dst, int64_t imm);
void tp_x86_op1(struct tp_x86_asm *as, ZydisMnemonic mnemonic, ZydisRegister reg);
void tp_x86_op0(struct tp_x86_asm *as, ZydisMnemonic mnemonic);
/* The same with [base + index * scale + displacement]; index ZYDIS_REGISTER_NONE: without. Not cached. */
void tp_x86_load_indexed(struct tp_x86_asm *as, ZydisMnemonic mnemonic, ZydisRegister reg,
			 const struct tp_x86_address *address, unsigned bytes);
void tp_x86_store_indexed(struct tp_x86_asm *as, ZydisMnemonic mnemonic, ZydisRegister reg,
			  const struct tp_x86_address *address, unsigned bytes);
/* reg <- base + index * scale + displacement, 64 bits. */
void tp_x86_lea(struct tp_x86_asm *as, ZydisRegister reg, const struct tp_x86_address *address);

/* Jump back to `target` (an earlier tp_x86_here) while the last result was not zero. */
void tp_x86_jump_not_zero(struct tp_x86_asm *as, size_t target);
/* Jump (JMP, CALL or a conditional one, near form) to an earlier tp_x86_here. */
void tp_x86_jump_back(struct tp_x86_asm *as, ZydisMnemonic mnemonic, size_t target);
/* Jump to a place that is not yet there: what it returns goes to tp_x86_land at that place. */
size_t tp_x86_jump_forward(struct tp_x86_asm *as, ZydisMnemonic mnemonic);
void tp_x86_land(struct tp_x86_asm *as, size_t jump);

#endif
