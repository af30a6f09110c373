/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counting code of aarch64 and riscv64, on any host: run from its disassembly, a pass does exactly
 * what its description says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/foreign.h"
#include "base/memory.h"

enum { LOG2 = 4, N = 1 << LOG2, HALF = N / 2, BOTH_RUNS = 5 };

static const struct foreign_core cores[] = {
	{ FOREIGN_AARCH64, { .arch = "aarch64", .features = "fp asimd sve sve-256" }, 32, false },
	{ FOREIGN_RISCV64,
	  { .arch = "riscv64", .features = "d v zvl128b zvl256b zvl512b" },
	  64,
	  false },
	{ FOREIGN_RISCV64,
	  { .arch = "riscv64", .features = "d xtheadvector zvl128b zvl256b zvl512b" },
	  64,
	  true },
};
static uint64_t or_one(uint64_t n)
{
	return n ? n : 1;
}

/* --- loops --- */

/* Work of a pass without the instructions of the loop itself: an addition and a branch. */
static const struct {
	struct tp_loop loop;
	uint64_t executed[FOREIGN_ARCHITECTURES];
	struct foreign_counts pass; /* integer: on riscv64 */
} rows[] = {
	{ { .ops = { { TP_LOOP_ADD, 3 },
		     { TP_LOOP_MULTIPLY, 2 },
		     { TP_LOOP_SHIFT, 2 },
		     { TP_LOOP_ADDRESS, 1 } },
	    .n_ops = 4 },
	  { 8 * N, 8 * N },
	  { .integer = 8 * N } },
	{ { .ops = { { TP_LOOP_LOAD, 5 }, { TP_LOOP_STORE, 3 } }, .n_ops = 2 },
	  { 8 * N, 8 * N },
	  { .loads = 5 * N, .stores = 3 * N } },
	{ { .ops = { { TP_LOOP_LOAD, 300 } }, .n_ops = 1 },
	  { 300 * N, 300 * N },
	  { .loads = 300 * N } },
	{ { .ops = { { TP_LOOP_MODIFY, 4 } }, .n_ops = 1 },
	  { 12 * N, 12 * N },
	  { .loads = 4 * N, .stores = 4 * N, .integer = 4 * N } },
	{ { .ops = { { TP_LOOP_FP, 24 } }, .n_ops = 1, .fp = { 8, 0, false } },
	  { 24 * N, 24 * N },
	  { .fp = 24 * N, .flops = 24 * N } },
	{ { .ops = { { TP_LOOP_FP, 12 } }, .n_ops = 1, .fp = { 4, 0, true } },
	  { 12 * N, 12 * N },
	  { .fp = 12 * N, .flops = 24 * N } },
	{ { .ops = { { TP_LOOP_FP, 24 } }, .n_ops = 1, .fp = { 8, 16, false } },
	  { 24 * N, 24 * N },
	  { .fp = 24 * N, .flops = 48 * N } },
	{ { .ops = { { TP_LOOP_FP, 48 } }, .n_ops = 1, .fp = { 8, 16, false } },
	  { 48 * N, 48 * N },
	  { .fp = 48 * N, .flops = 96 * N } },
	{ { .ops = { { TP_LOOP_FP, 12 } }, .n_ops = 1, .fp = { 4, 32, true } },
	  { 12 * N, 12 * N },
	  { .fp = 12 * N, .flops = 192 * N } },
	{ { .ops = { { TP_LOOP_FP, 12 } }, .n_ops = 1, .fp = { 8, 64, true } },
	  { 12 * N, 12 * N },
	  { .fp = 12 * N, .flops = 192 * N } },
	{ { .ops = { { TP_LOOP_JUMP, 1 }, { TP_LOOP_ADD, 7 }, { TP_LOOP_ADD, 1 } }, .n_ops = 3 },
	  { 2 * N, 2 * N },
	  { .jumps = N, .integer = N } },
	{ { .ops = { { TP_LOOP_NEVER, 1 }, { TP_LOOP_ADD, 7 } }, .n_ops = 2 },
	  { 8 * N, 8 * N },
	  { .conditionals = N, .integer = 7 * N } },
	{ { .ops = { { TP_LOOP_ALWAYS, 1 }, { TP_LOOP_ADD, 7 } }, .n_ops = 2 },
	  { N, N },
	  { .conditionals = N, .taken = N } },
	{ { .ops = { { TP_LOOP_BARRIER, 0 } }, .n_ops = 1 }, { 2 * N, N }, { .executed = 0 } },
	{ { .ops = { { TP_LOOP_NEXT, 0 }, { TP_LOOP_ALTERNATE, 1 }, { TP_LOOP_ADD, 2 } },
	    .n_ops = 3,
	    .stream = true },
	  { 4 * N + 2 * HALF, 6 * N + 2 * HALF },
	  { .loads = N, .conditionals = N, .taken = HALF, .integer = 4 * N + 2 * HALF } },
	{ { .ops = { { TP_LOOP_NEXT, 0 }, { TP_LOOP_RANDOM, 1 }, { TP_LOOP_STORE, 2 } },
	    .n_ops = 3,
	    .stream = true },
	  { 14 * N + 2 * HALF, 16 * N + 2 * HALF },
	  { .loads = N, .stores = 2 * HALF, .conditionals = N, .taken = HALF, .integer = 14 * N } },
};

