/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between two blocks: what generated code left for, and where the program goes on. */
#include <sys/syscall.h>

#include "agent/cache.h"
#include "agent/sys.h"

void tp_agent_enter(struct tp_context *context);

uint32_t tp_agent_detached;
struct tp_agent_shared *tp_agent_shared;

void tp_agent_detach(struct tp_context *context, const char *why)
{
	struct tp_agent_shared *shared = tp_agent_shared;

	context->native = true;
	if (__atomic_exchange_n(&tp_agent_detached, 1, __ATOMIC_SEQ_CST))
		return;
	for (unsigned i = 0; i + 1 < sizeof(shared->words) && why[i]; i++)
		shared->words[i] = why[i];
	__atomic_store_n(&shared->state, TP_AGENT_DETACHED, __ATOMIC_RELEASE);
	/* So that the others come by. */
	for (unsigned i = 0; i < TP_AGENT_THREADS; i++) {
		struct tp_context *other = __atomic_load_n(&tp_contexts[i], __ATOMIC_ACQUIRE);

		if (other)
			tp_cache_forget_targets(other->cache);
	}
}

/* Sets `target` to where the program goes on at pc: in the cache, or natively. */
static struct tp_basic_block *aim(struct tp_context *context)
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
			tp_agent_detach(context, context->cache->refused
							 ? context->cache->refused
							 : "the program went where no code is");
	}
	if (context->native)
		context->target = context->pc;
	return block;
}

static void follow_link(struct tp_context *context)
{
	struct tp_code_cache *cache = context->cache;
	struct tp_exit x = cache->exits[context->exit];
	uint64_t generation = cache->generation;
	struct tp_basic_block *block;

	context->pc = x.pc;
	block = aim(context);
	if (block && generation == cache->generation && x.patch && !block->writable)
		tp_emit_patch(cache->region + x.patch, cache->region + block->start);
}

static void follow_indirect(struct tp_context *context)
{
	struct tp_basic_block *block = aim(context);

	if (block)
		tp_cache_land(context->cache, block);
}

static void before_syscall(struct tp_context *context)
{
	context->pc = context->cache->exits[context->exit].pc;
	if (context->gpr[TP_RAX] == SYS_exit || context->gpr[TP_RAX] == SYS_exit_group ||
	    context->gpr[TP_RAX] == SYS_execve)
		tp_trace_empty(context); /* it may be the last time */
	switch (tp_agent_syscall(context)) {
	case TP_SYSCALL_RUN:
		context->target = (uint64_t)context->syscall;
		break;
	case TP_SYSCALL_DONE:
		context->pc += 2;
		aim(context);
		break;
	case TP_SYSCALL_NATIVE:
		context->native = true;
		context->target = context->pc;
		break;
	}
}

static void behind_syscall(struct tp_context *context)
{
	context->pc += 2;
	context->gpr[TP_RCX] = context->pc; /* as the kernel leaves it */
	tp_agent_syscall_done(context);
	aim(context);
}

/* In front of a block of a region: behind the jump that brought us here it goes on. */
static void at_region(struct tp_context *context)
{
	const struct tp_basic_block *block;

	context->pc = context->cache->exits[context->exit].pc;
	tp_trace_empty(context); /* it belongs to the region that was open */
	tp_region_stopped(context);
	block = aim(context);
	if (block && block->stops)
		context->target += 5;
}

/* From generated code; returning goes on at context->target. */
void tp_agent_enter(struct tp_context *context)
{
	switch ((enum tp_reason)context->reason) {
	case TP_REASON_LINK:
		follow_link(context);
		break;
	case TP_REASON_INDIRECT:
		follow_indirect(context);
		break;
	case TP_REASON_SYSCALL:
		before_syscall(context);
		break;
	case TP_REASON_SYSCALL_DONE:
		behind_syscall(context);
		break;
	case TP_REASON_REGION:
		at_region(context);
		break;
	case TP_REASON_NATIVE:
		context->pc = context->cache->exits[context->exit].pc;
		tp_agent_detach(context, "an instruction that cannot be followed");
		context->target = context->pc;
		break;
	case TP_REASON_FULL:
		context->pc = context->cache->exits[context->exit].pc;
		tp_trace_empty(context);
		aim(context);
		break;
	case TP_REASON_START:
	case TP_REASON_N:
		aim(context);
		break;
	}
}

_Noreturn void tp_dispatch(struct tp_context *context)
{
	aim(context);
	__asm__ volatile("jmp *%0" : : "r"(context->leave));
	__builtin_unreachable();
}
