/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the program continues: in a block, translated if need be, or natively. */
#include "agent/cache.h"
#include "agent/sys.h"

uint8_t *tp_cache_block(struct tp_context *context, uint64_t pc)
{
	struct tp_code_cache *cache = context->cache;
	struct tp_basic_block *block = tp_cache_current(cache, pc);

	if (!block) {
		tp_cache_make_room(context);
		block = tp_translate(cache, pc);
		if (!block)
			return NULL;
		tp_cache_add(cache, block);
	}
	return cache->region + block->start;
}

void tp_agent_detach(struct tp_context *context, const char *why)
{
	struct tp_agent_shared *shared = tp_agent_shared;

	context->native = true;
	/* A child of vfork goes native without its parent. */
	if (context->borrows)
		return;
	if (__atomic_exchange_n(&tp_agent_detached, 1, __ATOMIC_SEQ_CST))
		return;
	for (unsigned i = 0; i + 1 < sizeof(shared->words) && why[i]; i++)
		shared->words[i] = why[i];
	__atomic_store_n(&shared->state, TP_AGENT_DETACHED, __ATOMIC_RELEASE);
	/* Makes the others enter the agent soon. */
	for (unsigned i = 0; i < TP_AGENT_THREADS; i++) {
		struct tp_context *other = __atomic_load_n(&tp_contexts[i], __ATOMIC_ACQUIRE);

		if (other)
			tp_cache_forget_targets(other->cache);
	}
}

struct tp_basic_block *tp_aim(struct tp_context *context)
{
	struct tp_agent_shared *shared = tp_agent_shared;
	struct tp_basic_block *block = NULL;

	if (__atomic_load_n(&context->flush_wanted, __ATOMIC_SEQ_CST))
		tp_cache_flush(context);
	if (shared->detach_after && shared->blocks >= shared->detach_after)
		tp_agent_detach(context, "it was asked to");
	if (!context->native && __atomic_load_n(&tp_agent_detached, __ATOMIC_RELAXED))
		context->native = true;
	if (!context->native) {
		context->target = (uint64_t)tp_cache_block(context, context->pc);
		if (context->target)
			block = tp_cache_find(context->cache, context->pc);
		else
			tp_agent_detach(context,
					context->cache->refused
						? context->cache->refused
						: "the program jumped to an address without code");
	}
	if (context->native)
		context->target = context->pc;
	return block;
}

_Noreturn void tp_dispatch(struct tp_context *context)
{
	tp_aim(context);
	__asm__ volatile("jmp *%0" : : "r"(context->leave));
	__builtin_unreachable();
}
