/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Are all nodes equally fast? The answer in a sentence or two, and what to do next. */
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

const char *tp_node_point_name(const struct tp_run *run, unsigned point,
			       char out[TP_NODE_POINT_BYTES])
{
	const struct tp_point *p = tp_run_point(run, point);
	const struct tp_kernel_row *k = p ? tp_kernel_row(p) : NULL;
	char size[32];

	if (!p || !*p->kernel)
		snprintf(out, TP_NODE_POINT_BYTES, "point %u", point);
	else if (*k->level)
		snprintf(out, TP_NODE_POINT_BYTES, "%.7s %.24s", k->level, p->kernel);
	else if (k->working_set_bytes)
		snprintf(out, TP_NODE_POINT_BYTES, "%.24s %s", p->kernel,
			 tp_text_size(size, sizeof(size), k->working_set_bytes));
	else
		snprintf(out, TP_NODE_POINT_BYTES, "%.24s %u", p->kernel, point);
	return out;
}

static int by_speed(const void *a, const void *b)
{
	const struct tp_node_row *const *x = a, *const *y = b;

	if ((*x)->speed != (*y)->speed)
		return (*x)->speed < (*y)->speed ? -1 : 1;
	return strcmp((*x)->node, (*y)->node);
}

const struct tp_node_row **tp_nodes_by_speed(const struct tp_run *run, size_t *n)
{
	const struct tp_node_row **list = calloc(tp_run_n_nodes(run) + 1, sizeof(*list));

	*n = 0;
	for (size_t i = 0; list && i < tp_run_n_nodes(run); i++)
		if (!isnan(tp_run_nodes(run)[i].speed))
			list[(*n)++] = &tp_run_nodes(run)[i];
	if (list)
		qsort(list, *n, sizeof(*list), by_speed);
	return list;
}

bool tp_node_goes_on(const struct tp_node_row *row)
{
	return row->state == TP_NODE_WAITING || row->state == TP_NODE_RUNNING;
}

bool tp_node_is_short(const struct tp_run *run, const struct tp_node_row *row)
{
	bool other = row->group && row->group != tp_fact_count(run, TP_FACT_CLUSTER_GROUP);

	return tp_node_goes_on(row) || (!other && row->points < run->n_points);
}

size_t tp_nodes_count(const struct tp_node_row *const *list, size_t n, unsigned outlier)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		found += list[i]->outlier == outlier;
	return found;
}

double tp_nodes_farthest(const struct tp_node_row *const *list, size_t n)
{
	double most = 0.1;

	for (size_t i = 0; i < n; i++)
		if (!list[i]->outlier)
			most = fmax(most, 100 * fabs(list[i]->speed - 1));
	return most;
}

static bool is_named(const struct tp_node_row *const *list, size_t n, const char *node)
{
	for (size_t i = 0; i < n; i++)
		if (list[i]->outlier && strcmp(list[i]->node, node) == 0)
			return true;
	return false;
}

