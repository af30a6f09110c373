/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameters of sweeps: wishes, combinations, texts that are filled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/expression.h"
#include "base/pairs.h"
#include "sweep/sweep.h"

struct fixture {
	struct tp_sweep sweep;
	struct tp_arena arena;
	struct tp_diag diag;
};

static void take(struct fixture *f, const char *wish)
{
	assert_int_equal(tp_sweep_take(&f->sweep, wish, &f->arena, &f->diag), TP_OK);
}

static void assert_values(const char *wish, const char *const *expected)
{
	struct fixture f = { 0 };
	size_t n = 0;
	take(&f, wish);
	for (; expected[n]; n++)
		assert_string_equal(f.sweep.parameters[0].values[n], expected[n]);
	assert_int_equal(f.sweep.parameters[0].n, n);
	tp_arena_release(&f.arena);
}
#define VALUES(...)                                                                                \
	(const char *const[])                                                                      \
	{                                                                                          \
		__VA_ARGS__, NULL                                                                  \
	}

static void test_values(void **state)
{
	(void)state;
	assert_values("n=1000", VALUES("1000"));
	assert_values("n = 3..6", VALUES("3", "4", "5", "6"));
	assert_values("n=16..130*2", VALUES("16", "32", "64", "128"));
	assert_values("n=0..25+10 99", VALUES("0", "10", "20", "99"));
	assert_values("n=4K..16K*2", VALUES("4096", "8192", "16384"));
	assert_values("n=1MiB 2k", VALUES("1048576", "2048"));
	/* What is not a range and no size stays as it is written. */
	assert_values("x=0.5 1e3 007 -3 0x10 a..b",
		      VALUES("0.5", "1e3", "007", "-3", "0x10", "a..b"));
	assert_values("order=ijk  ikj", VALUES("ijk", "ikj"));
	assert_values("flags=\"-O2 -g\" -O3 \"\" \"4K\"", VALUES("-O2 -g", "-O3", "", "4K"));
	assert_values("s=\"a \\\"b\\\" \\\\ c\"", VALUES("a \"b\" \\ c"));
}

static void assert_refused(struct fixture *f, const char *wish, const char *what)
{
	size_t before = f->sweep.n;
	assert_int_equal(tp_sweep_take(&f->sweep, wish, &f->arena, &f->diag), TP_USAGE);
	assert_non_null(strstr(f->diag.what, what));
	assert_int_equal(f->sweep.n, before);
}

static void test_refused(void **state)
{
	struct fixture f = { 0 };
	(void)state;
	take(&f, "tile=8");
	assert_refused(&f, "", "not NAME=VALUES");
	assert_refused(&f, "=3", "not NAME=VALUES");
	assert_refused(&f, "n", "not NAME=VALUES");
	assert_refused(&f, "n=", "no values");
	assert_refused(&f, "n=  ", "no values");
	assert_refused(&f, "tile=3", "parameter is there twice");
	assert_refused(&f, "n=1 2 1", "value is there twice");
	assert_refused(&f, "n=3..", "behind ..");
	assert_refused(&f, "n=3..x", "behind ..");
	assert_refused(&f, "n=8..4", "empty or endless");
	assert_refused(&f, "n=0..4*2", "empty or endless");
	assert_refused(&f, "n=1..4*1", "empty or endless");
	assert_refused(&f, "n=1..4+0", "empty or endless");
	assert_refused(&f, "n=1..5000", "too many values");
	assert_refused(&f, "n=1..1000 2000..2100", "more than 1024");
	assert_refused(&f, "n=1..4*2x", "behind * or +");
	assert_refused(&f, "n=1..4/2", "not understood");
	assert_refused(&f, "n=\"3", "not closed");
	assert_refused(&f, "n=\"3\"4", "not understood");
	assert_refused(&f, "a234567890123456789012345678901234567890123456789=3", "too long");
	for (char name[] = "a=1"; f.sweep.n < TP_SWEEP_PARAMETERS_MAX; name[0]++)
		take(&f, name);
	assert_refused(&f, "z=1", "more than 18");
	tp_arena_release(&f.arena);
}

