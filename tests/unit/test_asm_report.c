/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the report makes of instructions: tables, where they saturate, the picture. On a run made
 * up. */
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
#include "experiments/asm/row.h"
#include "experiments/experiment.h"
#include "report/reporter.h"
#include "near.h"
#include "record/schema.h"
#include "report/report.h"
#include "tests/unit/printed.h"
#include "rows.h"

extern const struct tp_reporter tp_reporter_asm;

static const struct tp_look look = { .columns = 100, .rows = 30 };

static struct tp_point *add(struct tp_run *run, const char *kernel, const char *mode,
			    unsigned count, double cycles)
{
	struct tp_point *p = add_run_point(run, "asm");
	struct tp_asm_row *row = p->row;
	p->threads = 1;
	p->state = TP_POINT_DONE;
	p->quality = TP_QUALITY_GOOD;
	p->core_ghz = 4;
	tp_copy(p->kernel, sizeof(p->kernel), kernel);
	tp_copy(row->mode, sizeof(row->mode), mode);
	snprintf(row->instructions, sizeof(row->instructions), "%s x%u", kernel, count);
	row->count = count;
	row->copies = 1;
	row->chain = 1;
	row->cycles = cycles;
	row->ipc = 1 / cycles;
	row->model_ipc = 2;
	row->latency = count == 1 ? cycles : 0;
	row->kernel.median_ns = row->kernel.best_ns = cycles / 4;
	p->kind->headline(p);
	return p;
}

/* 4 cycles each, two in a cycle at most; 8 and 9 reach not all of it. */
static void make(struct tp_run *run, const char *kernel, unsigned most)
{
	for (unsigned n = 1; n <= most; n++) {
		double ipc = fmin(n / 4., 2);
		add(run, kernel, "written", n, 1 / (n == 8 || n == 9 ? 1.86 : ipc));
	}
}

static void instructions_saturate(void **state)
{
	struct tp_run run = { .n_points = 0 };
	struct tp_asm_saturation s;
	(void)state;
	make(&run, "fma xmm", 20);
	make(&run, "fma ymm", 6);
	assert_true(tp_asm_series_begins(&run, 0));
	assert_false(tp_asm_series_begins(&run, 1));
	assert_true(tp_asm_saturation(&run, 0, &s));
	assert_int_equal(s.count, 8);
	assert_int_equal(s.whole, 10);
	assert_int_equal(s.most, 20);
	assert_near(s.ipc, 2, 1e-9);
	assert_near(s.latency, 4, 1e-9);
	/* One disturbed point decides nothing. */
	struct tp_asm_row *row = run.points[15].row;
	row->ipc = 2.4;
	run.points[15].quality = TP_QUALITY_POOR;
	assert_true(tp_asm_saturation(&run, 0, &s));
	assert_int_equal(s.count, 8);
	assert_near(s.ipc, 2, 1e-9);
	/* The other curve still grows. */
	assert_true(tp_asm_series_begins(&run, 20));
	assert_false(tp_asm_saturation(&run, 20, &s));
	tp_run_release(&run);
}

static void expect(const struct tp_str *text, const char *part)
{
	if (!strstr(tp_str_text(text), part))
		fail_msg("\"%s\" is not in:\n%s", part, tp_str_text(text));
}

static void the_page_tells(void **state)
{
	struct tp_run run = { .n_points = 0 };
	struct tp_str text = { 0 };
	(void)state;
	make(&run, "fma xmm", 20);
	PRINTED(&look, &text, tp_report_text(&run, doc));
	expect(&text,
	       "fma xmm: 8 independent ones saturate the core (latency 4.00 x 2.00 in a cycle");
	expect(&text, "the model has");
	expect(&text, "fma xmm      0.25  0.50");
	if (strstr(tp_str_text(&text), "written"))
		fail_msg("a table of a series stands there twice:\n%s", tp_str_text(&text));
	tp_str_release(&text);

	add(&run, "imul", "throughput", 1, 1 / 3.);
	struct tp_asm_row *row = run.points[20].row;
	row->rthroughput = 1 / 3.;
	row->mca_cycles = 1.01;
	run.points[20].run = 1;
	PRINTED(&look, &text, tp_report_text(&run, doc));
	expect(&text, "imul x1       throughput   0.333");
	expect(&text, "1.01");
	tp_str_release(&text);
	tp_run_release(&run);
}

static void headlines_are_cycles(void **state)
{
	struct tp_run run = { .n_points = 0 };
	(void)state;
	struct tp_point *p = add(&run, "imul", "latency", 1, 3);
	assert_string_equal(p->unit, "cycles");
	assert_true(p->less_is_better);
	assert_near(p->median, 3, 1e-12);
	assert_near(p->best, 3, 1e-12);
	/* The column of times does not take cycles for ns. */
	const struct tp_table *table = p->kind->table;
	assert_non_null(tp_column_find(table, "chain_latency"));
	tp_run_release(&run);
}

static void curves_are_drawn(void **state)
{
	struct tp_run run = { .n_points = 0 };
	const struct tp_group first = {
		.run = 0, .threads = 1, .precision = "", .experiment = "asm"
	};
	const struct tp_group other = {
		.run = 1, .threads = 1, .precision = "", .experiment = "asm"
	};
	(void)state;
	make(&run, "fma xmm", 20);
	make(&run, "fma ymm", 20);
	for (size_t i = 20; i < 40; i++)
		run.points[i].run = 1;
	/* All curves hang in the place of the first. */
	assert_true(tp_reporter_asm.has_curves(&run, &first, 0));
	assert_false(tp_reporter_asm.has_curves(&run, &other, 0));
	struct tp_picture *picture = tp_picture_new();
	assert_true(tp_reporter_asm.curves(picture, &run, &first, 0));
	assert_int_equal(picture->n_series, 2);
	assert_string_equal(picture->series[1].label, "fma ymm");
	assert_int_equal(picture->series[1].n, 20);
	assert_near(picture->series[0].y[3], 1, 1e-9);
	tp_picture_free(picture);
	picture = tp_picture_new();
	assert_false(tp_reporter_asm.curves(picture, &run, &first, 2));
	tp_picture_free(picture);
	tp_run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_saturate),
		cmocka_unit_test(the_page_tells),
		cmocka_unit_test(headlines_are_cycles),
		cmocka_unit_test(curves_are_drawn),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