static void hold_row(size_t row, const struct foreign_core *core)
{
	struct tp_loop loop = rows[row].loop;
	struct foreign_counts want = rows[row].pass;
	struct tp_loop_cost cost = { 0 };
	struct foreign f = { 0 };
	struct tp_diag diag = { .what = "" };
	loop.pass_log2 = LOG2;
	if (tp_emit_loop(foreign_back_end(core), &loop, &core->cpu, &f.code, &cost, &diag) != TP_OK)
		fail_msg("%s, row %zu: %s", core->cpu.arch, row, diag.what);
	foreign_open(&f, core, tp_loop_data_bytes(&loop));
	tp_loop_fill(f.data, loop.fp.element_bytes, loop.stream ? LOG2 : 0);
	struct foreign_counts found = foreign_pass(&f);
	want.executed = rows[row].executed[core->architecture] + 2 * N;
	want.conditionals += N;
	want.taken += N;
	want.integer = core->architecture == FOREIGN_RISCV64 ? want.integer + N : 0;
	const uint64_t *is = (const uint64_t *)&found, *must = (const uint64_t *)&want;
	for (size_t i = 0; i < sizeof(found) / sizeof(*is); i++)
		if (is[i] != must[i])
			fail_msg("%s, row %zu: count %zu is %llu, not %llu", core->cpu.arch, row, i,
				 (unsigned long long)is[i], (unsigned long long)must[i]);
	assert_int_equal(tp_loop_instructions(&loop, &cost), found.executed);
	foreign_close(&f);
}

/* The older core differs only in vectors. */
static void loops_do_what_is_in_their_rows(void **state)
{
	const struct foreign_core *core = *state;
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++)
		if (rows[i].loop.fp.vector_bytes <= core->vector_bytes &&
		    (!core->old || rows[i].loop.fp.vector_bytes))
			hold_row(i, core);
}

static void missing_vectors_are_told(void **state)
{
	static const struct {
		const struct foreign_core *core;
		unsigned vector_bytes;
		const char *features, *what;
	} cases[] = {
		{ &cores[0], 64, "fp asimd sve sve-256", "sve-512" },
		{ &cores[0], 32, "fp asimd", "sve-256" },
		{ &cores[0], 16, "fp", "asimd" },
		{ &cores[1], 16, "d", "v" },
		{ &cores[1], 32, "d v zvl128b", "zvl256b" },
		{ &cores[1], 64, "d xtheadvector zvl128b", "zvl512b" },
	};
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(cases); i++) {
		struct tp_cpu cpu = cases[i].core->cpu;
		struct tp_loop loop = { .ops = { { TP_LOOP_FP, 12 } },
					.n_ops = 1,
					.fp = { 8, cases[i].vector_bytes, true } };
		struct tp_code code;
		struct tp_loop_cost cost;
		struct tp_diag diag = { .what = "" };
		char what[96];
		tp_copy(cpu.features, sizeof(cpu.features), cases[i].features);
		snprintf(what, sizeof(what), "needs %s, which this CPU or kernel does not offer",
			 cases[i].what);
		assert_int_equal(tp_emit_loop(foreign_back_end(cases[i].core), &loop, &cpu, &code,
					      &cost, &diag),
				 TP_UNSUPPORTED);
		assert_string_equal(diag.what, what);
	}
}

/* --- traversals --- */

static struct foreign open_traversal(const struct foreign_core *core, const struct tp_traversal *t,
				     size_t data_bytes, uint64_t *instructions)
{
	struct foreign f = { 0 };
	struct tp_diag diag = { .what = "" };
	if (tp_emit_traversal(foreign_back_end(core), t, &core->cpu, &f.code, instructions,
			      &diag) != TP_OK)
		fail_msg("%s: %s", core->cpu.arch, diag.what);
	foreign_open(&f, core, data_bytes);
	return f;
}

