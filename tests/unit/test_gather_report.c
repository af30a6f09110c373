/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the report makes of gathers: the table, the fit, the conclusion, the picture; doubts. On
 * runs made up. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "base/memory.h"
#include "experiments/experiment.h"
#include "experiments/gather/row.h"
#include "report/pictures.h"
#include "report/report.h"
#include "report/reporter.h"
#include "tests/unit/printed.h"
#include "tests/unit/rows.h"

static const struct tp_look look = { .columns = 100, .rows = 30 };

static struct tp_point *add(struct tp_run *run, unsigned bits, bool masked, unsigned elements,
			    unsigned lines, double ns)
{
	struct tp_point *p = add_run_point(run, "gather");
	struct tp_gather_row *row = p->row;
	p->threads = 1;
	p->state = TP_POINT_DONE;
	p->quality = TP_QUALITY_GOOD;
	p->core_ghz = 4;
	p->ci_low = 0.99 * ns;
	p->ci_high = 1.01 * ns;
	tp_copy(row->kernel.precision, sizeof(row->kernel.precision), "single");
	tp_copy(row->kernel.isa, sizeof(row->kernel.isa), bits == 512 ? "avx512" : "avx2");
	row->kernel.median_ns = row->kernel.best_ns = ns;
	row->elements = elements;
	row->vector_bits = bits;
	row->masked = masked;
	row->cold = true;
	row->lines = lines;
	snprintf(p->kernel, sizeof(p->kernel), "gather-%u:%u", elements, lines);
	tp_kernel_time_headline(p);
	return p;
}

/* 10 ns and 5 for each further line; three lists around each, in no order. */
static void make(struct tp_run *run)
{
	for (unsigned elements = 8; elements >= 7; elements--)
		for (unsigned lines = elements; lines >= 1; lines--)
			for (int i = 1; i >= -1; i--)
				add(run, 256, elements < 8, elements, lines,
				    5 + 5.0 * lines + 0.5 * i);
	for (unsigned lines = 1; lines <= 16; lines++)
		add(run, 512, false, 16, lines, 5 + 5.0 * lines);
}

static void expect(const struct tp_str *text, const char *part)
{
	if (!strstr(tp_str_text(text), part))
		fail_msg("\"%s\" is not in:\n%s", part, tp_str_text(text));
}

static void the_table_has_medians_by_lines(void **state)
{
	struct tp_run run = { .n_points = 0 };
	struct tp_str text = { 0 };
	(void)state;
	make(&run);
	PRINTED(&look, &text, tp_report_text(&run, doc));
	expect(&text, "Gather, single, cold caches, 1 thread\n");
	expect(&text, "256  on     7     21  10.0  15.0  20.0  25.0  30.0  35.0  40.0");
	expect(&text, "256  off    8     24  10.0  15.0  20.0  25.0  30.0  35.0  40.0  45.0");
	expect(&text, "512  off   16     16  10.0  15.0  20.0  25.0  30.0  35.0  40.0  45.0");
	expect(&text, "10 ns for one line, 5 ns for each further one (R2 1.00)");
	expect(&text, "explains 100 % of the variance");
	tp_str_release(&text);
	tp_run_release(&run);
}

static void poor_points_have_no_part_in_the_fit(void **state)
{
	struct tp_run run = { .n_points = 0 };
	struct tp_str text = { 0 };
	struct tp_look wide = look;
	(void)state;
	wide.columns = 1000;
	make(&run);
	add(&run, 256, false, 8, 2, 9000)->quality = TP_QUALITY_POOR;
	PRINTED(&wide, &text, tp_report_text(&run, doc));
	expect(&text, "Fit of 61 gathers: 10 ns for one line, 5 ns for each further one");
	expect(&text,
	       "Gathers of 7 to 16 elements (single, cold caches): about 10 ns from 1 line, 85 "
	       "ns from 16; each further line adds 5 ns, and the number of lines explains 100 "
	       "% of the variance.");
	tp_str_release(&text);
	tp_run_release(&run);
}

/* Half of the difference between lines, half within them. */
static void variance_is_shared_out(void **state)
{
	struct tp_run run = { .n_points = 0 };
	struct tp_str text = { 0 };
	(void)state;
	for (unsigned i = 0; i < 4; i++)
		add(&run, 128, false, 4, 1 + i / 2, 10 + i / 2 * 2.0 + i % 2 * 2.0);
	PRINTED(&look, &text, tp_report_text(&run, doc));
	expect(&text, "Fit of 4 gathers: 11 ns for one line, 2 ns for each further one (R2 0.50)");
	expect(&text, "explains 50 % of the variance");
	tp_str_release(&text);
	tp_run_release(&run);
}

