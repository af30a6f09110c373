/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Long code. The zero flag is clear whenever the first line begins (rdi is never 0, nor is rsi when the loop goes on), and what fills a line leaves
 * the flags alone, so one comparison serves all branches. Lines are equal and know no address: one is emitted, the others are copies.
 */
#ifdef TP_ARCH_X86_64

#include "kernels/x86/counted.h"

#include <string.h>

/* Instructions to the end of the line; returns how many. The longest form first, one byte of nop at worst. */
static unsigned fill_line(struct tp_x86_asm *as, size_t bytes)
{
	enum { LEA_BYTES = 7, MOVE_BYTES = 3, FAR_AWAY = 0x01000000 };
	static const ZydisRegister targets[] = { ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_RCX,
						 ZYDIS_REGISTER_RDX };
	unsigned n = 0;
	while (bytes && !as->failed) {
		const struct tp_x86_address address = { DATA, ZYDIS_REGISTER_NONE, 0, FAR_AWAY };
		size_t before = tp_x86_here(as);
		if (bytes >= LEA_BYTES)
			tp_x86_lea(as, targets[n % 3], &address);
		else if (bytes >= MOVE_BYTES)
			tp_x86_op(as, ZYDIS_MNEMONIC_MOV, targets[n % 3], DATA,
				  ZYDIS_REGISTER_NONE);
		else
			tp_x86_op0(as, ZYDIS_MNEMONIC_NOP);
		size_t length = tp_x86_here(as) - before;
		if (length > bytes)
			as->failed = true;
		else
			bytes -= length;
		n++;
	}
	return n;
}

void tp_x86_count_lines(struct tp_x86_counted *c, const struct tp_lines *l)
{
	struct tp_x86_asm *as = &c->as;
	tp_x86_do(c, ZYDIS_MNEMONIC_TEST, DATA, DATA, ZYDIS_REGISTER_NONE);
	tp_x86_align(as, l->line_bytes);

	struct tp_x86_trips pass = tp_x86_trips_begin(c, PASSES, 1);
	size_t jumps[2], n_jumps = l->full ? 2 : 1;
	for (size_t i = 0; i < n_jumps; i++)
		jumps[i] =
			tp_x86_jump_forward(as, l->full ? ZYDIS_MNEMONIC_JZ : ZYDIS_MNEMONIC_JNZ);
	unsigned filling = fill_line(as, l->line_bytes - (tp_x86_here(as) - pass.top));
	for (size_t i = 0; i < n_jumps; i++)
		tp_x86_land(as, jumps[i]);
	if (as->failed)
		return;
	const uint8_t *first = as->start + pass.top;
	for (uint64_t i = 1; i + 1 < l->lines; i++, as->at += l->line_bytes) {
		if ((size_t)(as->end - as->at) < l->line_bytes) {
			as->failed = true;
			return;
		}
		memcpy(as->at, first, l->line_bytes);
	}
	c->executed += (l->lines - 1) * (l->full ? 2 + filling : 1);
	/* As many conditional branches in the last line as in any: the loop's is one. */
	if (l->full) {
		size_t over = tp_x86_jump_forward(as, ZYDIS_MNEMONIC_JZ);
		tp_x86_land(as, over);
		tp_x86_did(c, 1);
	}
	tp_x86_trips_end(c, &pass);
}

#endif
