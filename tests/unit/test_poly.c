/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Domains and schedules: what is illegal or wrong is said with its place and with instances.
 * test_poly_loops runs the loops.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/process.h"
#include "pattern/poly.h"

#define N(array) (sizeof(array) / sizeof(*(array)))

struct seen {
	enum tp_status status;
	struct tp_poly_answers answers;
	struct tp_poly_place place;
	struct tp_diag diag;
};

static struct seen examine(const struct tp_poly_input *input)
{
	struct seen seen = { 0 };
	seen.status = tp_poly_examine(input, TP_POLY_LOOPS | TP_POLY_LEGAL | TP_POLY_PARALLEL,
				      &seen.answers, &seen.place, &seen.diag);
	return seen;
}

#ifdef HAVE_ISL

static void must_hold(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" does not say \"%s\"", text, part);
}

/* --- order --- */

struct order_case {
	const char *domain;
	const char *schedule[3];
	struct tp_poly_access accesses[4];
	const char *why; /* NULL = legal */
};

static const struct order_case orders[] = {
	/* Interchange turns a dependence of distance (1, -1) around. */
	{ "[n] -> { S[i,j] : 1 <= i < n and 0 <= j < n-1 }",
	  { "{ S[i,j] -> [i,j] }", "{ [i,j] -> [j,i] }" },
	  { { true, "{ S[i,j] -> A[i,j] }" }, { false, "{ S[i,j] -> A[i-1,j+1] }" } },
	  "S[1,1] writes A[1,1], which S[2,0] reads; the schedule runs S[2,0] first (n = 3)" },
	/* A distance of (1, 1) stays. */
	{ "[n] -> { S[i,j] : 1 <= i < n and 1 <= j < n }",
	  { "{ S[i,j] -> [i,j] }", "{ [i,j] -> [j,i] }" },
	  { { true, "{ S[i,j] -> A[i,j] }" }, { false, "{ S[i,j] -> A[i-1,j-1] }" } },
	  NULL },
	/* What is read before it is overwritten. */
	{ "[n] -> { S[i] : 0 <= i < n }",
	  { "{ S[i] -> [i] }", "{ [i] -> [-i] }" },
	  { { true, "{ S[i] -> A[i] }" }, { false, "{ S[i] -> A[i+1] }" } },
	  "S[0] reads A[1], which S[1] writes; the schedule runs S[1] first (n = 2)" },
	/* The last of two writes stays in memory. */
	{ "[n] -> { S[i] : 0 <= i < n }",
	  { "{ S[i] -> [i] }", "{ [i] -> [-i] }" },
	  { { true, "{ S[i] -> A[0] }" } },
	  "S[0] writes A[0], which S[1] writes again; the schedule runs S[1] first (n = 2)" },
	/* Jacobi from one array into another may run in any order. */
	{ "[n] -> { S[i,j] : 1 <= i < n-1 and 1 <= j < n-1 }",
	  { "{ S[i,j] -> [i,j] }", "{ [i,j] -> [floor(i/32), floor(j/16), i, j] }" },
	  { { true, "{ S[i,j] -> B[i,j] }" },
	    { false, "[a,b] -> { S[i,j] -> A[i+a,j+b] : -1 <= a,b <= 1 }" } },
	  NULL },
	/* Over time steps it may be tiled only when it is skewed. */
	{ "[n,T] -> { S[t,i] : 0 <= t < T and 1 <= i < n-1 }",
	  { "{ S[t,i] -> [t,i] }", "{ [t,i] -> [floor(t/4), floor(i/8), t, i] }" },
	  { { true, "{ S[t,i] -> A[t+1,i] }" },
	    { false, "{ S[t,i] -> A[t,i-1] }" },
	    { false, "{ S[t,i] -> A[t,i+1] }" } },
	  "S[0,8] writes A[1,8], which S[1,7] reads; the schedule runs S[1,7] first "
	  "(n = 10, T = 2)" },
	{ "[n,T] -> { S[t,i] : 0 <= t < T and 1 <= i < n-1 }",
	  { "{ S[t,i] -> [t,i] }", "{ [t,i] -> [t,t+i] }",
	    "{ [t,i] -> [floor(t/4), floor(i/8), t, i] }" },
	  { { true, "{ S[t,i] -> A[t+1,i] }" },
	    { false, "{ S[t,i] -> A[t,i-1] }" },
	    { false, "{ S[t,i] -> A[t,i+1] }" } },
	  NULL },
	/* Fusion. */
	{ "[n] -> { S[i] : 0 <= i < n; T[i] : 0 <= i < n }",
	  { "{ S[i] -> [0,i]; T[i] -> [1,i] }", "{ [a,i] -> [i,a] }" },
	  { { true, "{ S[i] -> A[i] }" }, { false, "{ T[i] -> A[i+1] }" } },
	  "S[1] writes A[1], which T[0] reads; the schedule runs T[0] first (n = 2)" },
	{ "[n] -> { S[i] : 0 <= i < n; T[i] : 0 <= i < n }",
	  { "{ S[i] -> [0,i]; T[i] -> [1,i] }", "{ [a,i] -> [i,a] }" },
	  { { true, "{ S[i] -> A[i] }" }, { false, "{ T[i] -> A[i] }" } },
	  NULL },
	/* Two instances at one time have no order. */
	{ "[n] -> { S[i] : 0 <= i < n }",
	  { "{ S[i] -> [i] }", "{ [i] -> [floor(i/2)] }" },
	  { { true, "{ S[i] -> A[i+1] }" }, { false, "{ S[i] -> A[i] }" } },
	  "S[0] writes A[1], which S[1] reads; the schedule runs both at the same time (n = 2)" },
};

