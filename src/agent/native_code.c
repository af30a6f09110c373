/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The code behind the patches of native_patch.c. */
#include <sys/mman.h>
#include <sys/syscall.h>

#include "agent/emit.h"
#include "agent/native_patch.h"
#include "agent/parts.h"
#include "agent/sys.h"

enum { PATCH_ROOM = 256 /* no patch takes more code */ };

/* Registers that a call may change; the stack is 8 bytes off an alignment of 16 here. */
static void emit_told(struct tp_emit *e, const void *function, uint64_t region_and_flags)
{
	static const uint8_t saved[] = { 0x50, 0x51, 0x52, 0x56, 0x57, 0x41, 0x50,
					 0x41, 0x51, 0x41, 0x52, 0x41, 0x53 };
	static const uint8_t back[] = { 0x48, 0x8d, 0x74, 0x24, 9 * 8 }; /* lea rsi, [rsp + 72] */
	static const uint8_t restored[] = { 0x41, 0x5b, 0x41, 0x5a, 0x41, 0x59, 0x41,
					    0x58, 0x5f, 0x5e, 0x5a, 0x59, 0x58 };

	for (unsigned i = 0; i < sizeof(saved); i++)
		tp_emit_1(e, saved[i]);
	tp_emit_constant(e, TP_RDI, region_and_flags);
	for (unsigned i = 0; i < sizeof(back); i++)
		tp_emit_1(e, back[i]);
	tp_emit_call(e, function);
	for (unsigned i = 0; i < sizeof(restored); i++)
		tp_emit_1(e, restored[i]);
}

/* jcc to an address, of an instruction whose last opcode byte has the condition */
static uint8_t *emit_branch(struct tp_emit *e, unsigned condition, uint64_t to)
{
	uint8_t *displacement;

	tp_emit_1(e, 0x0f);
	tp_emit_1(e, 0x80 | condition);
	displacement = e->at;
	tp_emit_4(e, 0);
	tp_emit_patch(displacement, (const void *)to);
	return displacement;
}

/* The same instruction at another place; false if it cannot be there. */
static bool emit_moved(struct tp_emit *e, uint64_t at)
{
	ZydisDecodedInstruction in;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	const uint8_t *bytes = (const uint8_t *)at;
	uint8_t *to = e->at;
	uint64_t target;

	if (!tp_patch_decode(at, 16, &in, operands))
		return false;
	target = at + in.length + (uint64_t)in.raw.imm[0].value.s;
	if (in.attributes & ZYDIS_ATTRIB_IS_RELATIVE && in.raw.imm[0].is_relative) {
		if (tp_patch_kind(&in) == TP_PATCH_BRANCH) {
			emit_branch(e, in.opcode & 15, target);
			return true;
		}
		if (tp_patch_kind(&in) != TP_PATCH_CALL)
			return false;
		/* Its return address stays what it was: whoever unwinds looks it up. */
		tp_emit_push(e, at + in.length);
		tp_emit_jump(e, (const void *)target);
		return true;
	}
	if (tp_patch_kind(&in) == TP_PATCH_CALL)
		return false;
	for (unsigned i = 0; i < in.length; i++)
		tp_emit_1(e, bytes[i]);
	for (unsigned i = 0; i < in.operand_count; i++)
		if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    operands[i].mem.base == ZYDIS_REGISTER_RIP) {
			uint64_t meant = at + in.length + (uint64_t)operands[i].mem.disp.value;
			int64_t distance = (int64_t)(meant - (uint64_t)e->at);
			int32_t value = (int32_t)distance;

			if (distance != value || in.raw.disp.size != 32)
				return false;
			__builtin_memcpy(to + in.raw.disp.offset, &value, sizeof(value));
		}
	return true;
}

