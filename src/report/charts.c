/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/charts.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define ROOM_FOR_VALUES 1.3 /* the axis is so much longer than the longest bar */

static void finish(struct tp_picture *picture)
{
	picture->scene.series = picture->series;
	picture->scene.n_series = picture->n_series;
}

/* Those of a row, or all; false when out of memory or of series. */
static bool add_tiles(struct tp_picture *picture, const struct tp_chart_tile *tiles, size_t n,
		      size_t row, bool all)
{
	size_t used = 0;
	double *x, *y;
	struct tp_series *s = tp_picture_series(picture, n, &x, &y);
	struct tp_tile *own = tp_arena_alloc(&picture->arena, (n + 1) * sizeof(*own));
	const struct tp_point **points =
		tp_arena_alloc(&picture->arena, (n + 1) * sizeof(const struct tp_point *));
	bool pointed = true;
	if (!s || !own || !points)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!all && tiles[i].row != row)
			continue;
		x[used] = (double)tiles[i].column;
		y[used] = (double)tiles[i].row;
		points[used] = tiles[i].point;
		pointed &= tiles[i].point != NULL;
		own[used++] = tiles[i].tile;
	}
	s->n = used;
	s->style = TP_STYLE_TILES;
	s->role = TP_ROLE_SERIES_0;
	s->tiles = own;
	if (pointed)
		*tp_picture_origin(picture, s) =
			(struct tp_origin){ .reads = TP_READS_POINTS, .points = points };
	if (!used)
		picture->n_series--;
	return true;
}

bool tp_picture_heat(struct tp_picture *picture, const struct tp_names *columns,
		     const struct tp_names *rows, const struct tp_chart_tile *tiles, size_t n)
{
	/* A series a row, so that the cursor goes up and down. */
	bool all = rows->n > TP_PICTURE_SERIES;
	for (size_t row = 0; row < (all ? 1 : rows->n); row++)
		if (!add_tiles(picture, tiles, n, row, all))
			return false;
	picture->scene = (struct tp_scene){
		.x = { .unit = TP_UNIT_NAMES },
		.y = { .unit = TP_UNIT_NAMES },
		.x_names = *columns,
		.y_names = *rows,
	};
	finish(picture);
	return picture->n_series > 0;
}

static enum tp_plot_role role_of_group(const struct tp_chart_bar *bars, size_t i)
{
	unsigned number = 0;
	for (size_t k = 0; bars[i].group && k < i; k++) {
		bool first = true;
		if (!bars[k].group || strcmp(bars[k].group, bars[i].group) == 0)
			break;
		for (size_t j = 0; j < k && first; j++)
			first = strcmp(bars[j].group, bars[k].group) != 0;
		number += first;
	}
	return (enum tp_plot_role)(TP_ROLE_SERIES_0 + number % 6);
}

bool tp_picture_bars(struct tp_picture *picture, const struct tp_chart_bar *bars, size_t n,
		     const char *unit)
{
	const char **names;
	double most = 0;
	n = TP_MIN(n, (size_t)TP_CHART_BARS);
	names = tp_arena_alloc(&picture->arena, (n + 1) * sizeof(*names));
	for (size_t i = 0; names && i < n; i++) {
		double *x, *y, *ends = tp_arena_alloc(&picture->arena, 2 * sizeof(*ends));
		struct tp_series *s = tp_picture_series(picture, 1, &x, &y);
		struct tp_tile *tile = tp_arena_alloc(&picture->arena, sizeof(*tile));
		const struct tp_point **point =
			tp_arena_alloc(&picture->arena, sizeof(const struct tp_point *));
		if (!s || !ends || !tile || !point)
			return false;
		x[0] = bars[i].value;
		y[0] = (double)(n - 1 - i);
		*tile = (struct tp_tile){ 1, bars[i].best ? '*' : ' ', bars[i].text };
		ends[0] = bars[i].low;
		ends[1] = bars[i].high;
		names[n - 1 - i] = bars[i].name;
		s->label = bars[i].group;
		s->style = TP_STYLE_BARS;
		s->role = role_of_group(bars, i);
		s->tiles = tile;
		if (bars[i].low > 0) {
			s->low = &ends[0];
			s->high = &ends[1];
		}
		*point = bars[i].point;
		if (bars[i].point)
			*tp_picture_origin(picture, s) =
				(struct tp_origin){ .reads = TP_READS_POINTS, .points = point };
		most = fmax(most, bars[i].value);
	}
	picture->scene = (struct tp_scene){
		.x = { .min = 0, .max = most * ROOM_FOR_VALUES, .label = unit },
		.y = { .unit = TP_UNIT_NAMES },
		.y_names = { names, n },
	};
	finish(picture);
	return most > 0;
}
