/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Alternate stacks for signals: the one the program set, and the one the kernel has. */
/*
 * Signals of the program. The kernel calls tp_signals_entry for each one that the program handles;
 * the program's handler then runs in the cache, on the kernel's frame: what it reads and changes
 * there, and what unwinders see, is the kernel's own, except for the registers, which are
 * corrected.
 *
 * Our handler runs with all signals blocked. So there is one at a time, and one stack is enough.
 * The mask of the program's handler is set when the thread leaves the agent.
 */
#include <signal.h>
#include <sys/syscall.h>

#include "agent/cache.h"
#include "agent/context.h"
#include "agent/sys.h"

enum { TP_SIGNALS = 64 };

struct tp_stack { /* stack_t */
	uint64_t at;
	uint32_t flags, unused;
	uint64_t bytes;
};

/* The kernel's struct ucontext, up to the mask. Above it lie siginfo and the vector state. */
struct tp_signal_frame {
	uint64_t uc_flags, link;
	struct tp_stack stack;
	uint64_t r8_15[8], rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, flags;
	uint64_t segments, error, trap, old_mask, cr2, vectors, reserved[8];
	uint64_t mask;
};

/* The kernel's struct sigaction. */
struct tp_action {
	uint64_t handler, flags, restorer, mask;
};

#define TP_AUTODISARM (1u << 31) /* SS_AUTODISARM of sigaltstack(2) */

/* Whether `rsp` lies on the program's alternate stack. */
static bool signals_on_alternate(const struct tp_context *context, uint64_t rsp)
{
	return context->alternate_bytes && rsp > context->alternate &&
	       rsp - context->alternate <= context->alternate_bytes;
}

static void kernel_stack(uint64_t at, uint64_t bytes, uint32_t flags)
{
	struct tp_stack stack = { .at = at, .bytes = bytes, .flags = flags };

	tp_sys(SYS_sigaltstack, (uint64_t)&stack, 0, 0, 0, 0, 0);
}

/*
 * While the program runs on its alternate stack, the agent does not: the kernel would take the
 * stack for free, and put the next frame at its top. So it is switched off in the kernel during
 * that time.
 */
static void signals_note_alternate(struct tp_context *context, struct tp_signal_frame *frame,
				   const struct tp_action *action)
{
	if (context->alternate_off) {
		frame->stack.at = context->alternate;
		frame->stack.bytes = context->alternate_bytes;
		frame->stack.flags = context->alternate_flags;
	} else if (action->flags & SA_ONSTACK && signals_on_alternate(context, (uint64_t)frame)) {
		if (context->alternate_flags & TP_AUTODISARM) {
			context->alternate_bytes = 0;
			return;
		}
		kernel_stack(0, 0, SS_DISABLE);
		context->alternate_off = true;
	}
}

void tp_signals_check_stack(struct tp_context *context)
{
	if (!context->alternate_off || signals_on_alternate(context, context->gpr[TP_RSP]))
		return;
	kernel_stack(context->alternate, context->alternate_bytes, context->alternate_flags);
	context->alternate_off = false;
}

int64_t tp_signals_stack(struct tp_context *context, uint64_t set, uint64_t old)
{
	bool on = signals_on_alternate(context, context->gpr[TP_RSP]);
	struct tp_stack before = { .at = context->alternate, .bytes = context->alternate_bytes },
			stack = { 0 };
	int64_t result;

	before.flags = !before.bytes ? SS_DISABLE
		       : on	     ? SS_ONSTACK | context->alternate_flags
				     : context->alternate_flags;
	if (!before.bytes)
		before.at = 0;
	if (set) {
		if (!tp_copy_in(&stack, set, sizeof(stack)))
			return -TP_EFAULT;
		if (on && !(context->alternate_flags & TP_AUTODISARM))
			return -TP_EPERM;
		result = tp_sys(SYS_sigaltstack, set, 0, 0, 0, 0, 0);
		if (tp_sys_failed(result))
			return result;
		context->alternate = stack.at;
		context->alternate_bytes = stack.flags & SS_DISABLE ? 0 : stack.bytes;
		context->alternate_flags = stack.flags & TP_AUTODISARM;
	}
	if (old && !tp_copy_out(old, &before, sizeof(before)))
		return -TP_EFAULT;
	return 0;
}

/* The kernel's frame of a signal, changed to what it would be without the agent. */

