/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Syscalls of the program that the agent must know of. All others run as they are: nothing of the
 * agent is a descriptor, a timer or a handler that the program could meet.
 *
 * What runs here, in C, cannot wait: a signal would. What may wait runs in the stub.
 */
#include <asm/prctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "agent/cache.h"
#include "agent/process.h"
#include "agent/sys.h"

enum { SET_SYSCALL_USER_DISPATCH = 59, SHADOW_STACK_ENABLE = 0x5001 };

static int64_t run(const struct tp_context *context)
{
	const uint64_t *gpr = context->gpr;

	return tp_sys(gpr[TP_RAX], gpr[TP_RDI], gpr[TP_RSI], gpr[TP_RDX], gpr[10], gpr[8], gpr[9]);
}

static enum tp_syscall_way done(struct tp_context *context, int64_t result)
{
	context->gpr[TP_RAX] = (uint64_t)result;
	context->gpr[TP_RCX] = context->pc + 2; /* as the kernel leaves them */
	context->gpr[11] = context->flags;
	return TP_SYSCALL_DONE;
}

static enum tp_syscall_way detach(struct tp_context *context, const char *why)
{
	tp_signals_block(context); /* so that it ends where the context says */
	tp_agent_detach(context, why);
	return TP_SYSCALL_NATIVE;
}

static enum tp_syscall_way map(struct tp_context *context)
{
	uint64_t bytes = context->gpr[TP_RSI], protection = context->gpr[TP_RDX];
	uint64_t flags = context->gpr[10], fd = context->gpr[8];
	int64_t at;

	if (!(protection & PROT_EXEC) && !(flags & MAP_FIXED))
		return TP_SYSCALL_RUN;
	if (protection & PROT_EXEC && protection & PROT_WRITE && flags & MAP_SHARED)
		return detach(context, "the program maps code that it can change at the same time "
				       "elsewhere");
	at = run(context);
	if (!tp_sys_failed(at)) {
		tp_cache_code_changed(context, (uint64_t)at, (uint64_t)at + bytes);
		if (protection & PROT_EXEC && !(flags & MAP_ANONYMOUS))
			tp_module_mapped(context, (int)fd, (uint64_t)at, (uint64_t)at + bytes,
					 context->gpr[9]);
	}
	return done(context, at);
}

/* munmap, mprotect, mremap: [rdi, rdi + rsi) is no longer what it was. */
static enum tp_syscall_way unmap(struct tp_context *context)
{
	uint64_t at = context->gpr[TP_RDI], bytes = context->gpr[TP_RSI];
	int64_t result = run(context);

	if (!tp_sys_failed(result))
		tp_cache_code_changed(context, at, at + bytes);
	return done(context, result);
}

static void end(struct tp_context *context)
{
	tp_thread_end(context);
	if (context->borrows)
		return;
	tp_counts_settle_all();
	tp_process_end();
}

static enum tp_syscall_way take_syscall(struct tp_context *context)
{
	uint64_t *gpr = context->gpr;

	tp_signals_check_stack(context);
	switch (gpr[TP_RAX]) {
	case SYS_rt_sigaction:
		return done(context,
			    tp_signals_action(context, (int)gpr[TP_RDI], (const void *)gpr[TP_RSI],
					      (void *)gpr[TP_RDX], gpr[10]));
	case SYS_rt_sigreturn:
		tp_signals_return(context);
		return TP_SYSCALL_RUN;
	case SYS_sigaltstack:
		return done(context, tp_signals_stack(context, gpr[TP_RDI], gpr[TP_RSI]));
	case SYS_clone:
	case SYS_clone3:
	case SYS_fork:
	case SYS_vfork:
		return tp_agent_clone(context);
	case SYS_execve:
	case SYS_execveat:
		return done(context, tp_agent_exec(context));
	case SYS_exit:
		tp_thread_end(context);
		return TP_SYSCALL_RUN;
	case SYS_exit_group:
		end(context);
		return TP_SYSCALL_RUN;
	case SYS_mmap:
		return map(context);
	case SYS_munmap:
	case SYS_mprotect:
	case SYS_pkey_mprotect:
	case SYS_mremap:
		return unmap(context);
	case SYS_close:
		tp_module_closed((int)gpr[TP_RDI]);
		return TP_SYSCALL_RUN;
	case SYS_mlockall:
		/* The shared file and our tables are sparse: nothing could hold all of them. */
		return done(context, 0);
	case SYS_seccomp:
		return detach(context, "the program restricts its own system calls (seccomp)");
	case SYS_prctl:
		if (gpr[TP_RDI] == PR_SET_SECCOMP)
			return detach(context, "the program restricts its own system calls "
					       "(seccomp)");
		if (gpr[TP_RDI] == SET_SYSCALL_USER_DISPATCH)
			return detach(context, "the program handles its own system calls");
		return TP_SYSCALL_RUN;
	case SYS_arch_prctl:
		if (gpr[TP_RDI] == SHADOW_STACK_ENABLE)
			return done(context, -TP_EINVAL);
		return TP_SYSCALL_RUN;
	default:
		return TP_SYSCALL_RUN;
	}
}

/* --- what generated code left for --- */

static void follow_link(struct tp_context *context)
{
	struct tp_code_cache *cache = context->cache;
	struct tp_exit x = cache->exits[context->exit];
	uint64_t generation = cache->generation;
	struct tp_basic_block *block;

	context->pc = x.pc;
	block = tp_aim(context);
	if (block && generation == cache->generation && x.patch && !block->writable)
		tp_emit_patch(cache->region + x.patch, cache->region + block->start);
}

static void follow_indirect(struct tp_context *context)
{
	struct tp_basic_block *block = tp_aim(context);

	if (block)
		tp_cache_land(context->cache, block);
}

static void before_syscall(struct tp_context *context)
{
	context->pc = context->cache->exits[context->exit].pc;
	if (context->gpr[TP_RAX] == SYS_exit || context->gpr[TP_RAX] == SYS_exit_group ||
	    context->gpr[TP_RAX] == SYS_execve)
		tp_cache_drain(context); /* it may be the last time */
	switch (take_syscall(context)) {
	case TP_SYSCALL_RUN:
		context->target = (uint64_t)context->syscall;
		break;
	case TP_SYSCALL_DONE:
		context->pc += 2;
		tp_aim(context);
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
	context->gpr[TP_RCX] = context->pc; /* as the kernel leaves them */
	context->gpr[11] = context->flags;
	tp_aim(context);
}

/* In front of a block of a region: behind the jump that brought us here it goes on. */
static void at_region(struct tp_context *context)
{
	const struct tp_basic_block *block;

	context->pc = context->cache->exits[context->exit].pc;
	tp_cache_drain(context); /* it belongs to the region that was open */
	tp_region_stopped(context);
	block = tp_aim(context);
	if (block && block->stops)
		context->target += 5;
}

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
		tp_cache_drain(context);
		tp_aim(context);
		break;
	case TP_REASON_START:
	case TP_REASON_N:
		tp_aim(context);
		break;
	}
}
