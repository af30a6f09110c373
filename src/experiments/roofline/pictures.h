/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rooflines of a run, and of several runs on each other, as scenes. */
#ifndef TPROF_EXPERIMENTS_ROOFLINE_PICTURES_H
#define TPROF_EXPERIMENTS_ROOFLINE_PICTURES_H

#include "report/pictures.h"

/*
 * The roofline of a run of the preset and a precision: the most threads, the widest ISA with all
 * its roofs, of the other ISAs their outline as far as there is room (`columns` x `rows`), theory
 * dashed, ridges marked, dots. False if there is nothing to draw.
 */
bool tp_picture_roofline(struct tp_picture *picture, const struct tp_run *run, unsigned index,
			 const char *precision, size_t columns, size_t rows);

/* The ISA whose roofs that picture draws in full with so many threads; NULL if there are none. */
const char *tp_roofline_isa(const struct tp_run *run, unsigned index, unsigned threads,
			    const char *precision);

/*
 * The roofs of all runs in a precision, each run's own view (its first run of the preset that has
 * them, most threads, widest ISA). False if there are none.
 */
bool tp_overlay_roofline(struct tp_picture *picture, const struct tp_overlay *overlay,
			 const char *precision);

#endif
