/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The section Nodes of a merged run: whether all are equally fast, which differ and by how much,
 * and what to look at.
 */

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/outliers.h"
#include "base/memory.h"
#include "cluster/heat.h"
#include "cluster/tables.h"
#include "record/point.h"
#include "report/facts.h"
#include "report/page.h"

/* Names that a sentence lists; rows of a table. */
enum { NAMED_MAX = 8, SHOWN_MAX = 12, VALUES_NAMED_MAX = 3 };

/* Nodes with more scatter are not called equally fast. */
#define WIDE_PERCENT 3.0
/* A clock that explains a speed is as far off as that. */
#define CLOCK_WITHIN 0.03
/* Users look for nodes that are slower by less than that. */
#define LARGE_DIFFERENCE 0.05

/* --- are all nodes equally fast? --- */

/* It may still get points. */
static bool goes_on(const struct tp_node_row *row)
{
	return row->state == TP_NODE_WAITING || row->state == TP_NODE_RUNNING;
}

/* It lacks points. Nodes of other hardware may have another plan. */
static bool is_short(const struct tp_run *run, const struct tp_node_row *row)
{
	bool other = row->group && row->group != tp_fact_count(run, TP_FACT_CLUSTER_GROUP);

	return goes_on(row) || (!other && row->points < run->n_points);
}

/* The nodes of a list with that outlier state; TP_OUTLIER_NONE: the ordinary ones. */
static size_t count_outliers(const struct tp_node_row *const *list, size_t n, unsigned outlier)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		found += list[i]->outlier == outlier;
	return found;
}

/* The largest distance of the ordinary ones from the median: percent, never shown as 0. */
static double farthest_node(const struct tp_node_row *const *list, size_t n)
{
	double most = 0.1;

	for (size_t i = 0; i < n; i++)
		if (!list[i]->outlier)
			most = fmax(most, 100 * fabs(list[i]->speed - 1));
	return most;
}

static bool is_outlier(const struct tp_run *run, const char *node)
{
	for (size_t i = 0; i < tp_run_n_nodes(run); i++)
		if (tp_run_nodes(run)[i].outlier && strcmp(tp_run_nodes(run)[i].node, node) == 0)
			return true;
	return false;
}

/* The same for single values, without the named ones; 0 = none. */
static double farthest_value(const struct tp_run *run, const struct tp_node_row *const *list,
			     size_t n)
{
	const struct tp_node_value *values = tp_run_node_values(run);
	bool any = count_outliers(list, n, TP_OUTLIER_NONE) < n, named = false;
	double most = 0;

	for (size_t i = 0; i < tp_run_n_node_values(run); i++) {
		/* Values of a node stand together. */
		if (any && (i == 0 || strcmp(values[i].node, values[i - 1].node) != 0))
			named = is_outlier(run, values[i].node);
		if (!named && !values[i].outlier && isfinite(values[i].speed))
			most = fmax(most, 100 * fabs(values[i].speed - 1));
	}
	return most;
}

/* " 2 are slow: node-7 by 10.1 %, node-3 by 4.2 %." */
static void name_outliers(const struct tp_node_row *const *list, size_t n, unsigned outlier,
			  struct tp_str *text)
{
	bool slow = outlier == TP_OUTLIER_SLOW;
	size_t all = count_outliers(list, n, outlier), named = 0;

	if (!all)
		return;
	tp_str_printf(text, " %zu %s %s:", all, all == 1 ? "is" : "are", slow ? "slow" : "fast");
	for (size_t i = 0; i < n && named < NAMED_MAX; i++) {
		const struct tp_node_row *row = list[slow ? i : n - 1 - i];

		if (row->outlier == outlier)
			tp_str_printf(text, "%s %s by %.1f %%", named++ ? "," : "", row->node,
				      100 * fabs(row->speed - 1));
	}
	if (all > named)
		tp_str_printf(text, " and %zu more", all - named);
	tp_str_add(text, ".");
}

