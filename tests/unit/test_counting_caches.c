/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counting kernels of data and code: names and sizes of their families, their addresses, and what
 * a model of caches sees while they are stepped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "tests/unit/counting_model.h"

/* --- names and sizes --- */

static void families_have_their_rows_by_name(void **state)
{
	(void)state;
	static const struct {
		enum tp_family_id id;
		const char *name;
		unsigned rows, kernels, row;
		const char *row_name, *kernel_name; /* of that row; of the last kernel */
	} cases[] = {
		{ TP_FAMILY_DCACHE_READ, "dcache-read", 48, 6, 0, "stride64 ppb16 L1 1",
		  "stride128 ppb512" },
		{ TP_FAMILY_DCACHE_READ, "dcache-read", 48, 6, 2, "stride64 ppb16 L2 1",
		  "stride128 ppb512" },
		{ TP_FAMILY_DCACHE_WRITE, "dcache-write", 48, 6, 47, "stride128 ppb512 M 2",
		  "stride128 ppb512" },
		{ TP_FAMILY_DCACHE_WRITE, "dcache-write", 48, 6, 13, "stride64 ppb64 L3 2",
		  "stride128 ppb512" },
		{ TP_FAMILY_ICACHE, "icache", 16, 2, 8, "sparse 1", "sparse" },
		{ TP_FAMILY_BLAS, "blas", 324, 3, 0, "dot 1", "gemm" },
		{ TP_FAMILY_BLAS, "blas", 324, 3, 99, "dot 100", "gemm" },
		{ TP_FAMILY_BLAS, "blas", 324, 3, 100, "dot 150", "gemm" },
		{ TP_FAMILY_BLAS, "blas", 324, 3, 323, "gemm 500", "gemm" },
		{ TP_FAMILY_TRAFFIC, "traffic", 16, 8, 7, "capped-narrow 2", "gemm-cached" },
		{ TP_FAMILY_TRAFFIC, "traffic", 16, 8, 10, "dot-cached 1", "gemm-cached" },
	};
	for (size_t i = 0; i < TP_COUNT_OF(cases); i++) {
		const struct tp_family *f = counting_family(cases[i].id);
		char name[64];
		assert_string_equal(f->name, cases[i].name);
		assert_ptr_equal(tp_family_find(cases[i].name), f);
		assert_int_equal(f->id, cases[i].id);
		assert_int_equal(f->n_rows, cases[i].rows);
		assert_int_equal(f->n_kernels, cases[i].kernels);
		assert_int_equal(tp_family_first_row(f, 0), 0);
		assert_int_equal(tp_family_first_row(f, f->n_kernels), f->n_rows);
		assert_string_equal(tp_family_row_name(f, cases[i].row, name, sizeof(name)),
				    cases[i].row_name);
		assert_string_equal(f->kernel_name(f->n_kernels - 1, name, sizeof(name)),
				    cases[i].kernel_name);
	}
}

/*
 * A buffer is certainly inside a level if its span fits and its lines alone exceed the level
 * below.
 */
