/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs against each other: which points are which, what flags cost, verdicts, and what is printed of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "base/vec.h"
#include "report/compare.h"
#include "report/estimate.h"
#include "tests/unit/near.h"

enum { POINTS_MAX = 64 };

/* A run in place: its points are in an array of the test. */
struct fixture {
	struct tp_run run;
	struct tp_point points[POINTS_MAX];
};

static struct tp_point *add(struct fixture *f, const char *isa, const char *level,
			    const char *kernel, double median)
{
	struct tp_point *p = &f->points[f->run.n_points];
	assert_true(f->run.n_points < POINTS_MAX);
	*p = (struct tp_point){ .point = (unsigned)f->run.n_points++,
				.experiment = "roofline",
				.precision = "double",
				.threads = 1,
				.state = TP_POINT_DONE,
				.kept = 24,
				.invocations = 1,
				.ci_low = median * 0.998,
				.ci_high = median * 1.002,
				.core_ghz = 3.7,
				.core_ghz_after = 3.7,
				.pages = "thp" };
	tp_copy(p->isa, sizeof(p->isa), isa);
	tp_copy(p->level, sizeof(p->level), level);
	tp_copy(p->kernel, sizeof(p->kernel), kernel);
	if (strcmp(level, "FP") == 0) {
		p->median_gflops = median;
		tp_copy(p->fp_op, sizeof(p->fp_op), kernel);
	} else {
		p->median_gbps = median;
		p->working_set_bytes = 16384;
		p->loads = 1;
	}
	f->run.points = f->points;
	return p;
}

/* Four levels and a peak of two ISAs. */
static void fill(struct fixture *f)
{
	*f = (struct fixture){ .run = { .state = "complete" } };
	static const char *const isas[] = { "scalar", "avx2" };
	static const double rates[2][5] = { { 59, 59, 55, 25, 14.8 }, { 236, 118, 100, 32, 59 } };
	static const char *const levels[] = { "L1", "L2", "L3", "DRAM", "FP" };
	for (size_t i = 0; i < 2; i++)
		for (size_t l = 0; l < 5; l++)
			add(f, isas[i], levels[l], l < 4 ? "load" : "fma", rates[i][l]);
}

static void scale(struct tp_point *p, double by)
{
	p->median_gbps *= by;
	p->median_gflops *= by;
	p->median_ns *= by;
	p->ci_low *= by;
	p->ci_high *= by;
}

static struct fixture first, second;
static const char *const two_names[] = { "before", "after" };

static enum tp_status compare(struct tp_comparison *c, size_t n, struct tp_compare_options options,
			      struct tp_diag *diag)
{
	static const struct tp_run *runs[2];
	runs[0] = &first.run;
	runs[1] = &second.run;
	*diag = (struct tp_diag){ .what = "" };
	return tp_compare_runs(c, runs, two_names, n, &options, diag);
}

static void compared(struct tp_comparison *c, size_t n, enum tp_dimension across)
{
	struct tp_diag diag;
	if (compare(c, n, (struct tp_compare_options){ .across = across }, &diag) != TP_OK)
		fail_msg("%s: %s", diag.where, diag.what);
}

/* --- pairing --- */