/* The mask in force while a syscall waits with its own mask; else that of the frame. */
static uint64_t waiting_mask(const struct tp_context *context, const struct tp_signal_frame *frame)
{
	uint64_t mask = frame->mask, at = 0;
	const uint64_t *gpr = context->gpr;

	switch (gpr[TP_RAX]) {
	case SYS_rt_sigsuspend:
		at = gpr[TP_RDI];
		break;
	case SYS_ppoll:
		at = gpr[10];
		break;
	case SYS_epoll_pwait:
		at = gpr[8];
		break;
	case SYS_pselect6:
		if (gpr[9])
			tp_copy_in(&at, gpr[9], sizeof(at));
		break;
	}
	if (at)
		tp_copy_in(&mask, at, sizeof(mask));
	return mask;
}

/* The program's registers, all of them, from the context into the frame, or back. */
static void frame_from_context(struct tp_signal_frame *frame, const struct tp_context *context)
{
	const uint64_t *gpr = context->gpr;

	memcpy(frame->r8_15, gpr + 8, sizeof(frame->r8_15));
	frame->rdi = gpr[TP_RDI];
	frame->rsi = gpr[TP_RSI];
	frame->rbp = gpr[TP_RBP];
	frame->rbx = gpr[TP_RBX];
	frame->rdx = gpr[TP_RDX];
	frame->rax = gpr[TP_RAX];
	frame->rcx = gpr[TP_RCX];
	frame->rsp = gpr[TP_RSP];
	frame->rip = context->pc;
	frame->flags = context->flags;
}

static void set_frame_register(struct tp_signal_frame *frame, int reg, uint64_t value)
{
	static const uint8_t word[8] = {
		offsetof(struct tp_signal_frame, rax) / 8,
		offsetof(struct tp_signal_frame, rcx) / 8,
		offsetof(struct tp_signal_frame, rdx) / 8,
		offsetof(struct tp_signal_frame, rbx) / 8,
		offsetof(struct tp_signal_frame, rsp) / 8,
		offsetof(struct tp_signal_frame, rbp) / 8,
		offsetof(struct tp_signal_frame, rsi) / 8,
		offsetof(struct tp_signal_frame, rdi) / 8,
	};

	if (reg >= 8)
		frame->r8_15[reg - 8] = value;
	else
		((uint64_t *)(void *)frame)[word[reg]] = value;
}

/* Turns what the kernel interrupted into the program's state. False: not at a boundary. */
static bool signals_mend(struct tp_context *context, struct tp_signal_frame *frame, uint64_t *mask)
{
	uint8_t *rip = (uint8_t *)frame->rip;
	struct tp_cache_state state = { 0 };

	if (rip >= context->leave_tested && rip < context->leave_end) {
		frame_from_context(frame, context);
		return true;
	}
	if (!tp_cache_holds(context, frame->rip) || !tp_cache_state(context, frame->rip, &state))
		return false;
	if (rip >= context->syscall && rip <= context->syscall_end) {
		*mask = waiting_mask(context, frame);
		if (frame->rcx == frame->rip)
			frame->rcx = state.pc;
	}
	for (unsigned i = 0; i < state.n_spilled; i++)
		set_frame_register(frame, state.spilled[i].reg,
				   context->spills[state.spilled[i].slot]);
	frame->rip = state.pc;
	return true;
}

#define ALL		(~0ull)
#define BIT(number)	(1ull << ((number)-1))
#define KERNEL_RESTORER 0x04000000ull

enum { FLAG_TRAP = 0x100, FLAG_DIRECTION = 0x400, FLAG_RESUME = 0x10000 };

static struct {
	struct tp_action of[TP_SIGNALS + 1];
} actions;

void tp_signals_entry(void);

/*
 * rdi, rsi, rdx: number, siginfo, ucontext; rsp at the frame, which may lie on a small stack. Both
 * C functions that run there need little of it. tp_signals_context says where our own stack is; the
 * context is its first word.
 */
__asm__(".pushsection .text\n"
	".globl tp_signals_entry\n"
	".hidden tp_signals_entry\n"
	".type tp_signals_entry, @function\n"
	"tp_signals_entry:\n"
	"	cld\n"
	"	push %rdi\n"
	"	push %rsi\n"
	"	push %rdx\n"
	"	call tp_signals_context\n"
	"	pop %rdx\n"
	"	pop %rsi\n"
	"	pop %rdi\n"
	"	test %rax, %rax\n"
	"	jz 1f\n"
	"	mov %rdx, %rbx\n"
	"	mov %rax, %rsp\n"
	"	pop %rcx\n"
	"	push %rdi\n"
	"	push %rsi\n"
	"	call tp_signals_handle\n"
	"	pop %rsi\n"
	"	pop %rdi\n"
	"	mov %rbx, %rdx\n"
	"	lea -8(%rbx), %rsp\n"
	"	jmp 2f\n"
	"1:	push %rdi\n"
	"	push %rsi\n"
	"	push %rdx\n"
	"	call tp_signals_native\n"
	"	pop %rdx\n"
	"	pop %rsi\n"
	"	pop %rdi\n"
	"2:	test %rax, %rax\n"
	"	jz 3f\n"
	"	mov %rax, %r11\n"
	"	xor %eax, %eax\n"
	"	jmp *%r11\n"
	"3:	add $8, %rsp\n"
	"	mov $15, %eax\n"
	"	syscall\n"
	"	ud2\n"
	".size tp_signals_entry, . - tp_signals_entry\n"
	".popsection\n");
