/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compiled loops, sparse matrices, gathers and instructions on simulated machines: what comes out
 * is what the manual's formulas (tprof-method(7), SIMULATED CODE) give by hand.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "experiments/asm/row.h"
#include "experiments/experiment.h"
#include "experiments/gather/row.h"
#include "experiments/pattern/row.h"
#include "experiments/spmv/row.h"
#include "tests/unit/near.h"
#include "tests/unit/simulated.h"

/* L1 32 KiB, L2 1 MiB and L3 32 MiB of both models; one core. */
#define CACHES "l3:1(size=33554432) l2:1(size=1048576) l1d:1(size=32768) core:1 pu:1"

/* Windows of a quiet machine differ by less. */
#define WITHIN 0.01

static void measure(struct simulated *s, const char *topology, const char *model,
		    const char *preset)
{
	assert_true(simulated_open(s, topology, model, "quiet", 3));
	assert_true(simulated_measure(s, preset));
}

static double element_ns(const struct simulated *s, size_t i)
{
	return tp_pattern_row(&s->points[i])->element_ns;
}

/* 9 loads and a store: nobody notices the arithmetic. */
static const char *const stencils =
	"{experiment: pattern, pattern: jacobi-2d-rows, pages: thp, runs: [\n"
	"{pattern.parameters: [n=1000, m=16000]}, {pattern.parameters: [n=4000, m=4000]},\n"
	"{pattern.parameters: [n=40000, m=1000]}]}";

static void test_layer_conditions(void **state)
{
	struct simulated s;
	(void)state;
	/*
	 * Zen 4: 10 accesses of 64 bytes take 9 cycles, 71.1 bytes a cycle; L2 32 bytes a cycle, L3
	 * 101 and memory 36.9 GB/s at 3.694 GHz. From memory come a row and the line that is
	 * written, 16 bytes, and 8 go back, which cost half: 0.542 ns. Of the 80 bytes of L1 those
	 * stay that come from nowhere else: its last lines conflict, 1.5 %.
	 */
	measure(&s, "pack:1 " CACHES, "zen4", stencils);
	const double far = 20 / 36.9, l1 = 1.015 / 71.11 / 3.694;
	/* Three rows and the written one in L1: 8 n x 4 bytes, so up to n = 1024. */
	assert_near(element_ns(&s, 0), far + (80 - 16) * l1, WITHIN);
	/* In L2: two rows more come from there, 16 bytes. */
	assert_near(element_ns(&s, 1), far + (80 - 32) * l1 + 16 / 32.0 / 3.694, WITHIN);
	/* In L3. */
	assert_near(element_ns(&s, 2), far + (80 - 32) * l1 + 16 / 101.0, WITHIN);
	simulated_close(&s);
	/* Skylake-X: 2.05 accesses of 64 bytes a cycle; L2 61.7, L3 26.45, memory 19.95, 3.1 GHz.
	 */
	measure(&s, "pack:1 " CACHES, "skylake-x", stencils);
	const double slow = 20 / 19.95, sl1 = 1.015 / 131.2 / 3.1;
	assert_near(element_ns(&s, 0), slow + (80 - 16) * sl1, WITHIN);
	assert_near(element_ns(&s, 1), slow + (80 - 32) * sl1 + 16 / 61.7 / 3.1, WITHIN);
	assert_near(element_ns(&s, 2), slow + (80 - 32) * sl1 + 16 / 26.45, 2 * WITHIN);
	simulated_close(&s);
}

static void test_triad(void **state)
{
	static const char preset[] = "{experiment: pattern, pattern: triad, pages: thp,\n"
				     "pattern.parameters: [\"n=400 10000 20000000\"]}";
	struct simulated s;
	(void)state;
	measure(&s, "pack:1 " CACHES, "zen4", preset);
	/* Two loads of 3/4 of a cycle and a store of one: 8 elements in 2.5 cycles. */
	assert_near(element_ns(&s, 0), 2.5 / 8 / 3.694, WITHIN * 0.1);
	/* 24 bytes that come and a quarter of the 8 that go, 32 a cycle. */
	assert_near(element_ns(&s, 1), 26 / 32.0 / 3.694, WITHIN * 0.3);
	assert_near(element_ns(&s, 2), 28 / 36.9, WITHIN);
	/* Bytes as the statement has them. */
	assert_near(tp_kernel_row(&s.points[2])->median_gbps, 24 * 36.9 / 28, 0.5);
	simulated_close(&s);
	measure(&s, "pack:1 " CACHES, "skylake-x", preset);
	assert_near(element_ns(&s, 0), 3 / 2.05 / 8 / 3.1, WITHIN * 0.1);
	assert_near(element_ns(&s, 2), 28 / 19.95, 2 * WITHIN);
	simulated_close(&s);
	/* Eight threads on eight cores, each with an eighth of L3. */
	measure(&s, "pack:1 l3:1(size=33554432) l2:8(size=1048576) l1d:1(size=32768) core:1 pu:1",
		"zen4",
		"{experiment: pattern, pattern: triad, pages: thp, threads: 8,\n"
		"pattern.parameters: [n=8000000]}");
	assert_near(element_ns(&s, 0), 28 / 36.9 / 8, WITHIN / 8);
	simulated_close(&s);
}

