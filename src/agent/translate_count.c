/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counters of blocks, and of instructions whose work is known only when they run. */
#include "agent/cache.h"

/* rax and its like: dead in front of the instruction; 0..15, or -1. rsp never is. */
static int dead_register(const struct tp_translated *it)
{
	static const uint8_t order[] = { TP_RAX, TP_RCX, TP_RDX, TP_RSI, TP_RDI, 8, 9, 10, 11 };

	for (unsigned i = 0; i < sizeof(order); i++)
		if (!(it->before.gprs & 1u << order[i]))
			return order[i];
	return -1;
}

void tp_count_block(struct tp_translation *t, const struct tp_translated *it, unsigned counter)
{
	const uint64_t *count = &t->cache->counts[counter];
	const void *spill = &t->context->spills[TP_SLOT_SCRATCH];
	struct tp_emit *e = &t->e;
	int dead;
	unsigned reg;

	if (!it->before.flags) {
		tp_emit_add_one(e, count);
		return;
	}
	dead = dead_register(it);
	reg = dead < 0 ? TP_RAX : (unsigned)dead;
	if (dead < 0)
		tp_emit_store(e, spill, reg);
	tp_emit_load(e, reg, count);
	tp_emit_lea(e, reg, reg, -1, 1);
	tp_emit_store(e, count, reg);
	if (dead < 0)
		tp_emit_load(e, reg, spill);
}

/* Without a stack: lahf, seto al. */
void tp_flags_out(struct tp_translation *t)
{
	static const uint8_t code[] = { 0x9f, 0x0f, 0x90, 0xc0 };

	for (unsigned i = 0; i < sizeof(code); i++)
		tp_emit_1(&t->e, code[i]);
	tp_emit_store(&t->e, &t->context->spills[TP_SLOT_FLAGS], TP_RAX);
}

void tp_flags_in(struct tp_translation *t)
{
	tp_emit_load(&t->e, TP_RAX, &t->context->spills[TP_SLOT_FLAGS]);
	/* add al, 0x7f overflows if al is 1; sahf sets the others. */
	tp_emit_1(&t->e, 0x04);
	tp_emit_1(&t->e, 0x7f);
	tp_emit_1(&t->e, 0x9e);
}

/* kmovw or kmovq rax, mask */
static void opmask_to_rax(struct tp_emit *e, const struct tp_mix_instruction *mix)
{
	tp_emit_1(e, 0xc4);
	tp_emit_1(e, 0xe1);
	tp_emit_1(e, mix->lanes > 16 ? 0xfb : 0x78);
	tp_emit_1(e, 0x93);
	tp_emit_1(e, 0xc0 | (mix->mask & 7));
}

/* pmovmskb, movmskps or movmskpd of vector register `mask` to eax */
static void signs_to_rax(struct tp_emit *e, const struct tp_mix_instruction *mix)
{
	unsigned bytes = mix->lanes * mix->lane_bytes;
	bool wide = bytes > 16;

	if (wide) {
		tp_emit_1(e, 0xc4);
		tp_emit_1(e, mix->mask >= 8 ? 0xc1 : 0xe1);
		tp_emit_1(e, 0x7c | (mix->lane_bytes == 4 ? 0 : 1));
	} else {
		if (mix->lane_bytes != 4)
			tp_emit_1(e, 0x66);
		if (mix->mask >= 8)
			tp_emit_1(e, 0x41);
		tp_emit_1(e, 0x0f);
	}
	tp_emit_1(e, mix->lane_bytes == 1 ? 0xd7 : 0x50);
	tp_emit_1(e, 0xc0 | (mix->mask & 7));
}

static void count_lanes(struct tp_translation *t, const struct tp_translated *it,
			const struct tp_mix_instruction *mix, const uint64_t *count)
{
	const void *rax = &t->context->spills[TP_SLOT_RAX];
	struct tp_emit *e = &t->e;

	tp_emit_store(e, rax, TP_RAX);
	if (it->before.flags)
		tp_flags_out(t);
	if (mix->times == TP_MIX_OPMASK)
		opmask_to_rax(e, mix);
	else
		signs_to_rax(e, mix);
	if (mix->lanes < 32) { /* and eax, lanes */
		tp_emit_1(e, 0x25);
		tp_emit_4(e, (1u << mix->lanes) - 1);
	} else if (mix->lanes == 32) { /* mov eax, eax */
		tp_emit_1(e, 0x89);
		tp_emit_1(e, 0xc0);
	}
	/* popcnt rax, rax */
	tp_emit_4(e, 0xb80f48f3);
	tp_emit_1(e, 0xc0);
	tp_emit_add(e, count, TP_RAX);
	if (it->before.flags)
		tp_flags_in(t);
	tp_emit_load(e, TP_RAX, rax);
}

/* rcx in front of a string instruction is added, what is left behind it is taken away. */
static void count_repeats(struct tp_translation *t, const uint64_t *count, bool behind)
{
	const void *rax = &t->context->spills[TP_SLOT_RAX];
	struct tp_emit *e = &t->e;

	tp_emit_store(e, rax, TP_RAX);
	tp_emit_load(e, TP_RAX, count);
	if (behind) { /* rax - rcx = rax + ~rcx + 1 */
		tp_emit_not(e, TP_RCX);
		tp_emit_lea(e, TP_RAX, TP_RAX, TP_RCX, 1);
		tp_emit_not(e, TP_RCX);
	} else {
		tp_emit_lea(e, TP_RAX, TP_RAX, TP_RCX, 0);
	}
	tp_emit_store(e, count, TP_RAX);
	tp_emit_load(e, TP_RAX, rax);
}

void tp_count_each(struct tp_translation *t, const struct tp_translated *it,
		   const struct tp_mix_instruction *mix, unsigned counter, bool behind)
{
	const uint64_t *count = &t->cache->counts[counter];

	if (mix->times != TP_MIX_REPEATS)
		count_lanes(t, it, mix, count);
	else if (it->in.address_width == 64)
		count_repeats(t, count, behind);
}
