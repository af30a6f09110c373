/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/app/processes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/memory.h"

/* A rank that computes so much longer than the median is slow. */
#define SLOW 1.25

/* --- times --- */

void tp_app_process_times_release(struct tp_app_process_times *times)
{
	free(times->items);
	*times = (struct tp_app_process_times){ 0 };
}

static bool is_same(const struct tp_app_process *a, const struct tp_app_process *b)
{
	return a->followed == b->followed && a->has_rank == b->has_rank && a->rank == b->rank &&
	       strcmp(a->program, b->program) == 0;
}

static struct tp_app_process_timed *find(const struct tp_app_process_times *times,
					 const struct tp_app_process *process)
{
	for (size_t i = 0; i < times->n; i++)
		if (is_same(&times->items[i].sum, process))
			return &times->items[i];
	return NULL;
}

void tp_app_process_times_add(struct tp_app_process_times *times, const struct tp_app_time *time)
{
	for (size_t i = 0; i < time->n_processes; i++) {
		const struct tp_app_process *one = &time->processes[i];
		if (!one->is_sum)
			continue;
		struct tp_app_process_timed *timed = find(times, one);
		if (!timed) {
			TP_RESERVE(times->items, times->cap, times->n + 1);
			timed = &times->items[times->n++];
			*timed = (struct tp_app_process_timed){ .sum = *one };
			timed->sum.wall_seconds = timed->sum.cpu_seconds = 0;
			timed->sum.start_seconds = timed->sum.mpi_seconds = 0;
		}
		timed->runs++;
		timed->sum.wall_seconds += one->wall_seconds;
		timed->sum.cpu_seconds += one->cpu_seconds;
		timed->sum.start_seconds += one->start_seconds;
		timed->sum.mpi_seconds += one->mpi_seconds;
	}
}

double tp_app_job_seconds(const struct tp_app_time *time)
{
	double longest = 0;
	for (size_t i = 0; i < time->n_processes; i++) {
		const struct tp_app_process *p = &time->processes[i];
		if (p->has_rank && p->start_seconds > 0)
			longest = fmax(longest, p->wall_seconds - p->start_seconds);
	}
	return longest;
}

double tp_app_followed_seconds(const struct tp_app_process_times *times)
{
	double seconds = 0;
	for (size_t i = 0; i < times->n; i++)
		seconds += times->items[i].sum.cpu_seconds / times->items[i].runs;
	return seconds;
}

double tp_app_uncounted_percent(const struct tp_app_process_times *times, double cpu_seconds)
{
	bool uncounted = false;
	for (size_t i = 0; i < times->n; i++)
		uncounted |= !times->items[i].sum.followed;
	return uncounted && cpu_seconds > 0
		       ? 100 * fmax(0, 1 - tp_app_followed_seconds(times) / cpu_seconds)
		       : 0;
}

double tp_app_mpi_percent(const struct tp_app_process_times *times)
{
	double since = 0, mpi = 0;
	for (size_t i = 0; i < times->n; i++) {
		const struct tp_app_process *sum = &times->items[i].sum;
		since += sum->start_seconds > 0 ? sum->wall_seconds - sum->start_seconds : 0;
		mpi += sum->mpi_seconds;
	}
	return since > 0 ? 100 * mpi / since : 0;
}

/* --- rows --- */

static void fill_times(struct tp_app_process_row *row, const struct tp_app_process_timed *timed,
		       double cpu_seconds)
{
	const struct tp_app_process *sum = &timed->sum;
	double since = sum->wall_seconds - sum->start_seconds;
	row->seconds = sum->wall_seconds / timed->runs;
	row->cpu_seconds = sum->cpu_seconds / timed->runs;
	row->start_seconds = sum->start_seconds / timed->runs;
	row->mpi_seconds = sum->mpi_seconds / timed->runs;
	if (cpu_seconds > 0)
		row->cpu_percent = 100 * row->cpu_seconds / cpu_seconds;
	if (sum->start_seconds > 0 && since > 0)
		row->mpi_percent = 100 * sum->mpi_seconds / since;
}

/* The median over ranks of the time that they compute; 0 = there are fewer than two ranks. */
static double median_computing(const struct tp_app_process_row *rows, size_t n)
{
	TP_FREE double *x = tp_alloc(n + 1, sizeof(*x));
	size_t n_x = 0;
	for (size_t i = 0; i < n; i++)
		if (tp_app_is_rank(&rows[i]))
			x[n_x++] = tp_app_computing(&rows[i]);
	tp_sort_doubles(x, n_x);
	return n_x > 1 ? tp_median_sorted(x, n_x) : 0;
}

bool tp_app_processes_send(const struct tp_app_process_times *times, const struct tp_point *point,
			   const char *source, const struct tp_app_counts *counts,
			   double cpu_seconds, const struct tp_watch *watch)
{
	size_t n = TP_MIN(counts->n_processes, TP_APP_PROCESS_ROWS_MAX);
	TP_FREE struct tp_app_process_row *rows = tp_alloc(n + 1, sizeof(*rows));
	unsigned singles = 0;
	uint64_t flops = 0;
	for (size_t i = 0; i < n; i++)
		flops += counts->processes[i].is_sum ? tp_mix_flops(counts->processes[i].mix) : 0;
	for (size_t i = 0; i < n; i++) {
		const struct tp_app_process *p = &counts->processes[i];
		struct tp_app_process_row *row = &rows[i];
		const struct tp_app_process_timed *timed = p->is_sum ? find(times, p) : NULL;
		row->run = point->run;
		row->point = point->point;
		row->processes = p->n;
		row->threads = p->threads;
		row->instructions = p->mix[TP_MIX_INSTRUCTIONS];
		row->flops = tp_mix_flops(p->mix);
		row->bytes = tp_mix_bytes(p->mix);
		if (flops)
			row->flops_percent = 100 * (double)row->flops / (double)flops;
		tp_copy(row->source, sizeof(row->source), source);
		tp_copy(row->program, sizeof(row->program), p->program);
		tp_copy(row->process, sizeof(row->process), "all");
		if (!p->is_sum)
			snprintf(row->process, sizeof(row->process), "%u", ++singles);
		if (p->has_rank)
			snprintf(row->rank, sizeof(row->rank), "%u", p->rank);
		if (!p->followed)
			tp_copy(row->uncounted, sizeof(row->uncounted), p->why);
		if (timed)
			fill_times(row, timed, cpu_seconds);
	}
	double median = median_computing(rows, n);
	bool wanted = true;
	for (size_t i = 0; i < n && wanted; i++) {
		rows[i].slow = rows[i].start_seconds > 0 && median > 0 &&
			       tp_app_computing(&rows[i]) >= SLOW * median;
		wanted = tp_watch_row(watch, &tp_app_process_event, &rows[i]);
	}
	return wanted;
}
