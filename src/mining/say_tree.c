/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tree: as an outline, as rules, how often it is right, and what it missed. */
#include "mining/say_parts.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_BRIEF = 41, RULES_BRIEF = 12, MISSED_BRIEF = 10, SAID_MAX = 12, PAIRS_BRIEF = 12 };

/* --- outline --- */

static const struct tp_grid_column node_columns[] = {
	{ "answers", TP_LEFT, 0 },
	{ "rows", TP_RIGHT, 0 },
	{ "impurity", TP_RIGHT, 1 },
	{ "categories", TP_LEFT, 0 },
};

/* "480 ns 412, 210 ns 8": the most frequent first. */
static void add_counts(const struct tp_mining *m, size_t node, struct tp_str *out)
{
	double last = INFINITY;
	bool first = true;
	for (unsigned told = 0; told < m->n_labels;) {
		double next = 0;
		for (unsigned i = 0; i < m->n_labels; i++) {
			double count = m->tree.counts[node * m->n_labels + i];
			next = count < last && count > next ? count : next;
		}
		if (next <= 0)
			return;
		for (unsigned i = 0; i < m->n_labels; i++) {
			if (m->tree.counts[node * m->n_labels + i] != next)
				continue;
			tp_str_printf(out, "%s%s: %.0f", first ? "" : ", ", m->labels_of[i].brief,
				      next);
			first = false;
			told++;
		}
		last = next;
	}
}

/* The answer that leads from `parent` to a node. */
static void add_node(const struct tp_mine_page *page, struct tp_grid *grid, size_t node,
		     size_t parent)
{
	const struct tp_mining *m = page->mining;
	const struct tp_tree_node *n = &m->tree.nodes[node];
	struct tp_str text = { 0 };
	tp_str_pad(&text, ' ', 2 * (size_t)n->depth);
	if (node)
		tp_mine_question(m, parent, m->tree.nodes[parent].yes == node, &text);
	else
		tp_str_add(&text, "any row");
	tp_grid_clean(grid, page->look, n->leaf ? TP_PAINT_STRONG : TP_PAINT_PLAIN,
		      tp_str_text(&text));
	tp_grid_number(grid, TP_PAINT_PLAIN, n->rows, 0);
	tp_grid_number(grid, TP_PAINT_PLAIN, n->impurity, 3);
	tp_str_clear(&text);
	add_counts(m, node, &text);
	tp_grid_clean(grid, page->look, n->leaf ? TP_PAINT_STRONG : TP_PAINT_PLAIN,
		      tp_str_text(&text));
	tp_str_release(&text);
}

/* What is left to be said: nodes with their parents, the next on top. */
struct pile {
	struct {
		size_t node, parent;
	} * items;
	size_t n, cap;
};

static bool put(struct pile *pile, size_t node, size_t parent)
{
	if (tp_vec_reserve((void **)&pile->items, &pile->cap, pile->n + 1, sizeof(*pile->items)))
		return false;
	pile->items[pile->n].node = node;
	pile->items[pile->n++].parent = parent;
	return true;
}

/* The answer yes first. */
static void outline(const struct tp_mine_page *page, struct tp_grid *grid, size_t most)
{
	const struct tp_tree_node *nodes = page->mining->tree.nodes;
	struct pile pile = { 0 };
	bool good = put(&pile, 0, 0);
	while (pile.n && most-- && good) {
		size_t node = pile.items[--pile.n].node;
		add_node(page, grid, node, pile.items[pile.n].parent);
		if (!nodes[node].leaf)
			good = put(&pile, nodes[node].no, node) &&
			       put(&pile, nodes[node].yes, node);
	}
	grid->oom |= !good;
	free(pile.items);
}

static void say_outline(const struct tp_mine_page *page)
{
	const struct tp_mining *m = page->mining;
	const char *dot = tp_text_dot(page->look);
	size_t shown = tp_mine_shown(page, m->tree.n, NODES_BRIEF);
	struct tp_grid grid;
	tp_mine_title(page, "Tree%s%zu lea%s, %u question%s deep%simpurity: %s", dot,
		      m->tree.n_leaves, m->tree.n_leaves == 1 ? "f" : "ves", m->tree.depth,
		      m->tree.depth == 1 ? "" : "s", dot,
		      m->job.rules.criterion == TP_GINI ? "Gini" : "entropy, bits");
	if (page->look->html)
		tp_mine_draw_tree(page);
	tp_grid_init(&grid, node_columns, TP_COUNT_OF(node_columns));
	tp_grid_heads(&grid);
	outline(page, &grid, shown);
	tp_grid_write(&grid, page->look, page->out);
	tp_grid_release(&grid);
	tp_mine_more(page, m->tree.n, shown, "nodes");
}

