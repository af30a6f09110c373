/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The experiment spmv: its plan, and what it makes of a run that is written down here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "experiments/experiment.h"
#include "record/dot.h"
#include "experiments/spmv/row.h"
#include "kernels/arch.h"
#include "record/event.h"
#include "report/report.h"
#include "tests/unit/all_options.h"
#include "tests/unit/printed.h"
#include "tests/unit/rows.h"

static const struct tp_look look = { .columns = 100, .rows = 30 };

static void expect(const struct tp_str *text, const char *part)
{
	if (!strstr(tp_str_text(text), part))
		fail_msg("\"%s\" is not in:\n%s", part, tp_str_text(text));
}

static void expect_not(const struct tp_str *text, const char *part)
{
	if (strstr(tp_str_text(text), part))
		fail_msg("\"%s\" is in:\n%s", part, tp_str_text(text));
}

/* --- a run --- */

static struct tp_kernel_row *add_roof(struct tp_run *run, const char *level, const char *fp_op)
{
	struct tp_point *p = add_run_point(run, "spmv");
	struct tp_kernel_row *row = tp_kernel_row_of(p);
	p->threads = 1;
	p->state = TP_POINT_DONE;
	p->quality = TP_QUALITY_GOOD;
	tp_copy(row->isa, sizeof(row->isa), "avx2");
	tp_copy(row->precision, sizeof(row->precision), "double");
	tp_copy(row->level, sizeof(row->level), level);
	tp_copy(row->fp_op, sizeof(row->fp_op), fp_op);
	return row;
}

static void add_format(struct tp_run *run, const char *reorder, const char *format, double gflops)
{
	struct tp_kernel_row *kernel = add_roof(run, "L2", "fma");
	struct tp_point *p = &run->points[run->n_points - 1];
	struct tp_spmv_row *row = p->row;
	tp_copy(row->matrix, sizeof(row->matrix), "ring.mtx");
	tp_copy(row->reorder, sizeof(row->reorder), reorder);
	tp_copy(row->format, sizeof(row->format), format);
	row->nonzeros = 500000;
	row->format_bytes = 6 << 20;
	row->padding = 1.25;
	kernel->ai_flop_per_byte = 0.125;
	kernel->median_gflops = kernel->best_gflops = gflops;
	kernel->median_gbps = gflops / 0.125;
	tp_kernel_headline(p);
}

static void add_matrix(struct tp_run *run, const char *reorder, const char *advice,
		       unsigned bandwidth)
{
	struct tp_matrix_row m = { .threads = 1,
				   .facts = { .n_rows = 1000,
					      .n_columns = 1000,
					      .nonzeros = 500000,
					      .row_min = 400,
					      .row_max = 600,
					      .row_mean = 500,
					      .bandwidth = bandwidth,
					      .dia_fill = 0.5,
					      .block_fill = 0.25,
					      .symmetric = true } };
	tp_copy(m.matrix, sizeof(m.matrix), "ring.mtx");
	tp_copy(m.reorder, sizeof(m.reorder), reorder);
	tp_copy(m.facts.block, sizeof(m.facts.block), "4x4");
	tp_copy(m.facts.advice, sizeof(m.facts.advice), advice);
	tp_copy(m.facts.why, sizeof(m.facts.why), "it was made so");
	/* As every point of a matrix does: the second time changes nothing. */
	for (int i = 0; i < 2; i++)
		assert_int_equal(tp_run_put_row(run, &tp_matrix_part, &m), TP_OK);
}

static void make_run(struct tp_run *run, const char *advice)
{
	struct tp_kernel_row *roof = add_roof(run, "L2", "");
	roof->loads = 1;
	roof->median_gbps = roof->best_gbps = 80;
	tp_kernel_headline(&run->points[0]);
	roof = add_roof(run, "FP", "fma");
	roof->median_gflops = roof->best_gflops = 50;
	tp_kernel_headline(&run->points[1]);
	add_matrix(run, "none", advice, 900);
	add_format(run, "none", "csr", 4);
	add_format(run, "none", "bcsr", 5);
	add_format(run, "none", "ell", 4.9);
	tp_experiment_find("spmv")->reduce(NULL, run, 0);
}

