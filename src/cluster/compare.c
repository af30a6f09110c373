/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two merged runs, such as last month's and today's: which nodes have become slow, which are so no
 * longer, and which are in one of them only. What a node's speed means is relative to its group, so
 * a change of all nodes together is in the points, not here.
 */
#include "cluster/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/outliers.h"

/* A list of nodes that grows: its first names are written. */
struct named {
	struct tp_str text;
	size_t n;
};

static void name(struct named *named, const struct tp_node_row *a, const struct tp_node_row *b)
{
	const struct tp_node_row *row = b ? b : a;

	if (named->n++ >= TP_NODES_NAMED_MAX)
		return;
	tp_str_printf(&named->text, "%s%s", named->n > 1 ? ", " : "", row->node);
	if (a && b)
		tp_str_printf(&named->text, " (%.1f %%, was %.1f %%)", 100 * b->speed,
			      100 * a->speed);
}

static void say(struct named *named, const char *words, enum tp_paint paint,
		const struct tp_look *look, struct tp_str *out)
{
	struct tp_str line = { 0 }, clean = { 0 };

	tp_str_printf(&line, "%s: %s", words, tp_str_text(&named->text));
	if (named->n > TP_NODES_NAMED_MAX)
		tp_str_printf(&line, " and %zu more", named->n - TP_NODES_NAMED_MAX);
	tp_str_add(&line, ".");
	tp_text_clean(&clean, tp_str_text(&line), look);
	if (named->n)
		tp_text_wrap(out, look, paint, tp_str_text(&clean), 0, 2);
	out->oom |= named->text.oom || line.oom || clean.oom;
	tp_str_release(&named->text);
	tp_str_release(&line);
	tp_str_release(&clean);
}

static int by_name(const void *a, const void *b)
{
	const struct tp_node_row *const *x = a, *const *y = b;

	return strcmp((*x)->node, (*y)->node);
}

static void against_first(const struct tp_run *a, const struct tp_run *b, char letter,
			  const struct tp_look *look, struct tp_str *out)
{
	struct named slow = { 0 }, mended = { 0 }, gone = { 0 }, added = { 0 };
	size_t n_a, n_b, i = 0, k = 0, both = 0;
	const struct tp_node_row **x = tp_nodes_by_speed(a, &n_a), **y = tp_nodes_by_speed(b, &n_b);
	struct tp_str title = { 0 }, line = { 0 };

	if (x && y) {
		qsort(x, n_a, sizeof(*x), by_name);
		qsort(y, n_b, sizeof(*y), by_name);
	}
	out->oom |= !x || !y;
	while (x && y && (i < n_a || k < n_b)) {
		int order = i == n_a ? 1 : k == n_b ? -1 : strcmp(x[i]->node, y[k]->node);

		if (order < 0) {
			name(&gone, x[i++], NULL);
		} else if (order > 0) {
			name(&added, NULL, y[k++]);
		} else {
			bool was = x[i]->outlier == TP_OUTLIER_SLOW;
			bool is = y[k]->outlier == TP_OUTLIER_SLOW;

			if (was != is)
				name(is ? &slow : &mended, x[i], y[k]);
			both++;
			i++;
			k++;
		}
	}
	tp_str_printf(&title, "%c against A%snodes", letter, tp_text_dot(look));
	tp_text_title(out, look, tp_str_text(&title));
	tp_str_printf(&line, "%zu nodes are in both%s", both,
		      slow.n + mended.n ? "." : ", and none has become slow.");
	tp_text_wrap(out, look, slow.n + mended.n ? TP_PAINT_PLAIN : TP_PAINT_GOOD,
		     tp_str_text(&line), 0, 0);
	say(&slow, "Slow now", TP_PAINT_BAD, look, out);
	say(&mended, "No longer slow", TP_PAINT_GOOD, look, out);
	say(&gone, "Only in A", TP_PAINT_PLAIN, look, out);
	tp_str_clear(&line);
	tp_str_printf(&line, "Only in %c", letter);
	say(&added, tp_str_text(&line), TP_PAINT_PLAIN, look, out);
	tp_str_release(&title);
	tp_str_release(&line);
	free(x);
	free(y);
}

void tp_nodes_compare(const struct tp_run *const *runs, size_t n, const struct tp_look *look,
		      struct tp_str *out)
{
	for (size_t i = 1; i < n; i++)
		if (tp_run_n_nodes(runs[0]) && tp_run_n_nodes(runs[i]))
			against_first(runs[0], runs[i], (char)('A' + i), look, out);
}
