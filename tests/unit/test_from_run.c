/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The points of a run as a frame. */
#include "experiments/experiment.h"
#include "tests/unit/files.h"

#include <math.h>

#include "experiments/pattern/row.h"
#include "mining/from_run.h"

static void add_pattern(struct tp_run *run, unsigned id, const char *parameters, uint64_t n,
			unsigned threads, double gbps)
{
	struct tp_point *point = &run->points[id];
	tp_point_begin(point, "pattern", &run->arena);
	point->point = id;
	point->threads = threads;
	point->state = gbps > 0 ? TP_POINT_DONE : TP_POINT_FAILED;
	tp_copy(point->cpus, sizeof(point->cpus), id ? "0,1" : "0");
	struct tp_pattern_row *row = point->row;
	tp_copy(row->pattern, sizeof(row->pattern), "copy");
	tp_copy(row->parameters, sizeof(row->parameters), parameters);
	row->n = n;
	row->kernel.median_gbps = gbps;
}

static void cell_is(const struct tp_frame *frame, const char *column, size_t row, const char *want)
{
	char text[64];
	const struct tp_frame_column *found = tp_frame_find(frame, column, NULL);
	assert_non_null(found);
	assert_string_equal(tp_frame_cell(found, row, text, sizeof(text)), want);
}

static void test_parameters_are_columns(void **state)
{
	(void)state;
	struct tp_run run = { .n_points = 4, .called = "mine" };
	struct tp_frame frame = { 0 };
	struct tp_diag diag = { 0 };
	run.points = calloc(run.n_points, sizeof(*run.points));
	add_pattern(&run, 0, "n=100 tile=16 flags=\"-O3 -g\" threads=7", 100, 1, 10.5);
	add_pattern(&run, 1, "n=200 tile=8 flags=-O2 threads=8", 200, 2, 20.25);
	add_pattern(&run, 2, "n=300 tile=4 other=1", 300, 2, 0);
	add_pattern(&run, 3, "n=400 extra=x", 400, 4, 5);
	assert_int_equal(tp_frame_of_run(&frame, &run, &diag), TP_OK);
	assert_string_equal(frame.name, "mine");
	/* Without the point that failed, and without what only that has. */
	assert_int_equal(frame.n_rows, 3);
	assert_null(tp_frame_find(&frame, "other", NULL));
	assert_null(tp_frame_find(&frame, "parameters", NULL));
	assert_null(tp_frame_find(&frame, "latency_cycles", NULL));
	cell_is(&frame, "tile", 1, "8");
	cell_is(&frame, "tile", 2, "");
	assert_false(tp_frame_find(&frame, "tile", NULL)->is_words);
	/* A column that points have keeps its name, also where it is empty. */
	assert_null(tp_frame_find(&frame, "flags", NULL));
	cell_is(&frame, "parameters_flags", 0, "-O3 -g");
	cell_is(&frame, "extra", 2, "x");
	cell_is(&frame, "cpus", 2, "0,1");
	cell_is(&frame, "cpus", 0, "0");
	assert_true(tp_frame_find(&frame, "pattern", NULL)->is_words);
	/* n is a column of points as well and the same there; threads is another thing. */
	cell_is(&frame, "n", 2, "400");
	assert_null(tp_frame_find(&frame, "parameters_n", NULL));
	cell_is(&frame, "threads", 2, "4");
	cell_is(&frame, "parameters_threads", 0, "7");
	cell_is(&frame, "median_gbps", 1, "20.25");
	assert_int_equal(tp_frame_find(&frame, "median_gbps", NULL)->role, TP_ROLE_METRIC);
	assert_int_equal(tp_frame_find(&frame, "tile", NULL)->role, TP_ROLE_DIMENSION);
	tp_frame_release(&frame);
	tp_run_release(&run);
}

static void test_what_a_run_derives(void **state)
{
	(void)state;
	struct tp_run run = { .n_points = 2, .called = "mine" };
	struct tp_frame frame = { 0 };
	struct tp_diags doubts = { 0 };
	struct tp_diag diag = { 0 };
	struct tp_str text = { 0 };
	run.points = calloc(run.n_points, sizeof(*run.points));
	add_pattern(&run, 0, "tile=16", 0, 1, 8);
	add_pattern(&run, 1, "tile=8", 0, 2, 16);
	tp_run_fact_text(&run, "derived.1", "per_tile=median_gbps/tile");
	tp_run_fact_text(&run, "derived.2", "oops=cycels+1");
	tp_run_fact_text(&run, "derived.3", "both=distinct(per_tile, tile, 2)");
	assert_true(tp_run_has_table(&run));
	assert_int_equal(tp_frame_of_run(&frame, &run, &diag), TP_OK);
	cell_is(&frame, "per_tile", 0, "0.5");
	cell_is(&frame, "both", 0, "3");
	cell_is(&frame, "both", 1, "2");
	assert_null(tp_frame_find(&frame, "oops", NULL));
	tp_frame_release(&frame);
	tp_run_derived_doubts(&run, &doubts);
	assert_int_equal(doubts.n, 1);
	assert_string_equal(doubts.items[0].where, "derived");
	assert_non_null(strstr(doubts.items[0].what, "there is no cycels"));
	tp_diags_release(&doubts);
	assert_int_equal(tp_run_table(&run, &text), TP_OK);
	assert_non_null(strstr(text.s, ",per_tile,both\n"));
	assert_non_null(strstr(text.s, ",0.5,3\n"));
	tp_str_release(&text);
	tp_run_release(&run);
}

static void test_a_run_without_points(void **state)
{
	(void)state;
	struct tp_run run = { 0 };
	struct tp_frame frame = { 0 };
	struct tp_diag diag = { 0 };
	assert_false(tp_run_has_table(&run));
	assert_int_equal(tp_frame_of_run(&frame, &run, &diag), TP_OK);
	assert_int_equal(frame.n_rows, 0);
	assert_int_equal(frame.n_columns, 0);
	tp_frame_release(&frame);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parameters_are_columns),
		cmocka_unit_test(test_what_a_run_derives),
		cmocka_unit_test(test_a_run_without_points),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
