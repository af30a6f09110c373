/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two runs written down, for comparison. */
#ifndef TPROF_TESTS_COMPARE_RUNS_H
#define TPROF_TESTS_COMPARE_RUNS_H

#include <string.h>

#include "base/memory.h"
#include "report/compare.h"
#include "tests/unit/near.h"
#include "record/point.h"

enum { POINTS_MAX = 64 };

/* A run in place: its points are in an array of the test. */
struct fixture {
	struct tp_run run;
	struct tp_point points[POINTS_MAX];
	struct tp_kernel_row rows[POINTS_MAX];
};

static inline struct tp_point *add(struct fixture *f, const char *isa, const char *level,
				   const char *kernel, double median)
{
	struct tp_point *p = &f->points[f->run.n_points];
	assert_true(f->run.n_points < POINTS_MAX);
	struct tp_kernel_row *row = &f->rows[f->run.n_points];
	*row = (struct tp_kernel_row){ .precision = "double", .pages = "thp" };
	*p = (struct tp_point){ .point = (unsigned)f->run.n_points++,
				.experiment = "roofline",
				.threads = 1,
				.state = TP_POINT_DONE,
				.kept = 24,
				.invocations = 1,
				.ci_low = median * 0.998,
				.ci_high = median * 1.002,
				.core_ghz = 3.7,
				.core_ghz_after = 3.7,
				.kind = tp_point_kind_find("roofline"),
				.row = row };
	tp_copy(row->isa, sizeof(row->isa), isa);
	tp_copy(row->level, sizeof(row->level), level);
	tp_copy(p->kernel, sizeof(p->kernel), kernel);
	if (strcmp(level, "FP") == 0) {
		row->median_gflops = median;
		tp_copy(row->fp_op, sizeof(row->fp_op), kernel);
	} else {
		row->median_gbps = median;
		row->working_set_bytes = 16384;
		row->loads = 1;
	}
	tp_kernel_headline(p);
	f->run.points = f->points;
	return p;
}

/* The second becomes the first, with its own points and rows. */
static inline void copy_fixture(struct fixture *to, const struct fixture *from)
{
	*to = *from;
	to->run.points = to->points;
	for (size_t i = 0; i < from->run.n_points; i++)
		to->points[i].row = &to->rows[i];
}

/* Four levels and a peak of two ISAs. */
static inline void fill(struct fixture *f)
{
	*f = (struct fixture){ .run = { .state = "complete" } };
	static const char *const isas[] = { "scalar", "avx2" };
	static const double rates[2][5] = { { 59, 59, 55, 25, 14.8 }, { 236, 118, 100, 32, 59 } };
	static const char *const levels[] = { "L1", "L2", "L3", "DRAM", "FP" };
	for (size_t i = 0; i < 2; i++)
		for (size_t l = 0; l < 5; l++)
			add(f, isas[i], levels[l], l < 4 ? "load" : "fma", rates[i][l]);
}

static inline void scale(struct tp_point *p, double by)
{
	tp_kernel_row_of(p)->median_gbps *= by;
	tp_kernel_row_of(p)->median_gflops *= by;
	tp_kernel_row_of(p)->median_ns *= by;
	p->median *= by;
	p->ci_low *= by;
	p->ci_high *= by;
}

static struct fixture first, second;
static const char *const two_names[] = { "before", "after" };

static inline enum tp_status compare(struct tp_comparison *c, size_t n,
				     struct tp_compare_options options, struct tp_diag *diag)
{
	static const struct tp_run *runs[2];
	runs[0] = &first.run;
	runs[1] = &second.run;
	*diag = (struct tp_diag){ .what = "" };
	return tp_compare_runs(c, runs, two_names, n, &options, diag);
}

static inline void compared(struct tp_comparison *c, size_t n, enum tp_dimension across)
{
	struct tp_diag diag;
	if (compare(c, n, (struct tp_compare_options){ .across = across }, &diag) != TP_OK)
		fail_msg("%s: %s", diag.where, diag.what);
}

#endif
