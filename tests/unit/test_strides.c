/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The walks of the shipped patterns strides and random-source: each line of an array once a pass,
 * in the order that is promised.
 */
#include "compiled_pattern.h"

/* The lines of array `from` in the order in which c, which is walked in sequence, got them. */
static void read_order(struct walked *w, size_t from, size_t c)
{
	assert_int_equal(w->elements[from], 8 * w->lines);
	assert_int_equal(w->elements[c], w->lines);
	for (uint64_t i = 0; i < w->elements[from]; i++)
		w->arrays[from][i] = i % 8 ? -1 : (double)(i / 8);
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

static void expect_way(const struct walked *w, int way, const double *order, long stride)
{
	if (way != 2)
		expect_strides(w, order, way ? stride : 1);
	else if (w->lines > 9000)
		expect_random(w, order);
}

/* Each of the 8 doubles of a line, in all lines of c, and no line twice. */
static void expect_product(struct walked *w, double *const orders[3])
{
	enum { A, B, C };
	for (long i = 0; i < 8 * w->lines; i++) {
		w->arrays[A][i] = (double)i;
		w->arrays[B][i] = 1 + (double)(i % 11);
	}
	w->run(&w->arguments, 1);
	for (long i = 0; i < w->lines; i++)
		for (long k = 0; k < 8; k++) {
			long x = 8 * (long)orders[C][i] + k, y = 8 * (long)orders[A][i] + k;
			long z = 8 * (long)orders[B][i] + k;
			if (w->arrays[C][x] != (double)y * (1 + (double)(z % 11)))
				fail_msg("step %ld: c[%ld] is %g", i, x, w->arrays[C][x]);
		}
}

static const long sizes[] = { 1, 1000, 10000, 65536, 100003 };
static const long strides[] = { 1,   2,	  3,   4,    8,	   16,	 32,   64,
				128, 256, 512, 1000, 1024, 2048, 4096, 8192 };

/* The orders of a, b and c, and what a pass makes of them: c of step i is a times b of that step.
 */
static void test_walks(void **state)
{
	enum { ARRAYS = 3, WAYS = 3 };
	static const char *const ways[ARRAYS] = { "g", "h", "f" };
	struct walked w = { 0 };
	(void)state;
	load(&w, "strides");
	compile(&w, "-O3"); /* one code for all: parameters are its arguments */
	for (size_t n = 0; n < TP_COUNT_OF(sizes); n++)
		for (size_t s = 0; s < TP_COUNT_OF(strides); s++)
			for (int turn = 0; turn < WAYS; turn++) {
				double *orders[ARRAYS];
				set(&w, "n", sizes[n]);
				set(&w, "S", strides[s]);
				for (int a = 0; a < ARRAYS; a++)
					set(&w, ways[a], (a + turn) % WAYS);
				open_arrays(&w);
				assert_int_equal(w.lines, sizes[n]);
				for (int a = 0; a < ARRAYS; a++) {
					const int32_t *order = (const void *)w.arrays[ARRAYS + a];
					orders[a] = tp_alloc((size_t)w.lines, sizeof(double));
					for (long i = 0; i < w.lines; i++)
						orders[a][i] = order[i];
					expect_each_once(&w, orders[a]);
					expect_way(&w, (a + turn) % WAYS, orders[a], strides[s]);
				}
				expect_product(&w, orders);
				for (int a = 0; a < ARRAYS; a++)
					free(orders[a]);
				close_arrays(&w);
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
			read_order(&w, A, C);
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
		cmocka_unit_test(test_walks),
		cmocka_unit_test(test_sources_of_random_lines),
	};
	return cmocka_run_group_tests(tests, make_top, remove_top);
}
