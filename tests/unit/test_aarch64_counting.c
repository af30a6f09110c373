/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counting kernels of the aarch64 back end, on any machine: run from their disassembly, a pass does exactly what its description says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/aarch64_run.h"
#include "base/vec.h"
#include "kernels/aarch64/aarch64.h"
#include "kernels/described.h"
#include "kernels/loop.h"

static const struct tp_cpu cpu = { .arch = "aarch64", .features = "fp asimd sve sve-256" };

struct fixture {
	struct tp_code code;
	struct a64_program program;
	uint8_t *data;
	size_t data_bytes;
	uint32_t *loaded, *stored;
};

static void open_code(struct fixture *f, size_t data_bytes)
{
	struct tp_str listing = { 0 };
	if (!a64_objdump(f->code.map, f->code.bytes, &listing)) {
		tp_str_clear(&listing);
		assert_int_equal(tp_aarch64_disassemble(f->code.map, f->code.bytes, &listing),
				 TP_OK);
	}
	assert_true(a64_read(&f->program, tp_str_text(&listing)));
	tp_str_release(&listing);
	f->data_bytes = data_bytes;
	f->data = calloc(1, data_bytes);
	f->loaded = calloc(data_bytes, sizeof(*f->loaded));
	f->stored = calloc(data_bytes, sizeof(*f->stored));
	assert_true(f->data && f->loaded && f->stored);
}

static void close_code(struct fixture *f)
{
	a64_release(&f->program);
	tp_code_release(&f->code);
	free(f->data);
	free(f->loaded);
	free(f->stored);
}

static struct a64_counts call(struct fixture *f, uint64_t passes)
{
	struct a64_machine m = { .program = &f->program,
				 .vector_bytes = 32,
				 .data = f->data,
				 .data_bytes = f->data_bytes,
				 .loaded = f->loaded,
				 .stored = f->stored,
				 .limit = 1 << 24 };
	if (!a64_call(&m, 0, passes))
		fail_msg("%s", m.error);
	return m.counts;
}

/* What one pass adds. */
static struct a64_counts pass_of(struct fixture *f)
{
	struct a64_counts one = call(f, 1);
	/* Two passes from the same data; only the second pass is left in the maps when the first is taken away. */
	memset(f->loaded, 0, f->data_bytes * sizeof(*f->loaded));
	memset(f->stored, 0, f->data_bytes * sizeof(*f->stored));
	struct a64_counts three = call(f, 3), two = call(f, 2);
	return (struct a64_counts){
		.executed = three.executed - two.executed,
		.loads = three.loads - two.loads,
		.stores = two.stores - one.stores,
		.loaded_bytes = three.loaded_bytes - two.loaded_bytes,
		.stored_bytes = two.stored_bytes - one.stored_bytes,
		.fp = two.fp - one.fp,
		.flops = three.flops - two.flops,
		.conditionals = two.conditionals - one.conditionals,
		.taken = three.taken - two.taken,
		.jumps = two.jumps - one.jumps,
	};
}

static void describe(struct fixture *f, const struct tp_described *d, uint64_t *instructions)
{
	struct tp_diag diag;
	*f = (struct fixture){ 0 };
	if (tp_aarch64_emit_described(d, &cpu, &f->code, instructions, &diag) != TP_OK)
		fail_msg("%s", diag.what);
}

/* --- loops --- */

