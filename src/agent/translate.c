/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Translates a basic block of the program into code of the cache, with counters. */
#include "agent/cache.h"
#include "agent/sys.h"

struct translation {
	struct tp_code_cache *cache;
	struct tp_context *context;
	struct tp_emit e;
	struct tp_basic_block *block;
	unsigned trace_words, trace_at; /* of this block, and of those its code has written */
};

static void add_boundary(struct translation *t, uint64_t pc, int reg, unsigned slot)
{
	uint64_t at = (uint64_t)(t->e.at - (t->cache->region + t->block->start));
	struct tp_boundary *b = NULL;

	if (t->block->n_boundaries) {
		b = &t->cache->boundaries[t->cache->n_boundaries - 1];
		if (b->at == at && b->spilled[0] < 0 && reg < 0)
			return;
	}
	b = &t->cache->boundaries[t->cache->n_boundaries++];
	*b = (struct tp_boundary){ (uint16_t)at,
				   (uint16_t)(pc - t->block->pc),
				   { (int8_t)reg, -1 },
				   { (uint8_t)slot, 0 } };
	t->block->n_boundaries++;
}

/*
 * Adds an exit to pc. `patch` is the displacement that leads to its stub, and later to the block
 * there if the reason is TP_REASON_LINK; NULL = control falls into the stub.
 */
static void add_exit(struct translation *t, uint64_t pc, uint8_t *patch, enum tp_reason reason)
{
	struct tp_exit *x = &t->cache->exits[t->cache->n_exits++];

	x->pc = pc;
	x->patch = patch ? (uint32_t)(patch - t->cache->region) : 0;
	x->reason = reason;
	t->block->n_exits++;
}

/* --- counters of blocks, and of instructions whose work is known only when they run --- */

/* rax and similar ones: dead before the instruction; 0..15, or -1. rsp never is. */
static int dead_register(const struct tp_translated *it)
{
	static const uint8_t order[] = { TP_RAX, TP_RCX, TP_RDX, TP_RSI, TP_RDI, 8, 9, 10, 11 };

	for (unsigned i = 0; i < sizeof(order); i++)
		if (!(it->before.gprs & 1u << order[i]))
			return order[i];
	return -1;
}

static void count_block(struct translation *t, const struct tp_translated *it, unsigned counter)
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
/* Saves flags in slot TP_SLOT_FLAGS, and restores them; both change rax. */
static void put_flags_out(struct translation *t)
{
	static const uint8_t code[] = { 0x9f, 0x0f, 0x90, 0xc0 };

	for (unsigned i = 0; i < sizeof(code); i++)
		tp_emit_1(&t->e, code[i]);
	tp_emit_store(&t->e, &t->context->spills[TP_SLOT_FLAGS], TP_RAX);
}

static void put_flags_in(struct translation *t)
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

static void count_lanes(struct translation *t, const struct tp_translated *it,
			const struct tp_mix_instruction *mix, const uint64_t *count)
{
	const void *rax = &t->context->spills[TP_SLOT_RAX];
	struct tp_emit *e = &t->e;

	tp_emit_store(e, rax, TP_RAX);
	if (it->before.flags)
		put_flags_out(t);
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
		put_flags_in(t);
	tp_emit_load(e, TP_RAX, rax);
}

/* Adds rcx before a string instruction, and subtracts what is left after it. */
static void count_repeats(struct translation *t, const uint64_t *count, bool behind)
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

static void count_each(struct translation *t, const struct tp_translated *it,
		       const struct tp_mix_instruction *mix, unsigned counter, bool behind)
{
	const uint64_t *count = &t->cache->counts[counter];

	if (mix->times != TP_MIX_REPEATS)
		count_lanes(t, it, mix, count);
	else if (it->in.address_width == 64)
		count_repeats(t, count, behind);
}

/* Addresses of gathers and scatters: one for each element, made of a vector of indices. */

enum { LONG_INDEX = 1 }; /* of the opcode: indices of 64 bits */

static unsigned vector_bits(ZydisRegister reg)
{
	return reg >= ZYDIS_REGISTER_ZMM0 ? 512 : reg >= ZYDIS_REGISTER_YMM0 ? 256 : 128;
}

static bool has_long_index(const struct tp_translated *it)
{
	return it->in.opcode & LONG_INDEX;
}