static void points_pair_by_what_they_are(void **state)
{
	struct tp_pairing pairing;
	(void)state;
	fill(&first);
	second = first;
	second.run.points = second.points;
	/* Another order and other numbers are no difference; another size and a planned point are. */
	struct tp_point swap = second.points[0];
	second.points[0] = second.points[9];
	second.points[9] = swap;
	second.points[5].working_set_bytes *= 2;
	second.points[6].state = TP_POINT_FAILED;
	assert_int_equal(tp_pairing_find(&pairing, &first.run, &second.run, TP_ACROSS_NONE), TP_OK);
	assert_int_equal(pairing.n, 8);
	for (size_t i = 0; i < pairing.n; i++) {
		const struct tp_point *a = &first.points[pairing.pairs[i].a];
		const struct tp_point *b = &second.points[pairing.pairs[i].b];
		assert_string_equal(a->isa, b->isa);
		assert_string_equal(a->level, b->level);
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
			tp_copy(p->isa, sizeof(p->isa), "sse");
			break;
		case 4:
			tp_copy(p->precision, sizeof(p->precision), "single");
			break;
		case 5:
			p->threads = 2;
			break;
		case 6:
			tp_copy(p->level, sizeof(p->level), "L2");
			break;
		case 7:
			p->working_set_bytes = 8192;
			break;
		case 8:
			p->stores = 1;
			break;
		case 9:
			tp_copy(p->fp_op, sizeof(p->fp_op), "add");
			break;
		case 10:
			p->ai_flop_per_byte = 0.5;
			break;
		case 11:
			p->nontemporal = true;
			break;
		case 12:
			tp_copy(p->pages_wanted, sizeof(p->pages_wanted), "thp");
			break;
		case 13:
			p->pause_cycles = 100;
			break;
		}
		assert_int_equal(tp_pairing_find(&pairing, &first.run, &second.run, TP_ACROSS_NONE),
				 TP_OK);
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
	second = first;
	second.run.points = second.points;
	second.run.n_points = 2;
	assert_int_equal(tp_pairing_find(&pairing, &first.run, &second.run, TP_ACROSS_NONE), TP_OK);
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
	add(&first, "avx2", "L1", "2ld1st", 350)->best_ratio = true;
	struct tp_point *p = add(&second, "avx2", "L1", "load", 236);
	assert_int_equal(tp_pairing_find(&pairing, &first.run, &second.run, TP_ACROSS_NONE), TP_OK);
	assert_int_equal(pairing.n, 0);
	tp_pairing_release(&pairing);
	p->best_ratio = true;
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
		assert_string_equal(c.rows[i].a->isa, "scalar");
		assert_string_equal(c.rows[i].b->isa, "avx2");
		assert_string_equal(c.rows[i].a->level, c.rows[i].b->level);
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
	p->working_set_bytes /= 2; /* a level's size per thread follows from the team */
	compared(&c, 1, TP_ACROSS_THREADS);
	assert_int_equal(c.n, 1);
	tp_comparison_release(&c);

	p = add(&first, "avx2", "L3", "2ld1st", 90);
	p->loads = 2;
	p->stores = 1;
	compared(&c, 1, TP_ACROSS_KERNEL);
	assert_int_equal(c.n, 1);
	tp_comparison_release(&c);

	p = add(&first, "avx2", "L3", "2ld1st-nt", 50);
	p->loads = 2;
	p->stores = 1;
	p->nontemporal = true;
	compared(&c, 1, TP_ACROSS_STORES);
	assert_int_equal(c.n, 1);
	assert_true(c.rows[0].b->nontemporal);
	tp_comparison_release(&c);
}

/* --- estimates --- */

static void curves_repeat_by_their_size(void **state)
{
	struct tp_run run = { .n_points = 0 };
	struct tp_estimate_context context;
	struct tp_point p = { .threads = 1 };
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
		p.working_set_bytes = cases[i].kib << 10;
		p.threads = 1;
		assert_int_equal(tp_estimate_repeat(&p, &context), cases[i].one);
		p.threads = 2;
		assert_int_equal(tp_estimate_repeat(&p, &context), cases[i].two);
	}
	tp_copy(p.level, sizeof(p.level), "L2");
	assert_int_equal(tp_estimate_repeat(&p, &context), TP_REPEAT_L2);
	p.level[0] = '\0';
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
	p->median_ns = 125;
	p->ci_low = 120;
	p->ci_high = 130;
	struct tp_estimate e = estimate(p, TP_REPEAT_DRAM);
	assert_near(e.value, 1 / 125.0, 0);
	assert_near(e.low, 1 / 130.0, 0);
	assert_near(e.high, 1 / 120.0, 0);
}