static void a_chase_goes_once_around(void **state)
{
	static const struct tp_chase_loop cases[] = {
		{ 37, 1 }, { 37, 8 }, { 37, 36 },   { 37, 64 }, { 1, 8 },
		{ 8, 8 },  { 9, 8 },  { 1000, 16 }, { 48, 16 }, { 3000, 1200 },
	};
	const struct foreign_core *core = *state;
	for (size_t i = 0; i < TP_COUNT_OF(cases); i++) {
		const struct tp_traversal t = { .kind = TP_TRAVERSAL_CHASE, .chase = cases[i] };
		uint64_t instructions, cells = t.chase.accesses;
		struct foreign f = open_traversal(core, &t, cells * 8, &instructions);
		for (size_t c = 0; c < cells; c++) { /* steps of 7 meet every cell */
			uint64_t next = foreign_data_at(core) + (c + 7) % cells * 8;
			memcpy(f.data + c * 8, &next, 8);
		}
		struct foreign_counts pass = foreign_pass(&f);
		assert_int_equal(pass.loads, cells);
		assert_int_equal(pass.stores + pass.fp_loads, 0);
		assert_int_equal(pass.executed, instructions);
		for (size_t c = 0; c < f.data_bytes && f.loaded; c++)
			assert_int_equal(f.loaded[c], BOTH_RUNS);
		foreign_close(&f);
	}
}

/* The value that is stored is the offset in the block. */
static void scattered_stores_meet_every_element(void **state)
{
	static const struct tp_scatter cases[] = {
		{ 64, 64, 1, 5, 3, 16 },
		{ 64, 8, 16, 13, 1, 16 },
		{ 64, 1024, 2, 0x5851f42d, 0x1fff1, 4 },
		{ 64, 8, 1, 5, 3, 16 },
		{ 8, 64, 4, 13, 7, 8 },
		{ 128, 512, 2, 1664525 / 8 * 8 + 5, 1013, 16 },
	};
	const struct foreign_core *core = *state;
	for (size_t i = 0; i < TP_COUNT_OF(cases); i++) {
		const struct tp_scatter *s = &cases[i];
		const struct tp_traversal t = { .kind = TP_TRAVERSAL_SCATTER, .scatter = *s };
		size_t block_bytes = (size_t)s->block_elements * s->stride_bytes;
		uint64_t instructions;
		struct foreign f = open_traversal(core, &t, block_bytes * s->blocks, &instructions);
		memset(f.data, 0xff, f.data_bytes);
		struct foreign_counts pass = foreign_pass(&f);
		assert_int_equal(pass.stores, s->blocks * s->block_elements);
		assert_int_equal(pass.loads + pass.fp_stores, 0);
		assert_int_equal(pass.executed, instructions);
		for (size_t at = 0; at < f.data_bytes; at += s->stride_bytes) {
			uint64_t stored;
			memcpy(&stored, f.data + at, sizeof(stored));
			assert_int_equal(stored, at % block_bytes);
		}
		for (size_t at = 0; at < f.data_bytes && f.stored; at++)
			assert_int_equal(f.stored[at], at % s->stride_bytes < 8 ? BOTH_RUNS : 0);
		foreign_close(&f);
	}
}

/* Some are longer than a conditional branch reaches. riscv64 goes back by a register. */
static void lines_are_run_through_once(void **state)
{
	static const struct tp_line_loop cases[] = { { 2, 64, true },	  { 100, 64, true },
						     { 2, 64, false },	  { 99, 128, false },
						     { 100, 64, false },  { 300, 128, true },
						     { 9000, 128, true }, { 20000, 64, false } };
	const struct foreign_core *core = *state;
	for (size_t i = 0; i < TP_COUNT_OF(cases); i++) {
		const struct tp_line_loop *l = &cases[i];
		const struct tp_traversal t = { .kind = TP_TRAVERSAL_LINES, .lines = *l };
		bool by_register = core->architecture == FOREIGN_RISCV64;
		bool far = l->lines * l->line_bytes > 1 << 20;
		uint64_t instructions;
		struct foreign f = open_traversal(core, &t, 64, &instructions);
		struct foreign_counts pass = foreign_pass(&f);
		assert_int_equal(pass.executed, instructions);
		assert_int_equal(pass.loads + pass.stores, 0);
		assert_int_equal(pass.conditionals, l->full ? 2 * l->lines : l->lines);
		assert_int_equal(pass.taken, (l->full ? 0 : l->lines - 1) + (!by_register && !far));
		assert_int_equal(pass.jumps, !by_register && far);
		if (l->full) /* all but the last line, which holds what the loop needs */
			assert_true(pass.executed >=
				    (l->lines - 1) * l->line_bytes / 4 + pass.jumps + 3);
		assert_int_equal(f.code.loop_begin % l->line_bytes, 0);
		assert_true(f.code.loop_end - f.code.loop_begin > (l->lines - 1) * l->line_bytes);
		assert_true(f.code.loop_end - f.code.loop_begin <= l->lines * l->line_bytes);
		foreign_close(&f);
	}
}

