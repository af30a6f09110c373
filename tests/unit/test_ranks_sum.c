/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The run of all ranks: what is added, what is a mean, and what one rank has not measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/ranks.h"
#include "record/load.h"
#include "tests/unit/node_runs.h"

enum { POINTS = 10, WINDOWS = 3 };

/* What a rank tells the first one. */
static void as_told(struct tp_run *told, const struct tp_run *run)
{
	struct tp_str csv = { 0 };
	struct tp_diag diag;

	*told = (struct tp_run){ 0 };
	assert_int_equal(tp_run_csv(run, &csv), TP_OK);
	assert_int_equal(tp_run_parse_csv(told, "rank", tp_str_text(&csv), csv.len, &diag), TP_OK);
	tp_str_release(&csv);
}

static void make(struct tp_run *run, double speed)
{
	const struct made_node node = {
		.speed = speed, .seed = 3, .n_points = POINTS, .n_windows = WINDOWS
	};
	assert_true(made_run(run, "host", &node));
	tp_run_fact_number(run, TP_RANKS_RANK, 0);
	tp_run_fact_number(run, TP_RANKS_SIZE, 2);
}

static void make_latency(struct tp_point *p, struct tp_run *run, double ns)
{
	p->row = NULL;
	assert_int_equal(tp_point_begin(p, "latency", &run->arena), TP_OK);
	p->median = p->best = ns;
	p->ci_low = ns - 1;
	p->ci_high = ns + 1;
	tp_kernel_row_of(p)->median_ns = tp_kernel_row_of(p)->best_ns = ns;
	p->kind->headline(p);
}

static void near(double a, double b)
{
	assert_true(fabs(a - b) <= 1e-6 * fabs(b));
}

static void rates_are_added(void **state)
{
	struct tp_run a, b, told, sum = { 0 };
	(void)state;

	make(&a, 1);
	make(&b, 0.5);
	b.points[3].quality = TP_QUALITY_POOR;
	b.points[3].flags = TP_FLAG(NOISY);
	b.points[4].bound = a.points[4].bound = 100;
	as_told(&told, &b);
	assert_int_equal(tp_ranks_sum_begin(&sum, &a), TP_OK);
	tp_ranks_sum_add(&sum, 1, &told);
	tp_ranks_sum_end(&sum, 2);
	assert_int_equal(sum.n_points, POINTS);
	for (size_t i = 0; i < POINTS; i++) {
		const struct tp_point *p = &sum.points[i], *x = &a.points[i], *y = &b.points[i];
		const struct tp_kernel_row *k = tp_kernel_row(p), *kx = tp_kernel_row(x),
					   *ky = tp_kernel_row(y);
		near(p->median, x->median + y->median);
		near(p->ci_low, x->ci_low + y->ci_low);
		near(p->ci_high, x->ci_high + y->ci_high);
		near(k->median_gbps + k->median_gflops,
		     kx->median_gbps + kx->median_gflops + ky->median_gbps + ky->median_gflops);
		/* values of a core, and its clock */
		near(k->bytes_per_cycle + k->flop_per_cycle,
		     (kx->bytes_per_cycle + kx->flop_per_cycle + ky->bytes_per_cycle +
		      ky->flop_per_cycle) /
			     2);
		near(p->core_ghz, 3);
		assert_int_equal(p->threads, x->threads + y->threads);
		assert_int_equal(p->n_samples, 0);
		assert_int_equal(p->quality, i == 3 ? TP_QUALITY_POOR : TP_QUALITY_GOOD);
	}
	assert_true(sum.points[3].flags & TP_FLAG(NOISY));
	near(sum.points[4].bound, 200);
	assert_null(tp_run_fact(&sum, TP_RANKS_RANK));
	assert_non_null(tp_run_fact(&sum, TP_RANKS_SIZE));
	tp_run_release(&sum);
	tp_run_release(&told);
	tp_run_release(&b);
	tp_run_release(&a);
}

