/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Output of PAPI's Counter Analysis Toolkit: real folders of several versions, and what is wrong
 * with broken ones.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "experiments/counters/cat.h"
#include "experiments/experiment.h"
#include "tests/unit/files.h"
#include "experiments/counters/readings.h"

static const char *data(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/tests/counters/%s", source_dir(), name);
	return path;
}

static void read_folder(struct tp_cat *cat, const char *name)
{
	struct tp_diag diag = { .what = "" };

	if (tp_cat_read(cat, data(name), &diag) != TP_OK)
		fail_msg("%s: %s", diag.where, diag.what);
}

/* The reading, NaN if there is none. */
static double reading(const struct tp_cat *cat, const char *family, const char *event, size_t row)
{
	const struct tp_reading_family *f = tp_readings_family(&cat->readings, family);
	const struct tp_reading_event *e = f ? tp_reading_event_find(f, event) : NULL;

	return e && row < f->n_rows ? tp_reading_value(f, e, 0, row) : NAN;
}

static bool told(const struct tp_cat *cat, const char *where, const char *what)
{
	for (size_t i = 0; i < cat->notes.n; i++)
		if (strstr(cat->notes.items[i].where, where) &&
		    strstr(cat->notes.items[i].what, what))
			return true;
	return false;
}

static enum tp_status parse(struct tp_cat *cat, const char *name, const char *text)
{
	struct tp_diag diag = { .what = "" };
	enum tp_status status = tp_cat_parse(cat, name, text, strlen(text), &diag);

	if (status)
		assert_true(diag.where[0] && diag.what[0]);
	return status;
}

static void stepped_loops_are_the_rows_of_flops(void **state)
{
	/* Position in the basis of "flops", three rows each. */
	static const char *const events[] = {
		"step::SP_SCALAR",     "step::SP_128",	   "step::SP_256",     "step::SP_512",
		"step::DP_SCALAR",     "step::DP_128",	   "step::DP_256",     "step::DP_512",
		"step::SP_SCALAR_FMA", "step::SP_128_FMA", "step::SP_256_FMA", "step::SP_512_FMA",
		"step::DP_SCALAR_FMA", "step::DP_128_FMA", "step::DP_256_FMA", "step::DP_512_FMA",
	};
	struct tp_cat cat = { .n_files = 0 };

	(void)state;
	read_folder(&cat, "cat-stepped");
	for (size_t e = 0; e < 16; e++)
		for (size_t row = 0; row < 48; row++) {
			double whole = row / 3 == e ? (e < 8 ? 24 : 12) << row % 3 : 0;
			assert_float_equal(reading(&cat, "flops", events[e], row), whole, 0);
		}
	assert_float_equal(reading(&cat, "flops", "step::DP_OPERATIONS", 3 * 6), 4 * 24, 0);
	assert_float_equal(reading(&cat, "flops", "step::DP_OPERATIONS", 3 * 14 + 2), 8 * 48, 0);
	tp_cat_release(&cat);
}

static void stepped_branches_are_those_of_the_basis(void **state)
{
	/* CR, T, D of the eleven kernels. */
	static const double expected[3][11] = {
		{ 2, 2, 2, 2, 2.5, 2.5, 2, 2.5, 2.5, 2, 1 },
		{ 1.5, 1, 2, 1.5, 1.5, 2, 1.5, 1.5, 2, 1, 1 },
		{ 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0 },
	};
	static const char *const events[] = { "step::COND", "step::COND_TAKEN", "step::JUMPS" };
	struct tp_cat cat = { .n_files = 0 };

	(void)state;
	read_folder(&cat, "cat-stepped");
	for (size_t e = 0; e < 3; e++)
		for (size_t row = 0; row < 11; row++)
			assert_float_equal(reading(&cat, "branch", events[e], row),
					   expected[e][row], 0);
	assert_int_equal(cat.n_errors, 0);
	tp_cat_release(&cat);
}