uint64_t *tp_signals_context(void);

uint64_t tp_signals_handle(int number, void *info, struct tp_signal_frame *frame,
			   struct tp_context *context);
uint64_t tp_signals_native(int number, void *info, struct tp_signal_frame *frame);

/* Where the context lies, on top of the stack for signals; NULL: this thread runs natively. */
__attribute__((used)) uint64_t *tp_signals_context(void)
{
	struct tp_context *context = tp_context_here();
	uint64_t *top;

	if (!context || context->native)
		return NULL;
	top = (uint64_t *)(void *)(context->stack - TP_AGENT_STACK_BYTES / 2) - 1;
	*top = (uint64_t)context;
	return top;
}

static int64_t kernel_action(int number, const struct tp_action *set, struct tp_action *old)
{
	return tp_sys(SYS_rt_sigaction, (uint64_t)number, (uint64_t)set, (uint64_t)old, 8, 0, 0);
}

static void set_mask(uint64_t mask)
{
	tp_sys(SYS_rt_sigprocmask, SIG_SETMASK, (uint64_t)&mask, 0, 8, 0, 0);
}

static void send_again(int number, const void *info)
{
	uint64_t pid = (uint64_t)tp_sys(SYS_getpid, 0, 0, 0, 0, 0, 0);
	uint64_t tid = (uint64_t)tp_sys(SYS_gettid, 0, 0, 0, 0, 0, 0);

	/* The kernel's queue may be full: then only the number is kept. */
	if (tp_sys_failed(tp_sys(SYS_rt_tgsigqueueinfo, pid, tid, (uint64_t)number, (uint64_t)info,
				 0, 0)))
		tp_sys(SYS_tgkill, pid, tid, (uint64_t)number, 0, 0, 0);
}

/* The kernel takes the default action for the signal as soon as the handler returns. */
static void by_default(int number, const void *info, struct tp_signal_frame *frame)
{
	static const struct tp_action none;

	kernel_action(number, &none, NULL);
	send_again(number, info);
	frame->mask &= ~BIT(number);
}

/*
 * The program's handler and its mask; false: it has none (any more), and the signal has been dealt
 * with. A one-shot handler is removed.
 */
static bool take_action(int number, const void *info, struct tp_signal_frame *frame,
			struct tp_action *to)
{
	static const struct tp_action none;

	*to = actions.of[number];
	if (to->handler <= 1) {
		if (!to->handler)
			by_default(number, info, frame);
		return false;
	}
	if (to->flags & SA_RESETHAND) {
		actions.of[number].handler = 0;
		if (number != SIGTRAP)
			kernel_action(number, &none, NULL);
	}
	if (!(to->flags & SA_NODEFER))
		to->mask |= BIT(number);
	return true;
}

/* On a thread that runs natively: the program's handler, to be called; 0 = return. */
__attribute__((used)) uint64_t tp_signals_native(int number, void *info,
						 struct tp_signal_frame *frame)
{
	struct tp_action action;

	if (!take_action(number, info, frame, &action))
		return 0;
	set_mask(frame->mask | action.mask);
	return action.handler;
}

static _Noreturn void deliver(struct tp_context *context, int number, void *info,
			      struct tp_signal_frame *frame, const struct tp_action *action,
			      uint64_t mask)
{
	uint64_t *gpr = context->gpr;

	signals_note_alternate(context, frame, action);
	memcpy(gpr + 8, frame->r8_15, sizeof(frame->r8_15));
	gpr[TP_RAX] = 0;
	gpr[TP_RBX] = frame->rbx;
	gpr[TP_RCX] = frame->rcx;
	gpr[TP_RBP] = frame->rbp;
	gpr[TP_RDI] = (uint64_t)number;
	gpr[TP_RSI] = (uint64_t)info;
	gpr[TP_RDX] = (uint64_t)frame;
	gpr[TP_RSP] = (uint64_t)frame - 8;
	context->flags = frame->flags & ~(uint64_t)(FLAG_TRAP | FLAG_DIRECTION | FLAG_RESUME);
	context->pc = action->handler;
	context->leave_mask = mask | action->mask;
	context->pending = 1;
	tp_dispatch(context);
}

