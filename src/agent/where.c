/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where in the program a thread is that stopped in its cache. */
#include "agent/cache.h"

bool tp_cache_holds(const struct tp_context *context, uint64_t rip)
{
	const struct tp_code_cache *cache = context->cache;

	return rip >= (uint64_t)cache->region + TP_CACHE_STUBS_AT && rip < (uint64_t)cache->end;
}

/* The last block that begins at or before offset `at`; NULL = none. */
static const struct tp_basic_block *block_at(const struct tp_code_cache *cache, uint64_t at)
{
	uint32_t low = 0, high = cache->n_blocks;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (cache->blocks[middle].start <= at)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || at >= cache->blocks[low - 1].end)
		return NULL;
	return &cache->blocks[low - 1];
}

static bool in_code(const struct tp_code_cache *cache, const struct tp_basic_block *block,
		    uint64_t at, struct tp_cache_state *state)
{
	for (unsigned i = 0; i < block->n_boundaries; i++) {
		const struct tp_boundary *b = &cache->boundaries[block->first_boundary + i];

		if (block->start + b->at != at)
			continue;
		state->pc = block->pc + b->pc;
		for (unsigned s = 0; s < 2; s++) {
			if (b->spilled[s] < 0)
				continue;
			state->spilled[state->n_spilled].reg = b->spilled[s];
			state->spilled[state->n_spilled++].slot = b->slots[s];
		}
		return true;
	}
	return false;
}

bool tp_cache_state(const struct tp_context *context, uint64_t rip, struct tp_cache_state *state)
{
	const struct tp_code_cache *cache = context->cache;
	const struct tp_basic_block *block;
	uint64_t at = rip - (uint64_t)cache->region;

	state->n_spilled = 0;
	if (!tp_cache_holds(context, rip))
		return false;
	if (rip == (uint64_t)context->syscall || rip == (uint64_t)context->syscall_end) {
		/* The program's pc is that of its syscall, an instruction of two bytes. */
		state->pc = context->pc + (rip == (uint64_t)context->syscall_end ? 2 : 0);
		return true;
	}
	block = block_at(cache, at);
	if (!block)
		return false;
	if (at < block->stubs)
		return in_code(cache, block, at, state);
	at -= block->stubs;
	if (at / TP_CACHE_EXIT_BYTES >= block->n_exits ||
	    (at % TP_CACHE_EXIT_BYTES != 0 && at % TP_CACHE_EXIT_BYTES != 10))
		return false;
	state->pc = cache->exits[block->first_exit + at / TP_CACHE_EXIT_BYTES].pc;
	return true;
}