static void software_events_have_every_benchmark(void **state)
{
	struct tp_cat cat = { .n_files = 0 };

	(void)state;
	read_folder(&cat, "cat-software");
	assert_int_equal(cat.n_files, 12);
	assert_int_equal(cat.n_errors, 0);
	assert_int_equal(tp_readings_family(&cat.readings, "branch")->n_rows, 11);
	assert_int_equal(tp_readings_family(&cat.readings, "flops")->n_rows, 48);
	assert_int_equal(tp_readings_family(&cat.readings, "cat-icache")->n_rows, 48);
	/* Two strides, two blocks, twelve sizes; the sequential sections are left out. */
	assert_int_equal(tp_readings_family(&cat.readings, "dcache-read")->n_rows, 48);
	assert_int_equal(cat.rows[0].n, 48);
	assert_true(told(&cat, "data.reads", "sequential"));
	assert_true(told(&cat, ".icache", "no basis"));
	assert_int_equal(cat.rows[0].items[0].stride_bytes, 64);
	assert_int_equal(cat.rows[0].items[0].pages_per_block, 512);
	assert_float_equal(cat.rows[0].items[0].bytes, 6888, 0);
	assert_int_equal(cat.rows[0].items[0].level, 1);
	assert_int_equal(cat.rows[0].items[3].level, 2);
	assert_int_equal(cat.rows[0].items[6].level, 3);
	assert_true(cat.rows[0].items[11].memory);
	tp_cat_release(&cat);
}

static void old_loops_have_no_titles(void **state)
{
	struct tp_cat cat = { .n_files = 0 };
	const struct tp_reading_family *f;

	(void)state;
	read_folder(&cat, "cat-7.0");
	f = tp_readings_family(&cat.readings, "flops");
	assert_int_equal(cat.n_errors, 0);
	assert_non_null(f);
	assert_float_equal(f->iterations[3], 1e6, 0);
	/* No scalar loops then. */
	assert_true(isnan(reading(&cat, "flops", "perf::TASK-CLOCK", 0)));
	assert_true(reading(&cat, "flops", "perf::TASK-CLOCK", 3) > 0);
	assert_true(reading(&cat, "flops", "perf::TASK-CLOCK", 47) > 0);
	tp_cat_release(&cat);
}

/* PAPI 7.0 with 256 bit: each loop's count tells where it must land. */
static void old_loops_land_in_their_rows(void **state)
{
	struct tp_cat cat = { .n_files = 0 };
	char text[2048];
	size_t n = 0;

	(void)state;
	for (int fma = 0; fma < 2; fma++)
		for (int precision = 0; precision < 3; precision++)
			for (int width = 1; width <= 2; width++)
				for (int loop = 0; loop < 3; loop++)
					n += (size_t)snprintf(
						text + n, sizeof(text) - n, "%d %d000000\n",
						(fma ? 12 : 24) << loop,
						1000 * fma + 100 * precision + 10 * width + loop);
	assert_int_equal(parse(&cat, "E.vec", text), TP_OK);
	assert_float_equal(reading(&cat, "flops", "E", 3 * 1 + 2), 112, 0);
	assert_float_equal(reading(&cat, "flops", "E", 3 * 6 + 0), 220, 0);
	assert_float_equal(reading(&cat, "flops", "E", 3 * 9 + 1), 1111, 0);
	assert_float_equal(reading(&cat, "flops", "E", 3 * 14 + 2), 1222, 0);
	assert_true(told(&cat, "E.vec", "half precision"));
	tp_cat_release(&cat);
}

static void broken_lines_are_told_and_the_rest_is_kept(void **state)
{
	struct tp_cat cat = { .n_files = 0 };

	(void)state;
	assert_int_equal(parse(&cat, "A.branch", "2.00\nnan\n-1.00\n1e30\nx\n2 3\n-0.00\n7\n"),
			 TP_OK);
	assert_true(told(&cat, "A.branch:2", "NaN"));
	assert_true(told(&cat, "A.branch:3", "negative"));
	assert_true(told(&cat, "A.branch:4", "2^63"));
	assert_true(told(&cat, "A.branch:5", "not a number"));
	assert_true(told(&cat, "A.branch:6", "more than 1"));
	assert_true(told(&cat, "A.branch:8", "after 8 of 11"));
	assert_float_equal(reading(&cat, "branch", "A", 0), 2, 0);
	assert_true(isnan(reading(&cat, "branch", "A", 1)));
	assert_float_equal(reading(&cat, "branch", "A", 6), 0, 0);
	assert_false(signbit(reading(&cat, "branch", "A", 6)));
	assert_float_equal(reading(&cat, "branch", "A", 7), 7, 0);
	assert_int_equal(parse(&cat, "B.branch", ""), TP_USAGE);
	assert_int_equal(parse(&cat, "B.branch", "-1\n"), TP_USAGE);
	assert_int_equal(parse(&cat, "B.wrong", "1\n"), TP_UNSUPPORTED);
	assert_int_equal(parse(&cat, ".branch", "1\n"), TP_UNSUPPORTED);
	tp_cat_release(&cat);
}