/* Elements of a gather or scatter; 0 = operand i is not one. */
static unsigned lanes_of(const struct tp_translated *it, unsigned i)
{
	const ZydisDecodedOperand *o = &it->operands[i];
	unsigned by_index, by_element;

	if (o->type != ZYDIS_OPERAND_TYPE_MEMORY || o->mem.type != ZYDIS_MEMOP_TYPE_VSIB ||
	    !o->element_size || !it->in.avx.vector_length || !o->actions)
		return 0;
	by_index = vector_bits(o->mem.index) / (has_long_index(it) ? 64 : 32);
	by_element = it->in.avx.vector_length / o->element_size;
	return by_index < by_element ? by_index : by_element;
}

/* vmovdqu [lanes], index: with VEX if it can be, for CPUs without AVX-512 */
/* Stores all indices of the operand in context->lanes. */
static void store_lanes(struct translation *t, const ZydisDecodedOperand *o)
{
	unsigned reg = (unsigned)ZydisRegisterGetId(o->mem.index);
	unsigned bits = vector_bits(o->mem.index);
	struct tp_emit *e = &t->e;

	if (bits < 512 && reg < 16) {
		tp_emit_1(e, 0xc5);
		tp_emit_1(e, (reg < 8 ? 0x80u : 0) | 0x7a | (bits == 256 ? 4u : 0));
	} else {
		tp_emit_1(e, 0x62);
		tp_emit_1(e, (reg & 8 ? 0 : 0x80u) | 0x61 | (reg & 16 ? 0 : 0x10u));
		tp_emit_1(e, 0x7e);
		tp_emit_1(e, (bits == 512 ? 0x40u : bits == 256 ? 0x20u : 0) | 0x08);
	}
	tp_emit_1(e, 0x7f);
	tp_emit_1(e, (reg & 7) << 3 | 5);
	tp_emit_relative(e, t->context->lanes, 0);
}

/* reg = address of element `lane`. */
static void lane_address(struct translation *t, const struct tp_translated *it,
			 const ZydisDecodedOperand *o, unsigned lane, unsigned reg)
{
	int base = tp_gpr(o->mem.base);
	unsigned b = base < 0 ? TP_RBP : (unsigned)base;
	unsigned scale = o->mem.scale < 2 ? 0 : (unsigned)__builtin_ctz(o->mem.scale);
	struct tp_emit *e = &t->e;

	if (has_long_index(it)) {
		tp_emit_load(e, reg, t->context->lanes + 8 * lane);
	} else { /* movsxd */
		tp_emit_1(e, 0x48);
		tp_emit_1(e, 0x63);
		tp_emit_1(e, reg << 3 | 5);
		tp_emit_relative(e, t->context->lanes + 4 * lane, 0);
	}
	/*
	 * lea reg, [base + reg * scale + displacement]; without a base, mod 0 and rbp in the SIB
	 * byte
	 */
	tp_emit_1(e, 0x48 | (base < 0 ? 0 : b >> 3));
	tp_emit_1(e, 0x8d);
	tp_emit_1(e, (base < 0 ? 0 : 0x80u) | reg << 3 | 4);
	tp_emit_1(e, scale << 6 | reg << 3 | (b & 7));
	tp_emit_4(e, (uint32_t)o->mem.disp.value);
}

/* Addresses that a block touches go to the thread's buffer; trace.h has the format. */