static int by_size(const void *a, const void *b)
{
	const struct tp_node_value *const *x = a, *const *y = b;
	double p = fabs(log((*x)->speed)), q = fabs(log((*y)->speed));

	return (p < q) - (p > q);
}

/* Single values that differ of nodes that do not, the largest differences first: a heap array. */
static const struct tp_node_value **odd_values(const struct tp_run *run, size_t *n)
{
	size_t all = tp_run_n_node_values(run);
	const struct tp_node_value **list = tp_alloc(all + 1, sizeof(*list));

	*n = 0;
	for (size_t i = 0; i < all; i++) {
		const struct tp_node_value *v = &tp_run_node_values(run)[i];

		if (v->outlier && v->speed > 0 && !is_outlier(run, v->node))
			list[(*n)++] = v;
	}
	qsort(list, *n, sizeof(*list), by_size);
	return list;
}

/* " Single values differ: n3 has 65.0 % of the median at DRAM 2ld1st." */
static void name_values(const struct tp_run *run, struct tp_str *text)
{
	size_t n;
	TP_FREE const struct tp_node_value **list = odd_values(run, &n);
	char point[TP_NODE_POINT_BYTES];

	for (size_t i = 0; i < n && i < VALUES_NAMED_MAX; i++)
		tp_str_printf(text, "%s %s has %.1f %% of the median at %s",
			      i ? "," : " Single values differ:", list[i]->node,
			      100 * list[i]->speed, tp_node_point_name(run, list[i]->point, point));
	if (n > VALUES_NAMED_MAX)
		tp_str_printf(text, " and %zu more", n - VALUES_NAMED_MAX);
	tp_str_add(text, n ? "." : "");
}

static void say_alike(const struct tp_run *run, const struct tp_node_row *const *list, size_t n,
		      struct tp_str *text)
{
	size_t alike = count_outliers(list, n, TP_OUTLIER_NONE);
	double within = farthest_node(list, n), single = farthest_value(run, list, n);

	if (alike == n)
		tp_str_printf(text, "All %zu nodes", n);
	else
		tp_str_printf(text, "%zu of %zu nodes", alike, n);
	tp_str_printf(text, " are equally fast, within %.1f %%", within);
	if (single > WIDE_PERCENT)
		tp_str_printf(text, " as a whole; single points scatter by up to %.1f %%", single);
	tp_str_add(text, ".");
}

/* Adds whether all nodes are equally fast, in sentences; names are not cleaned. */
static void add_answer(const struct tp_run *run, const struct tp_node_row *const *list, size_t n,
		       struct tp_str *text)
{
	size_t alike = count_outliers(list, n, TP_OUTLIER_NONE);
	uint64_t upper = tp_fact_count(run, TP_FACT_CLUSTER_UPPER);
	double within = farthest_node(list, n);

	if (n == 0)
		tp_str_add(text, "The nodes have no value that can be compared; each has its "
				 "results in its own run.");
	else if (n == 1)
		tp_str_add(text, "Only 1 node has points: there is nothing to compare it with.");
	else if (n < TP_OUTLIER_NODES_MIN)
		tp_str_printf(text,
			      "%zu nodes, each within %.1f %% of their median. With fewer than %d "
			      "the one that differs cannot be named.",
			      n, within, TP_OUTLIER_NODES_MIN);
	else if (upper && upper < n && alike == n)
		tp_str_printf(text, "The %zu nodes are not equally fast.", n);
	else if (within > WIDE_PERCENT)
		tp_str_printf(text,
			      "%zu of %zu nodes differ by no more than chance, but chance is large "
			      "here: up to %.1f %% from their median.",
			      alike, n, within);
	else
		say_alike(run, list, n, text);
	name_outliers(list, n, TP_OUTLIER_SLOW, text);
	name_outliers(list, n, TP_OUTLIER_FAST, text);
	name_values(run, text);
	if (!upper || upper >= n)
		return;
	const char *apart = tp_fact_text(run, TP_FACT_CLUSTER_APART);