/* The same of single values, but for those that are named; 0 = there are none. */
static double farthest_value(const struct tp_run *run, const struct tp_node_row *const *list,
			     size_t n)
{
	const struct tp_node_value *values = tp_run_node_values(run);
	bool any = tp_nodes_count(list, n, TP_OUTLIER_NONE) < n, named = false;
	double most = 0;

	for (size_t i = 0; i < tp_run_n_node_values(run); i++) {
		/* Values of a node stand together. */
		if (any && (i == 0 || strcmp(values[i].node, values[i - 1].node) != 0))
			named = is_named(list, n, values[i].node);
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
	size_t all = tp_nodes_count(list, n, outlier), named = 0;

	if (!all)
		return;
	tp_str_printf(text, " %zu %s %s:", all, all == 1 ? "is" : "are", slow ? "slow" : "fast");
	for (size_t i = 0; i < n && named < TP_NODES_NAMED_MAX; i++) {
		const struct tp_node_row *row = list[slow ? i : n - 1 - i];

		if (row->outlier == outlier)
			tp_str_printf(text, "%s %s by %.1f %%", named++ ? "," : "", row->node,
				      100 * fabs(row->speed - 1));
	}
	if (all > named)
		tp_str_printf(text, " and %zu more", all - named);
	tp_str_add(text, ".");
}

static void say_alike(const struct tp_run *run, const struct tp_node_row *const *list, size_t n,
		      struct tp_str *text)
{
	size_t alike = tp_nodes_count(list, n, TP_OUTLIER_NONE);
	double within = tp_nodes_farthest(list, n), single = farthest_value(run, list, n);

	if (alike == n)
		tp_str_printf(text, "All %zu nodes", n);
	else
		tp_str_printf(text, "%zu of %zu nodes", alike, n);
	tp_str_printf(text, " are equally fast, within %.1f %%", within);
	if (single > TP_NODES_WIDE_PERCENT)
		tp_str_printf(text, " as a whole; single points scatter by up to %.1f %%", single);
	tp_str_add(text, ".");
}

void tp_nodes_answer(const struct tp_run *run, const struct tp_node_row *const *list, size_t n,
		     struct tp_str *text)
{
	size_t alike = tp_nodes_count(list, n, TP_OUTLIER_NONE);
	uint64_t upper = tp_fact_count(run, TP_FACT_CLUSTER_UPPER);
	double within = tp_nodes_farthest(list, n);

	if (n == 0)
		tp_str_add(text, "The nodes have no value that can be compared; each has its "
				 "results in its own run.");
	else if (n == 1)
		tp_str_add(text, "1 node has points: there is none to compare it with.");
	else if (n < TP_OUTLIER_NODES_MIN)
		tp_str_printf(text,
			      "%zu nodes, each within %.1f %% of their median. With fewer than %d "
			      "nobody can say which one differs.",
			      n, within, TP_OUTLIER_NODES_MIN);
	else if (upper && upper < n && alike == n)
		tp_str_printf(text, "The %zu nodes are not equally fast.", n);
	else if (within > TP_NODES_WIDE_PERCENT)
		tp_str_printf(text,
			      "%zu of %zu nodes differ by no more than chance, but chance is large "
			      "here: up to %.1f %% from their median.",
			      alike, n, within);
	else
		say_alike(run, list, n, text);
	name_outliers(list, n, TP_OUTLIER_SLOW, text);
	name_outliers(list, n, TP_OUTLIER_FAST, text);
	if (!upper || upper >= n)
		return;
	const char *apart = tp_fact_text(run, TP_FACT_CLUSTER_APART);

	tp_str_printf(text,
		      " They are of two speeds: %" PRIu64 " of %zu are %.1f %% faster than the "
		      "others, with no node between. %s%s",
		      upper, n, 100 * tp_fact_number(run, TP_FACT_CLUSTER_GAP, 0),
		      *apart ? "They have " : "No fact tells them apart. Compare a node of each.",
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

/* What commands call the cluster run; false where this run lies by itself. */
static bool cluster_of(const struct tp_run *run, char out[sizeof(run->called)])
{
	const char *name = tp_fact_text(run, TP_FACT_CLUSTER_NAME);
	char *slash;

	tp_copy(out, sizeof(run->called), run->called);
	if (strncmp(last_part(out), "merged", strlen("merged")) == 0 && (slash = strrchr(out, '/')))
		*slash = '\0';
	return *name && strcmp(last_part(name), last_part(out)) == 0;
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
	size_t n_short = 0, go_on = 0, fast = tp_nodes_count(list, n, TP_OUTLIER_FAST);
	bool slow = n && list[0]->outlier == TP_OUTLIER_SLOW;
	bool two = tp_fact_count(run, TP_FACT_CLUSTER_UPPER) > 0;
	char cluster[sizeof(run->called)];

	for (size_t i = 0; i < tp_run_n_nodes(run); i++) {
		go_on += tp_node_goes_on(&tp_run_nodes(run)[i]);
		n_short += tp_node_is_short(run, &tp_run_nodes(run)[i]);
	}
	if (!cluster_of(run, cluster))
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

void tp_nodes_conclude(const struct tp_run *run, struct tp_conclusion *conclusion)
{
	size_t n;
	struct tp_str text = { 0 };
	const struct tp_node_row **list = NULL;

	if (!tp_run_n_nodes(run) || !(list = tp_nodes_by_speed(run, &n)))
		return;
	tp_nodes_answer(run, list, n, &text);
	bool odd = tp_nodes_count(list, n, TP_OUTLIER_NONE) < n ||
		   tp_fact_count(run, TP_FACT_CLUSTER_UPPER);

	tp_conclude_add(odd ? &conclusion->odd : &conclusion->limits, "%s", tp_str_text(&text));
	choose_next(run, list, n, &conclusion->next);
	tp_str_release(&text);
	free(list);
}
