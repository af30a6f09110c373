/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses that a block touches go to the thread's buffer: trace.h says how. */
#include "agent/cache.h"
#include "agent/sys.h"

const struct tp_trace_access *tp_trace_accesses(const struct tp_context *context, uint32_t i,
						unsigned *n)
{
	const struct tp_code_cache *cache = context->cache;

	*n = 0;
	if (!cache->traced || i >= TP_AGENT_COUNTERS)
		return NULL;
	*n = cache->traced[i].n;
	return &cache->accesses[cache->traced[i].first];
}

void tp_trace_empty(struct tp_context *context)
{
	uint64_t start = (uint64_t)context->cache->trace_buffer;

	if (!start || context->trace_next == start)
		return;
	tp_trace_drain(context, context->cache->trace_buffer,
		       (context->trace_next - start) / sizeof(uint64_t));
	context->trace_next = start;
}

static bool repeated(const struct tp_translated *it)
{
	return it->in.attributes &
	       (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
}

static bool is_string(const struct tp_translated *it)
{
	return it->in.meta.category == ZYDIS_CATEGORY_STRINGOP;
}

/* Their operands are no accesses. */
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

	if (tp_lanes_of(it, i))
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
	if (tp_lanes_of(it, i))
		return tp_lanes_of(it, i);
	return is_string(it) && repeated(it) ? 2 : 1;
}

static void describe(struct tp_translation *t, const struct tp_translated *it, unsigned i)
{
	const ZydisDecodedOperand *o = &it->operands[i];
	unsigned lanes = tp_lanes_of(it, i), n = lanes ? lanes : 1;
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
static void room_or(struct tp_translation *t, uint8_t **over)
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

static void registers_back(struct tp_translation *t, bool flags)
{
	if (flags)
		tp_flags_in(t);
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

void tp_trace_block(struct tp_translation *t, unsigned n, unsigned counter)
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
		tp_flags_out(t);
	tp_emit_load(e, TP_RAX, &t->context->trace_next);
	room_or(t, &over);
	registers_back(t, flags);
	tp_exit_add(t, t->block->pc, tp_emit_jump(e, e->at), TP_REASON_FULL);
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
static void address_of(struct tp_translation *t, const struct tp_translated *it,
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
static void put(struct tp_translation *t, unsigned buffer, unsigned reg)
{
	struct tp_emit *e = &t->e;

	tp_emit_1(e, 0x48 | (reg >> 3) << 2 | buffer >> 3);
	tp_emit_1(e, 0x89);
	tp_emit_1(e, 0x80 | (reg & 7) << 3 | (buffer & 7));
	tp_emit_4(e, (uint32_t) - (int32_t)((t->trace_words - t->trace_at++) * 8));
}

/* A register that is not in `taken`, dead if there is one; low ones have no odd encodings. */
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

static void trace_operand(struct tp_translation *t, const struct tp_translated *it, unsigned i)
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
	if (tp_lanes_of(it, i)) {
		tp_lanes_store(t, o);
		tp_emit_load(e, buffer, &t->context->trace_next);
		for (unsigned lane = 0; lane < tp_lanes_of(it, i); lane++) {
			tp_lane_address(t, it, o, lane, reg);
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

void tp_trace_instruction(struct tp_translation *t, const struct tp_translated *it)
{
	for (unsigned i = 0; i < it->in.operand_count; i++) {
		unsigned words = words_of(it, i);

		if (words && t->trace_at + words <= t->trace_words)
			trace_operand(t, it, i);
	}
}
