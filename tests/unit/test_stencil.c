/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer conditions and times of stencils, against what the literature has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/stencil.h"
#include "tests/unit/near.h"

#define ABOUT(a, b) assert_near(a, b, 1e-9 * (1 + (b)))

static void add(struct tp_stencil *s, unsigned array, int64_t offset_bytes, bool write)
{
	s->accesses[s->n_accesses].array = array;
	s->accesses[s->n_accesses].offset_bytes = offset_bytes;
	s->accesses[s->n_accesses].read = !write;
	s->accesses[s->n_accesses++].write = write;
}

/* b = f(a) on a grid of n columns: the neighbours are those of 5 points, or of 9. */
static struct tp_stencil grid(double n, double tile, bool nine, unsigned bytes)
{
	struct tp_stencil s = { .n_loops = 2, .n_arrays = 2, .line_bytes = 64 };
	int64_t row = (int64_t)n * bytes;
	s.loops[0].trips = s.loops[0].whole = n;
	s.loops[1].trips = tile;
	s.loops[1].whole = n;
	for (int k = 0; k < 2; k++) {
		s.arrays[k].element_bytes = bytes;
		s.arrays[k].strides_bytes[0] = row;
		s.arrays[k].strides_bytes[1] = bytes;
	}
	for (int64_t i = -1; i <= 1; i++)
		for (int64_t j = -1; j <= 1; j++)
			if (nine || i == 0 || j == 0)
				add(&s, 0, i * row + j * bytes, false);
	add(&s, 1, 0, true);
	return s;
}

/* 7 points in a cube. */
static struct tp_stencil cube(double n)
{
	struct tp_stencil s = { .n_loops = 3, .n_arrays = 2, .line_bytes = 64 };
	int64_t row = (int64_t)n * 8, layer = row * (int64_t)n;
	for (int i = 0; i < 3; i++)
		s.loops[i].trips = s.loops[i].whole = n;
	for (int k = 0; k < 2; k++) {
		s.arrays[k].element_bytes = 8;
		s.arrays[k].strides_bytes[0] = layer;
		s.arrays[k].strides_bytes[1] = row;
		s.arrays[k].strides_bytes[2] = 8;
	}
	const int64_t offsets[] = { 0, 8, -8, row, -row, layer, -layer };
	for (int i = 0; i < 7; i++)
		add(&s, 0, offsets[i], false);
	add(&s, 1, 0, true);
	return s;
}

static struct tp_stencil_traffic in(struct tp_stencil s, double cache_bytes)
{
	struct tp_stencil_traffic t;
	assert_true(tp_stencil_traffic(&s, cache_bytes, &t));
	return t;
}

/* Three rows of one array, and one of the other, which is stored to: 4 rows of a cache. */
static void test_rows(void **state)
{
	(void)state;
	for (int nine = 0; nine < 2; nine++) {
		const double l1 = 32 * 1024;
		struct tp_stencil_traffic t = in(grid(1000, 1000, nine, 8), l1);
		assert_int_equal(t.misses, 2);
		assert_int_equal(t.fewest, 2);
		ABOUT(t.read_bytes, 8.0);
		ABOUT(t.allocated_bytes, 8.0);
		ABOUT(t.written_bytes, 8.0);
		/* 24 bytes an update, 40 where each row comes anew. */
		t = in(grid(1100, 1100, nine, 8), l1);
		assert_int_equal(t.misses, 4);
		ABOUT(t.read_bytes, 24.0);
		ABOUT(t.allocated_bytes + t.written_bytes, 16.0);
	}
	/* 5 points, single precision, 1024 columns: three rows are 12 KiB, half of 24. */
	struct tp_stencil_traffic t = in(grid(1024, 1024, false, 4), 24 * 1024);
	assert_int_equal(t.misses, 2);
	ABOUT(t.reused_bytes, (3.0 * 1024 - 1) * 4); /* the neighbour in the row is nearer */
	ABOUT(t.needed_bytes, (4.0 * 1024 - 2) * 4);
}

/* The rule of thumb: 3 rows of 8 bytes in half of 32 KiB go up to 682 columns. */
static void test_rule_of_thumb(void **state)
{
	double last = 0;
	(void)state;
	for (double n = 100; n < 2000; n++) {
		struct tp_stencil_traffic t = in(grid(n, n, true, 8), 1e9);
		/* The corners reach two elements further. */
		if (t.reused_bytes - 2 * 8 * 3 <= 16 * 1024)
			last = n;
	}
	assert_in_range((uintmax_t)last, 680, 684);
}

