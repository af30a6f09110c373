/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Instructions that run as they are. Only operands relative to rip change: their bytes are patched,
 * so that nothing else of the encoding can.
 */
#include "agent/cache.h"
#include "agent/sys.h"

static bool relative_to_rip(const struct tp_translated *it)
{
	return (it->in.attributes & ZYDIS_ATTRIB_HAS_MODRM) && it->in.raw.modrm.mod == 0 &&
	       it->in.raw.modrm.rm == 5;
}

static uint64_t target_of(const struct tp_translated *it)
{
	uint64_t target = it->pc + it->in.length + (uint64_t)it->in.raw.disp.value;

	return it->in.address_width == 32 ? (uint32_t)target : target;
}

static void raw(struct tp_emit *e, const uint8_t *bytes, unsigned n)
{
	memcpy(e->at, bytes, n);
	e->at += n;
}

/* The bit of the prefix that extends modrm.rm is ignored with rip, but not with a register. */
static void clear_extension(const struct tp_translated *it, uint8_t *bytes)
{
	if (it->in.attributes & ZYDIS_ATTRIB_HAS_REX)
		bytes[it->in.raw.rex.offset] &= (uint8_t)~1u;
	else if (it->in.encoding == ZYDIS_INSTRUCTION_ENCODING_VEX && it->in.raw.vex.size == 3)
		bytes[it->in.raw.vex.offset + 1] |= 0x20;
	else if (it->in.encoding == ZYDIS_INSTRUCTION_ENCODING_XOP)
		bytes[it->in.raw.xop.offset + 1] |= 0x20;
	else if (it->in.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX)
		bytes[it->in.raw.evex.offset + 1] |= 0x60;
}

/* [target] without a register: disp32 behind a SIB byte, for addresses below 2 GB. */
static void with_absolute(struct tp_emit *e, const struct tp_translated *it, uint8_t *bytes,
			  uint64_t target)
{
	unsigned modrm = it->in.raw.modrm.offset, behind = it->in.raw.disp.offset + 4u;

	clear_extension(it, bytes);
	if (it->in.attributes & ZYDIS_ATTRIB_HAS_REX)
		bytes[it->in.raw.rex.offset] &= (uint8_t)~2u; /* no index */
	else if (it->in.encoding == ZYDIS_INSTRUCTION_ENCODING_VEX && it->in.raw.vex.size == 3)
		bytes[it->in.raw.vex.offset + 1] |= 0x40;
	else if (it->in.encoding == ZYDIS_INSTRUCTION_ENCODING_XOP)
		bytes[it->in.raw.xop.offset + 1] |= 0x40;
	raw(e, bytes, modrm);
	tp_emit_1(e, (bytes[modrm] & 0x38u) | 4);
	tp_emit_1(e, 0x25);
	tp_emit_4(e, (uint32_t)target);
	raw(e, bytes + behind, it->in.length - behind);
}

/* A register that the instruction does not touch, encoded without extension: dead, or else any. */
static unsigned scratch_for(const struct tp_translated *it, bool *dead)
{
	static const uint8_t order[] = { TP_RAX, TP_RCX, TP_RDX, TP_RSI, TP_RDI, TP_RBX };
	unsigned found = TP_RAX;

	*dead = false;
	for (unsigned i = 0; i < sizeof(order); i++) {
		if (it->touches & 1u << order[i])
			continue;
		found = order[i];
		if (!(it->before.gprs & 1u << order[i])) {
			*dead = true;
			return found;
		}
	}
	return found;
}