static void times_are_means(void **state)
{
	struct tp_run runs[3], told, sum = { 0 };
	(void)state;

	for (int i = 0; i < 3; i++) {
		make(&runs[i], 1);
		make_latency(&runs[i].points[0], &runs[i], 90 + 10 * i);
	}
	assert_int_equal(tp_ranks_sum_begin(&sum, &runs[0]), TP_OK);
	for (unsigned i = 1; i < 3; i++) {
		as_told(&told, &runs[i]);
		tp_ranks_sum_add(&sum, i, &told);
		tp_run_release(&told);
	}
	tp_ranks_sum_end(&sum, 3);
	near(sum.points[0].median, 100);
	near(sum.points[0].ci_low, 99);
	near(sum.points[0].ci_high, 101);
	near(tp_kernel_row(&sum.points[0])->median_ns, 100);
	tp_run_release(&sum);
	for (int i = 0; i < 3; i++)
		tp_run_release(&runs[i]);
}

static void a_missing_point_is_skipped(void **state)
{
	struct tp_run a, b, told, sum = { 0 };
	(void)state;

	make(&a, 1);
	make(&b, 1);
	b.points[2].state = TP_POINT_FAILED;
	b.points[POINTS - 1].state = TP_POINT_FAILED; /* the last: its table is shorter */
	a.points[5].state = TP_POINT_FAILED;
	as_told(&told, &b);
	assert_int_equal(tp_ranks_sum_begin(&sum, &a), TP_OK);
	tp_ranks_sum_add(&sum, 1, &told);
	tp_ranks_sum_end(&sum, 2);
	for (size_t i = 0; i < POINTS; i++)
		assert_int_equal(sum.points[i].state, i == 2 || i == POINTS - 1 ? TP_POINT_SKIPPED
						      : i == 5			? TP_POINT_FAILED
										: TP_POINT_DONE);
	assert_string_equal(sum.points[2].diag.what, "rank 1 has not measured this point");
	tp_run_release(&sum);
	tp_run_release(&told);
	tp_run_release(&b);
	tp_run_release(&a);
}

static void cpus_are_joined(void **state)
{
	static const struct {
		const char *a, *b, *sum;
	} rows[] = {
		{ "0", "1", "0-1" },	 { "0", "2", "0,2" },	  { "0-1", "2-3", "0-3" },
		{ "0,2", "3", "0,2-3" }, { "0", "1,3", "0-1,3" }, { "0", "1-3,7", "0-3,7" },
		{ "4", "0", "4,0" },	 { "", "1", "" },	  { "1", "", "" },
	};
	struct tp_run a, b;
	(void)state;

	make(&a, 1);
	make(&b, 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct tp_run sum = { 0 };
		snprintf(a.points[0].cpus, sizeof(a.points[0].cpus), "%s", rows[i].a);
		snprintf(b.points[0].cpus, sizeof(b.points[0].cpus), "%s", rows[i].b);
		assert_int_equal(tp_ranks_sum_begin(&sum, &a), TP_OK);
		tp_ranks_sum_add(&sum, 1, &b);
		assert_string_equal(sum.points[0].cpus, rows[i].sum);
		tp_run_release(&sum);
	}
	/* More than there is room for: rather none than some. */
	struct tp_run sum = { 0 };
	snprintf(a.points[0].cpus, sizeof(a.points[0].cpus), "0");
	assert_int_equal(tp_ranks_sum_begin(&sum, &a), TP_OK);
	for (unsigned r = 1; r < 200; r++) {
		snprintf(b.points[0].cpus, sizeof(b.points[0].cpus), "%u", 2 * r);
		tp_ranks_sum_add(&sum, r, &b);
	}
	assert_string_equal(sum.points[0].cpus, "");
	assert_int_equal(sum.points[0].threads, 200);
	tp_run_release(&sum);
	tp_run_release(&b);
	tp_run_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_are_added),
		cmocka_unit_test(times_are_means),
		cmocka_unit_test(a_missing_point_is_skipped),
		cmocka_unit_test(cpus_are_joined),
	};

	return cmocka_run_group_tests_name("ranks_sum", tests, NULL, NULL);
}
