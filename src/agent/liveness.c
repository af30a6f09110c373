/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which registers and flags are dead: counting may change them. */
#include "agent/cache.h"
#include "agent/sys.h"

enum { ALL = 0xffff };

int tp_gpr(ZydisRegister reg)
{
	ZydisRegister whole;

	if (reg == ZYDIS_REGISTER_NONE)
		return -1;
	whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
	if (whole < ZYDIS_REGISTER_RAX || whole > ZYDIS_REGISTER_R15)
		return -1;
	return (int)(whole - ZYDIS_REGISTER_RAX);
}

static uint16_t bit(ZydisRegister reg)
{
	int i = tp_gpr(reg);

	return i < 0 ? 0 : (uint16_t)(1u << i);
}

/* Shifts by a count that may be 0, and repeated string instructions, may leave all flags alone. */
static bool may_keep_flags(const struct tp_translated *it)
{
	switch (it->in.mnemonic) {
	case ZYDIS_MNEMONIC_SHL:
	case ZYDIS_MNEMONIC_SHR:
	case ZYDIS_MNEMONIC_SAR:
	case ZYDIS_MNEMONIC_ROL:
	case ZYDIS_MNEMONIC_ROR:
	case ZYDIS_MNEMONIC_RCL:
	case ZYDIS_MNEMONIC_RCR:
	case ZYDIS_MNEMONIC_SHLD:
	case ZYDIS_MNEMONIC_SHRD:
		return !(it->in.raw.imm[0].size && (it->in.raw.imm[0].value.u & 31));
	default:
		return it->in.attributes &
		       (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
	}
}

/* Zydis does not list everything that these do, or they may raise a signal. */
static bool reads_all(const struct tp_translated *it)
{
	switch (it->in.meta.category) {
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSRET:
	case ZYDIS_CATEGORY_INTERRUPT:
	case ZYDIS_CATEGORY_RET:
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_COND_BR:
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_SYSTEM:
		return true;
	default:
		return it->in.mnemonic == ZYDIS_MNEMONIC_PUSHFQ ||
		       it->in.mnemonic == ZYDIS_MNEMONIC_UD2 ||
		       it->in.mnemonic == ZYDIS_MNEMONIC_XBEGIN ||
		       it->in.mnemonic == ZYDIS_MNEMONIC_XEND ||
		       it->in.mnemonic == ZYDIS_MNEMONIC_XABORT;
	}
}

static void of_registers(struct tp_translated *it)
{
	uint16_t reads = 0, writes = 0, touches = 0;

	for (unsigned i = 0; i < it->in.operand_count; i++) {
		const ZydisDecodedOperand *o = &it->operands[i];

		if (o->type == ZYDIS_OPERAND_TYPE_MEMORY) {
			reads |= (uint16_t)(bit(o->mem.base) | bit(o->mem.index));
		} else if (o->type == ZYDIS_OPERAND_TYPE_REGISTER) {
			uint16_t reg = bit(o->reg.value);

			touches |= reg;
			if (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
				reads |= reg;
			if (o->actions == ZYDIS_OPERAND_ACTION_WRITE && o->size >= 32)
				writes |= reg;
			else
				reads |= reg; /* written in part, or perhaps: the rest stays live */
		}
	}
	if ((it->in.mnemonic == ZYDIS_MNEMONIC_XOR || it->in.mnemonic == ZYDIS_MNEMONIC_SUB) &&
	    it->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	    it->operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	    it->operands[0].reg.value == it->operands[1].reg.value && it->operands[0].size >= 32)
		reads = 0;
	/* A source of 0 leaves the register alone. */
	if (it->in.mnemonic == ZYDIS_MNEMONIC_BSF || it->in.mnemonic == ZYDIS_MNEMONIC_BSR)
		reads |= writes;
	it->reads.gprs = reads;
	it->kills.gprs = writes & (uint16_t)~reads;
	it->touches = touches | reads;
}

static void of_flags(struct tp_translated *it)
{
	const ZydisAccessedFlags *f = it->in.cpu_flags;

	it->reads.flags = it->kills.flags = 0;
	if (!f)
		return;
	it->reads.flags = (uint16_t)(f->tested & TP_FLAGS);
	if (!may_keep_flags(it))
		it->kills.flags =
			(uint16_t)((f->modified | f->set_0 | f->set_1 | f->undefined) & TP_FLAGS);
}

bool tp_decode(struct tp_code_cache *cache, uint64_t pc, struct tp_translated *to)
{
	unsigned n = tp_readable_code(cache, pc, 15);

	if (!n)
		return false;
	to->pc = pc;
	memcpy(to->bytes, (const void *)pc, n);
	if (!ZYAN_SUCCESS(
		    ZydisDecoderDecodeFull(&cache->decoder, to->bytes, n, &to->in, to->operands)))
		return false;
	of_registers(to);
	of_flags(to);
	if (reads_all(to)) {
		to->reads = (struct tp_liveness){ ALL, TP_FLAGS };
		to->kills = (struct tp_liveness){ 0, 0 };
	}
	return true;
}

void tp_liveness(struct tp_translated *list, unsigned n, struct tp_liveness out)
{
	for (unsigned i = n; i-- > 0;) {
		struct tp_translated *it = &list[i];
		struct tp_liveness reads = it->reads, kills = it->kills;

		/* A block's live-out is in `out`: branches read less than everything. */
		if (i == n - 1 && tp_ends_block(it) && it->in.raw.imm[0].is_relative) {
			of_registers(it);
			of_flags(it);
			reads = it->reads;
			kills = it->kills;
		}
		out.gprs = (uint16_t)((out.gprs & ~kills.gprs) | reads.gprs);
		out.flags = (uint16_t)((out.flags & ~kills.flags) | reads.flags);
		it->before = out;
	}
}

struct tp_liveness tp_liveness_at(struct tp_code_cache *cache, uint64_t pc)
{
	struct tp_liveness known = { 0, 0 }; /* overwritten before it is read */
	struct tp_liveness read = { 0, 0 };
	struct tp_translated *it = &cache->ahead;

	for (unsigned i = 0; i < TP_LIVENESS_AHEAD && tp_decode(cache, pc, it);
	     i++, pc += it->in.length) {
		if (tp_readable_writable(cache, pc))
			break; /* the code may have changed by then */
		if (i == 0 || pc % 4096 < 15)
			tp_cache_note_page(cache, pc);
		read.gprs |= (uint16_t)(it->reads.gprs & ~known.gprs);
		read.flags |= (uint16_t)(it->reads.flags & ~known.flags);
		known.gprs |= (uint16_t)(it->kills.gprs & ~read.gprs);
		known.flags |= (uint16_t)(it->kills.flags & ~read.flags);
		if (tp_ends_block(it) || (known.flags | read.flags) == TP_FLAGS)
			break;
	}
	return (struct tp_liveness){ (uint16_t)~known.gprs, (uint16_t)(TP_FLAGS & ~known.flags) };
}

bool tp_ends_block(const struct tp_translated *it)
{
	switch (it->in.meta.category) {
	case ZYDIS_CATEGORY_RET:
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_COND_BR:
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSRET:
		return true;
	default:
		return it->in.mnemonic == ZYDIS_MNEMONIC_UD2 ||
		       it->in.mnemonic == ZYDIS_MNEMONIC_XBEGIN ||
		       it->in.mnemonic == ZYDIS_MNEMONIC_IRETQ ||
		       it->in.mnemonic == ZYDIS_MNEMONIC_IRETD ||
		       it->in.mnemonic == ZYDIS_MNEMONIC_IRET;
	}
}

uint64_t tp_branch_target(const struct tp_translated *it)
{
	return it->pc + it->in.length + it->in.raw.imm[0].value.u;
}
