/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The end of a block: where control goes on. The stack gets what the program would write there. */
#include "agent/cache.h"
#include "agent/sys.h"

static void link_to(struct tp_translation *t, uint64_t pc)
{
	tp_exit_add(t, pc, tp_emit_jump(&t->e, t->e.at), TP_REASON_LINK);
}

/* The instruction runs natively: the thread leaves for good. */
static void leave_for(struct tp_translation *t, const struct tp_translated *it,
		      enum tp_reason reason)
{
	tp_exit_add(t, it->pc, tp_emit_jump(&t->e, t->e.at), reason);
}

/* rax and rcx go to their slots before the target of an indirect branch is loaded into rax. */
static void save_pair(struct tp_translation *t)
{
	tp_emit_store(&t->e, &t->context->spills[TP_SLOT_RCX], TP_RCX);
	tp_emit_store(&t->e, &t->context->spills[TP_SLOT_RAX], TP_RAX);
}

/* movzx ecx, ax; jmp [targets + rcx * 8] */
static void jump_to_rax(struct tp_translation *t)
{
	struct tp_emit *e = &t->e;

	tp_emit_1(e, 0x0f);
	tp_emit_1(e, 0xb7);
	tp_emit_1(e, 0xc8);
	tp_emit_1(e, 0xff);
	tp_emit_1(e, 0x24);
	tp_emit_1(e, 0xcd);
	tp_emit_4(e, (uint32_t)(uint64_t)t->cache->targets);
}

static void load_target(struct tp_translation *t, const struct tp_translated *it)
{
	save_pair(t);
	tp_boundary_add(t, it->pc, -1, 0);
	if (it->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER) {
		tp_emit_mov(&t->e, TP_RAX, (unsigned)tp_gpr(it->operands[0].reg.value));
		return;
	}
	if (it->in.raw.modrm.mod == 0 && it->in.raw.modrm.rm == 5) {
		tp_translate_load(t, it, TP_RAX);
		/* The load, its last three bytes, may fault: rax holds its address then. */
		return;
	}
	tp_translate_load(t, it, TP_RAX);
}

static void translate_jump(struct tp_translation *t, const struct tp_translated *it)
{
	if (it->in.raw.imm[0].is_relative) {
		link_to(t, tp_branch_target(it));
		return;
	}
	load_target(t, it);
	jump_to_rax(t);
}

static void translate_call(struct tp_translation *t, const struct tp_translated *it)
{
	uint64_t behind = it->pc + it->in.length;

	if (it->in.raw.imm[0].is_relative) {
		tp_emit_push(&t->e, behind);
		link_to(t, tp_branch_target(it));
		return;
	}
	load_target(t, it);
	tp_boundary_add(t, it->pc, TP_RAX, TP_SLOT_RAX);
	tp_emit_push(&t->e, behind);
	jump_to_rax(t);
}

static void translate_return(struct tp_translation *t, const struct tp_translated *it)
{
	uint32_t pops = 8;

	if (it->in.raw.imm[0].size)
		pops += (uint32_t)it->in.raw.imm[0].value.u & 0xffff;
	save_pair(t);
	tp_boundary_add(t, it->pc, -1, 0);
	/* mov rax, [rsp]; lea rsp, [rsp + pops] */
	tp_emit_4(&t->e, 0x24048b48);
	if (pops == 8) {
		tp_emit_lea(&t->e, TP_RSP, TP_RSP, -1, 8);
	} else {
		tp_emit_4(&t->e, 0x24a48d48);
		tp_emit_4(&t->e, pops);
	}
	jump_to_rax(t);
}

/* jcc with 32 bits; loop, jrcxz and the like over a jump, because they reach 127 bytes alone. */
static void translate_condition(struct tp_translation *t, const struct tp_translated *it)
{
	const uint8_t *opcode = it->bytes + it->in.raw.imm[0].offset - 1;
	uint64_t behind = it->pc + it->in.length;
	struct tp_emit *e = &t->e;
	uint8_t *taken;

	if (it->in.raw.imm[0].size == 8 && (*opcode & 0xf0) == 0xe0) {
		if (it->in.address_width == 32)
			tp_emit_1(e, 0x67);
		tp_emit_1(e, *opcode);
		tp_emit_1(e, 5);
		link_to(t, behind);
		link_to(t, tp_branch_target(it));
		return;
	}
	tp_emit_1(e, 0x0f);
	tp_emit_1(e, 0x80 | (*opcode & 0xf));
	tp_emit_4(e, 0);
	taken = e->at - 4;
	tp_exit_add(t, tp_branch_target(it), taken, TP_REASON_LINK);
	link_to(t, behind);
}

static void translate_transaction(struct tp_translation *t, const struct tp_translated *it)
{
	tp_emit_1(&t->e, 0xc7);
	tp_emit_1(&t->e, 0xf8);
	tp_emit_4(&t->e, 0);
	tp_exit_add(t, tp_branch_target(it), t->e.at - 4, TP_REASON_LINK);
	link_to(t, it->pc + it->in.length);
}

/* Branches of 16 bits, and those that change the code segment. */
static bool strange(const struct tp_translated *it)
{
	if (it->in.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		return true;
	if (it->in.raw.imm[0].is_relative)
		return false;
	return it->in.operand_width != 64;
}

void tp_translate_branch(struct tp_translation *t, const struct tp_translated *it)
{
	if (it->in.mnemonic == ZYDIS_MNEMONIC_SYSCALL)
		leave_for(t, it, TP_REASON_SYSCALL);
	else if (it->in.mnemonic == ZYDIS_MNEMONIC_UD2)
		tp_translate_copy(t, it);
	else if (it->in.mnemonic == ZYDIS_MNEMONIC_XBEGIN)
		translate_transaction(t, it);
	else if (strange(it))
		leave_for(t, it, TP_REASON_NATIVE);
	else if (it->in.mnemonic == ZYDIS_MNEMONIC_RET)
		translate_return(t, it);
	else if (it->in.mnemonic == ZYDIS_MNEMONIC_JMP)
		translate_jump(t, it);
	else if (it->in.mnemonic == ZYDIS_MNEMONIC_CALL)
		translate_call(t, it);
	else if (it->in.meta.category == ZYDIS_CATEGORY_COND_BR && it->in.raw.imm[0].is_relative)
		translate_condition(t, it);
	else
		leave_for(t, it, TP_REASON_NATIVE);
}
