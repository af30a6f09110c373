/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Working sets of levels rise on every machine, whatever caches it reports. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "experiments/windows/planner.h"
#include "machine/machine.h"

enum { KIB = 1 << 10, MIB = 1 << 20, SMALLEST_L1 = 16 * KIB };

static const uint64_t systems[][4] = {
	{ 0, 32 * KIB, 512 * KIB, 32 * MIB },	 { 0, 48 * KIB, 2 * MIB, 480 * (uint64_t)MIB },
	{ 0, 32 * KIB, 256 * KIB, 8 * MIB },	 { 0, 64 * KIB, 1 * MIB, 4 * MIB },
	{ 0, 128 * KIB, 12 * MIB, 24 * MIB },	 { 0, 32 * KIB, 1 * MIB, 1408 * KIB },
	{ 0, SMALLEST_L1, 128 * KIB, 512 * KIB }
};

static void machine_of(struct tp_machine *machine, const uint64_t *bytes, unsigned known)
{
	struct tp_cpu cpu = { .arch = "x86_64" };
	char topology[160] = "synthetic:pack:1 ", cache[48];

	if (known & 8) {
		snprintf(cache, sizeof(cache), "l3:1(size=%llu) ", (unsigned long long)bytes[3]);
		strcat(topology, cache);
	}
	strcat(topology, "core:4 ");
	for (int level = 2; level >= 1; level--) {
		if (!(known & 1u << level))
			continue;
		snprintf(cache, sizeof(cache), "l%d:1(size=%llu) ", level,
			 (unsigned long long)bytes[level]);
		strcat(topology, cache);
	}
	strcat(topology, "pu:1");
	assert_int_equal(tp_machine_init(machine, &cpu, topology, "detected", NULL, NULL), TP_OK);
}

/* Above what a nearer level holds, and within what both hold: caches may be exclusive. */
static void sizes_rise(void **state __attribute__((unused)))
{
	for (size_t s = 0; s < sizeof(systems) / sizeof(*systems); s++)
		for (unsigned known = 0; known < 16; known += 2)
			for (unsigned threads = 1; threads <= 4; threads *= 2) {
				struct tp_machine machine;
				machine_of(&machine, systems[s], known);
				uint64_t below = 0, held = 0, nearer = 0;
				for (int level = 1; level <= 4; level++) {
					uint64_t share = tp_machine_share(&machine, level, threads),
						 size = tp_planner_level_bytes(
							 &machine, (enum tp_level_class)level,
							 threads);
					bool planned = level == 4 || known & 1u << level;
					if (!planned) {
						assert_int_equal(size, 0);
						continue;
					}
					if (size <= below || size <= held ||
					    (share && size > share + nearer))
						fail_msg("system %zu, known %u, %u threads, "
							 "level %d: %llu bytes",
							 s, known, threads, level,
							 (unsigned long long)size);
					below = size;
					nearer = share;
					/* Several cores' L2 may hold more than their part of L3. */
					held = level < 3 ? share : 0;
				}
				tp_machine_release(&machine);
			}
}

/* An L3 without an L2; an L3 alone, as POWER8 reports it; an L1 alone. */
static void unknown_levels_have_room(void **state __attribute__((unused)))
{
	static const uint64_t bytes[] = { 0, 32 * KIB, 0, 32 * MIB };
	struct tp_machine machine;

	machine_of(&machine, bytes, 2 | 8);
	assert_in_range(tp_planner_level_bytes(&machine, TP_CLASS_L3, 1), 2 * MIB, 8 * MIB);
	tp_machine_release(&machine);
	machine_of(&machine, bytes, 8);
	assert_in_range(tp_planner_level_bytes(&machine, TP_CLASS_L3, 1), 2 * MIB, 8 * MIB);
	tp_machine_release(&machine);
	machine_of(&machine, bytes, 2);
	assert_true(tp_planner_level_bytes(&machine, TP_CLASS_DRAM, 1) >= 64 * MIB);
	tp_machine_release(&machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(sizes_rise),
					    cmocka_unit_test(unknown_levels_have_room) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
