/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The C that isl makes is compiled and run: every statement instance writes a line, and the order
 * of the lines is that of loops written by hand. One program holds all cases.
 */
#include "tests/unit/files.h"

#include <unistd.h>

#include "pattern/poly.h"

#define N(array) (sizeof(array) / sizeof(*(array)))

/* What a case must do for these sizes; T is n/3 + 2. */
static const long sizes[] = { 1, 2, 3, 4, 7, 8, 9, 20, 37 };

static void row(struct tp_str *out, char statement, long a, long b)
{
	tp_str_printf(out, "%c %ld %ld\n", statement, a, b);
}

static long floor_of(long a, long b)
{
	return a >= 0 ? a / b : -((-a + b - 1) / b);
}

static long most(long a, long b)
{
	return a > b ? a : b;
}

static long least(long a, long b)
{
	return a < b ? a : b;
}

/* --- by hand --- */

static void plain(struct tp_str *out, long n, long T)
{
	(void)T;
	for (long i = 0; i < n; i++)
		for (long j = 1; j < n - 1; j++)
			row(out, 'S', i, j);
}

static void interchanged(struct tp_str *out, long n, long T)
{
	(void)T;
	for (long j = 1; j < n - 1; j++)
		for (long i = 0; i < n; i++)
			row(out, 'S', i, j);
}

static void tiled(struct tp_str *out, long n, long T)
{
	(void)T;
	for (long x = 0; x < n; x += 4)
		for (long y = 0; y < n; y += 3)
			for (long i = x; i < least(x + 4, n); i++)
				for (long j = most(y, 1); j < least(y + 3, n - 1); j++)
					row(out, 'S', i, j);
}

/* Only the inner of two loops, so that the outer one walks a strip. */
static void strips(struct tp_str *out, long n, long T)
{
	(void)T;
	for (long y = 0; y < n; y += 5)
		for (long i = 0; i < n; i++)
			for (long j = most(y, 1); j < least(y + 5, n - 1); j++)
				row(out, 'S', i, j);
}

static void skewed(struct tp_str *out, long n, long T)
{
	for (long t = 0; t < T; t++)
		for (long x = t + 1; x < t + n - 1; x++)
			row(out, 'S', t, x - t);
}

/* The wave front is outside: all points of a diagonal follow each other. */
static void wave(struct tp_str *out, long n, long T)
{
	for (long x = 1; x < n + T; x++)
		for (long t = 0; t < T; t++)
			if (x - t >= 1 && x - t < n - 1)
				row(out, 'S', t, x - t);
}

static void skewed_tiles(struct tp_str *out, long n, long T)
{
	for (long tt = 0; tt < T; tt += 4)
		for (long xx = 0; xx < n + T; xx += 8)
			for (long t = tt; t < least(tt + 4, T); t++)
				for (long x = xx; x < xx + 8; x++)
					if (x - t >= 1 && x - t < n - 1)
						row(out, 'S', t, x - t);
}

static void fission(struct tp_str *out, long n, long T)
{
	(void)T;
	for (long i = 0; i < n; i++)
		row(out, 'S', i, 0);
	for (long i = 0; i < n; i++)
		row(out, 'R', i, 0);
}

static void fusion(struct tp_str *out, long n, long T)
{
	(void)T;
	for (long i = 0; i < n; i++) {
		row(out, 'S', i, 0);
		row(out, 'R', i, 0);
	}
}

/* The second follows two behind the first. */
static void shifted(struct tp_str *out, long n, long T)
{
	(void)T;
	for (long x = 0; x < n + 2; x++) {
		if (x < n)
			row(out, 'S', x, 0);
		if (x >= 2)
			row(out, 'R', x - 2, 0);
	}
}

static void reversed(struct tp_str *out, long n, long T)
{
	(void)T;
	for (long i = n - 1; i >= 0; i--)
		for (long j = 1; j < n - 1; j++)
			row(out, 'S', i, j);
}

/* Round robin over 3 classes. */
static void strided(struct tp_str *out, long n, long T)
{
	(void)T;
	for (long m = 0; m < 3; m++)
		for (long i = m; i < n; i += 3)
			row(out, 'S', i, 0);
}

static void below_zero(struct tp_str *out, long n, long T)
{
	for (long x = floor_of(-n, 5); x <= floor_of(T, 5); x++)
		for (long i = most(-n, 5 * x); i <= least(T, 5 * x + 4); i++)
			row(out, 'S', i, 0);
}

/* A tile of the last of 4 steps has 8 points, and one more at both ends for each step before. */
static void overlapped(struct tp_str *out, long n, long T)
{
	for (long tt = 0; tt < T; tt += 4)
		for (long x = 0; 8 * x <= n - 2; x++)
			for (long t = tt; t < least(tt + 4, T); t++)
				for (long i = most(1, 8 * x - 3 + t - tt);
				     i < least(n - 1, 8 * x + 11 - t + tt); i++)
					row(out, 'S', t, i);
}

/* --- by isl --- */