	tp_str_printf(text,
		      " They have two speeds: %" PRIu64 " of %zu are %.1f %% faster than the "
		      "others, with no node between. %s%s",
		      upper, n, 100 * tp_fact_number(run, TP_FACT_CLUSTER_GAP, 0),
		      *apart ? "They have " : "Their facts are the same. Compare a node of each.",
		      apart);
	if (*apart)
		tp_str_add(text, ".");
}

/* --- the command worth typing next --- */

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void add_node(const char *cluster, const struct tp_node_row *row, struct tp_str *command)
{
	char path[TP_PATH_MAX];

	snprintf(path, sizeof(path), "%s/nodes/%s", cluster, row->node);
	tp_conclude_word(command, path);
}

static void choose_next(const struct tp_run *run, const struct tp_node_row *const *list, size_t n,
			struct tp_str *next)
{
	size_t n_short = 0, go_on = 0, fast = count_outliers(list, n, TP_OUTLIER_FAST);
	bool slow = n && list[0]->outlier == TP_OUTLIER_SLOW;
	bool two = tp_fact_count(run, TP_FACT_CLUSTER_UPPER) > 0;
	char cluster[sizeof(run->called)];

	for (size_t i = 0; i < tp_run_n_nodes(run); i++) {
		go_on += goes_on(&tp_run_nodes(run)[i]);
		n_short += is_short(run, &tp_run_nodes(run)[i]);
	}
	/* What commands call the cluster run; false where this run lies by itself. */
	const char *name = tp_fact_text(run, TP_FACT_CLUSTER_NAME);
	char *slash;
	tp_copy(cluster, sizeof(run->called), run->called);
	if (strncmp(last_part(cluster), "merged", strlen("merged")) == 0 &&
	    (slash = strrchr(cluster, '/')))
		*slash = '\0';
	if (!(*name && strcmp(last_part(name), last_part(cluster)) == 0))
		return;
	if (n_short) {
		tp_str_add(next, go_on ? "tprof --cluster collect" : "tprof --resume");
		tp_conclude_word(next, cluster);
	} else if (n > 1 && (slow || fast || two)) {
		/* The other one is as most are, or of the other speed. */
		const struct tp_node_row *odd = slow || !fast ? list[0] : list[n - 1];

		tp_str_add(next, "tprof --compare");
		add_node(cluster, slow || fast ? list[n / 2] : list[n - 1], next);
		add_node(cluster, odd, next);
	}
}

static void conclude(const struct tp_run *run, struct tp_conclusion *conclusion)
{
	size_t n;
	TP_STR text = { 0 };

	if (!tp_run_n_nodes(run))
		return;
	TP_FREE const struct tp_node_row **list = tp_nodes_by_speed(run, &n);

	add_answer(run, list, n, &text);
	bool odd = count_outliers(list, n, TP_OUTLIER_NONE) < n ||
		   tp_fact_count(run, TP_FACT_CLUSTER_UPPER);

	tp_conclude_add(odd ? &conclusion->odd : &conclusion->limits, "%s", tp_str_text(&text));
	choose_next(run, list, n, &conclusion->next);
}

/*
 * --- comparison ---
 *
 * Two merged runs, such as last month's and today's: which nodes have become slow, which are so no
 * longer, and which are in one of them only. What a node's speed means is relative to its group, so
 * a change of all nodes together is in the points, not here.
 */

/* A list of nodes that grows: its first names are written. */
struct named {
	struct tp_str text;
	size_t n;
};

static void name_node(struct named *named, const struct tp_node_row *a, const struct tp_node_row *b)
{
	const struct tp_node_row *row = b ? b : a;

	if (named->n++ >= NAMED_MAX)
		return;
	tp_str_printf(&named->text, "%s%s", named->n > 1 ? ", " : "", row->node);
	if (a && b)
		tp_str_printf(&named->text, " (%.1f %%, was %.1f %%)", 100 * b->speed,
			      100 * a->speed);
}