/* --- verdicts --- */

static void a_run_is_the_same_as_itself(void **state)
{
	struct tp_comparison c;
	(void)state;
	fill(&first);
	fill(&second);
	compared(&c, 2, TP_ACROSS_NONE);
	assert_int_equal(c.n_points, 10);
	assert_int_equal(c.count[TP_VERDICT_SAME], 10);
	tp_comparison_release(&c);
}

static void a_slower_roof_is_found(void **state)
{
	const struct tp_look look = { .columns = 80, .rows = 24 };
	struct tp_comparison c;
	struct tp_str line = { 0 };
	(void)state;
	fill(&first);
	fill(&second);
	scale(&second.points[5], 0.97);
	scale(&second.points[9], 1.03);
	compared(&c, 2, TP_ACROSS_NONE);
	assert_int_equal(c.count[TP_VERDICT_SLOWER], 1);
	assert_int_equal(c.count[TP_VERDICT_FASTER], 1);
	tp_compare_verdict(&c, &look, &line);
	const char *head = "tprof: 10 points: 8 same, 1 faster, 1 slower; slower: L1 avx2 load "
			   "double 1 thread -3.0 % [";
	assert_memory_equal(tp_str_text(&line), head, strlen(head));
	assert_non_null(strstr(tp_str_text(&line), "; faster: FP avx2 fma double 1 thread +3.0 %"));
	tp_str_release(&line);
	tp_comparison_release(&c);
	/* Too small to matter to this user. */
	struct tp_diag diag;
	assert_int_equal(compare(&c, 2, (struct tp_compare_options){ .tolerance = 0.5 }, &diag),
			 TP_OK);
	assert_int_equal(c.count[TP_VERDICT_SAME], 10);
	tp_comparison_release(&c);
}

static void a_longer_latency_is_slower(void **state)
{
	struct tp_comparison c;
	(void)state;
	first = second = (struct fixture){ 0 };
	struct tp_point *a = add(&first, "scalar", "L1", "chase", 0);
	a->median_ns = 1.09;
	a->ci_low = 1.089;
	a->ci_high = 1.091;
	*add(&second, "scalar", "L1", "chase", 0) = *a;
	scale(&second.points[0], 1.1);
	compared(&c, 2, TP_ACROSS_NONE);
	assert_int_equal(c.differences[0].verdict, TP_VERDICT_SLOWER);
	assert_near(tp_compare_percent(c.differences[0].gain), -100 / 11.0, 1e-9);
	assert_string_equal(tp_compare_unit(&c.rows[0]), "ns");
	tp_comparison_release(&c);
}

static void plateaus_are_compared_where_both_have_them(void **state)
{
	struct tp_plateau a[2] = { { .isa = "avx2",
				     .precision = "double",
				     .kernel = "load",
				     .level = "L1",
				     .threads = 1,
				     .gbps = 236,
				     .ci_low = 235.5,
				     .ci_high = 236.5,
				     .from_bytes = 2048,
				     .to_bytes = 30000 } },
			  b[2];
	struct tp_comparison c;
	struct tp_str name = { 0 };
	(void)state;
	fill(&first);
	fill(&second);
	a[1] = a[0];
	tp_copy(a[1].level, sizeof(a[1].level), "L2");
	a[1].from_bytes = 65536;
	a[1].to_bytes = 600000;
	memcpy(b, a, sizeof(b));
	b[0].gbps *= 0.95;
	b[0].ci_low *= 0.95;
	b[0].ci_high *= 0.95;
	/* Called L2 as well, but elsewhere: not the same thing. */
	b[1].from_bytes = 2000000;
	b[1].to_bytes = 9000000;
	first.run.plateaus = a;
	second.run.plateaus = b;
	first.run.n_plateaus = second.run.n_plateaus = 2;
	compared(&c, 2, TP_ACROSS_NONE);
	assert_int_equal(c.n, 11);
	assert_int_equal(c.n_points, 10);
	assert_int_equal(c.differences[10].verdict, TP_VERDICT_SLOWER);
	tp_compare_name(&c, 10, &name);
	assert_string_equal(tp_str_text(&name), "L1 plateau avx2 load double 1 thread");
	tp_str_release(&name);
	tp_comparison_release(&c);
}