static void nests_are_products_and_sums(void **state)
{
	static const struct tp_nest cases[] = {
		/* Dot products. */
		{ .depth = 24, .unroll = 8, .a.depth = 8, .b.depth = 8, .b_at = 192, .c_at = 4096 },
		{ .depth = 12, .unroll = 4, .a.depth = 8, .b.depth = 8, .b_at = 96, .c_at = 192 },
		/* A matrix times a vector. */
		{ .rows = 5,
		  .depth = 6,
		  .unroll = 1,
		  .a = { .depth = 8, .row = 48 },
		  .b.depth = 8,
		  .c.row = 8,
		  .b_at = 240,
		  .c_at = 288 },
		/* Matrices times matrices; some columns of b are beyond the reach of an offset. */
		{ .rows = 3,
		  .columns = 4,
		  .depth = 8,
		  .unroll = 8,
		  .accumulate = true,
		  .a = { .depth = 8, .row = 64 },
		  .b = { .depth = 512, .column = 8 },
		  .c = { .column = 8, .row = 32 },
		  .b_at = 192,
		  .c_at = 192 + 8 * 512 },
		{ .batches = 2,
		  .rows = 2,
		  .columns = 2,
		  .depth = 2,
		  .unroll = 1,
		  .accumulate = true,
		  .a = { .depth = 8, .row = 16, .batch = 96 },
		  .b = { .depth = 16, .column = 8, .batch = 96 },
		  .c = { .column = 8, .row = 16, .batch = 96 },
		  .b_at = 32,
		  .c_at = 64 },
		{ .batches = 2,
		  .rows = 8,
		  .columns = 8,
		  .depth = 8,
		  .unroll = 8,
		  .accumulate = true,
		  .a = { .depth = 8, .row = 64, .batch = 512 },
		  .b = { .depth = 4800, .column = 8, .batch = 64 },
		  .c = { .column = 8, .row = 64, .batch = 512 },
		  .b_at = 1024,
		  .c_at = 49152 },
	};
	const struct foreign_core *core = *state;
	for (size_t i = 0; i < TP_COUNT_OF(cases); i++) {
		const struct tp_nest *n = &cases[i];
		const struct tp_traversal t = { .kind = TP_TRAVERSAL_NEST, .nest = *n };
		uint64_t batches = or_one(n->batches), uses = or_one(n->columns), instructions;
		uint64_t rounds = batches * or_one(n->rows), results = rounds * uses;
		uint64_t products = results * n->depth;
		struct foreign f = open_traversal(core, &t, 65536, &instructions);
		struct foreign_counts pass = foreign_pass(&f);
		assert_int_equal(pass.executed, instructions);
		assert_int_equal(pass.loads, 2 * products + (n->accumulate ? results : 0));
		assert_int_equal(pass.stores, results);
		assert_int_equal(pass.fp, 2 * products);
		assert_int_equal(pass.flops, 2 * products);
		/* One at the end of each round of each loop, and that of the pass. */
		assert_int_equal(pass.conditionals,
				 products / n->unroll + 1 + (n->columns ? results : 0) +
					 (n->rows ? rounds : 0) + (n->batches ? batches : 0));
		if (core->architecture == FOREIGN_RISCV64) {
			assert_int_equal(pass.fp_loads, pass.loads);
			assert_int_equal(pass.fp_stores, pass.stores);
		} else if (n->a.batch == (int64_t)(n->rows * n->depth * 8)) {
			/* Without gaps each result is stored once, and each a used for all columns.
			 */
			for (uint64_t r = 0; r < results; r++)
				assert_int_equal(f.stored[n->c_at + 8 * r], BOTH_RUNS);
			for (uint64_t r = 0; r < products / uses; r++)
				assert_int_equal(f.loaded[8 * r], BOTH_RUNS * uses);
		}
		foreign_close(&f);
	}
}

#define TEST(arch, core, test)                                                                     \
	{                                                                                          \
		arch ": " #test, test, NULL, NULL, (void *)(uintptr_t)&cores[core]                 \
	}
#define TESTS(arch, core)                                                                          \
	TEST(arch, core, loops_do_what_is_in_their_rows),                                          \
		TEST(arch, core, a_chase_goes_once_around),                                        \
		TEST(arch, core, scattered_stores_meet_every_element),                             \
		TEST(arch, core, lines_are_run_through_once),                                      \
		TEST(arch, core, nests_are_products_and_sums)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(missing_vectors_are_told),
		TESTS("aarch64", 0),
		TESTS("riscv64", 1),
		TEST("riscv64 with vectors of version 0.7", 2, loops_do_what_is_in_their_rows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