static void test_combinations(void **state)
{
	static const char *const expected[] = {
		"a=1 b=x", "a=1 b=\"y z\"", "a=1 b=w", "a=2 b=x", "a=2 b=\"y z\"", "a=2 b=w",
	};
	struct fixture f = { 0 };
	struct tp_str text = { 0 };
	(void)state;
	assert_true(tp_sweep_count(&f.sweep) == 1);
	take(&f, "a=1 2");
	take(&f, "b=x \"y z\" w");
	assert_true(tp_sweep_count(&f.sweep) == 6);
	for (size_t i = 0; i < 6; i++) {
		tp_str_clear(&text);
		tp_sweep_text(&(struct tp_sweep_at){ &f.sweep, i, 0 }, false, &text);
		assert_string_equal(tp_str_text(&text), expected[i]);
	}
	assert_int_equal(tp_sweep_find(&f.sweep, "b", 1), 1);
	assert_int_equal(tp_sweep_find(&f.sweep, "bb", 2), -1);
	tp_str_release(&text);
	tp_arena_release(&f.arena);
}

/* A product of ten times 1024 values is counted, not made. */
static void test_large(void **state)
{
	struct fixture f = { 0 };
	(void)state;
	for (char wish[] = "a=1..1024"; wish[0] <= 'j'; wish[0]++)
		take(&f, wish);
	assert_true(tp_sweep_count(&f.sweep) == 0x1p100);
	tp_arena_release(&f.arena);
}

static void test_conditions(void **state)
{
	struct fixture f = { 0 };
	struct tp_sweep_at c = { &f.sweep, 0, 0 };
	double value;
	unsigned held = 0;
	(void)state;
	take(&f, "tile=8 16 32 64");
	take(&f, "n=16 32");
	take(&f, "order=ijk");
	for (; c.i < 8; c.i++) {
		assert_int_equal(
			tp_expression_eval("tile < n", tp_sweep_number, &c, &value, &f.diag),
			TP_OK);
		held += value != 0;
	}
	assert_int_equal(held, 3); /* 8 < 16, 8 < 32, 16 < 32 */
	c.i = 0;
	assert_false(tp_sweep_number(&c, "order", 5, &value));
	assert_false(tp_sweep_number(&c, "til", 3, &value));
	assert_false(tp_sweep_number(&c, "threads", 7, &value));
	c.threads = 12;
	assert_true(tp_sweep_number(&c, "threads", 7, &value) && value == 12);
	tp_arena_release(&f.arena);
}

static void test_fill(void **state)
{
	struct fixture f = { 0 };
	struct tp_sweep_at c = { &f.sweep, 1, 0 };
	char program[] = "./{kind}", argument[] = "-{n}", *words[] = { program, argument, NULL };
	char *out, **filled;
	(void)state;
	take(&f, "n=100 200");
	take(&f, "kind=\"a b\"");
	assert_int_equal(
		tp_sweep_fill(&c, "--n={n} {kind}/{n}.dat {{n} {} {1} }{", &f.arena, &out, &f.diag),
		TP_OK);
	assert_string_equal(out, "--n=200 a b/200.dat {n} {} {1} }{");
	assert_int_equal(tp_sweep_fill(&c, "x {m}", &f.arena, &out, &f.diag), TP_USAGE);
	assert_non_null(strstr(f.diag.what, "{m}"));
	assert_int_equal(tp_sweep_fill(&c, "{threads}", &f.arena, &out, &f.diag), TP_USAGE);
	/* A value with a blank stays in its word. */
	c.threads = 4;
	assert_int_equal(tp_sweep_fill(&c, "-j{threads}", &f.arena, &out, &f.diag), TP_OK);
	assert_string_equal(out, "-j4");
	assert_int_equal(tp_sweep_fill_words(&c, words, &f.arena, &filled, &f.diag), TP_OK);
	assert_string_equal(filled[0], "./a b");
	assert_string_equal(filled[1], "-200");
	assert_null(filled[2]);
	program[0] = '\0';
	assert_int_equal(tp_sweep_fill_words(&c, words, &f.arena, &filled, &f.diag), TP_USAGE);
	tp_arena_release(&f.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),	     cmocka_unit_test(test_refused),
		cmocka_unit_test(test_combinations), cmocka_unit_test(test_large),
		cmocka_unit_test(test_conditions),   cmocka_unit_test(test_fill),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
