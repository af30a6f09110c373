/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Time that the hypervisor reports as taken away (proc(5), /proc/stat: the eighth number of a cpu
 * line).
 */
#include "machine/detect.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

uint64_t tp_steal_read(const char *root, const unsigned *os_cpus, size_t n)
{
	char path[TP_PATH_MAX], line[512];
	int len = snprintf(path, sizeof(path), "%s/proc/stat", root);
	FILE *f = len > 0 && (size_t)len < sizeof(path) ? fopen(path, "re") : NULL;
	uint64_t total = 0;
	if (!f)
		return 0;
	/* The cpu lines stand first; those of interrupts after them can be very long. */
	while (fgets(line, sizeof(line), f) && strncmp(line, "cpu", 3) == 0) {
		unsigned cpu;
		uint64_t steal;
		if (line[3] == ' ') /* the sum over all CPUs */
			continue;
		if (sscanf(line, "cpu%u %*u %*u %*u %*u %*u %*u %*u %" SCNu64, &cpu, &steal) != 2)
			continue;
		for (size_t i = 0; i < n; i++)
			if (os_cpus[i] == cpu)
				total += steal;
	}
	fclose(f);
	return total;
}

uint64_t tp_machine_steal_ticks(const unsigned *os_cpus, size_t n)
{
	return tp_steal_read("", os_cpus, n);
}