static void other_machines_get_no_verdict(void **state)
{
	char why[192];
	struct tp_comparison c;
	const struct tp_look look = { .columns = 80, .rows = 24 };
	struct tp_str out = { 0 };
	(void)state;
	fill(&first);
	fill(&second);
	/* Nothing told: the same. */
	tp_compare_machines(&first.run, &second.run, why, sizeof(why));
	assert_string_equal(why, "");
	tp_run_fact_text(&first.run, "machine.hostname", "node1");
	tp_run_fact_text(&second.run, "machine.hostname", "node2");
	tp_compare_machines(&first.run, &second.run, why, sizeof(why));
	assert_string_equal(why, "node1 and node2");
	/* Containers are called anew every time. */
	tp_run_fact_text(&first.run, "machine.container", "docker");
	tp_compare_machines(&first.run, &second.run, why, sizeof(why));
	assert_string_equal(why, "");
	tp_run_fact_number(&first.run, "machine.model_number", 17);
	tp_run_fact_number(&second.run, "machine.model_number", 1);
	tp_compare_machines(&first.run, &second.run, why, sizeof(why));
	assert_string_equal(why, "their CPU model differs");
	tp_run_fact_text(&first.run, "machine.cpu", "EPYC");
	tp_run_fact_text(&second.run, "machine.cpu", "Xeon");
	scale(&second.points[5], 0.5);
	compared(&c, 2, TP_ACROSS_NONE);
	assert_string_equal(c.no_verdict, "\"EPYC\" and \"Xeon\"");
	tp_compare_text(&c, &look, &out);
	assert_non_null(strstr(tp_str_text(&out), "No verdict"));
	assert_non_null(strstr(tp_str_text(&out), "Roofs side by side"));
	assert_non_null(strstr(tp_str_text(&out), "236.0"));
	assert_non_null(strstr(tp_str_text(&out), "118.0   0.50"));
	assert_null(strstr(tp_str_text(&out), "slower"));
	tp_str_clear(&out);
	assert_int_equal(tp_compare_csv(&c, &out), TP_OK);
	assert_null(strstr(tp_str_text(&out), "slower"));
	tp_str_release(&out);
	tp_comparison_release(&c);
	free(first.run.facts);
	free(second.run.facts);
}

static void nothing_to_compare_is_said(void **state)
{
	struct tp_comparison c;
	struct tp_diag diag;
	(void)state;
	fill(&first);
	assert_int_equal(compare(&c, 1, (struct tp_compare_options){ 0 }, &diag), TP_USAGE);
	assert_non_null(strstr(diag.hint, "--across"));
	tp_comparison_release(&c);
	assert_int_equal(
		compare(&c, 1, (struct tp_compare_options){ .across = TP_ACROSS_PAUSE }, &diag),
		TP_USAGE);
	assert_non_null(strstr(diag.what, "pause_cycles"));
	tp_comparison_release(&c);
	second = (struct fixture){ 0 };
	assert_int_equal(compare(&c, 2, (struct tp_compare_options){ 0 }, &diag), TP_USAGE);
	assert_non_null(strstr(diag.what, "no measured point"));
	tp_comparison_release(&c);
	add(&second, "avx512", "L1", "load", 236);
	assert_int_equal(compare(&c, 2, (struct tp_compare_options){ 0 }, &diag), TP_USAGE);
	assert_string_equal(diag.where, "after");
	assert_non_null(strstr(diag.hint, "--across"));
	tp_comparison_release(&c);
}