#define PLANE	 "[n] -> { S[i,j] : 0 <= i < n and 1 <= j < n - 1 }"
#define IN_ORDER "{ S[i,j] -> [i,j] }"
#define STEPS	 "[n,T] -> { S[t,i] : 0 <= t < T and 1 <= i < n - 1 }"
#define IN_TIME	 "{ S[t,i] -> [t,i] }"
#define TWO	 "[n] -> { S[i,j] : 0 <= i < n and j = 0; R[i,j] : 0 <= i < n and j = 0 }"
#define ROW	 "[n] -> { S[i,j] : 0 <= i < n and j = 0 }"

static const struct loops_case {
	void (*by_hand)(struct tp_str *out, long n, long T);
	const char *domain, *schedule[4];
} cases[] = {
	{ plain, PLANE, { 0 } },
	{ plain, PLANE, { IN_ORDER } },
	{ interchanged, PLANE, { IN_ORDER, "{ [i,j] -> [j,i] }" } },
	{ tiled, PLANE, { IN_ORDER, "{ [i,j] -> [floor(i/4), floor(j/3), i, j] }" } },
	/* The same in two relations, with the remainder instead of the index. */
	{ tiled,
	  PLANE,
	  { IN_ORDER, "{ [i,j] -> [floor(i/4), i mod 4, j] }",
	    "{ [x,a,j] -> [x, floor(j/3), a, j mod 3] }" } },
	{ strips, PLANE, { IN_ORDER, "{ [i,j] -> [floor(j/5), i, j] }" } },
	{ skewed, STEPS, { IN_TIME, "{ [t,i] -> [t, i+t] }" } },
	{ wave, STEPS, { IN_TIME, "{ [t,i] -> [t, i+t] }", "{ [t,x] -> [x,t] }" } },
	{ skewed_tiles,
	  STEPS,
	  { IN_TIME, "{ [t,i] -> [t, i+t] }", "{ [t,x] -> [floor(t/4), floor(x/8), t, x] }" } },
	{ fission, TWO, { "{ S[i,j] -> [0,i]; R[i,j] -> [1,i] }" } },
	{ fusion, TWO, { "{ S[i,j] -> [i,0]; R[i,j] -> [i,1] }" } },
	{ fusion, TWO, { "{ S[i,j] -> [0,i]; R[i,j] -> [1,i] }", "{ [a,i] -> [i,a] }" } },
	{ shifted, TWO, { "{ S[i,j] -> [i,0]; R[i,j] -> [i+2,1] }" } },
	{ reversed, PLANE, { IN_ORDER, "{ [i,j] -> [-i,j] }" } },
	{ strided, ROW, { "{ S[i,j] -> [i] }", "{ [i] -> [i mod 3, i] }" } },
	{ below_zero,
	  "[n,T] -> { S[i,j] : -n <= i <= T and j = 0 }",
	  { "{ S[i,j] -> [i] }", "{ [i] -> [floor(i/5), i] }" } },
	{ overlapped,
	  STEPS,
	  { IN_TIME, "[n] -> { [t,i] -> [tt,x,t,i] : tt = 4*floor(t/4) and 0 <= 8x <= n - 2 and "
		     "8x - 3 + t - tt <= i < 8x + 11 - t + tt }" } },
};

static const char head[] = "#include <stdio.h>\n"
			   "#include <stdlib.h>\n"
			   "#define S(i, j) printf(\"S %ld %ld\\n\", (long)(i), (long)(j))\n"
			   "#define R(i, j) printf(\"R %ld %ld\\n\", (long)(i), (long)(j))\n";

static void add_case(struct tp_str *program, size_t index)
{
	const struct loops_case *loops = &cases[index];
	struct tp_poly_input input = { .domain = loops->domain,
				       .schedule = loops->schedule,
				       .parallel_depth = 0,
				       .parallel_pragma = "#pragma omp for",
				       .duplicates = loops->by_hand == overlapped };
	struct tp_poly_answers answers = { 0 };
	struct tp_diag diag = { 0 };
	while (input.n_schedule < N(loops->schedule) && loops->schedule[input.n_schedule])
		input.n_schedule++;
	enum tp_status status = tp_poly_examine(&input, TP_POLY_LOOPS, &answers, NULL, &diag);
	if (status != TP_OK)
		fail_msg("case %zu: %s: %s", index, diag.where, diag.what);
	tp_str_printf(program,
		      "static void case%zu(long n, long T)\n"
		      "{\n"
		      "(void)T;\n"
		      "printf(\"case %zu of %%ld\\n\", n);\n"
		      "%s}\n",
		      index, index, tp_str_text(&answers.loops));
	tp_poly_answers_release(&answers);
}

/* All cases for all sizes, as the program prints them; the program itself goes into `program`. */
static void make_both(struct tp_str *program, struct tp_str *expected)
{
	tp_str_add(program, head);
	for (size_t i = 0; i < N(cases); i++)
		add_case(program, i);
	tp_str_add(program, "int main(void)\n{\n");
	for (size_t i = 0; i < N(cases); i++)
		for (size_t k = 0; k < N(sizes); k++) {
			long n = sizes[k], T = n / 3 + 2;
			tp_str_printf(program, "case%zu(%ld, %ld);\n", i, n, T);
			tp_str_printf(expected, "case %zu of %ld\n", i, n);
			cases[i].by_hand(expected, n, T);
		}
	tp_str_add(program, "return 0;\n}\n");
}

