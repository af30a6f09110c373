/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which point of one run is which of another, how well points repeat, and what flags cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "experiments/experiment.h"
#include "report/pairing.h"
#include "tests/unit/compare_runs.h"
#include "record/point.h"

/* --- pairing --- */

static void points_pair_by_what_they_are(void **state)
{
	struct tp_pairing pairing;
	(void)state;
	fill(&first);
	copy_fixture(&second, &first);
	/*
	 * Another order, other numbers and another size of a roof are not a difference; another
	 * size of a point of a curve and a failed point are.
	 */
	struct tp_point swap = second.points[0];
	second.points[0] = second.points[9];
	second.points[9] = swap;
	tp_kernel_row_of(&second.points[4])->working_set_bytes *= 2;
	first.points[5].experiment[0] = second.points[5].experiment[0] = '\0';
	tp_kernel_row_of(&second.points[5])->working_set_bytes *= 2;
	second.points[6].state = TP_POINT_FAILED;
	tp_pairing_find(&pairing, &first.run, &second.run, TP_ACROSS_NONE);
	assert_int_equal(pairing.n, 8);
	for (size_t i = 0; i < pairing.n; i++) {
		const struct tp_point *a = &first.points[pairing.pairs[i].a];
		const struct tp_point *b = &second.points[pairing.pairs[i].b];
		assert_string_equal(tp_kernel_row(a)->isa, tp_kernel_row(b)->isa);
		assert_string_equal(tp_kernel_row(a)->level, tp_kernel_row(b)->level);
	}
	assert_int_equal(pairing.pairs[0].a, 9);
	assert_int_equal(pairing.n_only_a, 2);
	assert_int_equal(pairing.only_a[0], 5);
	assert_int_equal(pairing.only_a[1], 6);
	assert_int_equal(pairing.n_only_b, 1);
	assert_int_equal(pairing.only_b[0], 5);
	tp_pairing_release(&pairing);
}

/* Each of these alone makes another point. */
static void every_dimension_counts(void **state)
{
	(void)state;
	for (int what = 0; what < 14; what++) {
		struct tp_pairing pairing;
		first = (struct fixture){ 0 };
		second = (struct fixture){ 0 };
		add(&first, "avx2", "L1", "load", 100);
		struct tp_point *p = add(&second, "avx2", "L1", "load", 100);
		switch (what) {
		case 1:
			tp_copy(p->experiment, sizeof(p->experiment), "mixed");
			break;
		case 2:
			tp_copy(p->kernel, sizeof(p->kernel), "store");
			break;
		case 3:
			tp_copy(tp_kernel_row_of(p)->isa, sizeof(tp_kernel_row(p)->isa), "sse");
			break;
		case 4:
			tp_copy(tp_kernel_row_of(p)->precision, sizeof(tp_kernel_row(p)->precision),
				"single");
			break;
		case 5:
			p->threads = 2;
			break;
		case 6:
			tp_copy(tp_kernel_row_of(p)->level, sizeof(tp_kernel_row(p)->level), "L2");
			break;
		case 7: /* the level of a roof says its size */
			tp_kernel_row_of(p)->working_set_bytes = 8192;
			tp_copy(p->experiment, sizeof(p->experiment), "gather");
			tp_copy(first.points[0].experiment, sizeof(p->experiment), "gather");
			break;
		case 8:
			tp_kernel_row_of(p)->stores = 1;
			break;
		case 9:
			tp_copy(tp_kernel_row_of(p)->fp_op, sizeof(tp_kernel_row(p)->fp_op), "add");
			break;
		case 10:
			tp_kernel_row_of(p)->ai_flop_per_byte = 0.5;
			break;
		case 11:
			tp_kernel_row_of(p)->nontemporal = true;
			break;
		case 12:
			tp_copy(tp_kernel_row_of(p)->pages_wanted,
				sizeof(tp_kernel_row(p)->pages_wanted), "thp");
			break;
		case 13:
			tp_kernel_row_of(p)->pause_cycles = 100;
			break;
		}
		tp_pairing_find(&pairing, &first.run, &second.run, TP_ACROSS_NONE);
		assert_int_equal(pairing.n, what == 0);
		assert_int_equal(pairing.n_only_b, what != 0);
		tp_pairing_release(&pairing);
	}
}