static void with_scratch(struct tp_translation *t, const struct tp_translated *it, uint8_t *bytes,
			 uint64_t target)
{
	struct tp_emit *e = &t->e;
	unsigned modrm = it->in.raw.modrm.offset, behind = it->in.raw.disp.offset + 4u;
	bool dead;
	unsigned reg = scratch_for(it, &dead);
	const void *spill = &t->context->spills[TP_SLOT_SCRATCH];

	if (!dead)
		tp_emit_store(e, spill, reg);
	tp_emit_constant(e, reg, target);
	if (!dead)
		tp_boundary_add(t, it->pc, (int)reg, TP_SLOT_SCRATCH);
	else
		tp_boundary_add(t, it->pc, -1, 0);
	clear_extension(it, bytes);
	raw(e, bytes, modrm);
	tp_emit_1(e, (bytes[modrm] & 0x38u) | reg);
	raw(e, bytes + behind, it->in.length - behind);
	if (!dead)
		tp_emit_load(e, reg, spill);
}

/* lea of an address that is known now. */
static void address(struct tp_translation *t, const struct tp_translated *it, uint64_t target)
{
	int reg = tp_gpr(it->operands[0].reg.value);
	struct tp_emit *e = &t->e;

	if (it->operands[0].size == 64) {
		tp_emit_constant(e, (unsigned)reg, target);
	} else if (it->operands[0].size == 32) {
		tp_emit_constant(e, (unsigned)reg, (uint32_t)target);
	} else { /* mov of 16 bits */
		tp_emit_1(e, 0x66);
		if (reg >= 8)
			tp_emit_1(e, 0x41);
		tp_emit_1(e, 0xb8 | (reg & 7));
		tp_emit_1(e, target & 0xff);
		tp_emit_1(e, target >> 8 & 0xff);
	}
}

void tp_translate_copy(struct tp_translation *t, const struct tp_translated *it)
{
	uint8_t bytes[16];
	uint64_t target;
	const uint8_t *end = t->e.at + it->in.length;

	memcpy(bytes, it->bytes, sizeof(bytes));
	if (!relative_to_rip(it)) {
		raw(&t->e, bytes, it->in.length);
		return;
	}
	target = target_of(it);
	if (it->in.mnemonic == ZYDIS_MNEMONIC_LEA) {
		address(t, it, target);
		return;
	}
	if (it->in.address_width == 64 && tp_emit_reaches(end, target)) {
		uint32_t displacement = (uint32_t)(target - (uint64_t)end);

		__builtin_memcpy(bytes + it->in.raw.disp.offset, &displacement, 4);
		raw(&t->e, bytes, it->in.length);
	} else if (target <= INT32_MAX && it->in.length < 15) {
		with_absolute(&t->e, it, bytes, target);
	} else {
		with_scratch(t, it, bytes, target);
	}
}

void tp_translate_load(struct tp_translation *t, const struct tp_translated *it, unsigned reg)
{
	struct tp_emit *e = &t->e;
	const ZydisDecodedInstruction *in = &it->in;
	ZydisRegister segment = it->operands[0].mem.segment;
	bool relative = relative_to_rip(it);
	unsigned rex = 0x48 | (reg >> 3) << 2;

	if (relative)
		tp_emit_constant(e, reg, target_of(it));
	if (segment == ZYDIS_REGISTER_FS || segment == ZYDIS_REGISTER_GS)
		tp_emit_1(e, segment == ZYDIS_REGISTER_FS ? 0x64 : 0x65);
	if (relative) { /* mov reg, [reg] */
		tp_emit_1(e, rex | reg >> 3);
		tp_emit_1(e, 0x8b);
		tp_emit_1(e, (reg & 7) << 3 | (reg & 7));
		return;
	}
	if (in->address_width == 32)
		tp_emit_1(e, 0x67);
	if (in->attributes & ZYDIS_ATTRIB_HAS_REX)
		rex |= it->bytes[in->raw.rex.offset] & 3u;
	tp_emit_1(e, rex);
	tp_emit_1(e, 0x8b);
	tp_emit_1(e, (it->bytes[in->raw.modrm.offset] & 0xc7u) | (reg & 7) << 3);
	raw(e, it->bytes + in->raw.modrm.offset + 1, in->length - in->raw.modrm.offset - 1u);
}
