/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A basic block of the program becomes code of the cache, with counters. */
#include "agent/cache.h"
#include "agent/sys.h"

void tp_boundary_add(struct tp_translation *t, uint64_t pc, int reg, unsigned slot)
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

void tp_exit_add(struct tp_translation *t, uint64_t pc, uint8_t *patch, enum tp_reason reason)
{
	struct tp_exit *x = &t->cache->exits[t->cache->n_exits++];

	x->pc = pc;
	x->patch = patch ? (uint32_t)(patch - t->cache->region) : 0;
	x->reason = reason;
	t->block->n_exits++;
}

static void emit_exits(struct tp_translation *t)
{
	const struct tp_basic_block *block = t->block;

	t->block->stubs = (uint32_t)(t->e.at - t->cache->region);
	for (unsigned i = 0; i < block->n_exits; i++) {
		const struct tp_exit *x = &t->cache->exits[block->first_exit + i];

		if (x->patch)
			tp_emit_patch(t->cache->region + x->patch, t->e.at);
		tp_emit_store_4(&t->e, &t->context->exit, block->first_exit + i);
		tp_emit_jump(&t->e, t->cache->enter[x->reason]);
	}
	t->block->end = (uint32_t)(t->e.at - t->cache->region);
}

/* Instructions from pc up to the end of the block; 0 = none that can run here. */
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
				cache->refused = "an instruction that tprof does not know";
			break;
		}
		if (tp_readable_writable(cache, pc)) {
			if (!n)
				cache->refused = "the program makes code while it runs";
			if (cache->n_writable >= TP_WRITABLE_BLOCKS)
				break;
			cache->decoded_writable = true;
		}
		tp_cache_note_page(cache, pc);
		tp_cache_note_page(cache, pc + it->in.length - 1u);
		n++;
		pc += it->in.length;
		if (tp_ends_block(it))
			break;
	}
	return n;
}

/* What is live behind the block; asked of the code there only if it helps. */
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

/* In front of which instruction the block is counted: flags are dead there, if anywhere. */
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

static unsigned new_counter(struct tp_translation *t, uint64_t pc)
{
	unsigned i = t->context->shared->n_counters;

	t->context->shared->units[i].pc = pc;
	__atomic_store_n(&t->context->shared->n_counters, i + 1, __ATOMIC_RELEASE);
	return i;
}

static void add_mix(uint32_t to[TP_MIX_N], const uint32_t what[TP_MIX_N])
{
	for (unsigned i = 0; i < TP_MIX_N; i++)
		to[i] += what[i];
}

static void translate_one(struct tp_translation *t, const struct tp_translated *it,
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
		tp_count_each(t, it, &mix, each, false);
	}
	if (t->trace_words)
		tp_trace_instruction(t, it);
	tp_boundary_add(t, it->pc, -1, 0);
	if (tp_ends_block(it)) {
		tp_translate_branch(t, it);
		return;
	}
	tp_translate_copy(t, it);
	if (mix.times == TP_MIX_REPEATS) {
		tp_boundary_add(t, it->pc + it->in.length, -1, 0);
		tp_count_each(t, it, &mix, each, true);
	}
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
	struct tp_translation t = { .cache = cache, .context = context, .e.at = cache->next };

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
		/* The first time it goes to the agent, which comes back behind this jump. */
		uint8_t *out = tp_emit_jump(&t.e, t.e.at);

		t.block->stops = true;
		tp_exit_add(&t, pc, out, TP_REASON_REGION);
	}
	if (cache->traced)
		tp_trace_block(&t, n, counter);
	for (unsigned i = 0; i < n; i++) {
		tp_boundary_add(&t, cache->instructions[i].pc, -1, 0);
		if (i == place)
			tp_count_block(&t, &cache->instructions[i], counter);
		translate_one(&t, &cache->instructions[i], &context->shared->units[counter]);
	}
	if (!tp_ends_block(last))
		tp_exit_add(&t, last->pc + last->in.length, tp_emit_jump(&t.e, t.e.at),
			    TP_REASON_LINK);
	t.block->bytes = (uint16_t)(last->pc + last->in.length - pc);
	t.block->writable = cache->decoded_writable;
	if (t.block->writable) {
		t.block->sum = tp_code_sum(pc, t.block->bytes);
		cache->n_writable++;
	}
	emit_exits(&t);
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