static void loops_do_what_is_in_their_rows(void **state)
{
	enum { LOG2 = 4, N = 1 << LOG2, HALF = N / 2 };
	static const struct {
		struct tp_loop loop;
		struct a64_counts pass; /* executed: without what the loop itself needs */
	} rows[] = {
		{ { .ops = { { TP_LOOP_ADD, 3 },
			     { TP_LOOP_MULTIPLY, 2 },
			     { TP_LOOP_SHIFT, 2 },
			     { TP_LOOP_ADDRESS, 1 } },
		    .n_ops = 4 },
		  { .executed = 8 * N, .conditionals = N } },
		{ { .ops = { { TP_LOOP_LOAD, 5 }, { TP_LOOP_STORE, 3 } }, .n_ops = 2 },
		  { .executed = 8 * N, .loads = 5 * N, .stores = 3 * N, .conditionals = N } },
		{ { .ops = { { TP_LOOP_MODIFY, 4 } }, .n_ops = 1 },
		  { .executed = 12 * N, .loads = 4 * N, .stores = 4 * N, .conditionals = N } },
		{ { .ops = { { TP_LOOP_FP, 24 } }, .n_ops = 1, .fp = { 8, 16, false } },
		  { .executed = 24 * N, .fp = 24 * N, .flops = 48 * N, .conditionals = N } },
		{ { .ops = { { TP_LOOP_FP, 12 } }, .n_ops = 1, .fp = { 4, 0, true } },
		  { .executed = 12 * N, .fp = 12 * N, .flops = 24 * N, .conditionals = N } },
		{ { .ops = { { TP_LOOP_FP, 12 } }, .n_ops = 1, .fp = { 4, 32, true } },
		  { .executed = 12 * N, .fp = 12 * N, .flops = 192 * N, .conditionals = N } },
		{ { .ops = { { TP_LOOP_JUMP, 1 }, { TP_LOOP_ADD, 7 }, { TP_LOOP_ADD, 1 } },
		    .n_ops = 3 },
		  { .executed = 2 * N, .jumps = N, .conditionals = N } },
		{ { .ops = { { TP_LOOP_NEVER, 1 }, { TP_LOOP_ADD, 7 } }, .n_ops = 2 },
		  { .executed = 8 * N, .conditionals = 2 * N } },
		{ { .ops = { { TP_LOOP_ALWAYS, 1 }, { TP_LOOP_ADD, 7 } }, .n_ops = 2 },
		  { .executed = N, .conditionals = 2 * N, .taken = N } },
		{ { .ops = { { TP_LOOP_BARRIER, 1 } }, .n_ops = 1 },
		  { .executed = 2 * N, .conditionals = N } },
		{ { .ops = { { TP_LOOP_NEXT, 1 }, { TP_LOOP_ALTERNATE, 1 }, { TP_LOOP_ADD, 2 } },
		    .n_ops = 3,
		    .stream = true },
		  { .executed = 4 * N + 2 * HALF,
		    .loads = N,
		    .conditionals = 2 * N,
		    .taken = HALF } },
		{ { .ops = { { TP_LOOP_NEXT, 1 }, { TP_LOOP_RANDOM, 1 }, { TP_LOOP_STORE, 2 } },
		    .n_ops = 3,
		    .stream = true },
		  { .executed = 14 * N + 2 * HALF,
		    .loads = N,
		    .stores = 2 * HALF,
		    .conditionals = 2 * N,
		    .taken = HALF } },
	};
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		struct tp_loop loop = rows[i].loop;
		struct tp_loop_cost cost = { 0 };
		struct fixture f = { 0 };
		struct tp_diag diag;
		loop.pass_log2 = LOG2;
		if (tp_aarch64_emit_loop(&loop, &cpu, &f.code, &cost, &diag) != TP_OK)
			fail_msg("row %zu: %s", i, diag.what);
		open_code(&f, tp_loop_data_bytes(&loop));
		tp_loop_fill(f.data, loop.fp.element_bytes, loop.stream ? LOG2 : 0);
		struct a64_counts pass = pass_of(&f);
		const struct a64_counts *is = &rows[i].pass;
		const uint64_t found[][2] = {
			{ pass.executed, tp_loop_instructions(&loop, &cost) },
			{ pass.executed, is->executed + 2 * N },
			{ pass.loads, is->loads },
			{ pass.stores, is->stores },
			{ pass.fp, is->fp },
			{ pass.flops, is->flops },
			{ pass.conditionals, is->conditionals },
			{ pass.taken, is->taken + N }, /* the loop's own */
			{ pass.jumps, is->jumps },
		};
		for (size_t n = 0; n < TP_COUNT_OF(found); n++)
			if (found[n][0] != found[n][1])
				fail_msg("row %zu: count %zu is %llu, not %llu", i, n,
					 (unsigned long long)found[n][0],
					 (unsigned long long)found[n][1]);
		close_code(&f);
	}
}

