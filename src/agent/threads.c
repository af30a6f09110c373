/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Threads that the program starts, and children. A thread is taken over at its first instruction. A
 * child of fork has a copy of the agent's data, and goes on with it in its own place (process.h). A
 * child of vfork and posix_spawn borrows the memory of its parent, which waits: it is a thread of
 * its parent's place until it executes something.
 */
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "agent/cache.h"
#include "agent/context.h"
#include "agent/process.h"
#include "agent/sys.h"

enum {
	RESERVED = 0xffffffffu,
	RED_ZONE = 128,
	CLONE3_BYTES = 256,
	CLONE3_STACK_AT = 40, /* of struct clone_args; the size of the stack follows */
};

/*
 * What a native child pops from its stack: the mask, 15 registers, flags, the address to continue
 * at.
 */
struct native_state {
	uint64_t mask, gpr[15], flags, pc;
};

struct clone_request {
	uint64_t flags, stack; /* top; 0 = the parent's */
	uint64_t arguments[5];
	uint64_t number;
};

static bool is_gone(const struct tp_context *context)
{
	uint32_t pid = tp_agent_shared->pid;

	return context->ending && tp_sys(SYS_tgkill, pid, context->tid, 0, 0, 0, 0) == -TP_ESRCH;
}

/* A free context, or a new one; NULL: the thread runs natively. */
static struct tp_context *take_context(const struct tp_calls *calls)
{
	struct tp_context *context = NULL;

	tp_spin_lock(&tp_locks.contexts);
	for (unsigned i = 0; i < TP_AGENT_THREADS && !context; i++) {
		struct tp_context *old = tp_contexts[i];

		if (old && (!old->tid || is_gone(old))) {
			__atomic_store_n(&old->tid, RESERVED, __ATOMIC_RELAXED);
			context = old;
		}
	}
	if (!context)
		context = tp_context_new(calls);
	if (context)
		__atomic_store_n(&context->tid, RESERVED, __ATOMIC_RELAXED);
	tp_spin_unlock(&tp_locks.contexts);
	return context;
}

static void give_context(struct tp_context *context)
{
	__atomic_store_n(&context->tid, 0, __ATOMIC_RELEASE);
}

/*
 * The thread uses the context up to its last instruction, so it is free only when the kernel has no
 * such thread any more.
 */
void tp_thread_end(struct tp_context *context)
{
	tp_regions_end(context);
	tp_counts_settle(context->shared);
	context->ending = true;
}

_Noreturn void tp_thread_begin(struct tp_context *context);

/* The first code of a new thread, on the agent's stack, with all signals blocked. */
__attribute__((used)) _Noreturn void tp_thread_begin(struct tp_context *context)
{
	uint32_t tid = (uint32_t)tp_sys(SYS_gettid, 0, 0, 0, 0, 0, 0);
	struct tp_context *old = tp_context_of(tid);

	if (old) /* its thread ended, and this one reused its number */
		give_context(old);
	context->shared->tid = tid;
	context->shared->runs += !context->borrows;
	__atomic_store_n(&context->tid, tid, __ATOMIC_RELEASE);
	tp_regions_thread(context);
	tp_dispatch(context);
}

static int64_t clone_counted(const struct clone_request *request, struct tp_context *child)
{
	int64_t result;
	register uint64_t r10 __asm__("r10") = request->arguments[3];
	register uint64_t r8 __asm__("r8") = request->arguments[4];
	register uint8_t *stack __asm__("r12") = child->stack;
	register struct tp_context *context __asm__("r13") = child;

	__asm__ volatile("syscall\n\t"
			 "test %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "mov %%r12, %%rsp\n\t"
			 "xor %%ebp, %%ebp\n\t"
			 "mov %%r13, %%rdi\n\t"
			 "call tp_thread_begin\n\t"
			 "ud2\n"
			 "1:"
			 : "=a"(result)
			 : "a"(request->number), "D"(request->arguments[0]),
			   "S"(request->arguments[1]), "d"(request->arguments[2]), "r"(r10),
			   "r"(r8), "r"(stack), "r"(context)
			 : "rcx", "r11", "memory");
	return result;
}

/*
 * The child finds its state on its own stack, below the red zone, where a parent that shares the
 * stack has no data, and signals cannot overwrite it once rsp points there. The last instruction
 * takes the red zone away, and goes on.
 */
