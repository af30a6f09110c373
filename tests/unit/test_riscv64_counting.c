/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counting kernels of riscv64, on any host: run on the core of riscv64_machine.h, a pass does exactly what its description says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/riscv64_machine.h"
#include "base/vec.h"
#include "kernels/described.h"
#include "kernels/loop.h"
#include "kernels/riscv64/riscv64.h"

enum { VECTOR_BYTES = 64, LOG2 = 4, N = 1 << LOG2, HALF = N / 2 };

static const struct tp_cpu new_cpu = { .arch = "riscv64",
				       .features = "d v zvl128b zvl256b zvl512b" };
static const struct tp_cpu old_cpu = { .arch = "riscv64",
				       .features = "d xtheadvector zvl128b zvl256b zvl512b" };

struct fixture {
	struct tp_code code;
	struct machine machine;
	struct machine_dictionary dictionary;
};

/* False where no disassembler is. */
static bool open_code(struct fixture *f, size_t data_bytes, bool old)
{
	machine_learn(&f->dictionary, &f->code);
	if (!machine_ask(&f->dictionary))
		return false;
	assert_true(f->dictionary.known);
	f->machine = (struct machine){ .dictionary = &f->dictionary,
				       .vector_bytes = VECTOR_BYTES,
				       .old = old,
				       .data = calloc(1, data_bytes),
				       .data_bytes = data_bytes,
				       .touched = calloc(1, data_bytes),
				       .max_instructions = 1 << 24 };
	assert_true(f->machine.data && f->machine.touched);
	return true;
}

static void close_code(struct fixture *f)
{
	machine_forget(&f->dictionary);
	tp_code_release(&f->code);
	free(f->machine.data);
	free(f->machine.touched);
}

static struct machine_counts run(struct fixture *f, uint64_t passes)
{
	struct machine_counts counts;
	char why[MACHINE_WHY_BYTES];
	memset(f->machine.touched, 0, f->machine.data_bytes);
	if (!machine_run(&f->machine, &f->code, passes, &counts, why))
		fail_msg("%s", why);
	return counts;
}

/* What one pass more adds. */
static struct machine_counts pass_of(struct fixture *f)
{
	struct machine_counts two = run(f, 2), three = run(f, 3);
	uint64_t *of_two = (uint64_t *)&two;
	const uint64_t *of_three = (const uint64_t *)&three;
	for (size_t i = 0; i < sizeof(two) / sizeof(*of_two); i++)
		of_two[i] = of_three[i] - of_two[i];
	return two;
}

/* --- loops --- */

static const struct {
	struct tp_loop loop;
	struct machine_counts
		pass; /* without what the loop itself needs: an addition and a branch */
} rows[] = {
	{ { .ops = { { TP_LOOP_ADD, 3 },
		     { TP_LOOP_MULTIPLY, 2 },
		     { TP_LOOP_SHIFT, 2 },
		     { TP_LOOP_ADDRESS, 1 } },
	    .n_ops = 4 },
	  { .instructions = 8 * N, .integer = 8 * N } },
	{ { .ops = { { TP_LOOP_LOAD, 5 }, { TP_LOOP_STORE, 3 } }, .n_ops = 2 },
	  { .instructions = 8 * N, .integer_loads = 5 * N, .integer_stores = 3 * N } },
	{ { .ops = { { TP_LOOP_LOAD, 300 } }, .n_ops = 1 },
	  { .instructions = 300 * N, .integer_loads = 300 * N } },
	{ { .ops = { { TP_LOOP_MODIFY, 4 } }, .n_ops = 1 },
	  { .instructions = 12 * N,
	    .integer_loads = 4 * N,
	    .integer_stores = 4 * N,
	    .integer = 4 * N } },
	{ { .ops = { { TP_LOOP_FP, 24 } }, .n_ops = 1, .fp = { 8, 0, false } },
	  { .instructions = 24 * N, .fp = 24 * N, .flops = 24 * N } },
	{ { .ops = { { TP_LOOP_FP, 12 } }, .n_ops = 1, .fp = { 4, 0, true } },
	  { .instructions = 12 * N, .fp = 12 * N, .flops = 24 * N } },
	{ { .ops = { { TP_LOOP_FP, 48 } }, .n_ops = 1, .fp = { 8, 16, false } },
	  { .instructions = 48 * N, .fp = 48 * N, .flops = 96 * N } },
	{ { .ops = { { TP_LOOP_FP, 12 } }, .n_ops = 1, .fp = { 4, 32, true } },
	  { .instructions = 12 * N, .fp = 12 * N, .flops = 192 * N } },
	{ { .ops = { { TP_LOOP_FP, 12 } }, .n_ops = 1, .fp = { 8, 64, true } },
	  { .instructions = 12 * N, .fp = 12 * N, .flops = 192 * N } },
	{ { .ops = { { TP_LOOP_JUMP, 1 }, { TP_LOOP_ADD, 7 }, { TP_LOOP_ADD, 1 } }, .n_ops = 3 },
	  { .instructions = 2 * N, .jumps = N, .integer = N } },
	{ { .ops = { { TP_LOOP_NEVER, 1 }, { TP_LOOP_ADD, 7 } }, .n_ops = 2 },
	  { .instructions = 8 * N, .conditionals = N, .integer = 7 * N } },
	{ { .ops = { { TP_LOOP_ALWAYS, 1 }, { TP_LOOP_ADD, 7 } }, .n_ops = 2 },
	  { .instructions = N, .conditionals = N, .taken = N } },
	{ { .ops = { { TP_LOOP_BARRIER, 0 } }, .n_ops = 1 }, { .instructions = N } },
	{ { .ops = { { TP_LOOP_NEXT, 0 }, { TP_LOOP_ALTERNATE, 1 }, { TP_LOOP_ADD, 2 } },
	    .n_ops = 3,
	    .stream = true },
	  { .instructions = 6 * N + 2 * HALF,
	    .integer = 4 * N + 2 * HALF,
	    .integer_loads = N,
	    .conditionals = N,
	    .taken = HALF } },
	{ { .ops = { { TP_LOOP_NEXT, 0 }, { TP_LOOP_RANDOM, 1 }, { TP_LOOP_STORE, 2 } },
	    .n_ops = 3,
	    .stream = true },
	  { .instructions = 16 * N + 2 * HALF,
	    .integer = 14 * N,
	    .integer_loads = N,
	    .integer_stores = 2 * HALF,
	    .conditionals = N,
	    .taken = HALF } },
};

