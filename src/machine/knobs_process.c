/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scheduling class and priority of the calling process; its threads inherit both. */
#include "machine/knobs.h"
#include "machine/detect.h"
#include "base/text.h"
#include "base/memory.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/*
 * The lowest priority of real-time: above every ordinary thread, below the real-time threads of the
 * kernel.
 */
enum { FIFO_PRIORITY = 1 };

static const struct {
	const char *word;
	int policy;
} policies[] = {
	{ "other", SCHED_OTHER }, { "batch", SCHED_BATCH }, { "fifo", SCHED_FIFO },
	{ "rr", SCHED_RR },	  { "idle", SCHED_IDLE },
};
enum { N_SETTABLE = 3 };

double tp_realtime_share(const char *root)
{
	char runtime[32], period[32];
	if (!tp_environ_text(root, "/proc/sys/kernel/sched_rt_runtime_us", runtime,
			     sizeof(runtime)) ||
	    !tp_environ_text(root, "/proc/sys/kernel/sched_rt_period_us", period, sizeof(period)))
		return -1;
	double share = strtod(runtime, NULL), whole = strtod(period, NULL);
	return share < 0 || whole <= 0 ? 1 : TP_MIN(share / whole, 1);
}

enum tp_status tp_scheduler_set(const char *root, const char *wanted, struct tp_diag *diag)
{
	static const char where[] = "knobs.scheduler";
	size_t i = 0;
	if (strcmp(wanted, TP_KNOB_KEEP) == 0)
		return TP_OK;
	while (i < N_SETTABLE && strcmp(policies[i].word, wanted) != 0)
		i++;
	if (i == N_SETTABLE)
		return tp_fail(diag, TP_USAGE, where, "keep, other, batch or fifo",
			       "\"%.40s\" is not a scheduling class", wanted);
	bool fifo = policies[i].policy == SCHED_FIFO;
	if (fifo && tp_realtime_share(root) >= 1)
		return tp_fail(diag, TP_PERM, where,
			       "sudo sysctl kernel.sched_rt_runtime_us=950000",
			       "fifo is left out: real-time threads may take all of the time here, "
			       "so a spinning team would hang the machine");
	struct sched_param param = { .sched_priority = fifo ? FIFO_PRIORITY : 0 };
	if (sched_setscheduler(0, policies[i].policy, &param) != 0) {
		int error = errno;
		return tp_fail(diag, TP_PERM, where,
			       fifo ? "ulimit -r 1 where the limit allows it; else: sudo setcap "
				      "cap_sys_nice=ep \"$(command -v tprof)\""
				    : NULL,
			       "%s is refused: %s; measured without it", wanted, strerror(error));
	}
	if (sched_getscheduler(0) != policies[i].policy)
		return tp_fail(diag, TP_PERM, where, NULL, "%s had no effect", wanted);
	return TP_OK;
}

void tp_scheduler_words(const char *root, struct tp_str *out)
{
	struct sched_param param = { 0 };
	int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
	const char *word = "unknown";
	for (size_t i = 0; i < TP_COUNT_OF(policies); i++)
		if (policies[i].policy == policy)
			word = policies[i].word;
	tp_str_add(out, word);
	if (policy != SCHED_FIFO && policy != SCHED_RR)
		return;
	sched_getparam(0, &param);
	tp_str_printf(out, " %d", param.sched_priority);
	double share = tp_realtime_share(root);
	if (share >= 0)
		tp_str_printf(out, ", at most %.3g %% of the time", share * 100);
}

enum tp_status tp_priority_set(const char *wanted, struct tp_diag *diag)
{
	static const char where[] = "knobs.priority";
	double value;
	if (strcmp(wanted, TP_KNOB_KEEP) == 0)
		return TP_OK;
	if (!tp_parse_double(wanted, &value) || !(value >= -20 && value <= 19))
		return tp_fail(diag, TP_USAGE, where, "keep, or -20 to 19",
			       "\"%.40s\" is not a nice value", wanted);
	int nice_value = (int)value;
	if (setpriority(PRIO_PROCESS, 0, nice_value) != 0) {
		int error = errno;
		return tp_fail(
			diag, TP_PERM, where, "sudo setcap cap_sys_nice=ep \"$(command -v tprof)\"",
			"%d is refused: %s; measured without it", nice_value, strerror(error));
	}
	if (getpriority(PRIO_PROCESS, 0) != nice_value)
		return tp_fail(diag, TP_PERM, where, NULL, "%d had no effect", nice_value);
	return TP_OK;
}

void tp_priority_words(struct tp_str *out)
{
	tp_str_printf(out, "%d", getpriority(PRIO_PROCESS, 0));
}
