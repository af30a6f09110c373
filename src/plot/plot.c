/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shades and words of tiles and bars. */
#include "plot/plot.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "base/memory.h"

const double tp_tile_shade_from[TP_TILE_SHADES] = { 0, 0.5, 0.7, 0.85, 0.95, 0.99 };

unsigned tp_tile_shade(double share)
{
	unsigned shade = 0;
	while (shade + 1 < TP_TILE_SHADES && share >= tp_tile_shade_from[shade + 1])
		shade++;
	return shade;
}

enum tp_plot_role tp_tile_role(const struct tp_tile *tile)
{
	if (tile->mark == '*')
		return TP_ROLE_HEAT_BEST;
	return isnan(tile->share)
		       ? TP_ROLE_AXIS
		       : (enum tp_plot_role)(TP_ROLE_HEAT_0 + tp_tile_shade(tile->share));
}

/* In one or two columns. */
static char letter_of(const struct tp_tile *tile, unsigned percent)
{
	if (tile->mark == '.' || tile->mark == '*')
		return tile->mark;
	return isnan(tile->share) ? tile->mark : (char)('0' + percent / 10);
}

const char *tp_tile_words(const struct tp_tile *tile, int columns, char out[TP_TILE_BYTES])
{
	bool best = tile->mark == '*', empty = isnan(tile->share) && !best;
	/* Only the best is 100: what rounds to it is not. */
	unsigned percent = isnan(tile->share) ? 0u : TP_MIN((unsigned)(100 * tile->share), 99u);
	if (tile->text && (int)tp_cell_columns(tile->text) + 2 <= columns)
		snprintf(out, TP_TILE_BYTES, "%s%c", tile->text, tile->mark);
	else if (columns <= 2)
		snprintf(out, TP_TILE_BYTES, "%c", letter_of(tile, percent));
	else if (columns == 3 && best)
		snprintf(out, TP_TILE_BYTES, "**");
	else if (columns == 3 && empty)
		snprintf(out, TP_TILE_BYTES, " %c", tile->mark);
	else if (columns == 3)
		snprintf(out, TP_TILE_BYTES, "%2u", percent);
	else if (empty)
		snprintf(out, TP_TILE_BYTES, "  %c ", tile->mark);
	else
		snprintf(out, TP_TILE_BYTES, "%3u%c", best ? 100u : percent, tile->mark);
	return out;
}

const char *tp_tile_legend(int columns)
{
	if (columns <= 2)
		return "tenths of the best; * best, ~ under way, x failed";
	if (columns == 3)
		return "percent of the best; ** best, ~ under way, x failed";
	return "percent of the best; * best, - cut off early, ~ under way, x failed";
}
