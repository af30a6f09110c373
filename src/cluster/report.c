/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The section Nodes: how many are alike, which differ and by how much, and what to look at. */
#include "cluster/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/outliers.h"
#include "base/memory.h"
#include "record/point.h"
#include "report/facts.h"
#include "report/page.h"

enum { SHOWN_MAX = 12 };

/* A clock that explains a speed is as far off as that. */
#define CLOCK_WITHIN 0.03

/* Users look for nodes that are slower by less than that. */
#define LARGE_DIFFERENCE 0.05

static void say(struct tp_page *page, enum tp_paint paint, struct tp_str *text)
{
	tp_text_wrap(page->out, page->look, paint, tp_str_text(text), 0, 0);
	tp_str_clear(text);
}

static void say_answer(struct tp_page *page, const struct tp_node_row *const *list, size_t n)
{
	struct tp_str text = { 0 }, clean = { 0 };
	bool bad = tp_nodes_count(list, n, TP_OUTLIER_SLOW) > 0;
	bool doubt = n < TP_OUTLIER_NODES_MIN ||
		     tp_nodes_farthest(list, n) > TP_NODES_WIDE_PERCENT ||
		     tp_nodes_count(list, n, TP_OUTLIER_NONE) < n ||
		     tp_fact_count(page->run, TP_FACT_CLUSTER_UPPER);

	tp_nodes_answer(page->run, list, n, &text);
	tp_text_clean(&clean, tp_str_text(&text), page->look);
	say(page, bad ? TP_PAINT_BAD : doubt ? TP_PAINT_WARN : TP_PAINT_GOOD, &clean);
	tp_str_release(&text);
	tp_str_release(&clean);
}

/* Noise may hide what the user looks for: then "none differs" says less than it seems to. */
static void say_smallest(struct tp_page *page, struct tp_str *text)
{
	double least = tp_fact_number(page->run, TP_FACT_CLUSTER_SMALLEST, NAN);

	if (!(least > 0))
		return;
	bool large = least > LARGE_DIFFERENCE;

	tp_str_printf(text,
		      large ? "By chance alone the nodes differ so much that this run cannot tell "
			      "differences below %.1f %%. More nodes, more points, or a quieter "
			      "time make that finer."
			    : "A node that is slower by %.1f %% or more is named.",
		      100 * least);
	say(page, large ? TP_PAINT_WARN : TP_PAINT_PLAIN, text);
}

/* "quick-cluster/merged-2"; the first group has no number. */
static void add_group(const struct tp_run *run, uint64_t group, struct tp_str *text)
{
	const char *name = tp_fact_text(run, TP_FACT_CLUSTER_NAME);

	tp_str_printf(text, "%s%smerged", name, *name ? "/" : "");
	if (group > 1)
		tp_str_printf(text, "-%" PRIu64, group);
}

static void say_groups(struct tp_page *page, struct tp_str *text)
{
	const struct tp_run *run = page->run;
	uint64_t groups = tp_fact_count(run, TP_FACT_CLUSTER_GROUPS);
	uint64_t group = tp_fact_count(run, TP_FACT_CLUSTER_GROUP), named = 0;
	struct tp_str raw = { 0 };

	if (groups < 2)
		return;
	tp_str_printf(&raw,
		      "The nodes are %" PRIu64
		      " groups by hardware and points, which are not mixed: "
		      "this is number %" PRIu64 ". The others:",
		      groups, group);
	for (uint64_t i = 1; i <= groups && named < TP_NODES_NAMED_MAX; i++) {
		if (i == group)
			continue;
		tp_str_add(&raw, named++ ? ", " : " ");
		add_group(run, i, &raw);
	}
	tp_str_printf(&raw, "%s.", groups - 1 > named ? " and so on" : "");
	tp_text_clean(text, tp_str_text(&raw), page->look);
	say(page, TP_PAINT_PLAIN, text);
	tp_str_release(&raw);
}

static void add_short(struct tp_page *page, const struct tp_node_row *row, struct tp_str *text)
{
	tp_text_clean(text, row->node, page->look);
	if (row->points)
		tp_str_printf(text, " has %u of %zu", row->points, page->run->n_points);
	else
		tp_str_add(text, " has none");
	tp_str_printf(text, " (%s%s", tp_node_state_name(row->state), *row->why ? ": " : "");
	tp_text_clean(text, row->why, page->look);
	tp_str_add(text, ")");
}