static bool emit_patch(const struct tp_patch_work *w, const struct tp_patch *p, struct tp_emit *e)
{
	const struct tp_patch_range *r = p->range;
	const struct tp_patch_step *last = &r->steps[p->last];
	uint64_t next = r->start + last->at + last->bytes;
	uint64_t flags = w->region | (r->jumps_back ? TP_NATIVE_JUMPS_BACK : 0);
	const uint8_t *bytes = (const uint8_t *)(r->start + last->at);
	uint8_t *around;

	if (p->is_entry)
		emit_told(e, (const void *)w->entered, flags);
	for (uint32_t i = p->first; i < p->last + p->is_entry; i++)
		if (!emit_moved(e, r->start + r->steps[i].at))
			return false;
	if (p->is_entry) {
		if (last->kind != TP_PATCH_CALL)
			tp_emit_jump(e, (const void *)next);
	} else if (last->kind == TP_PATCH_BRANCH) {
		around = emit_branch(e, (bytes[1] & 15) ^ 1, next);
		emit_told(e, tp_native_left, flags);
		tp_emit_jump(e, (const void *)last->target);
		tp_emit_patch(around, e->at);
		tp_emit_jump(e, (const void *)next);
	} else {
		emit_told(e, tp_native_left, flags);
		if (last->kind == TP_PATCH_JUMP)
			tp_emit_jump(e, (const void *)last->target);
		else
			for (unsigned i = 0; i < last->bytes; i++)
				tp_emit_1(e, bytes[i]);
	}
	return true;
}

/* --- memory --- */

/* Where jumps of 32 bits reach it: below the code first, because the heap grows above. */
static uint8_t *map_near(uint64_t code, uint64_t bytes)
{
	const uint64_t step = 1 << 20, most = 1u << 30;

	for (uint64_t away = step; away < 2 * most; away += step) {
		uint64_t at = (code & ~(step - 1)) - away;
		uint8_t *got;

		if (away >= most)
			at = (code & ~(step - 1)) + (away - most) + step;
		got = tp_memory_map(at, bytes, PROT_READ | PROT_WRITE, MAP_FIXED_NOREPLACE);
		if (got == (uint8_t *)at)
			return got;
		if (got)
			tp_sys(SYS_munmap, (uint64_t)got, bytes, 0, 0, 0, 0);
	}
	return NULL;
}

static bool protect(uint64_t from, uint64_t to, int protection)
{
	from &= ~4095ull;
	to = (to + 4095) & ~4095ull;
	return !tp_sys_failed(tp_sys(SYS_mprotect, from, to - from, (uint64_t)protection, 0, 0, 0));
}

static bool write_jump(uint64_t at, uint64_t code)
{
	struct tp_emit e = { (uint8_t *)at };

	if (!protect(at, at + TP_PATCH_JUMP_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC) &&
	    !protect(at, at + TP_PATCH_JUMP_BYTES, PROT_READ | PROT_WRITE))
		return false;
	tp_emit_jump(&e, (const void *)code);
	return protect(at, at + TP_PATCH_JUMP_BYTES, PROT_READ | PROT_EXEC);
}

bool tp_patch_all(struct tp_patch_work *w)
{
	uint64_t bytes = (uint64_t)w->n_patches * PATCH_ROOM;
	uint8_t *code = map_near(w->ranges[0].start, bytes);
	struct tp_emit e = { code };

	if (!code)
		return tp_patch_cannot(w, "has no free memory near it");
	for (unsigned i = 0; i < w->n_patches; i++) {
		w->patches[i].code = (uint64_t)e.at;
		if (!emit_patch(w, &w->patches[i], &e)) {
			tp_sys(SYS_munmap, (uint64_t)code, bytes, 0, 0, 0, 0);
			return tp_patch_cannot(
				w, "begins or ends with an instruction that cannot be moved");
		}
	}
	if (!protect((uint64_t)code, (uint64_t)code + bytes, PROT_READ | PROT_EXEC))
		return tp_patch_cannot(w, "cannot be changed: code may not be written here");
	for (unsigned i = 0; i < w->n_patches; i++)
		if (!write_jump(w->patches[i].at, w->patches[i].code))
			return tp_patch_cannot(w, "cannot be changed: its code may not be written");
	return true;
}

bool tp_patch_empty(uint64_t at, void (*then)(void))
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const uint8_t *code = (const uint8_t *)at;
	struct tp_emit e;
	unsigned n = 0;

	if (!at || at % TP_PATCH_ALIGNED)
		return false;
	while (n < sizeof(endbr) && code[n] == endbr[n])
		n++;
	/* It returns at once, so nobody ever is in its other bytes, which are padding. */
	if (code[n == sizeof(endbr) ? n : 0] != 0xc3)
		return false;
	e.at = map_near(at, 4096);
	if (!e.at)
		return false;
	code = e.at;
	emit_told(&e, (const void *)then, 0);
	tp_emit_1(&e, 0xc3);
	return protect((uint64_t)code, (uint64_t)code + 4096, PROT_READ | PROT_EXEC) &&
	       write_jump(at, (uint64_t)code);
}
