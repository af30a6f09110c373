/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/memory.h"
#include "experiments/autotune/tuning.h"
#include "record/point.h"
#include "experiments/autotune/search_row.h"
#include "experiments/autotune/trial.h"

static const char experiment[] = "autotune", baseline_name[] = "default";

/* "dgemm" of "dgemm/openblas". */
static void routine_of(const struct tp_point *point,
		       char out[sizeof(((struct tp_study_row *)0)->routine)])
{
	snprintf(out, sizeof(((struct tp_study_row *)0)->routine), "%.*s",
		 (int)strcspn(point->kernel, "/"), point->kernel);
}

static bool is_search(const struct tp_point *point)
{
	return strcmp(point->experiment, experiment) == 0;
}

/* Both search the same space in the same way but for the technique. */
static bool is_alike(const struct tp_point *a, const struct tp_point *b)
{
	return a->run == b->run && a->threads == b->threads && strcmp(a->kernel, b->kernel) == 0 &&
	       strcmp(tp_search_row(a)->library, tp_search_row(b)->library) == 0 &&
	       strcmp(tp_search_row(a)->scope, tp_search_row(b)->scope) == 0 &&
	       strcmp(tp_kernel_row(a)->level, tp_kernel_row(b)->level) == 0 &&
	       strcmp(a->cpus, b->cpus) == 0;
}

/* A search that was cut short is no baseline: what it did not come to may have been the best. */
static const struct tp_point *baseline_of(const struct tp_run *run, const struct tp_point *point)
{
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];

		if (is_search(p) && p->state == TP_POINT_DONE &&
		    strcmp(tp_search_row(p)->technique, baseline_name) == 0 && is_alike(p, point))
			return p;
	}
	return NULL;
}

static void count(struct tp_study_row *row, const struct tp_trial *trials, size_t n)
{
	row->configurations = (unsigned)n;
	for (size_t i = 0; i < n; i++) {
		row->seconds += trials[i].seconds;
		row->invocations += trials[i].invocations;
		row->iterations += trials[i].iterations;
	}
}

static double seconds_of(const struct tp_run *run, unsigned point)
{
	struct tp_study_row row = { 0 };
	size_t n;
	const struct tp_trial *trials = tp_trials_of(run, point, &n);

	count(&row, trials, n);
	return row.seconds;
}

static double value_of(const struct tp_run *run, unsigned point, unsigned index)
{
	size_t n;
	const struct tp_trial *trials = tp_trials_of(run, point, &n);

	for (size_t i = 0; i < n; i++)
		if (trials[i].index == index && strcmp(trials[i].stopped, "failed") != 0)
			return trials[i].value;
	return 0;
}

static void compare(const struct tp_run *run, const struct tp_point *point,
		    struct tp_study_row *row)
{
	const struct tp_point *base = baseline_of(run, point);
	const struct tp_trial *best = base ? tp_trials_best(run, base->point) : NULL;

	row->loss = NAN;
	if (!best || !(best->value > 0))
		return;
	if (row->seconds > 0)
		row->speedup = seconds_of(run, base->point) / row->seconds;
	row->baseline_value = value_of(run, base->point, row->index);
	if (row->baseline_value > 0)
		row->loss = 1 - row->baseline_value / best->value;
}

static void fill(const struct tp_run *run, const struct tp_point *point,
		 const struct tp_trial *best, struct tp_study_row *row)
{
	bool is_memory =
		tp_kernel_row(point)->level[0] && strcmp(tp_kernel_row(point)->level, "FP") != 0;
	size_t n;
	const struct tp_trial *trials = tp_trials_of(run, point->point, &n);

	*row = (struct tp_study_row){
		.run = point->run, .point = point->point, .index = best->index, .best = best->value
	};
	memcpy(row->size, best->size, sizeof(row->size));
	tp_copy(row->technique, sizeof(row->technique), tp_search_row(point)->technique);
	tp_copy(row->library, sizeof(row->library), tp_search_row(point)->library);
	routine_of(point, row->routine);
	snprintf(row->scope, sizeof(row->scope), "%s%s%s",
		 is_memory ? tp_kernel_row(point)->level : "",
		 is_memory && tp_search_row(point)->scope[0] ? " " : "",
		 tp_search_row(point)->scope);
	count(row, trials, n);
	compare(run, point, row);
}

enum tp_status tp_study_make(struct tp_run *run)
{
	struct tp_rows *rows = tp_run_rows_of(run, &tp_study_part);

	if (!rows)
		return TP_NOMEM;
	rows->n = 0;
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *point = &run->points[i];
		const struct tp_trial *best =
			is_search(point) ? tp_trials_best(run, point->point) : NULL;

		if (!best)
			continue;
		struct tp_study_row *row = tp_run_add_row(run, &tp_study_part);
		if (!row)
			return TP_NOMEM;
		fill(run, point, best, row);
	}
	return TP_OK;
}
