/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The processes of a program: their counts come from the counted run, their times from the timed
 * runs. A process is identified by its program and rank.
 */
#ifndef TPROF_EXPERIMENTS_APP_PROCESSES_H
#define TPROF_EXPERIMENTS_APP_PROCESSES_H

#include "app/app.h"
#include "experiments/app/row.h"
#include "measure/sampler.h"

/* Sums over the runs that were timed. Zero-initialise. */
struct tp_app_process_times {
	struct tp_app_process_timed {
		struct tp_app_process sum; /* times alone */
		unsigned runs;
	} * items;
	size_t n, cap;
};
void tp_app_process_times_release(struct tp_app_process_times *times);
void tp_app_process_times_add(struct tp_app_process_times *times, const struct tp_app_time *time);

/* Of one run: from the moment that MPI_Init returned to the end, of the longest rank; 0 = no MPI.
 */
double tp_app_job_seconds(const struct tp_app_time *time);

/* As in struct tp_app_region_row; 0 = nothing of that kind. `cpu_seconds`: of the whole program. */
double tp_app_uncounted_percent(const struct tp_app_process_times *times, double cpu_seconds);
/* CPU time of processes that were followed, wherever a launcher has started them. */
double tp_app_followed_seconds(const struct tp_app_process_times *times);
double tp_app_mpi_percent(const struct tp_app_process_times *times);

/* Sends the rows; false = the run was cancelled. */
bool tp_app_processes_send(const struct tp_app_process_times *times, const struct tp_point *point,
			   const char *source, const struct tp_app_counts *counts,
			   double cpu_seconds, const struct tp_watch *watch);

#endif
