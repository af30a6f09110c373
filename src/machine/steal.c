/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Time that the hypervisor reports as taken away (proc(5), /proc/stat: the eighth number of a cpu
 * line).
 */
#include "machine/detect.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Adds what was taken from CPU i to ticks[i * step]: with step 0 it is the sum. */
static void add(const char *root, const unsigned *os_cpus, size_t n, uint64_t *ticks, size_t step)
{
	char path[TP_PATH_MAX], line[512];
	int len = snprintf(path, sizeof(path), "%s/proc/stat", root);
	FILE *f = len > 0 && (size_t)len < sizeof(path) ? fopen(path, "re") : NULL;
	if (!f)
		return;
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
				ticks[i * step] += steal;
	}
	fclose(f);
}

uint64_t tp_steal_read(const char *root, const unsigned *os_cpus, size_t n)
{
	uint64_t total = 0;
	add(root, os_cpus, n, &total, 0);
	return total;
}

void tp_steal_each(const char *root, const unsigned *os_cpus, size_t n, uint64_t *ticks)
{
	memset(ticks, 0, n * sizeof(*ticks));
	add(root, os_cpus, n, ticks, 1);
}

uint64_t tp_machine_steal_ticks(const unsigned *os_cpus, size_t n)
{
	return tp_steal_read("", os_cpus, n);
}

void tp_machine_steal_each(const unsigned *os_cpus, size_t n, uint64_t *ticks)
{
	tp_steal_each("", os_cpus, n, ticks);
}