static void test_seeds(void **state)
{
	double found[3];
	(void)state;
	for (int i = 0; i < 3; i++) {
		struct simulated s;
		assert_true(simulated_open(&s, NULL, "zen3", "everything", i == 2 ? 8 : 7));
		assert_true(simulated_measure(&s, "{experiment: pattern, pattern: jacobi-1d}"));
		found[i] = element_ns(&s, 0);
		simulated_close(&s);
	}
	assert_true(found[0] > 0 && found[0] == found[1]);
	assert_true(found[0] != found[2]);
}

/* A matrix of three diagonals: 3 n non-zeros. */
static void test_tridiagonal(void **state)
{
	static const char preset[] = "{experiment: spmv, matrix: \"banded:500000,1\", pages: thp,\n"
				     "format: [csr, dia], roofs: false}";
	static const struct {
		const char *model;
		double gbps, ghz, vector_loads;
	} machines[] = { { "zen4", 36.9, 3.694, 1 }, { "skylake-x", 19.95, 3.1, 2 } };
	struct simulated s;
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(machines); i++) {
		double ghz = machines[i].ghz, loads = machines[i].vector_loads;
		measure(&s,
			"pack:1 l3:1(size=4194304) l2:1(size=1048576) l1d:1(size=32768) core:1 "
			"pu:1",
			machines[i].model, preset);
		assert_int_equal(s.plan.n, 2);
		assert_near((double)tp_spmv_row(&s.points[0])->format_bytes / 500000, 40, 0.01);
		/*
		 * For a row: 3 x 12 and 4 bytes of the matrix, x and y 16, and half of 8 for y that
		 * goes back. Of 72 bytes of L1 the 16 of x stay that are read again; all take two
		 * scalar loads a cycle for x and vectors for the matrix.
		 */
		double l1 = 16 / 72. * 1.015 * (3 / 2. + 40 / 64. / loads) / ghz;
		double ns = 60 / machines[i].gbps + l1;
		assert_near(6 / tp_point_median(&s.points[0]), ns, ns * WITHIN);
		/* Diagonals have no index, and x comes in vectors: 24, 16 and 4 bytes. */
		ns = 44 / machines[i].gbps + 16 / 56. * 1.015 * (3 / 8. + 24 / 64.) / loads / ghz;
		assert_near(6 / tp_point_median(&s.points[1]), ns, ns * WITHIN);
		simulated_close(&s);
	}
}

/* An entry fetches a line of x once two of x are more than a cache holds. */
static void test_random_matrix(void **state)
{
	struct simulated s;
	(void)state;
	measure(&s, "pack:1 l3:1(size=1048576) l2:1(size=262144) l1d:1(size=32768) core:1 pu:1",
		"zen4",
		"{experiment: spmv, matrix: \"random:400000,2000000\", pages: thp, format: csr, "
		"roofs: false}");
	/*
	 * For a row: 12 x 5 and 4 bytes, y 12, and lines for five entries but those that come near
	 * one of the last 4096, in the same line of the 50,000 or the next.
	 */
	double bytes = 64 + 12 + 5 * 64 * pow(1 - 2 / 50000., 4096);
	assert_near(tp_point_median(&s.points[0]), 10 / bytes * 36.9, 0.02);
	simulated_close(&s);
}

#ifdef TP_ARCH_X86_64

static double gather_ns(const struct simulated *s, unsigned lines)
{
	for (size_t i = 0; i < s->plan.n; i++)
		if (tp_gather_row(&s->points[i])->lines == lines)
			return tp_kernel_row(&s->points[i])->median_ns;
	return 0;
}

static void test_gathers(void **state)
{
	static const char preset[] =
		"{experiment: gather, precision: single, isa: avx2, pages: thp,\n"
		"gather: {elements: 8, lists: lines}, cache: %s}";
	char text[200];
	struct simulated s;
	(void)state;
	for (int i = 0; i < 2; i++) {
		double gbps = i ? 19.95 : 36.9, ghz = i ? 3.1 : 3.694;
		/* Eight loads, two a cycle: stride 1 (one line) as well as stride 16 (eight). */
		snprintf(text, sizeof(text), preset, "hot");
		measure(&s, "pack:1 " CACHES, i ? "skylake-x" : "zen4", text);
		assert_near(gather_ns(&s, 1) * ghz, 4, 0.05);
		assert_near(gather_ns(&s, 8) * ghz, 4, 0.08);
		simulated_close(&s);
		/* Lines from memory. */
		snprintf(text, sizeof(text), preset, "cold");
		measure(&s, "pack:1 " CACHES, i ? "skylake-x" : "zen4", text);
		assert_near(gather_ns(&s, 1), 64 / gbps, 0.03 * 64 / gbps);
		assert_near(gather_ns(&s, 8), 8 * 64 / gbps, 0.03 * 8 * 64 / gbps);
		simulated_close(&s);
	}
	/* Three elements of four lanes; the fourth one loads the first again if it is not masked.
	 */
	measure(&s, "pack:1 " CACHES, "zen4",
		"{experiment: gather, precision: single, isa: avx2, cache: hot,\n"
		"gather: {elements: 3, lists: lines, mask: [on, off]}}");
	for (size_t i = 0; i < s.plan.n; i++) {
		bool masked = tp_gather_row(&s.points[i])->masked;
		assert_near(tp_kernel_row(&s.points[i])->median_ns * 3.694, masked ? 1.5 : 2, 0.03);
	}
	simulated_close(&s);
}