static void say_named(struct named *named, const char *words, enum tp_paint paint,
		      struct tp_text *doc)
{
	TP_STR line = { 0 };

	tp_str_printf(&line, "%s: %s", words, tp_str_text(&named->text));
	if (named->n > NAMED_MAX)
		tp_str_printf(&line, " and %zu more", named->n - NAMED_MAX);
	tp_str_add(&line, ".");
	if (named->n)
		tp_text_say(doc, paint, 0, 2, "%s", tp_str_text(&line));
	tp_str_release(&named->text);
}

static bool is_odd_value(const struct tp_run *run, const struct tp_node_value *const *list,
			 size_t n, const char *node, const char *point)
{
	char name[TP_NODE_POINT_BYTES];

	for (size_t i = 0; i < n; i++)
		if (list[i]->outlier == TP_OUTLIER_SLOW && strcmp(list[i]->node, node) == 0 &&
		    strcmp(tp_node_point_name(run, list[i]->point, name), point) == 0)
			return true;
	return false;
}

/* Single values of `b` that are slow, and were not in `a`. */
static void name_slow_values(const struct tp_run *a, const struct tp_run *b, struct named *named)
{
	size_t n_a, n_b;
	TP_FREE const struct tp_node_value **x = odd_values(a, &n_a);
	TP_FREE const struct tp_node_value **y = odd_values(b, &n_b);
	char point[TP_NODE_POINT_BYTES];

	for (size_t i = 0; i < n_b; i++) {
		tp_node_point_name(b, y[i]->point, point);
		if (y[i]->outlier != TP_OUTLIER_SLOW || is_odd_value(a, x, n_a, y[i]->node, point))
			continue;
		if (named->n++ < NAMED_MAX)
			tp_str_printf(&named->text, "%s%s at %s (%.1f %%)",
				      named->n > 1 ? ", " : "", y[i]->node, point,
				      100 * y[i]->speed);
	}
}

static void against_first(const struct tp_run *a, const struct tp_run *b, char letter,
			  struct tp_text *doc)
{
	struct named slow = { 0 }, mended = { 0 }, gone = { 0 }, added = { 0 }, values = { 0 };
	size_t n_a, n_b, i = 0, k = 0, both = 0;
	TP_FREE const struct tp_node_row **x = tp_nodes_by_speed(a, &n_a);
	TP_FREE const struct tp_node_row **y = tp_nodes_by_speed(b, &n_b);
	TP_STR title = { 0 };
	char only_b[16];

	qsort(x, n_a, sizeof(*x), tp_nodes_by_name);
	qsort(y, n_b, sizeof(*y), tp_nodes_by_name);
	while (i < n_a || k < n_b) {
		int order = i == n_a ? 1 : k == n_b ? -1 : strcmp(x[i]->node, y[k]->node);

		if (order < 0) {
			name_node(&gone, x[i++], NULL);
		} else if (order > 0) {
			name_node(&added, NULL, y[k++]);
		} else {
			bool was = x[i]->outlier == TP_OUTLIER_SLOW;
			bool is = y[k]->outlier == TP_OUTLIER_SLOW;

			if (was != is)
				name_node(is ? &slow : &mended, x[i], y[k]);
			both++;
			i++;
			k++;
		}
	}
	tp_str_printf(&title, "%c against A%snodes", letter, tp_text_dot(doc->look));
	tp_text_title(doc, tp_str_text(&title));
	name_slow_values(a, b, &values);
	bool changed = slow.n + mended.n + values.n > 0;
	tp_text_say(doc, changed ? TP_PAINT_PLAIN : TP_PAINT_GOOD, 0, 0, "%zu nodes are in both%s",
		    both, changed ? "." : ", and none has become slow.");
	say_named(&slow, "Slow now", TP_PAINT_BAD, doc);
	say_named(&values, "Slow now at single points", TP_PAINT_BAD, doc);
	say_named(&mended, "No longer slow", TP_PAINT_GOOD, doc);
	say_named(&gone, "Only in A", TP_PAINT_PLAIN, doc);
	snprintf(only_b, sizeof(only_b), "Only in %c", letter);
	say_named(&added, only_b, TP_PAINT_PLAIN, doc);
}

