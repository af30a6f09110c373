/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers and orders by lot: what a seed means. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "base/random.h"
#include "base/memory.h"

enum { MOST = 300, SEEDS = 50 };

/* The first numbers of the reference implementation for its customary seed. */
static void the_generator_is_splitmix64(void **state)
{
	uint64_t seed = 1234567;
	(void)state;
	assert_true(tp_splitmix64(&seed) == UINT64_C(6457827717110365317));
	assert_true(tp_splitmix64(&seed) == UINT64_C(3203168211198807973));
	assert_true(tp_splitmix64(&seed) == UINT64_C(9817491932198370423));
}

static void make_order(size_t *order, size_t n, uint64_t seed)
{
	for (size_t i = 0; i < n; i++)
		order[i] = i;
	tp_shuffle(order, n, sizeof(*order), seed);
}

static void every_item_stays(void **state)
{
	size_t order[MOST];
	(void)state;
	for (size_t n = 0; n <= MOST; n += n < 10 ? 1 : 29)
		for (uint64_t seed = 0; seed < SEEDS; seed++) {
			bool seen[MOST] = { false };
			make_order(order, n, seed);
			for (size_t i = 0; i < n; i++) {
				assert_true(order[i] < n);
				assert_false(seen[order[i]]);
				seen[order[i]] = true;
			}
		}
}

/* Runs of old are resumed: these orders are those that releases have always made of the seeds. */
static void a_seed_means_one_order(void **state)
{
	static const size_t of_1[] = { 4, 6, 7, 9, 11, 3, 10, 1, 2, 0, 8, 5 };
	static const size_t of_42[] = { 9, 6, 7, 10, 3, 11, 4, 2, 0, 8, 5, 1 };
	size_t order[TP_COUNT_OF(of_1)];
	(void)state;
	make_order(order, TP_COUNT_OF(of_1), 1);
	assert_memory_equal(order, of_1, sizeof(of_1));
	make_order(order, TP_COUNT_OF(of_42), 42);
	assert_memory_equal(order, of_42, sizeof(of_42));
}

/* Large items go the way that small ones go, whole. */
static void items_of_any_size_move_alike(void **state)
{
	struct item {
		char front[700];
		size_t number;
		char back[3];
	} items[40];
	size_t order[TP_COUNT_OF(items)];
	(void)state;
	memset(items, 0, sizeof(items));
	for (size_t i = 0; i < TP_COUNT_OF(items); i++) {
		memset(items[i].front, (int)i, sizeof(items[i].front));
		memset(items[i].back, (int)i, sizeof(items[i].back));
		items[i].number = i;
	}
	make_order(order, TP_COUNT_OF(order), 7);
	tp_shuffle(items, TP_COUNT_OF(items), sizeof(*items), 7);
	for (size_t i = 0; i < TP_COUNT_OF(items); i++) {
		assert_int_equal(items[i].number, order[i]);
		for (size_t k = 0; k < sizeof(items[i].front); k++)
			assert_int_equal(items[i].front[k], order[i]);
		for (size_t k = 0; k < sizeof(items[i].back); k++)
			assert_int_equal(items[i].back[k], order[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_generator_is_splitmix64),
		cmocka_unit_test(every_item_stays),
		cmocka_unit_test(a_seed_means_one_order),
		cmocka_unit_test(items_of_any_size_move_alike),
	};
	return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
