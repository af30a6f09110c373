/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "agent/cache.h"
#include "agent/sys.h"

enum {
	PAGE = 4096,
	FEW_PAGES = 64,
	NO_REPLACE = 0x100000 /* MAP_FIXED_NOREPLACE */,
	GUARD = 64 * 1024
};

struct tp_context *tp_contexts[TP_AGENT_THREADS];

static uint64_t up_to_page(uint64_t bytes)
{
	return (bytes + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

/* Near the program's own code, below it: there is room, and nothing grows there. */
static uint8_t *map_near(uint64_t bytes)
{
	const int protection = PROT_READ | PROT_WRITE | PROT_EXEC;

	if (tp_program_base >> 32)
		for (unsigned i = 1; i <= 40; i++) {
			uint64_t where = (tp_program_base - i * (bytes + PAGE)) & ~(PAGE - 1ull);
			void *at = tp_memory_map(where, bytes, protection, NO_REPLACE);

			if ((uint64_t)at == where)
				return at;
			if (at)
				tp_sys(SYS_munmap, (uint64_t)at, bytes, 0, 0, 0, 0);
		}
	return tp_memory_map(0, bytes, protection, 0);
}

static bool map_counts(struct tp_code_cache *cache, uint8_t *where, uint64_t bytes)
{
	uint64_t counts = (uint64_t)cache->context->shared->counts;
	uint64_t start = counts & ~(PAGE - 1ull);

	/* An old size of 0 maps the same pages of a shared file a second time. */
	if (tp_sys_failed(tp_sys(SYS_mremap, start, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
				 (uint64_t)where, 0)))
		return false;
	cache->counts = (uint64_t *)(where + (counts - start));
	return true;
}

static void *part(uint8_t **next, uint64_t bytes)
{
	uint8_t *at = *next;

	*next += up_to_page(bytes);
	return at;
}

static uint64_t bytes_of_trace(void)
{
	if (tp_agent_shared->mode != TP_AGENT_TRACE)
		return 0;
	return up_to_page(TP_CACHE_ACCESSES * sizeof(struct tp_trace_access)) +
	       up_to_page(TP_AGENT_COUNTERS * sizeof(struct tp_traced)) +
	       up_to_page((TP_TRACE_WORDS + TP_BLOCK_TRACE_WORDS) * sizeof(uint64_t));
}

static void place_trace(struct tp_code_cache *cache, uint8_t **next)
{
	if (tp_agent_shared->mode != TP_AGENT_TRACE)
		return;
	cache->accesses = part(next, TP_CACHE_ACCESSES * sizeof(struct tp_trace_access));
	cache->traced = part(next, TP_AGENT_COUNTERS * sizeof(struct tp_traced));
	cache->trace_buffer =
		part(next, (TP_TRACE_WORDS + TP_BLOCK_TRACE_WORDS) * sizeof(uint64_t));
	cache->context->trace_next = (uint64_t)cache->trace_buffer;
	cache->context->trace_end = (uint64_t)(cache->trace_buffer + TP_TRACE_WORDS);
}

static uint64_t bytes_of_tables(void)
{
	return bytes_of_trace() + up_to_page(sizeof(struct tp_code_cache)) +
	       up_to_page(TP_CACHE_HASH * sizeof(uint32_t)) +
	       up_to_page(TP_CACHE_BLOCKS * sizeof(struct tp_basic_block)) +
	       up_to_page(TP_CACHE_EXITS * sizeof(struct tp_exit)) +
	       up_to_page(TP_CACHE_BOUNDARIES * sizeof(struct tp_boundary)) + GUARD +
	       TP_AGENT_STACK_BYTES;
}

/* Tables below 2 GB: their address is part of the jumps. */
static uint64_t *map_targets(void)
{
	uint64_t bytes = TP_CACHE_TARGETS * sizeof(uint64_t);
	void *at = tp_memory_map(0, bytes, PROT_READ | PROT_WRITE, MAP_32BIT);

	if (at && (uint64_t)at + bytes > INT32_MAX) {
		tp_sys(SYS_munmap, (uint64_t)at, bytes, 0, 0, 0, 0);
		return NULL;
	}
	return at;
}

struct tp_context *tp_context_new(void)
{
	uint32_t slot = __atomic_fetch_add(&tp_agent_shared->n_threads, 1, __ATOMIC_RELAXED);
	uint64_t bytes_of_counts = up_to_page(sizeof(tp_agent_shared->threads[0].counts)) + PAGE;
	uint64_t bytes = TP_CACHE_CODE_AT + TP_CACHE_CODE_BYTES + bytes_of_counts;
	struct tp_context *context;
	struct tp_code_cache *cache;
	uint8_t *tables, *next, *region;

	if (slot >= TP_AGENT_THREADS) {
		__atomic_fetch_sub(&tp_agent_shared->n_threads, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	tables = tp_memory_map(0, bytes_of_tables(), PROT_READ | PROT_WRITE, 0);
	region = map_near(bytes);
	if (!tables || !region)
		goto failed;
	next = tables;
	cache = part(&next, sizeof(*cache));
	cache->hash = part(&next, TP_CACHE_HASH * sizeof(uint32_t));
	cache->blocks = part(&next, TP_CACHE_BLOCKS * sizeof(struct tp_basic_block));
	cache->exits = part(&next, TP_CACHE_EXITS * sizeof(struct tp_exit));
	cache->boundaries = part(&next, TP_CACHE_BOUNDARIES * sizeof(struct tp_boundary));
	context = (struct tp_context *)region;
	cache->context = context;
	place_trace(cache, &next);
	tp_sys(SYS_mprotect, (uint64_t)next, GUARD, PROT_NONE, 0, 0, 0);
	context->stack = next + GUARD + TP_AGENT_STACK_BYTES;
	context->slot = slot;
	context->shared = &tp_agent_shared->threads[slot];
	context->cache = cache;
	cache->region = region;
	cache->code = region + TP_CACHE_CODE_AT;
	cache->end = cache->code + TP_CACHE_CODE_BYTES;
	cache->targets = map_targets();
	if (!cache->targets || !map_counts(cache, cache->end, bytes_of_counts))
		goto failed;
	tp_stubs_emit(cache);
	cache->next = cache->code;
	tp_cache_forget_targets(cache);
	ZydisDecoderInit(&cache->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	__atomic_store_n(&tp_contexts[slot], context, __ATOMIC_RELEASE);
	return context;
failed:
	if (tables)
		tp_sys(SYS_munmap, (uint64_t)tables, bytes_of_tables(), 0, 0, 0, 0);
	if (region)
		tp_sys(SYS_munmap, (uint64_t)region, bytes, 0, 0, 0, 0);
	return NULL;
}

static uint32_t hash(uint64_t pc)
{
	return (uint32_t)((pc * 0x9e3779b97f4a7c15ull) >> 45); /* 19 bits */
}

struct tp_basic_block *tp_cache_find(struct tp_code_cache *cache, uint64_t pc)
{
	for (uint32_t i = hash(pc);; i = (i + 1) % TP_CACHE_HASH) {
		if (!cache->hash[i])
			return NULL;
		if (cache->blocks[cache->hash[i] - 1].pc == pc)
			return &cache->blocks[cache->hash[i] - 1];
	}
}

uint64_t tp_code_sum(uint64_t pc, unsigned bytes)
{
	const uint8_t *code = (const uint8_t *)pc;
	uint64_t sum = 0;

	for (unsigned i = 0; i < bytes; i++)
		sum = (sum ^ code[i]) * 0x100000001b3ull;
	return sum;
}

uint8_t *tp_cache_block(struct tp_context *context, uint64_t pc)
{
	struct tp_code_cache *cache = context->cache;
	struct tp_basic_block *block = tp_cache_find(cache, pc);

	if (block && block->writable &&
	    (tp_readable_code(cache, pc, block->bytes) != block->bytes ||
	     tp_code_sum(pc, block->bytes) != block->sum)) {
		block->pc = 0; /* nobody finds it any more */
		block = NULL;
	}
	if (!block) {
		uint32_t i = hash(pc);

		if (cache->end - cache->next < TP_BLOCK_ROOM ||
		    context->shared->n_counters + TP_BLOCK_INSTRUCTIONS + 1 > TP_AGENT_COUNTERS ||
		    cache->n_blocks + 1 > TP_CACHE_BLOCKS ||
		    cache->n_accesses + TP_BLOCK_TRACE_WORDS > TP_CACHE_ACCESSES ||
		    cache->n_exits + 8 > TP_CACHE_EXITS ||
		    cache->n_boundaries + 4 * TP_BLOCK_INSTRUCTIONS > TP_CACHE_BOUNDARIES)
			tp_cache_flush(context);
		block = tp_translate(cache, pc);
		if (!block)
			return NULL;
		while (cache->hash[i])
			i = (i + 1) % TP_CACHE_HASH;
		cache->hash[i] = (uint32_t)(block - cache->blocks) + 1;
	}
	return cache->region + block->start;
}

void tp_cache_land(struct tp_code_cache *cache, const struct tp_basic_block *block)
{
	uint64_t *target = &cache->targets[block->pc & (TP_CACHE_TARGETS - 1)];
	struct tp_emit e = { cache->next };
	uint8_t *other;

	if (block->writable || cache->end - cache->next < TP_BLOCK_ROOM)
		return; /* it is asked each time, or the next block flushes */
	/* rax is the target: movabs rcx, -pc; lea rcx, [rcx + rax]; jrcxz over the jump */
	tp_emit_constant(&e, TP_RCX, -block->pc);
	tp_emit_lea(&e, TP_RCX, TP_RCX, TP_RAX, 0);
	tp_emit_1(&e, 0xe3);
	tp_emit_1(&e, 5);
	other = tp_emit_jump(&e, e.at);
	tp_emit_patch(other, (const void *)*target);
	tp_emit_load(&e, TP_RCX, &cache->context->spills[TP_SLOT_RCX]);
	tp_emit_load(&e, TP_RAX, &cache->context->spills[TP_SLOT_RAX]);
	tp_emit_jump(&e, cache->region + block->start);
	__atomic_store_n(target, (uint64_t)cache->next, __ATOMIC_RELEASE);
	cache->next = e.at;
}

/* Another thread may do this, too: each store is a whole address. */
void tp_cache_forget_targets(struct tp_code_cache *cache)
{
	for (unsigned i = 0; i < TP_CACHE_TARGETS; i++)
		__atomic_store_n(&cache->targets[i], (uint64_t)cache->miss, __ATOMIC_RELAXED);
}

void tp_cache_flush(struct tp_context *context)
{
	struct tp_code_cache *cache = context->cache;
	struct tp_agent_thread *shared = context->shared;

	__atomic_store_n(&context->flush_wanted, 0, __ATOMIC_SEQ_CST);
	tp_trace_empty(context);
	if (cache->traced)
		memset(cache->traced, 0, shared->n_counters * sizeof(cache->traced[0]));
	cache->n_accesses = 0;
	tp_counts_forget(shared);
	memset(cache->hash, 0, TP_CACHE_HASH * sizeof(cache->hash[0]));
	memset(cache->pages, 0, sizeof(cache->pages));
	cache->n_pages = 0;
	cache->n_blocks = cache->n_exits = cache->n_boundaries = 0;
	cache->n_readable = 0;
	cache->next = cache->code;
	cache->generation++;
	tp_cache_forget_targets(cache);
	__atomic_fetch_add(&tp_agent_shared->flushes, 1, __ATOMIC_RELAXED);
}

void tp_cache_note_page(struct tp_code_cache *cache, uint64_t pc)
{
	uint64_t page = pc / PAGE;

	if (cache->n_pages > TP_CACHE_PAGES / 2)
		return; /* so many that every page counts as one */
	for (uint64_t i = page % TP_CACHE_PAGES;; i = (i + 1) % TP_CACHE_PAGES) {
		if (cache->pages[i] == page)
			return;
		if (!cache->pages[i]) {
			cache->pages[i] = page;
			cache->n_pages++;
			return;
		}
	}
}

/* Another thread may add pages meanwhile: what it adds then is what is there then. */
static bool has_pages(const struct tp_code_cache *cache, uint64_t start, uint64_t end)
{
	if (cache->n_pages > TP_CACHE_PAGES / 2)
		return true;
	if (end - start <= FEW_PAGES * PAGE) {
		for (uint64_t page = start / PAGE; page * PAGE < end; page++)
			for (uint64_t i = page % TP_CACHE_PAGES; cache->pages[i];
			     i = (i + 1) % TP_CACHE_PAGES)
				if (cache->pages[i] == page)
					return true;
		return false;
	}
	for (unsigned i = 0; i < TP_CACHE_PAGES; i++)
		if (cache->pages[i] && cache->pages[i] * PAGE < end &&
		    (cache->pages[i] + 1) * PAGE > start)
			return true;
	return false;
}

void tp_cache_code_changed(struct tp_context *context, uint64_t start, uint64_t end)
{
	for (unsigned i = 0; i < TP_AGENT_THREADS; i++) {
		struct tp_context *other = __atomic_load_n(&tp_contexts[i], __ATOMIC_ACQUIRE);

		if (!other)
			continue;
		/* What was readable is asked anew in any case. */
		__atomic_store_n(&other->cache->n_readable, 0, __ATOMIC_RELAXED);
		if (!has_pages(other->cache, start, end))
			continue;
		if (other == context) {
			tp_cache_flush(context);
			continue;
		}
		__atomic_store_n(&other->flush_wanted, 1, __ATOMIC_SEQ_CST);
		tp_cache_forget_targets(other->cache);
	}
}

void tp_cache_stop_at(struct tp_context *context, uint64_t pc)
{
	if (tp_cache_find(context->cache, pc))
		tp_cache_flush(context);
}
