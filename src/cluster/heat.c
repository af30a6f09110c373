/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Node x roof, each tile the speed against the median of the nodes. If there are too many nodes for
 * a row each, those that differ have their own rows, and the others are folded: a row for several
 * neighbours in the order of speed. Columns are the roofs of one instruction set and team; of a run
 * without roofs the plateaus of its curves, or else some of its points.
 */
#include "cluster/heat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/outliers.h"
#include "analysis/stats.h"
#include "base/memory.h"
#include "cluster/tables.h"
#include "plot/plot.h"
#include "record/point.h"
#include "record/roof.h"
#include "report/pictures.h"

enum { ROWS_MAX = 20, COLUMNS_MAX = 16 };

/* Nodes that follow each other by speed. */
struct heat_row {
	size_t from, n; /* in the list by speed */
};

struct heat_column {
	unsigned point; /* the first one */
	const struct tp_plateau *plateau; /* of all points of it; NULL: of that point */
};

struct heat {
	const struct tp_run *run;
	const struct tp_node_row **list; /* by speed, slowest first */
	size_t n_list;
	struct heat_row rows[ROWS_MAX]; /* slowest first */
	size_t n_rows;
	struct heat_column columns[COLUMNS_MAX];
	size_t n_columns, most; /* there are, have room */
	const struct tp_roof *roof; /* one of the roofs that are the columns; NULL: no roofs */
	int *column_of; /* of each point; -1 = none */
	double *speed; /* nodes of the list x columns; NaN = unknown */
	bool *odd; /* as many: a value there differs */
};

/* A column is as wide as "100!" with a blank on each side. */
enum { COLUMN_CELLS = 7, AXIS_CELLS = 4, NAME_BYTES = 24 };

/* Rows of each kind where not every node has one. */
enum { SLOW_ROWS = 10, LIKE_ROWS = 6, FAST_ROWS = 4 };

/* --- rows --- */

/* Nodes from..from + n in at most `most` rows: `alone` of them, then equal parts. */
static void add_rows(struct heat *heat, size_t from, size_t n, size_t most, size_t alone)
{
	size_t end = from + n;

	if (n <= most)
		alone = most = n;
	for (size_t part; most > 0; most--, from += part) {
		part = alone ? 1 : (end - from + most - 1) / most;
		alone -= alone > 0;
		heat->rows[heat->n_rows++] = (struct heat_row){ from, part };
	}
}

static void choose_rows(struct heat *heat)
{
	size_t n = heat->n_list, slow = 0, fast = 0;

	while (slow < n && heat->list[slow]->outlier == TP_OUTLIER_SLOW)
		slow++;
	while (slow + fast < n && heat->list[n - 1 - fast]->outlier == TP_OUTLIER_FAST)
		fast++;
	if (n <= ROWS_MAX) {
		add_rows(heat, 0, n, n, n);
		return;
	}
	add_rows(heat, 0, slow, SLOW_ROWS, SLOW_ROWS - 1);
	add_rows(heat, slow, n - slow - fast, LIKE_ROWS, 0);
	add_rows(heat, n - fast, fast, FAST_ROWS, FAST_ROWS - 1);
}

/* The axes' names, in the picture's arena. */
static const char *row_name(struct tp_picture *picture, const struct heat *heat, size_t number)
{
	const struct heat_row *row = &heat->rows[number];
	const struct tp_node_row *first = heat->list[row->from];
	char shown[NAME_BYTES * 4];

	if (row->n > 1)
		return tp_picture_text(picture, "%zu nodes, %.1f %%", row->n,
				       100 * heat->list[row->from + row->n / 2]->speed);
	return tp_picture_text(picture, "%s",
			       tp_shown(shown, NAME_BYTES, first->node, strlen(first->node)));
}

/* --- columns --- */

/* Roofs in the order of interest: of most threads, then those below the highest peak. */
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

static bool add_column(struct heat *heat, unsigned point, const struct tp_plateau *plateau)
{
	if (heat->n_columns == heat->most || point >= heat->run->n_points)
		return false;
	heat->column_of[point] = (int)heat->n_columns;
	heat->columns[heat->n_columns++] = (struct heat_column){ point, plateau };
	return true;
}

static bool is_on(const struct tp_plateau *plateau, const struct tp_point *point)
{
	const struct tp_kernel_row *k = tp_kernel_row(point);

	return point->run == plateau->run && point->threads == plateau->threads &&
	       strcmp(k->isa, plateau->isa) == 0 && strcmp(k->precision, plateau->precision) == 0 &&
	       strcmp(point->kernel, plateau->kernel) == 0 &&
	       strcmp(k->pages_wanted, plateau->pages_wanted) == 0 &&
	       k->working_set_bytes >= plateau->from_bytes &&
	       k->working_set_bytes <= plateau->to_bytes;
}

static void add_plateau(struct heat *heat, const struct tp_plateau *plateau)
{
	const struct tp_run *run = heat->run;
	bool begun = false;

	for (size_t i = 0; i < run->n_points; i++) {
		if (!is_on(plateau, &run->points[i]))
			continue;
		if (begun)
			heat->column_of[i] = (int)heat->n_columns - 1;
		else if (!(begun = add_column(heat, (unsigned)i, plateau)))
			return;
	}
}

