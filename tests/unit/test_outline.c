/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Outlines without a terminal: folds, the cursor, and both after the rows were made anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ui/tui/term.h"
#include "ui/tui/widgets/outline.h"

/*
 * 1 root
 *   2 left
 *     4 leaf
 *     5 leaf
 *   3 right
 *     6 leaf
 *       7 deeper
 */
static const struct {
	uint64_t key;
	unsigned depth;
} tree[] = { { 1, 0 }, { 2, 1 }, { 4, 2 }, { 5, 2 }, { 3, 1 }, { 6, 2 }, { 7, 3 } };

static void fill(struct tp_outline *outline)
{
	tp_outline_clear(outline);
	for (size_t i = 0; i < TP_COUNT_OF(tree); i++)
		tp_outline_add(outline, tree[i].key, tree[i].depth, 10 + i);
	tp_outline_settle(outline);
	tp_list_fit(&outline->list, 20);
}

/* The keys in sight, as one number: 1245367. */
static uint64_t in_sight(const struct tp_outline *outline)
{
	uint64_t keys = 0;
	for (size_t i = 0; i < outline->list.n; i++)
		keys = keys * 10 + outline->rows[outline->shown[i]].key;
	return keys;
}

static uint64_t at(const struct tp_outline *outline)
{
	return tp_outline_row(outline)->key;
}

static void nothing_is_folded_at_first(void **state)
{
	struct tp_outline outline = { 0 };
	(void)state;
	assert_null(tp_outline_row(&outline));
	tp_outline_turn(&outline);
	assert_true(tp_outline_act(&outline, TP_ACTION_LEFT));
	fill(&outline);
	assert_int_equal(in_sight(&outline), 1245367);
	assert_int_equal(at(&outline), 1);
	assert_int_equal(tp_outline_row(&outline)->item, 10);
	assert_true(outline.rows[0].parent);
	assert_false(outline.rows[2].parent);
	assert_false(tp_outline_act(&outline, TP_ACTION_SORT));
	tp_outline_release(&outline);
}

static void left_folds_and_then_goes_to_the_parent(void **state)
{
	struct tp_outline outline = { 0 };
	(void)state;
	fill(&outline);
	tp_outline_act(&outline, TP_ACTION_DOWN);
	tp_outline_act(&outline, TP_ACTION_LEFT);
	assert_int_equal(in_sight(&outline), 12367);
	assert_int_equal(at(&outline), 2);
	tp_outline_act(&outline, TP_ACTION_LEFT);
	assert_int_equal(at(&outline), 1);
	tp_outline_act(&outline, TP_ACTION_LEFT);
	assert_int_equal(in_sight(&outline), 1);
	tp_outline_act(&outline, TP_ACTION_LEFT);
	assert_int_equal(at(&outline), 1);
	/* Right unfolds what lies directly below, and then goes there. */
	tp_outline_act(&outline, TP_ACTION_RIGHT);
	assert_int_equal(in_sight(&outline), 12367);
	tp_outline_act(&outline, TP_ACTION_RIGHT);
	tp_outline_act(&outline, TP_ACTION_RIGHT);
	assert_int_equal(in_sight(&outline), 1245367);
	assert_int_equal(at(&outline), 2);
	/* A leaf has nothing to fold; its parent may be some rows above. */
	tp_outline_act(&outline, TP_ACTION_RIGHT);
	tp_outline_act(&outline, TP_ACTION_DOWN);
	assert_int_equal(at(&outline), 5);
	tp_outline_act(&outline, TP_ACTION_RIGHT);
	tp_outline_turn(&outline);
	assert_int_equal(in_sight(&outline), 1245367);
	assert_int_equal(at(&outline), 5);
	tp_outline_act(&outline, TP_ACTION_LEFT);
	assert_int_equal(at(&outline), 2);
	tp_outline_release(&outline);
}

static void all_rows_fold_but_the_first_question(void **state)
{
	struct tp_outline outline = { 0 };
	(void)state;
	fill(&outline);
	tp_outline_act(&outline, TP_ACTION_LAST);
	assert_int_equal(at(&outline), 7);
	/* The cursor goes to what its row is folded into. */
	tp_outline_turn_all(&outline, true);
	assert_int_equal(in_sight(&outline), 123);
	assert_int_equal(at(&outline), 3);
	tp_outline_turn_all(&outline, false);
	assert_int_equal(in_sight(&outline), 1245367);
	assert_int_equal(at(&outline), 3);
	tp_outline_release(&outline);
}

static void folds_and_cursor_stay_with_their_rows(void **state)
{
	struct tp_outline outline = { 0 };
	(void)state;
	fill(&outline);
	tp_outline_act(&outline, TP_ACTION_DOWN);
	tp_outline_turn(&outline);
	tp_outline_act(&outline, TP_ACTION_DOWN);
	assert_int_equal(at(&outline), 3);
	fill(&outline);
	assert_int_equal(in_sight(&outline), 12367);
	assert_int_equal(at(&outline), 3);
	/* Another tree without that row; and back. */
	tp_outline_clear(&outline);
	tp_outline_add(&outline, 1, 0, 0);
	tp_outline_add(&outline, 2, 1, 1);
	tp_outline_settle(&outline);
	assert_int_equal(in_sight(&outline), 12);
	assert_int_equal(at(&outline), 1);
	fill(&outline);
	assert_int_equal(in_sight(&outline), 12367);
	tp_outline_clear(&outline);
	tp_outline_settle(&outline);
	assert_null(tp_outline_row(&outline));
	tp_outline_release(&outline);
}

static void a_press_on_the_mark_folds(void **state)
{
	struct tp_outline outline = { 0 };
	struct tp_input press = { .kind = TP_INPUT_MOUSE, .mouse = TP_MOUSE_PRESS };
	(void)state;
	fill(&outline);
	outline.list.area = (struct tp_area){ .row = 3, .column = 5, .rows = 20, .columns = 40 };
	press.row = 4;
	press.column = 12;
	assert_int_equal(tp_outline_mouse(&outline, &press), TP_LIST_PRESSED);
	assert_int_equal(at(&outline), 2);
	assert_int_equal(in_sight(&outline), 1245367);
	press.column = 7;
	tp_outline_mouse(&outline, &press);
	assert_int_equal(in_sight(&outline), 12367);
	press.column = 20;
	press.twice = true;
	assert_int_equal(tp_outline_mouse(&outline, &press), TP_LIST_OPENED);
	assert_int_equal(in_sight(&outline), 1245367);
	press.row = 30;
	assert_int_equal(tp_outline_mouse(&outline, &press), TP_LIST_MISSED);
	tp_outline_release(&outline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_folded_at_first),
		cmocka_unit_test(left_folds_and_then_goes_to_the_parent),
		cmocka_unit_test(all_rows_fold_but_the_first_question),
		cmocka_unit_test(folds_and_cursor_stay_with_their_rows),
		cmocka_unit_test(a_press_on_the_mark_folds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
