/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The simulated machines of the CARM Tool paper give what it published of the real ones, within a
 * tenth: memory instructions a cycle of L1, L2 and L3, FP instructions a cycle, GB/s of L3 and
 * memory.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "kernels/kernel.h"
#include "tests/unit/simulated.h"

enum { KIB = 1 << 10, MIB = 1 << 20 };

struct row {
	uint64_t bytes; /* 0: FMAs */
	unsigned loads, stores;
	double per_cycle; /* instructions; 0: gbps */
	double gbps;
};

static const struct machine {
	const char *model, *topology, *isa;
	struct row rows[8];
} machines[] = {
	{ "skylake-x",
	  "pack:1 l3:1(size=25952256) core:18 l2:1(size=1048576) l1d:1(size=32768) pu:1",
	  "avx512",
	  { { 16 * KIB, 2, 1, 2.05, 0 },
	    { 16 * KIB, 1, 0, 2, 0 },
	    { 16 * KIB, 0, 1, 1, 0 },
	    { 256 * KIB, 1, 0, 0.964, 0 },
	    { 6 * MIB, 1, 0, 0, 26.45 },
	    { 1024 * MIB, 1, 0, 0, 19.95 },
	    { 0, 0, 0, 1.88, 0 } } },
	{ "zen3",
	  "pack:1 l3:1(size=33554432) core:8 l2:1(size=524288) l1d:1(size=32768) pu:1",
	  "avx2",
	  { { 16 * KIB, 2, 1, 3, 0 },
	    { 16 * KIB, 1, 0, 2, 0 },
	    { 16 * KIB, 0, 1, 1, 0 },
	    { 128 * KIB, 1, 0, 1, 0 },
	    { 4 * MIB, 1, 0, 0.7, 0 },
	    { 0, 0, 0, 2, 0 } } },
	{ "thunderx2",
	  "pack:1 l3:1(size=33554432) core:28 l2:1(size=262144) l1d:1(size=32768) pu:1",
	  "neon",
	  { { 16 * KIB, 1, 0, 2, 0 }, { 16 * KIB, 0, 1, 1, 0 }, { 0, 0, 0, 2, 0 } } },
	{ "c920",
	  "pack:1 l3:1(size=67108864) l2:16(size=1048576) core:4 l1d:1(size=65536) pu:1",
	  "rvv0.7",
	  { { 16 * KIB, 2, 1, 1, 0 },
	    { 16 * KIB, 0, 1, 0.5, 0 },
	    { 256 * KIB, 0, 1, 0.5, 0 },
	    { 4 * MIB, 1, 0, 0.5, 0 },
	    { 0, 0, 0, 2, 0 } } },
};

/* An ISA of the model, also one that this program writes no code for. */
static struct tp_isa isa_of(const struct simulated *s, const char *name)
{
	const struct tp_model_isa *of = tp_model_isa(&s->machine.model, name);
	assert_non_null(of);
	return (struct tp_isa){ .name = of->name,
				.arch = s->machine.model.arch,
				.summary = "",
				.needs = "",
				.vector_bytes = of->vector_bytes };
}

static void machines_do_what_was_published(void **state)
{
	(void)state;
	for (size_t m = 0; m < TP_COUNT_OF(machines); m++) {
		const struct machine *machine = &machines[m];
		struct simulated s;
		if (!simulated_open(&s, machine->topology, machine->model, "quiet", 1))
			fail_msg("%s cannot be simulated", machine->model);
		const struct tp_isa isa = isa_of(&s, machine->isa);
		double ghz = tp_simulation_true_ghz(s.simulation, 0);
		for (size_t i = 0; i < TP_COUNT_OF(machine->rows); i++) {
			const struct row *row = &machine->rows[i];
			struct tp_kernel kernel = { .kind = row->bytes ? TP_KERNEL_MEMORY
								       : TP_KERNEL_FP,
						    .isa = &isa,
						    .element_bytes = 8,
						    .fp_op = row->bytes ? TP_FP_NONE : TP_FP_FMA,
						    .loads = row->loads,
						    .stores = row->stores,
						    .working_set_bytes = row->bytes };
			if (!(row->per_cycle > 0) && !(row->gbps > 0))
				continue;
			double rate =
				tp_simulation_true_rate(s.simulation, &kernel, 1, TP_PAGES_THP);
			double work = row->bytes ? isa.vector_bytes : isa.vector_bytes / 4.0;
			double got = row->gbps > 0 ? rate : rate / ghz / work;
			double wanted = row->gbps > 0 ? row->gbps : row->per_cycle;
			if (fabs(got / wanted - 1) > 0.1)
				fail_msg("%s, %llu KiB %u:%u: %.3f, published %.3f", machine->model,
					 (unsigned long long)row->bytes / KIB, row->loads,
					 row->stores, got, wanted);
		}
		simulated_close(&s);
	}
}

/* What code reaches is never more than what ports allow. */
static void reached_rates_are_below_those_of_the_ports(void **state)
{
	(void)state;
	for (size_t m = 0; m < TP_COUNT_OF(machines); m++) {
		struct simulated s;
		assert_true(
			simulated_open(&s, machines[m].topology, machines[m].model, "quiet", 1));
		for (unsigned loads = 0; loads < 4; loads++)
			for (unsigned stores = loads ? 0 : 1; stores < 4; stores++)
				assert_true(tp_model_l1_reached_bytes_per_cycle(&s.machine.model,
										machines[m].isa, 8,
										loads, stores) <=
					    tp_model_l1_bytes_per_cycle(&s.machine.model,
									machines[m].isa, 8, loads,
									stores));
		simulated_close(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(machines_do_what_was_published),
		cmocka_unit_test(reached_rates_are_below_those_of_the_ports),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
