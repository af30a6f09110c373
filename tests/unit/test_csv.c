/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * points.csv, read back: what tp_run_csv writes, what spreadsheets and other people's scripts make
 * of it, and what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "experiments/experiment.h"
#include "record/point.h"
#include "record/load.h"
#include "tests/unit/near.h"

#define HEAD                                                                                       \
	"point,experiment,kernel,isa,precision,threads,level,fp_op,working_set_bytes,median_gbps," \
	"median_gflops,ci_low,ci_high,samples,flags"
#define ROW "0,roofline,load,avx2,double,1,L1,,16384,236.4,,236,237,12,"

static enum tp_status read_csv(struct tp_run *run, const char *text, struct tp_diag *diag)
{
	*diag = (struct tp_diag){ .what = "" };
	return tp_run_parse_csv(run, "points.csv", text, strlen(text), diag);
}

static void expect_refused(const char *text, const char *where, const char *word)
{
	struct tp_run run = { .wall_seconds = 7 };
	struct tp_diag diag;
	assert_int_equal(read_csv(&run, text, &diag), TP_USAGE);
	assert_string_equal(diag.where, where);
	if (!strstr(diag.what, word))
		fail_msg("expected \"%s\" in \"%s\"", word, diag.what);
	/* What the caller had stays. */
	assert_near(run.wall_seconds, 7, 0);
	assert_int_equal(run.n_points, 0);
}

static void expect_read(const char *text, struct tp_run *run)
{
	struct tp_diag diag;
	if (read_csv(run, text, &diag) != TP_OK)
		fail_msg("%s: %s", diag.where, diag.what);
}

/* Every column that can be read, with a value of its own. */
static struct tp_kernel_row full_row = { .isa = "avx2",
					 .precision = "double",
					 .level = "DRAM",
					 .working_set_bytes = UINT64_C(1) << 40,
					 .loads = 2,
					 .stores = 1,
					 .fp_op = "fma+add",
					 .ai_flop_per_byte = 0.0625,
					 .median_gbps = 700.1234567,
					 .best_gbps = 704.25,
					 .median_gflops = 59.1,
					 .best_gflops = 59.2,
					 .bytes_per_cycle = 95.3,
					 .flop_per_cycle = 16,
					 .ipc = 2.98,
					 .nontemporal = true,
					 .best_ratio = true,
					 .body = "u256 \"two\" streams, +64 B",
					 .pages = "thp",
					 .median_ns = 12.5,
					 .best_ns = 12.25,
					 .pause_cycles = 64,
					 .pages_wanted = "thp" };
static const struct tp_point full = { .run = 1,
				      .point = 2,
				      .experiment = "roofline",
				      .kernel = "2ld1st-nt",
				      .threads = 2,
				      .state = TP_POINT_DONE,
				      .core_ghz = 3.694,
				      .ci_low = 699.9,
				      .ci_high = 700.4,
				      .kept = 40,
				      .seconds = 0.125,
				      .flags = TP_FLAG(DISTURBED) | TP_FLAG(STEAL),
				      .invocations = 3,
				      .mean = 699.5,
				      .stddev = 1.5,
				      .mad = 0.5,
				      .core_ghz_after = 3.695,
				      .bound = 709.2,
				      .cpus = "0,1",
				      .row = &full_row };

static void what_is_written_is_read(void **state)
{
	struct tp_point points[3] = { { 0 }, { .point = 1 }, full };
	struct tp_run run = { .points = points, .n_points = TP_COUNT_OF(points) }, back = { 0 };
	struct tp_str text = { 0 }, second = { 0 };
	(void)state;
	tp_kernel_headline(&points[2]);
	tp_run_csv(&run, true, &text);
	expect_read(tp_str_text(&text), &back);
	/* The points before it were not measured: they are not rows, and not done. */
	assert_int_equal(back.n_points, 3);
	assert_int_equal(back.points[0].state, TP_POINT_PLANNED);
	assert_int_equal(back.points[2].state, TP_POINT_DONE);
	assert_string_equal(tp_kernel_row(&back.points[2])->body, full_row.body);
	assert_string_equal(back.points[2].cpus, "0,1");
	assert_int_equal(back.points[2].flags, full.flags);
	assert_near(tp_kernel_row(&back.points[2])->median_gbps, full_row.median_gbps, 0);
	assert_true(tp_kernel_row(&back.points[2])->working_set_bytes ==
		    full_row.working_set_bytes);
	/* And to the same text: no column is forgotten. */
	tp_run_csv(&back, true, &second);
	assert_string_equal(tp_str_text(&second), tp_str_text(&text));
	tp_str_release(&text);
	tp_str_release(&second);
	tp_run_release(&back);
}

