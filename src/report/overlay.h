/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scenes of several runs on each other. Private to this room. */
#ifndef TPROF_REPORT_OVERLAY_H
#define TPROF_REPORT_OVERLAY_H

#include "report/pictures.h"

/* What is laid on each other: runs of at most TP_REPORT_RUNS_MAX, each with the colour and the glyph of its number. */
struct tp_overlay {
	const struct tp_run *const *runs;
	const char *const *names;
	size_t n;
};

/*
 * The roofs of all runs in a precision, each run's own view (its first run of the preset that has them, most threads, widest ISA). False
 * if there are none.
 */
bool tp_overlay_roofline(struct tp_picture *picture, const struct tp_overlay *overlay,
			 const char *precision);
/* The curve of a kind (experiment, precision, threads, ISA, kernel, pages) in all runs that have it: like the given point's. */
bool tp_overlay_curve(struct tp_picture *picture, const struct tp_overlay *overlay,
		      const struct tp_point *like);
bool tp_overlay_same_curve(const struct tp_point *a, const struct tp_point *b);

#endif
