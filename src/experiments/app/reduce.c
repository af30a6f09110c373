/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Roofs of a run, the regions of programs below them, and their dots. */
#include "analysis/roofs.h"
#include "base/vec.h"
#include "experiments/app/plan.h"
#include "experiments/app/place.h"
#include "experiments/app/roofs.h"
#include "record/dot.h"
#include "record/roof.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The peak of a team in a precision; 0 = none. */
static double peak_of(const struct tp_run *run, unsigned index, unsigned threads,
		      const char *precision)
{
	double peak = 0;
	for (size_t i = 0; i < tp_run_n_roofs(run); i++) {
		const struct tp_roof *r = &tp_run_roofs(run)[i];
		if (r->run == index && r->threads == threads && tp_roof_is_peak(r) &&
		    strcmp(r->precision, precision) == 0)
			peak = fmax(peak, r->median);
	}
	return peak;
}

/* Whether some program computes in it: peaks of other precisions say nothing. */
static bool is_used(const struct tp_run *run, unsigned index, const char *precision)
{
	bool any = false;
	for (size_t i = 0; i < tp_run_n_app_regions(run); i++) {
		const struct tp_app_region_row *row = &tp_run_app_regions(run)[i];
		if (row->run == index && strcmp(row->precision, precision) == 0)
			return true;
		any |= row->run == index && row->precision[0];
	}
	return !any && strcmp(precision, "double") == 0;
}

static enum tp_status add_roofs(struct tp_run *run, unsigned index)
{
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		if (p->run != index || p->state != TP_POINT_DONE || tp_point_is_app(p) ||
		    (tp_point_is_fp(p) && !is_used(run, index, tp_kernel_row(p)->precision)))
			continue;
		struct tp_roof *roof = tp_run_add_row(run, &tp_roof_part);
		if (!roof)
			return TP_NOMEM;
		*roof = tp_roof_of(p);
	}
	for (size_t i = 0; i < tp_run_n_roofs(run); i++) {
		struct tp_roof *r = &tp_run_roofs(run)[i];
		if (r->run == index && !tp_roof_is_peak(r))
			r->ridge_flop_per_byte = tp_roof_ridge(
				peak_of(run, index, r->threads, r->precision), r->median);
	}
	return TP_OK;
}

/* Bytes have no precision: the same bandwidths are roofs of programs in single precision. */
static enum tp_status add_single(struct tp_run *run, unsigned index, unsigned threads)
{
	const size_t n = tp_run_n_roofs(run);
	double peak = peak_of(run, index, threads, "single");
	for (size_t i = 0; i < n; i++) {
		const struct tp_roof *r = &tp_run_roofs(run)[i];
		if (r->run == index && r->threads == threads && !tp_roof_is_peak(r) &&
		    strcmp(r->precision, "single") == 0)
			return TP_OK;
	}
	for (size_t i = 0; i < n && peak > 0; i++) {
		struct tp_roof roof = tp_run_roofs(run)[i];
		if (roof.run != index || roof.threads != threads || tp_roof_is_peak(&roof))
			continue;
		tp_copy(roof.precision, sizeof(roof.precision), "single");
		roof.ridge_flop_per_byte = tp_roof_ridge(peak, roof.median);
		struct tp_roof *added = tp_run_add_row(run, &tp_roof_part);
		if (!added)
			return TP_NOMEM;
		*added = roof;
	}
	return TP_OK;
}

/* A program without regions goes by its own name; one that has some may have a region of it. */
static const char *dot_name(const struct tp_run *run, const struct tp_point *p,
			    const struct tp_app_region_row *row)
{
	bool regions = strcmp(row->region, TP_APP_PROGRAM) != 0;
	for (size_t i = 0; i < tp_run_n_app_regions(run) && !regions; i++) {
		const struct tp_app_region_row *r = &tp_run_app_regions(run)[i];
		regions = r->point == p->point && tp_app_is_whole(r) &&
			  strcmp(r->region, TP_APP_PROGRAM) != 0;
	}
	return regions ? row->region : p->kernel;
}

static enum tp_status add_dot(struct tp_run *run, const struct tp_point *p,
			      const struct tp_app_region_row *row, int level, double ai)
{
	struct tp_dot *dot = tp_dot_add(run, p, dot_name(run, p, row));
	if (!dot)
		return TP_NOMEM;
	tp_copy(dot->isa, sizeof(dot->isa), TP_ISA_COMPILED);
	tp_copy(dot->precision, sizeof(dot->precision), row->precision);
	tp_copy(dot->level, sizeof(dot->level), tp_app_level_names[level]);
	dot->threads = row->roof_threads;
	dot->ai_flop_per_byte = ai;
	dot->gflops = row->gflops;
	return TP_OK;
}

/* One dot by the bytes that the core moves, or one for each level by those that came from it. */
static enum tp_status add_dots(struct tp_run *run, const struct tp_point *p,
			       const struct tp_app_region_row *row,
			       const struct tp_app_roofs *roofs)
{
	double flops = (double)tp_app_flops(row);
	bool levels = false;
	enum tp_status status = TP_OK;
	for (int l = 0; l < TP_APP_ROOF_LEVELS && status == TP_OK; l++) {
		if (!(row->level_bytes[l] > 0) || !(roofs->gbps[l] > 0))
			continue;
		double ai = flops / row->level_bytes[l];
		levels = true;
		status = add_dot(run, p, row, l, ai);
		if (status == TP_OK)
			tp_dot_set_roof(
				&tp_run_dots(run)[tp_run_n_dots(run) - 1],
				roofs->peak_gflops > 0
					? tp_roof_attainable(roofs->peak_gflops, roofs->gbps[l], ai)
					: roofs->gbps[l] * ai);
	}
	int level = tp_app_level(row, roofs);
	if (levels || level < 0 || status != TP_OK)
		return status;
	status = add_dot(run, p, row, level, row->ai_flop_per_byte);
	if (status == TP_OK && row->roof_gflops > 0)
		tp_dot_set_roof(&tp_run_dots(run)[tp_run_n_dots(run) - 1], row->roof_gflops);
	return status;
}

static enum tp_status place(struct tp_run *run, const struct tp_point *p, size_t i)
{
	struct tp_app_region_row *row = &tp_run_app_regions(run)[i];
	const struct tp_app_row *app = tp_app_row(p);
	struct tp_app_roofs roofs;
	enum tp_status status = TP_OK;
	tp_app_find_roofs(run, row, &roofs);
	tp_app_place(row, &roofs);
	tp_app_judge(row, &roofs, app->signal);
	if (roofs.threads && strcmp(row->precision, "single") == 0)
		status = add_single(run, p->run, roofs.threads);
	bool drawn = tp_app_is_whole(row) && row->gflops > 0 && row->ai_flop_per_byte > 0 &&
		     strcmp(row->source, app->source) == 0;
	if (status == TP_OK && drawn && roofs.threads)
		status = add_dots(run, p, row, &roofs);
	return status;
}

enum tp_status tp_app_reduce(const struct tp_machine *machine, struct tp_run *run, unsigned index)
{
	(void)machine;
	enum tp_status status = add_roofs(run, index);
	for (size_t i = 0; i < tp_run_n_app_regions(run) && status == TP_OK; i++) {
		const struct tp_app_region_row *row = &tp_run_app_regions(run)[i];
		const struct tp_point *p = tp_run_point(run, row->point);
		if (row->run == index && p && tp_point_is_app(p) && p->state == TP_POINT_DONE)
			status = place(run, p, i);
	}
	return status;
}
