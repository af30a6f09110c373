/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Items grouped by a text. */
#include "base/tally.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void groups_keep_their_order(void **state)
{
	static const char *const texts[] = { "b", "a", "b", "", "a", "b" };
	struct tp_tally tally = { 0 };
	(void)state;
	assert_null(tp_tally_find(&tally, "a"));
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		tp_tally_add(&tally, texts[i]);
	assert_int_equal(tally.n, 3);
	assert_int_equal(tally.n_items, 6);
	assert_string_equal(tally.texts.s + tally.groups[0].text, "b");
	assert_string_equal(tally.texts.s + tally.groups[1].text, "a");
	assert_string_equal(tally.texts.s + tally.groups[2].text, "");
	const struct tp_tally_group *b = tp_tally_find(&tally, "b");
	assert_ptr_equal(b, &tally.groups[0]);
	assert_int_equal(b->n, 3);
	assert_int_equal(b->first, 0);
	assert_int_equal(tally.next[0], 2);
	assert_int_equal(tally.next[2], 5);
	assert_true(tally.next[5] == TP_TALLY_END);
	assert_int_equal(tp_tally_find(&tally, "")->first, 3);
	assert_null(tp_tally_find(&tally, "c"));
	tp_tally_release(&tally);
	assert_int_equal(tally.n, 0);
}

/* A search through all groups for each item would take minutes. */
static void many_groups(void **state)
{
	enum { N = 300000 };
	struct tp_tally tally = { 0 };
	char text[32];
	(void)state;
	for (unsigned i = 0; i < 2 * N; i++) {
		snprintf(text, sizeof(text), "reason %u", i % N);
		tp_tally_add(&tally, text);
	}
	assert_int_equal(tally.n, N);
	for (unsigned i = 0; i < N; i++) {
		snprintf(text, sizeof(text), "reason %u", i);
		const struct tp_tally_group *group = tp_tally_find(&tally, text);
		assert_ptr_equal(group, &tally.groups[i]);
		assert_int_equal(group->n, 2);
		assert_int_equal(group->last, N + i);
	}
	tp_tally_release(&tally);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_keep_their_order),
		cmocka_unit_test(many_groups),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