static int64_t clone_native(const struct clone_request *request, struct native_state *state)
{
	int64_t result;
	register uint64_t r10 __asm__("r10") = request->arguments[3];
	register uint64_t r8 __asm__("r8") = request->arguments[4];
	register struct native_state *stack __asm__("r12") = state;

	__asm__ volatile("syscall\n\t"
			 "test %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "mov %%r12, %%rsp\n\t"
			 "mov $2, %%edi\n\t" /* SIG_SETMASK */
			 "mov %%rsp, %%rsi\n\t"
			 "xor %%edx, %%edx\n\t"
			 "mov $8, %%r10d\n\t"
			 "mov $14, %%eax\n\t" /* rt_sigprocmask */
			 "syscall\n\t"
			 "pop %%rax\n\t"
			 "pop %%r15\n\t"
			 "pop %%r14\n\t"
			 "pop %%r13\n\t"
			 "pop %%r12\n\t"
			 "pop %%r11\n\t"
			 "pop %%r10\n\t"
			 "pop %%r9\n\t"
			 "pop %%r8\n\t"
			 "pop %%rdi\n\t"
			 "pop %%rsi\n\t"
			 "pop %%rbp\n\t"
			 "pop %%rbx\n\t"
			 "pop %%rdx\n\t"
			 "pop %%rcx\n\t"
			 "pop %%rax\n\t"
			 "popfq\n\t"
			 "ret $128\n"
			 "1:"
			 : "=a"(result)
			 : "a"(request->number), "D"(request->arguments[0]),
			   "S"(request->arguments[1]), "d"(request->arguments[2]), "r"(r10),
			   "r"(r8), "r"(stack)
			 : "rcx", "r11", "memory");
	return result;
}

static int64_t start_native(struct tp_context *context, const struct clone_request *request)
{
	/* In the order of the pops above. */
	static const uint8_t order[15] = { 15,	   14,	   13,	   12,	   11,	   10,	   9,	  8,
					   TP_RDI, TP_RSI, TP_RBP, TP_RBX, TP_RDX, TP_RCX, TP_RAX };
	uint64_t rsp = request->stack ? request->stack : context->gpr[TP_RSP];
	uint64_t at = rsp - RED_ZONE - sizeof(struct native_state);
	struct native_state state = { .mask = context->leave_mask,
				      .flags = context->flags,
				      .pc = context->pc + 2 };

	for (unsigned i = 0; i < 15; i++)
		state.gpr[i] = context->gpr[order[i]];
	state.gpr[13] = state.pc; /* rcx and rax after a syscall */
	state.gpr[14] = 0;
	if (!tp_copy_out(at, &state, sizeof(state)))
		return -TP_EFAULT;
	return clone_native(request, (struct native_state *)at);
}

/* A thread, or a child that borrows this memory until it executes something or ends. */
static int64_t start_thread(struct tp_context *context, const struct clone_request *request)
{
	struct tp_context *child = take_context(&context->cache->calls);
	int64_t result;

	if (!child) {
		__atomic_fetch_add(&tp_agent_shared->lost_threads, 1, __ATOMIC_RELAXED);
		return start_native(context, request);
	}
	child->borrows = !(request->flags & CLONE_THREAD);
	child->variables = NULL;
	memcpy(child->gpr, context->gpr, sizeof(child->gpr));
	child->gpr[TP_RAX] = 0;
	child->gpr[TP_RCX] = child->pc = context->pc + 2;
	if (request->stack)
		child->gpr[TP_RSP] = request->stack;
	child->flags = context->flags;
	child->leave_mask = context->leave_mask;
	child->pending = 1;
	child->n_queued = 0;
	child->native = child->stepping = child->ending = false;
	child->alternate = child->borrows ? context->alternate : 0;
	child->alternate_bytes = child->borrows ? context->alternate_bytes : 0;
	child->alternate_flags = child->borrows ? context->alternate_flags : 0;
	child->alternate_off = child->borrows && context->alternate_off;
	result = clone_counted(request, child);
	if (child->borrows) {
		tp_exec_drop(child->variables);
		tp_counts_settle(child->shared);
	}
	if (tp_sys_failed(result) || child->borrows)
		give_context(child);
	return result;
}

/*
 * The child of fork has only this thread, and clears the locks of the others. It uses the agent's
 * stack, too, so the request must not move it.
 */