static void the_picture_has_a_series_for_each_width_and_mask(void **state)
{
	struct tp_run run = { .n_points = 0 };
	struct tp_picture *picture = tp_picture_new();
	const struct tp_group group = { 0, 1, "single", "gather" };
	(void)state;
	assert_non_null(picture);
	make(&run);
	assert_true(tp_picture_has_curves(&run, &group, 0));
	assert_false(tp_picture_has_curves(&run, &group, TP_PICTURE_CURVES));
	assert_true(tp_picture_curves(picture, &run, &group, 0));
	assert_int_equal(picture->n_series, 3);
	assert_string_equal(picture->series[0].label, "256 bits, masked");
	assert_string_equal(picture->series[1].label, "256 bits");
	assert_string_equal(picture->series[2].label, "512 bits");
	const struct tp_series *s = &picture->series[1];
	assert_int_equal(s->n, 8);
	for (size_t i = 0; i < s->n; i++) {
		assert_true(s->x[i] == (double)i + 1);
		assert_true(fabs(s->y[i] - (10 + 5.0 * (double)i)) < 1e-9);
		assert_true(s->low[i] == s->y[i] - 0.25 && s->high[i] == s->y[i] + 0.25);
		/* A cursor there finds the gather in the middle. */
		assert_true(tp_point_median(picture->origins[1].points[i]) == s->y[i]);
	}
	tp_picture_free(picture);
	tp_run_release(&run);
}

static void points_are_rows_of_numbers_too(void **state)
{
	struct tp_run run = { .n_points = 0 };
	(void)state;
	make(&run);
	struct tp_point *failed = add(&run, 256, false, 8, 2, 9);
	failed->state = TP_POINT_FAILED;
	for (size_t i = 0; i < run.n_points; i++)
		tp_copy(((struct tp_gather_row *)run.points[i].row)->offsets, 80, "0 16 7");
	tp_experiment_find("gather")->reduce(NULL, &run, 0);
	assert_int_equal(tp_run_n_gathers(&run), run.n_points - 1);
	const struct tp_gather_found *found = &tp_run_gathers(&run)[0];
	const struct tp_point *p = &run.points[found->point];
	assert_int_equal(found->elements, 8);
	assert_int_equal(found->lines, 8);
	assert_int_equal(found->vector_bits, 256);
	assert_true(found->cold && !found->masked);
	assert_true(found->ns == tp_point_median(p) && found->cycles == 4 * found->ns);
	assert_int_equal(found->index[1], 16);
	assert_int_equal(found->index[2], 7);
	assert_string_equal(found->quality, "good");
	tp_experiment_find("gather")->reduce(NULL, &run, 1);
	assert_int_equal(tp_run_n_gathers(&run), run.n_points - 1);
	tp_run_release(&run);
}

/* What is poor and far from lists like it is measured once more, and nothing else. */
static void only_poor_strangers_are_doubted(void **state)
{
	struct tp_run run = { .n_points = 0 };
	unsigned char again[16] = { 0 };
	(void)state;
	for (unsigned i = 0; i < 6; i++)
		add(&run, 256, false, 8, 3, 20 + 0.1 * i);
	add(&run, 256, false, 8, 3, 40)->quality = TP_QUALITY_POOR; /* 6: far away */
	add(&run, 256, false, 8, 3, 21)->quality = TP_QUALITY_POOR; /* near */
	add(&run, 256, false, 8, 3, 40); /* far away, and not poor */
	add(&run, 256, false, 8, 4, 40)->quality = TP_QUALITY_POOR; /* alone */
	add(&run, 256, false, 8, 3, 12)->quality = TP_QUALITY_POOR; /* 10: too fast */
	tp_experiment_find("gather")->doubt(&run, 0, again);
	for (size_t i = 0; i < run.n_points; i++)
		assert_int_equal(again[i], i == 6 || i == 10);
	tp_run_release(&run);
}

/* Where few lists have as many lines, a line through all gathers says what is far away. */
static void a_stranger_among_few_is_doubted(void **state)
{
	struct tp_run run = { .n_points = 0 };
	unsigned char again[16] = { 0 };
	(void)state;
	for (unsigned lines = 1; lines <= 8; lines++)
		if (lines != 5)
			add(&run, 256, false, 8, lines, 5 + 5.0 * lines);
	add(&run, 256, false, 8, 5, 2000)->quality = TP_QUALITY_POOR; /* 7 */
	add(&run, 256, true, 7, 5, 40)->quality = TP_QUALITY_POOR;
	add(&run, 256, true, 7, 5, 10)->quality = TP_QUALITY_POOR; /* 9 */
	tp_experiment_find("gather")->doubt(&run, 0, again);
	for (size_t i = 0; i < run.n_points; i++)
		assert_int_equal(again[i], i == 7 || i == 9);
	tp_run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_has_medians_by_lines),
		cmocka_unit_test(poor_points_have_no_part_in_the_fit),
		cmocka_unit_test(variance_is_shared_out),
		cmocka_unit_test(the_picture_has_a_series_for_each_width_and_mask),
		cmocka_unit_test(points_are_rows_of_numbers_too),
		cmocka_unit_test(only_poor_strangers_are_doubted),
		cmocka_unit_test(a_stranger_among_few_is_doubted),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
