/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Node x roof, each tile the speed against the median of the nodes. Of many nodes the slowest and
 * the fastest are shown, and of many roofs those of one instruction set and team.
 */
#include "cluster/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "record/kernel_row.h"
#include "record/roof.h"
#include "report/charts.h"

enum { ROWS_MAX = 20, COLUMNS_MAX = 16, NAME_BYTES = 24 };

/* Speeds of this and less, and of its counterpart and more, have the outermost shades. */
#define LOWEST	0.85
#define HIGHEST 1.05

struct heat {
	const struct tp_run *run;
	const struct tp_node_row *nodes[ROWS_MAX]; /* the slowest last: row 0 is the lowest */
	size_t n_nodes, n_all;
	unsigned points[COLUMNS_MAX];
	size_t n_points;
	const struct tp_roof
		*roof; /* one of the roofs that are the columns; NULL: they are points */
};

static void choose_nodes(struct heat *heat, const struct tp_node_row *const *list, size_t n)
{
	heat->n_all = n;
	heat->n_nodes = TP_MIN(n, (size_t)ROWS_MAX);
	size_t slow = n <= ROWS_MAX ? n : ROWS_MAX - ROWS_MAX / 4;

	for (size_t i = 0; i < heat->n_nodes; i++)
		heat->nodes[heat->n_nodes - 1 - i] =
			i < slow ? list[i] : list[n - heat->n_nodes + i];
}

/* Roofs that people look at first: of most threads, then those below the highest peak. */
static const struct tp_roof *first_roof(const struct tp_run *run)
{
	const struct tp_roof *roofs = tp_run_roofs(run), *best = NULL;

	for (size_t i = 0; i < tp_run_n_roofs(run); i++) {
		const struct tp_roof *r = &roofs[i];

		if (!best || r->threads > best->threads ||
		    (r->threads == best->threads && tp_roof_is_peak(r) > tp_roof_is_peak(best)) ||
		    (r->threads == best->threads && tp_roof_is_peak(r) == tp_roof_is_peak(best) &&
		     r->median > best->median))
			best = r;
	}
	return best;
}

static void choose_points(struct heat *heat)
{
	const struct tp_run *run = heat->run;
	const struct tp_roof *first = first_roof(run);
	size_t step = (run->n_points + COLUMNS_MAX - 1) / COLUMNS_MAX;

	heat->roof = first;
	for (size_t i = 0; first && i < tp_run_n_roofs(run); i++)
		if (tp_roof_is_group(&tp_run_roofs(run)[i], first) && heat->n_points < COLUMNS_MAX)
			heat->points[heat->n_points++] = tp_run_roofs(run)[i].point;
	for (size_t i = 0; !first && i < run->n_points && heat->n_points < COLUMNS_MAX; i += step)
		heat->points[heat->n_points++] = (unsigned)i;
}

/* "L1" of a roof whose level has no other one in the picture, else with its kernel. */
static const char *column_name(struct tp_picture *picture, const struct heat *heat, size_t c)
{
	const struct tp_point *p = tp_run_point(heat->run, heat->points[c]);
	char text[TP_NODE_POINT_BYTES], shown[NAME_BYTES * 4];
	bool alone = heat->roof && p;

	for (size_t i = 0; alone && i < heat->n_points; i++)
		alone = i == c || strcmp(tp_kernel_row(&heat->run->points[heat->points[i]])->level,
					 tp_kernel_row(p)->level) != 0;
	if (alone)
		return tp_picture_text(picture, "%.7s", tp_kernel_row(p)->level);
	tp_node_point_name(heat->run, heat->points[c], text);
	return tp_picture_text(picture, "%s", tp_shown(shown, NAME_BYTES, text, strlen(text)));
}

static size_t add_tiles(struct tp_picture *picture, const struct heat *heat,
			struct tp_chart_tile *tiles)
{
	const struct tp_node_value *values = tp_run_node_values(heat->run);
	size_t n = 0, row = 0;

