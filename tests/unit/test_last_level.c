/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/plateau.h"
#include "base/random.h"
#include "tests/unit/near.h"

enum { SIZES_MAX = 16, SEEDS = 200 };
#define MIB (1024.0 * 1024.0)

/* A last level of `capacity` whose hits fall off with that exponent; 27 and 14.8 GB/s. */
static double rate_at(double size, double capacity, double exponent)
{
	double hits = 1 / (1 + pow(size / capacity, exponent));

	return 1 / (hits / 27 + (1 - hits) / 14.8);
}

/* Octaves from 8 MiB, until memory shows or `most` is reached; returns how many sizes it took. */
static size_t scan(double capacity, double exponent, double noise, uint64_t seed, double most,
		   struct tp_last_level *found)
{
	double sizes[SIZES_MAX], rates[SIZES_MAX];
	size_t n = 0;

	for (double size = 8 * MIB; size <= most; size *= 2) {
		double u = (double)(tp_splitmix64(&seed) >> 11) / 0x1p53;

		sizes[n] = size;
		rates[n++] = rate_at(size, capacity, exponent) * (1 + noise * (2 * u - 1));
		if (tp_last_level_find(sizes, rates, n, found))
			return n;
	}
	return 0;
}

static void a_guest_finds_its_share(void **state)
{
	struct tp_last_level found;

	(void)state;
	for (double capacity = 16 * MIB; capacity < 70 * MIB; capacity *= 1.3) {
		assert_true(scan(capacity, 8, 0, 1, 960 * MIB, &found) > 0);
		assert_near(log2(found.end_bytes / capacity), 0.1, 0.35);
		assert_near(found.memory_rate / 14.8, 1, 0.02);
		assert_near(found.cache_rate / 27, 1, 0.02);
		assert_true(found.memory_bytes >= 4 * found.end_bytes);
		assert_true(found.memory_bytes <= 16 * capacity);
	}
}

/* What is called memory is within 4 % of it, however soft the edge is and whatever the noise. */
static void memory_is_memory(void **state)
{
	(void)state;
	for (double capacity = 16 * MIB; capacity < 300 * MIB; capacity *= 2)
		for (double exponent = 2; exponent <= 8; exponent *= 2)
			for (uint64_t seed = 0; seed < SEEDS; seed++) {
				struct tp_last_level found;

				if (scan(capacity, exponent, 0.02, seed, 2048 * MIB, &found) == 0)
					continue;
				assert_true(rate_at(found.memory_bytes, capacity, exponent) <
					    1.04 * 14.8);
			}
}

static void the_whole_cache_is_no_memory(void **state)
{
	struct tp_last_level found;

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		assert_int_equal(scan(480 * MIB, 8, 0.03, seed, 960 * MIB, &found), 0);
		/* Memory as fast as the cache: nothing to tell apart. */
		assert_int_equal(scan(1e15, 8, 0.03, seed, 2048 * MIB, &found), 0);
	}
}

static void a_slope_goes_on(void **state)
{
	double sizes[] = { 8 * MIB,   16 * MIB,	 32 * MIB,  64 * MIB,
			   128 * MIB, 256 * MIB, 512 * MIB, 960 * MIB };
	double rates[] = { 27.2, 27, 26.8, 26.2, 23.5, 20.4, 17.8, 15.6 };
	struct tp_last_level found;

	(void)state;
	for (size_t n = 0; n <= sizeof(sizes) / sizeof(*sizes); n++)
		assert_false(tp_last_level_find(sizes, rates, n, &found));
	rates[3] = 0;
	assert_false(tp_last_level_find(sizes, rates, 8, &found));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_guest_finds_its_share),
		cmocka_unit_test(memory_is_memory),
		cmocka_unit_test(the_whole_cache_is_no_memory),
		cmocka_unit_test(a_slope_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