/* Who always has half of the slots of a core takes little from a chain. */
static void test_neighbour(void **state)
{
	static const char *const modes[] = { "latency", "throughput" };
	static const double cycles[] = { 4 * 1.02, 1 };
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(modes); i++) {
		struct simulated s;
		char preset[200];
		snprintf(
			preset, sizeof(preset),
			"{experiment: asm, asm: {body: \"vfmadd231pd %%ymm1,%%ymm2,%%ymm3\", mode: "
			"%s}}",
			modes[i]);
		assert_true(simulated_open(&s, NULL, "skylake-x", "smt-neighbour-half", 1));
		assert_true(simulated_measure(&s, preset));
		assert_near(tp_asm_row(&s.points[0])->cycles / cycles[i], 1, 0.05);
		assert_true(s.points[0].quality != TP_QUALITY_GOOD);
		simulated_close(&s);
	}
}

static void test_instructions(void **state)
{
	static const struct {
		const char *model, *body, *mode;
		double cycles; /* of all instructions */
	} rows[] = {
		/* A chain of FMAs, and as many as the units take. */
		{ "skylake-x", "vfmadd231pd %ymm1,%ymm2,%ymm3", "latency", 4 },
		{ "zen2", "vfmadd231pd %ymm1,%ymm2,%ymm3", "latency", 5 },
		{ "skylake-x", "vfmadd231pd %ymm1,%ymm2,%ymm3", "throughput", 0.5 },
		{ "zen4", "vfmadd231pd %zmm1,%zmm2,%zmm3", "throughput", 1 },
		{ "zen4", "vaddpd %ymm1,%ymm2,%ymm3", "latency", 3 },
		/* Two chains beside each other. */
		{ "skylake-x", "vfmadd231pd %ymm1,%ymm2,%ymm{3..4}", "written", 4 },
		/* y = a x + y: two loads and a store a cycle. */
		{ "skylake-x",
		  "vmovapd (%rdi),%ymm0; vfmadd213pd (%rsi),%ymm1,%ymm0; vmovapd %ymm0,(%rdi)",
		  "written", 1 },
		{ "zen4",
		  "vmovapd (%rdi),%ymm0; vfmadd213pd (%rsi),%ymm1,%ymm0; vmovapd %ymm0,(%rdi)",
		  "written", 1 },
		/* Multiplications and additions: one kind of port, or two. */
		{ "skylake-x", "vmulpd %ymm0,%ymm1,%ymm2; vaddpd %ymm0,%ymm1,%ymm3", "written", 1 },
		{ "zen4", "vmulpd %ymm0,%ymm1,%ymm2; vaddpd %ymm0,%ymm1,%ymm3", "written", 0.5 },
		{ "skylake-x", "vdivpd %ymm0,%ymm1,%ymm2", "throughput", 8 },
		{ "skylake-x", "vdivpd %ymm0,%ymm1,%ymm2", "latency", 12 },
		/* A chain of loads; integers of four units. */
		{ "skylake-x", "mov (%rdi),%rdi", "latency", 4 },
		{ "skylake-x", "add %rax,%rbx; add %rax,%rcx; add %rax,%rdx; add %rax,%r8",
		  "written", 1 },
	};
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		struct simulated s;
		char preset[300];
		snprintf(preset, sizeof(preset), "{experiment: asm, asm: {body: \"%s\", mode: %s}}",
			 rows[i].body, rows[i].mode);
		measure(&s, NULL, rows[i].model, preset);
		double found = tp_asm_row(&s.points[0])->body_cycles;
		if (fabs(found / rows[i].cycles - 1) > WITHIN)
			fail_msg("%s, %s: %g cycles, not %g", rows[i].model, rows[i].body, found,
				 rows[i].cycles);
		simulated_close(&s);
	}
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layer_conditions),
		cmocka_unit_test(test_triad),
		cmocka_unit_test(test_seeds),
		cmocka_unit_test(test_tridiagonal),
		cmocka_unit_test(test_random_matrix),
#ifdef TP_ARCH_X86_64
		cmocka_unit_test(test_neighbour),
		cmocka_unit_test(test_gathers),
		cmocka_unit_test(test_instructions),
#endif
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