static void hold_row(size_t row, const struct tp_cpu *cpu)
{
	struct tp_loop loop = rows[row].loop;
	struct machine_counts want = rows[row].pass;
	struct tp_loop_cost cost = { 0 };
	struct fixture f = { 0 };
	struct tp_diag diag = { .what = "" };
	loop.pass_log2 = LOG2;
	if (tp_riscv_emit_loop(&loop, cpu, &f.code, &cost, &diag) != TP_OK)
		fail_msg("row %zu: %s", row, diag.what);
	if (!open_code(&f, tp_loop_data_bytes(&loop), cpu == &old_cpu)) {
		close_code(&f);
		skip();
	}
	tp_loop_fill(f.machine.data, loop.fp.element_bytes, loop.stream ? LOG2 : 0);
	struct machine_counts found = pass_of(&f);
	want.instructions += 2 * N;
	want.integer += N;
	want.conditionals += N;
	want.taken += N;
	const uint64_t *is = (const uint64_t *)&found, *must = (const uint64_t *)&want;
	for (size_t i = 0; i < sizeof(found) / sizeof(*is); i++)
		if (is[i] != must[i])
			fail_msg("row %zu: count %zu is %llu, not %llu", row, i,
				 (unsigned long long)is[i], (unsigned long long)must[i]);
	assert_int_equal(tp_loop_instructions(&loop, &cost), found.instructions);
	close_code(&f);
}

static void loops_do_what_is_in_their_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++)
		hold_row(i, &new_cpu);
}

static void so_they_do_in_the_older_version(void **state)
{
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++)
		if (rows[i].loop.fp.vector_bytes)
			hold_row(i, &old_cpu);
}

static void missing_vectors_are_told(void **state)
{
	static const struct {
		unsigned vector_bytes;
		const char *features, *word;
	} cases[] = { { 16, "d", "needs v," },
		      { 32, "d v zvl128b", "needs zvl256b," },
		      { 64, "d xtheadvector zvl128b", "needs zvl512b," } };
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(cases); i++) {
		struct tp_cpu cpu = { .arch = "riscv64" };
		struct tp_loop loop = { .ops = { { TP_LOOP_FP, 12 } },
					.n_ops = 1,
					.fp = { 8, cases[i].vector_bytes, true } };
		struct tp_code code;
		struct tp_loop_cost cost;
		struct tp_diag diag = { .what = "" };
		strcpy(cpu.features, cases[i].features);
		assert_int_equal(tp_riscv_emit_loop(&loop, &cpu, &code, &cost, &diag),
				 TP_UNSUPPORTED);
		assert_non_null(strstr(diag.what, cases[i].word));
	}
}

/* --- what is described by where it goes --- */

static bool describe(struct fixture *f, const struct tp_described *d, size_t data_bytes,
		     uint64_t *instructions)
{
	struct tp_diag diag = { .what = "" };
	*f = (struct fixture){ 0 };
	if (tp_riscv_emit_described(d, &new_cpu, &f->code, instructions, &diag) != TP_OK)
		fail_msg("%s", diag.what);
	return open_code(f, data_bytes, false);
}