static void missing_vectors_are_told(void **state)
{
	static const struct {
		struct tp_loop_fp fp;
		const char *features, *what;
	} rows[] = {
		{ { 8, 64, true },
		  "fp asimd sve sve-256",
		  "needs sve-512, which this CPU or kernel does not offer" },
		{ { 8, 32, true },
		  "fp asimd",
		  "needs sve-256, which this CPU or kernel does not offer" },
		{ { 8, 16, true }, "fp", "needs asimd, which this CPU or kernel does not offer" },
	};
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		struct tp_loop loop = { .ops = { { TP_LOOP_FP, 12 } },
					.n_ops = 1,
					.fp = rows[i].fp };
		struct tp_cpu lesser = cpu;
		struct tp_loop_cost cost;
		struct tp_code code;
		struct tp_diag diag;
		tp_copy(lesser.features, sizeof(lesser.features), rows[i].features);
		assert_int_equal(tp_aarch64_emit_loop(&loop, &lesser, &code, &cost, &diag),
				 TP_UNSUPPORTED);
		assert_string_equal(diag.what, rows[i].what);
	}
}

/* --- described code --- */

static void a_chase_goes_once_around(void **state)
{
	enum { CELLS = 37 };
	static const unsigned unrolls[] = { 1, 8, 36, 64 };
	(void)state;
	for (size_t u = 0; u < TP_COUNT_OF(unrolls); u++) {
		const struct tp_described d = { .kind = TP_DESCRIBED_CHASE,
						.chase = { CELLS, unrolls[u] } };
		struct fixture f;
		uint64_t instructions;
		describe(&f, &d, &instructions);
		open_code(&f, CELLS * 8);
		for (size_t i = 0; i < CELLS; i++) { /* steps of 5 meet every cell */
			uint64_t next = A64_DATA + (i + 5) % CELLS * 8;
			memcpy(f.data + i * 8, &next, 8);
		}
		struct a64_counts pass = pass_of(&f);
		assert_int_equal(pass.loads, CELLS);
		assert_int_equal(pass.stores, 0);
		assert_int_equal(pass.executed, instructions);
		for (size_t i = 0; i < f.data_bytes; i++)
			assert_int_equal(f.loaded[i], 5); /* three passes and two */
		close_code(&f);
	}
}

static void scattered_stores_meet_every_element(void **state)
{
	enum { STRIDE = 64 };
	static const struct tp_scatter rows[] = {
		{ STRIDE, 64, 1, 5, 3, 16 },
		{ STRIDE, 8, 16, 13, 1, 16 },
		{ STRIDE, 1024, 2, 0x5851f42d, 0x1fff1, 4 },
	};
	(void)state;
	for (size_t r = 0; r < TP_COUNT_OF(rows); r++) {
		const struct tp_described d = { .kind = TP_DESCRIBED_SCATTER, .scatter = rows[r] };
		uint64_t elements = rows[r].blocks * rows[r].block_elements, instructions;
		struct fixture f;
		describe(&f, &d, &instructions);
		open_code(&f, elements * STRIDE);
		struct a64_counts pass = pass_of(&f);
		assert_int_equal(pass.stores, elements);
		assert_int_equal(pass.loads, 0);
		assert_int_equal(pass.executed, instructions);
		for (size_t i = 0; i < f.data_bytes; i++)
			assert_int_equal(f.stored[i], i % STRIDE < 8 ? 5 : 0);
		close_code(&f);
	}
}

