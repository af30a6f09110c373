/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Node x roof, each tile the speed against the median of the nodes. Where the nodes are too many
 * for rows of their own, those that differ have one each, and the others are folded: a row for so
 * many that follow each other by speed. Columns are the roofs of one instruction set and team; of a
 * run without roofs the plateaus of its curves, or else some of its points.
 */
#include "cluster/heat_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/outliers.h"
#include "analysis/stats.h"
#include "base/memory.h"
#include "report/pictures.h"
#include "plot/plot.h"

/* The speed from which on each shade holds: what is like the median has one. */
static const double shade_from[TP_TILE_SHADES] = { 0, 0.8, 0.88, 0.95, 0.98, 1.02 };

/* --- tiles --- */

/* What the nodes of the list have at each column. */
struct speeds {
	double *speed; /* nodes x columns; NaN = unknown */
	bool *odd; /* as many: a value there differs */
};

static int by_name(const void *a, const void *b)
{
	const struct tp_node_row *const *x = a, *const *y = b;

	return strcmp((*x)->node, (*y)->node);
}

/* The speeds of a node, of which the n values are: the median of each column. */
static void take_node(const struct tp_node_heat *heat, struct speeds *speeds, size_t node,
		      const struct tp_node_value *values, size_t n, double *room)
{
	for (size_t c = 0; c < heat->n_columns; c++) {
		size_t at = node * heat->n_columns + c, got = 0;

		for (size_t i = 0; i < n; i++) {
			if (values[i].point >= heat->run->n_points || !(values[i].speed > 0) ||
			    heat->column_of[values[i].point] != (int)c)
				continue;
			room[got++] = values[i].speed;
			speeds->odd[at] |= values[i].outlier != TP_OUTLIER_NONE;
		}
		tp_sort_doubles(room, got);
		speeds->speed[at] = got ? tp_median_sorted(room, got) : NAN;
	}
}

/* Values of a node stand together. */
static bool take_speeds(const struct tp_node_heat *heat, struct speeds *speeds)
{
	const struct tp_node_value *values = tp_run_node_values(heat->run);
	size_t n = tp_run_n_node_values(heat->run), end;
	const struct tp_node_row **names = malloc(heat->n_list * sizeof(*names));
	size_t *place = malloc(tp_run_n_nodes(heat->run) * sizeof(*place)); /* in the list */
	double *room = malloc((n + 1) * sizeof(*room));
	bool good = names && place && room;

	for (size_t i = 0; i < heat->n_list * heat->n_columns; i++)
		speeds->speed[i] = NAN;
	if (good) {
		memcpy(names, heat->list, heat->n_list * sizeof(*names));
		qsort(names, heat->n_list, sizeof(*names), by_name);
		for (size_t i = 0; i < heat->n_list; i++)
			place[heat->list[i] - tp_run_nodes(heat->run)] = i;
	}
	for (size_t i = 0; good && i < n; i = end) {
		struct tp_node_row wanted;
		const struct tp_node_row *key = &wanted, *const * found;

		memcpy(wanted.node, values[i].node, sizeof(wanted.node));
		for (end = i + 1; end < n && strcmp(values[end].node, values[i].node) == 0;)
			end++;
		found = bsearch(&key, names, heat->n_list, sizeof(*names), by_name);
		if (found)
			take_node(heat, speeds, place[*found - tp_run_nodes(heat->run)], values + i,
				  end - i, room);
	}
	free(names);
	free(place);
	free(room);
	return good;
}

/* What the nodes of a row have in the middle; NaN: unknown. */
static double middle_of(const struct tp_node_heat *heat, const struct speeds *speeds,
			const struct tp_heat_row *row, size_t column, double *room, bool *odd)
{
	size_t n = 0;

	*odd = false;
	for (size_t i = row->from; i < row->from + row->n; i++) {
		double speed = speeds->speed[i * heat->n_columns + column];

		if (!isnan(speed))
			room[n++] = speed;
		*odd |= row->n == 1 && speeds->odd[i * heat->n_columns + column];
	}
	tp_sort_doubles(room, n);
	return n ? tp_median_sorted(room, n) : NAN;
}

static double share_of(double speed)
{
	unsigned shade = 0;

	while (shade + 1 < TP_TILE_SHADES && speed >= shade_from[shade + 1])
		shade++;
	return tp_tile_shade_from[shade];
}