static void buffers_lie_safely_inside_their_levels(void **state)
{
	(void)state;
	static const struct {
		uint64_t l1, l2, l3;
		bool no_l2, no_l3;
	} machines[] = {
		{ 32 * KIB, MIB, 32 * MIB, false, false },
		{ 48 * KIB, 2 * MIB, 24 * MIB, false, false },
		{ 32 * KIB, 256 * KIB, 2560 * KIB, false, false },
		{ 32 * KIB, 512 * KIB, 0, false, true },
		{ KIB, 8 * KIB, 64 * KIB, false, false },
		{ 512, 16 * KIB, 512 * KIB, false, false },
		{ 48 * KIB, 2 * MIB, 1920 * KIB, false, true }, /* a share less than L2 */
		{ 64 * KIB, 64 * KIB, MIB, true, false },
	};
	if (!can_emit())
		skip();
	for (size_t i = 0; i < TP_COUNT_OF(machines); i++)
		for (unsigned write = 0; write < 2; write++)
			for (unsigned row = 0; row < 48; row++) {
				const uint64_t caches[4] = { 0, machines[i].l1, machines[i].l2,
							     machines[i].l3 };
				struct tp_counting_machine machine = { .line_bytes = LINE,
								       .page_bytes = PAGE };
				memcpy(machine.cache_bytes, caches, sizeof(caches));
				unsigned stride = row < 24 ? 64 : 128, region = row % 8 / 2 + 1;
				struct made made;
				struct tp_diag diag = { 0 };
				enum tp_status status = made_try(&made,
								 write ? TP_FAMILY_DCACHE_WRITE
								       : TP_FAMILY_DCACHE_READ,
								 row, &machine, NULL, &diag);
				bool none =
					(region == 2 && machines[i].no_l2) ||
					(region == 3 && machines[i].no_l3) ||
					(region == 1 && row % 2 == 0 && caches[1] / 4 < 2 * stride);
				assert_int_equal(status, none ? TP_UNSUPPORTED : TP_OK);
				if (none) {
					assert_true(diag.what[0]);
					continue;
				}
				double elements = made.counting.iterations, lines = elements * LINE,
				       span = elements * stride;
				uint64_t last = caches[3] ? caches[3] : caches[2];
				if (region == 4) {
					assert_true(lines >= 2 * (double)last);
					assert_true(lines <= 8 * (double)last);
				} else {
					assert_true(span <= 0.8 * (double)caches[region]);
				}
				if (region == 2 || region == 3)
					assert_true(lines >= 1.25 * (double)caches[region - 1]);
				assert_true((double)made.counting.data_bytes >= span);
				if (i == 0 && row % 2 == 1) {
					struct made smaller;
					assert_int_equal(made_try(&smaller,
								  write ? TP_FAMILY_DCACHE_WRITE
									: TP_FAMILY_DCACHE_READ,
								  row - 1, &machine, NULL, &diag),
							 TP_OK);
					assert_true(smaller.counting.iterations < elements);
					made_release(&smaller);
				}
				made_release(&made);
			}
}

static void what_is_not_there_or_too_large_is_refused_in_words(void **state)
{
	(void)state;
	if (!can_emit())
		skip();
	struct made made;
	struct tp_diag diag = { 0 };
	struct tp_counting_machine machine = zen4_machine;
	machine.cache_bytes[3] = 0;
	assert_int_equal(made_try(&made, TP_FAMILY_DCACHE_READ, 4, &machine, NULL, &diag),
			 TP_UNSUPPORTED);
	assert_string_equal(diag.what, "this machine has no L3");
	assert_string_equal(diag.where, "dcache-read, stride64 ppb16 L3 1");
	machine.max_instructions = 100000;
	assert_int_equal(made_try(&made, TP_FAMILY_BLAS, 323, &machine, NULL, &diag), TP_RESOURCE);
	assert_non_null(strstr(diag.what, "100000"));
	assert_int_equal(made_try(&made, TP_FAMILY_BLAS, 0, &machine, NULL, &diag), TP_OK);
	made_release(&made);
	machine.max_bytes = 64 * KIB;
	assert_int_equal(made_try(&made, TP_FAMILY_DCACHE_WRITE, 7, &machine, NULL, &diag),
			 TP_RESOURCE);
	static const struct tp_counting_machine unknown = { .line_bytes = LINE };
	for (unsigned id = TP_FAMILY_DCACHE_READ; id <= TP_FAMILY_TRAFFIC; id++)
		if (id != TP_FAMILY_INSTRUCTIONS && id != TP_FAMILY_BLAS)
			assert_int_equal(made_try(&made, id, 0, &unknown, NULL, &diag),
					 TP_UNSUPPORTED);
	assert_int_equal(made_try(&made, TP_FAMILY_ICACHE, 16, &zen4_machine, NULL, &diag),
			 TP_USAGE);
}

/* --- data cache --- */

/* Offsets of one pass: every element once, and each block only once. */
static void is_a_trip(const uint64_t *trip, size_t n, unsigned stride, uint64_t block_bytes)
{
	bool *seen = calloc(n, sizeof(*seen)), *left = calloc(n, sizeof(*left));
	assert_non_null(seen);
	assert_non_null(left);
	for (size_t i = 0; i < n; i++) {
		uint64_t element = trip[i] / stride, block = trip[i] / block_bytes;
		assert_int_equal(trip[i] % stride, 0);
		assert_true(element < n);
		assert_false(seen[element]);
		assert_false(left[block]);
		seen[element] = true;
		if (i && trip[i - 1] / block_bytes != block)
			left[trip[i - 1] / block_bytes] = true;
	}
	free(seen);
	free(left);
}

