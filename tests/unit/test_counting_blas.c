/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counting kernels of BLAS and memory traffic: their results, their counts, and the lines that a
 * model of caches sees them move while they are stepped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/memory.h"
#include "tests/unit/counting_model.h"

/* --- BLAS --- */

static unsigned blas_row(unsigned kernel, unsigned n)
{
	return kernel * 108 + (n <= 100 ? n - 1 : 99 + (n - 100) / 50);
}

static size_t apart(size_t elements)
{
	return (elements * sizeof(double) + PAGE - 1) / PAGE * PAGE / sizeof(double);
}

static void blas_computes_what_it_says(void **state)
{
	(void)state;
	static const unsigned sizes[] = { 1, 2, 3, 7, 8, 33, 64, 100, 150 };
	if (!can_emit())
		skip();
	for (unsigned kernel = 0; kernel < 3; kernel++)
		for (size_t s = 0; s < TP_COUNT_OF(sizes); s++) {
			size_t n = sizes[s];
			struct made made;
			made_new(&made, TP_FAMILY_BLAS, blas_row(kernel, sizes[s]), &zen4_machine,
				 5);
			const double *a = made.data;
			const double *b = kernel == 0 ? a + apart(n) : a + apart(n * n);
			const double *c = b + apart(n);
			if (kernel == 2) {
				b = a + n * n;
				c = b + n * n;
			}
			size_t results = kernel == 0 ? 1 : kernel == 1 ? n : n * n;
			assert_true(a[0] != b[0]);
			for (size_t i = 0; i < results; i++)
				assert_true(c[i] == 0);
			tp_code_function (&made.counting.code)(made.data, 2);
			for (size_t i = 0; i < results; i++) {
				double sum = 0;
				/* GEMM adds to its results in each pass. */
				for (unsigned pass = 0; pass < (kernel == 2 ? 2 : 1); pass++)
					for (size_t k = 0; k < n; k++) {
						volatile double product =
							kernel == 0   ? a[k] * b[k]
							: kernel == 1 ? a[i * n + k] * b[k]
								      : a[i / n * n + k] *
										b[k * n + i % n];
						sum += product;
					}
				assert_true(c[i] == sum);
			}
			made_release(&made);
		}
}

/*
 * Operations, loads, stores, conditional branches of presets/bases/blas.yaml, and the kernel's own
 * number of instructions.
 */
static void blas_counts_are_exact(void **state)
{
	(void)state;
	static const unsigned sizes[] = { 1, 2, 5, 13 };
	if (!can_step())
		skip();
	for (unsigned vex = 0; vex < 2; vex++)
		for (unsigned kernel = 0; kernel < 3; kernel++)
			for (size_t s = 0; s < TP_COUNT_OF(sizes); s++) {
				uint64_t n = sizes[s];
				uint64_t power = kernel == 0 ? n : kernel == 1 ? n * n : n * n * n;
				uint64_t results = kernel == 0 ? 1 : kernel == 1 ? n : n * n;
				struct made made;
				struct tp_diag diag = { 0 };
				assert_int_equal(made_try(&made, TP_FAMILY_BLAS,
							  blas_row(kernel, sizes[s]), &zen4_machine,
							  vex ? NULL : "avx", &diag),
						 TP_OK);
				made.data =
					mmap(NULL, made.counting.data_bytes, PROT_READ | PROT_WRITE,
					     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
				assert_ptr_not_equal(made.data, MAP_FAILED);
				struct pass pass = made_difference(&made);
				assert_int_equal(pass.fp, 2 * power);
				assert_int_equal(pass.loads,
						 2 * power + (kernel == 2 ? results : 0));
				assert_int_equal(pass.stores, results);
				assert_int_equal(pass.conditionals,
						 power + 1 + (kernel > 0 ? n : 0) +
							 (kernel > 1 ? n * n : 0));
				assert_int_equal(pass.steps, made.counting.instructions);
				made_release(&made);
			}
}

/* --- traffic --- */

/* Per line read: those that loads read, those that stores read, those written. */
static void traffic_moves_the_lines_it_says(void **state)
{
	(void)state;
	static const double expected[8][3] = {
		{ 1, 0, 0 },	   { 1, 0, 0 }, { 1, 0, 0 }, { 0, 1, 1 },
		{ 1, 0, 1.0 / 3 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 },
	};
	static const struct tp_counting_machine toy = { .cache_bytes = { 0, KIB, 2 * KIB, 8 * KIB },
							.line_bytes = LINE,
							.page_bytes = PAGE };
	if (!can_step())
		skip();
	/* The second sizes behave like the first, except for gemm, and would only take longer. */
	static const unsigned rows[] = { 0, 2, 4, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	for (size_t r = 0; r < TP_COUNT_OF(rows); r++) {
		unsigned row = rows[r];
		struct made made;
		made_new(&made, TP_FAMILY_TRAFFIC, row, &toy, 7);
		struct model *m = model_new(&made, &toy);
		struct tp_stepper *stepper = made_stepper(&made);
		model_step(stepper, &made, 1, m);
		uint64_t steps = m->steps;
		model_forget(m);
		model_step(stepper, &made, 1, m);
		const double lines = made.counting.iterations, *e = expected[row / 2];
		const double seen[3] = { (double)m->load_misses[3], (double)m->store_misses[3],
					 (double)m->written };
		if (row >= 10) /* from the last level: otherwise it would tell nothing */
			assert_true((double)(m->load_misses[2] + m->store_misses[2]) > 0.9 * lines);
		/*
		 * N is about 60 here: 1 / N is neglected, and twice that for data that is read and
		 * written.
		 */
		for (unsigned i = 0; i < 3; i++)
			if (seen[i] / lines < e[i] - 0.07 || seen[i] / lines > e[i] + 0.07)
				fail_msg("row %u: %u is %g a line", row, i, seen[i] / lines);
		tp_stepper_free(stepper);
		free(m);
		assert_true(made.counting.passes >= 10);
		/* The return is outside the passes, and so is the padding before them. */
		assert_true(steps >= made.counting.instructions + 1);
		assert_true(steps < made.counting.instructions + 16);
		made_release(&made);
	}
}

static void repetitions_adapt(void **state)
{
	(void)state;
	if (!can_emit())
		skip();
	struct made made;
	struct tp_diag diag = { 0 };
	/* 32 MiB: a square problem of 4096; 32 KiB: of 128 */
	assert_int_equal(made_try(&made, TP_FAMILY_TRAFFIC, 2, &zen4_machine, NULL, &diag), TP_OK);
	assert_int_equal(made.counting.passes, 10);
	assert_true(made.counting.iterations == (4096.0 * 4096 + 2 * 4096) / 8);
	made_release(&made);
	assert_int_equal(made_try(&made, TP_FAMILY_TRAFFIC, 2, &tiny_machine, NULL, &diag), TP_OK);
	assert_int_equal(made.counting.passes, 482);
	made_release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blas_computes_what_it_says),
		cmocka_unit_test(blas_counts_are_exact),
		cmocka_unit_test(traffic_moves_the_lines_it_says),
		cmocka_unit_test(repetitions_adapt),
	};
	return cmocka_run_group_tests_name("counting kernels of BLAS and traffic", tests, NULL,
					   NULL);
}