/* Nodes of both runs that are slow in `b` alone, as a whole or at single points. */
static void slower(const struct tp_run *a, const struct tp_run *b, struct tp_str *out)
{
	struct named named = { 0 };

	for (size_t i = 0; i < tp_run_n_nodes(b); i++) {
		const struct tp_node_row *now = &tp_run_nodes(b)[i];

		for (size_t k = 0; k < tp_run_n_nodes(a); k++) {
			const struct tp_node_row *was = &tp_run_nodes(a)[k];

			if (now->outlier == TP_OUTLIER_SLOW && was->outlier != TP_OUTLIER_SLOW &&
			    strcmp(now->node, was->node) == 0)
				name_node(&named, was, now);
		}
	}
	name_slow_values(a, b, &named);
	tp_str_add(out, tp_str_text(&named.text));
	if (named.n > NAMED_MAX)
		tp_str_printf(out, " and %zu more", named.n - NAMED_MAX);
	tp_str_release(&named.text);
}

/* The nodes of merged runs that are compared, the first with each other one. */
static void compare(const struct tp_run *const *runs, size_t n, struct tp_text *doc)
{
	for (size_t i = 1; i < n; i++)
		if (tp_run_n_nodes(runs[0]) && tp_run_n_nodes(runs[i]))
			against_first(runs[0], runs[i], (char)('A' + i), doc);
}

/* --- the section --- */

static void say_answer(struct tp_page *page, const struct tp_node_row *const *list, size_t n)
{
	TP_STR text = { 0 };
	bool bad = count_outliers(list, n, TP_OUTLIER_SLOW) > 0;
	bool doubt = n < TP_OUTLIER_NODES_MIN || farthest_node(list, n) > WIDE_PERCENT ||
		     count_outliers(list, n, TP_OUTLIER_NONE) < n ||
		     tp_fact_count(page->run, TP_FACT_CLUSTER_UPPER);

	add_answer(page->run, list, n, &text);
	tp_text_say(page->doc,
		    bad	    ? TP_PAINT_BAD
		    : doubt ? TP_PAINT_WARN
			    : TP_PAINT_GOOD,
		    0, 0, "%s", tp_str_text(&text));
}

/* Noise may hide a difference: then "none differs" is a weak statement. */
static void say_smallest(struct tp_page *page)
{
	double least = tp_fact_number(page->run, TP_FACT_CLUSTER_SMALLEST, NAN);

	if (!(least > 0))
		return;
	bool large = least > LARGE_DIFFERENCE;

	tp_text_say(page->doc, large ? TP_PAINT_WARN : TP_PAINT_PLAIN, 0, 0,
		    large ? "Nodes differ by chance, so this run shows no difference below %.1f "
			    "%%. More nodes, more points, or a quieter time lower that "
			    "limit."
			  : "A node that is slower by %.1f %% or more is named.",
		    100 * least);
}

static void say_groups(struct tp_page *page)
{
	const struct tp_run *run = page->run;
	uint64_t groups = tp_fact_count(run, TP_FACT_CLUSTER_GROUPS);
	uint64_t group = tp_fact_count(run, TP_FACT_CLUSTER_GROUP), named = 0;
	TP_STR text = { 0 };

	if (groups < 2)
		return;
	tp_str_printf(&text,
		      "The nodes are %" PRIu64
		      " groups by hardware and points, which are not mixed: "
		      "this is number %" PRIu64 ". The others:",
		      groups, group);
	for (uint64_t i = 1; i <= groups && named < NAMED_MAX; i++) {
		if (i == group)
			continue;
		tp_str_add(&text, named++ ? ", " : " ");
		/* "quick-cluster/merged-2"; the first group has no number. */
		const char *name = tp_fact_text(run, TP_FACT_CLUSTER_NAME);
		tp_str_printf(&text, "%s%smerged", name, *name ? "/" : "");
		if (i > 1)
			tp_str_printf(&text, "-%" PRIu64, i);
	}
	tp_str_printf(&text, "%s.", groups - 1 > named ? " and so on" : "");
	tp_text_say(page->doc, TP_PAINT_PLAIN, 0, 0, "%s", tp_str_text(&text));
}