/* A tile has short rows: they fit whatever the grid; but what lies around it comes twice. */
static void test_tiles(void **state)
{
	(void)state;
	struct tp_stencil_traffic t = in(grid(100000, 64, true, 8), 32 * 1024);
	assert_int_equal(t.misses, 2);
	ABOUT(t.read_bytes, 8 * (1 + 2.0 / 64));
	t = in(grid(100000, 2048, true, 8), 32 * 1024);
	assert_int_equal(t.misses, 4);
}

/* Layers of a cube, then rows, then nothing but the line itself. */
static void test_cube(void **state)
{
	(void)state;
	struct tp_stencil_traffic t = in(cube(100), 1 << 20);
	assert_int_equal(t.misses, 2);
	t = in(cube(200), 1 << 20); /* 4 layers of 312 KiB */
	assert_int_equal(t.misses, 4);
	ABOUT(t.read_bytes, 24.0);
	/* Rows: 2 between three, and one each for two layers, the last row and the result. */
	t = in(cube(1000), (6 * 1000 - 5) * 8);
	assert_int_equal(t.misses, 6);
	t = in(cube(1000), (6 * 1000 - 4) * 8);
	assert_int_equal(t.misses, 4);
}

static void test_nobody_can_tell(void **state)
{
	struct tp_stencil_traffic t;
	struct tp_stencil s = grid(100, 100, true, 8), empty = { 0 };
	(void)state;
	s.arrays[0].strides_bytes[0] = 8; /* column by column */
	s.arrays[0].strides_bytes[1] = 800;
	assert_false(tp_stencil_traffic(&s, 32768, &t));
	assert_false(tp_stencil_traffic(&empty, 32768, &t));
}

/* A stream: triad, which the kernel of the bandwidths is as well, takes what that took. */
static void test_ecm_of_a_stream(void **state)
{
	struct tp_ecm ecm = { .bytes = { 24, 32, 32, 32 },
			      .gbps = { 200, 100, 50, 10 },
			      .crossing = 4.0 / 3 };
	struct tp_ecm_times times;
	(void)state;
	assert_true(tp_ecm(&ecm, &times));
	ABOUT(times.ns, 24 / 10.0);
	ABOUT(times.level_ns[0], 24 / 200.0);
	ABOUT(times.level_ns[1], 24 / 100.0 - 24 / 200.0);
	ABOUT(times.roofline_ns, 24 / 10.0);
	assert_int_equal(times.limit, 3);
	/* In L2 there is nothing beyond; nobody asks for its bandwidth. */
	ecm.bytes[2] = ecm.bytes[3] = ecm.gbps[3] = 0;
	assert_true(tp_ecm(&ecm, &times));
	ABOUT(times.ns, 24 / 100.0);
	/* Arithmetic overlaps with all of it. */
	ecm.core_ns = 0.3;
	assert_true(tp_ecm(&ecm, &times));
	ABOUT(times.ns, 0.3);
	assert_int_equal(times.limit, TP_ECM_LEVELS);
	ecm.gbps[1] = 0;
	assert_false(tp_ecm(&ecm, &times));
}

/* ECM adds what a roofline takes the longest of. */
static void test_ecm_adds(void **state)
{
	struct tp_ecm ecm = { .bytes = { 80, 40, 24 }, .gbps = { 400, 160, 40 }, .crossing = 1 };
	struct tp_ecm_times times;
	(void)state;
	assert_true(tp_ecm(&ecm, &times));
	ABOUT(times.roofline_ns, 24 / 40.0);
	assert_int_equal(times.limit, 2);
	ABOUT(times.ns, 0.2 + 40 * (1 / 160.0 - 1 / 400.0) + 24 * (1 / 40.0 - 1 / 160.0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_rule_of_thumb),
		cmocka_unit_test(test_tiles),
		cmocka_unit_test(test_cube),
		cmocka_unit_test(test_nobody_can_tell),
		cmocka_unit_test(test_ecm_of_a_stream),
		cmocka_unit_test(test_ecm_adds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
