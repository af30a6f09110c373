/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data cache kernels. */
#ifdef TP_ARCH_X86_64

#include "kernels/x86/counted.h"

/* rax = pointer, rcx = rounds of the unrolled loop. */
void tp_x86_count_chase(struct tp_x86_counted *c, const struct tp_chase *chase)
{
	uint64_t rounds = chase->accesses / chase->unroll, rest = chase->accesses % chase->unroll;
	if (rounds <= 1) {
		rest += rounds * chase->unroll;
		rounds = 0;
	}
	tp_x86_do(c, ZYDIS_MNEMONIC_MOV, ZYDIS_REGISTER_RAX, DATA, ZYDIS_REGISTER_NONE);
	tp_x86_align(&c->as, 64);
	struct tp_x86_trips pass = tp_x86_trips_begin(c, PASSES, 1);
	if (rounds) {
		struct tp_x86_trips round = tp_x86_trips_begin(c, ZYDIS_REGISTER_RCX, rounds);
		for (unsigned i = 0; i < chase->unroll; i++)
			tp_x86_follow(&c->as, ZYDIS_REGISTER_RAX, 8);
		tp_x86_did(c, chase->unroll);
		tp_x86_trips_end(c, &round);
	}
	for (uint64_t i = 0; i < rest; i++)
		tp_x86_follow(&c->as, ZYDIS_REGISTER_RAX, 8);
	tp_x86_did(c, (unsigned)rest);
	tp_x86_trips_end(c, &pass);
}

/*
 * rax = offset in the block, rdx = the block, r8 = its address, rcx and r9 = rounds and blocks to go, r10 = multiplier,
 * r11 = mask of the blocks.
 */
void tp_x86_count_scatter(struct tp_x86_counted *c, const struct tp_scatter *s)
{
	const ZydisRegister offset = ZYDIS_REGISTER_RAX, block = ZYDIS_REGISTER_RDX,
			    base = ZYDIS_REGISTER_R8, none = ZYDIS_REGISTER_NONE;
	uint64_t block_bytes = s->block_elements * s->stride_bytes;
	uint64_t unroll = s->block_elements < s->unroll ? s->block_elements : s->unroll;
	int64_t increment = (int64_t)s->increment * s->stride_bytes;
	tp_x86_do_imm(c, ZYDIS_MNEMONIC_MOV, offset, 0);
	tp_x86_do_imm(c, ZYDIS_MNEMONIC_MOV, block, 0);
	tp_x86_do_imm(c, ZYDIS_MNEMONIC_MOV, ZYDIS_REGISTER_R10, s->multiplier);
	tp_x86_do_imm(c, ZYDIS_MNEMONIC_MOV, ZYDIS_REGISTER_R11,
		      (int64_t)(s->blocks * block_bytes - 1));
	tp_x86_align(&c->as, 64);
	struct tp_x86_trips pass = tp_x86_trips_begin(c, PASSES, 1);
	struct tp_x86_trips blocks = tp_x86_trips_begin(c, ZYDIS_REGISTER_R9, s->blocks);
	const struct tp_x86_address address = { DATA, block, 1, 0 };
	tp_x86_lea(&c->as, base, &address);
	tp_x86_did(c, 1);
	struct tp_x86_trips round =
		tp_x86_trips_begin(c, ZYDIS_REGISTER_RCX, s->block_elements / unroll);
	const struct tp_x86_address target = { base, offset, 1, 0 };
	for (uint64_t i = 0; i < unroll; i++) {
		tp_x86_do(c, ZYDIS_MNEMONIC_IMUL, offset, ZYDIS_REGISTER_R10, none);
		tp_x86_do_imm(c, ZYDIS_MNEMONIC_ADD, offset, increment);
		tp_x86_do_imm(c, ZYDIS_MNEMONIC_AND, offset, (int64_t)block_bytes - 1);
		tp_x86_store_indexed(&c->as, ZYDIS_MNEMONIC_MOV, offset, &target, 8);
		tp_x86_did(c, 1);
	}
	tp_x86_trips_end(c, &round);
	tp_x86_do(c, ZYDIS_MNEMONIC_IMUL, block, ZYDIS_REGISTER_R10, none);
	tp_x86_do_imm(c, ZYDIS_MNEMONIC_ADD, block, (int64_t)block_bytes);
	tp_x86_do(c, ZYDIS_MNEMONIC_AND, block, ZYDIS_REGISTER_R11, none);
	tp_x86_trips_end(c, &blocks);
	tp_x86_trips_end(c, &pass);
}

#endif
