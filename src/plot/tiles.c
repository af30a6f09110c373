/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/text.h"
#include "base/vec.h"
#include "plot/area.h"
#include "plot/place.h"
#include "plot/tiles.h"

#include <math.h>
#include <stdio.h>

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
		return "tenths of the best; * best, ~ under way, x failed, . untried";
	if (columns == 3)
		return "percent of the best; ** best, ~ under way, x failed, . untried";
	return "percent of the best; * best, - cut off early, ~ under way, x failed, . untried";
}

/* --- where they lie --- */

/* A thicker bar says no more. */
enum { ROWS_MOST = 3, PX_MOST = 36 };

/* Along an axis of this length, 0 at its lower end; whole units in cells. */
static double along(const struct tp_scale *scale, double value, double length, bool whole)
{
	double place = tp_scale_place(scale, value);
	place = isnan(place) ? 0 : fmin(fmax(place, 0), 1);
	return whole ? floor(place * length + 1e-6) : place * length;
}

bool tp_area_rect(const struct tp_layout *layout, const struct tp_series *s, size_t i,
		  struct tp_rect *rect)
{
	const struct tp_rect *plot = &layout->plot;
	bool bar = s->style == TP_STYLE_BARS, whole = layout->medium->whole;
	double low = along(&layout->y, s->y[i] - 0.5, plot->height, whole);
	double high = along(&layout->y, s->y[i] + 0.5, plot->height, whole);
	double from = along(&layout->x, bar ? 0 : s->x[i] - 0.5, plot->width, whole);
	double to = along(&layout->x, bar ? s->x[i] : s->x[i] + 0.5, plot->width, whole && !bar);
	if (isnan(s->x[i]) || !(high > low) || (!bar && !(to > from)))
		return false;
	if (bar) {
		/* A third of the height parts bars, where there is more than one row. */
		double thick = (high - low) * 2 / 3;
		thick = whole ? fmin(fmax(floor(thick + 0.5), 1), ROWS_MOST) : fmin(thick, PX_MOST);
		double above = (high - low - thick) / 2, x, y;
		/* Its middle row is that of its tick. */
		if (whole && tp_layout_point(layout, layout->x.min, s->y[i], &x, &y))
			above = fmax(y - floor((thick - 1) / 2) - (plot->y + plot->height - high),
				     0);
		high -= fmin(above, high - low - thick);
		low = high - thick;
	}
	*rect = (struct tp_rect){ plot->x + from, plot->y + plot->height - high, to - from,
				  high - low };
	return true;
}