/* Nodes whose points are not all in the figures. */
static void say_missing(struct tp_page *page, struct tp_str *text)
{
	const struct tp_run *run = page->run;
	size_t n = 0, go_on = 0;

	for (size_t i = 0; i < tp_run_n_nodes(run); i++) {
		const struct tp_node_row *row = &tp_run_nodes(run)[i];

		if (!tp_node_is_short(run, row))
			continue;
		go_on += tp_node_goes_on(row);
		if (n++ >= TP_NODES_NAMED_MAX)
			continue;
		tp_str_add(text, n > 1 ? ", " : "Points are missing: ");
		add_short(page, row, text);
	}
	if (!n)
		return;
	if (n > TP_NODES_NAMED_MAX)
		tp_str_printf(text, " and %zu more nodes", n - TP_NODES_NAMED_MAX);
	tp_str_add(text, ".");
	if (go_on)
		tp_str_printf(text,
			      " %zu %s not ended: collect again when they have, which makes this "
			      "run anew.",
			      go_on, go_on == 1 ? "node has" : "nodes have");
	say(page, TP_PAINT_WARN, text);
}

/* What to look at. */
static const char *advice(const struct tp_node_row *row)
{
	if (row->outlier == TP_OUTLIER_FAST)
		return "is it set up like the others? clock, memory, firmware";
	if (row->clock > 0 && fabs(row->clock - row->speed) < CLOCK_WITHIN)
		return "its clock is as low: governor, power limit, cooling";
	if (row->clock > 0)
		return "its clock is that of the others: other work, memory, firmware";
	return "compare it with another node: tprof --compare";
}

static const struct tp_grid_column node_columns[] = {
	{ "node", TP_LEFT, 0 },	   { "speed", TP_RIGHT, 0 }, { "clock", TP_RIGHT, 3 },
	{ "points", TP_RIGHT, 4 }, { "z", TP_RIGHT, 2 },     { "what to look at", TP_LEFT, 1 },
};

static void percent_cell(struct tp_grid *grid, enum tp_paint paint, double ratio)
{
	if (ratio > 0)
		tp_grid_printf(grid, paint, "%.1f %%", 100 * ratio);
	else
		tp_grid_text(grid, TP_PAINT_PLAIN, "-");
}

static void table_of_nodes(struct tp_page *page, const struct tp_node_row *const *list, size_t n)
{
	bool few = n < TP_OUTLIER_NODES_MIN;
	struct tp_grid grid;
	size_t shown = 0;

	tp_grid_init(&grid, node_columns, TP_COUNT_OF(node_columns));
	tp_grid_heads(&grid);
	for (size_t i = 0; i < n && (shown < SHOWN_MAX || page->look->full); i++) {
		const struct tp_node_row *row = list[i];

		if (!few && !row->outlier)
			continue;
		tp_grid_clean(&grid, page->look, TP_PAINT_STRONG, row->node);
		percent_cell(&grid, row->outlier == TP_OUTLIER_SLOW ? TP_PAINT_BAD : TP_PAINT_PLAIN,
			     row->speed);
		percent_cell(&grid, TP_PAINT_PLAIN, row->clock);
		tp_grid_number(&grid, TP_PAINT_PLAIN, row->points, 0);
		tp_grid_number(&grid, TP_PAINT_PLAIN, row->z, 1);
		tp_grid_text(&grid, TP_PAINT_PLAIN, few ? "" : advice(row));
		shown++;
	}
	if (shown) {
		tp_grid_write(&grid, page->look, page->out);
		tp_page_explain(page, "speed: median over the points of a node, against the median "
				      "of all; clock: of its cores, likewise; z: standard "
				      "deviations over the nodes. 1 % of the nodes that are named "
				      "are expected to be like the others.");
	}
	tp_grid_release(&grid);
}

