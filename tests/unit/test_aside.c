/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who only watches stays off the CPUs that are measured, and comes back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/memory.h"
#include "machine/place.h"

enum { CPUS = 1024 };

static void read_allowed(cpu_set_t *set)
{
	assert_int_equal(sched_getaffinity(0, sizeof(*set), set), 0);
}

/* The first two CPUs that this process may use; returns how many there are in all. */
static unsigned usable(unsigned cpus[2])
{
	cpu_set_t set;
	unsigned found = 0;
	read_allowed(&set);
	for (unsigned i = 0; i < CPUS; i++)
		if (CPU_ISSET(i, &set)) {
			if (found < 2)
				cpus[found] = i;
			found++;
		}
	return found;
}

static void it_leaves_the_measured_cpu_and_comes_back(void **state)
{
	cpu_set_t before, now;
	unsigned cpus[2];
	char text[2][32];
	struct tp_aside aside = { 0 };
	(void)state;
	read_allowed(&before);
	if (usable(cpus) < 2)
		skip();
	for (int i = 0; i < 2; i++)
		snprintf(text[i], sizeof(text[i]), "%u", cpus[i]);
	tp_aside_step(&aside, text[0]);
	read_allowed(&now);
	assert_false(CPU_ISSET(cpus[0], &now));
	assert_int_equal(CPU_COUNT(&now), CPU_COUNT(&before) - 1);
	/* From another one next: the first is allowed again. */
	tp_aside_step(&aside, text[1]);
	read_allowed(&now);
	assert_true(CPU_ISSET(cpus[0], &now));
	assert_false(CPU_ISSET(cpus[1], &now));
	tp_aside_back(&aside);
	read_allowed(&now);
	assert_true(CPU_EQUAL(&now, &before));
	assert_null(aside.before);
}

static void it_stays_where_there_is_nowhere_else(void **state)
{
	/* All there are; and CPUs that it may not use anyway are no reason to move. */
	static const char *const lists[] = { "0-1023", "1,0,2-4000000000", "1023", "", "x" };
	cpu_set_t before, now;
	(void)state;
	read_allowed(&before);
	for (size_t i = 0; i < TP_COUNT_OF(lists); i++) {
		struct tp_aside aside = { 0 };
		tp_aside_step(&aside, lists[i]);
		read_allowed(&now);
		assert_true(CPU_EQUAL(&now, &before));
		assert_null(aside.before);
		tp_aside_back(&aside);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_leaves_the_measured_cpu_and_comes_back),
		cmocka_unit_test(it_stays_where_there_is_nowhere_else),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
