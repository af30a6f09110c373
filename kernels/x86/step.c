/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Single steps: by a copy of the code with calls in it (watch.c) or, where that is not possible,
 * by the trap flag (Intel SDM volume 1, EFLAGS; volume 3, single-step exception). With the flag
 * set, the CPU raises a debug exception after each instruction, and the kernel sends SIGTRAP to
 * the thread. A signal handler runs without the flag, and its return restores the flag with the
 * others.
 */
#ifdef TP_ARCH_X86_64

#include "kernels/x86/watch.h"
#include "kernels/x86/x86.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

enum { TRAP_FLAG = 0x100 };

/*
 * The disposition of a signal belongs to the process, so this state does too: the number of
 * threads that step, and the earlier disposition. Only the first and the last thread write it,
 * under the lock; handlers read it in between.
 */
static struct {
	pthread_mutex_t lock;
	unsigned steppers;
	struct sigaction before;
} disposition = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* The stepper of this thread; a signal handler has no other way to find it. */
static _Thread_local struct tp_stepper *volatile stepping;

/* Condition codes as in Jcc: pairs of a test and its negation. */
static bool holds(int condition, uint64_t flags)
{
	bool carry = flags & 0x1, parity = flags & 0x4, zero = flags & 0x40, sign = flags & 0x80,
	     overflow = flags & 0x800;
	const bool tests[8] = { overflow,
				carry,
				zero,
				carry || zero,
				sign,
				parity,
				sign != overflow,
				zero || sign != overflow };
	return tests[condition >> 1] != (condition & 1);
}

static void judge(struct tp_stepper *stepper, uint64_t flags)
{
	if (stepper->current && stepper->current->condition >= 0)
		stepper->step.taken = holds(stepper->current->condition, flags);
}

static void pass_on(int number, siginfo_t *info, void *context)
{
	const struct sigaction *before = &disposition.before;
	if (before->sa_flags & SA_SIGINFO) {
		before->sa_sigaction(number, info, context);
	} else if (before->sa_handler == SIG_DFL) {
		/* Takes effect when this handler returns. */
		signal(number, SIG_DFL);
		raise(number);
	} else if (before->sa_handler != SIG_IGN) {
		before->sa_handler(number);
	}
}

static void trapped(int number, siginfo_t *info, void *context)
{
	struct tp_stepper *stepper = stepping;
	ucontext_t *at = context;
	greg_t *registers = at->uc_mcontext.gregs;
	/* With a code of 0 or less, another process or thread sent the signal. */
	if (!stepper || info->si_code <= 0 || !(registers[REG_EFL] & TRAP_FLAG)) {
		pass_on(number, info, context);
		return;
	}
	if (tp_stepper_trap(stepper, (uintptr_t)registers[REG_RIP], (const uint64_t *)registers))
		judge(stepper, (uint64_t)registers[REG_EFL]);
	else
		registers[REG_EFL] &= ~(greg_t)TRAP_FLAG;
}

__attribute__((used)) void tp_x86_watched(uint64_t number, const uint64_t *registers)
{
	struct tp_stepper *stepper = stepping;
	tp_stepper_trap(stepper, stepper->code_begin + stepper->items[number].at, registers);
	judge(stepper, registers[REG_EFL]);
}

static enum tp_status take_signal(struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	pthread_mutex_lock(&disposition.lock);
	if (!disposition.steppers) {
		struct sigaction ours = { .sa_sigaction = trapped, .sa_flags = SA_SIGINFO };
		sigemptyset(&ours.sa_mask);
		if (sigaction(SIGTRAP, &ours, &disposition.before) != 0)
			status = tp_fail(diag, TP_UNSUPPORTED, "stepping", NULL,
					 "SIGTRAP cannot be handled: %s", strerror(errno));
	}
	if (status == TP_OK)
		disposition.steppers++;
	pthread_mutex_unlock(&disposition.lock);
	return status;
}

static void give_signal_back(void)
{
	pthread_mutex_lock(&disposition.lock);
	if (--disposition.steppers == 0)
		sigaction(SIGTRAP, &disposition.before, NULL);
	pthread_mutex_unlock(&disposition.lock);
}

/*
 * The flag is set right before the call. The first trap comes at the first instruction of the
 * function, and the last one behind the call, where the handler clears the flag. It is cleared
 * here again in case no trap came at all.
 */
__attribute__((naked, noinline)) static void call_with_traps(__attribute__((unused))
							     tp_kernel_function function,
							     __attribute__((unused)) void *data,
							     __attribute__((unused))
							     uint64_t passes)
{
	__asm__("pushq %rbp\n\t"
		"movq %rsp, %rbp\n\t"
		"movq %rdi, %rax\n\t"
		"movq %rsi, %rdi\n\t"
		"movq %rdx, %rsi\n\t"
		"pushfq\n\t"
		"orq $0x100, (%rsp)\n\t"
		"popfq\n\t"
		"call *%rax\n\t"
		"pushfq\n\t"
		"andq $-0x101, (%rsp)\n\t"
		"popfq\n\t"
		"popq %rbp\n\t"
		"ret");
}

static enum tp_status step_by_traps(struct tp_stepper *stepper, void *data, uint64_t passes,
				    struct tp_diag *diag)
{
	sigset_t traps, before;
	enum tp_status status = take_signal(diag);
	if (status != TP_OK)
		return status;
	/* A trap that is blocked would end the process. */
	sigemptyset(&traps);
	sigaddset(&traps, SIGTRAP);
	pthread_sigmask(SIG_UNBLOCK, &traps, &before);
	stepping = stepper;
	call_with_traps(tp_code_function(stepper->code), data, passes);
	stepping = NULL;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	give_signal_back();
	if (stepper->lost)
		return tp_fail(diag, TP_FAILED, "stepping", NULL,
			       "the code went to a place where no instruction begins, after %#zx",
			       stepper->step.at);
	if (!stepper->ended)
		return tp_fail(diag, TP_UNSUPPORTED, "stepping",
			       "a debugger may have taken the traps",
			       "the code ended without having been stepped to its end");
	return TP_OK;
}

enum tp_status tp_x86_step(struct tp_stepper *stepper, void *data, uint64_t passes,
			   struct tp_diag *diag)
{
	if (stepping)
		return tp_fail(diag, TP_USAGE, "stepping", NULL,
			       "this thread is stepping other code already");
	tp_x86_watch_prepare(stepper);
	if (!stepper->copy.map || stepper->by_traps)
		return step_by_traps(stepper, data, passes, diag);
	stepping = stepper;
	tp_x86_watch_call(stepper, data, passes);
	stepping = NULL;
	/*
	 * The code ended with its return, and no later instruction tells where the return went.
	 */
	tp_stepper_trap(stepper, stepper->code_begin + stepper->code->bytes, NULL);
	return TP_OK;
}

#endif
