/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thin assembler over Zydis. Zydis takes about 250 ns for an instruction, and a kernel repeats a
 * few dozen shapes thousands of times with other displacements. So each shape is encoded once, and
 * then only its displacement changes.
 */
#ifndef TPROF_KERNELS_X86_ENCODE_H
#define TPROF_KERNELS_X86_ENCODE_H

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/emit/assembler.h"

enum { TP_X86_SHAPES = 512, TP_X86_SHAPE_BYTES = 16 /* the longest instruction has 15 */ };

struct tp_x86_shape {
	uint64_t key; /* 0 = free */
	uint8_t bytes[TP_X86_SHAPE_BYTES];
	uint8_t length;
	uint8_t displacement_at; /* offset of the 32-bit displacement; 0 = none */
};

/* Zeroed, then tp_asm_init() of the base. */
struct tp_x86_asm {
	struct tp_assembler base;
	bool vex; /* three-operand VEX forms may be used; the caller sets it */
	struct tp_x86_shape shapes[TP_X86_SHAPES];
};

struct tp_x86_address {
	ZydisRegister base, index;
	unsigned scale; /* 1, 2, 4, 8; 0 without an index */
	int32_t displacement;
};

/*
 * Zydis 4.0 lacks TDPFP16PS. It is TDPBF16PS except for a bit of the VEX prefix: c4 RXBmmmmm
 * WvvvvLpp 5c modrm, where pp is 2 for bf16 and 3 for half (Intel SDM, chapter on AMX).
 */
enum { TP_X86_TDP_BYTES = 5, TP_X86_TDP_PP_AT = 2, TP_X86_TDP_HALF = 1 };

void tp_x86_fill(struct tp_assembler *as, size_t bytes); /* with long nops */

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
/*
 * The same for [base + index * scale + displacement], without an index if it is
 * ZYDIS_REGISTER_NONE. These are not cached.
 */
void tp_x86_load_indexed(struct tp_x86_asm *as, ZydisMnemonic mnemonic, ZydisRegister reg,
			 const struct tp_x86_address *address, unsigned bytes);
void tp_x86_store_indexed(struct tp_x86_asm *as, ZydisMnemonic mnemonic, ZydisRegister reg,
			  const struct tp_x86_address *address, unsigned bytes);
/*
 * Gathers [base + index * scale], `bytes` an element, into dst, in the lanes that the mask has: a
 * vector register (VEX form), or one of k1 to k7 (EVEX form). The instruction clears the mask.
 */
void tp_x86_gather(struct tp_x86_asm *as, ZydisMnemonic mnemonic, ZydisRegister dst,
		   ZydisRegister mask, const struct tp_x86_address *address, unsigned bytes);
/* An instruction whose only operand is the memory at the address. */
void tp_x86_memory(struct tp_x86_asm *as, ZydisMnemonic mnemonic,
		   const struct tp_x86_address *address, unsigned bytes);
/* reg <- base + index * scale + displacement, 64 bits. */
void tp_x86_lea(struct tp_x86_asm *as, ZydisRegister reg, const struct tp_x86_address *address);

/* Jump (JMP, CALL or a conditional one, near form) to an earlier tp_asm_here. */
void tp_x86_jump_back(struct tp_x86_asm *as, ZydisMnemonic mnemonic, size_t target);
/* A jump to a place ahead: the result goes to tp_x86_land at that place. */
size_t tp_x86_jump_forward(struct tp_x86_asm *as, ZydisMnemonic mnemonic);
void tp_x86_land(struct tp_x86_asm *as, size_t jump);

#endif