/* Which nodes lack points, so that the figures are of fewer. */
static void say_missing(struct tp_page *page)
{
	const struct tp_run *run = page->run;
	TP_STR text = { 0 };
	size_t n = 0, go_on = 0;

	for (size_t i = 0; i < tp_run_n_nodes(run); i++) {
		const struct tp_node_row *row = &tp_run_nodes(run)[i];

		if (!is_short(run, row))
			continue;
		go_on += goes_on(row);
		if (n++ >= NAMED_MAX)
			continue;
		tp_str_printf(&text, "%s%s has ", n > 1 ? ", " : "Points are missing: ", row->node);
		if (row->points)
			tp_str_printf(&text, "%u of %zu", row->points, run->n_points);
		else
			tp_str_add(&text, "none");
		tp_str_printf(&text, " (%s%s%s)", tp_node_state_name(row->state),
			      *row->why ? ": " : "", row->why);
	}
	if (!n)
		return;
	if (n > NAMED_MAX)
		tp_str_printf(&text, " and %zu more nodes", n - NAMED_MAX);
	tp_str_add(&text, ".");
	if (go_on)
		tp_str_printf(&text,
			      " %zu %s not ended: collect again when they have: this run is then "
			      "merged again.",
			      go_on, go_on == 1 ? "node has" : "nodes have");
	tp_text_say(page->doc, TP_PAINT_WARN, 0, 0, "%s", tp_str_text(&text));
}

/* What to check on a node that stands out. */
static const char *advice(const struct tp_node_row *row)
{
	if (row->outlier == TP_OUTLIER_FAST)
		return "is it set up like the others? clock, memory, firmware";
	if (row->clock > 0 && fabs(row->clock - row->speed) < CLOCK_WITHIN)
		return "its clock is as low: governor, power limit, cooling";
	if (row->clock > 0)
		return "its clock is like that of the others: look at other work, memory, firmware";
	return "compare it with another node: tprof --compare";
}

static void advice_cell(struct tp_grid *grid, const void *row, const void *context)
{
	(void)context;
	tp_grid_text(grid, TP_PAINT_PLAIN, advice(row));
}

static enum tp_paint paint_of_node(const void *row)
{
	return ((const struct tp_node_row *)row)->outlier == TP_OUTLIER_SLOW ? TP_PAINT_BAD
									     : TP_PAINT_PLAIN;
}

#define NODE(name) TP_SHOWS(struct tp_node_row, name)
#define SPEED	   .as = TP_AS_RATIO, .digits = 1, .positive = true
static const struct tp_grid_column node_columns[] = {
	{ "node", TP_LEFT, 0, NODE(node), .paint = TP_PAINT_STRONG },
	{ "speed", TP_RIGHT, 0, NODE(speed), SPEED, .paint_of = paint_of_node },
	{ "clock", TP_RIGHT, 3, NODE(clock), SPEED },
	{ "points", TP_RIGHT, 4, NODE(points) },
	{ "z", TP_RIGHT, 2, NODE(z), .as = TP_AS_FIXED, .digits = 1 },
	{ "what to look at", TP_LEFT, 1, .cell = advice_cell },
};