static void lead(struct tp_page *page)
{
	struct tp_str text = { 0 };
	size_t n;

	if (!tp_run_n_nodes(page->run))
		return;
	const struct tp_node_row **list = tp_nodes_by_speed(page->run, &n);

	if (!list) {
		page->out->oom = true;
		return;
	}
	tp_page_title(page, "Nodes", NULL);
	say_answer(page, list, n);
	say_smallest(page, &text);
	say_groups(page, &text);
	say_missing(page, &text);
	table_of_nodes(page, list, n);
	if (n > 1)
		tp_page_explain(page, "Below, each value is that of the node in the middle; its "
				      "interval holds 90 % of the nodes that are like the others.");
	tp_str_add(page->out, "\n");
	tp_str_release(&text);
	free(list);
}

/* --- single values that differ, of nodes that are not slow as a whole --- */

static const struct tp_grid_column value_columns[] = {
	{ "node", TP_LEFT, 0 },	   { "point", TP_LEFT, 0 }, { "value", TP_RIGHT, 0 },
	{ "median", TP_RIGHT, 0 }, { "unit", TP_LEFT, 0 },  { "speed", TP_RIGHT, 0 },
	{ "z", TP_RIGHT, 1 },
};

static int by_size(const void *a, const void *b)
{
	const struct tp_node_value *const *x = a, *const *y = b;
	double p = fabs(log((*x)->speed)), q = fabs(log((*y)->speed));

	return (p < q) - (p > q);
}

static bool is_named(const struct tp_run *run, const char *node)
{
	for (size_t i = 0; i < tp_run_n_nodes(run); i++)
		if (tp_run_nodes(run)[i].outlier && strcmp(tp_run_nodes(run)[i].node, node) == 0)
			return true;
	return false;
}

static void show_value(struct tp_page *page, struct tp_grid *grid, const struct tp_node_value *v)
{
	const struct tp_point *point = tp_run_point(page->run, v->point);
	char name[TP_NODE_POINT_BYTES];

	tp_grid_clean(grid, page->look, TP_PAINT_STRONG, v->node);
	tp_grid_clean(grid, page->look, TP_PAINT_PLAIN,
		      tp_node_point_name(page->run, v->point, name));
	tp_grid_number(grid, TP_PAINT_PLAIN, v->value, TP_DECIMALS);
	tp_grid_number(grid, TP_PAINT_PLAIN, point ? point->median : NAN, TP_DECIMALS);
	tp_grid_clean(grid, page->look, TP_PAINT_DIM, point ? point->unit : "");
	percent_cell(grid, v->outlier == TP_OUTLIER_SLOW ? TP_PAINT_BAD : TP_PAINT_WARN, v->speed);
	tp_grid_number(grid, TP_PAINT_PLAIN, v->z, 1);
}

static void page_of_values(struct tp_page *page)
{
	const struct tp_run *run = page->run;
	size_t all = tp_run_n_node_values(run), n = 0;
	const struct tp_node_value **list = calloc(all + 1, sizeof(*list));
	struct tp_grid grid;
	char more[64];

	for (size_t i = 0; list && i < all; i++) {
		const struct tp_node_value *v = &tp_run_node_values(run)[i];

		if (v->outlier && v->speed > 0 && !is_named(run, v->node))
			list[n++] = v;
	}
	if (!list || !n) {
		page->out->oom |= !list;
		free(list);
		return;
	}
	qsort(list, n, sizeof(*list), by_size);
	tp_page_title(page, "Values that differ", NULL);
	tp_page_explain(page, "Single points of nodes that are like the others as a whole, the "
			      "largest differences first.");
	tp_grid_init(&grid, value_columns, TP_COUNT_OF(value_columns));
	tp_grid_heads(&grid);
	size_t shown = page->look->full ? n : TP_MIN(n, (size_t)SHOWN_MAX);

	for (size_t i = 0; i < shown; i++)
		show_value(page, &grid, list[i]);
	tp_grid_write(&grid, page->look, page->out);
	tp_grid_release(&grid);
	if (shown < n) {
		snprintf(more, sizeof(more), "and %zu more: see node_values.csv", n - shown);
		tp_page_explain(page, more);
	}
	free(list);
}

/* Merged runs have nodes; what else they have is told by its experiments. */
const struct tp_reporter tp_reporter_cluster = {
	.experiment = "cluster",
	.place = 0,
	.lead = lead,
	.page = page_of_values,
	.conclude = tp_nodes_conclude,
	.compare = tp_nodes_compare,
	.pictures = tp_node_pictures,
};