static void a_cut_section_is_told(void **state)
{
	struct tp_cat cat = { .n_files = 0 };

	(void)state;
	assert_int_equal(parse(&cat, "E.vec",
			       "# ExpectedInstrs EventCount\n# DP FMA Vector AVX512\n12 5\n13 6\n"
			       "12 7\n# QP FMA Scalar\n12 1\n# SP Non-FMA Vector\n24 9\n48"),
			 TP_OK);
	assert_float_equal(reading(&cat, "flops", "E", 3 * 15), 5, 0);
	assert_true(told(&cat, "E.vec:4", "no loop of 13"));
	assert_true(told(&cat, "E.vec:5", "second loop"));
	assert_true(told(&cat, "E.vec:6", "no section"));
	assert_true(told(&cat, "E.vec:10", "expectation and a count"));
	assert_true(told(&cat, "E.vec:10", "lacks loops"));
	/* A vector without a width is the only one there is: 128 bit. */
	assert_float_equal(reading(&cat, "flops", "E", 3 * 1), 9, 0);
	assert_int_equal(parse(&cat, "F.vec", "24 1\n48 1\n"), TP_USAGE);
	tp_cat_release(&cat);
}

static const char caches[] = "# Core: 0 1 2\n# L1:1000 L2:8000\n"
			     "# PTRN=3, STRIDE=64, PPB=16.000000, ThreadCount=3\n";

static void threads_become_their_median(void **state)
{
	struct tp_cat cat = { .n_files = 0 };
	char text[512];

	(void)state;
	snprintf(text, sizeof(text), "%s500 0.1 0.5 0.2\n4000 1 3 2\n16000 9 8 7\n", caches);
	assert_int_equal(parse(&cat, "E.data.writes", text), TP_OK);
	assert_float_equal(reading(&cat, "dcache-write", "E", 0), 0.2, 0);
	assert_float_equal(reading(&cat, "dcache-write", "E", 1), 2, 0);
	assert_float_equal(reading(&cat, "dcache-write", "E", 2), 8, 0);
	assert_true(cat.rows[1].items[2].memory);
	/* An event of the whole package is counted by the first thread alone. */
	snprintf(text, sizeof(text), "%s500 0.5 0 0\n4000 1.5 0 0\n16000 2.5 0 0\n", caches);
	assert_int_equal(parse(&cat, "U.data.writes", text), TP_OK);
	assert_float_equal(reading(&cat, "dcache-write", "U", 1), 1.5, 0);
	/* Too few counts in a row; a size that the others do not have. */
	snprintf(text, sizeof(text), "%s500 1 1\n4000 1 1 1\n5000 1 1 1\n", caches);
	assert_int_equal(parse(&cat, "V.data.writes", text), TP_OK);
	assert_true(told(&cat, "V.data.writes:4", "a size and 3 counts"));
	assert_true(told(&cat, "V.data.writes", "earlier files"));
	assert_int_equal(parse(&cat, "W.data.reads", "500 1\n600 1\n"), TP_USAGE);
	assert_true(told(&cat, "W.data.reads:1", "PTRN"));
	tp_cat_release(&cat);
}

static struct tp_basis load_basis(const char *name)
{
	struct tp_basis basis = { .n_rows = 0 };
	struct tp_diags diags = { 0 };

	if (tp_basis_find(&basis, name, &diags) != TP_OK)
		fail_msg("%s", diags.n ? diags.items[0].what : name);
	tp_diags_release(&diags);
	return basis;
}