static void alike_points_pair_in_their_order(void **state)
{
	struct tp_pairing pairing;
	(void)state;
	first = (struct fixture){ 0 };
	for (int i = 0; i < 3; i++)
		add(&first, "avx2", "L1", "load", 100 + i);
	copy_fixture(&second, &first);
	second.run.n_points = 2;
	tp_pairing_find(&pairing, &first.run, &second.run, TP_ACROSS_NONE);
	assert_int_equal(pairing.n, 2);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(pairing.pairs[i].a, pairing.pairs[i].b);
	assert_int_equal(pairing.only_a[0], 2);
	tp_pairing_release(&pairing);
}

static void a_best_ratio_is_the_same_whichever_won(void **state)
{
	struct tp_pairing pairing;
	struct tp_str note = { 0 };
	struct tp_comparison c;
	(void)state;
	first = second = (struct fixture){ 0 };
	tp_kernel_row_of(add(&first, "avx2", "L1", "2ld1st", 350))->best_ratio = true;
	struct tp_point *p = add(&second, "avx2", "L1", "load", 236);
	tp_pairing_find(&pairing, &first.run, &second.run, TP_ACROSS_NONE);
	assert_int_equal(pairing.n, 0);
	tp_pairing_release(&pairing);
	tp_kernel_row_of(p)->best_ratio = true;
	compared(&c, 2, TP_ACROSS_NONE);
	assert_int_equal(c.n, 1);
	tp_compare_note(&c, 0, &note);
	assert_string_equal(tp_str_text(&note), "was 2ld1st");
	tp_str_release(&note);
	tp_comparison_release(&c);
}

static void across_a_dimension(void **state)
{
	struct tp_comparison c;
	struct tp_str name = { 0 };
	(void)state;
	/* One run with itself: each level of AVX2 against that of scalar. */
	fill(&first);
	compared(&c, 1, TP_ACROSS_ISA);
	assert_int_equal(c.n, 5);
	for (size_t i = 0; i < c.n; i++) {
		assert_string_equal(tp_kernel_row(c.rows[i].a)->isa, "scalar");
		assert_string_equal(tp_kernel_row(c.rows[i].b)->isa, "avx2");
		assert_string_equal(tp_kernel_row(c.rows[i].a)->level,
				    tp_kernel_row(c.rows[i].b)->level);
	}
	/* Twice as fast in L2, and that is real. */
	assert_int_equal(c.differences[1].verdict, TP_VERDICT_FASTER);
	tp_compare_name(&c, 1, &name);
	assert_string_equal(tp_str_text(&name), "L2 avx2 load double 1 thread against scalar");
	tp_str_release(&name);
	assert_int_equal(c.n_unpaired, 0);
	tp_comparison_release(&c);

	/* Two runs: what is the same first, what is left across. */
	fill(&second);
	second.run.points = second.points + 5;
	second.run.n_points = 5;
	first.run.n_points = 5;
	compared(&c, 2, TP_ACROSS_ISA);
	assert_int_equal(c.n, 5);
	assert_int_equal(c.n_unpaired, 0);
	tp_comparison_release(&c);
}