/* Pages of 64 bytes make several blocks of small buffers. */
static const struct tp_counting_machine small_pages = {
	.cache_bytes = { 0, KIB, 8 * KIB, 64 * KIB }, .line_bytes = LINE, .page_bytes = 64
};

static uint64_t block_of(unsigned row, const struct tp_counting_machine *machine, uint64_t span)
{
	static const unsigned pages[] = { 16, 64, 512 };
	uint64_t block = pages[row / 8 % 3] * machine->page_bytes;
	return block < span ? block : span;
}

static void a_ring_visits_every_element_block_by_block(void **state)
{
	(void)state;
	if (!can_emit())
		skip();
	for (unsigned row = 0; row < 48; row++)
		for (unsigned pages = 0; pages < 2; pages++) {
			struct tp_counting_machine sizes = small_pages, *machine = &sizes;
			sizes.page_bytes = pages ? 64 : PAGE;
			unsigned stride = row < 24 ? 64 : 128;
			struct tp_cpu cpu = counting_host(NULL);
			struct tp_counting counting;
			struct tp_diag diag = { 0 };
			assert_int_equal(tp_counting_make(counting_family(TP_FAMILY_DCACHE_READ),
							  row, &cpu, machine, &counting, &diag),
					 TP_OK);
			size_t n = (size_t)counting.iterations;
			char *data =
				aligned_alloc(PAGE, (counting.data_bytes + PAGE - 1) / PAGE * PAGE);
			uint64_t *trips[2] = { calloc(n, 8), calloc(n, 8) };
			assert_non_null(data);
			for (unsigned seed = 0; seed < 2; seed++) {
				counting.fill(&counting, data, seed + 1);
				char *at = data;
				for (size_t i = 0; i < n; i++) {
					trips[seed][i] = (uint64_t)(at - data);
					uint64_t next;
					memcpy(&next, at, sizeof(next));
					at = (char *)(uintptr_t)next;
				}
				assert_ptr_equal(at, data);
				is_a_trip(trips[seed], n, stride,
					  block_of(row, machine, n * stride));
			}
			if (n >= 16)
				assert_memory_not_equal(trips[0], trips[1], n * 8);
			/* The code reaches its end and nothing else. */
			tp_code_function (&counting.code)(data, 3);
			free(trips[0]);
			free(trips[1]);
			free(data);
			tp_counting_release(&counting);
		}
}

static void stores_go_to_every_element_block_by_block(void **state)
{
	(void)state;
	if (!can_step())
		skip();
	for (unsigned row = 0; row < 48; row++) {
		if (row % 8 > 5 || (row % 8 > 3 && row / 8 % 3 == 2))
			continue; /* what is large takes long */
		struct made made;
		struct tp_counting_machine machine = small_pages;
		unsigned stride = row < 24 ? 64 : 128;
		struct tp_cpu cpu = counting_host(NULL);
		struct tp_diag diag = { 0 };
		assert_int_equal(tp_counting_make(counting_family(TP_FAMILY_DCACHE_WRITE), row,
						  &cpu, &machine, &made.counting, &diag),
				 TP_OK);
		size_t n = (size_t)made.counting.iterations;
		made.counting.data_bytes = (made.counting.data_bytes + PAGE - 1) / PAGE * PAGE;
		made.data = aligned_alloc(PAGE, made.counting.data_bytes);
		assert_non_null(made.data);
		struct model *m = model_new(&made, &tiny_machine);
		m->cap_trace = 2 * n;
		m->trace = calloc(2 * n, sizeof(*m->trace));
		assert_non_null(m->trace);
		struct tp_stepper *stepper = made_stepper(&made);
		model_step(stepper, &made, 2, m);
		assert_int_equal(m->loads, 0);
		assert_int_equal(m->stores, 2 * n);
		is_a_trip(m->trace, n, stride, block_of(row, &machine, n * stride));
		assert_memory_equal(m->trace, m->trace + n, n * sizeof(*m->trace));
		tp_stepper_free(stepper);
		free(m->trace);
		free(m);
		free(made.data);
		made.data = NULL;
		made_release(&made);
	}
}