static void rows_of_caches_get_their_region(void **state)
{
	struct tp_cat cat = { .n_files = 0 };
	struct tp_basis basis = load_basis("dcache-read");
	struct tp_basis flops = load_basis("flops");
	struct tp_diag diag = { .what = "" };

	(void)state;
	read_folder(&cat, "cat-software");
	if (tp_cat_basis(&cat, &basis, &diag) != TP_OK)
		fail_msg("%s", diag.what);
	assert_int_equal(basis.n_rows, 48);
	assert_string_equal(basis.rows[0].group, "stride 64, 512 pages");
	assert_float_equal(basis.rows[0].x, 6888, 0);
	/* L1DM, L1DH, L2DH, L3DH. */
	static const double regions[4][4] = {
		{ 0, 1, 0, 0 }, { 1, 0, 1, 0 }, { 1, 0, 0, 1 }, { 1, 0, 0, 0 }
	};
	for (size_t i = 0; i < 12; i++)
		for (size_t k = 0; k < 4; k++)
			assert_float_equal(basis.rows[i].expect[k], regions[i / 3][k], 0);
	assert_int_equal(tp_cat_basis(&cat, &flops, &diag), TP_OK);
	assert_int_equal(flops.n_rows, 48);
	tp_basis_release(&flops);
	tp_basis_release(&basis);
	tp_cat_release(&cat);
}

static void caches_unknown_means_not_analysed(void **state)
{
	struct tp_cat cat = { .n_files = 0 };
	struct tp_basis basis = load_basis("dcache-read");
	struct tp_diag diag = { .what = "" };

	(void)state;
	assert_int_equal(parse(&cat, "E.data.reads",
			       "# Core: 0\n# PTRN=3, STRIDE=64, PPB=64.0, ThreadCount=1\n500 1\n"),
			 TP_OK);
	assert_int_equal(tp_cat_basis(&cat, &basis, &diag), TP_USAGE);
	assert_non_null(strstr(diag.what, "before 7.1"));
	tp_basis_release(&basis);
	tp_cat_release(&cat);
}

static void folders_are_repetitions(void **state)
{
	char top[] = "/tmp/tprof-cat-XXXXXX", inner[600];
	static const char eleven[] = "1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n";
	struct tp_cat cat = { .n_files = 0 };
	struct tp_diag diag = { .what = "" };

	(void)state;
	assert_non_null(mkdtemp(top));
	assert_false(tp_cat_is(top));
	assert_int_equal(tp_cat_read(&cat, top, &diag), TP_USAGE);
	for (int i = 0; i < 3; i++) {
		snprintf(inner, sizeof(inner), "%s/run%d", top, i);
		assert_int_equal(mkdir(inner, 0700), 0);
		if (i != 1)
			put_file(inner, "A.branch", eleven);
		put_file(inner, "notes.txt", "not the toolkit's");
	}
	put_file(inner, "B.branch", "");
	assert_true(tp_cat_is(top));
	assert_int_equal(tp_cat_read(&cat, top, &diag), TP_OK);
	/* The folder without files of the toolkit is none of its. */
	assert_int_equal(tp_readings_family(&cat.readings, "branch")->n_repetitions, 2);
	assert_true(told(&cat, "run2/B.branch", "empty"));
	assert_true(told(&cat, "run0/notes.txt", "unknown kind"));
	assert_int_equal(cat.n_errors, 1);
	tp_cat_release(&cat);
	assert_int_equal(tp_cat_read(&cat, "/nonexistent/folder", &diag), TP_NOTFOUND);
	tp_cat_release(&cat);
	assert_int_equal(remove_tree(top), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stepped_loops_are_the_rows_of_flops),
		cmocka_unit_test(stepped_branches_are_those_of_the_basis),
		cmocka_unit_test(software_events_have_every_benchmark),
		cmocka_unit_test(old_loops_have_no_titles),
		cmocka_unit_test(old_loops_land_in_their_rows),
		cmocka_unit_test(broken_lines_are_told_and_the_rest_is_kept),
		cmocka_unit_test(a_cut_section_is_told),
		cmocka_unit_test(threads_become_their_median),
		cmocka_unit_test(rows_of_caches_get_their_region),
		cmocka_unit_test(caches_unknown_means_not_analysed),
		cmocka_unit_test(folders_are_repetitions),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