static int64_t fork_counted(struct tp_context *context, struct clone_request *request)
{
	uint8_t of_clone3[CLONE3_BYTES];
	struct tp_agent_shared *place;
	int64_t result;

	if (request->number == SYS_clone3) {
		if (request->arguments[1] > sizeof(of_clone3) ||
		    !tp_copy_in(of_clone3, request->arguments[0], request->arguments[1]))
			return start_native(context, request);
		memset(of_clone3 + CLONE3_STACK_AT, 0, 2 * sizeof(uint64_t));
		request->arguments[0] = (uint64_t)of_clone3;
	} else if (request->number == SYS_clone) {
		request->arguments[1] = 0;
	}
	place = tp_process_child_place(context->slot, 1);
	if (!place)
		return start_native(context, request);
	result = tp_sys(request->number, request->arguments[0], request->arguments[1],
			request->arguments[2], request->arguments[3], request->arguments[4], 0);
	if (result) {
		tp_process_parent_goes_on(place, !tp_sys_failed(result));
		return result;
	}
	memset(&tp_locks, 0, sizeof(tp_locks));
	for (unsigned i = 0; i < TP_AGENT_THREADS; i++)
		if (tp_contexts[i] != context)
			tp_contexts[i] = NULL;
	tp_process_child_begins(place);
	if (!tp_cache_map_counts(context->cache))
		tp_agent_detach(context, "there is no memory for the counts of a child");
	context->tid = (uint32_t)tp_sys(SYS_gettid, 0, 0, 0, 0, 0, 0);
	context->shared->tid = context->tid;
	context->shared->runs = 1;
	tp_regions_forked(context);
	if (request->stack)
		context->gpr[TP_RSP] = request->stack;
	return 0;
}

static bool read_request(const struct tp_context *context, struct clone_request *to)
{
	const uint64_t *gpr = context->gpr;
	uint64_t of_clone3[7]; /* flags, pidfd, child_tid, parent_tid, exit_signal, stack, bytes */

	*to = (struct clone_request){ .number = gpr[TP_RAX],
				      .arguments = { gpr[TP_RDI], gpr[TP_RSI], gpr[TP_RDX], gpr[10],
						     gpr[8] } };
	switch (to->number) {
	case SYS_clone:
		to->flags = to->arguments[0];
		to->stack = to->arguments[1];
		return true;
	case SYS_clone3:
		if (to->arguments[1] < sizeof(of_clone3) ||
		    !tp_copy_in(of_clone3, to->arguments[0], sizeof(of_clone3)))
			return false;
		to->flags = of_clone3[0];
		to->stack = of_clone3[5] + of_clone3[6];
		return true;
	case SYS_vfork:
		to->flags = CLONE_VM | CLONE_VFORK;
		return true;
	default:
		return true;
	}
}

enum tp_syscall_way tp_agent_clone(struct tp_context *context)
{
	struct clone_request request;
	int64_t result;

	if (!read_request(context, &request))
		return TP_SYSCALL_RUN; /* the kernel reports the error */
	tp_signals_block(context);
	if (request.flags & (CLONE_THREAD | CLONE_VFORK) || !(request.flags & CLONE_VM)) {
		result = request.flags & CLONE_VM ? start_thread(context, &request)
						  : fork_counted(context, &request);
	} else {
		/* It shares our memory and runs at the same time. */
		result = start_native(context, &request);
		if (!tp_sys_failed(result))
			__atomic_fetch_add(&tp_agent_tree->unfollowed, 1, __ATOMIC_RELAXED);
	}
	context->gpr[TP_RAX] = (uint64_t)result;
	return TP_SYSCALL_DONE;
}

/* Returns only on failure: the kernel's result. */
int64_t tp_agent_exec(struct tp_context *context)
{
	const uint64_t *gpr = context->gpr;
	bool at = gpr[TP_RAX] == SYS_execveat;
	uint64_t folder = at ? gpr[TP_RDI] : (uint64_t)AT_FDCWD;
	uint64_t path = gpr[at ? TP_RSI : TP_RDI], words = gpr[at ? TP_RDX : TP_RSI];
	uint64_t variables = at ? gpr[10] : gpr[TP_RDX];
	uint64_t *ours = tp_exec_variables(folder, path, variables);
	int64_t result;

	/* With borrowed memory, the lender releases them. */
	context->variables = ours;
	tp_counts_settle(context->shared);
	if (!context->borrows)
		tp_counts_settle_all();
	result = tp_sys(SYS_execveat, folder, path, words, ours ? (uint64_t)ours : variables,
			at ? gpr[8] : 0, 0);
	context->variables = NULL;
	tp_exec_drop(ours);
	return result;
}
