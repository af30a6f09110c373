/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The phases of a program, from its samples. */
#include "analysis/changes.h"
#include "base/memory.h"
#include "experiments/profile/plan.h"
#include "experiments/profile/profile_row.h"
#include "profile/meters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Meters that tell one thing twice (bytes and faults of a copy) are all asked: any may step. */
static const bool own[TP_METERS] = {
#define OWN(id, name, unit, is_own, words) is_own,
	TP_METER_LIST(OWN)
#undef OWN
};

struct phasing {
	const struct tp_profile_sample *samples;
	size_t n;
	double *store; /* n for each series */
	const double *series[TP_METERS];
	int meters[TP_METERS];
	size_t n_series;
	struct tp_changes_series told[TP_METERS];
	size_t edges[TP_PROFILE_PHASES_MAX];
	size_t n_edges;
};

/* Those of the program that say anything. Threads of one process rarely change: they may, too. */
static bool collect(struct phasing *p)
{
	p->store = malloc(p->n * TP_METERS * sizeof(*p->store));
	for (int m = 0; m < TP_METERS && p->store; m++) {
		double *x = &p->store[p->n_series * p->n];
		bool any = false;
		for (size_t i = 0; i < p->n; i++) {
			x[i] = p->samples[i].values[m];
			any |= isfinite(x[i]);
		}
		if (!any || !own[m])
			continue;
		p->series[p->n_series] = x;
		p->meters[p->n_series++] = m;
	}
	return p->store;
}

static void mean_of(const struct phasing *p, size_t from, size_t to, double means[TP_METERS])
{
	for (int m = 0; m < TP_METERS; m++) {
		double sum = 0, time = 0;
		for (size_t i = from; i < to; i++) {
			double value = p->samples[i].values[m];
			if (!isfinite(value))
				continue;
			sum += value * p->samples[i].seconds;
			time += p->samples[i].seconds;
		}
		means[m] = time > 0 ? sum / time : NAN;
	}
}

/* Letters by what differs; a meter that tells other phases apart counts, if it steps here. */
static enum tp_status add_phases(const struct phasing *p, struct tp_run *run,
				 const struct tp_point *point)
{
	size_t n = p->n_edges + 1;
	double *means = calloc(n * p->n_series + 1, sizeof(*means));
	unsigned *groups = malloc(n * sizeof(*groups));
	double ranges[TP_METERS] = { 0 };
	enum tp_status status = means && groups ? TP_OK : TP_NOMEM;
	double all = p->samples[p->n - 1].at_seconds -
		     (p->samples[0].at_seconds - p->samples[0].seconds);
	for (size_t i = 0; i < n && status == TP_OK; i++) {
		size_t from = i ? p->edges[i - 1] : 0, to = i < p->n_edges ? p->edges[i] : p->n;
		double whole[TP_METERS];
		mean_of(p, from, to, whole);
		for (size_t j = 0; j < p->n_series; j++)
			means[i * p->n_series + j] = whole[p->meters[j]];
	}
	/*
	 * A series that only makes noise does not tell phases apart: what they differ by counts
	 * against the range of all samples. One that is constant but for outliers tells nothing.
	 */
	for (size_t j = 0; j < p->n_series && status == TP_OK; j++) {
		double low = INFINITY, high = -INFINITY;
		for (size_t i = 0; i < n; i++) {
			low = fmin(low, means[i * p->n_series + j]);
			high = fmax(high, means[i * p->n_series + j]);
		}
		double range = p->told[j].range;
		ranges[j] = range > 0 && high >= low
				    ? fmax(fmax(high - low, range), 4 * p->told[j].noise)
				    : 0;
	}
	if (status == TP_OK)
		tp_changes_alike(means, n, p->n_series, ranges, 0, groups);
	for (size_t i = 0; i < n && status == TP_OK; i++) {
		size_t from = i ? p->edges[i - 1] : 0, to = i < p->n_edges ? p->edges[i] : p->n;
		struct tp_profile_phase *row = tp_run_add_row(run, &tp_profile_phase_part);
		if (!row) {
			status = TP_NOMEM;
			break;
		}
		row->run = point->run;
		row->point = point->point;
		row->number = (unsigned)i;
		tp_profile_letter(groups[i], row->letter);
		row->start_seconds = p->samples[from].at_seconds - p->samples[from].seconds;
		row->seconds = p->samples[to - 1].at_seconds - row->start_seconds;
		row->share = all > 0 ? row->seconds / all : 0;
		mean_of(p, from, to, row->means);
	}
	free(means);
	free(groups);
	return status;
}

static enum tp_status reduce_point(struct tp_run *run, const struct tp_point *point)
{
	struct phasing *p = calloc(1, sizeof(*p));
	enum tp_status status = TP_OK;
	if (!p)
		return TP_NOMEM;
	p->n = tp_profile_samples(run, point->point, &p->samples);
	if (p->n) {
		bool good =
			collect(p) && tp_changes(p->series, p->n_series, p->n, NULL, p->edges,
						 TP_PROFILE_PHASES_MAX - 1, &p->n_edges, p->told);
		status = good ? add_phases(p, run, point) : TP_NOMEM;
	}
	free(p->store);
	free(p);
	return status;
}

enum tp_status tp_profile_reduce(const struct tp_machine *machine, struct tp_run *run,
				 unsigned index)
{
	enum tp_status status = TP_OK;
	(void)machine;
	for (size_t i = 0; i < run->n_points && status == TP_OK; i++)
		if (run->points[i].run == index && run->points[i].state == TP_POINT_DONE &&
		    tp_point_is_profile(&run->points[i]))
			status = reduce_point(run, &run->points[i]);
	return status;
}