static struct tp_poly_input input_of(const struct order_case *order)
{
	struct tp_poly_input input = { .domain = order->domain,
				       .schedule = order->schedule,
				       .accesses = order->accesses,
				       .parallel_depth = TP_POLY_SERIAL };
	while (input.n_schedule < N(order->schedule) && order->schedule[input.n_schedule])
		input.n_schedule++;
	while (input.n_accesses < N(order->accesses) && order->accesses[input.n_accesses].relation)
		input.n_accesses++;
	return input;
}

static void test_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(orders); i++) {
		struct tp_poly_input input = input_of(&orders[i]);
		struct seen seen = examine(&input);
		assert_int_equal(seen.status, TP_OK);
		assert_string_equal(tp_str_text(&seen.answers.why_illegal),
				    orders[i].why ? orders[i].why : "");
		assert_true(seen.answers.legal == !orders[i].why);
		tp_poly_answers_release(&seen.answers);
		/* Where points are duplicated by intent, nobody asks. */
		input.duplicates = true;
		seen = examine(&input);
		assert_true(seen.answers.legal);
		tp_poly_answers_release(&seen.answers);
		/* The first relation is the order itself. */
		input.duplicates = false;
		input.n_schedule = 1;
		seen = examine(&input);
		assert_true(seen.answers.legal);
		tp_poly_answers_release(&seen.answers);
	}
}

/* --- parallel loops --- */

static void test_parallel(void **state)
{
	static const char *const schedule[] = { "{ S[i,j] -> [i,j] }" };
	static const struct tp_poly_access accesses[] = { { true, "{ S[i,j] -> A[i,j] }" },
							  { false, "{ S[i,j] -> A[i,j-1] }" } };
	struct tp_poly_input input = { .domain = "[n] -> { S[i,j] : 0 <= i < n and 1 <= j < n }",
				       .schedule = schedule,
				       .n_schedule = 1,
				       .accesses = accesses,
				       .n_accesses = 2,
				       .parallel_pragma = "#pragma omp for" };
	(void)state;
	struct seen seen = examine(&input);
	assert_int_equal(seen.status, TP_OK);
	assert_true(seen.answers.parallel);
	assert_int_equal(seen.answers.depth, 2);
	assert_string_equal(tp_str_text(&seen.answers.loops),
			    "#pragma omp for\n"
			    "for (long c0 = 0; c0 < n; c0 += 1) {\n"
			    "  for (long c1 = 1; c1 < n; c1 += 1) {\n"
			    "    S(c0, c1);\n"
			    "  }\n"
			    "}\n");
	tp_poly_answers_release(&seen.answers);
	input.parallel_depth = 1;
	seen = examine(&input);
	assert_false(seen.answers.parallel);
	assert_string_equal(tp_str_text(&seen.answers.why_serial),
			    "S[0,1] writes A[0,1], which S[0,2] reads in another iteration of the "
			    "parallel loop (n = 3)");
	must_hold(tp_str_text(&seen.answers.loops), "{\n  #pragma omp for\n  for (long c1");
	tp_poly_answers_release(&seen.answers);
	input.parallel_depth = 2;
	seen = examine(&input);
	assert_int_equal(seen.status, TP_USAGE);
	must_hold(seen.diag.what, "there is no loop 2");
	tp_poly_answers_release(&seen.answers);
	input.parallel_depth = TP_POLY_SERIAL;
	seen = examine(&input);
	assert_true(seen.answers.parallel);
	tp_poly_answers_release(&seen.answers);
}