static void queue(struct tp_context *context, int number, const void *info, uint64_t mask)
{
	struct tp_queued_signal *to = &context->queue[0];

	to->number = number;
	to->mask = mask;
	memcpy(to->info, info, sizeof(to->info));
	context->n_queued = 1;
}

/* In C code of the agent: the signal waits for `leave`, and so do all others. */
static void wait_for_leave(struct tp_context *context, struct tp_signal_frame *frame)
{
	context->leave_mask = context->queue[0].mask;
	context->pending = 1;
	context->stepping = false;
	/* Generated code may have saved it on its way here: a trap while all signals are blocked
	 * would kill. */
	context->flags &= ~(uint64_t)FLAG_TRAP;
	frame->mask = ALL;
	frame->flags &= ~(uint64_t)FLAG_TRAP;
}

static void step(struct tp_context *context, struct tp_signal_frame *frame)
{
	context->stepping = true;
	frame->mask = ~BIT(SIGTRAP);
	frame->flags |= FLAG_TRAP;
}

/* After one step with a signal in the queue. */
static void stepped(struct tp_context *context, struct tp_signal_frame *frame)
{
	struct tp_cache_state state;
	uint8_t *rip = (uint8_t *)frame->rip;

	if ((rip >= context->leave_tested && rip < context->leave_end) ||
	    (tp_cache_holds(context, frame->rip) && tp_cache_state(context, frame->rip, &state))) {
		/* The kernel delivers it before the next instruction runs. */
		context->stepping = false;
		context->n_queued = 0;
		send_again(context->queue[0].number, context->queue[0].info);
		frame->mask = context->queue[0].mask;
		frame->flags &= ~(uint64_t)FLAG_TRAP;
	} else if (tp_cache_holds(context, frame->rip)) {
		step(context, frame);
	} else {
		wait_for_leave(context, frame);
	}
}

/* In the stubs at the beginning of the region, where the program's state is whole. */
static bool is_stub_boundary(const struct tp_context *context, const struct tp_signal_frame *frame)
{
	const uint8_t *rip = (const uint8_t *)frame->rip;

	return (rip >= context->leave_tested && rip < context->leave_end) ||
	       (rip >= context->syscall && rip <= context->syscall_end);
}

static bool is_fault(int number, const void *info)
{
	int code = ((const int *)info)[2]; /* si_code */

	return code > 0 && (number == SIGSEGV || number == SIGBUS || number == SIGFPE ||
			    number == SIGILL || number == SIGTRAP);
}

/* The handler's next step: 0 = return to where it came from; else a native handler to call. */
__attribute__((used)) uint64_t tp_signals_handle(int number, void *info,
						 struct tp_signal_frame *frame,
						 struct tp_context *context)
{
	bool ours = tp_cache_holds(context, frame->rip) || tp_agent_code(frame->rip);
	struct tp_action action;
	uint64_t mask = frame->mask;

	if (number == SIGTRAP && ((const int *)info)[2] == TRAP_TRACE) {
		if (context->stepping) {
			stepped(context, frame);
			return 0;
		}
		if (ours && frame->flags & FLAG_TRAP) {
			frame->flags &= ~(uint64_t)FLAG_TRAP; /* of flags saved while stepping */
			return 0;
		}
	}
	if (!ours)
		return tp_signals_native(number, info, frame);
	if (frame->rip - (uint64_t)context < TP_CACHE_CODE_AT &&
	    !is_stub_boundary(context, frame)) {
		/* On its way into the agent: it will leave. */
		queue(context, number, info, frame->mask);
		wait_for_leave(context, frame);
		return 0;
	}
	if (signals_mend(context, frame, &mask)) {
		if (take_action(number, info, frame, &action))
			deliver(context, number, info, frame, &action, mask);
		/* It has no handler any more: the program goes on at a boundary, as if the handler
		 * had returned. */
		context->gpr[TP_RSP] = (uint64_t)frame;
		tp_signals_return(context);
	}
	if (is_fault(number, info)) {
		by_default(number, info, frame); /* of the agent itself */
		return 0;
	}
	queue(context, number, info, frame->mask);
	if (tp_cache_holds(context, frame->rip))
		step(context, frame);
	else
		wait_for_leave(context, frame);
	return 0;
}

void tp_signals_requeue(struct tp_context *context)
{
	for (unsigned i = 0; i < context->n_queued; i++)
		send_again(context->queue[i].number, context->queue[i].info);
	context->n_queued = 0;
	context->pending = 0;
}

