/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The walks of the shipped patterns strides and random-source: their compiled code touches each
 * line of an array exactly once a pass, in the order that is promised.
 */
#include "compiled_pattern.h"

/*
 * The lines of array `from` in the order in which c, which is walked in sequence, got them. Array
 * `other`, if there is one, is a factor.
 */
static void read_order(struct walked *w, size_t from, size_t other, size_t c)
{
	assert_int_equal(w->elements[from], 8 * w->lines);
	assert_int_equal(w->elements[c], w->lines);
	for (uint64_t i = 0; i < w->elements[from]; i++)
		w->arrays[from][i] = i % 8 ? -1 : (double)(i / 8);
	for (uint64_t i = 0; other != from && i < w->elements[other]; i++)
		w->arrays[other][i] = 1;
	w->run(&w->arguments, 1);
}

static void expect_each_once(const struct walked *w, const double *order)
{
	unsigned char *seen = calloc((size_t)w->lines, 1);
	assert_non_null(seen);
	for (long i = 0; i < w->lines; i++) {
		long line = (long)order[i];
		if (line < 0 || line >= w->lines || seen[line])
			fail_msg("step %ld of %ld: line %ld", i, w->lines, line);
		seen[line] = 1;
	}
	free(seen);
}

/* S traversals: of the lines 0, S, 2 S, ..., then of 1, 1 + S, ... */
static void expect_strides(const struct walked *w, const double *order, long stride)
{
	long i = 0;
	for (long lap = 0; lap < stride; lap++)
		for (long line = lap; line < w->lines; line += stride, i++)
			if ((long)order[i] != line)
				fail_msg("S=%ld: step %ld: line %g, expected %ld", stride, i,
					 order[i], line);
	assert_int_equal(i, w->lines);
}

/* Neighbours are rare: no prefetcher that follows strides could guess the next line. */
static void expect_random(const struct walked *w, const double *order)
{
	long near = 0, repeated = 0;
	for (long i = 2; i < w->lines; i++) {
		double step = order[i] - order[i - 1];
		near += step >= -2 && step <= 2;
		repeated += step == order[i - 1] - order[i - 2];
	}
	assert_true(near < w->lines / 100);
	assert_true(repeated < w->lines / 100);
}

static const long sizes[] = { 1000, 10000, 65536, 100003 };
static const long strides[] = { 1,   2,	  3,   4,    8,	   16,	 32,   64,
				128, 256, 512, 1000, 1024, 2048, 4096, 8192 };

static void test_strided_reads(void **state)
{
	enum { A, B, C };
	(void)state;
	for (int array = A; array <= B; array++) {
		struct walked w = { 0 };
		load(&w, "strides");
		set(&w, "f", 0);
		set(&w, "g", array == A);
		set(&w, "h", array == B);
		compile(&w, "-O3");
		for (size_t n = 0; n < TP_COUNT_OF(sizes); n++)
			for (size_t s = 0; s < TP_COUNT_OF(strides); s++) {
				set(&w, "n", sizes[n]);
				set(&w, "S", strides[s]);
				open_arrays(&w);
				read_order(&w, (size_t)array, array == A ? B : A, C);
				expect_each_once(&w, w.arrays[C]);
				expect_strides(&w, w.arrays[C], strides[s]);
				close_arrays(&w);
			}
	}
}

static void test_random_reads(void **state)
{
	enum { A, B, C };
	(void)state;
	for (int array = A; array <= B; array++) {
		struct walked w = { 0 };
		load(&w, "strides");
		set(&w, "f", 0);
		set(&w, "g", array == A ? 2 : 0);
		set(&w, "h", array == B ? 2 : 0);
		compile(&w, "-O3");
		for (size_t n = 0; n < TP_COUNT_OF(sizes); n++) {
			set(&w, "n", sizes[n]);
			open_arrays(&w);
			assert_true(w.lines > sizes[n] / 100 * 98 && w.lines <= sizes[n]);
			read_order(&w, (size_t)array, array == A ? B : A, C);
			expect_each_once(&w, w.arrays[C]);
			if (w.lines > 9000)
				expect_random(&w, w.arrays[C]);
			close_arrays(&w);
		}
	}
}

/* As many stores as lines, and none is left out: each is stored to once. */
static void test_writes(void **state)
{
	enum { A, B, C };
	(void)state;
	for (int how = 1; how <= 2; how++) {
		struct walked w = { 0 };
		load(&w, "strides");
		set(&w, "f", how);
		set(&w, "g", 0);
		set(&w, "h", 0);
		compile(&w, "-O3");
		for (size_t n = 0; n < TP_COUNT_OF(sizes); n++)
			for (size_t s = 0; s < (how == 1 ? TP_COUNT_OF(strides) : 1); s++) {
				set(&w, "n", sizes[n]);
				set(&w, "S", strides[s]);
				open_arrays(&w);
				for (long i = 0; i < w.lines; i++) {
					w.arrays[A][i] = (double)i;
					w.arrays[B][i] = 1;
				}
				w.run(&w.arguments, 1);
				double *steps = calloc((size_t)w.lines, sizeof(*steps));
				assert_non_null(steps);
				for (long i = 0; i < 8 * w.lines; i++)
					if (i % 8)
						assert_true(w.arrays[C][i] == -1);
					else
						steps[i / 8] = w.arrays[C][i];
				expect_each_once(&w, steps); /* a step for each line */
				free(steps);
				close_arrays(&w);
			}
	}
}

static void test_sources_of_random_lines(void **state)
{
	enum { A, C };
	(void)state;
	for (int source = 0; source <= 1; source++) {
		struct walked w = { 0 };
		load(&w, "random-source");
		set(&w, "source", source);
		compile(&w, "-O3");
		for (size_t n = 0; n < TP_COUNT_OF(sizes); n++) {
			set(&w, "n", sizes[n]);
			open_arrays(&w);
			read_order(&w, A, A, C);
			expect_each_once(&w, w.arrays[C]);
			if (w.lines > 9000)
				expect_random(&w, w.arrays[C]);
			close_arrays(&w);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strided_reads),
		cmocka_unit_test(test_random_reads),
		cmocka_unit_test(test_writes),
		cmocka_unit_test(test_sources_of_random_lines),
	};
	return cmocka_run_group_tests(tests, make_top, remove_top);
}
