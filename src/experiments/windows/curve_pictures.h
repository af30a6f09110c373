/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Curves over the working set as pictures, for every experiment that leaves such. */
#ifndef TPROF_EXPERIMENTS_WINDOWS_CURVE_PICTURES_H
#define TPROF_EXPERIMENTS_WINDOWS_CURVE_PICTURES_H

#include "record/roof.h"
#include "report/reporter.h"

/* As tp_picture_curves and tp_picture_has_curves. */
bool tp_window_curves(struct tp_picture *picture, const struct tp_run *run,
		      const struct tp_group *group, size_t from);
bool tp_window_has_curves(const struct tp_run *run, const struct tp_group *group, size_t from);

/* The plateaus of these curves, as tp_reporter's. Where there are several, names would cover them.
 */
void tp_window_plateaus(struct tp_picture *picture, const struct tp_run *run,
			const struct tp_group *group, size_t from);

/*
 * The curve of a kind (experiment, precision, threads, ISA, kernel, pages) in all runs that have
 * it: like the given point's.
 */
bool tp_overlay_curve(struct tp_picture *picture, const struct tp_overlay *overlay,
		      const struct tp_point *like);
/* Every curve that one of the runs has, each once; as tp_reporter's overlays. */
bool tp_window_overlays(const struct tp_reporter *reporter, const struct tp_overlay *overlay,
			const struct tp_gallery *gallery);

/*
 * The plateaus of the curve that a point belongs to, each as a level line with its name, and their
 * measured capacities as marks.
 */
void tp_picture_plateaus(struct tp_picture *picture, const struct tp_run *run,
			 const struct tp_point *like);
/* True if the plateau is one of the curve that the point belongs to. */
bool tp_plateau_is_of(const struct tp_plateau *plateau, const struct tp_point *point);

#endif