static bool repeated(const struct tp_translated *it)
{
	return it->in.attributes &
	       (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
}

static bool is_string(const struct tp_translated *it)
{
	return it->in.meta.category == ZYDIS_CATEGORY_STRINGOP;
}

/* Their operands are not accesses. */
static bool touches_nothing(const struct tp_translated *it)
{
	return it->in.meta.category == ZYDIS_CATEGORY_NOP ||
	       it->in.meta.category == ZYDIS_CATEGORY_WIDENOP ||
	       it->in.meta.category == ZYDIS_CATEGORY_PREFETCH;
}

/* Whether operand i is an access that is traced. */
static bool traced(const struct tp_translated *it, unsigned i)
{
	const ZydisDecodedOperand *o = &it->operands[i];

	if (lanes_of(it, i))
		return true;
	if (o->type != ZYDIS_OPERAND_TYPE_MEMORY || o->mem.type != ZYDIS_MEMOP_TYPE_MEM ||
	    !o->size || touches_nothing(it))
		return false;
	return o->visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN || is_string(it);
}

static unsigned words_of(const struct tp_translated *it, unsigned i)
{
	if (!traced(it, i))
		return 0;
	if (lanes_of(it, i))
		return lanes_of(it, i);
	return is_string(it) && repeated(it) ? 2 : 1;
}

static void describe(struct translation *t, const struct tp_translated *it, unsigned i)
{
	const ZydisDecodedOperand *o = &it->operands[i];
	unsigned lanes = lanes_of(it, i), n = lanes ? lanes : 1;
	struct tp_trace_access access = {
		.bytes = (uint16_t)((lanes ? o->element_size : o->size) / 8),
		.kind = !lanes && words_of(it, i) == 2 ? TP_TRACE_REPEATED : TP_TRACE_ONE,
		.loads = o->actions & ZYDIS_OPERAND_ACTION_MASK_READ,
		.stores = o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE,
	};

	while (n-- > 0)
		t->cache->accesses[t->cache->n_accesses++] = access;
}

/* cmp rax, [trace_end]; jbe over `bytes` */
static void room_or(struct translation *t, uint8_t **over)
{
	struct tp_emit *e = &t->e;

	tp_emit_1(e, 0x48);
	tp_emit_1(e, 0x3b);
	tp_emit_1(e, 0x05);
	tp_emit_relative(e, &t->context->trace_end, 0);
	tp_emit_1(e, 0x76);
	tp_emit_1(e, 0);
	*over = e->at;
}

static void registers_back(struct translation *t, bool flags)
{
	if (flags)
		put_flags_in(t);
	tp_emit_load(&t->e, TP_RAX, &t->context->spills[TP_SLOT_RAX]);
}

/* lea reg, [reg + displacement of 32 bits] */
static void forward(struct tp_emit *e, unsigned reg, uint32_t bytes)
{
	tp_emit_1(e, 0x48 | (reg >> 3) << 2 | reg >> 3);
	tp_emit_1(e, 0x8d);
	tp_emit_1(e, 0x80 | (reg & 7) << 3 | (reg & 7));
	if ((reg & 7) == TP_RSP)
		tp_emit_1(e, 0x24);
	tp_emit_4(e, bytes);
}

/*
 * Describes the accesses of a block, and emits the check for room and the word of its counter.
 */
static void trace_block(struct translation *t, unsigned n, unsigned counter)
{
	struct tp_translated *list = t->cache->instructions;
	struct tp_traced *own = &t->cache->traced[counter];
	bool flags = list[0].before.flags;
	struct tp_emit *e = &t->e;
	uint8_t *over;

	own->first = t->cache->n_accesses;
	for (unsigned k = 0; k < n; k++)
		for (unsigned i = 0; i < list[k].in.operand_count; i++) {
			unsigned words = words_of(&list[k], i);

			if (!words || t->trace_words + words >= TP_BLOCK_TRACE_WORDS)
				continue;
			describe(t, &list[k], i);
			t->trace_words += words;
		}
	own->n = t->cache->n_accesses - own->first;
	if (!own->n)
		return;
	t->trace_words++;
	t->trace_at = 1;
	tp_emit_store(e, &t->context->spills[TP_SLOT_RAX], TP_RAX);
	if (flags)
		put_flags_out(t);
	tp_emit_load(e, TP_RAX, &t->context->trace_next);
	room_or(t, &over);
	registers_back(t, flags);
	add_exit(t, t->block->pc, tp_emit_jump(e, e->at), TP_REASON_FULL);
	over[-1] = (uint8_t)(e->at - over);
	/* mov dword [rax], counter; mov dword [rax + 4], the upper half of TP_TRACE_BLOCK */
	tp_emit_1(e, 0xc7);
	tp_emit_1(e, 0x00);
	tp_emit_4(e, counter);
	tp_emit_1(e, 0xc7);
	tp_emit_1(e, 0x40);
	tp_emit_1(e, 4);
	tp_emit_4(e, (uint32_t)(TP_TRACE_BLOCK >> 32));
	forward(e, TP_RAX, t->trace_words * 8);
	tp_emit_store(e, &t->context->trace_next, TP_RAX);
	registers_back(t, flags);
}

/* reg = address of a memory operand, within its segment */
static void address_of(struct translation *t, const struct tp_translated *it,
		       const ZydisDecodedOperand *o, unsigned reg)
{
	struct tp_emit *e = &t->e;
	int base = tp_gpr(o->mem.base), index = tp_gpr(o->mem.index);
	unsigned b = base < 0 ? TP_RBP : (unsigned)base, i = index < 0 ? TP_RSP : (unsigned)index;
	unsigned scale = index < 0 || o->mem.scale < 2 ? 0 : (unsigned)__builtin_ctz(o->mem.scale);

	if (o->mem.base == ZYDIS_REGISTER_RIP || o->mem.base == ZYDIS_REGISTER_EIP) {
		tp_emit_constant(e, reg, it->pc + it->in.length + (uint64_t)o->mem.disp.value);
		return;
	}
	if (base < 0 && index < 0) {
		tp_emit_constant(e, reg, (uint64_t)o->mem.disp.value);
		return;
	}
	if (it->in.address_width == 32)
		tp_emit_1(e, 0x67);
	tp_emit_1(e, 0x48 | (reg >> 3) << 2 | (i >> 3) << 1 | (base < 0 ? 0 : b >> 3));
	tp_emit_1(e, 0x8d);
	/* Without a base: mod 0 and rbp in the SIB byte. */
	tp_emit_1(e, (base < 0 ? 0 : 0x80) | (reg & 7) << 3 | 4);
	tp_emit_1(e, scale << 6 | (i & 7) << 3 | (b & 7));
	tp_emit_4(e, (uint32_t)o->mem.disp.value);
}

/* mov [buffer - left], reg: `buffer` holds the end of the block's words */
static void put(struct translation *t, unsigned buffer, unsigned reg)
{
	struct tp_emit *e = &t->e;

	tp_emit_1(e, 0x48 | (reg >> 3) << 2 | buffer >> 3);
	tp_emit_1(e, 0x89);
	tp_emit_1(e, 0x80 | (reg & 7) << 3 | (buffer & 7));
	tp_emit_4(e, (uint32_t) - (int32_t)((t->trace_words - t->trace_at++) * 8));
}

/* A register that is not in `taken`, a dead one if possible; low ones have no odd encodings. */
static unsigned choose(const struct tp_translated *it, unsigned taken, bool *dead)
{
	static const uint8_t order[] = { TP_RAX, TP_RCX, TP_RDX, TP_RSI, TP_RDI, TP_RBX };
	unsigned found = TP_RAX;

	*dead = false;
	for (unsigned k = 0; k < sizeof(order); k++) {
		if (taken & 1u << order[k])
			continue;
		found = order[k];
		*dead = !(it->before.gprs & 1u << order[k]);
		if (*dead)
			break;
	}
	return found;
}

static void trace_operand(struct translation *t, const struct tp_translated *it, unsigned i)
{
	const ZydisDecodedOperand *o = &it->operands[i];
	struct tp_emit *e = &t->e;
	bool dead, buffer_dead;
	unsigned reg = choose(it, it->touches, &dead);
	unsigned buffer = choose(it, it->touches | 1u << reg, &buffer_dead);
	const uint64_t *spills = t->context->spills;

	if (!dead)
		tp_emit_store(e, &spills[TP_SLOT_SCRATCH], reg);
	if (!buffer_dead)
		tp_emit_store(e, &spills[TP_SLOT_RAX], buffer);
	if (lanes_of(it, i)) {
		store_lanes(t, o);
		tp_emit_load(e, buffer, &t->context->trace_next);
		for (unsigned lane = 0; lane < lanes_of(it, i); lane++) {
			lane_address(t, it, o, lane, reg);
			put(t, buffer, reg);
		}
		goto restore;
	}
	address_of(t, it, o, reg);
	if (o->mem.segment == ZYDIS_REGISTER_FS) {
		/* mov buffer, fs:[0]: by the ABI the base of fs is stored there. */
		tp_emit_1(e, 0x64);
		tp_emit_1(e, 0x48);
		tp_emit_1(e, 0x8b);
		tp_emit_1(e, 0x04 | buffer << 3);
		tp_emit_1(e, 0x25);
		tp_emit_4(e, 0);
		tp_emit_lea(e, reg, reg, (int)buffer, 0);
	}
	tp_emit_load(e, buffer, &t->context->trace_next);
	put(t, buffer, reg);
	if (words_of(it, i) == 2)
		put(t, buffer, TP_RCX);
restore:
	if (!buffer_dead)
		tp_emit_load(e, buffer, &spills[TP_SLOT_RAX]);
	if (!dead)
		tp_emit_load(e, reg, &spills[TP_SLOT_SCRATCH]);
}

/*
 * Instructions that run as they are. Only operands relative to rip change: their bytes are patched,
 * so that the rest of the encoding stays.
 */

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

/* [target] without a register: disp32 after a SIB byte, for addresses below 2 GB. */
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

/*
 * A register that the instruction does not use, encoded without extension: a dead one if possible.
 */
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

static void with_scratch(struct translation *t, const struct tp_translated *it, uint8_t *bytes,
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
		add_boundary(t, it->pc, (int)reg, TP_SLOT_SCRATCH);
	else
		add_boundary(t, it->pc, -1, 0);
	clear_extension(it, bytes);
	raw(e, bytes, modrm);
	tp_emit_1(e, (bytes[modrm] & 0x38u) | reg);
	raw(e, bytes + behind, it->in.length - behind);
	if (!dead)
		tp_emit_load(e, reg, spill);
}

/* lea of an address that is known now. */
static void address(struct translation *t, const struct tp_translated *it, uint64_t target)
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

/* An instruction that is not a branch. */
static void translate_copy(struct translation *t, const struct tp_translated *it)
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

/* mov rax, <memory operand of it>, with all registers as the program has them */
static void translate_load(struct translation *t, const struct tp_translated *it)
{
	struct tp_emit *e = &t->e;
	const ZydisDecodedInstruction *in = &it->in;
	ZydisRegister segment = it->operands[0].mem.segment;
	bool relative = relative_to_rip(it);
	unsigned rex = 0x48;

	if (relative)
		tp_emit_constant(e, TP_RAX, target_of(it));
	if (segment == ZYDIS_REGISTER_FS || segment == ZYDIS_REGISTER_GS)
		tp_emit_1(e, segment == ZYDIS_REGISTER_FS ? 0x64 : 0x65);
	if (relative) { /* mov rax, [rax]: if these last three bytes fault, rax is the address */
		tp_emit_1(e, rex);
		tp_emit_1(e, 0x8b);
		tp_emit_1(e, 0);
		return;
	}
	if (in->address_width == 32)
		tp_emit_1(e, 0x67);
	if (in->attributes & ZYDIS_ATTRIB_HAS_REX)
		rex |= it->bytes[in->raw.rex.offset] & 3u;
	tp_emit_1(e, rex);
	tp_emit_1(e, 0x8b);
	tp_emit_1(e, it->bytes[in->raw.modrm.offset] & 0xc7u);
	raw(e, it->bytes + in->raw.modrm.offset + 1, in->length - in->raw.modrm.offset - 1u);
}

/* The end of a block: the next address. The stack gets what the program would write there. */

static void link_to(struct translation *t, uint64_t pc)
{
	add_exit(t, pc, tp_emit_jump(&t->e, t->e.at), TP_REASON_LINK);
}

/* The instruction runs natively: the thread leaves for good. */
static void leave_for(struct translation *t, const struct tp_translated *it, enum tp_reason reason)
{
	add_exit(t, it->pc, tp_emit_jump(&t->e, t->e.at), reason);
}

/* test byte [rsp + 1], 1; jnz: flags are dead, as they are popped next. */
static void leave_for_steps(struct translation *t, const struct tp_translated *it)
{
	raw(&t->e, (const uint8_t[]){ 0xf6, 0x44, 0x24, 1, 1, 0x0f, 0x85, 0, 0, 0, 0 }, 11);
	add_exit(t, it->pc, t->e.at - 4, TP_REASON_STEPS);
	add_boundary(t, it->pc, -1, 0);
}

/* rax and rcx go to their slots before the target of an indirect branch is loaded into rax. */
static void save_pair(struct translation *t)
{
	tp_emit_store(&t->e, &t->context->spills[TP_SLOT_RCX], TP_RCX);
	tp_emit_store(&t->e, &t->context->spills[TP_SLOT_RAX], TP_RAX);
}

/* movzx ecx, ax; jmp [targets + rcx * 8] */
static void jump_to_rax(struct translation *t)
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

static void load_target(struct translation *t, const struct tp_translated *it)
{
	save_pair(t);
	add_boundary(t, it->pc, -1, 0);
	if (it->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER) {
		tp_emit_mov(&t->e, TP_RAX, (unsigned)tp_gpr(it->operands[0].reg.value));
		return;
	}
	translate_load(t, it);
}

static void translate_jump(struct translation *t, const struct tp_translated *it)
{
	if (it->in.raw.imm[0].is_relative) {
		link_to(t, tp_branch_target(it));
		return;
	}
	load_target(t, it);
	jump_to_rax(t);
}

static void translate_call(struct translation *t, const struct tp_translated *it)
{
	uint64_t behind = it->pc + it->in.length;

	if (it->in.raw.imm[0].is_relative) {
		tp_emit_push(&t->e, behind);
		link_to(t, tp_branch_target(it));
		return;
	}
	load_target(t, it);
	add_boundary(t, it->pc, TP_RAX, TP_SLOT_RAX);
	tp_emit_push(&t->e, behind);
	jump_to_rax(t);
}

static void translate_return(struct translation *t, const struct tp_translated *it)
{
	uint32_t pops = 8;

	if (it->in.raw.imm[0].size)
		pops += (uint32_t)it->in.raw.imm[0].value.u & 0xffff;
	save_pair(t);
	add_boundary(t, it->pc, -1, 0);
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

/* jcc with 32 bits; loop, jrcxz and the like over a jump, because they reach only 127 bytes. */
static void translate_condition(struct translation *t, const struct tp_translated *it)
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
	add_exit(t, tp_branch_target(it), taken, TP_REASON_LINK);
	link_to(t, behind);
}

static void translate_transaction(struct translation *t, const struct tp_translated *it)
{
	tp_emit_1(&t->e, 0xc7);
	tp_emit_1(&t->e, 0xf8);
	tp_emit_4(&t->e, 0);
	add_exit(t, tp_branch_target(it), t->e.at - 4, TP_REASON_LINK);
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

/* The last instruction of a block. */
static void translate_branch(struct translation *t, const struct tp_translated *it)
{
	if (it->in.mnemonic == ZYDIS_MNEMONIC_SYSCALL)
		leave_for(t, it, TP_REASON_SYSCALL);
	else if (it->in.mnemonic == ZYDIS_MNEMONIC_UD2)
		translate_copy(t, it);
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

static bool writes_memory(const struct tp_translated *it)
{
	for (unsigned i = 0; i < it->in.operand_count; i++)
		if (it->operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    it->operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			return true;
	return false;
}

static bool sets_flags_from_stack(const struct tp_translated *it)
{
	return it->in.mnemonic == ZYDIS_MNEMONIC_POPF || it->in.mnemonic == ZYDIS_MNEMONIC_POPFQ;
}

/* Instructions from pc to the end of the block; 0 = none can run here. */
static unsigned decode_block(struct tp_code_cache *cache, uint64_t pc)
{
	unsigned n = 0;

	cache->decoded_writable = false;
	while (n < TP_BLOCK_INSTRUCTIONS) {
		struct tp_translated *it = &cache->instructions[n];

		if (n && tp_region_stop(cache->context, pc))
			break;
		if (!tp_decode(cache, pc, it)) {
			if (!n && tp_readable_code(cache, pc, 1))
				cache->refused = "an instruction that tprof does not support";
			break;
		}
		if (tp_readable_writable(cache, pc)) {
			if (!n)
				cache->refused = "the program keeps changing its code";
			if (cache->n_changed >= TP_CHANGED_BLOCKS)
				break;
			cache->decoded_writable = true;
		}
		tp_cache_note_page(cache, pc);
		tp_cache_note_page(cache, pc + it->in.length - 1u);
		n++;
		pc += it->in.length;
		if (tp_ends_block(it) || sets_flags_from_stack(it))
			break;
		if (cache->decoded_writable && writes_memory(it))
			break; /* perhaps to the next instruction */
	}
	return n;
}

/* What is live after the block; the code there is read only if it helps. */
static struct tp_liveness live_behind(struct tp_code_cache *cache, const struct tp_translated *last)
{
	struct tp_liveness all = { 0xffff, TP_FLAGS }, there, next;

	if (!tp_ends_block(last))
		return tp_liveness_at(cache, last->pc + last->in.length);
	if (!last->in.raw.imm[0].is_relative)
		return all;
	there = tp_liveness_at(cache, tp_branch_target(last));
	if (last->in.meta.category == ZYDIS_CATEGORY_UNCOND_BR ||
	    last->in.meta.category == ZYDIS_CATEGORY_CALL)
		return there;
	next = tp_liveness_at(cache, last->pc + last->in.length);
	return (struct tp_liveness){ there.gprs | next.gprs, there.flags | next.flags };
}

/* The instruction before which the block is counted: one where flags are dead, if there is any. */
static unsigned place_of_counter(struct tp_code_cache *cache, unsigned n)
{
	struct tp_translated *list = cache->instructions;
	struct tp_liveness out = { 0xffff, TP_FLAGS };

	for (unsigned round = 0; round < 2; round++) {
		tp_liveness(list, n, out);
		for (unsigned i = 0; i < n; i++)
			if (!list[i].before.flags)
				return i;
		if (round == 0)
			out = live_behind(cache, &list[n - 1]);
	}
	return 0;
}

static unsigned new_counter(struct translation *t, uint64_t pc)
{
	unsigned i = t->context->shared->n_counters;

	t->context->shared->units[i].pc = pc;
	__atomic_store_n(&t->context->shared->n_counters, i + 1, __ATOMIC_RELEASE);
	return i;
}

/*
 * lea rcx, [rcx + rax]; jrcxz over the jump: rax has bytes of the program's code, and rcx the old
 * ones, negated.
 */
static void compare(struct translation *t, uint64_t value, const uint8_t *changed)
{
	struct tp_emit *e = &t->e;

	tp_emit_constant(e, TP_RCX, -value);
	tp_emit_lea(e, TP_RCX, TP_RCX, TP_RAX, 0);
	tp_emit_1(e, 0xe3);
	tp_emit_1(e, 5);
	tp_emit_jump(e, changed);
}

/* Compares code that the program may change with its old bytes, without changing flags. */
static void compare_code(struct translation *t, uint64_t pc, const uint8_t *code, unsigned bytes)
{
	const void *rax = &t->context->spills[TP_SLOT_RAX], *rcx = &t->context->spills[TP_SLOT_RCX];
	struct tp_emit *e = &t->e;
	uint8_t *changed, *begin;

	save_pair(t);
	begin = tp_emit_jump(e, e->at);
	changed = e->at;
	tp_emit_load(e, TP_RAX, rax);
	tp_emit_load(e, TP_RCX, rcx);
	add_exit(t, pc, tp_emit_jump(e, e->at), TP_REASON_CHANGED);
	tp_emit_patch(begin, e->at);
	for (unsigned at = 0, n; at < bytes; at += n) {
		static const uint8_t loads[4][4] = { { 0x0f, 0xb6, 0x00 }, /* movzx eax, byte */
						     { 0x0f, 0xb7, 0x00 },
						     { 0x8b, 0x00 },
						     { 0x48, 0x8b, 0x00 } };
		struct tp_boundary *b;
		uint64_t value = 0;
		unsigned size = 3;

		/* Aligned: the program may have turned on alignment checks. */
		while ((pc + at) % (1u << size) || 1u << size > bytes - at)
			size--;
		n = 1u << size;
		memcpy(&value, code + at, n);
		tp_emit_constant(e, TP_RAX, pc + at);
		add_boundary(t, pc, TP_RAX, TP_SLOT_RAX);
		b = &t->cache->boundaries[t->cache->n_boundaries - 1];
		b->spilled[1] = TP_RCX;
		b->slots[1] = TP_SLOT_RCX;
		raw(e, loads[size], size == 2 ? 2 : 3);
		compare(t, value, changed);
	}
	tp_emit_load(e, TP_RAX, rax);
	tp_emit_load(e, TP_RCX, rcx);
}

static void add_mix(uint32_t to[TP_MIX_N], const uint32_t what[TP_MIX_N])
{
	for (unsigned i = 0; i < TP_MIX_N; i++)
		to[i] += what[i];
}

static void translate_one(struct translation *t, const struct tp_translated *it,
			  struct tp_agent_unit *unit)
{
	struct tp_mix_instruction mix;
	unsigned each = 0;

	tp_mix_x86(&it->in, it->operands, &mix);
	add_mix(unit->add, mix.once);
	unit->bytes += it->in.length;
	if (mix.times != TP_MIX_NEVER) {
		struct tp_agent_unit *own;

		each = new_counter(t, it->pc);
		own = &t->context->shared->units[each];
		own->bytes = it->in.length;
		add_mix(own->add, mix.each);
		count_each(t, it, &mix, each, false);
	}
	/* Emits the addresses of an instruction before it runs. */
	if (t->trace_words) {
		for (unsigned i = 0; i < it->in.operand_count; i++) {
			unsigned words = words_of(it, i);

			if (words && t->trace_at + words <= t->trace_words)
				trace_operand(t, it, i);
		}
	}
	add_boundary(t, it->pc, -1, 0);
	if (sets_flags_from_stack(it))
		leave_for_steps(t, it);
	if (tp_ends_block(it)) {
		translate_branch(t, it);
		return;
	}
	translate_copy(t, it);
	if (mix.times == TP_MIX_REPEATS) {
		add_boundary(t, it->pc + it->in.length, -1, 0);
		count_each(t, it, &mix, each, true);
	}
}

/* A block that jumps to its own beginning is the body of a loop. */
static void add_chain(struct tp_code_cache *cache, unsigned n, struct tp_agent_unit *unit)
{
	const struct tp_translated *last = &cache->instructions[n - 1];

	if (last->in.meta.category != ZYDIS_CATEGORY_COND_BR || !last->in.raw.imm[0].is_relative ||
	    tp_branch_target(last) != unit->pc)
		return;
	tp_mix_chain_begin(&cache->chain);
	for (unsigned i = 0; i < n; i++)
		tp_mix_chain_add(&cache->chain, &cache->instructions[i].in,
				 cache->instructions[i].operands);
	tp_mix_chain_end(&cache->chain, unit->add);
}

static void keep_vectors(struct tp_code_cache *cache, bool restore)
{
	/* x87, SSE, AVX and AVX-512: what Zydis and libc may use. */
	if (restore)
		__asm__ volatile("xrstor64 (%0)" : : "r"(cache->vectors), "a"(0xe7), "d"(0));
	else
		__asm__ volatile("xsave64 (%0)"
				 :
				 : "r"(cache->vectors), "a"(0xe7), "d"(0)
				 : "memory");
}

static struct tp_basic_block *translate(struct tp_code_cache *cache, uint64_t pc)
{
	struct tp_context *context = cache->context;
	unsigned n = decode_block(cache, pc), place, counter;
	const struct tp_translated *last;
	struct translation t = { .cache = cache, .context = context, .e.at = cache->next };

	if (!n)
		return NULL;
	last = &cache->instructions[n - 1];
	place = place_of_counter(cache, n);
	t.block = &cache->blocks[cache->n_blocks++];
	*t.block = (struct tp_basic_block){ .pc = pc,
					    .start = (uint32_t)(cache->next - cache->region),
					    .first_exit = cache->n_exits,
					    .first_boundary = cache->n_boundaries };
	counter = new_counter(&t, pc);
	if (tp_region_stop(context, pc)) {
		/* The first time it enters the agent, which returns after this jump. */
		uint8_t *out = tp_emit_jump(&t.e, t.e.at);

		t.block->stops = true;
		add_exit(&t, pc, out, TP_REASON_REGION);
	}
	t.block->bytes = (uint16_t)(last->pc + last->in.length - pc);
	t.block->writable = cache->decoded_writable;
	if (t.block->writable) {
		uint8_t code[15 * TP_BLOCK_INSTRUCTIONS + 1];

		/* As decoded earlier: another thread may be changing it. */
		for (unsigned i = 0; i < n; i++)
			memcpy(code + (cache->instructions[i].pc - pc),
			       cache->instructions[i].bytes, cache->instructions[i].in.length);
		compare_code(&t, pc, code, t.block->bytes);
		t.block->sum = tp_code_sum((uint64_t)code, t.block->bytes);
	}
	if (cache->traced)
		trace_block(&t, n, counter);
	for (unsigned i = 0; i < n; i++) {
		add_boundary(&t, cache->instructions[i].pc, -1, 0);
		if (i == place)
			count_block(&t, &cache->instructions[i], counter);
		translate_one(&t, &cache->instructions[i], &context->shared->units[counter]);
	}
	add_chain(cache, n, &context->shared->units[counter]);
	if (!tp_ends_block(last))
		add_exit(&t, last->pc + last->in.length, tp_emit_jump(&t.e, t.e.at),
			 TP_REASON_LINK);
	const struct tp_basic_block *block = t.block;
	t.block->stubs = (uint32_t)(t.e.at - t.cache->region);
	for (unsigned i = 0; i < block->n_exits; i++) {
		const struct tp_exit *x = &t.cache->exits[block->first_exit + i];

		if (x->patch)
			tp_emit_patch(t.cache->region + x->patch, t.e.at);
		tp_emit_store_4(&t.e, &t.context->exit, block->first_exit + i);
		tp_emit_jump(&t.e, t.cache->enter[x->reason]);
	}
	t.block->end = (uint32_t)(t.e.at - t.cache->region);
	cache->next = t.e.at;
	__atomic_fetch_add(&tp_agent_shared->blocks, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&tp_agent_shared->bytes_of_code, t.block->end - t.block->start,
			   __ATOMIC_RELAXED);
	return t.block;
}

struct tp_basic_block *tp_translate(struct tp_code_cache *cache, uint64_t pc)
{
	struct tp_basic_block *block;

	cache->refused = NULL;
	keep_vectors(cache, false);
	block = translate(cache, pc);
	keep_vectors(cache, true);
	return block;
}