static void table_of_nodes(struct tp_page *page, const struct tp_node_row *const *list, size_t n)
{
	bool few = n < TP_OUTLIER_NODES_MIN;
	size_t shown = 0;
	TP_GRID(grid, node_columns);
	grid.n_columns -= few; /* "what to look at" needs more nodes */
	tp_grid_heads(&grid);
	for (size_t i = 0; i < n && (shown < SHOWN_MAX || page->look->full); i++)
		if (few || list[i]->outlier) {
			tp_grid_row(&grid, list[i], page);
			shown++;
		}
	if (!shown)
		return;
	tp_grid_write(&grid, page->doc);
	tp_page_explain(page, "speed: median over the points of a node, against the median of all; "
			      "clock: of its cores, likewise; z: standard deviations over the "
			      "nodes. 1 % of the nodes that are named are expected to be like the "
			      "others.");
}

static void lead(struct tp_page *page)
{
	size_t n;

	if (!tp_run_n_nodes(page->run))
		return;
	TP_FREE const struct tp_node_row **list = tp_nodes_by_speed(page->run, &n);

	tp_page_title(page, "Nodes", NULL);
	say_answer(page, list, n);
	say_smallest(page);
	say_groups(page);
	say_missing(page);
	table_of_nodes(page, list, n);
	if (n > 1)
		tp_page_explain(page, "Below, each value comes from the node in the middle; its "
				      "interval holds 90 % of the nodes, without the outliers.");
	tp_text_gap(page->doc);
}

/* --- single values that differ, of nodes that are not slow as a whole --- */

/* A value, and the text for its point. */
struct value_row {
	const struct tp_node_value *value;
	char point[TP_NODE_POINT_BYTES];
	const char *unit;
	double median;
};

static enum tp_paint paint_of_value(const void *row)
{
	return ((const struct value_row *)row)->value->outlier == TP_OUTLIER_SLOW ? TP_PAINT_BAD
										  : TP_PAINT_WARN;
}

#define POINT(name) TP_SHOWS(struct value_row, name)
#define VALUE(name) TP_SHOWS(struct tp_node_value, name), TP_VIA(struct value_row, value)
static const struct tp_grid_column value_columns[] = {
	{ "node", TP_LEFT, 0, VALUE(node), .paint = TP_PAINT_STRONG },
	{ "point", TP_LEFT, 0, POINT(point) },
	{ "value", TP_RIGHT, 0, VALUE(value) },
	{ "median", TP_RIGHT, 0, POINT(median) },
	{ "unit", TP_LEFT, 0, POINT(unit), .paint = TP_PAINT_DIM },
	{ "speed", TP_RIGHT, 0, VALUE(speed), SPEED, .paint_of = paint_of_value },
	{ "z", TP_RIGHT, 1, VALUE(z), .as = TP_AS_FIXED, .digits = 1 },
};

static void page_of_values(struct tp_page *page)
{
	const struct tp_run *run = page->run;
	size_t n;
	TP_FREE const struct tp_node_value **list = odd_values(run, &n);
	char more[64];

	if (!n)
		return;
	tp_page_title(page, "Values that differ", NULL);
	tp_page_explain(page, "Single points of nodes that are like the others as a whole, the "
			      "largest differences first.");
	TP_GRID(grid, value_columns);
	tp_grid_heads(&grid);
	size_t shown = page->look->full ? n : TP_MIN(n, (size_t)SHOWN_MAX);

	for (size_t i = 0; i < shown; i++) {
		const struct tp_point *point = tp_run_point(run, list[i]->point);
		struct value_row row = { .value = list[i],
					 .unit = point ? point->unit : "",
					 .median = point ? point->median : NAN };

		tp_node_point_name(run, list[i]->point, row.point);
		tp_grid_row(&grid, &row, page);
	}
	tp_grid_write(&grid, page->doc);
	if (shown < n) {
		snprintf(more, sizeof(more), "and %zu more: see node_values.csv", n - shown);
		tp_page_explain(page, more);
	}
}

/* Merged runs have nodes; their experiments report the rest. */
const struct tp_reporter tp_reporter_cluster = {
	.experiment = "cluster",
	.place = 0,
	.lead = lead,
	.page = page_of_values,
	.conclude = conclude,
	.compare = compare,
	.slower = slower,
	.pictures = tp_node_pictures,
};
