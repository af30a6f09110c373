/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Syscalls of the program that the agent intercepts. All others run unchanged: the agent has no
 * descriptor, timer or handler that the program could see.
 *
 * Calls handled here, in C, must not block, as that would delay signals. Calls that may block run
 * in the stub.
 */
#include <asm/prctl.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "agent/cache.h"
#include "agent/elf.h"
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

struct file_mapped {
	uint64_t inode;
	bool executable, shared; /* what the search looks for */
	bool found;
};

static bool look_for_file(void *context, const struct tp_mapping *m)
{
	struct file_mapped *file = context;

	file->found = m->inode == file->inode && m->executable >= file->executable &&
		      m->shared == file->shared;
	return !file->found;
}

/*
 * Whether the program runs code of a file that it can write to. In a shared mapping each block is
 * compared when it is entered. Writes to the file show in a private mapping, too, but that looks
 * like the mapping of any library.
 */
static bool may_change_code(uint64_t protection, uint64_t flags, uint64_t fd)
{
	static bool has_shared; /* files that are mapped to be written to */
	bool shared = flags & MAP_SHARED, code = protection & PROT_EXEC;
	struct file_mapped file = { .executable = shared, .shared = !shared };
	struct stat about;
	int64_t mode;

	if (flags & MAP_ANONYMOUS || (!shared && !code))
		return false;
	mode = tp_sys(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0);
	if (tp_sys_failed(mode) ||
	    tp_sys_failed(tp_sys(SYS_fstat, fd, (uint64_t)&about, 0, 0, 0, 0)))
		return false;
	file.inode = about.st_ino;
	if (shared && (mode & O_ACCMODE) != O_RDWR)
		return false;
	if (!shared && (mode & O_ACCMODE) == O_RDWR)
		return true;
	if (shared)
		__atomic_store_n(&has_shared, true, __ATOMIC_RELAXED);
	else if (!__atomic_load_n(&has_shared, __ATOMIC_RELAXED))
		return false;
	tp_maps_walk(look_for_file, &file);
	return file.found;
}

static enum tp_syscall_way map(struct tp_context *context)
{
	uint64_t bytes = context->gpr[TP_RSI], protection = context->gpr[TP_RDX];
	uint64_t flags = context->gpr[10], fd = context->gpr[8];
	int64_t at;

	if (may_change_code(protection, flags, fd))
		return detach(context, "the program may change a file while it runs code of it");
	if (!(protection & PROT_EXEC) && !(flags & MAP_FIXED))
		return TP_SYSCALL_RUN;
	at = run(context);
	if (!tp_sys_failed(at)) {
		tp_cache_code_changed(context, (uint64_t)at, (uint64_t)at + bytes);
		if (protection & PROT_EXEC && !(flags & MAP_ANONYMOUS))
			tp_module_mapped(context, (int)fd, (uint64_t)at, (uint64_t)at + bytes,
					 context->gpr[9]);
	}
	return done(context, at);
}

/* munmap, mprotect, mremap and the like: [rdi, rdi + rsi) is no longer what it was. */
static enum tp_syscall_way unmap(struct tp_context *context)
{
	const uint64_t *gpr = context->gpr;
	uint64_t at = gpr[TP_RDI], bytes = gpr[TP_RAX] == SYS_shmdt ? 1 : gpr[TP_RSI];
	bool moves = gpr[TP_RAX] == SYS_mremap;
	int64_t result = run(context);

	if (!tp_sys_failed(result))
		tp_cache_code_changed(context, at, at + bytes);
	if (!tp_sys_failed(result) && moves) /* over an existing mapping */
		tp_cache_code_changed(context, (uint64_t)result, (uint64_t)result + gpr[TP_RDX]);
	return done(context, result);
}

/* The segment's size is not worth a query: programs do this a few times at most. */
static enum tp_syscall_way map_segment(struct tp_context *context)
{
	int64_t result = run(context);

	if (!tp_sys_failed(result))
		tp_cache_code_changed(context, 0, ~4095ull);
	return done(context, result);
}

/* /proc/self/mem, opened for writing: it writes to code, too, even if its pages are read-only. */
static bool is_own_memory(uint64_t path, uint64_t flags)
{
	static const char begin[] = "/proc/", end[] = "/mem";
	unsigned at = sizeof(begin) - 1;
	uint64_t pid = 0;
	char text[64];
	int64_t n = (flags & O_ACCMODE) == O_RDONLY ? -1 : tp_copy_text(text, path, sizeof(text));

	if (n < (int64_t)(sizeof(begin) + sizeof(end)))
		return false;
	for (unsigned i = 0; i < sizeof(begin) - 1; i++)
		if (text[i] != begin[i])
			return false;
	for (unsigned i = 0; i < sizeof(end) - 1; i++)
		if (text[n + 1 - (int64_t)sizeof(end) + i] != end[i])
			return false;
	for (; text[at] >= '0' && text[at] <= '9'; at++)
		pid = pid * 10 + (uint64_t)(text[at] - '0');
	return !pid || pid == tp_agent_shared->pid;
}

