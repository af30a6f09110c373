/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How rows of profiles come into a run. Private to this folder. */
#ifndef TPROF_EXPERIMENTS_PROFILE_ROWS_H
#define TPROF_EXPERIMENTS_PROFILE_ROWS_H

#include "experiments/profile/profile_row.h"

extern const struct tp_table tp_profile_sample_table;

/* As of struct tp_part and struct tp_row_event. */
void tp_profile_forget_meters(struct tp_run *run, unsigned point);
void tp_profile_forget_samples(struct tp_run *run, unsigned point);
enum tp_status tp_profile_add_meter(struct tp_run *run, const void *row);
enum tp_status tp_profile_put_meter(struct tp_run *run, const void *row, struct tp_diag *diag);
enum tp_status tp_profile_add_region(struct tp_run *run, const void *row);
void tp_profile_forget_regions(struct tp_run *run, unsigned point);
enum tp_status tp_profile_put_region(struct tp_run *run, const void *row, struct tp_diag *diag);
enum tp_status tp_profile_put_sample(struct tp_run *run, const void *row, struct tp_diag *diag);
enum tp_status tp_profile_read_samples(struct tp_run *run, const char *name, const char *text,
				       size_t len);

#endif