static void dimensions_have_names(void **state)
{
	enum tp_dimension d;
	char hint[200];
	(void)state;
	assert_true(tp_dimension_parse("threads", &d, hint, sizeof(hint)));
	assert_int_equal(d, TP_ACROSS_THREADS);
	assert_false(tp_dimension_parse("thread", &d, hint, sizeof(hint)));
	assert_non_null(strstr(hint, "did you mean threads?"));
	assert_false(tp_dimension_parse("", &d, hint, sizeof(hint)));
}

/* --- what is printed --- */

static void expect_narrow(const char *text)
{
	size_t column = 0;
	for (; *text; text++) {
		column = *text == '\n' ? 0 : column + 1;
		assert_true(column <= 80);
	}
}

static void text_tells_all_and_fits(void **state)
{
	const struct tp_look look = { .columns = 80, .rows = 24 };
	struct tp_comparison c;
	struct tp_str out = { 0 };
	(void)state;
	fill(&first);
	fill(&second);
	add(&first, "avx512", "L1", "load", 400);
	add(&second, "avx2", "L1", "a-kernel-with-a-very-long-name-1:24", 300);
	scale(&second.points[5], 0.9);
	second.points[6].flags = TP_FLAG(DISTURBED);
	second.points[7].ci_low = 0;
	tp_run_fact_text(&second.run, "machine.cpu", "A CPU\033[31m with \x01 a name %s", "evil");
	compared(&c, 2, TP_ACROSS_NONE);
	tp_compare_text(&c, &look, &out);
	const char *text = tp_str_text(&out);
	expect_narrow(text);
	assert_null(strchr(text, '\033'));
	assert_non_null(strstr(text, "A  before"));
	assert_non_null(strstr(text, "-10.0"));
	assert_non_null(strstr(text, "slower"));
	assert_non_null(strstr(text, "In A, not in B: 1 point"));
	assert_non_null(strstr(text, "roofline L1 avx512 load double 1 thread"));
	assert_non_null(strstr(text, "In B, not in A: 1 point"));
	assert_non_null(strstr(text, "ridge points"));
	/* 59 / 236 and 59 / 212.4 */
	assert_non_null(strstr(text, "0.250  0.278     +11.1"));
	assert_non_null(strstr(text, "disturbed (1)"));
	tp_str_release(&out);
	tp_comparison_release(&c);
	free(second.run.facts);
}

static void long_tables_leave_out_what_is_the_same(void **state)
{
	const struct tp_look look = { .columns = 80, .rows = 24 };
	struct tp_comparison c;
	struct tp_str out = { 0 };
	(void)state;
	first = (struct fixture){ 0 };
	for (unsigned i = 0; i < 50; i++) {
		struct tp_point *p = add(&first, "avx2", "L1", "load", 100);
		p->working_set_bytes = 1024 * (i + 1);
	}
	second = first;
	second.run.points = second.points;
	scale(&second.points[20], 0.8);
	compared(&c, 2, TP_ACROSS_NONE);
	tp_compare_text(&c, &look, &out);
	assert_non_null(strstr(tp_str_text(&out), "49 of 50 are the same and left out"));
	assert_non_null(strstr(tp_str_text(&out), "-20.0"));
	tp_str_release(&out);
	tp_comparison_release(&c);
}