/* Each nest has a parallel loop of its own, at its own dimension of time. */
static void test_parallel_nests(void **state)
{
	static const char *const schedule[] = { "{ S[i] -> [0,i,0]; T[i] -> [1,i,0] }" };
	static const char *const uneven[] = { "{ S[i,j] -> [0,i,j]; T[i] -> [1,i,0] }" };
	struct tp_poly_access accesses[] = { { true, "{ S[i] -> A[i]; T[i] -> B[i] }" },
					     { false, "{ T[i] -> A[i+1] }" },
					     { false, "{ T[i] -> B[0] }" } };
	struct tp_poly_input input = { .domain = "[n] -> { S[i] : 0<=i<n; T[i] : 0<=i<n }",
				       .schedule = schedule,
				       .n_schedule = 1,
				       .accesses = accesses,
				       .n_accesses = 2,
				       .parallel_pragma = "#pragma omp for" };
	(void)state;
	struct seen seen = examine(&input);
	assert_int_equal(seen.status, TP_OK);
	assert_true(seen.answers.parallel); /* between the loops is not a loop */
	const char *first = strstr(tp_str_text(&seen.answers.loops), "#pragma");
	assert_non_null(first);
	assert_non_null(strstr(first + 1, "#pragma"));
	tp_poly_answers_release(&seen.answers);
	input.n_accesses = 3;
	seen = examine(&input);
	assert_false(seen.answers.parallel);
	must_hold(tp_str_text(&seen.answers.why_serial), "T[0] writes B[0], which T[1] reads in");
	tp_poly_answers_release(&seen.answers);
	/* T has one loop less than S, so nothing of it is shared out. */
	input = (struct tp_poly_input){ .domain = "[n] -> { S[i,j] : 0<=i,j<n; T[i] : 0<=i<n }",
					.schedule = uneven,
					.n_schedule = 1,
					.parallel_depth = 1 };
	seen = examine(&input);
	assert_int_equal(seen.status, TP_OK);
	assert_false(seen.answers.parallel);
	assert_string_equal(tp_str_text(&seen.answers.why_serial),
			    "T stands outside of the parallel loop, so every thread would run it");
	tp_poly_answers_release(&seen.answers);
}

/* --- what is wrong --- */

struct wrong_case {
	const char *domain, *schedule[2], *context, *access;
	enum tp_poly_text text;
	size_t index;
	unsigned line, column;
	const char *where, *what;
};