static bool is_breakpoint(uint64_t attributes)
{
	uint32_t type;

	return tp_copy_in(&type, attributes, sizeof(type)) && type == PERF_TYPE_BREAKPOINT;
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
	static const char traced[] = "the program lets another process trace it (ptrace)";
	static const char patches[] = "the program writes to memory through /proc/self/mem";
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
	case SYS_remap_file_pages:
		return unmap(context);
	case SYS_madvise:
		if ((gpr[TP_RDX] == MADV_DONTNEED || gpr[TP_RDX] == MADV_REMOVE) &&
		    tp_cache_has_code(gpr[TP_RDI], gpr[TP_RDI] + gpr[TP_RSI]))
			return unmap(context);
		return TP_SYSCALL_RUN;
	case SYS_shmat:
		if (gpr[TP_RDX] & (SHM_EXEC | SHM_REMAP))
			return map_segment(context);
		return TP_SYSCALL_RUN;
	case SYS_shmdt:
		return unmap(context);
	case SYS_open:
		if (is_own_memory(gpr[TP_RDI], gpr[TP_RSI]))
			return detach(context, patches);
		return TP_SYSCALL_RUN;
	case SYS_openat:
		if (is_own_memory(gpr[TP_RSI], gpr[TP_RDX]))
			return detach(context, patches);
		return TP_SYSCALL_RUN;
	case SYS_ptrace:
		if (gpr[TP_RDI] == PTRACE_TRACEME)
			return detach(context, traced);
		return TP_SYSCALL_RUN;
	case SYS_perf_event_open:
		if (is_breakpoint(gpr[TP_RDI]))
			return detach(context, "the program sets breakpoints (perf)");
		return TP_SYSCALL_RUN;
	case SYS_rseq:
		return done(context, -TP_ENOSYS);
	case SYS_close:
		tp_module_closed((int)gpr[TP_RDI]);
		return TP_SYSCALL_RUN;
	case SYS_mlockall:
		/*
		 * The shared file and our tables are sparse: a dump of all of them would not fit
		 * anywhere.
		 */
		return done(context, 0);
	case SYS_seccomp:
		return detach(context, "the program restricts its own system calls (seccomp)");
	case SYS_prctl:
		if (gpr[TP_RDI] == PR_SET_PTRACER && (int64_t)gpr[TP_RSI] > 0)
			return detach(context, traced);
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

/* --- why generated code left --- */

static void follow_link(struct tp_context *context)
{
	struct tp_code_cache *cache = context->cache;
	struct tp_exit x = cache->exits[context->exit];
	uint64_t generation = cache->generation;
	struct tp_basic_block *block;

	context->pc = x.pc;
	block = tp_aim(context);
	if (block && generation == cache->generation && x.patch)
		tp_emit_patch(cache->region + x.patch, cache->region + block->start);
}

static void follow_indirect(struct tp_context *context)
{
	struct tp_basic_block *block = tp_aim(context);

	if (block)
		tp_cache_land(context->cache, block);
}

static void end_call(struct tp_context *context)
{
	struct tp_agent_call *call;

	if (context->call >= TP_AGENT_CALLS)
		return;
	call = &context->shared->calls[context->call];
	call->n++;
	call->time_ns += tp_now_ns() - context->call_since;
}

static void before_syscall(struct tp_context *context)
{
	context->call = context->gpr[TP_RAX];
	context->call_since = tp_now_ns();
	context->pc = context->cache->exits[context->exit].pc;
	if (context->gpr[TP_RAX] == SYS_exit || context->gpr[TP_RAX] == SYS_exit_group ||
	    context->gpr[TP_RAX] == SYS_execve)
		tp_cache_drain(context); /* it may be the last time */
	switch (take_syscall(context)) {
	case TP_SYSCALL_RUN:
		context->target = (uint64_t)context->syscall;
		break;
	case TP_SYSCALL_DONE:
		end_call(context);
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
	end_call(context);
	context->pc += 2;
	context->gpr[TP_RCX] = context->pc; /* as the kernel leaves them */
	context->gpr[11] = context->flags;
	tp_aim(context);
}

/* Before a block of a region: the program continues after the jump that brought us here. */
static void at_region(struct tp_context *context)
{
	const struct tp_basic_block *block;

	context->pc = context->cache->exits[context->exit].pc;
	tp_cache_drain(context); /* it counts for the region that was open */
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
		tp_agent_detach(context, "an instruction that cannot be translated");
		context->target = context->pc;
		break;
	case TP_REASON_STEPS:
		context->pc = context->cache->exits[context->exit].pc;
		tp_agent_detach(context, tp_words_steps);
		context->target = context->pc;
		break;
	case TP_REASON_FULL:
		context->pc = context->cache->exits[context->exit].pc;
		tp_cache_drain(context);
		tp_aim(context);
		break;
	case TP_REASON_CHANGED:
		context->pc = context->cache->exits[context->exit].pc;
		tp_aim(context);
		break;
	case TP_REASON_START:
	case TP_REASON_N:
		tp_aim(context);
		break;
	}
}