static void data_have_one_row_a_pair(void **state)
{
	static const char *const names[] = { "before, \"old\"", "after" };
	const struct tp_run *runs[] = { &first.run, &second.run };
	const struct tp_compare_options options = { .tolerance = 0.02 };
	struct tp_comparison c;
	struct tp_diag diag;
	struct tp_str out = { 0 };
	(void)state;
	fill(&first);
	fill(&second);
	first.run.n_points = 6;
	scale(&second.points[5], 0.5);
	assert_int_equal(tp_compare_runs(&c, runs, names, 2, &options, &diag), TP_OK);
	assert_int_equal(tp_compare_csv(&c, &out), TP_OK);
	size_t lines = 0;
	for (const char *p = tp_str_text(&out); *p; p++)
		lines += *p == '\n';
	assert_int_equal(lines, 7);
	assert_non_null(strstr(tp_str_text(&out),
			       "\npoint,\"before, \"\"old\"\"\",after,roofline,load,avx2,double,1,"
			       "L1,16384,,,,,,GB/s,236,118,0.5,0.4"));
	assert_non_null(strstr(tp_str_text(&out), ",slower,L1,"));
	tp_str_clear(&out);
	assert_int_equal(tp_compare_json(&c, &out), TP_OK);
	assert_non_null(strstr(tp_str_text(&out), "\"slower\": 1"));
	assert_non_null(strstr(tp_str_text(&out), "\"verdict\": \"slower\""));
	assert_non_null(strstr(tp_str_text(&out), "\"tolerance\": 0.02"));
	assert_non_null(strstr(tp_str_text(&out), "\"missing_in\": \"before, \\\"old\\\"\""));
	tp_str_release(&out);
	tp_comparison_release(&c);
}

/* Columns that points.csv does not have are told in tprof(1), and those it tells are there. */
static void columns_are_in_the_manual(void **state)
{
	const char *top = getenv("TPROF_SRCDIR");
	char path[TP_PATH_MAX], *page, *rest = NULL;
	size_t len, told = 0;
	struct tp_diag diag;
	struct tp_str head = { 0 }, points = { 0 };
	const struct tp_comparison none = { .n = 0 };
	const struct tp_run empty = { .n_points = 0 };
	(void)state;
	snprintf(path, sizeof(path), "%s/man/tprof.1", top ? top : ".");
	assert_int_equal(tp_file_read(path, 1 << 20, &page, &len, &diag), TP_OK);
	char *part = strstr(page, ".Sh COMPARING RUNS"), *end = strstr(part, ".Sh COMPLETION");
	assert_non_null(part = strstr(part, ".Ss Data"));
	assert_true(end > part);
	*end = '\0';
	/* Every name between commas, so that no name is found inside another. */
	tp_str_add(&head, ",");
	assert_int_equal(tp_compare_csv(&none, &head), TP_OK);
	head.s[head.len - 1] = ',';
	tp_str_add(&points, ",");
	assert_int_equal(tp_run_csv(&empty, &points), TP_OK);
	points.s[points.len - 1] = ',';
	for (char *line = strtok_r(part, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *words = NULL;
		if (strncmp(line, ".It Va ", 7) != 0)
			continue;
		for (char *word = strtok_r(line + 7, " ,", &words); word;
		     word = strtok_r(NULL, " ,", &words)) {
			char name[64];
			snprintf(name, sizeof(name), ",%s,", word);
			if (!strstr(head.s, name))
				fail_msg("%s is no column", word);
			if (!strstr(points.s, name) || strcmp(word, "run") == 0 ||
			    strcmp(word, "flags") == 0)
				told++;
		}
	}
	/* As many as are new, and the two that mean something else here. */
	size_t new_columns = 2;
	for (char *word = strtok_r(head.s, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		char name[64];
		snprintf(name, sizeof(name), ",%s,", word);
		new_columns += !strstr(points.s, name);
	}
	assert_int_equal(told, new_columns);
	free(page);
	tp_str_release(&head);
	tp_str_release(&points);
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
		cmocka_unit_test(a_run_is_the_same_as_itself),
		cmocka_unit_test(a_slower_roof_is_found),
		cmocka_unit_test(a_longer_latency_is_slower),
		cmocka_unit_test(plateaus_are_compared_where_both_have_them),
		cmocka_unit_test(other_machines_get_no_verdict),
		cmocka_unit_test(nothing_to_compare_is_said),
		cmocka_unit_test(dimensions_have_names),
		cmocka_unit_test(text_tells_all_and_fits),
		cmocka_unit_test(long_tables_leave_out_what_is_the_same),
		cmocka_unit_test(data_have_one_row_a_pair),
		cmocka_unit_test(columns_are_in_the_manual),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
