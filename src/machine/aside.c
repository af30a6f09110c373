/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/aside.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

/* The CPUs that this thread may use; NULL if they cannot be read. */
static cpu_set_t *allowed(size_t *bytes)
{
	enum { CPUS_LEAST = 1024, CPUS_MAX = 262144 };
	for (size_t cpus = CPUS_LEAST; cpus <= CPUS_MAX; cpus *= 2) {
		cpu_set_t *set = CPU_ALLOC(cpus);
		if (!set)
			return NULL;
		*bytes = CPU_ALLOC_SIZE(cpus);
		if (sched_getaffinity(0, *bytes, set) == 0)
			return set;
		CPU_FREE(set);
		if (errno != EINVAL)
			return NULL;
	}
	return NULL;
}

/* Up to the first character that is no list. */
static void leave_out(const char *cpus, cpu_set_t *set, size_t bytes)
{
	while (isdigit((unsigned char)*cpus)) {
		char *end;
		unsigned long first = strtoul(cpus, &end, 10), last = first;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		for (unsigned long i = first; i <= last && i < 8 * bytes; i++)
			CPU_CLR_S(i, bytes, set);
		cpus = end + (*end == ',');
	}
}

void tp_aside_step(struct tp_aside *aside, const char *cpus)
{
	size_t bytes;
	tp_aside_back(aside);
	cpu_set_t *before = allowed(&bytes), *others = before ? allowed(&bytes) : NULL;
	if (!others) {
		CPU_FREE(before);
		return;
	}
	leave_out(cpus, others, bytes);
	if (CPU_COUNT_S(bytes, others) > 0 && !CPU_EQUAL_S(bytes, before, others) &&
	    sched_setaffinity(0, bytes, others) == 0) {
		aside->before = before;
		aside->bytes = bytes;
		before = NULL;
	}
	CPU_FREE(before);
	CPU_FREE(others);
}

void tp_aside_back(struct tp_aside *aside)
{
	if (!aside->before)
		return;
	sched_setaffinity(0, aside->bytes, aside->before);
	CPU_FREE(aside->before);
	*aside = (struct tp_aside){ 0 };
}