/* The line that differs first, with its case. */
static void compare(const char *got, const char *expected)
{
	size_t same = 0, line = 0, title = 0;
	while (got[same] && got[same] == expected[same])
		if (got[same++] == '\n') {
			line = same;
			if (strncmp(got + line, "case", 4) == 0)
				title = line;
		}
	if (got[same] || expected[same])
		fail_msg("in %.*s: got \"%.*s\", expected \"%.*s\"",
			 (int)strcspn(got + title, "\n"), got + title,
			 (int)strcspn(got + line, "\n"), got + line,
			 (int)strcspn(expected + line, "\n"), expected + line);
}

static void test_run(void **state)
{
	char folder[] = "/tmp/test_poly.XXXXXX", path[TP_PATH_MAX], command[3 * TP_PATH_MAX];
	struct tp_str program = { 0 }, expected = { 0 };
	struct tp_diag diag;
	const char *cc = getenv("TPROF_TEST_CC");
	char *got = NULL;
	size_t len;
	(void)state;
	cc = cc && *cc ? cc : "cc";
#ifndef HAVE_ISL
	skip();
#endif
	snprintf(command, sizeof(command), "command -v %.*s >/dev/null", (int)strcspn(cc, " "), cc);
	if (system(command) != 0) {
		print_message("there is no C compiler to run what isl made\n");
		skip();
	}
	make_both(&program, &expected);
	assert_non_null(mkdtemp(folder));
	put_file(folder, "loops.c", tp_str_text(&program));
	snprintf(command, sizeof(command),
		 "%s -Wall -Wextra -Wno-unknown-pragmas -Werror '%s/loops.c' -o '%s/loops' && "
		 "'%s/loops' >'%s/out'",
		 cc, folder, folder, folder, folder);
	assert_int_equal(system(command), 0);
	snprintf(path, sizeof(path), "%s/out", folder);
	assert_int_equal(tp_file_read(path, 1 << 24, &got, &len, &diag), TP_OK);
	compare(got, tp_str_text(&expected));
	free(got);
	tp_str_release(&program);
	tp_str_release(&expected);
	assert_int_equal(remove_tree(folder), 0);
}

/* --- counts --- */

static void test_count(void **state)
{
	static const char *const schedule[] = {
		"{ S[t,i] -> [t,i] }",
		"[n] -> { [t,i] -> [tt,x,t,i] : tt = 4*floor(t/4) and 0 <= 8x <= n - 2 and "
		"8x - 3 + t - tt <= i < 8x + 11 - t + tt }"
	};
	const struct tp_poly_value large[] = { { "n", 2000000 }, { "m", 3000000 } };
	const struct tp_poly_value small[] = { { "n", 20 }, { "T", 4 } };
	struct tp_poly_input input = { .domain = "[n,m] -> { S[i,j] : 0 <= i < n and 0 <= j < m; "
						 "T[i] : 0 <= i < n }" };
	uint64_t instances, runs;
	struct tp_diag diag;
	(void)state;
#ifndef HAVE_ISL
	skip();
#endif
	static const char *const both[] = { "{ S[i,j] -> [0,i,j]; T[i] -> [1,i,0] }" };
	input.schedule = both;
	input.n_schedule = 1;
	assert_int_equal(tp_poly_count(&input, large, 2, &instances, &runs, NULL, &diag), TP_OK);
	assert_true(instances == UINT64_C(6000002000000) && runs == instances);
	assert_int_equal(tp_poly_count(&input, large, 1, &instances, &runs, NULL, &diag), TP_USAGE);
	assert_string_equal(diag.what, "parameter m has no value");
	/* A triangle. */
	input = (struct tp_poly_input){ .domain = "[n] -> { S[i,j] : 0 <= j < i < n }" };
	assert_int_equal(tp_poly_count(&input, small, 2, &instances, &runs, NULL, &diag), TP_OK);
	assert_true(instances == 190);
	/* Three tiles of 14, 12, 10 and 8 points, cut at the edges of 1..18. */
	input = (struct tp_poly_input){ .domain =
						"[n,T] -> { S[t,i] : 0 <= t < T and 1 <= i < n-1 }",
					.schedule = schedule,
					.n_schedule = 2,
					.duplicates = true };
	assert_int_equal(tp_poly_count(&input, small, 2, &instances, &runs, NULL, &diag), TP_OK);
	assert_int_equal(instances, 4 * 18);
	size_t by_hand = 0;
	for (long t = 0; t < 4; t++)
		for (long x = 0; 8 * x <= 18; x++)
			for (long i = 1; i < 19; i++)
				by_hand += 8 * x - 3 + t <= i && i < 8 * x + 11 - t;
	assert_int_equal(runs, by_hand);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_run),
					    cmocka_unit_test(test_count) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