static void empty_columns_are_left_out(void **state)
{
	struct tp_kernel_row row = { .isa = "avx2", .median_gbps = 100 };
	struct tp_point point = { .experiment = "roofline", .state = TP_POINT_DONE, .row = &row };
	struct tp_run run = { .points = &point, .n_points = 1 }, back = { 0 };
	TP_STR all = { 0 }, filled = { 0 };
	(void)state;
	tp_run_csv(&run, true, &all);
	tp_run_csv(&run, false, &filled);
	/* What scripts rely on is there, empty or not; the rest is not. */
	static const char core[] = "run,point,experiment,kernel,isa,precision,threads,level,"
				   "working_set_bytes,loads,stores,fp_op,ai_flop_per_byte,"
				   "median_gbps,best_gbps,median_gflops,best_gflops,"
				   "bytes_per_cycle,flop_per_cycle,ipc,core_ghz,ci_low,ci_high,"
				   "samples,seconds,flags,";
	assert_int_equal(strncmp(tp_str_text(&filled), core, sizeof(core) - 1), 0);
	assert_non_null(strstr(tp_str_text(&filled), ",quality"));
	assert_non_null(strstr(tp_str_text(&all), ",cpus,"));
	assert_null(strstr(tp_str_text(&filled), ",cpus,"));
	assert_true(filled.len < all.len / 2);
	strcpy(point.cpus, "7");
	tp_str_clear(&filled);
	tp_run_csv(&run, false, &filled);
	assert_non_null(strstr(tp_str_text(&filled), ",cpus"));
	expect_read(tp_str_text(&filled), &back);
	assert_string_equal(back.points[0].cpus, "7");
	assert_near(tp_kernel_row(&back.points[0])->median_gbps, 100, 0);
	tp_run_release(&back);
}

static void other_programs_tables_are_read(void **state)
{
	struct tp_run run = { 0 };
	(void)state;
	/*
	 * CRLF, no line end at the last line, empty lines, a column of
	 * somebody's own, another order.
	 */
	expect_read(HEAD
		    ",my notes\r\n" ROW ",\"a, \"\"quoted\"\"\r\ncell\"\r\n\r\n"
		    "\"1\",roofline,fma,avx2,double,1,FP,fma,,,59.1,59,59.2,12,steal|new-flag,",
		    &run);
	assert_int_equal(run.n_points, 2);
	assert_near(tp_kernel_row(&run.points[0])->median_gbps, 236.4, 0);
	assert_string_equal(tp_kernel_row(&run.points[1])->fp_op, "fma");
	assert_near(tp_kernel_row(&run.points[1])->median_gflops, 59.1, 0);
	assert_int_equal(run.points[1].flags, TP_FLAG(STEAL));
	/* A second reading replaces the first. */
	expect_read(HEAD "\n", &run);
	assert_int_equal(run.n_points, 0);
	tp_run_release(&run);
}

static void broken_tables_are_refused_with_their_line(void **state)
{
	(void)state;
	expect_refused("", "points.csv:1", "nothing");
	expect_refused("\n\n", "points.csv:3", "nothing");
	expect_refused("point,experiment\n", "points.csv:1", "missing columns: kernel, isa");
	expect_refused("point;experiment;kernel\n", "points.csv:1", "missing columns");
	expect_refused(HEAD ",isa\n", "points.csv:1", "same name");
	expect_refused(HEAD "\n" ROW "\n" ROW "\n", "points.csv:3", "second point");
	expect_refused(HEAD "\n" ROW "\n1,roofline\n", "points.csv:3", "2 cells");
	expect_refused(HEAD "\n\n0,roofline,load,avx2,double,1,L1,,16384,fast,,236,237,12,\n",
		       "points.csv:3", "\"fast\" in the column median_gbps");
	expect_refused(HEAD "\n0,roofline,load,avx2,double,1,L1,,16384,nan,,236,237,12,\n",
		       "points.csv:2", "median_gbps");
	expect_refused(HEAD "\n0,roofline,load,avx2,double,-1,L1,,16384,1,,236,237,12,\n",
		       "points.csv:2", "threads");
	expect_refused(HEAD "\n0,roofline,load,avx2,double,1.5,L1,,16384,1,,236,237,12,\n",
		       "points.csv:2", "threads");
	expect_refused(HEAD "\n0,roofline,load,avx2-and-much-more,double,1,L1,,16384,1,,2,3,12,\n",
		       "points.csv:2", "column isa");
	expect_refused(HEAD "\n65536,roofline,load,avx2,double,1,L1,,16384,1,,2,3,12,\n",
		       "points.csv:2", "\"65536\" in the column point");
	expect_refused(HEAD "\n0,,load,avx2,double,1,L1,,16384,1,,2,3,12,\n", "points.csv:2",
		       "experiment");
	expect_refused(HEAD "\n\"0,roofline\n\n\n", "points.csv:2", "not closed");
	expect_refused(HEAD "\n\"0\"x,roofline\n", "points.csv:2", "closing quote");
	expect_refused(HEAD "\n0\"x,roofline\n", "points.csv:2", "quote inside");
}

static void sizes_are_bounded(void **state)
{
	struct tp_str text = { 0 };
	(void)state;
	tp_str_pad(&text, ',', 100000);
	expect_refused(tp_str_text(&text), "points.csv:1", "columns");
	tp_str_clear(&text);
	tp_str_pad(&text, 'x', 100000);
	expect_refused(tp_str_text(&text), "points.csv:1", "longer");
	tp_str_release(&text);

	struct tp_run run = { 0 };
	struct tp_diag diag;
	assert_int_equal(tp_run_parse_csv(&run, "points.csv", "a\0b", 3, &diag), TP_USAGE);
	assert_non_null(strstr(diag.what, "zero"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(empty_columns_are_left_out),
		cmocka_unit_test(other_programs_tables_are_read),
		cmocka_unit_test(broken_tables_are_refused_with_their_line),
		cmocka_unit_test(sizes_are_bounded),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