static void test_advice_is_judged(void **state)
{
	(void)state;
	static const struct {
		const char *advice, *words;
		double gflops;
		bool agrees;
	} cases[] = {
		{ "bcsr", "The measurement agrees: bcsr is the fastest.", 5, true },
		{ "ell", "The measurement agrees: ell is within 5% of the fastest, bcsr.", 4.9,
		  true },
		{ "csr", "The measurement does not agree: bcsr is 1.2 times as fast.", 4, false },
		{ "dia", "Dia was not measured; the fastest of the others is bcsr.", 0, false },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_run run = { 0 };
		struct tp_str text = { 0 };
		make_run(&run, cases[i].advice);
		assert_int_equal(tp_run_n_matrices(&run), 1);
		const struct tp_matrix_row *m = &tp_run_matrices(&run)[0];
		assert_string_equal(m->fastest, "bcsr");
		assert_true(m->fastest_gflops == 5);
		assert_true(m->advised_gflops == cases[i].gflops);
		assert_int_equal(m->agrees, cases[i].agrees);
		PRINTED((&(struct tp_look){ .columns = 200 }), &text, tp_report_text(&run, doc));
		expect(&text, cases[i].words);
		tp_str_release(&text);
		tp_run_release(&run);
	}
}

static void test_page(void **state)
{
	(void)state;
	struct tp_run run = { 0 };
	struct tp_str text = { 0 };
	make_run(&run, "bcsr");
	PRINTED(&look, &text, tp_report_text(&run, doc));
	expect(&text,
	       "Sparse matrix ring.mtx, double, 1 thread\n1000 x 1000 with 500000 non-zeros: "
	       "400 to 600 in a row");
	expect(&text, "bandwidth 900");
	expect(&text, "Advice: bcsr, because it was made so.");
	/* 2 FLOP for each of 500,000 non-zeros at 4 GFLOP/s are 250 us. */
	expect(&text, "csr        4.00  250 us  32.0     6M       1.25  L2        -60%");
	expect_not(&text, "Mixed kernels");
	tp_str_release(&text);
	tp_run_release(&run);
}

static void test_formats_are_dots_below_the_roof(void **state)
{
	(void)state;
	struct tp_run run = { 0 };
	make_run(&run, "bcsr");
	assert_int_equal(tp_run_n_dots(&run), 3);
	const struct tp_dot *dot = &tp_run_dots(&run)[1];
	assert_string_equal(dot->fp_op, "bcsr");
	assert_true(dot->gflops == 5 && dot->ai_flop_per_byte == 0.125);
	/* 80 GB/s at 1/8 FLOP/byte. */
	assert_true(dot->roof_gflops == 10);
	assert_true(dot->distance_percent == -50);
	assert_false(tp_dot_is_mixed(&run, dot));
	tp_run_release(&run);
}

static void test_orders_are_compared(void **state)
{
	(void)state;
	struct tp_run run = { 0 };
	struct tp_str text = { 0 };
	make_run(&run, "bcsr");
	add_matrix(&run, "rcm", "csr", 30);
	add_format(&run, "rcm", "csr", 8);
	tp_run_drop_derived(&run);
	tp_experiment_find("spmv")->reduce(NULL, &run, 0);
	assert_int_equal(tp_run_n_matrices(&run), 2);
	assert_string_equal(tp_run_dots(&run)[3].fp_op, "csr rcm");
	PRINTED((&(struct tp_look){ .columns = 300 }), &text, tp_report_text(&run, doc));
	expect(&text, "Sparse matrix ring.mtx, reordered (rcm), double, 1 thread");
	expect(&text, "Reordering changes the bandwidth from 900 to 30 and the fastest from 5 to 8 "
		      "GFLOP/s (csr).");
	tp_str_release(&text);
	tp_run_release(&run);
}

/* Structure and verdict come back from run.json; structure alone from an event. */
static void test_matrices_are_kept(void **state)
{
	(void)state;
	struct tp_run run = { 0 }, again = { 0 };
	struct tp_str json = { 0 }, line = { 0 };
	struct tp_diag diag = { 0 };
	make_run(&run, "csr");
	tp_run_json(&run, &json);
	if (tp_run_parse(&again, "run.json", json.s, json.len, &diag) != TP_OK)
		fail_msg("%s: %s", diag.where, diag.what);
	assert_int_equal(tp_run_n_matrices(&again), 1);
	const struct tp_matrix_row *a = &tp_run_matrices(&run)[0], *b = &tp_run_matrices(&again)[0];
	assert_string_equal(b->facts.why, a->facts.why);
	assert_string_equal(b->fastest, "bcsr");
	assert_true(b->facts.symmetric && b->facts.row_max == 600 && b->facts.dia_fill == 0.5);
	assert_string_equal(tp_spmv_row(&again.points[3])->format, "bcsr");
	assert_int_equal(tp_spmv_row(&again.points[3])->nonzeros, 500000);
	const struct tp_event event = { .kind = TP_EVENT_ROW,
					.row_event = &tp_matrix_event,
					.row = a };
	tp_event_write(&event, &line);
	expect(&line, "\"ev\":\"matrix\"");
	expect(&line, "\"bandwidth\":900");
	tp_str_release(&json);
	tp_str_release(&line);
	tp_run_release(&run);
	tp_run_release(&again);
}

