/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "agent/context.h"
#include "agent/emit.h"

static void rex_w(struct tp_emit *e, unsigned reg, unsigned index, unsigned base)
{
	tp_emit_1(e, 0x48 | (reg >> 3) << 2 | (index >> 3) << 1 | base >> 3);
}

void tp_emit_relative(struct tp_emit *e, const void *to, unsigned behind)
{
	tp_emit_4(e, (uint32_t)((const uint8_t *)to - (e->at + 4 + behind)));
}

uint8_t *tp_emit_jump(struct tp_emit *e, const void *to)
{
	tp_emit_1(e, 0xe9);
	tp_emit_relative(e, to, 0);
	return e->at - 4;
}

void tp_emit_patch(uint8_t *displacement, const void *to)
{
	int32_t distance = (int32_t)((const uint8_t *)to - (displacement + 4));

	__builtin_memcpy(displacement, &distance, 4);
}

/* opcode with a register and [rip + at] */
static void with_memory(struct tp_emit *e, unsigned opcode, unsigned reg, const void *at)
{
	rex_w(e, reg, 0, 0);
	tp_emit_1(e, opcode);
	tp_emit_1(e, (reg & 7) << 3 | 5);
	tp_emit_relative(e, at, 0);
}

void tp_emit_store(struct tp_emit *e, const void *at, unsigned reg)
{
	with_memory(e, 0x89, reg, at);
}

void tp_emit_load(struct tp_emit *e, unsigned reg, const void *at)
{
	with_memory(e, 0x8b, reg, at);
}

void tp_emit_add(struct tp_emit *e, const void *at, unsigned reg)
{
	with_memory(e, 0x01, reg, at);
}

void tp_emit_store_4(struct tp_emit *e, const void *at, uint32_t value)
{
	tp_emit_1(e, 0xc7);
	tp_emit_1(e, 0x05);
	tp_emit_relative(e, at, 4);
	tp_emit_4(e, value);
}

void tp_emit_constant(struct tp_emit *e, unsigned reg, uint64_t value)
{
	if (value <= UINT32_MAX) {
		if (reg >= 8)
			tp_emit_1(e, 0x41);
		tp_emit_1(e, 0xb8 | (reg & 7));
		tp_emit_4(e, (uint32_t)value);
		return;
	}
	rex_w(e, 0, 0, reg);
	tp_emit_1(e, 0xb8 | (reg & 7));
	tp_emit_8(e, value);
}

void tp_emit_lea(struct tp_emit *e, unsigned reg, unsigned base, int index, int8_t displacement)
{
	unsigned other = index < 0 ? TP_RSP : (unsigned)index; /* rsp encodes no index */

	rex_w(e, reg, other, base);
	tp_emit_1(e, 0x8d);
	tp_emit_1(e, 0x40 | (reg & 7) << 3 | 4);
	tp_emit_1(e, (other & 7) << 3 | (base & 7));
	tp_emit_1(e, (uint8_t)displacement);
}

void tp_emit_mov(struct tp_emit *e, unsigned to, unsigned from)
{
	rex_w(e, from, 0, to);
	tp_emit_1(e, 0x89);
	tp_emit_1(e, 0xc0 | (from & 7) << 3 | (to & 7));
}

void tp_emit_add_one(struct tp_emit *e, const void *at)
{
	tp_emit_1(e, 0x48);
	tp_emit_1(e, 0x83);
	tp_emit_1(e, 0x05);
	tp_emit_relative(e, at, 1);
	tp_emit_1(e, 1);
}

void tp_emit_not(struct tp_emit *e, unsigned reg)
{
	rex_w(e, 0, 0, reg);
	tp_emit_1(e, 0xf7);
	tp_emit_1(e, 0xd0 | (reg & 7));
}

void tp_emit_push(struct tp_emit *e, uint64_t value)
{
	tp_emit_1(e, 0x68);
	tp_emit_4(e, (uint32_t)value);
	if ((int64_t)value == (int32_t)value)
		return;
	/* mov dword [rsp + 4], the upper half */
	tp_emit_1(e, 0xc7);
	tp_emit_1(e, 0x44);
	tp_emit_1(e, 0x24);
	tp_emit_1(e, 4);
	tp_emit_4(e, (uint32_t)(value >> 32));
}

void tp_emit_call(struct tp_emit *e, const void *function)
{
	tp_emit_constant(e, TP_RAX, (uint64_t)function);
	tp_emit_1(e, 0xff);
	tp_emit_1(e, 0xd0);
}
