/* SPDX-License-Identifier: GPL-3.0-or-later */
/* On which CPUs a compiler may run while a point is measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "experiments/windows/compiled.h"
#include "experiments/windows/planner.h"

/* The CPUs as "2-3,6", "" for none. */
static void list_cpus(const cpu_set_t *set, size_t bytes, char *out)
{
	*out = '\0';
	for (size_t i = 0; set && i < 8 * bytes; i++)
		if (CPU_ISSET_S(i, bytes, set))
			out += sprintf(out, "%zu ", i);
}

static void test_what_disturbs(void **state)
{
	/* pairs of cores share an L2, hardware threads are numbered one after the other */
	static const char pairs[] = "synthetic:pack:1 l3:1(size=33554432) l2:3(size=1048576) "
				    "l1d:2(size=32768) core:1 pu:2";
	static const char own[] = "synthetic:pack:1 l3:1(size=33554432) l2:4(size=1048576) "
				  "l1d:1(size=32768) core:1 pu:1";
	static const struct {
		const char *topology;
		unsigned cpus[2], threads;
		enum tp_level_class level;
		const char *beside; /* of a real machine */
	} cases[] = {
		{ own, { 0 }, 1, TP_CLASS_FP, "1 2 3 " },
		{ own, { 2 }, 1, TP_CLASS_L2, "0 1 3 " },
		{ own, { 0, 3 }, 2, TP_CLASS_L1, "1 2 " },
		{ own, { 0 }, 1, TP_CLASS_L3, "" },
		{ own, { 0 }, 1, TP_CLASS_DRAM, "" },
		/* not on the other hardware thread; beyond L1, not behind the same L2 */
		{ pairs, { 0 }, 1, TP_CLASS_FP, "2 3 4 5 6 7 8 9 10 11 " },
		{ pairs, { 0 }, 1, TP_CLASS_L1, "2 3 4 5 6 7 8 9 10 11 " },
		{ pairs, { 0 }, 1, TP_CLASS_L2, "4 5 6 7 8 9 10 11 " },
		{ pairs, { 0, 4 }, 2, TP_CLASS_L2, "8 9 10 11 " },
	};
	(void)state;
	for (size_t i = 0; i < 2 * TP_COUNT_OF(cases); i++) {
		bool guest = i >= TP_COUNT_OF(cases);
		struct tp_window_plan window = { .level = cases[i % TP_COUNT_OF(cases)].level };
		struct tp_machine machine;
		struct tp_cpu cpu;
		struct tp_diag diag = { 0 };
		unsigned cpus[2];
		char beside[128];
		size_t bytes;
		tp_arch_identify(&cpu);
		tp_copy(cpu.hypervisor, sizeof(cpu.hypervisor), "");
		if (tp_machine_init(&machine, &cpu, cases[i % TP_COUNT_OF(cases)].topology, NULL,
				    NULL, &diag) != TP_OK)
			fail_msg("%s: %s", diag.where, diag.what);
		for (size_t k = 0; k < machine.n_pus; k++)
			machine.pus[k].allowed = true;
		tp_copy(machine.cpu.hypervisor, sizeof(machine.cpu.hypervisor), guest ? "KVM" : "");
		const struct tp_planned planned = {
			.cpus = memcpy(cpus, cases[i % TP_COUNT_OF(cases)].cpus, sizeof(cpus)),
			.point.threads = cases[i % TP_COUNT_OF(cases)].threads,
			.row = &window,
		};
		cpu_set_t *set = tp_compiled_cpus(&machine, NULL, &bytes);
		assert_int_equal(CPU_COUNT_S(bytes, set), machine.n_pus);
		CPU_FREE(set);
		set = tp_compiled_cpus(&machine, &planned, &bytes);
		list_cpus(set, bytes, beside);
		assert_string_equal(beside, guest ? "" : cases[i % TP_COUNT_OF(cases)].beside);
		CPU_FREE(set);
		tp_machine_release(&machine);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_disturbs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
