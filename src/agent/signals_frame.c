/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's frame of a signal, turned into what it would be without the agent. */
#include <sys/syscall.h>

#include "agent/cache.h"
#include "agent/parts.h"
#include "agent/signals.h"
#include "agent/sys.h"

/* The mask in force while a syscall waits with one of its own; that of the frame if none does. */
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

bool tp_signals_mend(struct tp_context *context, struct tp_signal_frame *frame, uint64_t *mask)
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