static size_t add_tiles(struct tp_picture *picture, const struct tp_node_heat *heat,
			const struct speeds *speeds, struct tp_chart_tile *tiles)
{
	double *room = malloc((heat->n_list + 1) * sizeof(*room));
	size_t n = 0;
	bool odd;

	for (size_t r = 0; room && r < heat->n_rows; r++)
		for (size_t c = 0; c < heat->n_columns; c++) {
			const struct tp_heat_column *column = &heat->columns[c];
			double speed = middle_of(heat, speeds, &heat->rows[r], c, room, &odd);

			if (isnan(speed))
				continue;
			tiles[n++] = (struct tp_chart_tile){
				.column = c,
				.row = heat->n_rows - 1 - r,
				.tile = { share_of(speed), ' ',
					  tp_picture_text(picture, "%.0f%s", 100 * speed,
							  odd ? "!" : "") },
				.point = column->plateau ? NULL : &heat->run->points[column->point],
			};
		}
	free(room);
	return n;
}

static void entitle(struct tp_picture *picture, const struct tp_node_heat *heat, bool odd)
{
	char threads[32];

	if (heat->roof)
		picture->scene.title = tp_picture_text(
			picture, "Speed of each node at each roof, %% of the median: %s %s, %s",
			heat->roof->isa, heat->roof->precision,
			tp_text_count(threads, sizeof(threads), heat->roof->threads, "thread"));
	else
		picture->scene.title = "Speed of each node, % of the median";
	picture->scene.x.label = heat->roof		    ? "roof"
				 : heat->columns[0].plateau ? "plateau of the curves"
							    : "point";
	picture->scene.y.label = "node, the slowest on top";
	picture->tall = heat->n_rows > TP_HEAT_ROWS / 2;
	if (heat->n_rows < heat->n_list)
		picture->left_out = tp_picture_text(
			picture,
			"A row of several nodes shows the median of theirs; nodes.csv has each of "
			"the %zu.%s",
			heat->n_list, odd ? " A value with ! differs by more than chance." : "");
	else if (odd)
		picture->left_out = "A value with ! differs by more than chance.";
}

static bool draw(struct tp_picture *picture, const struct tp_node_heat *heat,
		 const struct speeds *speeds)
{
	struct tp_chart_tile *tiles = tp_arena_alloc(
		&picture->arena, (size_t)TP_HEAT_ROWS * TP_HEAT_COLUMNS * sizeof(*tiles));
	const char **names =
		tp_arena_alloc(&picture->arena, (TP_HEAT_COLUMNS + TP_HEAT_ROWS) * sizeof(*names));

	if (!tiles || !names)
		return false;
	for (size_t c = 0; c < heat->n_columns; c++)
		names[c] = tp_heat_column_name(picture, heat, c);
	for (size_t r = 0; r < heat->n_rows; r++)
		names[TP_HEAT_COLUMNS + heat->n_rows - 1 - r] = tp_heat_row_name(picture, heat, r);
	struct tp_names x = { names, heat->n_columns },
			y = { names + TP_HEAT_COLUMNS, heat->n_rows };

	size_t n = add_tiles(picture, heat, speeds, tiles);
	bool odd = false;

	for (size_t i = 0; i < n; i++)
		odd |= strchr(tiles[i].tile.text, '!') != NULL;
	if (!tp_picture_heat(picture, &x, &y, tiles, n))
		return false;
	entitle(picture, heat, odd);
	return true;
}

bool tp_node_pictures(const struct tp_run *run, const struct tp_gallery *gallery)
{
	struct tp_node_heat heat = { .run = run };
	struct speeds speeds;

	if (!tp_run_n_nodes(run) || !tp_run_n_node_values(run) || !run->n_points)
		return true;
	struct tp_picture *picture = tp_picture_new();

	heat.list = tp_nodes_by_speed(run, &heat.n_list);
	heat.column_of = malloc(run->n_points * sizeof(*heat.column_of));
	speeds.speed = malloc((heat.n_list + 1) * TP_HEAT_COLUMNS * sizeof(*speeds.speed));
	speeds.odd = calloc((heat.n_list + 1) * TP_HEAT_COLUMNS, sizeof(*speeds.odd));
	bool good = picture && heat.list && heat.column_of && speeds.speed && speeds.odd;

	if (good && heat.n_list > 1) {
		tp_heat_choose(&heat, gallery->columns);
		good = !heat.n_columns || take_speeds(&heat, &speeds);
		if (good && heat.n_columns && draw(picture, &heat, &speeds))
			gallery->hang(gallery->context, picture);
	}
	tp_picture_free(picture);
	free(heat.list);
	free(heat.column_of);
	free(speeds.speed);
	free(speeds.odd);
	return good;
}