static void across_threads_kernels_and_stores(void **state)
{
	struct tp_comparison c;
	struct tp_point *p;
	(void)state;
	first = (struct fixture){ 0 };
	add(&first, "avx2", "L3", "load", 100);
	p = add(&first, "avx2", "L3", "load", 200);
	p->threads = 2;
	tp_kernel_row_of(p)->working_set_bytes /=
		2; /* a level's size per thread follows from the team */
	compared(&c, 1, TP_ACROSS_THREADS);
	assert_int_equal(c.n, 1);
	tp_comparison_release(&c);

	p = add(&first, "avx2", "L3", "2ld1st", 90);
	tp_kernel_row_of(p)->loads = 2;
	tp_kernel_row_of(p)->stores = 1;
	compared(&c, 1, TP_ACROSS_KERNEL);
	assert_int_equal(c.n, 1);
	tp_comparison_release(&c);

	p = add(&first, "avx2", "L3", "2ld1st-nt", 50);
	tp_kernel_row_of(p)->loads = 2;
	tp_kernel_row_of(p)->stores = 1;
	tp_kernel_row_of(p)->nontemporal = true;
	compared(&c, 1, TP_ACROSS_STORES);
	assert_int_equal(c.n, 1);
	assert_true(tp_kernel_row(c.rows[0].b)->nontemporal);
	tp_comparison_release(&c);
}

/* --- estimates --- */

static void curves_repeat_by_their_size(void **state)
{
	struct tp_run run = { .n_points = 0 };
	struct tp_estimate_context context;
	struct tp_kernel_row row = { .loads = 0 };
	struct tp_point p = { .threads = 1, .row = &row };
	(void)state;
	tp_run_fact_number(&run, "machine.cache.L1.size_bytes", 32768);
	tp_run_fact_number(&run, "machine.cache.L2.size_bytes", 1048576);
	tp_run_fact_number(&run, "machine.cache.L3.size_bytes", 33554432);
	tp_run_fact_number(&run, "machine.cache.L3.sharing_cores", 2);
	tp_estimate_context(&run, &context);
	static const struct {
		uint64_t kib;
		enum tp_repeat one, two; /* threads */
	} cases[] = { { 16, TP_REPEAT_L1, TP_REPEAT_L1 },
		      { 24, TP_REPEAT_L1, TP_REPEAT_L1 },
		      { 32, TP_REPEAT_EDGE, TP_REPEAT_EDGE },
		      { 256, TP_REPEAT_L2, TP_REPEAT_L2 },
		      { 1024, TP_REPEAT_EDGE, TP_REPEAT_EDGE },
		      { 4096, TP_REPEAT_L3, TP_REPEAT_L3 },
		      { 10240, TP_REPEAT_L3, TP_REPEAT_EDGE },
		      { 65536, TP_REPEAT_EDGE, TP_REPEAT_DRAM },
		      { 131072, TP_REPEAT_DRAM, TP_REPEAT_DRAM } };
	for (size_t i = 0; i < TP_COUNT_OF(cases); i++) {
		tp_kernel_row_of(&p)->working_set_bytes = cases[i].kib << 10;
		p.threads = 1;
		assert_int_equal(tp_estimate_repeat(&p, &context), cases[i].one);
		p.threads = 2;
		assert_int_equal(tp_estimate_repeat(&p, &context), cases[i].two);
	}
	tp_copy(tp_kernel_row_of(&p)->level, sizeof(tp_kernel_row(&p)->level), "L2");
	assert_int_equal(tp_estimate_repeat(&p, &context), TP_REPEAT_L2);
	tp_kernel_row_of(&p)->level[0] = '\0';
	context.known = false;
	assert_int_equal(tp_estimate_repeat(&p, &context), TP_REPEAT_EDGE);
	tp_run_release(&run);
}

static struct tp_estimate estimate(const struct tp_point *p, enum tp_repeat repeat)
{
	const struct tp_estimate_context context = { .fastest_ghz = 3.7 };
	struct tp_estimate e;
	tp_estimate_point(p, repeat, &context, &e);
	return e;
}

