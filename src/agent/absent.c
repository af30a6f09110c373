/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the other files of the room replace: a program of one thread, without regions. */
#include "agent/context.h"

#define WEAK __attribute__((weak))

void tp_native_start(void);

WEAK enum tp_syscall_way tp_agent_syscall(struct tp_context *context)
{
	(void)context;
	return TP_SYSCALL_RUN;
}

WEAK void tp_agent_syscall_done(struct tp_context *context)
{
	(void)context;
}

WEAK void tp_signals_start(void)
{
}

WEAK void tp_signals_requeue(struct tp_context *context)
{
	context->pending = 0;
}

WEAK bool tp_region_stop(const struct tp_context *context, uint64_t pc)
{
	(void)context;
	(void)pc;
	return false;
}

WEAK void tp_region_stopped(struct tp_context *context)
{
	(void)context;
}

WEAK void tp_native_start(void)
{
}

WEAK void tp_counts_settle(struct tp_agent_thread *thread)
{
	struct tp_agent_sum *sum = &thread->sums[thread->region % TP_AGENT_REGIONS];

	for (unsigned i = 0; i < thread->n_counters; i++) {
		uint64_t more = thread->counts[i] - thread->settled[i];

		thread->settled[i] += more;
		for (unsigned m = 0; more && m < TP_MIX_N; m++)
			sum->mix[m] += more * thread->units[i].add[m];
	}
}