void tp_signals_block(struct tp_context *context)
{
	uint64_t all = ALL, old = 0;

	if (context->pending)
		return;
	tp_sys(SYS_rt_sigprocmask, SIG_SETMASK, (uint64_t)&all, (uint64_t)&old, 8, 0, 0);
	/* A signal in between has already blocked them. */
	if (!context->pending) {
		context->leave_mask = old;
		context->pending = 1;
	}
}

static void give_kernel(int number, const struct tp_action *action)
{
	struct tp_action ours = *action;

	if (action->handler > 1 || number == SIGTRAP) {
		ours.flags = (action->flags | SA_SIGINFO) & ~(uint64_t)SA_RESETHAND;
		if (action->handler <= 1)
			ours.flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | KERNEL_RESTORER;
		ours.handler = (uint64_t)tp_signals_entry;
		ours.mask = ALL;
	}
	kernel_action(number, &ours, NULL);
}

void tp_signals_start(void)
{
	struct tp_context *context = tp_context_here();
	struct tp_stack stack = { 0 };

	tp_sys(SYS_sigaltstack, 0, (uint64_t)&stack, 0, 0, 0, 0);
	if (context && !(stack.flags & SS_DISABLE)) {
		context->alternate = stack.at;
		context->alternate_bytes = stack.bytes;
		context->alternate_flags = stack.flags & TP_AUTODISARM;
	}
	for (int i = 1; i <= TP_SIGNALS; i++) {
		struct tp_action *action = &actions.of[i];

		if (i != SIGKILL && i != SIGSTOP &&
		    !tp_sys_failed(kernel_action(i, NULL, action)) &&
		    (action->handler > 1 || i == SIGTRAP))
			give_kernel(i, action);
	}
}

int64_t tp_signals_action(struct tp_context *context, int number, const void *action, void *old,
			  size_t mask_bytes)
{
	struct tp_action set = { 0 }, before;

	if (mask_bytes != 8 || number < 1 || number > TP_SIGNALS ||
	    (action && (number == SIGKILL || number == SIGSTOP)))
		return -TP_EINVAL;
	if (action && !tp_copy_in(&set, (uint64_t)action, sizeof(set)))
		return -TP_EFAULT;
	if (action) {
		/* Our handlers must not wait for the lock on the thread that holds it. */
		tp_signals_block(context);
		set.mask &= ~(BIT(SIGKILL) | BIT(SIGSTOP));
	}
	if (action && context->borrows) {
		/* The table belongs to the process that waits for this one. */
		before = actions.of[number];
		give_kernel(number, &set);
	} else if (action) {
		tp_spin_lock(&tp_locks.actions);
		before = actions.of[number];
		actions.of[number] = set;
		give_kernel(number, &set);
		tp_spin_unlock(&tp_locks.actions);
	} else {
		before = actions.of[number];
	}
	if (old && !tp_copy_out((uint64_t)old, &before, sizeof(before)))
		return -TP_EFAULT;
	return 0;
}

const char tp_words_steps[] = "the program stops after each of its instructions (trap flag)";

/*
 * Does rt_sigreturn itself, with all signals blocked up to its end: if one came in between, the
 * frame would show neither the program's position nor its block's.
 */
void tp_signals_return(struct tp_context *context)
{
	struct tp_signal_frame *frame = (struct tp_signal_frame *)context->gpr[TP_RSP];
	uint8_t *block;

	tp_signals_block(context);
	block = frame->flags & FLAG_TRAP ? NULL : tp_cache_block(context, frame->rip);
	if (block)
		frame->rip = (uint64_t)block;
	else if (frame->flags & FLAG_TRAP)
		tp_agent_detach(context, tp_words_steps);
	else
		tp_agent_detach(context, "a signal handler returns to where there is no code that "
					 "can be read");
	if (context->alternate_off) {
		if (signals_on_alternate(context, frame->rsp)) {
			frame->stack.flags = SS_DISABLE;
			frame->stack.at = frame->stack.bytes = 0;
		} else {
			context->alternate_off = false;
		}
	} else if (!(frame->stack.flags & SS_DISABLE)) {
		context->alternate = frame->stack.at;
		context->alternate_bytes = frame->stack.bytes;
		context->alternate_flags = frame->stack.flags & TP_AUTODISARM;
	}
	if (!block)
		context->native = true;
	tp_signals_requeue(context);
	__asm__ volatile("mov %0, %%rsp\n\t"
			 "mov $15, %%eax\n\t"
			 "syscall\n\t"
			 "ud2"
			 :
			 : "r"(frame)
			 : "memory");
	__builtin_unreachable();
}