	for (size_t i = 0; i < tp_run_n_node_values(heat->run); i++) {
		const struct tp_node_value *v = &values[i];

		/* Values of a node stand together. */
		if (i == 0 || strcmp(v->node, values[i - 1].node) != 0)
			for (row = 0; row < heat->n_nodes; row++)
				if (strcmp(heat->nodes[row]->node, v->node) == 0)
					break;
		for (size_t c = 0; c < heat->n_points && row < heat->n_nodes; c++) {
			if (heat->points[c] != v->point || !(v->speed > 0) ||
			    n >= (size_t)ROWS_MAX * COLUMNS_MAX)
				continue;
			double share = (v->speed - LOWEST) / (HIGHEST - LOWEST);

			tiles[n++] = (struct tp_chart_tile){
				.column = c,
				.row = row,
				.tile = { fmax(0, fmin(1, share)), ' ',
					  tp_picture_text(picture, "%.0f", 100 * v->speed) },
				.point = tp_run_point(heat->run, v->point),
			};
		}
	}
	return n;
}

static bool draw(struct tp_picture *picture, const struct heat *heat)
{
	const char *columns[COLUMNS_MAX], *rows[ROWS_MAX];
	struct tp_chart_tile *tiles =
		tp_arena_alloc(&picture->arena, (size_t)ROWS_MAX * COLUMNS_MAX * sizeof(*tiles));
	const char **names =
		tp_arena_alloc(&picture->arena, (COLUMNS_MAX + ROWS_MAX) * sizeof(*names));
	char shown[NAME_BYTES * 4];

	if (!tiles || !names)
		return false;
	for (size_t c = 0; c < heat->n_points; c++)
		columns[c] = column_name(picture, heat, c);
	for (size_t r = 0; r < heat->n_nodes; r++) {
		const char *name = heat->nodes[r]->node;

		rows[r] = tp_picture_text(picture, "%s",
					  tp_shown(shown, NAME_BYTES, name, strlen(name)));
	}
	memcpy(names, columns, heat->n_points * sizeof(*names));
	memcpy(names + COLUMNS_MAX, rows, heat->n_nodes * sizeof(*names));
	struct tp_names x = { names, heat->n_points }, y = { names + COLUMNS_MAX, heat->n_nodes };

	if (!tp_picture_heat(picture, &x, &y, tiles, add_tiles(picture, heat, tiles)))
		return false;
	if (heat->roof) {
		char threads[32];

		picture->scene.title = tp_picture_text(
			picture, "Speed of each node at each roof, %% of the median: %s %s, %s",
			heat->roof->isa, heat->roof->precision,
			tp_text_count(threads, sizeof(threads), heat->roof->threads, "thread"));
	} else {
		picture->scene.title = "Speed of each node at its points, % of the median";
	}
	picture->scene.x.label = heat->roof ? "roof" : "point";
	picture->scene.y.label = "node, the slowest on top";
	picture->tall = heat->n_nodes > ROWS_MAX / 2;
	if (heat->n_nodes < heat->n_all)
		picture->left_out = tp_picture_text(
			picture,
			"%zu of %zu nodes: the slowest and the fastest. nodes.csv has all.",
			heat->n_nodes, heat->n_all);
	return true;
}

bool tp_node_pictures(const struct tp_run *run, const struct tp_gallery *gallery)
{
	struct heat heat = { .run = run };
	size_t n = 0;

	if (!tp_run_n_nodes(run) || !tp_run_n_node_values(run))
		return true;
	const struct tp_node_row **list = tp_nodes_by_speed(run, &n);
	struct tp_picture *picture = list ? tp_picture_new() : NULL;
	bool good = picture != NULL;

	if (good && n > 1) {
		choose_nodes(&heat, list, n);
		choose_points(&heat);
		if (heat.n_points && draw(picture, &heat))
			gallery->hang(gallery->context, picture);
	}
	tp_picture_free(picture);
	free(list);
	return good;
}
