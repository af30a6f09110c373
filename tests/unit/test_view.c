/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of runs, and what the series of a picture say they were drawn from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "experiments/experiment.h"
#include "experiments/roofline/pictures.h"
#include "experiments/windows/report.h"
#include "report/view.h"
#include "base/memory.h"
#include "record/point.h"
#include "record/roof.h"
#include "record/dot.h"
#include "tests/unit/rows.h"

#include <stdlib.h>
#include <string.h>

enum { POINTS = 8, ROOFS = 6, DOTS = 3 };

/*
 * Two ISAs with L1, DRAM and a peak each; dots of the wide one in no order; points of a curve of
 * it.
 */
static struct tp_point points[POINTS];
static struct tp_kernel_row rows[POINTS];
static struct tp_roof roofs[ROOFS];
static struct tp_dot dots[DOTS];
static struct tp_plateau plateaus[2];

static struct tp_run make_run(void)
{
	static const char *const isas[] = { "sse", "avx2" };
	memset(points, 0, sizeof(points));
	memset(rows, 0, sizeof(rows));
	memset(roofs, 0, sizeof(roofs));
	memset(dots, 0, sizeof(dots));
	memset(plateaus, 0, sizeof(plateaus));
	for (size_t i = 0; i < ROOFS; i++) {
		static const char *const levels[] = { "L1", "DRAM", "FP" };
		static const double values[] = { 100, 10, 40 };
		struct tp_roof *r = &roofs[i];
		r->threads = 1;
		r->point = (unsigned)i;
		tp_copy(r->isa, sizeof(r->isa), isas[i / 3]);
		tp_copy(r->precision, sizeof(r->precision), "double");
		tp_copy(r->level, sizeof(r->level), levels[i % 3]);
		tp_copy(r->fp_op, sizeof(r->fp_op), i % 3 == 2 ? "fma" : "");
		r->median = values[i % 3] * (double)(1 + i / 3);
	}
	for (size_t i = 0; i < DOTS; i++) {
		static const double intensity[] = { 1, 0.25, 0.5 };
		struct tp_dot *d = &dots[i];
		d->threads = 1;
		d->point = (unsigned)i;
		tp_copy(d->isa, sizeof(d->isa), "avx2");
		tp_copy(d->precision, sizeof(d->precision), "double");
		tp_copy(d->level, sizeof(d->level), "L1");
		d->ai_flop_per_byte = intensity[i];
		d->gflops = 30;
		d->roof_gflops = 40;
	}
	for (size_t i = 0; i < POINTS; i++) {
		struct tp_point *p = &points[i];
		p->point = (unsigned)i;
		p->kind = tp_point_kind_find("memcurve");
		p->row = &rows[i];
		p->threads = 1;
		p->state = TP_POINT_DONE;
		tp_copy(p->experiment, sizeof(p->experiment), "memcurve");
		tp_copy(p->kernel, sizeof(p->kernel), "load");
		tp_copy(tp_kernel_row_of(p)->isa, sizeof(tp_kernel_row(p)->isa), isas[i % 2]);
		tp_copy(tp_kernel_row_of(p)->precision, sizeof(tp_kernel_row(p)->precision),
			"double");
		/* The larger sizes come first. */
		tp_kernel_row_of(p)->working_set_bytes = UINT64_C(4096) << (POINTS - i);
		tp_kernel_row_of(p)->median_gbps = 50 + (double)i;
		tp_kernel_headline(p);
	}
	for (size_t i = 0; i < TP_COUNT_OF(plateaus); i++) {
		struct tp_plateau *p = &plateaus[i];
		p->threads = 1;
		tp_copy(p->isa, sizeof(p->isa), isas[i]);
		tp_copy(p->precision, sizeof(p->precision), "double");
		tp_copy(p->kernel, sizeof(p->kernel), "load");
		tp_copy(p->level, sizeof(p->level), "L2");
		p->gbps = 55;
		p->from_bytes = 8192;
		p->to_bytes = 65536;
		p->capacity_bytes = 131072;
	}
	struct tp_run run = { .points = points, .n_points = POINTS };
	lend_rows(&run, &tp_roof_part, roofs, ROOFS);
	lend_rows(&run, &tp_dot_part, dots, DOTS);
	lend_rows(&run, &tp_plateau_part, plateaus, TP_COUNT_OF(plateaus));
	return run;
}

static bool is_isa(const void *context, const struct tp_slice *part)
{
	return strcmp(part->isa, context) == 0;
}

static void test_view_keeps_what_is_wanted(void **state)
{
	(void)state;
	struct tp_run run = make_run(), view;
	tp_run_view(&view, &run, is_isa, "sse");
	assert_int_equal(view.n_points, POINTS);
	for (size_t i = 0; i < POINTS; i++) {
		assert_int_equal(view.points[i].point, i);
		assert_int_equal(view.points[i].state, i % 2 ? TP_POINT_SKIPPED : TP_POINT_DONE);
	}
	assert_int_equal(tp_run_n_roofs(&view), 3);
	for (size_t i = 0; i < tp_run_n_roofs(&view); i++)
		assert_string_equal(tp_run_roofs(&view)[i].isa, "sse");
	assert_int_equal(tp_run_n_plateaus(&view), 1);
	assert_int_equal(tp_run_n_dots(&view), 0);
	/* The run itself is as it was. */
	assert_int_equal(tp_run_n_roofs(&run), ROOFS);
	assert_int_equal(points[1].state, TP_POINT_DONE);
	tp_run_view_release(&view);
	assert_null(view.points);
	tp_run_view(&view, &(struct tp_run){ 0 }, is_isa, "sse");
	tp_run_view_release(&view);
}

