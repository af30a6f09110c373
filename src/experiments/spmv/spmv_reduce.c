/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/roofs.h"
#include "base/str.h"
#include "record/dot.h"
#include "experiments/spmv/spmv.h"
#include "experiments/spmv/spmv_row.h"
#include "experiments/windows/roofs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The bandwidth measured for the level of a multiplication; 0 = none. */
static double bandwidth_of(const struct tp_run *run, const struct tp_point *p)
{
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *roof = &run->points[i];
		if (roof->state == TP_POINT_DONE && !tp_kernel_row(roof)->fp_op[0] &&
		    tp_reduce_same_series(roof, p) &&
		    strcmp(tp_kernel_row(roof)->level, tp_kernel_row(p)->level) == 0)
			return tp_point_median(roof);
	}
	return 0;
}

static enum tp_status add_dot(struct tp_run *run, const struct tp_point *p)
{
	const struct tp_spmv_row *row = tp_spmv_row(p);
	double peak = tp_reduce_peak(run, p, NULL), bandwidth = bandwidth_of(run, p);
	char way[48];
	snprintf(way, sizeof(way), "%.5s%s", row->format,
		 strcmp(row->reorder, "rcm") == 0 ? " rcm" : "");
	struct tp_dot *dot = tp_dot_add(run, p, way);
	if (!dot)
		return TP_NOMEM;
	if (peak > 0 && bandwidth > 0)
		tp_dot_set_roof(dot, tp_roof_attainable(peak, bandwidth, dot->ai_flop_per_byte));
	return TP_OK;
}

/* The verdict on the advice, by the points of a matrix. */
static void judge(const struct tp_run *run, struct tp_matrix_row *m)
{
	m->fastest[0] = '\0';
	m->fastest_gflops = m->advised_gflops = 0;
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		const double gflops = tp_point_median(p);
		if (!tp_spmv_belongs(p, m))
			continue;
		if (gflops > m->fastest_gflops) {
			m->fastest_gflops = gflops;
			tp_copy(m->fastest, sizeof(m->fastest), tp_spmv_row(p)->format);
		}
		if (strcmp(tp_spmv_row(p)->format, m->facts.advice) == 0)
			m->advised_gflops = gflops;
	}
	m->agrees = m->advised_gflops > 0 &&
		    m->advised_gflops >= (1 - TP_SPMV_EQUAL) * m->fastest_gflops;
}

enum tp_status tp_spmv_reduce(const struct tp_machine *machine, struct tp_run *run, unsigned index)
{
	enum tp_status status = tp_reduce_roofs(machine, run, index);
	for (size_t i = 0; i < run->n_points && status == TP_OK; i++)
		if (run->points[i].run == index && tp_spmv_is_done(&run->points[i]))
			status = add_dot(run, &run->points[i]);
	for (size_t i = 0; i < tp_run_n_matrices(run); i++)
		if (tp_run_matrices(run)[i].run == index)
			judge(run, &tp_run_matrices(run)[i]);
	return status;
}
