/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pictures of programs: a curve over a parameter that has several numbers, else bars of all
 * variants.
 */
#ifndef TPROF_EXPERIMENT_PROGRAM_PICTURES_H
#define TPROF_EXPERIMENT_PROGRAM_PICTURES_H

#include "report/reporter.h"

/* As tp_reporter.pictures, .curves and .has_curves. */
bool tp_program_pictures(const struct tp_run *run, const struct tp_gallery *gallery);
bool tp_program_curves(struct tp_picture *picture, const struct tp_run *run,
		       const struct tp_group *group, size_t from);
bool tp_program_has_curves(const struct tp_run *run, const struct tp_group *group, size_t from);

/* Bars of the finished variants of a run for so many rows; false if there are none. */
bool tp_program_bars(struct tp_picture *picture, const struct tp_run *run, unsigned index,
		     size_t rows);

#endif