/* The last row is longer than a conditional branch reaches. */
static void lines_are_run_through_once(void **state)
{
	static const struct tp_lines rows[] = {
		{ 2, 64, true },    { 100, 64, true },	 { 2, 64, false },
		{ 99, 128, false }, { 9000, 128, true }, { 20000, 64, false },
	};
	(void)state;
	for (size_t r = 0; r < TP_COUNT_OF(rows); r++) {
		const struct tp_lines *l = &rows[r];
		const struct tp_described d = { .kind = TP_DESCRIBED_LINES, .lines = *l };
		struct fixture f;
		uint64_t instructions;
		describe(&f, &d, &instructions);
		open_code(&f, 64);
		struct a64_counts pass = pass_of(&f);
		bool far = l->lines * l->line_bytes > 1 << 20;
		assert_int_equal(pass.executed, instructions);
		assert_int_equal(pass.loads + pass.stores, 0);
		assert_int_equal(pass.conditionals, l->full ? 2 * l->lines : l->lines);
		assert_int_equal(pass.taken, (l->full ? 0 : l->lines - 1) + !far);
		assert_int_equal(pass.jumps, far);
		if (l->full) /* all but the last line, which holds what the loop needs */
			assert_true(pass.executed >=
				    (l->lines - 1) * l->line_bytes / 4 + pass.jumps + 3);
		close_code(&f);
	}
}

static void nests_are_products_and_sums(void **state)
{
	static const struct tp_nest rows[] = {
		/* dot product */
		{ .depth = 24,
		  .unroll = 8,
		  .a = { .depth = 8 },
		  .b = { .depth = 8 },
		  .b_at = 192,
		  .c_at = 4096 },
		/* matrix times matrix of order 8, two of them; b by columns, beyond an offset's reach */
		{ .batches = 2,
		  .rows = 8,
		  .columns = 8,
		  .depth = 8,
		  .unroll = 8,
		  .a = { .depth = 8, .column = 0, .row = 64, .batch = 512 },
		  .b = { .depth = 4800, .column = 8, .row = 0, .batch = 64 },
		  .c = { .column = 8, .row = 64, .batch = 512 },
		  .b_at = 1024,
		  .c_at = 49152,
		  .accumulate = true },
	};
	(void)state;
	for (size_t r = 0; r < TP_COUNT_OF(rows); r++) {
		const struct tp_described d = { .kind = TP_DESCRIBED_NEST, .nest = rows[r] };
		struct tp_nest_counts is = tp_nest_count(&rows[r]);
		struct fixture f;
		uint64_t instructions;
		describe(&f, &d, &instructions);
		open_code(&f, 65536);
		struct a64_counts pass = pass_of(&f);
		assert_int_equal(pass.executed, instructions);
		assert_int_equal(pass.loads, is.loads);
		assert_int_equal(pass.stores, is.stores);
		assert_int_equal(pass.stored_bytes, 8 * is.stores);
		assert_int_equal(pass.fp, is.operations);
		assert_int_equal(pass.flops, is.operations);
		assert_int_equal(pass.conditionals, is.conditionals);
		/* Each result once a pass, in its place. */
		for (uint64_t i = 0; i < is.stores; i++)
			assert_int_equal(f.stored[rows[r].c_at + 8 * i], 5);
		/* Each a is used for every column. */
		uint64_t uses = rows[r].columns ? rows[r].columns : 1;
		for (uint64_t i = 0; i < is.products / uses; i++)
			assert_int_equal(f.loaded[8 * i], 5 * uses);
		close_code(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loops_do_what_is_in_their_rows),
		cmocka_unit_test(missing_vectors_are_told),
		cmocka_unit_test(a_chase_goes_once_around),
		cmocka_unit_test(scattered_stores_meet_every_element),
		cmocka_unit_test(lines_are_run_through_once),
		cmocka_unit_test(nests_are_products_and_sums),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
