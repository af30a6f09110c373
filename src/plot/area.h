/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where tiles and bars lie in a laid out picture. Private to the room. */
#ifndef TPROF_PLOT_AREA_H
#define TPROF_PLOT_AREA_H

#include "plot/layout.h"
#include "plot/tiles.h"

/*
 * The place of tile or bar i of a series; in cells whole ones, but for the length of a bar. False:
 * nothing of it is in sight.
 */
bool tp_area_rect(const struct tp_layout *layout, const struct tp_series *series, size_t i,
		  struct tp_rect *rect);

#endif