/* --- a plan --- */

static enum tp_status plan(const char *matrix, const char *reorder, struct tp_plan *plan,
			   struct tp_diags *diags)
{
	static struct tp_machine machine;
	static struct tp_cpu cpu;
	static struct tp_config config;
	static struct tp_arena arena;
	struct tp_diag diag = { 0 };
	const struct {
		const struct tp_option *option;
		const char *text;
	} given[] = { { TP_OPT_EXPERIMENT, "spmv" },
		      { TP_OPT_MATRIX, matrix },
		      { TP_OPT_REORDER, reorder },
		      { TP_OPT_LEVEL, "L1,L2" },
		      { TP_OPT_FORMAT, "csr,ell" } };
	tp_arch_identify(&cpu);
	assert_int_equal(tp_machine_init(&machine, &cpu, NULL, NULL, NULL, &diag), TP_OK);
	assert_int_equal(tp_config_defaults(&config, &arena, &diag), TP_OK);
	for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++)
		assert_int_equal(tp_option_parse(given[i].option, given[i].text, &arena,
						 tp_config_at(&config, given[i].option), &diag),
				 TP_OK);
	enum tp_status status = tp_plan_make(plan, &machine, &cpu, &config, 1, diags);
	tp_machine_release(&machine);
	return status;
}

static void test_plan(void **state)
{
	(void)state;
	struct tp_plan p;
	struct tp_diags diags = { 0 };
	if (plan("random:1000,9000", "none,rcm", &p, &diags) != TP_OK)
		fail_msg("%s: %s", diags.items[0].where, diags.items[0].what);
	/* A peak and two bandwidths, then two formats in each of two orders. */
	static const char *const names[] = { "fma",	 "load",	 "load",	"spmv-csr",
					     "spmv-ell", "spmv-csr-rcm", "spmv-ell-rcm" };
	assert_int_equal(p.n, 7);
	for (size_t i = 0; i < p.n; i++)
		assert_string_equal(p.items[i].point.kernel, names[i]);
	assert_string_equal(tp_spmv_row(&p.items[6].point)->matrix, "random:1000,9000");
	assert_string_equal(tp_spmv_row(&p.items[6].point)->reorder, "rcm");
	/* 60 bytes an entry, while it is made ready, are the most of it. */
	assert_true(tp_planned_memory_bytes(&p.items[6]) >= 60 * 9000);
	/* What is found replaces what was guessed, and is the same point all the same. */
	struct tp_point found = p.items[3].point;
	struct tp_spmv_row row = *tp_spmv_row(&found);
	found.row = &row;
	row.kernel.working_set_bytes += 1000;
	tp_copy(row.kernel.level, sizeof(row.kernel.level), "L3");
	const struct tp_experiment *e = tp_experiment_find("spmv");
	assert_true(e->continues(&found, &p.items[3].point));
	assert_false(e->continues(&found, &p.items[4].point));
	assert_false(e->continues(&found, &p.items[5].point));
	tp_plan_release(&p);
	tp_diags_release(&diags);
}

static void test_bad_matrices_are_refused(void **state)
{
	(void)state;
	static const char *const bad[] = { "nothing.mtx", "laplace2d:0", "blocks:1,5" };
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct tp_plan p;
		struct tp_diags diags = { 0 };
		assert_int_not_equal(plan(bad[i], "none", &p, &diags), TP_OK);
		assert_int_equal(diags.n, 1);
		assert_non_null(strstr(diags.items[0].what, bad[i]));
		assert_int_equal(p.n, 0);
		tp_plan_release(&p);
		tp_diags_release(&diags);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_advice_is_judged),
		cmocka_unit_test(test_page),
		cmocka_unit_test(test_formats_are_dots_below_the_roof),
		cmocka_unit_test(test_orders_are_compared),
		cmocka_unit_test(test_matrices_are_kept),
		cmocka_unit_test(test_plan),
		cmocka_unit_test(test_bad_matrices_are_refused),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
