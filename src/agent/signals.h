/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the kernel and signals.c share with its neighbours. Private to src/agent. */
#ifndef TPROF_AGENT_SIGNALS_H
#define TPROF_AGENT_SIGNALS_H

#include "agent/context.h"

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

/* Turns what the kernel interrupted into the program's state. False: at no boundary. */
bool tp_signals_mend(struct tp_context *context, struct tp_signal_frame *frame, uint64_t *mask);
/* Whether `rsp` lies on the program's alternate stack. */
bool tp_signals_on_alternate(const struct tp_context *context, uint64_t rsp);
/*
 * While the program runs on its alternate stack, the agent does not: the kernel would believe that
 * the stack is free, and put the next frame onto its top. So the kernel's is off meanwhile.
 */
void tp_signals_note_alternate(struct tp_context *context, struct tp_signal_frame *frame,
			       const struct tp_action *action);

/*
 * Blocks all signals of this thread until it leaves for the program; context->leave_mask is the
 * program's mask then.
 */
void tp_signals_block(struct tp_context *context);
/* sigaltstack of the program; a result as of it. */
int64_t tp_signals_stack(struct tp_context *context, uint64_t set, uint64_t old);
/* The kernel's alternate stack is on again if the program has left its own by longjmp. */
void tp_signals_check_stack(struct tp_context *context);

#endif
