/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cluster/heat_parts.h"

#include <string.h>

#include "analysis/outliers.h"
#include "base/memory.h"
#include "record/point.h"

/* A column is as wide as "100!" with a blank on each side. */
enum { COLUMN_CELLS = 7, AXIS_CELLS = 4, NAME_BYTES = 24 };
/* Rows of each kind where not every node has one. */
enum { SLOW_ROWS = 10, LIKE_ROWS = 6, FAST_ROWS = 4 };

/* --- rows --- */

static void add_row(struct tp_node_heat *heat, size_t from, size_t n)
{
	if (n && heat->n_rows < TP_HEAT_ROWS)
		heat->rows[heat->n_rows++] = (struct tp_heat_row){ from, n };
}

/* Nodes from..from + n in at most `most` rows: `alone` of them, then equal parts. */
static void add_rows(struct tp_node_heat *heat, size_t from, size_t n, size_t most, size_t alone)
{
	size_t end = from + n;

	if (n <= most)
		alone = most = n;
	for (; alone > 0; alone--, most--)
		add_row(heat, from++, 1);
	for (; most > 0; most--) {
		size_t part = (end - from + most - 1) / most;

		add_row(heat, from, part);
		from += part;
	}
}

static void choose_rows(struct tp_node_heat *heat)
{
	size_t n = heat->n_list, slow = 0, fast = 0;

	while (slow < n && heat->list[slow]->outlier == TP_OUTLIER_SLOW)
		slow++;
	while (slow + fast < n && heat->list[n - 1 - fast]->outlier == TP_OUTLIER_FAST)
		fast++;
	if (n <= TP_HEAT_ROWS) {
		add_rows(heat, 0, n, n, n);
		return;
	}
	add_rows(heat, 0, slow, SLOW_ROWS, SLOW_ROWS - 1);
	add_rows(heat, slow, n - slow - fast, LIKE_ROWS, 0);
	add_rows(heat, n - fast, fast, FAST_ROWS, FAST_ROWS - 1);
}

const char *tp_heat_row_name(struct tp_picture *picture, const struct tp_node_heat *heat,
			     size_t number)
{
	const struct tp_heat_row *row = &heat->rows[number];
	const struct tp_node_row *first = heat->list[row->from];
	char shown[NAME_BYTES * 4];

	if (row->n > 1)
		return tp_picture_text(picture, "%zu nodes, %.1f %%", row->n,
				       100 * heat->list[row->from + row->n / 2]->speed);
	return tp_picture_text(picture, "%s",
			       tp_shown(shown, NAME_BYTES, first->node, strlen(first->node)));
}

/* --- columns --- */

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

static bool add_column(struct tp_node_heat *heat, unsigned point, const struct tp_plateau *plateau)
{
	if (heat->n_columns == heat->most || point >= heat->run->n_points)
		return false;
	heat->column_of[point] = (int)heat->n_columns;
	heat->columns[heat->n_columns++] = (struct tp_heat_column){ point, plateau };
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

static void add_plateau(struct tp_node_heat *heat, const struct tp_plateau *plateau)
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

static void choose_columns(struct tp_node_heat *heat)
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

/* "L1"; behind it what tells it from the others. */
static const char *plateau_name(struct tp_picture *picture, const struct tp_node_heat *heat,
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
const char *tp_heat_column_name(struct tp_picture *picture, const struct tp_node_heat *heat,
				size_t c)
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

/* As many columns as have room for their values beside the names. */
static size_t most_columns(const struct tp_node_heat *heat, size_t cells)
{
	size_t longest = 0, room;

	for (size_t i = 0; i < heat->n_rows; i++)
		longest = TP_MAX(longest, heat->rows[i].n > 1
						  ? strlen("1000 nodes, 100.0 %")
						  : strlen(heat->list[heat->rows[i].from]->node));
	longest = TP_MIN(longest, (size_t)NAME_BYTES) + AXIS_CELLS;
	room = cells > longest ? (cells - longest) / COLUMN_CELLS : 0;
	return TP_MIN(TP_MAX(room, 1u), (size_t)TP_HEAT_COLUMNS);
}

void tp_heat_choose(struct tp_node_heat *heat, size_t cells)
{
	memset(heat->column_of, -1, heat->run->n_points * sizeof(*heat->column_of));
	choose_rows(heat);
	heat->most = most_columns(heat, cells);
	choose_columns(heat);
}