static const struct wrong_case wrongs[] = {
	{ .domain = "[n] -> { S[i] : 0 <= i < q }",
	  .text = TP_POLY_TEXT_DOMAIN,
	  .index = 0,
	  .line = 1,
	  .column = 26,
	  .where = "domain:1:26",
	  .what = "isl reports: unknown identifier, got ident 'q'" },
	{ .domain = "[n] -> { S[i,j] :\n 0 <= i*j < n }",
	  .text = TP_POLY_TEXT_DOMAIN,
	  .index = 0,
	  .line = 2,
	  .column = 9,
	  .where = "domain:2:9",
	  .what = "isl reports: expecting constant value, got ident 'j'" },
	{ .domain = "[n] -> { S[i : i = 0 }",
	  .text = TP_POLY_TEXT_DOMAIN,
	  .index = 0,
	  .line = 1,
	  .column = 14,
	  .where = "domain:1:14",
	  .what = "isl reports: expecting other token, got ':'" },
	{ .domain = "{ S[i] : i = 0 } { T[i] }",
	  .text = TP_POLY_TEXT_DOMAIN,
	  .index = 0,
	  .line = 1,
	  .column = 18,
	  .where = "domain:1:18",
	  .what = "text after the closing brace" },
	{ .domain = "{ S[i] : i = 2^99 }",
	  .text = TP_POLY_TEXT_DOMAIN,
	  .index = 0,
	  .line = 1,
	  .column = 15,
	  .where = "domain:1:15",
	  .what = "a character that isl's notation does not need" },
	{ .domain = "{ S[i] : i < 1234567890123456 }",
	  .text = TP_POLY_TEXT_DOMAIN,
	  .index = 0,
	  .line = 1,
	  .column = 29,
	  .where = "domain:1:29",
	  .what = "a number of more than 15 digits" },
	{ .domain = "{ S[i] : ((((((((((((((((((((((((((((i = 0 }",
	  .text = TP_POLY_TEXT_DOMAIN,
	  .index = 0,
	  .line = 1,
	  .column = 33,
	  .where = "domain:1:33",
	  .what = "brackets are nested more than 24 deep" },
	{ .domain = "[n] -> { S[i] : 0 <= i }",
	  .text = TP_POLY_TEXT_DOMAIN,
	  .where = "domain",
	  .what = "statement S is endless: index 1 (i) has no upper bound" },
	{ .domain = "[n] -> { S[i,j] : 0 <= i < n and j < i }",
	  .text = TP_POLY_TEXT_DOMAIN,
	  .where = "domain",
	  .what = "statement S is endless: index 2 (j) has no lower bound" },
	{ .domain = "{ S[i] : 1 = 0 }",
	  .text = TP_POLY_TEXT_DOMAIN,
	  .where = "domain",
	  .what = "no statement has an instance" },
	{ .domain = "[n] -> { S[i] : 0 <= i < n }",
	  .context = "[n] -> { : n < 0 }",
	  .text = TP_POLY_TEXT_DOMAIN,
	  .where = "domain",
	  .what = "no statement has an instance" },
	{ .domain = "[n] -> { S[i] : 0 <= i < n }",
	  .context = "[n] -> { S[n] }",
	  .text = TP_POLY_TEXT_CONTEXT,
	  .where = "context",
	  .what = "it depends on more than the parameters" },
	{ .domain = "{ [i] : 0 <= i < 3 }",
	  .text = TP_POLY_TEXT_DOMAIN,
	  .where = "domain",
	  .what = "statement \"\" has no name" },
	{ .domain = "{ while[i] : 0 <= i < 3 }",
	  .text = TP_POLY_TEXT_DOMAIN,
	  .where = "domain",
	  .what = "statement \"while\" has the name of a keyword of C" },
	{ .domain = "{ S'[i] : 0 <= i < 3 }",
	  .text = TP_POLY_TEXT_DOMAIN,
	  .where = "domain",
	  .what = "statement \"S'\" has a name that C does not take" },
	{ .domain = "[c1] -> { S[i] : 0 <= i < c1 }",
	  .text = TP_POLY_TEXT_DOMAIN,
	  .where = "domain",
	  .what = "parameter \"c1\" has the name of an iterator of the loops (c0, c1, ...)" },
	{ .domain = "[n] -> { S[i] : 0 <= i < n; T[i] : 0 <= i < n }",
	  .text = TP_POLY_TEXT_SCHEDULE,
	  .where = "schedule",
	  .what = "several statements need a schedule" },
	{ .domain = "[n] -> { S[i] : 0 <= i < n; T[i] : 0 <= i < n }",
	  .schedule = { "{ S[i] -> [i] }" },
	  .text = TP_POLY_TEXT_SCHEDULE,
	  .where = "schedule",
	  .what = "it gives no time to T[0] (n = 1)" },
	{ .domain = "[n] -> { S[i] : 0 <= i < n; T[i] : 0 <= i < n }",
	  .schedule = { "{ S[i] -> [i]; T[i] -> [1,i] }" },
	  .text = TP_POLY_TEXT_SCHEDULE,
	  .where = "schedule",
	  .what = "it gives times of 2 kinds, which have no common order" },
	{ .domain = "[n] -> { S[i,j] : 0 <= i,j < n }",
	  .schedule = { "{ S[i,j] -> [i,j] }", "{ [i] -> [-i] }" },
	  .text = TP_POLY_TEXT_SCHEDULE,
	  .index = 1,
	  .where = "schedule 2",
	  .what = "it gives no time to [0,0] (n = 1)" },
	{ .domain = "[n] -> { S[i] : 0 <= i < n }",
	  .schedule = { "{ S[i] -> [i] }", "{ [i] -> [k,i] : 0 <= k < 2 }" },
	  .text = TP_POLY_TEXT_SCHEDULE,
	  .index = 1,
	  .where = "schedule 2",
	  .what = "[0] (n = 1) runs several times" },
	{ .domain = "[n] -> { S[i] : 0 <= i < n }",
	  .schedule = { "{ S[i] -> [i] }", "{ [i] > [i] }" },
	  .text = TP_POLY_TEXT_SCHEDULE,
	  .index = 1,
	  .line = 1,
	  .column = 7,
	  .where = "schedule 2:1:7",
	  .what = "isl reports: unexpected isl_token, got token '>'" },
	{ .domain = "[n] -> { S[i] : 0 <= i < n }",
	  .access = "{ T[i] -> A[i] }",
	  .text = TP_POLY_TEXT_ACCESS,
	  .where = "access 1",
	  .what = "it names no statement of the domain with all of its indices" },
	{ .domain = "[n] -> { S[i] : 0 <= i < n }",
	  .access = "{ S[i] -> [i] }",
	  .text = TP_POLY_TEXT_ACCESS,
	  .where = "access 1",
	  .what = "array \"\" has no name" },
};