static void choose_columns(struct heat *heat)
{
	const struct tp_run *run = heat->run;
	const struct tp_roof *roofs = tp_run_roofs(run);
	const struct tp_plateau *plateaus = tp_run_plateaus(run);
	unsigned threads = 0;

	heat->roof = first_roof(run);
	for (size_t i = 0; heat->roof && i < tp_run_n_roofs(run); i++)
		if (tp_roof_is_group(&roofs[i], heat->roof))
			add_column(heat, roofs[i].point, NULL);
	for (size_t i = 0; !heat->roof && i < tp_run_n_plateaus(run); i++)
		threads = TP_MAX(threads, plateaus[i].threads);
	for (size_t i = 0; !heat->roof && i < tp_run_n_plateaus(run); i++)
		if (plateaus[i].threads == threads)
			add_plateau(heat, &plateaus[i]);
	size_t step = (run->n_points + heat->most - 1) / heat->most;

	for (size_t i = 0; !heat->roof && !threads && i < run->n_points; i += step)
		add_column(heat, (unsigned)i, NULL);
}

/* "L1", then what distinguishes it from the others. */
static const char *plateau_name(struct tp_picture *picture, const struct heat *heat,
				const struct tp_plateau *p)
{
	bool kernels = false, pages = false, isas = false;

	for (size_t i = 0; i < heat->n_columns; i++) {
		const struct tp_plateau *o = heat->columns[i].plateau;

		kernels |= strcmp(o->kernel, p->kernel) != 0;
		pages |= strcmp(o->pages_wanted, p->pages_wanted) != 0;
		isas |= strcmp(o->isa, p->isa) != 0;
	}
	return tp_picture_text(picture, "%.7s%s%.24s%s%.16s%s%.16s", p->level, isas ? " " : "",
			       isas ? p->isa : "", kernels ? " " : "", kernels ? p->kernel : "",
			       pages ? " " : "", pages ? p->pages_wanted : "");
}

/* "L1" of a roof whose level has no other one in the picture, else with its kernel. */
static const char *column_name(struct tp_picture *picture, const struct heat *heat, size_t c)
{
	const struct tp_point *p = &heat->run->points[heat->columns[c].point];
	char text[TP_NODE_POINT_BYTES], shown[NAME_BYTES * 4];
	bool alone = heat->roof;

	if (heat->columns[c].plateau)
		return plateau_name(picture, heat, heat->columns[c].plateau);
	for (size_t i = 0; alone && i < heat->n_columns; i++)
		alone = i == c ||
			strcmp(tp_kernel_row(&heat->run->points[heat->columns[i].point])->level,
			       tp_kernel_row(p)->level) != 0;
	if (alone)
		return tp_picture_text(picture, "%.7s", tp_kernel_row(p)->level);
	tp_node_point_name(heat->run, heat->columns[c].point, text);
	return tp_picture_text(picture, "%s", tp_shown(shown, NAME_BYTES, text, strlen(text)));
}

/* As many columns as fit with their values beside the names. */
static size_t most_columns(const struct heat *heat, size_t cells)
{
	size_t longest = 0, room;

	for (size_t i = 0; i < heat->n_rows; i++)
		longest = TP_MAX(longest, heat->rows[i].n > 1
						  ? strlen("1000 nodes, 100.0 %")
						  : strlen(heat->list[heat->rows[i].from]->node));
	longest = TP_MIN(longest, (size_t)NAME_BYTES) + AXIS_CELLS;
	room = cells > longest ? (cells - longest) / COLUMN_CELLS : 0;
	return TP_MIN(TP_MAX(room, 1u), (size_t)COLUMNS_MAX);
}

/* The lower limit of speed of each shade: the median has its own. */
static const double shade_from[TP_TILE_SHADES] = { 0, 0.8, 0.88, 0.95, 0.98, 1.02 };

/* --- tiles --- */

/* The speeds of a node from its n values: the median of each column. */
static void take_node(const struct heat *heat, size_t node, const struct tp_node_value *values,
		      size_t n, double *room)
{
	for (size_t c = 0; c < heat->n_columns; c++) {
		size_t at = node * heat->n_columns + c, got = 0;

		for (size_t i = 0; i < n; i++) {
			if (values[i].point >= heat->run->n_points || !(values[i].speed > 0) ||
			    heat->column_of[values[i].point] != (int)c)
				continue;
			room[got++] = values[i].speed;
			heat->odd[at] |= values[i].outlier != TP_OUTLIER_NONE;
		}
		tp_sort_doubles(room, got);
		heat->speed[at] = got ? tp_median_sorted(room, got) : NAN;
	}
}