static void flags_cost_what_they_can_hide(void **state)
{
	(void)state;
	first = (struct fixture){ 0 };
	struct tp_point *p = add(&first, "avx2", "L1", "load", 200);
	assert_near(estimate(p, TP_REPEAT_L1).shortfall, 0, 0);
	p->flags = TP_FLAG(CTX_SWITCH) | TP_FLAG(SIBLING);
	assert_near(estimate(p, TP_REPEAT_L1).shortfall, 0, 0);
	p->flags = TP_FLAG(DISTURBED);
	assert_near(estimate(p, TP_REPEAT_L1).shortfall, 0.15, 0);
	assert_near(estimate(p, TP_REPEAT_DRAM).shortfall, 0.10, 0);
	p->flags |= TP_FLAG(SIBLING);
	assert_near(estimate(p, TP_REPEAT_L1).shortfall, 0.35, 0);
	/* Windows that the sibling left alone made the median. */
	struct tp_sample clean[24] = { { .flags = 0 } };
	p->samples = clean;
	p->n_samples = 24;
	assert_near(estimate(p, TP_REPEAT_L1).shortfall, 0.15, 0);
	clean[0].flags = TP_FLAG(SIBLING);
	assert_near(estimate(p, TP_REPEAT_L1).shortfall, 0.35, 0);
	/* No faster than the machine, also when the clock was read too low. */
	p->bound = 210;
	assert_near(estimate(p, TP_REPEAT_L1).shortfall, 0.05 + 0.005, 1e-12);
	p->core_ghz = 3.7 / 1.1;
	assert_near(estimate(p, TP_REPEAT_L1).shortfall, 210 * 1.1 / 200 - 1 + 0.005, 1e-12);
	p->bound = 100;
	assert_near(estimate(p, TP_REPEAT_L1).shortfall, 0.005, 1e-12);
}

static void noise_and_clock_are_scatter(void **state)
{
	(void)state;
	first = (struct fixture){ 0 };
	struct tp_point *p = add(&first, "avx2", "L1", "load", 200);
	p->mad = 4;
	assert_near(estimate(p, TP_REPEAT_L1).scatter, 0, 0);
	p->flags = TP_FLAG(NOISY);
	assert_near(estimate(p, TP_REPEAT_L1).scatter, 1.4826 * 4 / 200, 1e-12);
	p->invocations = 3;
	assert_near(estimate(p, TP_REPEAT_L1).scatter, 0, 0);
	p->flags = TP_FLAG(FREQ_DRIFT);
	p->core_ghz_after = 3.5;
	assert_near(estimate(p, TP_REPEAT_L1).scatter, log(3.7 / 3.5) / 2, 1e-12);
	p->flags |= TP_FLAG(SIBLING);
	assert_near(estimate(p, TP_REPEAT_L1).scatter, 0, 0);
}

static void times_are_turned_into_speeds(void **state)
{
	(void)state;
	first = (struct fixture){ 0 };
	struct tp_point *p = add(&first, "scalar", "DRAM", "chase", 0);
	tp_kernel_row_of(p)->median_ns = 125;
	tp_kernel_time_headline(p);
	p->ci_low = 120;
	p->ci_high = 130;
	struct tp_estimate e = estimate(p, TP_REPEAT_DRAM);
	assert_near(e.value, 1 / 125.0, 0);
	assert_near(e.low, 1 / 130.0, 0);
	assert_near(e.high, 1 / 120.0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(points_pair_by_what_they_are),
		cmocka_unit_test(every_dimension_counts),
		cmocka_unit_test(alike_points_pair_in_their_order),
		cmocka_unit_test(a_best_ratio_is_the_same_whichever_won),
		cmocka_unit_test(across_a_dimension),
		cmocka_unit_test(across_threads_kernels_and_stores),
		cmocka_unit_test(curves_repeat_by_their_size),
		cmocka_unit_test(flags_cost_what_they_can_hide),
		cmocka_unit_test(noise_and_clock_are_scatter),
		cmocka_unit_test(times_are_turned_into_speeds),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
