/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tiles of heat maps and bars: shades, words, and where they lie. */
#ifndef TPROF_PLOT_TILES_H
#define TPROF_PLOT_TILES_H

#include "plot/plot.h"

enum { TP_TILE_SHADES = 6, TP_TILE_BYTES = 64 };

/* The share of the best from which on each shade holds, rising. */
extern const double tp_tile_shade_from[TP_TILE_SHADES];
/* 0 .. TP_TILE_SHADES - 1. */
unsigned tp_tile_shade(double share);
/* TP_ROLE_HEAT_...; TP_ROLE_AXIS for a tile without a value. */
enum tp_plot_role tp_tile_role(const struct tp_tile *tile);

/*
 * What a tile says in `columns`, without the blank that parts tiles: its text where that fits, else
 * its percent of the best with a mark (4 and more), its percent (3), or a digit of tenths (1, 2).
 * Pure ASCII where the text is. Returns out.
 */
const char *tp_tile_words(const struct tp_tile *tile, int columns, char out[TP_TILE_BYTES]);
/* What percents, digits and marks mean in so many columns. */
const char *tp_tile_legend(int columns);

#endif