static void test_wrong(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(wrongs); i++) {
		const struct wrong_case *wrong = &wrongs[i];
		const struct tp_poly_access access = { .relation = wrong->access };
		struct tp_poly_input input = { .domain = wrong->domain,
					       .schedule = wrong->schedule,
					       .context = wrong->context,
					       .accesses = &access,
					       .n_accesses = wrong->access != NULL,
					       .parallel_depth = TP_POLY_SERIAL };
		while (input.n_schedule < 2 && wrong->schedule[input.n_schedule])
			input.n_schedule++;
		struct seen seen = examine(&input);
		assert_string_equal(seen.diag.what, wrong->what);
		assert_string_equal(seen.diag.where, wrong->where);
		assert_int_equal(seen.status, TP_USAGE);
		assert_int_equal(seen.place.text, wrong->text);
		assert_int_equal(seen.place.index, wrong->index);
		assert_int_equal(seen.place.line, wrong->line);
		assert_int_equal(seen.place.column, wrong->column);
		assert_null(seen.answers.loops.s);
	}
}

static void test_pragma(void **state)
{
	struct tp_poly_input input = { .domain = "{ S[i] : 0 <= i < 3 }",
				       .parallel_pragma = "#pragma omp for\nsystem(\"true\");" };
	(void)state;
	struct seen seen = examine(&input);
	assert_int_equal(seen.status, TP_USAGE);
	must_hold(seen.diag.what, "not a #pragma");
}

/* Some thousands of pieces end in words, at the same place everywhere. */
static void test_limit(void **state)
{
	struct tp_str domain = { 0 };
	static const char *const schedule[] = { "{ S[i,j,k,l] -> [i+j,j+k,k-l,l] }",
						"{ [i,j,k,l] -> [floor(i/7),floor((j+k)/5),"
						"floor((k+3i)/11),i,j,k,l] }" };
	(void)state;
	tp_str_add(&domain, "[n] -> { S[i,j,k,l] : 0 <= i,j,k,l < n and (");
	for (int i = 0; i < 40; i++)
		tp_str_printf(&domain, "%s(i + %dj - k != %d and (%dl + i) mod %d != 1)",
			      i ? " and " : "", i + 2, 3 * i, 2 * i + 1, i + 3);
	tp_str_add(&domain, ") }");
	const struct tp_poly_input input = { .domain = tp_str_text(&domain),
					     .schedule = schedule,
					     .n_schedule = 2,
					     .parallel_depth = TP_POLY_SERIAL };
	struct seen seen = examine(&input);
	assert_int_equal(seen.status, TP_RESOURCE);
	must_hold(seen.diag.what, "isl took 2 million operations");
	tp_str_release(&domain);
}

static void test_cancelled(void **state)
{
	const struct tp_poly_input input = { .domain = "{ S[i] : 0 <= i < 3 }",
					     .parallel_depth = TP_POLY_SERIAL };
	(void)state;
	tp_stop_asked = 1;
	struct seen seen = examine(&input);
	tp_stop_asked = 0;
	assert_int_equal(seen.status, TP_CANCELLED);
}

#else

static void test_without_isl(void **state)
{
	const struct tp_poly_input input = { .domain = "{ S[i] : 0 <= i < 4 }",
					     .parallel_depth = TP_POLY_SERIAL };
	(void)state;
	struct seen seen = examine(&input);
	assert_int_equal(seen.status, TP_UNSUPPORTED);
	assert_non_null(strstr(seen.diag.hint, "libisl-dev"));
	tp_poly_answers_release(&seen.answers);
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef HAVE_ISL
		cmocka_unit_test(test_order),	       cmocka_unit_test(test_parallel),
		cmocka_unit_test(test_parallel_nests), cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_pragma),	       cmocka_unit_test(test_limit),
		cmocka_unit_test(test_cancelled),
#else
		cmocka_unit_test(test_without_isl),
#endif
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