/* Numbers of the bases, per access: L1DM L1DH L2DH L3DH. */
static void regions_hit_the_level_they_are_named_after(void **state)
{
	(void)state;
	static const unsigned rows[] = { 0, 1, 2, 3, 4, 5, 6, 26, 27, 44, 45, 46 };
	static const double expected[4][4] = {
		{ 0, 1, 0, 0 }, { 1, 0, 1, 0 }, { 1, 0, 0, 1 }, { 1, 0, 0, 0 }
	};
	if (!can_step())
		skip();
	for (unsigned write = 0; write < 2; write++)
		for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
			struct made made;
			made_new(&made, write ? TP_FAMILY_DCACHE_WRITE : TP_FAMILY_DCACHE_READ,
				 rows[i], &tiny_machine, 7);
			struct model *m = model_new(&made, &tiny_machine);
			struct tp_stepper *stepper = made_stepper(&made);
			model_step(stepper, &made, 1, m);
			model_forget(m);
			model_step(stepper, &made, 1, m);
			double n = made.counting.iterations;
			const double *e = expected[rows[i] % 8 / 2];
			uint64_t misses = m->load_misses[1] + m->store_misses[1];
			assert_true((double)misses == e[0] * n);
			assert_true((double)m->hit[1] == e[1] * n);
			assert_true((double)m->hit[2] == e[2] * n);
			assert_true((double)m->hit[3] == e[3] * n);
			assert_true((double)(write ? m->stores : m->loads) == n);
			assert_int_equal(write ? m->loads : m->stores, 0);
			tp_stepper_free(stepper);
			free(m);
			struct pass pass = made_difference(&made);
			assert_int_equal(pass.steps, made.counting.instructions);
			made_release(&made);
		}
}

/* --- instruction cache --- */

static const struct tp_counting_machine code_machine = { .cache_bytes = { 0, KIB, 8 * KIB },
							 .line_bytes = LINE,
							 .page_bytes = PAGE };

static void code_is_fetched_line_by_line(void **state)
{
	(void)state;
	if (!can_step())
		skip();
	double before = 0;
	for (unsigned row = 0; row < 16; row++) {
		struct made made;
		made_new(&made, TP_FAMILY_ICACHE, row, &code_machine, 1);
		struct model *m = model_new(&made, &tiny_machine);
		struct tp_stepper *stepper = made_stepper(&made);
		model_step(stepper, &made, 1, m);
		uint64_t fetched = m->fetched, conditionals = m->conditionals, taken = m->taken;
		model_forget(m);
		model_step(stepper, &made, 2, m);
		uint64_t lines = (uint64_t)made.counting.iterations;
		bool full = row < 8;
		/*
		 * The second run comes from the last line to the first instruction again: one entry
		 * each.
		 */
		assert_int_equal(m->fetched - fetched, lines);
		assert_int_equal(m->conditionals - conditionals, full ? 2 * lines : lines);
		/* The return is taken, too, and the last loop branch is not: those cancel. */
		assert_int_equal(m->taken - taken, full ? 1 : lines);
		tp_stepper_free(stepper);
		free(m);
		struct pass pass = made_difference(&made);
		assert_int_equal(pass.steps, made.counting.instructions);
		if (row % 8)
			assert_true(made.counting.iterations > before);
		before = made.counting.iterations;
		double bytes = before * LINE, l1 = KIB, l2 = 8 * KIB;
		assert_true(row % 8 < 2	  ? bytes <= l1 / 2
			    : row % 8 < 6 ? bytes >= 2 * l1 - LINE && bytes <= l2 / 2
					  : bytes >= 2 * l2);
		assert_int_equal(made.counting.code.loop_begin % LINE, 0);
		made_release(&made);
	}
	for (unsigned row = 0; row < 16; row++) {
		struct made made;
		made_new(&made, TP_FAMILY_ICACHE, row, &zen4_machine, 1);
		tp_code_function (&made.counting.code)(made.data, 2);
		made_release(&made);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(families_have_their_rows_by_name),
		cmocka_unit_test(buffers_lie_safely_inside_their_levels),
		cmocka_unit_test(what_is_not_there_or_too_large_is_refused_in_words),
		cmocka_unit_test(a_ring_visits_every_element_block_by_block),
		cmocka_unit_test(stores_go_to_every_element_block_by_block),
		cmocka_unit_test(regions_hit_the_level_they_are_named_after),
		cmocka_unit_test(code_is_fetched_line_by_line),
	};
	return cmocka_run_group_tests_name("counting kernels of caches", tests, NULL, NULL);
}