/* --- rules --- */

struct leaf {
	size_t node;
	double rows;
};

static int by_rows(const void *a, const void *b)
{
	const struct leaf *x = a, *y = b;
	if (x->rows != y->rows)
		return x->rows < y->rows ? 1 : -1;
	return (x->node > y->node) - (x->node < y->node);
}

static void say_rule(const struct tp_mine_page *page, size_t node)
{
	const struct tp_mining *m = page->mining;
	const struct tp_tree_node *n = &m->tree.nodes[node];
	struct tp_str text = { 0 };
	size_t right = tp_mine_count(m, node, n->label);
	tp_str_add(&text, "  ");
	tp_mine_way(m, node, &text);
	tp_str_printf(&text, ": %s, ", m->labels_of[n->label].name);
	if ((double)right < n->rows)
		tp_str_printf(&text, "%zu of %.0f rows", right, n->rows);
	else
		tp_str_printf(&text, "%s%.0f row%s", n->rows > 1 ? "all " : "", n->rows,
			      n->rows > 1 ? "s" : "");
	struct tp_str clean = { 0 };
	tp_text_clean(&clean, tp_str_text(&text), page->look);
	tp_str_add(page->out, "  ");
	tp_text_wrap(page->out, page->look, TP_PAINT_PLAIN, tp_str_text(&clean), 2, 6);
	tp_str_release(&clean);
	tp_str_release(&text);
}

static void say_rules(const struct tp_mine_page *page)
{
	const struct tp_mining *m = page->mining;
	struct leaf *leaves = calloc(m->tree.n, sizeof(*leaves));
	size_t n = 0, shown = tp_mine_shown(page, m->tree.n_leaves, RULES_BRIEF);
	for (size_t i = 0; leaves && i < m->tree.n; i++)
		if (m->tree.nodes[i].leaf)
			leaves[n++] = (struct leaf){ i, m->tree.nodes[i].rows };
	if (n > 1) {
		qsort(leaves, n, sizeof(*leaves), by_rows);
		tp_mine_title(page, "Rules, those of most rows first");
		for (size_t i = 0; i < shown && i < n; i++)
			say_rule(page, leaves[i].node);
		tp_mine_more(page, n, shown, "rules");
	}
	page->out->oom |= !leaves;
	free(leaves);
}

void tp_mine_say_tree(const struct tp_mine_page *page)
{
	if (!page->mining->has_tree)
		return;
	say_outline(page);
	say_rules(page);
}

/* --- how often it is right --- */

static void say_share(const struct tp_mine_page *page, const char *which, size_t right, size_t n)
{
	char text[160];
	snprintf(text, sizeof(text), "%-14s %zu of %zu rows right, %.1f%%", which, right, n,
		 100 * (double)right / (double)n);
	if (n)
		tp_mine_words(page, TP_PAINT_PLAIN, text);
}

/* Rows are what it is, columns what the tree says. */
static void say_confusion(const struct tp_mine_page *page, const struct tp_mine_score *score)
{
	const struct tp_mining *m = page->mining;
	struct tp_grid_column columns[SAID_MAX + 1] = { { "is \\ said", TP_LEFT, 0 } };
	size_t width = 12;
	struct tp_grid grid;
	for (unsigned i = 0; i < m->n_labels; i++) {
		columns[i + 1] = (struct tp_grid_column){ "", TP_RIGHT, 0 };
		width += tp_text_columns(m->labels_of[i].brief) + 2;
	}
	bool numbered = width > tp_look_columns(page->look);
	tp_grid_init(&grid, columns, m->n_labels + 1);
	tp_grid_head(&grid, columns[0].head);
	for (unsigned i = 0; i < m->n_labels; i++) {
		char number[16];
		struct tp_str head = { 0 };
		snprintf(number, sizeof(number), "#%u", i + 1);
		tp_text_clean(&head, numbered ? number : m->labels_of[i].brief, page->look);
		tp_grid_head(&grid, tp_str_text(&head));
		tp_str_release(&head);
	}
	for (unsigned is = 0; is < m->n_labels; is++) {
		struct tp_str name = { 0 };
		if (numbered)
			tp_str_printf(&name, "#%u ", is + 1);
		tp_str_add(&name, m->labels_of[is].name);
		tp_grid_clean(&grid, page->look, TP_PAINT_STRONG, tp_str_text(&name));
		tp_str_release(&name);
		for (unsigned said = 0; said < m->n_labels; said++) {
			size_t n = score->confusion[(size_t)is * m->n_labels + said];
			enum tp_paint paint = is == said ? TP_PAINT_GOOD : TP_PAINT_BAD;
			if (n)
				tp_grid_printf(&grid, paint, "%zu", n);
			else
				tp_grid_text(&grid, TP_PAINT_DIM,
					     page->look->utf8 ? "\u00b7" : ".");
		}
	}
	tp_grid_write(&grid, page->look, page->out);
	tp_grid_release(&grid);
}