/* Every roof that was measured says so, with the peak that ends it; theory says nothing. */
static void test_origins_of_a_roofline(void **state)
{
	(void)state;
	struct tp_run run = make_run();
	struct tp_picture *p = calloc(1, sizeof(*p));
	assert_non_null(p);
	assert_true(tp_picture_roofline(p, &run, 0, "double", 120, 40));
	size_t bandwidths = 0, peaks = 0, of_dots = 0;
	for (size_t i = 0; i < p->n_series; i++) {
		const struct tp_origin *o = &p->origins[i];
		if (p->series[i].role == TP_ROLE_THEORY)
			assert_int_equal(o->reads, TP_READS_NOTHING);
		if (o->roof && strcmp(o->roof->isa, "avx2") == 0) {
			bool fp = strcmp(o->roof->level, "FP") == 0;
			assert_int_equal(o->reads, TP_READS_LINE);
			bandwidths += !fp;
			peaks += fp;
			if (!fp) {
				assert_true(o->peak_gflops > 79 && o->peak_gflops < 81);
				/* The line is that roof. */
				double slope = p->series[i].y[0] / p->series[i].x[0];
				assert_true(slope > 0.99 * o->slope && slope < 1.01 * o->slope);
				assert_true(o->slope == o->roof->median);
				assert_true(o->limit == o->peak_gflops);
			}
		}
		if (o->rows) {
			of_dots++;
			assert_int_equal(p->series[i].n, DOTS);
			assert_int_equal(o->reads, TP_READS_POINTS);
			for (size_t k = 0; k < DOTS; k++) {
				const struct tp_dot *d = o->rows[k];
				assert_int_equal(tp_origin_point(o, k), d->point);
				assert_true(p->series[i].x[k] == d->ai_flop_per_byte);
				assert_true(k == 0 || p->series[i].x[k] > p->series[i].x[k - 1]);
			}
		}
	}
	assert_int_equal(bandwidths, 2);
	assert_int_equal(peaks, 1);
	assert_int_equal(of_dots, 1);
	tp_arena_release(&p->arena);
	free(p);
}

static void test_origins_of_a_curve(void **state)
{
	(void)state;
	struct tp_run run = make_run();
	struct tp_picture *p = calloc(1, sizeof(*p));
	const struct tp_group group = { 0, 1, "double", "memcurve" };
	assert_non_null(p);
	assert_true(tp_picture_has_curves(&run, &group, 0));
	assert_false(tp_picture_has_curves(&run, &group, TP_PICTURE_CURVES));
	assert_true(tp_picture_curves(p, &run, &group, 0));
	assert_int_equal(p->n_series, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct tp_origin *o = &p->origins[i];
		assert_non_null(o->points);
		for (size_t k = 0; k < p->series[i].n; k++)
			assert_true((double)tp_kernel_row(o->points[k])->working_set_bytes ==
				    p->series[i].x[k]);
		/* Its own plateaus only. */
		for (size_t k = 0; k < 2; k++)
			assert_int_equal(
				tp_plateau_is_of(&plateaus[k], o->points[0]),
				strcmp(plateaus[k].isa, tp_kernel_row(o->points[0])->isa) == 0);
	}
	size_t marks = p->n_marks;
	tp_picture_plateaus(p, &run, p->origins[0].points[0]);
	assert_int_equal(p->n_series, 3);
	assert_int_equal(p->scene.n_series, 3);
	assert_int_equal(p->scene.n_marks, marks + 1);
	assert_true(p->series[2].y[0] == 55 && p->series[2].x[1] == 65536);
	assert_int_equal(p->origins[2].reads, TP_READS_NOTHING);
	tp_arena_release(&p->arena);
	free(p);
}

/*
 * Until a peak was measured roofs end at the one that was asked for, and the picture reaches as far
 * as wished.
 */
static void test_wishes_of_a_growing_roofline(void **state)
{
	(void)state;
	struct tp_run run = make_run();
	lend_rows(&run, &tp_roof_part, &roofs[3], 1);
	lend_rows(&run, &tp_dot_part, NULL, 0);
	struct tp_picture *p = calloc(1, sizeof(*p));
	assert_non_null(p);
	p->peak_gflops = 64;
	p->ai_low = 0.001;
	p->ai_high = 500;
	assert_true(tp_picture_roofline(p, &run, 0, "double", 120, 40));
	assert_true(p->scene.x.min == 0.001 && p->scene.x.max == 500);
	for (size_t i = 0; i < p->n_series; i++)
		for (size_t k = 0; k < p->series[i].n; k++)
			assert_true(p->series[i].y[k] <= 64.001);
	tp_arena_release(&p->arena);
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_view_keeps_what_is_wanted),
		cmocka_unit_test(test_origins_of_a_roofline),
		cmocka_unit_test(test_origins_of_a_curve),
		cmocka_unit_test(test_wishes_of_a_growing_roofline),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests_name("view", tests, NULL, NULL);
}
