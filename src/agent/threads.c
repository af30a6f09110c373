/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Threads that the program starts, and children. A thread is taken over at its first instruction; a
 * child, which has memory of its own or borrows ours, runs natively from there on.
 */
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "agent/cache.h"
#include "agent/context.h"
#include "agent/sys.h"

enum { RESERVED = 0xffffffffu, RED_ZONE = 128 };

static uint32_t taking; /* a lock */

/* What a native child takes from its stack: the mask, 15 registers, flags, where it goes on. */
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

	tp_spin_lock(&taking);
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
	tp_spin_unlock(&taking);
	return context;
}

static void give_context(struct tp_context *context)
{
	__atomic_store_n(&context->tid, 0, __ATOMIC_RELEASE);
}

/*
 * The thread uses the context up to its last instruction. So it is free when the kernel does not
 * know the thread any more, not yet now.
 */
void tp_thread_end(struct tp_context *context)
{
	tp_regions_end(context);
	tp_counts_settle(context->shared);
	context->ending = true;
}

_Noreturn void tp_thread_begin(struct tp_context *context);

/* The first that a new thread does, on the agent's stack, all signals blocked. */
__attribute__((used)) _Noreturn void tp_thread_begin(struct tp_context *context)
{
	uint32_t tid = (uint32_t)tp_sys(SYS_gettid, 0, 0, 0, 0, 0, 0);
	struct tp_context *old = tp_context_of(tid);

	if (old) /* its thread ended, and this one got its number */
		give_context(old);
	context->shared->tid = tid;
	context->shared->runs++;
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
 * The child finds its state on its own stack, below the red zone, where nothing of a parent is that
 * shares the stack, and signals leave it alone once rsp is there. The last instruction takes the
 * red zone away, and goes on.
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
	state.gpr[13] = state.pc; /* rcx and rax behind a syscall */
	state.gpr[14] = 0;
	if (!tp_copy_out(at, &state, sizeof(state)))
		return -TP_EFAULT;
	return clone_native(request, (struct native_state *)at);
}

static int64_t start_thread(struct tp_context *context, const struct clone_request *request)
{
	struct tp_context *child = take_context(&context->cache->calls);
	int64_t result;

	if (!child) {
		__atomic_fetch_add(&tp_agent_shared->lost_threads, 1, __ATOMIC_RELAXED);
		return start_native(context, request);
	}
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
	child->alternate = child->alternate_bytes = 0;
	child->alternate_flags = 0;
	child->alternate_off = false;
	result = clone_counted(request, child);
	if (tp_sys_failed(result))
		give_context(child);
	return result;
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
		return TP_SYSCALL_RUN; /* the kernel says what is wrong */
	tp_signals_block(context);
	if (request.flags & CLONE_THREAD) {
		result = start_thread(context, &request);
	} else {
		tp_counts_settle(context->shared);
		result = start_native(context, &request);
		if (!tp_sys_failed(result))
			__atomic_fetch_add(&tp_agent_shared->forks, 1, __ATOMIC_RELAXED);
	}
	context->gpr[TP_RAX] = (uint64_t)result;
	return TP_SYSCALL_DONE;
}

/*
 * The program replaces itself: what comes is still the process that is counted, so the agent is
 * preloaded again. Its children run natively, and their environment has no trace of us.
 */

enum { MOST = 65536, TEXT = 64 * 1024 };

struct environment {
	uint64_t variables[MOST + 4];
	char preload[TEXT + 512], file[512];
};

static const char preload_name[] = "LD_PRELOAD=";

static char *append(char *to, const char *end, const char *text)
{
	while (*text && to + 1 < end)
		*to++ = *text++;
	*to = '\0';
	return to;
}

static bool is_preload(const char *text)
{
	for (unsigned i = 0; i + 1 < sizeof(preload_name); i++)
		if (text[i] != preload_name[i])
			return false;
	return true;
}

/* The program's variables and ours; false: they cannot be read, or there are too many. */
static bool build(struct environment *to, uint64_t from)
{
	const struct tp_agent_shared *shared = tp_agent_shared;
	const char *end = to->preload + sizeof(to->preload);
	char *at = append(to->preload, end, preload_name);
	char begin[sizeof(preload_name)];
	unsigned n = 0;

	at = append(at, end, shared->agent_path);
	for (uint64_t i = 0, variable; from; i++) {
		if (i == MOST || !tp_copy_in(&variable, from + 8 * i, sizeof(variable)))
			return false;
		if (!variable)
			break;
		if (tp_copy_in(begin, variable, sizeof(begin) - 1) && is_preload(begin)) {
			at = append(at, end, ":");
			if (tp_copy_text(at, variable + sizeof(begin) - 1, TEXT) < 0)
				return false;
			continue;
		}
		to->variables[n++] = variable;
	}
	to->variables[n++] = (uint64_t)to->preload;
	at = append(to->file, to->file + sizeof(to->file), TP_AGENT_ENVIRONMENT "=");
	append(at, to->file + sizeof(to->file), shared->file_path);
	to->variables[n++] = (uint64_t)to->file;
	to->variables[n] = 0;
	return true;
}

uint64_t *tp_exec_variables(uint64_t from)
{
	struct environment *ours = tp_memory_map(0, sizeof(*ours), PROT_READ | PROT_WRITE, 0);

	if (ours && tp_agent_shared->agent_path[0] && build(ours, from))
		return ours->variables;
	tp_exec_drop(ours ? ours->variables : NULL);
	return NULL;
}

void tp_exec_drop(uint64_t *variables)
{
	if (variables)
		tp_sys(SYS_munmap, (uint64_t)variables, sizeof(struct environment), 0, 0, 0, 0);
}

/* Returns only if it failed: the result of the kernel. */
int64_t tp_agent_exec(struct tp_context *context)
{
	struct tp_agent_shared *shared = tp_agent_shared;
	const uint64_t *gpr = context->gpr;
	bool at = gpr[TP_RAX] == SYS_execveat;
	uint64_t variables = at ? gpr[10] : gpr[TP_RDX], *ours = tp_exec_variables(variables);
	int64_t result;

	tp_counts_settle_all();
	if (ours)
		variables = (uint64_t)ours;
	/* If nothing takes the new image over, nobody says that it runs. */
	shared->executions++;
	shared->state = TP_AGENT_ABSENT;
	if (at)
		result = tp_sys(SYS_execveat, gpr[TP_RDI], gpr[TP_RSI], gpr[TP_RDX], variables,
				gpr[8], 0);
	else
		result = tp_sys(SYS_execve, gpr[TP_RDI], gpr[TP_RSI], variables, 0, 0, 0);
	shared->state = TP_AGENT_RUNNING;
	shared->executions--;
	tp_exec_drop(ours);
	return result;
}
