/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Alternate stacks for signals: what the program believes, and what the kernel is told. */
#include <signal.h>
#include <sys/syscall.h>

#include "agent/parts.h"
#include "agent/signals.h"
#include "agent/sys.h"

bool tp_signals_on_alternate(const struct tp_context *context, uint64_t rsp)
{
	return context->alternate_bytes && rsp > context->alternate &&
	       rsp - context->alternate <= context->alternate_bytes;
}

static void kernel_stack(uint64_t at, uint64_t bytes, uint32_t flags)
{
	struct tp_stack stack = { .at = at, .bytes = bytes, .flags = flags };

	tp_sys(SYS_sigaltstack, (uint64_t)&stack, 0, 0, 0, 0, 0);
}

void tp_signals_note_alternate(struct tp_context *context, struct tp_signal_frame *frame,
			       const struct tp_action *action)
{
	if (context->alternate_off) {
		frame->stack.at = context->alternate;
		frame->stack.bytes = context->alternate_bytes;
		frame->stack.flags = context->alternate_flags;
	} else if (action->flags & SA_ONSTACK &&
		   tp_signals_on_alternate(context, (uint64_t)frame)) {
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
	if (!context->alternate_off || tp_signals_on_alternate(context, context->gpr[TP_RSP]))
		return;
	kernel_stack(context->alternate, context->alternate_bytes, context->alternate_flags);
	context->alternate_off = false;
}

int64_t tp_signals_stack(struct tp_context *context, uint64_t set, uint64_t old)
{
	bool on = tp_signals_on_alternate(context, context->gpr[TP_RSP]);
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