/* Values of a node stand together. */
static void take_speeds(const struct heat *heat)
{
	const struct tp_node_value *values = tp_run_node_values(heat->run);
	size_t n = tp_run_n_node_values(heat->run), end;
	TP_FREE const struct tp_node_row **names = tp_alloc(heat->n_list, sizeof(*names));
	TP_FREE size_t *place =
		tp_alloc(tp_run_n_nodes(heat->run), sizeof(*place)); /* in the list */
	TP_FREE double *room = tp_alloc(n + 1, sizeof(*room));

	for (size_t i = 0; i < heat->n_list * heat->n_columns; i++)
		heat->speed[i] = NAN;
	memcpy(names, heat->list, heat->n_list * sizeof(*names));
	qsort(names, heat->n_list, sizeof(*names), tp_nodes_by_name);
	for (size_t i = 0; i < heat->n_list; i++)
		place[heat->list[i] - tp_run_nodes(heat->run)] = i;
	for (size_t i = 0; i < n; i = end) {
		struct tp_node_row wanted;
		const struct tp_node_row *key = &wanted, *const * found;

		memcpy(wanted.node, values[i].node, sizeof(wanted.node));
		for (end = i + 1; end < n && strcmp(values[end].node, values[i].node) == 0;)
			end++;
		found = bsearch(&key, names, heat->n_list, sizeof(*names), tp_nodes_by_name);
		if (found)
			take_node(heat, place[*found - tp_run_nodes(heat->run)], values + i,
				  end - i, room);
	}
}

/* What the nodes of a row have in the middle; NaN: unknown. */
static double middle_of(const struct heat *heat, const struct heat_row *row, size_t column,
			double *room, bool *odd)
{
	size_t n = 0;

	*odd = false;
	for (size_t i = row->from; i < row->from + row->n; i++) {
		double speed = heat->speed[i * heat->n_columns + column];

		if (!isnan(speed))
			room[n++] = speed;
		*odd |= row->n == 1 && heat->odd[i * heat->n_columns + column];
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

static size_t add_tiles(struct tp_picture *picture, const struct heat *heat,
			struct tp_chart_tile *tiles)
{
	TP_FREE double *room = tp_alloc(heat->n_list + 1, sizeof(*room));
	size_t n = 0;
	bool odd;

	for (size_t r = 0; r < heat->n_rows; r++)
		for (size_t c = 0; c < heat->n_columns; c++) {
			const struct heat_column *column = &heat->columns[c];
			double speed = middle_of(heat, &heat->rows[r], c, room, &odd);

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
	return n;
}

static void entitle(struct tp_picture *picture, const struct heat *heat, bool odd)
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
	picture->tall = heat->n_rows > ROWS_MAX / 2;
	if (heat->n_rows < heat->n_list)
		picture->left_out = tp_picture_text(
			picture,
			"A row of several nodes shows the median of theirs; nodes.csv has each of "
			"the %zu.%s",
			heat->n_list, odd ? " A value with ! differs by more than chance." : "");
	else if (odd)
		picture->left_out = "A value with ! differs by more than chance.";
}

static bool draw(struct tp_picture *picture, const struct heat *heat)
{
	struct tp_chart_tile *tiles =
		tp_arena_alloc(&picture->arena, (size_t)ROWS_MAX * COLUMNS_MAX * sizeof(*tiles));
	const char **names =
		tp_arena_alloc(&picture->arena, (COLUMNS_MAX + ROWS_MAX) * sizeof(*names));

	for (size_t c = 0; c < heat->n_columns; c++)
		names[c] = column_name(picture, heat, c);
	for (size_t r = 0; r < heat->n_rows; r++)
		names[COLUMNS_MAX + heat->n_rows - 1 - r] = row_name(picture, heat, r);
	struct tp_names x = { names, heat->n_columns }, y = { names + COLUMNS_MAX, heat->n_rows };

	size_t n = add_tiles(picture, heat, tiles);
	bool odd = false;

	for (size_t i = 0; i < n; i++)
		odd |= strchr(tiles[i].tile.text, '!') != NULL;
	if (!tp_picture_heat(picture, &x, &y, tiles, n))
		return false;
	entitle(picture, heat, odd);
	return true;
}

void tp_node_pictures(const struct tp_run *run, const struct tp_gallery *gallery)
{
	if (!tp_run_n_nodes(run) || !tp_run_n_node_values(run) || !run->n_points)
		return;
	size_t n;
	TP_FREE const struct tp_node_row **list = tp_nodes_by_speed(run, &n);
	TP_FREE int *column_of = tp_alloc(run->n_points, sizeof(*column_of));
	struct heat heat = { .run = run, .list = list, .n_list = n, .column_of = column_of };

	if (n < 2)
		return;
	memset(column_of, -1, run->n_points * sizeof(*column_of));
	choose_rows(&heat);
	heat.most = most_columns(&heat, gallery->columns);
	choose_columns(&heat);
	if (!heat.n_columns)
		return;
	TP_FREE double *speed = tp_alloc(n * COLUMNS_MAX, sizeof(*speed));
	TP_FREE bool *odd = tp_alloc(n * COLUMNS_MAX, sizeof(*odd));
	struct tp_picture *picture = tp_picture_new();

	heat.speed = speed;
	heat.odd = odd;
	take_speeds(&heat);
	tp_gallery_hang(gallery, picture, draw(picture, &heat));
}