static void say_pairs(const struct tp_mine_page *page, const struct tp_mine_score *score)
{
	const struct tp_mining *m = page->mining;
	size_t shown = 0, n = 0, most = page->look->full ? SIZE_MAX : PAIRS_BRIEF;
	for (unsigned is = 0; is < m->n_labels; is++)
		for (unsigned said = 0; said < m->n_labels; said++) {
			size_t rows = score->confusion[(size_t)is * m->n_labels + said];
			struct tp_str text = { 0 };
			if (is == said || !rows || n++ >= most)
				continue;
			tp_str_printf(&text, "  %s said to be %s: %zu row%s", m->labels_of[is].name,
				      m->labels_of[said].name, rows, rows == 1 ? "" : "s");
			tp_mine_words(page, TP_PAINT_PLAIN, tp_str_text(&text));
			tp_str_release(&text);
			shown++;
		}
	tp_mine_more(page, n, shown, "pairs of categories");
}

void tp_mine_say_score(const struct tp_mine_page *page)
{
	const struct tp_mining *m = page->mining;
	const struct tp_mine_score *score = m->n_test ? &m->test : &m->all;
	if (!m->has_tree)
		return;
	tp_mine_title(page, "Accuracy");
	say_share(page, "held-out rows", m->test.right, m->test.n);
	say_share(page, "learned rows", m->all.right - m->test.right, m->all.n - m->test.n);
	if (m->has_forest && m->n_test) {
		char text[96];
		snprintf(text, sizeof(text), "%-14s %.1f%% of held-out rows right", "forest",
			 100 * m->forest.accuracy);
		tp_mine_words(page, TP_PAINT_PLAIN, text);
	}
	tp_str_add(page->out, "\n");
	if (m->n_labels <= SAID_MAX)
		say_confusion(page, score);
	else
		say_pairs(page, score);
}

/* --- missed rows --- */

static const struct tp_grid_column missed_columns[] = {
	{ "row", TP_RIGHT, 0 },
	{ "is", TP_LEFT, 0 },
	{ "said", TP_LEFT, 0 },
	{ "why", TP_LEFT, 0 },
};

void tp_mine_say_missed(const struct tp_mine_page *page)
{
	const struct tp_mining *m = page->mining;
	size_t shown = tp_mine_shown(page, m->n_missed, MISSED_BRIEF);
	struct tp_grid grid;
	if (!m->n_missed)
		return;
	tp_mine_title(page, "Missed rows%s", m->n_test ? " of those that were held out" : "");
	tp_grid_init(&grid, missed_columns, TP_COUNT_OF(missed_columns));
	tp_grid_heads(&grid);
	for (size_t i = 0; i < shown; i++) {
		const struct tp_mine_missed *missed = &m->missed[i];
		struct tp_str why = { 0 };
		tp_grid_printf(&grid, TP_PAINT_PLAIN, "%zu", (size_t)m->origin[missed->row] + 1);
		tp_grid_clean(&grid, page->look, TP_PAINT_STRONG, m->labels_of[missed->label].name);
		tp_grid_clean(&grid, page->look, TP_PAINT_PLAIN, m->labels_of[missed->said].name);
		tp_mine_missed_words(m, missed, &why);
		tp_grid_clean(&grid, page->look, TP_PAINT_PLAIN, tp_str_text(&why));
		tp_str_release(&why);
	}
	tp_grid_write(&grid, page->look, page->out);
	tp_grid_release(&grid);
	tp_mine_more(page, m->n_missed, shown, "missed rows");
}
