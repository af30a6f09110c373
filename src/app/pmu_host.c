/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counters of the kernel, perf_event_open(2). They belong to this thread, but wait for an exec: the
 * program inherits them when it is started, counts from its first instruction on, and adds what its
 * threads and children counted.
 */
#include "app/pmu.h"
#include "kernels/arch.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

int tp_pmu_open(const struct tp_pmu_code *code)
{
	struct perf_event_attr attr = { .type = code->type,
					.size = sizeof(attr),
					.config = code->config,
					.config1 = code->config1,
					.config2 = code->config2,
					.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
						       PERF_FORMAT_TOTAL_TIME_RUNNING,
					.disabled = 1,
					.inherit = 1,
					.enable_on_exec = 1,
					.exclude_kernel = 1,
					.exclude_hv = 1 };
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			      (unsigned long)PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

bool tp_pmu_read(int fd, struct tp_pmu_value *value)
{
	uint64_t words[3];
	if (read(fd, words, sizeof(words)) != (ssize_t)sizeof(words))
		return false;
	*value = (struct tp_pmu_value){ words[0], words[1], words[2] };
	return true;
}

static int open_event(void *context, const struct tp_pmu_code *code)
{
	(void)context;
	return tp_pmu_open(code);
}

static bool read_event(void *context, int fd, struct tp_pmu_value *value)
{
	(void)context;
	return tp_pmu_read(fd, value);
}

static void close_event(void *context, int fd)
{
	(void)context;
	close(fd);
}

static enum tp_status run(const struct tp_app_command *command, struct tp_command_run *ran,
			  struct tp_diag *diag)
{
	return tp_app_execute(command, NULL, ran, diag);
}

void tp_pmu_host(struct tp_pmu_host *host)
{
	*host = (struct tp_pmu_host){ .encode = tp_pmu_encode,
				      .open = open_event,
				      .read = read_event,
				      .close = close_event,
				      .run = run };
	/* Linux has both, in place of "cpu", where the cores differ. */
	host->hybrid = access("/sys/bus/event_source/devices/cpu_core", F_OK) == 0 &&
		       access("/sys/bus/event_source/devices/cpu_atom", F_OK) == 0;
	tp_arch_identify(&host->cpu);
}