static void a_chase_goes_around(void **state)
{
	static const struct tp_chase cases[] = { { 1, 8 },     { 8, 8 },   { 9, 8 },
						 { 1000, 16 }, { 48, 16 }, { 3000, 1200 } };
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(cases); i++) {
		const struct tp_described d = { .kind = TP_DESCRIBED_CHASE, .chase = cases[i] };
		struct fixture f;
		uint64_t instructions;
		if (!describe(&f, &d, 64, &instructions)) {
			close_code(&f);
			skip();
		}
		const uint64_t self = MACHINE_DATA_AT;
		memcpy(f.machine.data, &self, sizeof(self));
		struct machine_counts pass = pass_of(&f);
		assert_int_equal(pass.integer_loads, cases[i].accesses);
		assert_int_equal(pass.instructions, instructions);
		close_code(&f);
	}
}

/* Every element once a pass, block after block: what is stored is the offset in the block. */
static void a_scatter_writes_every_element(void **state)
{
	static const struct tp_scatter cases[] = {
		{ 64, 8, 1, 5, 3, 16 },
		{ 8, 64, 4, 13, 7, 8 },
		{ 128, 512, 2, 1664525 / 8 * 8 + 5, 1013, 16 },
	};
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(cases); i++) {
		const struct tp_scatter *s = &cases[i];
		const struct tp_described d = { .kind = TP_DESCRIBED_SCATTER, .scatter = *s };
		size_t block_bytes = (size_t)s->block_elements * s->stride_bytes;
		struct fixture f;
		uint64_t instructions;
		if (!describe(&f, &d, block_bytes * s->blocks, &instructions)) {
			close_code(&f);
			skip();
		}
		memset(f.machine.data, 0xff, f.machine.data_bytes);
		struct machine_counts pass = pass_of(&f);
		assert_int_equal(pass.integer_stores, s->block_elements * s->blocks);
		assert_int_equal(pass.instructions, instructions);
		for (size_t at = 0; at < f.machine.data_bytes; at += s->stride_bytes) {
			uint64_t stored;
			memcpy(&stored, f.machine.data + at, sizeof(stored));
			assert_int_equal(stored, at % block_bytes);
		}
		close_code(&f);
	}
}

static void lines_are_run_through(void **state)
{
	static const struct tp_lines cases[] = { { 2, 64, true },    { 2, 64, false },
						 { 100, 64, true },  { 100, 64, false },
						 { 300, 128, true }, { 20000, 64, false } };
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(cases); i++) {
		const struct tp_lines *l = &cases[i];
		const struct tp_described d = { .kind = TP_DESCRIBED_LINES, .lines = *l };
		struct fixture f;
		uint64_t instructions;
		if (!describe(&f, &d, 64, &instructions)) {
			close_code(&f);
			skip();
		}
		struct machine_counts pass = pass_of(&f);
		assert_int_equal(pass.instructions, instructions);
		assert_int_equal(pass.conditionals, l->lines * (l->full ? 2 : 1));
		assert_int_equal(pass.taken, l->full ? 0 : l->lines - 1);
		/* The last line is where the first and as many whole ones before it say. */
		assert_int_equal(f.code.loop_begin, l->line_bytes);
		assert_true(f.code.loop_end > l->lines * l->line_bytes);
		assert_true(f.code.loop_end <= (l->lines + 1) * l->line_bytes);
		close_code(&f);
	}
}

static void a_nest_does_its_products(void **state)
{
	static const struct tp_nest cases[] = {
		/* A dot product, a matrix times a vector, a matrix times a matrix whose rows are too far apart for offsets. */
		{ .depth = 12, .unroll = 4, .a.depth = 8, .b.depth = 8, .b_at = 96, .c_at = 192 },
		{ .rows = 5,
		  .depth = 6,
		  .unroll = 1,
		  .a = { .depth = 8, .row = 48 },
		  .b.depth = 8,
		  .c.row = 8,
		  .b_at = 240,
		  .c_at = 288 },
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
	};
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(cases); i++) {
		const struct tp_described d = { .kind = TP_DESCRIBED_NEST, .nest = cases[i] };
		struct tp_nest_counts want = tp_nest_count(&cases[i]);
		struct fixture f;
		uint64_t instructions;
		if (!describe(&f, &d, 8192, &instructions)) {
			close_code(&f);
			skip();
		}
		struct machine_counts pass = pass_of(&f);
		assert_int_equal(pass.instructions, instructions);
		assert_int_equal(pass.loads, want.loads);
		assert_int_equal(pass.stores, want.stores);
		assert_int_equal(pass.fp, want.operations);
		assert_int_equal(pass.flops, want.operations);
		assert_int_equal(pass.conditionals, want.conditionals);
		close_code(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loops_do_what_is_in_their_rows),
		cmocka_unit_test(so_they_do_in_the_older_version),
		cmocka_unit_test(missing_vectors_are_told),
		cmocka_unit_test(a_chase_goes_around),
		cmocka_unit_test(a_scatter_writes_every_element),
		cmocka_unit_test(lines_are_run_through),
		cmocka_unit_test(a_nest_does_its_products),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
