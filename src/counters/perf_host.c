/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "counters/perf_host.h"
#include "base/str.h"
#include "kernels/arch.h"
#include "machine/health.h"

#include <stdio.h>
#include <string.h>

enum { PARANOID_UNKNOWN = -100 };

void tp_perf_host_read(struct tp_perf_host *host)
{
	struct tp_cpu cpu = { 0 };
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	*host = (struct tp_perf_host){ .paranoid = PARANOID_UNKNOWN,
				       .perf_error = tp_perf_error() };
	if (file) {
		if (fscanf(file, "%ld", &host->paranoid) != 1)
			host->paranoid = PARANOID_UNKNOWN;
		fclose(file);
	}
	tp_arch_identify(&cpu);
	tp_copy(host->hypervisor, sizeof(host->hypervisor), cpu.hypervisor);
}

void tp_perf_not_permitted(const struct tp_perf_host *host, const char *words, int paranoid,
			   char *out, size_t size)
{
	snprintf(out, size,
		 "%s: not permitted while kernel.perf_event_paranoid is %ld; sudo sysctl "
		 "kernel.perf_event_paranoid=%d, or the capability CAP_PERFMON, allows it",
		 words, host->paranoid, paranoid);
}

void tp_perf_no_hardware(const struct tp_perf_host *host, const char *words, char *out, size_t size)
{
	if (*host->hypervisor)
		snprintf(out, size,
			 "%s: this virtual machine (%s) has no hardware counters; its hypervisor "
			 "would have to pass on a PMU",
			 words, host->hypervisor);
	else
		snprintf(out, size, "%s: the kernel opens no hardware counter (%s)", words,
			 strerror(host->perf_error));
}
