/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Generated code between the cache and the agent, at the beginning of a thread's region. A signal
 * may come at any of these instructions: context.h says what the order means.
 */
#include <sys/syscall.h>

#include "agent/cache.h"

void tp_agent_enter(struct tp_context *context); /* dispatch.c */

static void bytes(struct tp_emit *e, const char *hex_bytes, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		tp_emit_1(e, (uint8_t)hex_bytes[i]);
}

#define BYTES(e, text) bytes(e, text, sizeof(text) - 1)

/* push or pop of [at] */
static void stack_memory(struct tp_emit *e, bool push, const void *at)
{
	tp_emit_1(e, push ? 0xff : 0x8f);
	tp_emit_1(e, push ? 0x35 : 0x05);
	tp_emit_relative(e, at, 0);
}

static void jump_memory(struct tp_emit *e, const void *at)
{
	tp_emit_1(e, 0xff);
	tp_emit_1(e, 0x25);
	tp_emit_relative(e, at, 0);
}

/* lea rdi, [context] */
static void context_to_rdi(struct tp_emit *e, const struct tp_context *context)
{
	BYTES(e, "\x48\x8d\x3d");
	tp_emit_relative(e, context, 0);
}

/* rsp becomes the agent's; its flags are those of C. */
static void to_agent(struct tp_emit *e, struct tp_context *context)
{
	tp_emit_load(e, TP_RSP, &context->stack);
}

static void clean_flags(struct tp_emit *e)
{
	BYTES(e, "\x6a\x02\x9d"); /* push 2; popfq */
}

static void flags_of_program(struct tp_emit *e, struct tp_context *context)
{
	stack_memory(e, true, &context->flags);
	tp_emit_1(e, 0x9d);
}

/* All registers into the context, and on in C. */
static uint8_t *emit_enter(struct tp_emit *e, struct tp_context *context)
{
	uint8_t *start = e->at;

	for (unsigned i = 0; i < 16; i++)
		tp_emit_store(e, &context->gpr[i], i);
	to_agent(e, context);
	tp_emit_1(e, 0x9c); /* pushfq */
	stack_memory(e, false, &context->flags);
	clean_flags(e);
	context_to_rdi(e, context);
	tp_emit_call(e, (const void *)tp_agent_enter);
	tp_emit_1(e, 0xe9); /* into leave, which follows */
	tp_emit_4(e, 0);
	return start;
}

static void emit_leave(struct tp_emit *e, struct tp_context *context)
{
	uint8_t *none, *back;

	context->leave = e->at;
	flags_of_program(e, context);
	tp_emit_load(e, TP_RSP, &context->gpr[TP_RSP]);
	tp_emit_load(e, TP_RCX, &context->pending);
	context->leave_tested = e->at;
	BYTES(e, "\xe3\x05"); /* jrcxz over the jump */
	none = e->at + 5;
	back = tp_emit_jump(e, e->at);
	for (unsigned i = 0; i < 16; i++)
		if (i != TP_RSP)
			tp_emit_load(e, i, &context->gpr[i]);
	jump_memory(e, &context->target);

	tp_emit_patch(back, e->at);
	to_agent(e, context);
	clean_flags(e);
	context_to_rdi(e, context);
	tp_emit_call(e, (const void *)tp_signals_requeue);
	flags_of_program(e, context);
	tp_emit_load(e, TP_RSP, &context->gpr[TP_RSP]);
	tp_emit_constant(e, TP_RAX, SYS_rt_sigprocmask);
	tp_emit_constant(e, TP_RDI, 2); /* SIG_SETMASK */
	BYTES(e, "\x48\x8d\x35"); /* lea rsi, */
	tp_emit_relative(e, &context->leave_mask, 0);
	tp_emit_constant(e, TP_RDX, 0);
	tp_emit_constant(e, 10, 8);
	context->leave_unblock = e->at;
	BYTES(e, "\x0f\x05");
	tp_emit_jump(e, none);
	context->leave_end = e->at;
}

static uint8_t *emit_reason(struct tp_emit *e, struct tp_context *context, unsigned reason,
			    const uint8_t *enter)
{
	uint8_t *start = e->at;

	tp_emit_store_4(e, &context->reason, reason);
	tp_emit_jump(e, enter);
	return start;
}

void tp_stubs_emit(struct tp_code_cache *cache)
{
	struct tp_context *context = cache->context;
	struct tp_emit e = { cache->region + TP_CACHE_STUBS_AT };
	uint8_t *enter = emit_enter(&e, context);

	emit_leave(&e, context);
	for (unsigned i = 0; i < TP_REASON_N; i++)
		cache->enter[i] = emit_reason(&e, context, i, enter);
	cache->miss = e.at;
	tp_emit_store(&e, &context->pc, TP_RAX);
	tp_emit_load(&e, TP_RCX, &context->spills[TP_SLOT_RCX]);
	tp_emit_load(&e, TP_RAX, &context->spills[TP_SLOT_RAX]);
	tp_emit_jump(&e, cache->enter[TP_REASON_INDIRECT]);
	context->syscall = e.at;
	BYTES(&e, "\x0f\x05");
	context->syscall_end = e.at;
	tp_emit_jump(&e, cache->enter[TP_REASON_SYSCALL_DONE]);
}
